/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/oracle/stuck.c - the oracle for runs in which calls never return.
 *
 * Blocking may be the contract of a call: pop() on an empty queue. So a blocked run is fine if the
 * calls that returned have an order after which each pending call blocks as well, made alone. Each
 * is tried alone after the same order: two calls that block each other only because they overlapped
 * are a deadlock. No results are compared here.
 *
 * A blocked call may make others block (a waiting writer keeps readers out). So the pending calls
 * are also begun one after the other, each in its thread until it blocks: if all of them block, the
 * run is fine.
 *
 * If the calls that returned have no order that completes (the API has a barrier), the run is
 * undecided.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "engine/engine.h"
#include "gen/oracle/oracle_int.h"

/* Which calls of a blocked run are done and which pending. A call that was left out, because its
 * object was not made, is done. */
struct shape {
    unsigned done[BURL_GEN_MAX_THREADS];
    bool pending[BURL_GEN_MAX_THREADS]; /* its next call was begun */
    unsigned n_pending;
};

struct order_search {
    uint32_t n_orders;
    uint64_t digest; /* of how everything ended */
    bool explained;
    bool any_complete;
    bool cut;
    bool over; /* the limit */
};

/* False: a call outside of the threads is pending. */
static bool
find_shape(const struct burl_gen_oracle *o, const struct burl_gen_outcome *run, struct shape *s)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < o->test->prefix.n; i++) {
        if (run->state[i] == BURL_GEN_CALL_RUNNING)
            return false;
    }
    for (unsigned t = 0; t < o->test->n_threads; t++) {
        const uint8_t *state = run->state + o->first_call[t];

        while (s->done[t] < o->lengths[t] && state[s->done[t]] != BURL_GEN_CALL_RUNNING)
            s->done[t]++;
        s->pending[t] = s->done[t] < o->lengths[t];
        s->n_pending += s->pending[t];
    }
    return true;
}

static bool
has_returned(const struct burl_gen_oracle *o, const struct shape *s,
             const struct burl_gen_outcome *r)
{
    for (unsigned t = 0; t < o->test->n_threads; t++) {
        for (unsigned i = 0; i < s->done[t]; i++) {
            if (r->state[o->first_call[t] + i] == BURL_GEN_CALL_RUNNING)
                return false;
        }
    }
    return true;
}

/* Does the pending call of thread `t` block after these calls? */
static bool
try_pending(struct burl_gen_oracle *o, const struct shape *s, const struct burl_gen_order *merge,
            unsigned t, uint64_t shift, struct order_search *q)
{
    struct burl_gen_order order = *merge;
    struct burl_gen_outcome r;
    bool returned;
    bool blocks;

    order.thread[order.n++] = (uint8_t)t;
    burl_gen_exec_sequential(o->x, o->test, &order, false, shift, &r);
    returned = has_returned(o, s, &r);
    q->digest = burl_hash_u64(q->digest, burl__gen_end_hash(o, &r));
    q->cut |= r.end == BURL_GEN_END_CUT || r.end == BURL_GEN_END_MAKE;
    q->any_complete |= returned;
    blocks = returned && r.end == BURL_GEN_END_BLOCKED &&
             r.state[o->first_call[t] + s->done[t]] == BURL_GEN_CALL_RUNNING;
    burl_gen_outcome_deinit(&r);
    return blocks;
}

/* ---- calls that block each other ---------------------------------------------------- */

/* The completed calls as a longer prefix, then one thread for each pending call: beginning with the
 * `first` of these, forwards or backwards. */
static void
make_pending_test(const struct burl_gen_oracle *o, const struct shape *s,
                  const struct burl_gen_order *merge, unsigned first, bool backwards,
                  struct burl_gen_test *out)
{
    unsigned at[BURL_GEN_MAX_THREADS] = { 0 };
    unsigned pending[BURL_GEN_MAX_THREADS];
    unsigned n = 0;

    memset(out, 0, sizeof *out);
    out->n_slots = o->test->n_slots;
    out->no_dumps = o->test->no_dumps;
    out->self = o->test->self;
    out->unended = o->test->unended;
    burl_gen_stops_copy(out, o->test);
    burl_gen_calls_append(&out->prefix, &o->test->prefix);
    for (unsigned i = 0; i < merge->n; i++) {
        const unsigned t = merge->thread[i];

        BURL_VEC_PUSH(&out->prefix, burl_gen_call_copy(&o->test->threads[t].v[at[t]]));
        at[t]++;
    }
    for (unsigned t = 0; t < o->test->n_threads; t++) {
        if (s->pending[t])
            pending[n++] = t;
    }
    for (unsigned i = 0; i < n; i++) {
        const unsigned t = pending[(first + (backwards ? n - i : i)) % n];

        BURL_VEC_PUSH(&out->threads[i], burl_gen_call_copy(&o->test->threads[t].v[s->done[t]]));
    }
    out->n_threads = n;
}

struct pending_runs {
    unsigned n_pending;
    bool wait;
};

