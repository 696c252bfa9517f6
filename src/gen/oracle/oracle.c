/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/oracle/oracle.c - does a linearization explain this outcome?
 *
 * Linearizations are run when first needed, the order suggested by the run itself first (calls as
 * they returned, then as they began): a run of a correct API is nearly always explained by it, so
 * an ordinary test costs a few sequential executions. Outcomes are cached for the test; the values
 * of each are one hash, so a thousand runs cost a thousand look-ups.
 *
 * Errors go to one side. Before a run is called a violation every linearization is run again under
 * other addresses and another time: one that comes out differently either explains the run or makes
 * the test undecidable. The same holds if an order was cut, and for results if an order of the
 * calls is undefined behavior by itself: then every result is allowed. The cost is missed
 * violations of APIs that are not deterministic.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "engine/engine.h"
#include "gen/oracle/oracle_int.h"

/* ---- calls and values --------------------------------------------------------------- */

static void
number_list(struct burl_gen_oracle *o, const struct burl_gen_calls *calls)
{
    for (size_t i = 0; i < calls->n && o->n_calls < BURL_GEN_MAX_CALLS; i++)
        o->fn[o->n_calls++] = calls->v[i].fn;
}

static void
number_calls(struct burl_gen_oracle *o)
{
    const struct burl_gen_test *t = o->test;
    struct burl_gen_calls dumps = burl_gen_test_dumps(t, o->model);

    number_list(o, &t->prefix);
    for (unsigned k = 0; k < t->n_threads; k++) {
        o->first_call[k] = o->n_calls;
        o->lengths[k] = (unsigned)t->threads[k].n;
        number_list(o, &t->threads[k]);
    }
    number_list(o, &dumps);
    burl_gen_calls_deinit(&dumps);
}

/* The function of a call; -1 for call -1. */
static int
fn_of_call(const struct burl_gen_oracle *o, int call)
{
    return call >= 0 && (unsigned)call < o->n_calls ? o->fn[call] : -1;
}

const char *
burl__gen_fn_name(const struct burl_gen_oracle *o, int fn)
{
    return fn >= 0 && (size_t)fn < o->model->fns.n ? o->model->fns.v[fn].name : "?";
}

bool
burl_gen_oracle_is_masked(const struct burl_gen_oracle *o, const struct burl_gen_value *v)
{
    int fn = fn_of_call(o, v->call);

    for (size_t i = 0; i < o->masks.n; i++) {
        if (o->masks.v[i].fn == fn && o->masks.v[i].param == v->param)
            return true;
    }
    return false;
}

static uint64_t
hash_values(const struct burl_gen_oracle *o, const struct burl_gen_outcome *r)
{
    uint64_t h = BURL_HASH_BEGIN;

    for (size_t i = 0; i < r->values.n; i++) {
        const struct burl_gen_value *v = &r->values.v[i];

        if (burl_gen_oracle_is_masked(o, v))
            continue;
        h = burl_hash_u64(h, (uint64_t)v->call << 16 | (uint64_t)v->param << 8 | v->kind);
        h = burl_hash_u64(h, burl_gen_value_has_bits(v) ? v->bits : 0);
        h = burl_hash_u64(h, v->kind == BURL_GEN_VALUE_BYTES ? v->length : 0);
    }
    return burl_hash_end(h);
}

/* The next value that is not masked; NULL at the end. */
static const struct burl_gen_value *
next_value(const struct burl_gen_oracle *o, const struct burl_gen_outcome *r, size_t *i)
{
    while (*i < r->values.n && burl_gen_oracle_is_masked(o, &r->values.v[*i]))
        (*i)++;
    return *i < r->values.n ? &r->values.v[*i] : NULL;
}

/* The first value in which they differ; NULL when in none. */
static const struct burl_gen_value *
first_difference(const struct burl_gen_oracle *o, const struct burl_gen_outcome *a,
                 const struct burl_gen_outcome *b)
{
    size_t i = 0;
    size_t j = 0;

    for (;;) {
        const struct burl_gen_value *x = next_value(o, a, &i);
        const struct burl_gen_value *y = next_value(o, b, &j);

        if (!x || !y)
            return x ? x : y;
        if (!burl_gen_value_equal(x, y)) {
            if (x->call != y->call)
                return x->call < y->call ? x : y;
            return x->param <= y->param ? x : y;
        }
        i++;
        j++;
    }
}

