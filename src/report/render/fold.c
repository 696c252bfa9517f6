/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.c - the rows of a short report.
 *
 * Runs in the host. A finding holds as many operations as can be followed; a report that is to fit
 * a screen shows those that matter most. The others become gaps, together with the gaps beside
 * them; of several switches inside one gap the last remains, since it says why the next row is of
 * another thread.
 */
#include "report/render/render_int.h"

#define SMALL_GAP 3u /* fewer operations than this are not worth a row */

struct folder {
    struct burl_finding_step *v;
    size_t n;
    struct burl_finding_step before; /* operations since the last row, */
    struct burl_finding_step after;  /* and since the last switch after it */
    const struct burl_finding_step *last_switch; /* since the last row */
};

static void
gap_add(struct burl_finding_step *gap, uint64_t n, uint16_t tid)
{
    if (gap->n_skipped > 0 && gap->tid != tid)
        tid = BURL_TID_NONE;
    gap->type = BURL_FINDING_STEP_SKIP;
    gap->tid = tid;
    gap->n_skipped += n;
}

static void
gap_end(struct folder *d, struct burl_finding_step *gap)
{
    if (gap->n_skipped >= SMALL_GAP)
        d->v[d->n++] = *gap;
    *gap = (struct burl_finding_step){ 0 };
}

static void
note_switch(struct folder *d, const struct burl_finding_step *s)
{
    if (d->after.n_skipped > 0)
        gap_add(&d->before, d->after.n_skipped, d->after.tid);
    d->after = (struct burl_finding_step){ 0 };
    d->last_switch = s;
}

/* The next row is of thread `tid`. */
static void
end_gaps(struct folder *d, uint16_t tid)
{
    if (d->last_switch != NULL && d->last_switch->next != tid)
        note_switch(d, NULL);
    gap_end(d, &d->before);
    if (d->last_switch != NULL)
        d->v[d->n++] = *d->last_switch;
    d->last_switch = NULL;
    gap_end(d, &d->after);
}

struct burl_finding_step *
burl__report_fold(const struct burl_finding *f, size_t *n)
{
    struct folder d = { .v = burl_xcalloc(2 * f->n_steps + 2, sizeof *d.v) };

    for (size_t i = 0; i < f->n_steps; i++) {
        const struct burl_finding_step *s = &f->steps[i];

        if (s->type == BURL_FINDING_STEP_SWITCH) {
            note_switch(&d, s);
        } else if (s->type == BURL_FINDING_STEP_SKIP || s->minor) {
            gap_add(d.last_switch != NULL ? &d.after : &d.before,
                    s->type == BURL_FINDING_STEP_SKIP ? s->n_skipped : 1, s->tid);
        } else {
            end_gaps(&d, s->tid);
            d.v[d.n++] = *s;
        }
    }
    end_gaps(&d, BURL_TID_NONE);
    *n = d.n;
    return d.v;
}
