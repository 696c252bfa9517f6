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
#include <stdarg.h>
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

/* A string that changed after it was read may be any string: reading it was no call of the API. */
static bool
values_agree(const struct burl_gen_value *a, const struct burl_gen_value *b)
{
    const bool changed = a->kind == BURL_GEN_VALUE_CHANGED || b->kind == BURL_GEN_VALUE_CHANGED;

    return burl_gen_value_equal(a, b) ||
           (changed && a->call == b->call && a->param == b->param &&
            a->kind >= BURL_GEN_VALUE_BYTES && b->kind >= BURL_GEN_VALUE_BYTES);
}

static bool
has_changed(const struct burl_gen_outcome *r)
{
    for (size_t i = 0; i < r->values.n; i++) {
        if (r->values.v[i].kind == BURL_GEN_VALUE_CHANGED)
            return true;
    }
    return false;
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
        if (!values_agree(x, y)) {
            if (x->call != y->call)
                return x->call < y->call ? x : y;
            return x->param <= y->param ? x : y;
        }
        i++;
        j++;
    }
}

/* ---- how a run ended ---------------------------------------------------------------- */

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

/* ---- linearizations ----------------------------------------------------------------- */

struct burl_gen_oracle *
burl_gen_oracle_new(struct burl_gen_exec *x, const struct burl_gen_test *t, uint32_t max_linear)
{
    struct burl_gen_oracle *o = burl_xcalloc(1, sizeof *o);

    o->x = x;
    o->model = burl_gen_exec_model(x);
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
find_order(const struct burl_gen_oracle *o, const struct burl_gen_order *order)
{
    for (size_t i = 0; i < o->lins.n; i++) {
        const struct burl__gen_lin *l = o->lins.v[i];

        if (l->order.n == order->n && memcmp(l->order.thread, order->thread, order->n) == 0)
            return o->lins.v[i];
    }
    return NULL;
}

/* Takes over the outcome. */
static struct burl__gen_lin *
keep_linearization(struct burl_gen_oracle *o, const struct burl_gen_order *order,
                   const struct burl_gen_outcome *outcome)
{
    struct burl__gen_lin *l = burl_xcalloc(1, sizeof *l);

    l->order = *order;
    l->outcome = *outcome;
    l->hash = hash_outcome(o, &l->outcome);
    BURL_VEC_PUSH(&o->lins, l);
    return l;
}

/* The linearization of an order, which is run unless that was done. */
static const struct burl__gen_lin *
run_order(struct burl_gen_oracle *o, const struct burl_gen_order *order)
{
    const struct burl__gen_lin *l = find_order(o, order);
    struct burl_gen_outcome outcome;

    if (l)
        return l;
    burl_gen_exec_sequential(o->x, o->test, order, true, 0, &outcome);
    o->n_orders++;
    return keep_linearization(o, order, &outcome);
}

/* The next order that was not run; NULL when there is none, or none within the limit. */
static const struct burl__gen_lin *
run_next(struct burl_gen_oracle *o)
{
    while (!o->all_run && o->n_orders < o->max_linear) {
        const uint32_t before = o->n_orders;
        const struct burl__gen_lin *l;

        o->all_run = o->begun ? !burl_gen_merge_next(&o->next)
                              : !burl_gen_merge_first(&o->next, o->lengths, o->test->n_threads);
        o->begun = true;
        if (o->all_run)
            break;
        l = run_order(o, &o->next);
        if (o->n_orders > before) {
            o->all_run = o->n_orders == o->merges;
            return l;
        }
    }
    return NULL;
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

/* Runs the order of `l` under a shift and masks what differs. */
static void
mask_differences(struct burl_gen_oracle *o, const struct burl__gen_lin *l, uint64_t shift)
{
    const struct burl_gen_value *v;
    struct burl_gen_outcome r;

    burl_gen_exec_sequential(o->x, o->test, &l->order, true, shift, &r);
    o->not_repeatable |= r.end != BURL_GEN_END_DONE;
    while (r.end == BURL_GEN_END_DONE && (v = first_difference(o, &l->outcome, &r)) != NULL)
        BURL_VEC_PUSH(&o->masks, (struct burl__gen_mask){ fn_of_call(o, v->call), v->param });
    burl_gen_outcome_deinit(&r);
}

static void
mask_unstable(struct burl_gen_oracle *o, const struct burl__gen_lin *l)
{
    const size_t before = o->masks.n;

    mask_differences(o, l, BURL__GEN_SHIFT_1);
    mask_differences(o, l, BURL__GEN_SHIFT_2);
    for (size_t i = 0; o->masks.n != before && i < o->lins.n; i++)
        o->lins.v[i]->hash = hash_outcome(o, &o->lins.v[i]->outcome);
}

/* Finds the mask with the first linearization that completes. */
static void
find_mask(struct burl_gen_oracle *o)
{
    for (size_t i = 0; !o->probed; i++) {
        if (i == o->lins.n && !run_next(o))
            return;
        /* run_next() added one, which is number i: calls that were there already are passed. */
        if (o->lins.v[i]->outcome.end == BURL_GEN_END_DONE) {
            o->probed = true;
            mask_unstable(o, o->lins.v[i]);
        }
    }
}

/* ---- looking for a linearization that does the same --------------------------------- */

static bool
explains(const struct burl_gen_oracle *o, const struct burl__gen_lin *l,
         const struct burl_gen_outcome *run, uint64_t hash)
{
    return l->outcome.end == run->end && (l->hash == hash || has_changed(run)) &&
           (run->end != BURL_GEN_END_DONE || !first_difference(o, &l->outcome, run));
}

static bool
is_explained(const struct burl_gen_oracle *o, const struct burl_gen_outcome *run)
{
    const uint64_t hash = hash_outcome(o, run);

    for (size_t i = 0; i < o->lins.n; i++) {
        if (explains(o, o->lins.v[i], run, hash))
            return true;
    }
    return false;
}

/* Runs orders until one does the same as the run, or there are no more. */
static bool
find_explanation(struct burl_gen_oracle *o, const struct burl_gen_outcome *run)
{
    bool found = is_explained(o, run);
    const struct burl__gen_lin *l;
    uint64_t hash;

    for (int by_leave = 1; by_leave >= 0 && !found && run->events.n > 0; by_leave--) {
        struct burl_gen_order order;

        if (o->n_orders >= o->max_linear)
            break;
        guess_order(o, run, by_leave, &order);
        (void)run_order(o, &order);
        found = is_explained(o, run);
    }
    /* Computed only for runs that need it: a mask costs executions. */
    if (!found && run->end == BURL_GEN_END_DONE && !o->probed) {
        find_mask(o);
        found = is_explained(o, run);
    }
    hash = hash_outcome(o, run);
    while (!found && (l = run_next(o)) != NULL)
        found = explains(o, l, run, hash);
    return found;
}

/* ---- before a violation is reported -------------------------------------------------- */

/* Runs every order again, under other addresses, and keeps outcomes that differ. */
static void
recheck_orders(struct burl_gen_oracle *o)
{
    const size_t n = o->lins.n;

    o->checked = true;
    /* The order least like the one that the mask came from. */
    for (size_t i = n; o->probed && i-- > 0;) {
        if (o->lins.v[i]->outcome.end == BURL_GEN_END_DONE) {
            mask_unstable(o, o->lins.v[i]);
            break;
        }
    }
    for (size_t i = 0; i < n; i++) {
        const struct burl__gen_lin *l = o->lins.v[i];
        struct burl_gen_outcome r;

        burl_gen_exec_sequential(o->x, o->test, &l->order, true, BURL__GEN_SHIFT_1, &r);
        if (r.end == l->outcome.end && hash_outcome(o, &r) == l->hash) {
            burl_gen_outcome_deinit(&r);
            continue;
        }
        o->not_repeatable = true;
        (void)keep_linearization(o, &l->order, &r);
    }
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

/* An order that is undefined behavior: values after it mean nothing. */
static const struct burl__gen_lin *
find_undefined(const struct burl_gen_oracle *o)
{
    for (size_t i = 0; i < o->lins.n; i++) {
        const struct burl_gen_outcome *r = &o->lins.v[i]->outcome;

        if (r->end == BURL_GEN_END_FAILED && r->verdict.kind != BURL_VERDICT_EXIT_NONZERO &&
            r->verdict.kind != BURL_VERDICT_CRASH_ABORT)
            return o->lins.v[i];
    }
    return NULL;
}

void
burl__gen_decide(struct burl_gen_verdict *out, enum burl_gen_judgement judgement, const char *fmt,
                 ...)
{
    va_list ap;

    out->judgement = judgement;
    va_start(ap, fmt);
    vsnprintf(out->why, sizeof out->why, fmt, ap);
    va_end(ap);
}

/* Says why an unexplained run is not a violation; false: it is one. */
static bool
is_undecidable(const struct burl_gen_oracle *o, const struct burl_gen_outcome *run,
               struct burl_gen_verdict *out)
{
    const enum burl_gen_judgement not_decided = BURL_GEN_NOT_DECIDED;
    const struct burl__gen_lin *u = find_undefined(o);

    if (!o->all_run)
        burl__gen_decide(out, not_decided, "%llu orders of the calls, and the limit is %u",
                         (unsigned long long)o->merges, o->max_linear);
    else if (has_cut_order(o))
        burl__gen_decide(out, not_decided, "an order of the calls took too many steps or too long");
    else if (o->not_repeatable)
        burl__gen_decide(out, not_decided, "the API is not deterministic when called sequentially");
    else if (run->end == BURL_GEN_END_DONE && u)
        burl__gen_decide(out, not_decided, "an order of the calls fails by itself with %s in %s()",
                         burl_verdict_name(u->outcome.verdict.kind),
                         burl__gen_fn_name(o, fn_of_call(o, u->outcome.failed_call)));
    else if (run->end == BURL_GEN_END_DONE && !any_ends(o, BURL_GEN_END_DONE))
        burl__gen_decide(out, not_decided, "no order of the calls completes: %s",
                         any_ends(o, BURL_GEN_END_BLOCKED) ? "they wait for each other"
                                                           : "each fails");
    else
        return false;
    return true;
}

static void
set_violation(const struct burl_gen_oracle *o, const struct burl_gen_outcome *run,
              struct burl_gen_verdict *out)
{
    const int fn = fn_of_call(o, run->failed_call);
    const char *kind = burl_verdict_name(run->verdict.kind);

    out->by_results = run->end == BURL_GEN_END_DONE;
    if (out->by_results)
        burl__gen_decide(out, BURL_GEN_VIOLATION,
                         "none of the %u orders of the calls gives these results", o->n_orders);
    else if (run->end == BURL_GEN_END_BLOCKED)
        burl__gen_decide(
            out, BURL_GEN_VIOLATION,
            "%s after the threads ended, which none of the %u orders of the calls leads to", kind,
            o->n_orders);
    else if (fn >= 0)
        burl__gen_decide(out, BURL_GEN_VIOLATION,
                         "%s in %s(), where none of the %u orders of the calls fails", kind,
                         burl__gen_fn_name(o, fn), o->n_orders);
    else
        burl__gen_decide(out, BURL_GEN_VIOLATION,
                         "%s outside of calls, where none of the %u orders of the calls fails",
                         kind, o->n_orders);
}

/* A call of a weak function that may have failed spuriously; NULL none. If its result is a number,
 * any number may mean failure. */
static const char *
weak_failure(const struct burl_gen_oracle *o, const struct burl_gen_outcome *run)
{
    for (size_t i = 0; run->end == BURL_GEN_END_DONE && i < run->values.n; i++) {
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

void
burl__gen_oracle_end(struct burl_gen_oracle *o, const struct burl_gen_outcome *run,
                     struct burl_gen_verdict *out)
{
    const char *weak = weak_failure(o, run);
    bool found = find_explanation(o, run);

    if (!found && !is_undecidable(o, run, out) && !o->checked) {
        recheck_orders(o);
        found = is_explained(o, run);
    }
    out->n_linear = o->n_orders;
    if (found)
        burl__gen_decide(out, BURL_GEN_FINE, "%s", "");
    else if (is_undecidable(o, run, out))
        return;
    else if (weak)
        burl__gen_decide(out, BURL_GEN_NOT_DECIDED,
                         "%s() failed, as it may without reason (\"weak\")", weak);
    else if (run->end == BURL_GEN_END_DONE && run->contended &&
             !burl_gen_test_is_strict(o->model, o->test))
        burl__gen_decide(out, BURL_GEN_NOT_DECIDED,
                         "a trylock or timed wait in a call gave up because of another thread, "
                         "which no order of the calls has");
    else
        set_violation(o, run, out);
}

struct burl_gen_verdict
burl_gen_oracle_judge(struct burl_gen_oracle *o, const struct burl_gen_outcome *run,
                      bool compare_results)
{
    struct burl_gen_verdict v = { .judgement = BURL_GEN_FINE };

    switch (run->end) {
    case BURL_GEN_END_DONE:
        /* A merge of the calls does not order threads of the API. */
        if (compare_results && run->own_threads)
            burl__gen_decide(
                &v, BURL_GEN_NOT_DECIDED,
                "the API has threads of its own, and results may depend on how far they came");
        else if (compare_results)
            burl__gen_oracle_end(o, run, &v);
        break;
    case BURL_GEN_END_FAILED:
        burl__gen_oracle_end(o, run, &v);
        break;
    case BURL_GEN_END_BLOCKED:
        burl__gen_oracle_stuck(o, run, &v);
        break;
    case BURL_GEN_END_MAKE:
        burl__gen_decide(&v, BURL_GEN_NOT_DECIDED, "the objects of the test could not be made");
        break;
    case BURL_GEN_END_CUT:
        burl__gen_decide(&v, BURL_GEN_NOT_DECIDED, "the run took too many steps or too long (%s)",
                         burl_verdict_name(run->verdict.kind));
        break;
    }
    return v;
}

struct burl_gen_judged
burl_gen_oracle_judge_all(struct burl_gen_oracle *o, const struct burl_gen_outcomes *outcomes,
                          bool compare_results)
{
    struct burl_gen_judged all = { 0 };

    for (size_t i = 0; i < outcomes->n && !all.violation; i++) {
        const struct burl_gen_outcome *run = &outcomes->v[i];

        all.verdict = burl_gen_oracle_judge(o, run, compare_results);
        switch (all.verdict.judgement) {
        case BURL_GEN_VIOLATION:
            all.violation = run;
            break;
        case BURL_GEN_NOT_DECIDED:
            all.not_decided++;
            memcpy(all.why_not_decided, all.verdict.why, sizeof all.why_not_decided);
            break;
        case BURL_GEN_FINE:
            all.explained += run->end != BURL_GEN_END_DONE;
            break;
        }
    }
    return all;
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

void
burl_gen_oracle_all(struct burl_gen_oracle *o, const struct burl_gen_linear **all, size_t *n)
{
    while (run_next(o))
        ;
    find_mask(o);
    if (!o->checked)
        recheck_orders(o);
    o->all.n = 0;
    /* An incomplete table would reject possible results: none instead. */
    if (o->all_run && !has_cut_order(o) && !o->not_repeatable && !find_undefined(o)) {
        for (size_t i = 0; i < o->lins.n; i++) {
            const struct burl__gen_lin *l = o->lins.v[i];

            if (l->outcome.end == BURL_GEN_END_DONE && !is_listed(o, l))
                BURL_VEC_PUSH(&o->all, (struct burl_gen_linear){ &l->order, &l->outcome });
        }
    }
    *all = o->all.v;
    *n = o->all.n;
}