/* ---- how a run ended ---------------------------------------------------------------- */

/* Do two executions fail in the same way? */
static bool
same_failure(const struct burl_gen_oracle *o, const struct burl_gen_outcome *a,
             const struct burl_gen_outcome *b)
{
    if (a->end != BURL_GEN_END_FAILED || b->end != BURL_GEN_END_FAILED)
        return false;
    if (a->verdict.kind != b->verdict.kind)
        return false;
    if ((a->verdict.kind == BURL_VERDICT_CRASH_SIGNAL ||
         a->verdict.kind == BURL_VERDICT_EXIT_NONZERO) &&
        a->verdict.code != b->verdict.code)
        return false;
    return fn_of_call(o, a->failed_call) == fn_of_call(o, b->failed_call);
}

uint64_t
burl__gen_end_hash(const struct burl_gen_oracle *o, const struct burl_gen_outcome *r)
{
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, (uint64_t)r->end);

    if (r->end == BURL_GEN_END_FAILED) {
        h = burl_hash_u64(h, r->verdict.kind);
        h = burl_hash_u64(h, (uint64_t)(int64_t)fn_of_call(o, r->failed_call));
        if (r->verdict.kind == BURL_VERDICT_CRASH_SIGNAL ||
            r->verdict.kind == BURL_VERDICT_EXIT_NONZERO)
            h = burl_hash_u64(h, (uint64_t)(int64_t)r->verdict.code);
    }
    if (r->end == BURL_GEN_END_BLOCKED)
        h = burl_hash_bytes(h, r->state, r->n_calls < o->n_calls ? r->n_calls : o->n_calls);
    return burl_hash_end(h);
}

static uint64_t
hash_outcome(const struct burl_gen_oracle *o, const struct burl_gen_outcome *r)
{
    return r->end == BURL_GEN_END_DONE ? hash_values(o, r) : burl__gen_end_hash(o, r);
}

/* Undefined behavior: later values mean nothing. */
static bool
is_undefined(const struct burl_gen_outcome *r)
{
    if (r->end != BURL_GEN_END_FAILED)
        return false;
    switch (r->verdict.kind) {
    case BURL_VERDICT_EXIT_NONZERO:
    case BURL_VERDICT_CRASH_ABORT:
        return false;
    default:
        return true;
    }
}

/* ---- linearizations ----------------------------------------------------------------- */

struct burl_gen_oracle *
burl_gen_oracle_new(struct burl_gen_exec *x, const struct burl_gen_model *m,
                    const struct burl_gen_test *t, uint32_t max_linear)
{
    struct burl_gen_oracle *o = burl_xcalloc(1, sizeof *o);

    o->x = x;
    o->model = m;
    o->test = t;
    o->max_linear = max_linear;
    number_calls(o);
    o->merges = burl_gen_merges(o->lengths, t->n_threads);
    return o;
}

void
burl_gen_oracle_free(struct burl_gen_oracle *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->lins.n; i++) {
        burl_gen_outcome_deinit(&o->lins.v[i]->outcome);
        free(o->lins.v[i]);
    }
    BURL_VEC_FREE(&o->lins);
    BURL_VEC_FREE(&o->masks);
    BURL_VEC_FREE(&o->stuck);
    BURL_VEC_FREE(&o->all);
    free(o);
}

static struct burl__gen_lin *
find_order(const struct burl_gen_oracle *o, const struct burl_gen_order *order, uint64_t hash)
{
    for (size_t i = 0; i < o->lins.n; i++) {
        const struct burl__gen_lin *l = o->lins.v[i];

        if (l->order_hash == hash && l->order.n == order->n &&
            memcmp(l->order.thread, order->thread, order->n) == 0)
            return o->lins.v[i];
    }
    return NULL;
}

static struct burl__gen_lin *
keep_linearization(struct burl_gen_oracle *o, const struct burl_gen_order *order,
                   struct burl_gen_outcome *outcome_owned)
{
    struct burl__gen_lin *l = burl_xcalloc(1, sizeof *l);

    l->order = *order;
    l->order_hash = burl_hash(order->thread, order->n);
    l->outcome = *outcome_owned;
    memset(outcome_owned, 0, sizeof *outcome_owned);
    l->hash = hash_outcome(o, &l->outcome);
    BURL_VEC_PUSH(&o->lins, l);
    return l;
}

