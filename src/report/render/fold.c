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

/* Operations that are not shown. */
struct gap {
    uint64_t n;
    uint16_t tid;                         /* of all of them, or BURL_TID_NONE */
    const struct burl_finding_step *only; /* the one and only, if the finding holds it */
};

struct folder {
    struct burl_finding_step *v;
    size_t n;
    struct gap before;                           /* since the last row, */
    struct gap after;                            /* and since the last switch after it */
    const struct burl_finding_step *last_switch; /* since the last row */
};

static void
gap_add(struct gap *g, uint64_t n, uint16_t tid, const struct burl_finding_step *only)
{
    g->only = g->n == 0 ? only : NULL;
    g->tid = g->n == 0 || g->tid == tid ? tid : BURL_TID_NONE;
    g->n += n;
}

/* One operation takes no more room than a gap. */
static void
gap_end(struct folder *d, struct gap *g)
{
    if (g->only != NULL)
        d->v[d->n++] = *g->only;
    else if (g->n > 0)
        d->v[d->n++] = (struct burl_finding_step){ .type = BURL_FINDING_STEP_SKIP,
                                                   .tid = g->tid,
                                                   .n_skipped = g->n };
    *g = (struct gap){ 0 };
}

static void
note_switch(struct folder *d, const struct burl_finding_step *s)
{
    if (d->after.n > 0)
        gap_add(&d->before, d->after.n, d->after.tid, d->after.only);
    d->after = (struct gap){ 0 };
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
            const bool op = s->type == BURL_FINDING_STEP_OP;

            gap_add(d.last_switch != NULL ? &d.after : &d.before, op ? 1 : s->n_skipped, s->tid,
                    op ? s : NULL);
        } else {
            end_gaps(&d, s->tid);
            d.v[d.n++] = *s;
        }
    }
    end_gaps(&d, BURL_TID_NONE);
    *n = d.n;
    return d.v;
}
