/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/hunt.c - from pairs by module and index to a campaign that hunts them; contract in hunt.h.
 *
 * Runs in the host. The engine does the work (engine/goal/hunt.h): here the sites get the numbers
 * of the process, and the results of the engine are passed to the hooks, one outcome for every
 * pair.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cover/hunt.h"
#include "engine/goal/hunt.h"
#include "engine/plan/campaign.h"

struct hunt {
    const struct burl_hunt_config *cfg;
    const struct burl_hunt_pair *pairs;
    size_t n;
    const struct burl_hunt_hooks *hooks;
    struct burl_hunt_stats *stats;
    struct burl_campaign_hunt engine;
    bool *told;
    size_t n_told;
};

static struct burl_hunt_exec
exec_of(const struct burl_campaign_covered *w)
{
    return (struct burl_hunt_exec){ .strategy = w->strategy,
                                    .param = w->param,
                                    .seed = w->seed,
                                    .ordinal = w->execution,
                                    .order_flags = w->order_flags,
                                    .engine = w->engine,
                                    .reset = w->reset };
}

static uint32_t
find_number(const struct burl_wire_ctl *ctl, uint64_t module, uint32_t index, uint32_t late)
{
    for (uint32_t i = 0; i < ctl->n_modules && i < BURL_WIRE_MAX_MODULES; i++) {
        const struct burl_wire_module_entry *m = &ctl->modules[i];

        if (m->hash == module && index < m->n_sites)
            return m->base + index;
    }
    return late; /* when it is loaded it gets the numbers it had */
}

static enum burl_status
on_ready(void *arg, const struct burl_wire_ctl *ctl, struct burl_err *err)
{
    struct hunt *h = arg;

    for (size_t i = 0; i < h->n; i++) {
        h->engine.pairs[i].a =
            find_number(ctl, h->pairs[i].module_a, h->pairs[i].index_a, h->pairs[i].late_a);
        h->engine.pairs[i].b =
            find_number(ctl, h->pairs[i].module_b, h->pairs[i].index_b, h->pairs[i].late_b);
        h->engine.pairs[i].prove_only = h->pairs[i].prove_only;
    }
    return h->hooks->ready ? h->hooks->ready(h->hooks->arg, ctl, err) : BURL_OK;
}

static enum burl_status
on_loaded(void *arg, const struct burl_campaign_image *image, struct burl_err *err)
{
    const struct hunt *h = arg;

    return h->hooks->loaded ? h->hooks->loaded(h->hooks->arg, image, err) : BURL_OK;
}

static enum burl_status
on_covered(void *arg, const struct burl_wire_cover_item *item,
           const struct burl_campaign_covered *where, bool *keep, struct burl_err *err)
{
    struct hunt *h = arg;
    const struct burl_hunt_exec x = exec_of(where);

    return h->hooks->covered ? h->hooks->covered(h->hooks->arg, item, &x, keep, err) : BURL_OK;
}

static enum burl_status
on_kept(void *arg, const struct burl_campaign_covered *where, const struct burl_run *run,
        struct burl_err *err)
{
    struct hunt *h = arg;
    const struct burl_hunt_exec x = exec_of(where);

    return h->hooks->kept ? h->hooks->kept(h->hooks->arg, run, &x, err) : BURL_OK;
}

static enum burl_status
on_schedule(void *arg, size_t pair, const struct burl_run *run,
            const struct burl_campaign_covered *where, struct burl_err *err)
{
    struct hunt *h = arg;
    const struct burl_hunt_exec x = exec_of(where);

    if (!h->hooks->schedule)
        return BURL_OK;
    return h->hooks->schedule(h->hooks->arg, &h->pairs[pair], run, &x, err);
}

static void
on_failed(void *arg, const struct burl_wire_verdict *v, const struct burl_campaign_covered *where)
{
    struct hunt *h = arg;
    const struct burl_hunt_exec x = exec_of(where);

    if (h->hooks->failed)
        h->hooks->failed(h->hooks->arg, v, &x);
}

static void
on_progress(void *arg, const struct burl_campaign_progress *p)
{
    struct hunt *h = arg;

    if (h->hooks->progress)
        h->hooks->progress(h->hooks->arg, h->n_told, h->n, p->executions);
}

/* ---- outcomes ---------------------------------------------------------------------- */

static enum burl_hunt_outcome
outcome_of(const struct burl_campaign_pair *p)
{
    switch (p->goal.state) {
    case BURL_GOAL_STATE_CONFIRMED:
        return BURL_HUNT_COVERED;
    case BURL_GOAL_STATE_UNCONFIRMED:
        return BURL_HUNT_NOT_COVERED;
    case BURL_GOAL_STATE_IMPOSSIBLE:
        return BURL_HUNT_IMPOSSIBLE;
    default:
        return p->a == 0 || p->b == 0 ? BURL_HUNT_GONE : BURL_HUNT_UNTRIED;
    }
}

