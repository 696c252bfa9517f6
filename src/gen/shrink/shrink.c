/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/shrink/shrink.c - the smallest test that still shows the violation.
 *
 * Greedy, in a fixed order: threads beyond two, calls at the ends of threads, single calls, calls
 * of the prefix, then arguments; repeated to a fixed point. A stopped seed is kept whole, or
 * dropped when no call needs it any more. Each step is kept only if burl_gen_reproduce() succeeds,
 * so a violation that few schedules show shrinks less: `schedules` trades time for size. The number
 * of tests tried is limited, and the time of the executor cuts it short.
 *
 * The small test is then confirmed in new processes. If none reproduces the violation, because it
 * depended on state that earlier executions left behind, the original test is confirmed instead.
 */
#include "gen/shrink/shrink.h"

#include <string.h>

#define SCHEDULES 300u /* of burl_gen_minimize() */
#define MAX_TRIES 400u /* tests; a test of 10 calls needs about 60 */

struct shrink {
    struct burl_gen_exec *x;
    const struct burl_gen_model *m;
    struct burl_gen_violation *v;
    uint32_t schedules;
    unsigned tries;
};

/* ---- smaller tests ------------------------------------------------------------------ */

static bool
uses_lost_slot(const struct burl_gen_call *c, const bool *lost)
{
    for (size_t i = 0; i < c->args.n; i++) {
        const struct burl_gen_arg *a = &c->args.v[i];

        if (a->kind == BURL_GEN_ARG_SLOT && a->i != c->slot && a->i >= 0 &&
            a->i < BURL_GEN_MAX_SLOTS && lost[a->i])
            return true;
    }
    return false;
}

/* Removes calls [from, to) of a list, and those that use objects they made. */
static void
remove_calls(struct burl_gen_calls *calls, size_t from, size_t to, bool *lost)
{
    size_t n = 0;

    for (size_t i = 0; i < calls->n; i++) {
        struct burl_gen_call *c = &calls->v[i];

        if (!(i >= from && i < to) && !uses_lost_slot(c, lost)) {
            calls->v[n++] = *c;
            continue;
        }
        if (c->slot >= 0 && c->slot < BURL_GEN_MAX_SLOTS)
            lost[c->slot] = true;
        burl_gen_call_deinit(c);
    }
    calls->n = n;
}

/* The test without some calls of one list; false: what remains is no test. */
static bool
without_calls(const struct burl_gen_test *t, int where, size_t from, size_t to,
              struct burl_gen_test *out)
{
    bool lost[BURL_GEN_MAX_SLOTS] = { false };
    bool ok = true;

    *out = burl_gen_test_copy(t);
    for (int k = -1; k < (int)t->n_threads; k++) {
        struct burl_gen_calls *calls = k < 0 ? &out->prefix : &out->threads[k];

        remove_calls(calls, where == k ? from : 0, where == k ? to : 0, lost);
        ok = ok && (k < 0 ? t->self < 0 || !lost[t->self] : calls->n > 0);
    }
    if (!ok)
        burl_gen_test_deinit(out);
    return ok;
}

static struct burl_gen_test
without_thread(const struct burl_gen_test *t, unsigned gone)
{
    struct burl_gen_test out = burl_gen_test_copy(t);

    burl_gen_calls_deinit(&out.threads[gone]);
    out.n_threads--;
    memmove(&out.threads[gone], &out.threads[gone + 1],
            (out.n_threads - gone) * sizeof out.threads[0]);
    memset(&out.threads[out.n_threads], 0, sizeof out.threads[0]);
    return out;
}

/* ---- trying ------------------------------------------------------------------------- */

/* When the time is over the test stays as large as it is. */
static bool
goes_on(const struct shrink *s)
{
    return s->tries < MAX_TRIES && burl_gen_exec_left_ms(s->x) > 0;
}

/* Takes ownership of the test, which becomes the violation's if it reproduces that. */
static bool
try_test(struct shrink *s, struct burl_gen_test *t_owned)
{
    struct burl_gen_violation next = { 0 };
    bool shown = goes_on(s) && burl_gen_reproduce(s->x, t_owned, s->v, s->schedules, &next);

    s->tries++;
    next.clean = shown && burl_gen_is_clean(s->x, t_owned);
    /* A clean test stays clean: one that may fail by itself proves less. */
    shown = shown && (next.clean || !s->v->clean);
    burl_gen_violation_deinit(shown ? s->v : &next);
    if (shown)
        *s->v = next;
    burl_gen_test_deinit(t_owned);
    return shown;
}