static bool
on_pending_outcome(void *arg, const struct burl_gen_outcome *r)
{
    struct pending_runs *g = arg;
    unsigned running = 0;

    for (unsigned i = 0; i < r->n_calls; i++)
        running += r->state[i] == BURL_GEN_CALL_RUNNING;
    g->wait = r->end == BURL_GEN_END_BLOCKED && running == g->n_pending;
    return true;
}

/* Do all pending calls block when begun one after the other, in some order? */
static bool
try_pending_together(struct burl_gen_oracle *o, const struct shape *s,
                     const struct burl_gen_order *merge)
{
    const struct burl_gen_plan plan = { .schedules = 1, .strategy = BURL_STRATEGY_NONPREEMPTIVE };
    struct pending_runs g = { .n_pending = s->n_pending };

    for (unsigned k = 0; k < 2 * s->n_pending && !g.wait; k++) {
        struct burl_gen_test t;

        make_pending_test(o, s, merge, k / 2, k % 2 != 0, &t);
        burl_gen_exec_controlled(o->x, &t, &plan, on_pending_outcome, &g, NULL);
        burl_gen_test_deinit(&t);
    }
    return g.wait;
}

static struct order_search
search_orders(struct burl_gen_oracle *o, const struct shape *s, uint64_t shift)
{
    struct order_search q = { 0 };
    struct burl_gen_order merge;
    bool more = burl_gen_merge_first(&merge, s->done, o->test->n_threads);

    for (; more && !q.explained; more = burl_gen_merge_next(&merge)) {
        bool blocks = true;

        if (q.n_orders == o->max_linear) {
            q.over = true;
            break;
        }
        q.n_orders++;
        for (unsigned t = 0; t < o->test->n_threads && blocks; t++)
            blocks = !s->pending[t] || try_pending(o, s, &merge, t, shift, &q);
        q.explained = blocks || (s->n_pending > 1 && try_pending_together(o, s, &merge));
    }
    q.cut |= burl_gen_exec_failed(o->x);
    return q;
}

/* "queue_push(), queue_pop()". */
static void
name_pending(const struct burl_gen_oracle *o, const struct shape *s, char *out, size_t n)
{
    size_t used = 0;

    out[0] = '\0';
    for (unsigned t = 0; t < o->test->n_threads && used < n; t++) {
        int fn = s->pending[t] ? o->fn[o->first_call[t] + s->done[t]] : -1;
        int k;

        if (fn < 0)
            continue;
        k = snprintf(out + used, n - used, "%s%s()", used ? ", " : "", burl__gen_fn_name(o, fn));
        used += k > 0 ? (size_t)k : 0;
    }
}

static void
set_verdict(const struct burl_gen_oracle *o, const struct shape *s,
            const struct order_search *first, const struct order_search *second,
            const struct burl_gen_outcome *run, struct burl_gen_verdict *out)
{
    const enum burl_gen_judgement not_decided = BURL_GEN_NOT_DECIDED;
    char names[96];

    out->n_linear = first->n_orders;
    if (first->explained || second->explained) {
        out->judgement = BURL_GEN_FINE;
    } else if (first->over) {
        burl__gen_decide(
            out, not_decided, "%llu orders of the calls that returned, and the limit is %u",
            (unsigned long long)burl_gen_merges(s->done, o->test->n_threads), o->max_linear);
    } else if (first->cut || second->cut) {
        burl__gen_decide(out, not_decided, "an order of the calls took too many steps or too long");
    } else if (!first->any_complete) {
        burl__gen_decide(out, not_decided,
                         "no order of the calls that returned completes: they wait for each other");
    } else if (first->digest != second->digest) {
        burl__gen_decide(out, not_decided, "the API is not deterministic when called sequentially");
    } else {
        name_pending(o, s, names, sizeof names);
        burl__gen_decide(
            out, BURL_GEN_VIOLATION,
            "%s: %s never return%s, as after none of the %u orders of the calls that did",
            burl_verdict_name(run->verdict.kind), names, s->n_pending == 1 ? "s" : "",
            first->n_orders);
    }
}

void
burl__gen_oracle_stuck(struct burl_gen_oracle *o, const struct burl_gen_outcome *run,
                       struct burl_gen_verdict *out)
{
    struct burl__gen_stuck known;
    struct shape s;
    struct order_search first;
    struct order_search second = { 0 };

    if (!find_shape(o, run, &s)) {
        burl__gen_decide(out, BURL_GEN_NOT_DECIDED,
                         "the run blocked outside of the threads' calls");
        return;
    }
    if (s.n_pending == 0) {
        burl__gen_oracle_end(o, run, out);
        return;
    }
    known.key = burl_hash_bytes(BURL_HASH_BEGIN, s.done, sizeof s.done);
    known.key = burl_hash_end(burl_hash_bytes(known.key, s.pending, sizeof s.pending));
    for (size_t i = 0; i < o->stuck.n; i++) {
        if (o->stuck.v[i].key == known.key) {
            *out = o->stuck.v[i].verdict;
            return;
        }
    }
    first = search_orders(o, &s, 0);
    if (!first.explained && !first.over && !first.cut && first.any_complete)
        second = search_orders(o, &s, BURL__GEN_SHIFT_1);
    set_verdict(o, &s, &first, &second, run, out);
    known.verdict = *out;
    BURL_VEC_PUSH(&o->stuck, known);
}
