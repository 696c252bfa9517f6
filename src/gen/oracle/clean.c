/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/oracle/clean.c - can a test fail, or block forever, although every call is atomic?
 *
 * A violation is reported as a C program in which any failure counts. That is valid only if no
 * order of its calls fails, the dumps after the last call included, and none leads to a state where
 * every unfinished thread is blocked. So the orders are walked as a tree: at each step every thread
 * whose next call returns takes it; a thread whose next call blocks is tried again after a call of
 * another. A test of 5 and 5 calls has 923 steps.
 */
#include "gen/oracle/oracle.h"

#define MAX_STEPS 4000u

struct order_walk {
    struct burl_gen_exec *x;
    const struct burl_gen_test *t;
    unsigned done[BURL_GEN_MAX_THREADS];
    struct burl_gen_order order;
    unsigned n_calls; /* of all threads */
    unsigned steps;
    bool clean;
};

/* The order so far, then the next call of `thread`. */
static enum burl_gen_end
try_next(struct order_walk *w, unsigned thread)
{
    struct burl_gen_outcome o;
    enum burl_gen_end end;

    w->steps++;
    w->order.thread[w->order.n++] = (uint8_t)thread;
    burl_gen_exec_sequential(w->x, w->t, &w->order, w->order.n == w->n_calls, 0, &o);
    end = o.end;
    burl_gen_outcome_deinit(&o);
    return end;
}

static void
walk_orders(struct order_walk *w)
{
    unsigned left = 0;
    unsigned waiting = 0;

    for (unsigned t = 0; t < w->t->n_threads && w->clean; t++) {
        enum burl_gen_end end;

        if (w->done[t] == w->t->threads[t].n)
            continue;
        left++;
        end = try_next(w, t);
        if (end == BURL_GEN_END_DONE) {
            w->done[t]++;
            walk_orders(w);
            w->done[t]--;
        } else {
            waiting += end == BURL_GEN_END_BLOCKED;
            w->clean = w->clean && end == BURL_GEN_END_BLOCKED;
        }
        w->clean = w->clean && w->steps < MAX_STEPS;
        w->order.n--;
    }
    w->clean = w->clean && (left == 0 || waiting < left);
}

bool
burl_gen_is_clean(struct burl_gen_exec *x, const struct burl_gen_test *t)
{
    struct order_walk w = { .x = x, .t = t, .clean = true };

    for (unsigned k = 0; k < t->n_threads; k++)
        w.n_calls += (unsigned)t->threads[k].n;
    walk_orders(&w);
    return w.clean;
}

/* ---- dumps ---------------------------------------------------------------------------- */

/* The function of the dump that fails after the prefix alone; -1: none does. */
static int
failing_dump(struct burl_gen_exec *x, const struct burl_gen_test *t)
{
    struct burl_gen_calls dumps = burl_gen_test_dumps(t, burl_gen_exec_model(x));
    const int first = (int)burl_gen_test_first_call(t, t->n_threads);
    struct burl_gen_outcome o;
    int fn = -1;

    burl_gen_exec_sequential(x, t, NULL, true, 0, &o);
    if (o.end == BURL_GEN_END_FAILED && o.failed_call >= first &&
        (size_t)(o.failed_call - first) < dumps.n)
        fn = dumps.v[o.failed_call - first].fn;
    burl_gen_outcome_deinit(&o);
    burl_gen_calls_deinit(&dumps);
    return fn;
}

void
burl_gen_leave_out_dumps(struct burl_gen_exec *x, struct burl_gen_test *t)
{
    int fn;

    for (unsigned i = 0; i < 64 && (fn = failing_dump(x, t)) >= 0; i++)
        burl_gen_test_leave_out_dump(t, burl_gen_exec_model(x), fn);
}