/* Runs an order unless that was done; *out is the linearization. */
static enum burl_status
run_order(struct burl_gen_oracle *o, const struct burl_gen_order *order, struct burl__gen_lin **out,
          struct burl_err *err)
{
    struct burl_gen_outcome outcome = { 0 };
    enum burl_status st;

    *out = find_order(o, order, burl_hash(order->thread, order->n));
    if (*out)
        return BURL_OK;
    st = burl_gen_exec_sequential(o->x, o->test, order, true, 0, &outcome, err);
    if (st != BURL_OK) {
        burl_gen_outcome_deinit(&outcome);
        return st;
    }
    *out = keep_linearization(o, order, &outcome);
    o->n_orders++;
    return BURL_OK;
}

/* The next order that was not run; *out NULL when there is none, or none within the limit. */
static enum burl_status
run_next(struct burl_gen_oracle *o, struct burl__gen_lin **out, struct burl_err *err)
{
    *out = NULL;
    while (!o->all_run && o->n_orders < o->max_linear) {
        uint32_t before = o->n_orders;
        enum burl_status st;

        if (!o->begun) {
            o->begun = burl_gen_merge_first(&o->next, o->lengths, o->test->n_threads);
            o->all_run = !o->begun;
        } else {
            o->all_run = !burl_gen_merge_next(&o->next);
        }
        if (o->all_run)
            break;
        st = run_order(o, &o->next, out, err);
        if (st != BURL_OK)
            return st;
        if (o->n_orders > before) {
            o->all_run = o->n_orders == o->merges;
            return BURL_OK;
        }
        *out = NULL;
    }
    return BURL_OK;
}

/* Calls as they returned, or as they began; those that did not, after all others. */
static void
guess_order(const struct burl_gen_oracle *o, const struct burl_gen_outcome *run, bool by_leave,
            struct burl_gen_order *order)
{
    unsigned depth[BURL_GEN_MAX_THREADS] = { 0 };
    unsigned done[BURL_GEN_MAX_THREADS] = { 0 };

    order->n = 0;
    for (size_t i = 0; i < run->events.n; i++) {
        const struct burl_gen_event *e = &run->events.v[i];
        bool counts;

        if (e->thread >= o->test->n_threads)
            continue;
        if (e->leave) {
            depth[e->thread] -= depth[e->thread] > 0;
            counts = by_leave && depth[e->thread] == 0;
        } else {
            counts = !by_leave && depth[e->thread] == 0;
            depth[e->thread]++;
        }
        if (counts && done[e->thread] < o->lengths[e->thread]) {
            done[e->thread]++;
            order->thread[order->n++] = (uint8_t)e->thread;
        }
    }
    for (unsigned t = 0; t < o->test->n_threads; t++) {
        for (; done[t] < o->lengths[t]; done[t]++)
            order->thread[order->n++] = (uint8_t)t;
    }
}

/* ---- values that depend on addresses or time ---------------------------------------- */

static void
add_mask(struct burl_gen_oracle *o, const struct burl_gen_value *v)
{
    struct burl__gen_mask mask = { fn_of_call(o, v->call), v->param };

    BURL_VEC_PUSH(&o->masks, mask);
}

/* Runs the order of `l` under a shift and masks what differs. */
static enum burl_status
mask_differences(struct burl_gen_oracle *o, const struct burl__gen_lin *l, uint64_t shift,
                 struct burl_err *err)
{
    struct burl_gen_outcome r = { 0 };
    enum burl_status st = burl_gen_exec_sequential(o->x, o->test, &l->order, true, shift, &r, err);

    if (st == BURL_OK && r.end == BURL_GEN_END_DONE) {
        for (;;) {
            const struct burl_gen_value *v = first_difference(o, &l->outcome, &r);

            if (!v)
                break;
            add_mask(o, v);
        }
    } else if (st == BURL_OK) {
        o->not_repeatable = true;
    }
    burl_gen_outcome_deinit(&r);
    return st;
}

static enum burl_status
mask_unstable(struct burl_gen_oracle *o, const struct burl__gen_lin *l, struct burl_err *err)
{
    size_t before = o->masks.n;
    enum burl_status st = mask_differences(o, l, BURL__GEN_SHIFT_1, err);

    if (st == BURL_OK)
        st = mask_differences(o, l, BURL__GEN_SHIFT_2, err);
    if (o->masks.n != before) {
        for (size_t i = 0; i < o->lins.n; i++)
            o->lins.v[i]->hash = hash_outcome(o, &o->lins.v[i]->outcome);
    }
    return st;
}