static void
count_outcome(struct burl_hunt_stats *s, enum burl_hunt_outcome o)
{
    s->covered += o == BURL_HUNT_COVERED;
    s->not_covered += o == BURL_HUNT_NOT_COVERED;
    s->impossible += o == BURL_HUNT_IMPOSSIBLE;
    s->untried += o == BURL_HUNT_UNTRIED;
    s->gone += o == BURL_HUNT_GONE;
}

static void
explain(const struct hunt *h, const struct burl_campaign_pair *p, enum burl_hunt_outcome o,
        char *out, size_t n)
{
    out[0] = '\0';
    if (o == BURL_HUNT_IMPOSSIBLE)
        snprintf(out, n, "complete search: %" PRIu64 " schedules", h->engine.exhaustive_executions);
    else if (o == BURL_HUNT_COVERED && !p->kept)
        snprintf(out, n, "no schedule was kept: its replay did not cover the pair");
    else if (o == BURL_HUNT_NOT_COVERED && p->visits[0] == 0 && p->visits[1] == 0)
        snprintf(out, n, "neither place was reached in these executions");
    else if (o == BURL_HUNT_NOT_COVERED && p->visits[0] == 0)
        snprintf(out, n, "the first place was not reached in these executions");
    else if (o == BURL_HUNT_NOT_COVERED && p->visits[1] == 0)
        snprintf(out, n, "the second place was not reached in these executions");
    else if (o == BURL_HUNT_NOT_COVERED && h->engine.exhaustive_why[0] != '\0')
        snprintf(out, n, "exhaustive search inconclusive: %s", h->engine.exhaustive_why);
}

static enum burl_status
tell(struct hunt *h, size_t pair, struct burl_err *err)
{
    const struct burl_campaign_pair *p = &h->engine.pairs[pair];
    const enum burl_hunt_outcome o = outcome_of(p);
    char why[240];

    if (h->told[pair])
        return BURL_OK;
    h->told[pair] = true;
    h->n_told++;
    count_outcome(h->stats, o);
    explain(h, p, o, why, sizeof why);
    if (!h->hooks->outcome)
        return BURL_OK;
    return h->hooks->outcome(h->hooks->arg, &h->pairs[pair], o, p->goal.attempts, why, err);
}

static enum burl_status
on_settled(void *arg, size_t pair, struct burl_err *err)
{
    return tell(arg, pair, err);
}

/* ---- the whole --------------------------------------------------------------------- */

static enum burl_status
finish(struct hunt *h, const struct burl_campaign_stats *cs, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    h->stats->executions = cs->all.executions;
    h->stats->failures = cs->all.failures;
    h->stats->engine = cs->engine;
    h->stats->reset = cs->reset;
    h->stats->wall_ms = cs->wall_ms;
    h->stats->searched = h->engine.exhaustive_executions;
    h->stats->search_complete = h->engine.exhaustive_complete;
    snprintf(h->stats->search_why, sizeof h->stats->search_why, "%s", h->engine.exhaustive_why);
    h->stats->interrupted = cs->end == BURL_CAMPAIGN_END_INTERRUPTED;
    for (size_t i = 0; i < h->n && st == BURL_OK; i++)
        st = tell(h, i, err);
    return st;
}

enum burl_status
burl_cover_hunt(const struct burl_hunt_config *cfg, const struct burl_hunt_pair *pairs, size_t n,
                const struct burl_hunt_hooks *hooks, struct burl_hunt_stats *stats,
                struct burl_err *err)
{
    struct hunt h = { .cfg = cfg, .pairs = pairs, .n = n, .hooks = hooks, .stats = stats };
    const struct burl_campaign_config cc = {
        .argv = cfg->argv,
        .strategy = BURL_CAMPAIGN_AUTO,
        .engine = cfg->engine,
        .reset = cfg->reset,
        .jobs = cfg->jobs,
        .time_ms = cfg->time_ms,
        .seed = cfg->seed,
        .max_steps = cfg->max_steps,
        .exec_timeout_ms = cfg->exec_timeout_ms,
        .observers = BURL_OB(LOCPAIRS),
        .hunt = &h.engine,
        .interrupt = cfg->interrupt,
    };
    const struct burl_campaign_hooks ch = {
        .arg = &h,
        .ready = on_ready,
        .loaded = on_loaded,
        .covered = on_covered,
        .kept = on_kept,
        .progress = on_progress,
    };
    struct burl_campaign_stats cs;
    enum burl_status st;

    memset(stats, 0, sizeof *stats);
    h.told = burl_xcalloc(n + 1, sizeof *h.told);
    h.engine = (struct burl_campaign_hunt){
        .pairs = burl_xcalloc(n + 1, sizeof *h.engine.pairs),
        .n = n,
        .tries = cfg->tries,
        .exhaustive_runs = cfg->exhaustive ? cfg->exhaustive_runs : 0,
        .arg = &h,
        .schedule = on_schedule,
        .settled = on_settled,
        .failed = on_failed,
    };
    st = burl_campaign_run(&cc, &ch, &cs, err);
    if (st == BURL_OK)
        st = finish(&h, &cs, err);
    burl_campaign_stats_deinit(&cs);
    free(h.engine.pairs);
    free(h.told);
    return st;
}
