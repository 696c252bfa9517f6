/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/shrink/unblock.c - turns a test that may rightly block into a clean one.
 *
 * A thread that ends holding a lock may block the others, and rightly so; cut after the unlock it
 * may not. So shorter lists of calls are tried first, all of them, the shortest first.
 *
 * Two takes and one put show that a queue hands out nothing; but one of the takes may rightly block
 * forever, so the test proves little (clean.c). With one more put, in a thread of its own, every
 * order of the calls completes. Calls of the test itself are tried for this, once and twice: the
 * call that unblocks another is nearly always of the other function of the pair.
 */
#include "gen/shrink/shrink.h"

#include <string.h>

#define MAX_TIMES 2u

/* A new zeroed struct in place of a consumed one. */
static bool
renew_object(const struct burl_gen_model *m, struct burl_gen_test *t, struct burl_gen_arg *a)
{
    const struct burl_gen_call *maker = burl_gen_test_writer(t, (int)a->i);
    struct burl_gen_call c;

    if (maker == NULL || !m->fns.v[maker->fn].is_ours || t->n_slots >= BURL_GEN_MAX_SLOTS)
        return false;
    c = burl_gen_call_copy(maker);
    c.slot = t->n_slots++;
    a->i = c.slot;
    BURL_VEC_PUSH(&t->prefix, c);
    return true;
}

static bool
is_in_prefix(const struct burl_gen_test *t, int64_t slot)
{
    for (size_t i = 0; i < t->prefix.n; i++) {
        if (t->prefix.v[i].slot == slot)
            return true;
    }
    return false;
}

/* Appends a copy of the call to the last thread of `t`; false: it cannot be made there. */
static bool
append_copy(const struct burl_gen_model *m, struct burl_gen_test *t,
            const struct burl_gen_call *call)
{
    const struct burl_gen_fn *f = &m->fns.v[call->fn];
    struct burl_gen_call c = burl_gen_call_copy(call);
    bool ok = c.slot < 0;

    for (size_t k = 0; ok && k < c.args.n; k++) {
        if (c.args.v[k].kind != BURL_GEN_ARG_SLOT)
            continue;
        if (f->params.v[k].consumes)
            ok = renew_object(m, t, &c.args.v[k]);
        else
            ok = is_in_prefix(t, c.args.v[k].i);
    }
    if (ok)
        BURL_VEC_PUSH(&t->threads[t->n_threads - 1], c);
    else
        burl_gen_call_deinit(&c);
    return ok;
}

/* Takes ownership of the test, which becomes the violation's if it is clean and reproduces it. */
static void
try_clean_test(struct burl_gen_exec *x, struct burl_gen_violation *v, struct burl_gen_test *t_owned,
               uint32_t schedules)
{
    struct burl_gen_violation next = { 0 };

    if (burl_gen_is_clean(x, t_owned) && burl_gen_reproduce(x, t_owned, v, schedules, &next)) {
        next.clean = true;
        burl_gen_violation_deinit(v);
        *v = next;
    } else {
        burl_gen_violation_deinit(&next);
    }
    burl_gen_test_deinit(t_owned);
}

/* ---- shorter lists ------------------------------------------------------------------ */

/* Of more than two threads the others keep at most as many calls as the second. */
static void
try_shorter(struct burl_gen_exec *x, struct burl_gen_violation *v,
            const struct burl_gen_test *whole, size_t a, size_t b, uint32_t schedules)
{
    struct burl_gen_test t = burl_gen_test_copy(whole);

    burl_gen_calls_cut(&t.threads[0], a);
    for (unsigned k = 1; k < t.n_threads; k++)
        burl_gen_calls_cut(&t.threads[k], b);
    try_clean_test(x, v, &t, schedules);
}

void
burl_gen_shorten(struct burl_gen_exec *x, struct burl_gen_violation *v, uint32_t schedules)
{
    struct burl_gen_test whole;
    size_t n_a;
    size_t n_b;

    v->clean = burl_gen_is_clean(x, &v->test);
    if (v->clean || v->is_race || v->test.n_threads < 2)
        return;
    whole = burl_gen_test_copy(&v->test);
    n_a = whole.threads[0].n;
    n_b = whole.threads[1].n;
    for (size_t sum = 2; sum < n_a + n_b; sum++) {
        for (size_t a = 1; a < sum && a <= n_a && !v->clean && burl_gen_exec_left_ms(x) > 0; a++) {
            if (sum - a <= n_b)
                try_shorter(x, v, &whole, a, sum - a, schedules);
        }
    }
    burl_gen_test_deinit(&whole);
}

/* ---- one more thread ---------------------------------------------------------------- */

/* Tries one more thread that makes the call `times` times. */
static void
try_extra_thread(struct burl_gen_exec *x, struct burl_gen_violation *v,
                 const struct burl_gen_call *call, unsigned times, uint32_t schedules)
{
    struct burl_gen_test t = burl_gen_test_copy(&v->test);
    bool ok = true;

    t.n_threads++;
    for (unsigned i = 0; i < times && ok; i++)
        ok = append_copy(burl_gen_exec_model(x), &t, call);
    if (ok)
        try_clean_test(x, v, &t, schedules);
    else
        burl_gen_test_deinit(&t);
}

void
burl_gen_unblock(struct burl_gen_exec *x, struct burl_gen_violation *v, uint32_t schedules)
{
    struct burl_gen_test before;
    bool tried[BURL_GEN_MAX_CALLS] = { false };

    if (v->clean || v->test.n_threads >= BURL_GEN_MAX_THREADS)
        return;
    before = burl_gen_test_copy(&v->test);
    for (unsigned k = 0; k < before.n_threads; k++) {
        for (size_t i = 0; i < before.threads[k].n; i++) {
            const struct burl_gen_call *c = &before.threads[k].v[i];

            if (tried[c->fn % BURL_GEN_MAX_CALLS])
                continue;
            tried[c->fn % BURL_GEN_MAX_CALLS] = true;
            for (unsigned n = 1; n <= MAX_TIMES && !v->clean && burl_gen_exec_left_ms(x) > 0; n++)
                try_extra_thread(x, v, c, n, schedules);
        }
    }
    burl_gen_test_deinit(&before);
}