/* Finds the mask with the first linearization that completes. */
static enum burl_status
find_mask(struct burl_gen_oracle *o, struct burl_err *err)
{
    for (size_t i = 0; !o->probed; i++) {
        if (i == o->lins.n) {
            struct burl__gen_lin *l;
            enum burl_status st = run_next(o, &l, err);

            if (st != BURL_OK || !l)
                return st;
        }
        /* run_next() added one, which is number i: calls that were there already are passed. */
        if (o->lins.v[i]->outcome.end == BURL_GEN_END_DONE) {
            o->probed = true;
            return mask_unstable(o, o->lins.v[i], err);
        }
    }
    return BURL_OK;
}

/* ---- looking for a linearization that does the same --------------------------------- */

static bool
explains(const struct burl_gen_oracle *o, const struct burl__gen_lin *l,
         const struct burl_gen_outcome *run, uint64_t hash)
{
    if (l->outcome.end != run->end)
        return false;
    switch (run->end) {
    case BURL_GEN_END_DONE:
        return l->hash == hash && !first_difference(o, &l->outcome, run);
    case BURL_GEN_END_FAILED:
        return same_failure(o, &l->outcome, run);
    default:
        return l->hash == hash;
    }
}

static bool
is_explained(const struct burl_gen_oracle *o, const struct burl_gen_outcome *run)
{
    uint64_t hash = hash_outcome(o, run);

    for (size_t i = 0; i < o->lins.n; i++) {
        if (explains(o, o->lins.v[i], run, hash))
            return true;
    }
    return false;
}

/* Runs orders until one does the same as the run, or there are no more. */
static enum burl_status
find_explanation(struct burl_gen_oracle *o, const struct burl_gen_outcome *run, bool *found,
                 struct burl_err *err)
{
    uint64_t hash;
    enum burl_status st = BURL_OK;

    *found = is_explained(o, run);
    for (int by_leave = 1; by_leave >= 0 && !*found && run->events.n > 0; by_leave--) {
        struct burl_gen_order order;
        struct burl__gen_lin *l;

        if (o->n_orders >= o->max_linear)
            break;
        guess_order(o, run, by_leave, &order);
        st = run_order(o, &order, &l, err);
        if (st != BURL_OK)
            return st;
        *found = is_explained(o, run);
    }
    /* Computed only for runs that need it: a mask costs executions. */
    if (!*found && run->end == BURL_GEN_END_DONE && !o->probed) {
        st = find_mask(o, err);
        if (st != BURL_OK)
            return st;
        *found = is_explained(o, run);
    }
    hash = hash_outcome(o, run);
    while (!*found) {
        struct burl__gen_lin *l;

        st = run_next(o, &l, err);
        if (st != BURL_OK || !l)
            return st;
        *found = explains(o, l, run, hash);
    }
    return BURL_OK;
}

/* ---- before a violation is reported -------------------------------------------------- */

/* Runs every order again, under other addresses, and keeps outcomes that differ. */
static enum burl_status
recheck_orders(struct burl_gen_oracle *o, struct burl_err *err)
{
    size_t n = o->lins.n;

    o->checked = true;
    /* The order least like the one that the mask came from. */
    for (size_t i = n; o->probed && i-- > 0;) {
        if (o->lins.v[i]->outcome.end == BURL_GEN_END_DONE) {
            enum burl_status st = mask_unstable(o, o->lins.v[i], err);

            if (st != BURL_OK)
                return st;
            break;
        }
    }
    for (size_t i = 0; i < n; i++) {
        struct burl__gen_lin *l = o->lins.v[i];
        struct burl_gen_outcome r = { 0 };
        enum burl_status st =
            burl_gen_exec_sequential(o->x, o->test, &l->order, true, BURL__GEN_SHIFT_1, &r, err);

        if (st == BURL_OK && (r.end != l->outcome.end || hash_outcome(o, &r) != l->hash)) {
            o->not_repeatable = true;
            (void)keep_linearization(o, &l->order, &r);
        }
        burl_gen_outcome_deinit(&r);
        if (st != BURL_OK)
            return st;
    }
    return BURL_OK;
}

static bool
any_ends(const struct burl_gen_oracle *o, enum burl_gen_end end)
{
    for (size_t i = 0; i < o->lins.n; i++) {
        if (o->lins.v[i]->outcome.end == end)
            return true;
    }
    return false;
}