static bool
try_without(struct shrink *s, int where, size_t from, size_t to)
{
    struct burl_gen_test t;

    return without_calls(&s->v->test, where, from, to, &t) && try_test(s, &t);
}

static size_t
list_length(const struct shrink *s, int where)
{
    return burl_gen_test_list(&s->v->test, where)->n;
}

static void
drop_threads(struct shrink *s)
{
    for (unsigned k = s->v->test.n_threads; k-- > 0;) {
        struct burl_gen_test t;

        if (s->v->test.n_threads <= 2 || !goes_on(s))
            break;
        t = without_thread(&s->v->test, k);
        (void)try_test(s, &t);
    }
}

/* Tails first, half of them at once: the call that matters is often an early one. */
static void
drop_tails(struct shrink *s, int where)
{
    size_t n = list_length(s, where) / 2;

    while (n > 0 && goes_on(s)) {
        const size_t all = list_length(s, where);

        if (!(n < all && try_without(s, where, all - n, all)) || n >= list_length(s, where))
            n /= 2;
    }
}

/* True: at least one was dropped. */
static bool
drop_single(struct shrink *s, int where)
{
    bool any = false;

    for (size_t i = list_length(s, where); i-- > 0 && goes_on(s);)
        any |= i < list_length(s, where) && try_without(s, where, i, i + 1);
    return any;
}

/* All state changers of the prefix at once: a put and its take cannot be dropped one by one. */
static void
drop_changers(struct shrink *s)
{
    struct burl_gen_test t = burl_gen_test_copy(&s->v->test);

    for (size_t i = t.prefix.n; i-- > 0;) {
        struct burl_gen_test less;

        if (s->m->fns.v[t.prefix.v[i].fn].kind != BURL_GEN_METHOD ||
            !without_calls(&t, -1, i, i + 1, &less))
            continue;
        burl_gen_test_deinit(&t);
        t = less;
    }
    if (t.prefix.n < s->v->test.prefix.n)
        (void)try_test(s, &t);
    else
        burl_gen_test_deinit(&t);
}

static void
drop_calls(struct shrink *s)
{
    bool any = true;

    drop_threads(s);
    drop_changers(s);
    for (unsigned k = 0; k < s->v->test.n_threads; k++)
        drop_tails(s, (int)k);
    while (any) {
        any = false;
        for (unsigned k = 0; k < s->v->test.n_threads; k++)
            any |= drop_single(s, (int)k);
        any |= drop_single(s, -1);
    }
}

/* ---- simpler arguments -------------------------------------------------------------- */

static bool
is_allowed_value(const struct burl_gen_param *p, int64_t i)
{
    if (p->values.n > 0) {
        for (size_t k = 0; k < p->values.n; k++) {
            if (p->values.v[k].value == i)
                return true;
        }
        return false;
    }
    return !p->ranged || (i >= p->lo && i <= p->hi);
}

/* 0, or what is allowed instead; then 1. `p` NULL: everything is allowed. */
static bool
simpler_int(const struct burl_gen_param *p, const struct burl_gen_arg *a, unsigned step,
            struct burl_gen_arg *out)
{
    if (step > 1 || (step == 1 && a->i == 0))
        return false;
    out->i = step;
    if (step == 0 && p && !is_allowed_value(p, 0))
        out->i = p->values.n > 0 ? p->values.v[0].value : p->lo;
    return out->i != a->i && (!p || is_allowed_value(p, out->i));
}

static bool
simpler_real(const struct burl_gen_arg *a, unsigned step, struct burl_gen_arg *out)
{
    out->real = step;
    return step <= 1 && (a->real < step || a->real > step) &&
           (step == 0 || a->real < 0 || a->real > 0);
}

/* Empty, one letter (strings), or half of it, in whole elements of any size. */
static bool
simpler_bytes(const struct burl_gen_param *p, const struct burl_gen_arg *a, unsigned step,
              struct burl_gen_arg *out)
{
    const bool is_string = p->role == BURL_GEN_ROLE_STRING;
    size_t half = is_string ? a->n_bytes / 2u : a->n_bytes / 16u * 8u;

    if (step == 0)
        out->n_bytes = 0;
    else if (step == 1 && is_string && !(a->n_bytes == 1 && a->bytes[0] == 'a')) {
        out->n_bytes = 1;
        out->bytes[0] = 'a';
    } else if (step == 2)
        out->n_bytes = (uint16_t)half;
    else
        return false;
    return a->n_bytes > 0 && (step < 2 || half > 1);
}

