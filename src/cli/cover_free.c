/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cover_free.c - `burl cover --engine=free`: coverage of free runs.
 *
 * Runs in the host. Free runs cannot be replayed, so no schedules are kept; a run is one execution.
 * Its items come from shared memory however it ended.
 */
#include <string.h>

#include "cli/cover_int.h"
#include "cli/free_int.h"
#include "cli/interrupt.h"

struct free_cover {
    struct burl_cover_session *s;
    struct burl_store_totals *totals;
    uint64_t lost;
};

static void
show_progress(struct burl_cover_session *s, const struct burl_store_totals *t)
{
    char runs[BURL_NUMBER_B];
    char pairs[BURL_NUMBER_B];
    char time[48];

    if (!burl_progress_due(&s->progress))
        return;
    burl_number(t->executions, runs);
    burl_number(burl_cover_count(s->cover, BURL_METRIC_LOCPAIRS), pairs);
    burl_progress_time((int64_t)t->wall_ms, burl__test_time_ms(s->opts), time);
    burl_progress_update(&s->progress, "%s, %s location pairs, %s free runs", time, pairs, runs);
}

static enum burl_status
on_run(void *arg, struct burl_free_result *r, int64_t elapsed_ms, struct burl_err *err)
{
    struct free_cover *c = arg;
    struct burl_cover_session *s = c->s;
    struct burl_store_totals *t = c->totals;
    const bool failed = burl_verdict_is_finding(r->verdict.kind);
    const struct burl_store_cover_image image = { .objects = r->objects,
                                                  .n_objects = r->n_objects,
                                                  .modules = r->modules,
                                                  .n_modules = r->n_modules };
    enum burl_status st;

    if (t->executions == 0) {
        memcpy(s->build_id, r->build_id, sizeof s->build_id);
        st = burl__cover_begin(s, s->metrics, &image, err);
        if (st == BURL_OK)
            st = burl_cover_set_mode(s->cover, "free", err);
    } else {
        st = burl_cover_loaded(s->cover, &image, err);
    }
    for (size_t i = 0; i < r->n_items && st == BURL_OK; i++)
        burl_cover_add(s->cover, &r->items[i], "free", t->executions);
    if (st == BURL_OK && failed)
        burl__cover_note_failure(s, &r->verdict, 1);
    c->lost = r->items_lost > c->lost ? r->items_lost : c->lost;
    t->failures += failed;
    t->executions++;
    t->wall_ms = (uint64_t)elapsed_ms;
    if (st == BURL_OK)
        st = burl__cover_flush_some(s, t->executions, elapsed_ms, c->lost, err);
    if (s->cover)
        show_progress(s, t);
    return st;
}

static const char *
is_over(void *arg, const char *limit)
{
    const struct free_cover *c = arg;

    if (!limit &&
        burl_cover_saturated(c->s->cover, c->totals->executions, c->s->opts->until_saturated))
        return "saturated";
    return limit;
}

enum burl_status
burl__cover_free_runs(struct burl_cover_session *s, struct burl_store_totals *t,
                      const char **why_end, struct burl_err *err)
{
    struct free_cover c = { .s = s, .totals = t };
    const struct burl_free_hooks hooks = { .arg = &c, .take = on_run, .over = is_over };
    enum burl_status st = burl__free_check_options(s->opts, err);

    *why_end = NULL;
    if (st == BURL_OK)
        st = burl_store_check_unused(s->opts->dir, NULL, err);
    if (st == BURL_OK)
        st =
            burl__free_loop(s->opts,
                            (struct burl_free_opts){ .argv = (const char *const *)s->argv,
                                                     .observers = burl__cover_observers(s->metrics),
                                                     .context = s->opts->context },
                            &hooks, why_end, err);
    if (!*why_end)
        *why_end = "";
    s->interrupted = burl_cli_interrupts != 0;
    if (s->interrupted)
        s->note = "interrupted: coverage so far is kept";
    if (st == BURL_OK && s->cover)
        st = burl_cover_flush(s->cover, t->executions, t->wall_ms, c.lost, err);
    return st;
}
