/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/oracle/clean.c - can a test fail, or block forever, although every call is atomic?
 *
 * A violation is reported as a C program in which any failure counts. That is valid only if no
 * order of its calls fails, and none leads to a state where every unfinished thread is blocked. So
 * the orders are walked as a tree: at each step every thread whose next call returns takes it; a
 * thread whose next call blocks is tried again after a call of another. A test of 5 and 5 calls has
 * 923 steps.
 */
#include "gen/oracle/oracle.h"

#define MAX_STEPS 4000u

struct order_walk {
    struct burl_gen_exec *x;
    const struct burl_gen_test *t;
    unsigned done[BURL_GEN_MAX_THREADS];
    struct burl_gen_order order;
    unsigned steps;
    bool clean;
};

/* The order so far, then the next call of `thread`. */
static enum burl_status
try_next(struct order_walk *w, unsigned thread, enum burl_gen_end *end, struct burl_err *err)
{
    struct burl_gen_outcome o = { 0 };
    enum burl_status st;

    w->steps++;
    w->order.thread[w->order.n++] = (uint8_t)thread;
    st = burl_gen_exec_sequential(w->x, w->t, &w->order, false, 0, &o, err);
    *end = o.end;
    burl_gen_outcome_deinit(&o);
    return st;
}

static enum burl_status
walk_orders(struct order_walk *w, struct burl_err *err)
{
    unsigned left = 0;
    unsigned waiting = 0;

    for (unsigned t = 0; t < w->t->n_threads && w->clean; t++) {
        enum burl_gen_end end;
        enum burl_status st;

        if (w->done[t] == w->t->threads[t].n)
            continue;
        left++;
        st = try_next(w, t, &end, err);
        if (st != BURL_OK)
            return st;
        if (end == BURL_GEN_END_DONE) {
            w->done[t]++;
            st = walk_orders(w, err);
            w->done[t]--;
            if (st != BURL_OK)
                return st;
        } else {
            waiting += end == BURL_GEN_END_BLOCKED;
            w->clean = w->clean && end == BURL_GEN_END_BLOCKED;
        }
        w->clean = w->clean && w->steps < MAX_STEPS;
        w->order.n--;
    }
    w->clean = w->clean && (left == 0 || waiting < left);
    return BURL_OK;
}

enum burl_status
burl_gen_is_clean(struct burl_gen_exec *x, const struct burl_gen_test *t, bool *clean,
                  struct burl_err *err)
{
    struct order_walk w = { .x = x, .t = t, .clean = true };
    enum burl_status st = walk_orders(&w, err);

    *clean = w.clean;
    return st;
}
