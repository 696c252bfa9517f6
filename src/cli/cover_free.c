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
#include "cli/test_int.h"
#include "engine/free/free.h"

static enum burl_status
take_result(struct burl_cover_session *s, const struct burl_free_result *r, uint64_t run,
            struct burl_err *err)
{
    const struct burl_store_cover_image image = { .objects = r->objects,
                                                  .n_objects = r->n_objects,
                                                  .modules = r->modules,
                                                  .n_modules = r->n_modules };
    enum burl_status st = BURL_OK;

    if (run == 0) {
        memcpy(s->build_id, r->build_id, sizeof s->build_id);
        st = burl__cover_begin(s, s->metrics, &image, err);
        if (st == BURL_OK)
            st = burl_cover_set_mode(s->cover, "free", err);
    } else {
        st = burl_cover_loaded(s->cover, &image, err);
    }
    for (size_t i = 0; i < r->n_items && st == BURL_OK; i++)
        burl_cover_add(s->cover, &r->items[i], "free", run);
    if (st == BURL_OK && burl_verdict_is_finding(r->verdict.kind))
        burl__cover_note_failure(s, &r->verdict, 1);
    return st;
}

static uint64_t
time_for_one(const struct burl_options *o, uint64_t budget_ms, uint64_t elapsed)
{
    const uint64_t one = burl__test_exec_timeout_ms(o);
    const uint64_t left = budget_ms > elapsed ? budget_ms - elapsed : 1;

    if (budget_ms == 0)
        return one;
    return one > 0 && one < left ? one : left;
}

static const char *
is_over(const struct burl_cover_session *s, const struct burl_store_totals *t, uint64_t budget_ms)
{
    if (burl_cli_interrupts)
        return "interrupted";
    if (s->opts->runs > 0 && t->executions >= s->opts->runs)
        return "runs";
    if (budget_ms > 0 && t->wall_ms >= budget_ms)
        return "time";
    if (burl_cover_saturated(s->cover, t->executions, s->opts->until_saturated))
        return "saturated";
    return NULL;
}

static void
show_progress(struct burl_cover_session *s, const struct burl_store_totals *t)
{
    char runs[32];
    char pairs[32];

    if (!burl_progress_due(&s->progress))
        return;
    burl__test_number(t->executions, runs);
    burl__test_number(burl_cover_count(s->cover, BURL_METRIC_LOCPAIRS), pairs);
    burl_progress_update(&s->progress, "%s free runs, %s location pairs, %.1f s", runs, pairs,
                         (double)t->wall_ms / 1000.0);
}

enum burl_status
burl__cover_free_runs(struct burl_cover_session *s, struct burl_store_totals *t,
                      const char **why_end, struct burl_err *err)
{
    const uint64_t budget_ms =
        s->opts->runs > 0 && !s->opts->given[BURL_OPT_time] ? 0 : s->opts->time;
    const int64_t start = burl_target_now_ms();
    uint64_t lost = 0;
    const char *end = NULL;
    enum burl_status st = burl__free_check_options(s->opts, err);

    while (st == BURL_OK && !end) {
        const struct burl_free_opts fo = {
            .argv = (const char *const *)s->argv,
            .observers = burl__cover_observers(s->metrics),
            .time_ms = time_for_one(s->opts, budget_ms, t->wall_ms),
            .captured = true,
            .out_fd = -1,
            .context = s->opts->context,
            .interrupt = &burl_cli_interrupts,
        };
        struct burl_free_result r;

        st = burl_free_run(&r, &fo, err);
        /* The last one may have had no time left to start in. */
        if (st == BURL_E_LIMIT && t->executions > 0 && budget_ms > 0) {
            end = "time";
            st = BURL_OK;
            break;
        }
        if (st != BURL_OK)
            break;
        st = take_result(s, &r, t->executions, err);
        lost = r.items_lost > lost ? r.items_lost : lost;
        t->failures += burl_verdict_is_finding(r.verdict.kind);
        burl_free_result_deinit(&r);
        t->executions++;
        t->wall_ms = (uint64_t)(burl_target_now_ms() - start);
        if (st == BURL_OK)
            st = burl__cover_flush_some(s, t->executions, (int64_t)t->wall_ms, lost, err);
        if (st == BURL_OK)
            end = is_over(s, t, budget_ms);
        show_progress(s, t);
    }
    *why_end = end ? end : "";
    s->interrupted = burl_cli_interrupts != 0;
    if (s->interrupted)
        s->note = "interrupted: coverage so far is kept";
    if (st == BURL_OK && s->cover)
        st = burl_cover_flush(s->cover, t->executions, t->wall_ms, lost, err);
    return st;
}
