/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/exec_controlled.c - many schedules of one test, few orders; contract in exec.h.
 *
 * Runs in the host. The mix begins with an execution without preemptions and two at random that may
 * switch at every access, which show what the threads share; from then on only sites that were seen
 * shared, by whatever execution so far, are scheduling points, and random walks, partial-order
 * sampling and PCT with two depths take turns in growing groups. Which seed gets which strategy
 * depends on its place alone.
 */
#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "gen/exec/exec_int.h"

#define LEARNING 2u    /* random executions at every site */
#define FIRST_GROUP 4u /* executions of each strategy in the first round */
#define MAX_GROUP 64u
#define CHECKS 2u /* tests whose snapshot is checked against a forking process */
#define CHECK_SEEDS 4u

/*
 * How to repeat an execution: outcome.strategy, which plan.strategy accepts. Strategy in 4 bits,
 * its parameter in 4, whether every site was a scheduling point in 1, PCT's horizon in 22.
 */
#define TAG_ALL (1u << 8)
#define TAG_HORIZON 9
#define MAX_HORIZON ((1u << 22) - 1)

static_assert(BURL_STRATEGY__N <= 16, "a strategy has 4 bits");

/* ---- the sink ---------------------------------------------------------------------- */

void
burl__gen_sink_init(struct burl__gen_sink *s)
{
    memset(s, 0, sizeof *s);
    burl_buf_init(&s->mail, BURL_MAIL_IN_B);
    s->hash = BURL_HASH_BEGIN;
}

void
burl__gen_sink_deinit(struct burl__gen_sink *s)
{
    for (size_t i = 0; i < s->ready.n; i++)
        burl_gen_outcome_deinit(&s->ready.v[i]);
    BURL_VEC_FREE(&s->ready);
    burl_buf_deinit(&s->mail);
}

void
burl__gen_sink_put(struct burl__gen_sink *s, const struct burl_gen_outcome *o)
{
    BURL_VEC_PUSH(&s->ready, *o);
    s->ready.v[s->ready.n - 1].strategy = s->tag;
    s->ready.v[s->ready.n - 1].goal = s->goal;
}

void
burl__gen_sink_flush(struct burl__gen_sink *s)
{
    for (size_t i = 0; i < s->ready.n; i++) {
        struct burl_gen_outcome *o = &s->ready.v[i];

        s->n++;
        s->hash = burl_hash_u64(s->hash, o->trace_hash);
        s->hash = burl_hash_u64(s->hash, o->verdict.kind);
        if (s->one) {
            burl_gen_outcome_deinit(s->one);
            *s->one = *o;
            continue;
        }
        if (s->fn && !s->stop)
            s->stop = !s->fn(s->arg, o);
        burl_gen_outcome_deinit(o);
    }
    s->ready.n = 0;
}

void
burl__gen_sink_add_suspects(struct burl__gen_sink *s, const struct burl_wire_ctl *ctl)
{
    const uint32_t n = ctl->result.n_suspects;

    for (uint32_t i = 0; s->suspects && i < n; i++) {
        const struct burl_wire_suspect *x = &ctl->suspects[i];

        if (x->n_sites >= 2)
            burl__gen_add_suspect(s->suspects, x);
    }
}

void
burl__gen_add_suspect(struct burl_gen_suspects *all, const struct burl_wire_suspect *s)
{
    for (size_t i = 0; i < all->n; i++) {
        struct burl_wire_suspect *old = &all->v[i];
        const uint64_t count = old->count + s->count;

        if (old->key != s->key)
            continue;
        /* A race that happened replaces a predicted one. */
        if (s->kind < old->kind)
            *old = *s;
        old->count = count;
        return;
    }
    BURL_VEC_PUSH(all, *s);
}

/* ---- is the snapshot exact? --------------------------------------------------------- */

static uint64_t
hash_of_runs(struct burl_gen_exec *x, const struct burl_buf *mail, const struct burl_wire_order *o)
{
    struct burl__gen_sink sink;

    burl__gen_sink_init(&sink);
    burl_buf_append(&sink.mail, mail->p, mail->n);
    (void)burl__gen_exec_run(x, o, &sink);
    burl__gen_sink_deinit(&sink);
    return sink.hash;
}

/* The same seeds twice in this process, once in one that forks. */
static void
check_snapshot(struct burl_gen_exec *x, const struct burl_buf *mail)
{
    struct burl_wire_order o = burl__gen_exec_order(x);
    uint64_t hash[3];

    if (x->reset != BURL_RESET_SNAPSHOT || x->n_checked >= CHECKS)
        return;
    x->n_checked++;
    o.strategy = BURL_STRATEGY_RANDOM;
    o.flags |= BURL_ORDER_F_ALL_POINTS;
    o.first_seed = 1;
    o.n_execs = CHECK_SEEDS;
    for (int i = 0; i < 2; i++)
        hash[i] = hash_of_runs(x, mail, &o);
    if (x->reset != BURL_RESET_SNAPSHOT)
        return;
    x->reset = BURL_RESET_FORK;
    burl_gen_exec_fresh(x);
    hash[2] = hash_of_runs(x, mail, &o);
    if (hash[0] != hash[1] || hash[0] != hash[2])
        return; /* it stays with fork */
    x->reset = BURL_RESET_SNAPSHOT;
    burl_gen_exec_fresh(x);
}

