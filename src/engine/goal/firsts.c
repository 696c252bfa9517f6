/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/firsts.c - executions that were the first to show a reads-from edge.
 *
 * Runs in the host. A process notes with an edge the seed of its first execution that showed it
 * (wire/profile.h). Processes take the work list in order, so the process that ran the campaign's
 * first such execution had not seen the edge before: the least (work, seed) of all that are
 * noted is that execution, whatever the number of processes (INV-E2).
 *
 * At the end of a list, while its points and profile are still in force, a few of these
 * executions are repeated in fresh processes, recorded, replayed, and reported as schedules worth
 * keeping. Few, because each costs two process starts: those that showed most, bounded per
 * list and per campaign by count, never by time, so that it is the same few each time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "engine/engine_int.h"

#define PER_LIST 4u
#define PER_CAMPAIGN 16u

static void
note_first(struct burl_campaign *c, const struct burl_first *x)
{
    for (size_t i = 0; i < c->goals.firsts.n; i++) {
        struct burl_first *old = &c->goals.firsts.v[i];

        if (old->write != x->write || old->read != x->read)
            continue;
        if (x->work < old->work || (x->work == old->work && x->seed < old->seed))
            *old = *x;
        return;
    }
    BURL_VEC_PUSH(&c->goals.firsts, *x);
}

void
burl__firsts_take(struct burl_campaign *c, struct burl_target *t, size_t work)
{
    const struct burl_wire_profile *p = burl_door_profile_new(&t->block);
    const struct burl_wire_order *o = &t->ctl->order;

    if (!c->hooks->kept_edges || c->cfg->hunt || c->cfg->verify_only || p->n_edges == 0)
        return;
    for (uint32_t i = 0; i < BURL_PROFILE_EDGES; i++) {
        const struct burl_profile_edge *e = &p->edges[i];
        const struct burl_first x = {
            .write = e->write, .read = e->read, .work = work, .seed = e->seed
        };

        if (e->read != 0 && (e->flags & BURL_EDGE_F_SEEN) != 0 && e->seed >= o->first_seed &&
            e->seed - o->first_seed < o->n_execs &&
            !burl__profile_has_seen(c->learned.profile, e->write, e->read))
            note_first(c, &x);
    }
}

#define BY_EXECUTION(e) (e)->work, (e)->seed, (e)->read, (e)->write

static int
by_execution(const void *a, const void *b)
{
    const struct burl_first *x = a;
    const struct burl_first *y = b;

    return BURL_COMPARE(x, y, BY_EXECUTION);
}

/* How many of n edges of one execution are there? */
static size_t
count_shown(const struct burl_wire_profile *p, const struct burl_first *x, size_t n)
{
    size_t shown = 0;

    for (size_t i = 0; i < n; i++)
        shown += burl__profile_has_seen(p, x[i].write, x[i].read);
    return shown;
}

/* The seed again, recorded; then its switches, followed. What fails is a matter of findings, what
 * differs would not replay for the user either. */
static enum burl_status
record_execution(struct burl_campaign *c, const struct burl_work *w, const struct burl_first *x,
                 size_t n, struct burl_err *err)
{
    struct burl_wire_order o = burl__campaign_order(c, w, x->seed, 1);
    const struct burl_campaign_covered where = burl__campaign_where(c, w, x->seed, 0);
    struct burl_target *t = NULL;
    struct burl_run found, again;
    enum burl_status st;

    o.flags = where.order_flags | BURL_ORDER_F_RECORD | BURL_ORDER_F_LEARN;
    st = burl__run_fresh(c, &o, w->sched, &found, &t, err);
    burl_target_stop(t);
    if (st == BURL_OK && found.verdict.kind == BURL_VERDICT_PASS) {
        o.strategy = BURL_STRATEGY_REPLAY;
        o.observers = 0;
        o.watch = (struct burl_wire_watch){ 0 };
        o.args = burl__replay_args(found.n_switches);
        t = NULL;
        st = burl__run_fresh(c, &o, found.switches, &again, &t, err);
        if (st == BURL_OK && t->state == BURL_TARGET_IDLE &&
            again.verdict.kind == BURL_VERDICT_PASS && again.trace_hash == found.trace_hash &&
            count_shown(burl_door_profile_new(&t->block), x, n) > 0)
            st = c->hooks->kept_edges(c->hooks->arg, &where, &again,
                                      burl_door_profile_new(&t->block),
                                      count_shown(burl_door_profile_new(&t->block), x, n), err);
        burl_target_stop(t);
        burl_run_deinit(&again);
    }
    burl_run_deinit(&found);
    return st;
}

/* The run without preemptions is made in every campaign; a search has ordinals for seeds, and can
 * be repeated as a whole. */
static bool
is_wanted(const struct burl_work *w)
{
    return w->strategy != BURL_STRATEGY_NONPREEMPTIVE && w->strategy != BURL_STRATEGY_EXHAUSTIVE;
}

/* The executions that showed most, most first; the earlier of equals. firsts is sorted. */
static size_t
pick_executions(const struct burl_campaign *c, const struct burl_work *works,
                size_t picked[PER_LIST], size_t counts[PER_LIST])
{
    size_t n = 0;

    for (size_t i = 0; i < c->goals.firsts.n;) {
        size_t end = i + 1;
        size_t at;

        while (end < c->goals.firsts.n &&
               c->goals.firsts.v[end].work == c->goals.firsts.v[i].work &&
               c->goals.firsts.v[end].seed == c->goals.firsts.v[i].seed)
            end++;
        for (at = n; at > 0 && counts[at - 1] < end - i; at--)
            ;
        if (at < PER_LIST && is_wanted(&works[c->goals.firsts.v[i].work])) {
            for (size_t k = n < PER_LIST ? n : PER_LIST - 1; k > at; k--) {
                picked[k] = picked[k - 1];
                counts[k] = counts[k - 1];
            }
            picked[at] = i;
            counts[at] = end - i;
            n += n < PER_LIST;
        }
        i = end;
    }
    return n;
}

enum burl_status
burl__firsts_record(struct burl_campaign *c, const struct burl_work *works, struct burl_err *err)
{
    size_t picked[PER_LIST] = { 0 };
    size_t counts[PER_LIST] = { 0 };
    enum burl_status st = BURL_OK;
    size_t n;

    if (c->goals.firsts.n == 0)
        return BURL_OK;
    qsort(c->goals.firsts.v, c->goals.firsts.n, sizeof *c->goals.firsts.v, by_execution);
    /* Where executions are long two more of each would be a good part of all. */
    n = c->plan.stop || burl__learned_is_long(&c->learned)
            ? 0
            : pick_executions(c, works, picked, counts);
    for (size_t i = 0; i < n && st == BURL_OK && c->goals.n_firsts_kept < PER_CAMPAIGN; i++) {
        const struct burl_first *x = &c->goals.firsts.v[picked[i]];

        if (burl__campaign_interrupted(c) || burl__campaign_time_over(c))
            break;
        c->goals.n_firsts_kept++;
        st = record_execution(c, &works[x->work], x, counts[i], err);
    }
    c->goals.firsts.n = 0;
    return st;
}
