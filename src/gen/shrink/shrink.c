/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/shrink/shrink.c - the smallest test that still shows the violation.
 *
 * Greedy, in a fixed order: threads beyond two, calls at the ends of threads, single calls, calls
 * of the prefix, then arguments; repeated to a fixed point. Each step is kept only if
 * burl_gen_reproduce() succeeds, so a violation that few schedules show shrinks less: `schedules`
 * trades time for size. The number of tests tried is limited.
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
uses_lost_slot(const struct burl_gen_model *m, const struct burl_gen_call *c, const bool *lost)
{
    const struct burl_gen_fn *f = &m->fns.v[c->fn];

    for (size_t i = 0; i < c->args.n && i < f->params.n; i++) {
        const struct burl_gen_arg *a = &c->args.v[i];

        if (a->kind == BURL_GEN_ARG_SLOT && a->i != c->slot && a->i >= 0 &&
            a->i < BURL_GEN_MAX_SLOTS && lost[a->i])
            return true;
    }
    return false;
}

/* Copies a list without calls [from, to) and those that use objects they made. */
static void
copy_calls(const struct burl_gen_model *m, const struct burl_gen_calls *old, size_t from, size_t to,
           bool *lost, struct burl_gen_calls *out)
{
    for (size_t i = 0; i < old->n; i++) {
        const struct burl_gen_call *c = &old->v[i];

        if ((i >= from && i < to) || uses_lost_slot(m, c, lost)) {
            if (c->slot >= 0 && c->slot < BURL_GEN_MAX_SLOTS)
                lost[c->slot] = true;
        } else {
            struct burl_gen_call copy = burl_gen_call_copy(c);

            BURL_VEC_PUSH(out, copy);
        }
    }
}

/* The test without some calls of one list; false: what remains is no test. */
static bool
without_calls(const struct burl_gen_model *m, const struct burl_gen_test *t, int where, size_t from,
              size_t to, struct burl_gen_test *out)
{
    bool lost[BURL_GEN_MAX_SLOTS] = { false };
    bool ok;

    memset(out, 0, sizeof *out);
    out->n_threads = t->n_threads;
    out->n_slots = t->n_slots;
    out->self = t->self;
    copy_calls(m, &t->prefix, where < 0 ? from : 0, where < 0 ? to : 0, lost, &out->prefix);
    ok = t->self < 0 || !lost[t->self];
    for (unsigned k = 0; k < t->n_threads; k++) {
        bool here = where == (int)k;

        copy_calls(m, &t->threads[k], here ? from : 0, here ? to : 0, lost, &out->threads[k]);
        ok = ok && out->threads[k].n > 0;
    }
    if (!ok)
        burl_gen_test_deinit(out);
    return ok;
}

static void
without_thread(const struct burl_gen_test *t, unsigned gone, struct burl_gen_test *out)
{
    unsigned n = 0;

    memset(out, 0, sizeof *out);
    out->n_slots = t->n_slots;
    out->self = t->self;
    burl_gen_calls_append(&out->prefix, &t->prefix);
    for (unsigned k = 0; k < t->n_threads; k++) {
        if (k != gone)
            burl_gen_calls_append(&out->threads[n++], &t->threads[k]);
    }
    out->n_threads = n;
}

/* ---- trying ------------------------------------------------------------------------- */

/* Takes ownership of the test, which becomes the violation's if *shown. */
static enum burl_status
try_test(struct shrink *s, struct burl_gen_test *t_owned, bool *shown, struct burl_err *err)
{
    struct burl_gen_violation next = { 0 };
    enum burl_status st;

    s->tries++;
    st = burl_gen_reproduce(s->x, s->m, t_owned, s->v, s->schedules, shown, &next, err);
    next.executions += s->v->executions;
    s->v->executions = next.executions;
    if (st == BURL_OK && *shown)
        st = burl_gen_is_clean(s->x, t_owned, &next.clean, err);
    /* A clean test stays clean: one that may fail by itself proves less. */
    *shown = *shown && (next.clean || !s->v->clean);
    if (st == BURL_OK && *shown) {
        burl_gen_violation_deinit(s->v);
        *s->v = next;
    } else {
        burl_gen_violation_deinit(&next);
    }
    burl_gen_test_deinit(t_owned);
    return st;
}

static enum burl_status
drop_threads(struct shrink *s, struct burl_err *err)
{
    for (unsigned k = s->v->test.n_threads; k-- > 0;) {
        struct burl_gen_test t;
        bool shown;
        enum burl_status st;

        if (s->v->test.n_threads <= 2 || s->tries >= MAX_TRIES)
            break;
        without_thread(&s->v->test, k, &t);
        st = try_test(s, &t, &shown, err);
        if (st != BURL_OK)
            return st;
    }
    return BURL_OK;
}