/* ---- the mix ----------------------------------------------------------------------- */

struct mix {
    struct burl_gen_exec *x;
    const struct burl_gen_plan *plan;
    struct burl__gen_sink *sink;
    uint32_t given; /* executions so far */
};

/* The mix goes on: executions are left, and the receiver wants them. */
static bool
wants_more(const struct mix *m)
{
    return m->given < m->plan->schedules && !m->sink->stop && !burl_gen_exec_failed(m->x) &&
           !(m->plan->is_cut_by_time && burl_gen_exec_left_ms(m->x) == 0);
}

/* n executions as the tag says. */
static void
run_tag(struct mix *m, uint32_t tag, uint32_t flags, uint32_t n)
{
    struct burl_wire_order o = burl__gen_exec_order(m->x);
    const uint32_t left = m->plan->schedules - m->given;

    if (!wants_more(m))
        return;
    o.strategy = tag & 15;
    o.args = burl_wire_args_of(o.strategy, tag >> 4 & 15);
    o.flags |= flags | ((tag & TAG_ALL) ? BURL_ORDER_F_ALL_POINTS : 0);
    if (o.strategy == BURL_STRATEGY_NONPREEMPTIVE)
        o.flags |= BURL_ORDER_F_STRICT_TIME;
    if (o.strategy == BURL_STRATEGY_PCT)
        o.args.pct.horizon = tag >> TAG_HORIZON;
    if (o.strategy == BURL_STRATEGY_DIRECTED) {
        o.args.goal = m->sink->goal = m->plan->goal;
        o.flags |= BURL_ORDER_F_ALL_POINTS; /* its sites may not be known to be shared */
    }
    o.first_seed = m->plan->first_seed + m->given;
    o.n_execs = n < left ? n : left;
    o.observers = m->plan->observers;
    m->sink->tag = tag;
    m->given += (uint32_t)o.n_execs;
    (void)burl__gen_exec_run(m->x, &o, m->sink);
}

static void
run_group(struct mix *m, uint32_t strategy, uint32_t param, uint32_t flags, uint32_t n)
{
    const uint64_t horizon = m->sink->horizon < MAX_HORIZON ? m->sink->horizon : MAX_HORIZON;
    const bool all = (flags & BURL_ORDER_F_ALL_POINTS) != 0;
    const bool pct = strategy == BURL_STRATEGY_PCT;

    run_tag(m,
            strategy | param << 4 | (all ? TAG_ALL : 0) |
                (pct ? (uint32_t)horizon << TAG_HORIZON : 0),
            flags, n);
}

static void
run_mix(struct mix *m)
{
    static const struct {
        uint32_t strategy;
        uint32_t param;
    } turns[] = { { BURL_STRATEGY_RANDOM, 0 },
                  { BURL_STRATEGY_POS, 0 },
                  { BURL_STRATEGY_PCT, 2 },
                  { BURL_STRATEGY_PCT, 3 } };
    const uint32_t at_all = BURL_ORDER_F_ALL_POINTS | BURL_ORDER_F_LEARN;

    run_group(m, BURL_STRATEGY_NONPREEMPTIVE, 0, at_all, 1);
    run_group(m, BURL_STRATEGY_RANDOM, 0, at_all, LEARNING);
    for (uint32_t group = FIRST_GROUP; wants_more(m); group *= group < MAX_GROUP ? 2 : 1) {
        for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++)
            run_group(m, turns[i].strategy, turns[i].param, BURL_ORDER_F_LEARN, group);
    }
}

uint64_t
burl_gen_exec_controlled(struct burl_gen_exec *x, const struct burl_gen_test *t,
                         const struct burl_gen_plan *plan, burl_gen_outcome_fn *fn, void *arg,
                         struct burl_gen_suspects *suspects)
{
    const struct burl__gen_encoding e = { .test = t, .mode = BURL_MAIL_CONTROLLED, .dump = true };
    struct burl__gen_sink sink;
    struct mix m = { .x = x, .plan = plan, .sink = &sink };

    burl__gen_sink_init(&sink);
    sink.fn = fn;
    sink.arg = arg;
    sink.suspects = suspects;
    if (burl__gen_encode(x, &e, &sink.mail)) {
        check_snapshot(x, &sink.mail);
        if (plan->strategy < 0)
            run_mix(&m);
        else
            run_tag(&m, (uint32_t)plan->strategy | (x->has_points ? 0 : TAG_ALL), 0,
                    plan->schedules);
    }
    burl__gen_sink_deinit(&sink);
    return sink.goal_hits;
}