#define MAX_STEPS 4u

/* The simpler arguments to try in the place of `a`, the simplest first; false: no such one. */
static bool
simpler_arg(const struct burl_gen_param *p, const struct burl_gen_arg *a, unsigned step,
            struct burl_gen_arg *out)
{
    *out = *a;
    if (a->kind == BURL_GEN_ARG_NULL)
        return false;
    if (step == MAX_STEPS - 1) {
        out->kind = BURL_GEN_ARG_NULL;
        return p->nullable;
    }
    switch (a->kind) {
    case BURL_GEN_ARG_INT:
        return simpler_int(p, a, step, out);
    case BURL_GEN_ARG_PAYLOAD:
    case BURL_GEN_ARG_CALLBACK:
        return simpler_int(NULL, a, step, out);
    case BURL_GEN_ARG_REAL:
        return simpler_real(a, step, out);
    case BURL_GEN_ARG_BYTES:
        return simpler_bytes(p, a, step, out);
    case BURL_GEN_ARG_ROLE:
        if (p->role != BURL_GEN_ROLE_BYTES_OUT || step > 0 || a->i < 16)
            return false;
        out->i = a->i / 16 * 8;
        return true;
    default:
        return false;
    }
}

static void
simplify_arg(struct shrink *s, int where, size_t call, size_t arg)
{
    bool shown = false;

    for (unsigned step = 0; step < MAX_STEPS && goes_on(s) && !shown; step++) {
        const struct burl_gen_call *c = &burl_gen_test_list(&s->v->test, where)->v[call];
        const struct burl_gen_param *p = &s->m->fns.v[c->fn].params.v[arg];
        struct burl_gen_arg a;
        struct burl_gen_test t;

        if (!simpler_arg(p, &c->args.v[arg], step, &a))
            continue;
        t = burl_gen_test_copy(&s->v->test);
        (where < 0 ? &t.prefix : &t.threads[where])->v[call].args.v[arg] = a;
        shown = try_test(s, &t);
    }
}

static void
simplify_all(struct shrink *s)
{
    for (int where = -1; where < (int)s->v->test.n_threads; where++) {
        for (size_t i = 0; i < list_length(s, where); i++) {
            const size_t n = burl_gen_test_list(&s->v->test, where)->v[i].args.n;

            for (size_t k = 0; k < n; k++)
                simplify_arg(s, where, i, k);
        }
    }
}

/* ---- stopped seeds ------------------------------------------------------------------ */

/* Does a call of the test use the stop, or the slot? -1: not asked for. */
static bool
is_used(const struct burl_gen_test *t, int stop, int slot)
{
    for (int where = -1; where < (int)t->n_threads; where++) {
        const struct burl_gen_calls *calls = burl_gen_test_list(t, where);

        for (size_t i = 0; i < calls->n; i++) {
            for (size_t k = 0; k < calls->v[i].args.n; k++) {
                const struct burl_gen_arg *a = &calls->v[i].args.v[k];

                if ((a->kind == BURL_GEN_ARG_STOPPED && a->i == stop) ||
                    (a->kind == BURL_GEN_ARG_SLOT && a->i == slot))
                    return true;
            }
        }
    }
    return slot >= 0 && slot == t->self;
}

static void
drop_stop(struct burl_gen_test *t, size_t gone)
{
    BURL_VEC_FREE(&t->stops.v[gone].kept);
    t->stops.n--;
    memmove(&t->stops.v[gone], &t->stops.v[gone + 1], (t->stops.n - gone) * sizeof t->stops.v[0]);
    for (int where = -1; where < (int)t->n_threads; where++) {
        struct burl_gen_calls *calls = where < 0 ? &t->prefix : &t->threads[where];

        for (size_t i = 0; i < calls->n; i++) {
            for (size_t k = 0; k < calls->v[i].args.n; k++) {
                struct burl_gen_arg *a = &calls->v[i].args.v[k];

                if (a->kind == BURL_GEN_ARG_STOPPED && a->i > (int64_t)gone)
                    a->i--;
            }
        }
    }
}

/* Without the objects of seeds that no call uses, and without seeds of which none is used. */
static void
drop_unused_stops(struct burl_gen_test *t)
{
    for (size_t i = t->stops.n; i-- > 0;) {
        struct burl_gen_stopped *s = &t->stops.v[i];
        size_t n = 0;

        for (size_t k = 0; k < s->kept.n; k++) {
            if (is_used(t, -1, s->kept.v[k].slot))
                s->kept.v[n++] = s->kept.v[k];
        }
        s->kept.n = n;
        if (n == 0 && !is_used(t, (int)i, -1))
            drop_stop(t, i);
    }
}