/* Tails first, half of them at once: the call that matters is often an early one. */
static enum burl_status
drop_tails(struct shrink *s, int where, struct burl_err *err)
{
    size_t n = burl_gen_test_list(&s->v->test, where)->n / 2;

    while (n > 0 && s->tries < MAX_TRIES) {
        size_t all = burl_gen_test_list(&s->v->test, where)->n;
        struct burl_gen_test t;
        bool shown = false;

        if (n < all && without_calls(s->m, &s->v->test, where, all - n, all, &t)) {
            enum burl_status st = try_test(s, &t, &shown, err);

            if (st != BURL_OK)
                return st;
        }
        if (!shown || n >= burl_gen_test_list(&s->v->test, where)->n)
            n /= 2;
    }
    return BURL_OK;
}

static enum burl_status
drop_single(struct shrink *s, int where, bool *any, struct burl_err *err)
{
    for (size_t i = burl_gen_test_list(&s->v->test, where)->n; i-- > 0 && s->tries < MAX_TRIES;) {
        struct burl_gen_test t;
        bool shown = false;

        if (i < burl_gen_test_list(&s->v->test, where)->n &&
            without_calls(s->m, &s->v->test, where, i, i + 1, &t)) {
            enum burl_status st = try_test(s, &t, &shown, err);

            if (st != BURL_OK)
                return st;
        }
        *any |= shown;
    }
    return BURL_OK;
}

/* All state changers of the prefix at once: a put and its take cannot be dropped one by one. */
static enum burl_status
drop_changers(struct shrink *s, struct burl_err *err)
{
    struct burl_gen_test t = burl_gen_test_copy(&s->v->test);
    bool shown;

    for (size_t i = t.prefix.n; i-- > 0;) {
        struct burl_gen_test less;

        if (s->m->fns.v[t.prefix.v[i].fn].kind != BURL_GEN_METHOD ||
            !without_calls(s->m, &t, -1, i, i + 1, &less))
            continue;
        burl_gen_test_deinit(&t);
        t = less;
    }
    if (t.prefix.n < s->v->test.prefix.n)
        return try_test(s, &t, &shown, err);
    burl_gen_test_deinit(&t);
    return BURL_OK;
}