static bool
has_cut_order(const struct burl_gen_oracle *o)
{
    return any_ends(o, BURL_GEN_END_CUT) || any_ends(o, BURL_GEN_END_MAKE);
}

static const struct burl__gen_lin *
find_undefined(const struct burl_gen_oracle *o)
{
    for (size_t i = 0; i < o->lins.n; i++) {
        if (is_undefined(&o->lins.v[i]->outcome))
            return o->lins.v[i];
    }
    return NULL;
}

/* Why an unexplained run is not a violation; false: it is one. */
static bool
is_undecidable(const struct burl_gen_oracle *o, const struct burl_gen_outcome *run, char *why,
               size_t n)
{
    const struct burl__gen_lin *u = find_undefined(o);

    if (!o->all_run)
        snprintf(why, n, "%llu orders of the calls, and the limit is %u",
                 (unsigned long long)o->merges, o->max_linear);
    else if (has_cut_order(o))
        snprintf(why, n, "an order of the calls took too many steps or too long");
    else if (o->not_repeatable)
        snprintf(why, n, "the API is not deterministic when called sequentially");
    else if (run->end == BURL_GEN_END_DONE && u)
        snprintf(why, n, "an order of the calls fails by itself with %s in %s()",
                 burl_verdict_name(u->outcome.verdict.kind),
                 burl__gen_fn_name(o, fn_of_call(o, u->outcome.failed_call)));
    else if (run->end == BURL_GEN_END_DONE && !any_ends(o, BURL_GEN_END_DONE))
        snprintf(why, n, "no order of the calls completes: %s",
                 any_ends(o, BURL_GEN_END_BLOCKED) ? "they wait for each other" : "each fails");
    else
        return false;
    return true;
}

static void
set_violation(const struct burl_gen_oracle *o, const struct burl_gen_outcome *run,
              struct burl_gen_verdict *out)
{
    int fn = fn_of_call(o, run->failed_call);
    const char *kind = burl_verdict_name(run->verdict.kind);

    out->judgement = BURL_GEN_VIOLATION;
    out->by_results = run->end == BURL_GEN_END_DONE;
    if (out->by_results)
        snprintf(out->why, sizeof out->why,
                 "none of the %u orders of the calls gives these results", o->n_orders);
    else if (run->end == BURL_GEN_END_BLOCKED)
        snprintf(out->why, sizeof out->why,
                 "%s after the threads ended, which none of the %u orders of the calls leads to",
                 kind, o->n_orders);
    else if (fn >= 0)
        snprintf(out->why, sizeof out->why,
                 "%s in %s(), where none of the %u orders of the calls fails", kind,
                 burl__gen_fn_name(o, fn), o->n_orders);
    else
        snprintf(out->why, sizeof out->why,
                 "%s outside of calls, where none of the %u orders of the calls fails", kind,
                 o->n_orders);
}

/* A call of a weak function that may have failed spuriously; NULL none. If its result is a number,
 * any number may mean failure. */
static const char *
weak_failure(const struct burl_gen_oracle *o, const struct burl_gen_outcome *run)
{
    for (size_t i = 0; i < run->values.n; i++) {
        const struct burl_gen_value *v = &run->values.v[i];
        const int fn = v->param == 0 ? fn_of_call(o, (int)v->call) : -1;
        const struct burl_gen_fn *f = fn >= 0 ? &o->model->fns.v[fn] : NULL;

        if (f && f->weak &&
            (v->kind == BURL_GEN_VALUE_NULL ||
             (v->kind == BURL_GEN_VALUE_INT && (v->bits == 0 || !burl_gen_fn_is_weak_bool(f)))))
            return f->name;
    }
    return NULL;
}

enum burl_status
burl__gen_oracle_end(struct burl_gen_oracle *o, const struct burl_gen_outcome *run,
                     struct burl_gen_verdict *out, struct burl_err *err)
{
    const char *weak = run->end == BURL_GEN_END_DONE ? weak_failure(o, run) : NULL;
    bool found;
    enum burl_status st = find_explanation(o, run, &found, err);