/* ---- slots without gaps ------------------------------------------------------------- */

/* Renumbers the slots that are written, in their order, without gaps. */
static struct burl_gen_test
renumber_slots(const struct burl_gen_test *old)
{
    struct burl_gen_test t = burl_gen_test_copy(old);
    int number[BURL_GEN_MAX_SLOTS];

    t.n_slots = 0;
    for (int i = 0; i < BURL_GEN_MAX_SLOTS; i++)
        number[i] = burl_gen_test_has_slot(old, i) ? t.n_slots++ : -1;
    t.unended = 0;
    for (int i = 0; i < BURL_GEN_MAX_SLOTS; i++) {
        if (number[i] >= 0 && !burl_gen_test_ends(old, i))
            t.unended |= 1ull << number[i];
    }
    for (size_t i = 0; i < t.stops.n; i++) {
        for (size_t k = 0; k < t.stops.v[i].kept.n; k++)
            t.stops.v[i].kept.v[k].slot = number[t.stops.v[i].kept.v[k].slot];
    }
    for (int where = -1; where < (int)t.n_threads; where++) {
        struct burl_gen_calls *calls = where < 0 ? &t.prefix : &t.threads[where];

        for (size_t i = 0; i < calls->n; i++) {
            struct burl_gen_call *c = &calls->v[i];

            if (c->slot >= 0)
                c->slot = number[c->slot];
            for (size_t k = 0; k < c->args.n; k++) {
                struct burl_gen_arg *a = &c->args.v[k];

                if (a->kind == BURL_GEN_ARG_SLOT && a->i >= 0 && a->i < BURL_GEN_MAX_SLOTS)
                    a->i = number[a->i];
            }
        }
    }
    if (t.self >= 0)
        t.self = number[t.self];
    return t;
}

/* ---- the whole sequence ------------------------------------------------------------- */

static void
confirm(struct shrink *s, unsigned fresh)
{
    s->v->confirmed = 0;
    for (unsigned i = 0; i < fresh; i++) {
        struct burl_gen_violation again;

        burl_gen_exec_fresh(s->x);
        s->v->confirmed += burl_gen_reproduce(s->x, &s->v->test, s->v, s->schedules, &again);
        burl_gen_violation_deinit(&again);
    }
}

static void
reduce(struct shrink *s)
{
    const size_t n_stops = s->v->test.stops.n;
    struct burl_gen_test t;
    struct burl_gen_test less;

    drop_calls(s);
    simplify_all(s);
    /* An object that became NULL needs no maker. */
    (void)drop_single(s, -1);
    less = burl_gen_test_copy(&s->v->test);
    drop_unused_stops(&less);
    t = renumber_slots(&less);
    burl_gen_test_deinit(&less);
    if (t.n_slots == s->v->test.n_slots && t.stops.n == n_stops)
        burl_gen_test_deinit(&t);
    else
        (void)try_test(s, &t);
}

void
burl_gen_shrink(struct burl_gen_exec *x, struct burl_gen_violation *v, uint32_t schedules,
                unsigned fresh)
{
    struct shrink s = { x, burl_gen_exec_model(x), v, schedules, 0 };
    struct burl_gen_violation first;

    v->clean = burl_gen_is_clean(x, &v->test);
    first = *v;
    first.test = burl_gen_test_copy(&v->test);
    first.run = burl_gen_outcome_copy(&v->run);
    reduce(&s);
    confirm(&s, fresh);
    if (fresh > 0 && v->confirmed == 0) {
        burl_gen_violation_deinit(v);
        *v = first;
        memset(&first, 0, sizeof first);
        confirm(&s, fresh);
    }
    burl_gen_violation_deinit(&first);
}

void
burl_gen_minimize(struct burl_gen_exec *x, struct burl_gen_violation *v)
{
    burl_gen_shorten(x, v, SCHEDULES);
    burl_gen_shrink(x, v, SCHEDULES, BURL_GEN_FRESH_PROCESSES);
    if (v->clean)
        return;
    burl_gen_unblock(x, v, SCHEDULES);
    if (v->clean)
        burl_gen_shrink(x, v, SCHEDULES, BURL_GEN_FRESH_PROCESSES);
}