static enum burl_status
drop_calls(struct shrink *s, struct burl_err *err)
{
    bool any = true;
    enum burl_status st = drop_threads(s, err);

    if (st == BURL_OK)
        st = drop_changers(s, err);

    for (unsigned k = 0; st == BURL_OK && k < s->v->test.n_threads; k++)
        st = drop_tails(s, (int)k, err);
    while (st == BURL_OK && any) {
        any = false;
        for (unsigned k = 0; st == BURL_OK && k < s->v->test.n_threads; k++)
            st = drop_single(s, (int)k, &any, err);
        if (st == BURL_OK)
            st = drop_single(s, -1, &any, err);
    }
    return st;
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

static bool
simpler_int(const struct burl_gen_param *p, const struct burl_gen_arg *a, unsigned step,
            struct burl_gen_arg *out)
{
    int64_t want = step;

    *out = *a;
    if (step == 0 && p && p->values.n > 0 && !is_allowed_value(p, 0))
        want = p->values.v[0].value;
    else if (step == 0 && p && p->ranged && !is_allowed_value(p, 0))
        want = p->lo;
    if (step > 1 || a->i == want || (step == 1 && a->i == 0) || (p && !is_allowed_value(p, want)))
        return false;
    out->i = want;
    return true;
}

static bool
simpler_real(const struct burl_gen_arg *a, unsigned step, struct burl_gen_arg *out)
{
    const double want = step;

    *out = *a;
    if (step > 1 || !(a->real < want || a->real > want) ||
        (step == 1 && !(a->real < 0 || a->real > 0)))
        return false;
    out->real = want;
    return true;
}

/* Empty, one letter (strings), or half of it, in whole elements of any size. */
static bool
simpler_bytes(const struct burl_gen_param *p, const struct burl_gen_arg *a, unsigned step,
              struct burl_gen_arg *out)
{
    const bool is_string = p->role == BURL_GEN_ROLE_STRING;
    size_t half = is_string ? a->n_bytes / 2u : a->n_bytes / 16u * 8u;

    *out = *a;
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

static enum burl_status
simplify_arg(struct shrink *s, int where, size_t call, size_t arg, struct burl_err *err)
{
    for (unsigned step = 0; step < MAX_STEPS && s->tries < MAX_TRIES; step++) {
        const struct burl_gen_call *c = &burl_gen_test_list(&s->v->test, where)->v[call];
        const struct burl_gen_param *p = &s->m->fns.v[c->fn].params.v[arg];
        struct burl_gen_arg a;
        struct burl_gen_test t;
        bool shown;
        enum burl_status st;

        if (!simpler_arg(p, &c->args.v[arg], step, &a))
            continue;
        t = burl_gen_test_copy(&s->v->test);
        (where < 0 ? &t.prefix : &t.threads[where])->v[call].args.v[arg] = a;
        st = try_test(s, &t, &shown, err);
        if (st != BURL_OK || shown)
            return st;
    }
    return BURL_OK;
}

static enum burl_status
simplify_all(struct shrink *s, struct burl_err *err)
{
    for (int where = -1; where < (int)s->v->test.n_threads; where++) {
        for (size_t i = 0; i < burl_gen_test_list(&s->v->test, where)->n; i++) {
            const size_t n = burl_gen_test_list(&s->v->test, where)->v[i].args.n;

            for (size_t k = 0; k < n; k++) {
                enum burl_status st = simplify_arg(s, where, i, k, err);

                if (st != BURL_OK)
                    return st;
            }
        }
    }
    return BURL_OK;
}

/* ---- slots without gaps ------------------------------------------------------------- */

static void
renumber_calls(struct burl_gen_calls *calls, const int *number)
{
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

/* Renumbers the slots that are written, in their order, without gaps. */
static void
renumber_slots(const struct burl_gen_test *old, struct burl_gen_test *out)
{
    bool written[BURL_GEN_MAX_SLOTS] = { false };
    int number[BURL_GEN_MAX_SLOTS];
    int n = 0;

    *out = burl_gen_test_copy(old);
    for (int where = -1; where < (int)old->n_threads; where++) {
        const struct burl_gen_calls *calls = burl_gen_test_list(old, where);

        for (size_t i = 0; i < calls->n; i++) {
            if (calls->v[i].slot >= 0 && calls->v[i].slot < BURL_GEN_MAX_SLOTS)
                written[calls->v[i].slot] = true;
        }
    }
    for (int i = 0; i < BURL_GEN_MAX_SLOTS; i++)
        number[i] = written[i] ? n++ : -1;
    renumber_calls(&out->prefix, number);
    for (unsigned k = 0; k < out->n_threads; k++)
        renumber_calls(&out->threads[k], number);
    out->n_slots = n;
    if (out->self >= 0)
        out->self = number[out->self];
}

/* ---- the whole sequence ------------------------------------------------------------- */

static enum burl_status
confirm(struct shrink *s, unsigned fresh, struct burl_err *err)
{
    s->v->confirmed = 0;
    for (unsigned i = 0; i < fresh; i++) {
        struct burl_gen_violation again = { 0 };
        bool shown = false;
        enum burl_status st = burl_gen_exec_fresh(s->x, err);

        if (st == BURL_OK)
            st = burl_gen_reproduce(s->x, s->m, &s->v->test, s->v, s->schedules, &shown, &again,
                                    err);
        s->v->executions += again.executions;
        s->v->confirmed += shown;
        burl_gen_violation_deinit(&again);
        if (st != BURL_OK)
            return st;
    }
    return BURL_OK;
}

static enum burl_status
reduce(struct shrink *s, struct burl_err *err)
{
    enum burl_status st = drop_calls(s, err);
    struct burl_gen_test t;
    bool shown = false;

    if (st == BURL_OK)
        st = simplify_all(s, err);
    /* An object that became NULL needs no maker. */
    if (st == BURL_OK)
        st = drop_single(s, -1, &shown, err);
    if (st != BURL_OK)
        return st;
    renumber_slots(&s->v->test, &t);
    if (t.n_slots == s->v->test.n_slots) {
        burl_gen_test_deinit(&t);
        return BURL_OK;
    }
    return try_test(s, &t, &shown, err);
}

enum burl_status
burl_gen_shrink(struct burl_gen_exec *x, const struct burl_gen_model *m,
                struct burl_gen_violation *v, uint32_t schedules, unsigned fresh,
                struct burl_err *err)
{
    struct shrink s = { x, m, v, schedules, 0 };
    struct burl_gen_violation first;
    enum burl_status st;

    st = burl_gen_is_clean(x, &v->test, &v->clean, err);
    first = *v;
    first.test = burl_gen_test_copy(&v->test);
    first.run = burl_gen_outcome_copy(&v->run);
    if (st == BURL_OK)
        st = reduce(&s, err);
    if (st == BURL_OK)
        st = confirm(&s, fresh, err);
    if (st == BURL_OK && fresh > 0 && v->confirmed == 0) {
        first.executions = v->executions;
        burl_gen_violation_deinit(v);
        *v = first;
        memset(&first, 0, sizeof first);
        st = confirm(&s, fresh, err);
    }
    burl_gen_violation_deinit(&first);
    return st;
}

enum burl_status
burl_gen_minimize(struct burl_gen_exec *x, const struct burl_gen_model *m,
                  struct burl_gen_violation *v, struct burl_err *err)
{
    enum burl_status st = burl_gen_shorten(x, m, v, SCHEDULES, err);

    if (st == BURL_OK)
        st = burl_gen_shrink(x, m, v, SCHEDULES, BURL_GEN_FRESH_PROCESSES, err);
    if (st != BURL_OK || v->clean)
        return st;
    st = burl_gen_unblock(x, m, v, SCHEDULES, err);
    if (st == BURL_OK && v->clean)
        st = burl_gen_shrink(x, m, v, SCHEDULES, BURL_GEN_FRESH_PROCESSES, err);
    return st;
}