    if (st == BURL_OK && !found && !is_undecidable(o, run, out->why, sizeof out->why) &&
        !o->checked) {
        st = recheck_orders(o, err);
        found = st == BURL_OK && is_explained(o, run);
    }
    if (st != BURL_OK)
        return st;
    out->n_linear = o->n_orders;
    if (found)
        out->judgement = BURL_GEN_FINE;
    else if (is_undecidable(o, run, out->why, sizeof out->why))
        out->judgement = BURL_GEN_NOT_DECIDED;
    else if (weak) {
        out->judgement = BURL_GEN_NOT_DECIDED;
        snprintf(out->why, sizeof out->why, "%s() failed, as it may without reason (\"weak\")",
                 weak);
    } else
        set_violation(o, run, out);
    if (out->judgement == BURL_GEN_FINE)
        out->why[0] = '\0';
    return BURL_OK;
}

enum burl_status
burl_gen_oracle_judge(struct burl_gen_oracle *o, const struct burl_gen_outcome *run,
                      bool compare_results, struct burl_gen_verdict *out, struct burl_err *err)
{
    memset(out, 0, sizeof *out);
    switch (run->end) {
    case BURL_GEN_END_DONE:
        if (!compare_results)
            return BURL_OK;
        if (!run->own_threads)
            return burl__gen_oracle_end(o, run, out, err);
        /* A merge of the calls does not order threads of the API. */
        snprintf(out->why, sizeof out->why,
                 "the API has threads of its own, and results may depend on how far they came");
        break;
    case BURL_GEN_END_FAILED:
        return burl__gen_oracle_end(o, run, out, err);
    case BURL_GEN_END_BLOCKED:
        return burl__gen_oracle_stuck(o, run, out, err);
    case BURL_GEN_END_MAKE:
        snprintf(out->why, sizeof out->why, "the objects of the test could not be made");
        break;
    case BURL_GEN_END_CUT:
        snprintf(out->why, sizeof out->why, "the run took too many steps or too long (%s)",
                 burl_verdict_name(run->verdict.kind));
        break;
    }
    out->judgement = BURL_GEN_NOT_DECIDED;
    return BURL_OK;
}

enum burl_status
burl_gen_oracle_judge_all(struct burl_gen_oracle *o, const struct burl_gen_outcomes *outcomes,
                          bool compare_results, struct burl_gen_judged *out, struct burl_err *err)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < outcomes->n; i++) {
        const struct burl_gen_outcome *run = &outcomes->v[i];
        const bool failed = run->end != BURL_GEN_END_DONE;
        enum burl_status st;

        if (!failed && !compare_results)
            continue;
        st = burl_gen_oracle_judge(o, run, compare_results, &out->verdict, err);
        if (st != BURL_OK)
            return st;
        switch (out->verdict.judgement) {
        case BURL_GEN_VIOLATION:
            out->violation = run;
            return BURL_OK;
        case BURL_GEN_NOT_DECIDED:
            out->not_decided++;
            memcpy(out->why_not_decided, out->verdict.why, sizeof out->why_not_decided);
            break;
        case BURL_GEN_FINE:
            out->explained += failed;
            break;
        }
    }
    return BURL_OK;
}

/* ---- the table of the emitted test -------------------------------------------------- */

static bool
is_listed(const struct burl_gen_oracle *o, const struct burl__gen_lin *l)
{
    for (size_t i = 0; i < o->all.n; i++) {
        if (!first_difference(o, o->all.v[i].outcome, &l->outcome))
            return true;
    }
    return false;
}

enum burl_status
burl_gen_oracle_all(struct burl_gen_oracle *o, const struct burl_gen_linear **all, size_t *n,
                    struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    struct burl__gen_lin *l;

    *all = NULL;
    *n = 0;
    do
        st = run_next(o, &l, err);
    while (st == BURL_OK && l);
    if (st == BURL_OK)
        st = find_mask(o, err);
    if (st == BURL_OK && !o->checked)
        st = recheck_orders(o, err);
    if (st != BURL_OK)
        return st;
    /* An incomplete table would reject possible results: none instead. */
    if (!o->all_run || has_cut_order(o) || o->not_repeatable || find_undefined(o))
        return BURL_OK;
    o->all.n = 0;
    for (size_t i = 0; i < o->lins.n; i++) {
        struct burl__gen_lin *x = o->lins.v[i];

        if (x->outcome.end == BURL_GEN_END_DONE && !is_listed(o, x)) {
            struct burl_gen_linear row = { &x->order, &x->outcome };

            BURL_VEC_PUSH(&o->all, row);
        }
    }
    *all = o->all.v;
    *n = o->all.n;
    return BURL_OK;
}
