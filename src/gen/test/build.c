/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/test/build.c - feedback-directed construction of tests (PAPERS 1.4 to 1.6).
 *
 * Every extension of a test is run sequentially before it is kept: a prefix that fails by itself,
 * or a suffix that fails by itself after its prefix, teaches nothing about threads. What was run
 * once is remembered by its hash. Prefixes are shared by all pairs at the same tried count, as in
 * the authors' program.
 *
 * Departures: the suffixes keep strict alternation; a call that waits in its pre-run is kept, as
 * the last of its suffix, when waiting is part of the function's contract (a take from an empty
 * queue is where wake-ups get lost); and a function with two objects of the shared type may have
 * the shared object as either of them, with a second one that both threads see.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "gen/test/build_int.h"

#define ATTEMPTS 10u         /* per extension */
#define MAX_SUFFIX_CALLS 10u /* with those that build arguments; more: discarded */
#define MAX_STATE_CHANGERS 5u
#define MAX_PREFIXES 256u /* remembered; one that was forgotten is built again the same */

/* A prefix as it was built once, or could not be. */
struct prefix {
    uint64_t key;
    bool ok;
    struct burl_gen_test t; /* prefix only */
};

/* What the pre-run of a sequence said. */
enum verdict { GOOD = 0, WAITS, BAD };

/* How pre-runs that ended with the function went. */
struct record {
    bool well;
    char *why; /* the last that did not; NULL none */
};

struct burl_gen_builder {
    struct burl_gen_exec *x;
    const struct burl_gen_model *m;
    const struct burl_gen_pairs *pairs;
    uint64_t seed;
    struct burl_rng rng;
    struct burl_gen_stats *stats;
    struct {
        BURL_VEC_OF(struct prefix);
    } prefixes;
    struct burl_map verdicts; /* of pre-runs, by the hash of their calls */
    struct record *records;   /* by function */
};

struct burl_gen_builder *
burl_gen_builder_new(struct burl_gen_exec *x, const struct burl_gen_model *m,
                     const struct burl_gen_pairs *pairs, uint64_t seed,
                     struct burl_gen_stats *stats)
{
    struct burl_gen_builder *b = burl_xcalloc(1, sizeof *b);

    b->x = x;
    b->m = m;
    b->pairs = pairs;
    b->seed = seed;
    b->stats = stats;
    burl_rng_init(&b->rng, seed);
    b->records = burl_xcalloc(m->fns.n + 1, sizeof *b->records);
    stats->rejected_fn = -1;
    return b;
}

void
burl_gen_builder_free(struct burl_gen_builder *b)
{
    if (b == NULL)
        return;
    for (size_t i = 0; i < b->prefixes.n; i++)
        burl_gen_test_deinit(&b->prefixes.v[i].t);
    BURL_VEC_FREE(&b->prefixes);
    for (size_t i = 0; i < b->m->fns.n; i++)
        free(b->records[i].why);
    free(b->records);
    burl_map_deinit(&b->verdicts);
    free(b);
}

void
burl_gen_builder_sum_up(struct burl_gen_builder *b)
{
    struct burl_gen_stats *s = b->stats;

    s->n_never = 0;
    for (size_t i = 0; i < b->pairs->n_methods; i++) {
        const int fn = b->pairs->methods[i];
        const struct record *r = &b->records[fn];

        if (r->well || r->why == NULL)
            continue;
        if (s->n_never < BURL_GEN_NEVER) {
            s->never[s->n_never].fn = fn;
            snprintf(s->never[s->n_never].why, sizeof s->never[0].why, "%s", r->why);
        }
        s->n_never++;
    }
}

/* ---- appending a call and what it needs ------------------------------------------------------ */

/* The calls that are being extended. */
static struct burl_gen_calls *
draft_calls(struct burl_gen_draft *d)
{
    return d->list < 0 ? &d->t->prefix : &d->t->threads[d->list];
}

/* A function that makes an object of this type, uniformly; -1 none. */
static int
find_maker(struct burl_gen_draft *d, int type)
{
    int pick = -1;
    uint64_t seen = 0;

    for (size_t i = 0; i < d->m->fns.n; i++) {
        const struct burl_gen_fn *f = &d->m->fns.v[i];

        if (f->kind == BURL_GEN_MAKE && f->makes == type && burl_rng_below(d->rng, ++seen) == 0)
            pick = (int)i;
    }
    return pick;
}

/* Was the object handed over to a function that ends it? */
static bool
is_consumed(const struct burl_gen_model *m, const struct burl_gen_calls *calls, int slot)
{
    for (size_t i = 0; calls != NULL && i < calls->n; i++) {
        const struct burl_gen_call *c = &calls->v[i];

        for (size_t k = 0; k < c->args.n; k++) {
            if (c->args.v[k].kind == BURL_GEN_ARG_SLOT && c->args.v[k].i == slot &&
                m->fns.v[c->fn].params.v[k].consumes)
                return true;
        }
    }
    return false;
}

/* Objects of the type that the list can see, uniformly; -1 none. `own`: that it made itself. */
static int
visible_slot(struct burl_gen_draft *d, int type, bool own)
{
    const struct burl_gen_calls *lists[2] = { &d->t->prefix,
                                              d->list >= 0 ? &d->t->threads[d->list] : NULL };
    int pick = -1;
    uint64_t seen = 0;

    for (int l = 0; l < 2; l++) {
        for (size_t i = 0; lists[l] != NULL && i < lists[l]->n; i++) {
            const struct burl_gen_call *c = &lists[l]->v[i];

            if (c->slot >= 0 && !(own && l == 0 && d->list >= 0) &&
                burl_gen_test_slot_type(d->t, d->m, c->slot) == type &&
                !is_consumed(d->m, lists[0], c->slot) && !is_consumed(d->m, lists[1], c->slot) &&
                burl_rng_below(d->rng, ++seen) == 0)
                pick = c->slot;
        }
    }
    return pick;
}

static bool
is_made(const struct burl_gen_model *m, int type)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        if (m->fns.v[i].kind == BURL_GEN_MAKE && m->fns.v[i].makes == type)
            return true;
    }
    return false;
}

/* What nobody else makes a method may hand out: "pool_get(p)". -1: none does. */
static int
lender(struct burl_gen_draft *d, int type)
{
    int pick = -1;
    uint64_t seen = 0;

    for (size_t i = 0; type != d->m->shared && i < d->m->fns.n; i++) {
        const struct burl_gen_fn *f = &d->m->fns.v[i];
        bool lends = f->result == BURL_GEN_RESULT_OBJECT && f->result_type == type;

        for (size_t k = 0; k < f->params.n; k++)
            lends |= f->params.v[k].role == BURL_GEN_ROLE_OUT_OBJECT && f->params.v[k].type == type;
        if (f->kind == BURL_GEN_METHOD && lends && burl_gen_fn_is_callable(d->m, f) &&
            burl_rng_below(d->rng, ++seen) == 0)
            pick = (int)i;
    }
    return pick;
}

/* Memory of ours is made before the threads: so their calls are those of the API only, and fewer
 * orders of them are to be looked at. */
static bool
make_object(struct burl_gen_draft *d, int type, int *slot)
{
    int maker = find_maker(d, type);
    const bool on_self = maker < 0;
    const int list = d->list;
    struct burl_gen_calls *calls;
    bool ok;

    if (on_self)
        maker = lender(d, type);
    if (maker < 0 || d->recursion >= BURL_GEN_MAX_RECURSION)
        return false;
    if (d->m->fns.v[maker].is_ours)
        d->list = -1;
    calls = draft_calls(d);
    ok = burl__gen_append(d, maker, on_self);
    d->list = list;
    if (!ok)
        return false;
    *slot = calls->v[calls->n - 1].slot;
    return *slot >= 0;
}

static bool
object_argument(struct burl_gen_draft *d, const struct burl_gen_param *p, struct burl_gen_arg *out)
{
    /* What ends with the call is new, or was lent to this thread. */
    const bool own = p->consumes;
    int slot = -1;

    if (!(own && is_made(d->m, p->type)) && burl__gen_coin(d->rng))
        slot = visible_slot(d, p->type, own);

    memset(out, 0, sizeof *out);
    out->kind = BURL_GEN_ARG_SLOT;
    if (slot < 0 && p->nullable && burl__gen_coin(d->rng)) {
        out->kind = BURL_GEN_ARG_NULL;
        return true;
    }
    if (slot < 0 && !make_object(d, p->type, &slot) && !own)
        slot = visible_slot(d, p->type, false);
    out->i = slot;
    if (slot >= 0)
        return true;
    out->kind = BURL_GEN_ARG_NULL;
    return p->nullable;
}

/* Which parameter the shared object goes to: the function's own, or another of its type. */
static int
self_param(struct burl_gen_draft *d, const struct burl_gen_fn *f)
{
    int pick = f->self;
    uint64_t seen = 0;

    for (size_t i = 0; i < f->params.n; i++) {
        if (f->params.v[i].role == BURL_GEN_ROLE_OBJECT && f->params.v[i].type == d->m->shared &&
            burl_rng_below(d->rng, ++seen) == 0)
            pick = (int)i;
    }
    return pick;
}

static bool
argument(struct burl_gen_draft *d, const struct burl_gen_fn *f, size_t param, int new_slot,
         struct burl_gen_arg *out)
{
    switch (f->params.v[param].role) {
    case BURL_GEN_ROLE_OBJECT:
        return object_argument(d, &f->params.v[param], out);
    case BURL_GEN_ROLE_STORAGE:
    case BURL_GEN_ROLE_OUT_OBJECT:
        memset(out, 0, sizeof *out);
        out->kind = BURL_GEN_ARG_SLOT;
        out->i = new_slot;
        return true;
    default:
        return burl__gen_literal(d, f, param, out);
    }
}

static bool
writes_slot(const struct burl_gen_fn *f)
{
    for (size_t i = 0; i < f->params.n; i++) {
        if (f->params.v[i].role == BURL_GEN_ROLE_STORAGE ||
            f->params.v[i].role == BURL_GEN_ROLE_OUT_OBJECT)
            return true;
    }
    return f->result == BURL_GEN_RESULT_OBJECT;
}

/* Takes back what was appended since. */
struct mark {
    size_t n_calls;
    size_t n_prefix;
    int n_slots;
};

static struct mark
mark(struct burl_gen_draft *d)
{
    return (struct mark){ draft_calls(d)->n, d->t->prefix.n, d->t->n_slots };
}

static void
cut_calls(struct burl_gen_calls *calls, size_t n)
{
    while (calls->n > n)
        burl_gen_call_deinit(&calls->v[--calls->n]);
}

static void
cut_back(struct burl_gen_draft *d, struct mark to)
{
    cut_calls(draft_calls(d), to.n_calls);
    cut_calls(&d->t->prefix, to.n_prefix);
    d->t->n_slots = to.n_slots;
}

bool
burl__gen_append(struct burl_gen_draft *d, int fn, bool on_self)
{
    const struct burl_gen_fn *f = &d->m->fns.v[fn];
    const struct mark before = mark(d);
    struct burl_gen_call c = { .fn = fn, .slot = -1 };
    const int self = on_self ? self_param(d, f) : -1;
    bool ok = true;

    d->recursion++;
    for (size_t i = 0; i < f->params.n && ok; i++) {
        struct burl_gen_arg a = { .kind = BURL_GEN_ARG_SLOT, .i = d->t->self };

        /* The slot is numbered below, when those of the arguments are. */
        if ((int)i != self)
            ok = argument(d, f, i, -1, &a);
        BURL_VEC_PUSH(&c.args, a);
    }
    d->recursion--;
    ok = ok && d->t->n_slots < BURL_GEN_MAX_SLOTS;
    if (!ok) {
        burl_gen_call_deinit(&c);
        cut_back(d, before);
        return false;
    }
    if (writes_slot(f))
        c.slot = d->t->n_slots++;
    for (size_t i = 0; i < f->params.n; i++) {
        if (f->params.v[i].role == BURL_GEN_ROLE_STORAGE ||
            f->params.v[i].role == BURL_GEN_ROLE_OUT_OBJECT)
            c.args.v[i].i = c.slot;
    }
    BURL_VEC_PUSH(draft_calls(d), c);
    return true;
}

/* ---- pre-runs -------------------------------------------------------------------------------- */

static enum verdict
verdict_of(const struct burl_gen_builder *b, struct burl_gen_draft *d,
           const struct burl_gen_outcome *o)
{
    struct burl_gen_calls *calls = draft_calls(d);
    const int last = calls->v[calls->n - 1].fn;
    unsigned at;

    if (o->end == BURL_GEN_END_DONE)
        return GOOD;
    if (o->end != BURL_GEN_END_BLOCKED || d->list < 0 || !b->m->fns.v[last].may_block)
        return BAD;
    /* It must be the new call that waits. */
    at = (unsigned)d->t->prefix.n;
    for (int t = 0; t < d->list; t++)
        at += (unsigned)d->t->threads[t].n;
    at += (unsigned)calls->n - 1;
    return at < o->n_calls && o->state[at] == BURL_GEN_CALL_RUNNING ? WAITS : BAD;
}

/* For the user whose API takes none of our calls. */
static void
say_why(struct burl_gen_builder *b, struct burl_gen_draft *d, const struct burl_gen_outcome *o)
{
    const struct burl_gen_calls *calls = draft_calls(d);
    struct burl_buf call;

    burl_buf_init(&call, BURL_BUF_NO_LIMIT);
    burl_gen_call_print(b->m, d->t, &calls->v[calls->n - 1], false, &call);
    snprintf(b->stats->why_rejected, sizeof b->stats->why_rejected, "%s: %s", burl_buf_str(&call),
             o->end == BURL_GEN_END_MAKE ? "it did not make an object"
                                         : burl_engine_verdict_name(o->verdict.kind));
    b->stats->rejected_fn = calls->v[calls->n - 1].fn;
    free(b->records[b->stats->rejected_fn].why);
    b->records[b->stats->rejected_fn].why = burl_xstrdup(b->stats->why_rejected);
    burl_buf_deinit(&call);
}

/* Prefix, then the calls of the list that is being extended. */
static enum burl_status
pre_run(struct burl_gen_builder *b, struct burl_gen_draft *d, enum verdict *out,
        struct burl_err *err)
{
    struct burl_gen_order order = { 0 };
    struct burl_gen_outcome o = { 0 };
    uint64_t h = burl_gen_calls_hash(&d->t->prefix, 1);
    uint64_t known;
    enum burl_status st;

    for (int t = d->after_others ? 0 : d->list; t >= 0 && t <= d->list; t++) {
        h = burl_gen_calls_hash(&d->t->threads[t], h ^ 0x9e37u);
        for (size_t i = 0; i < d->t->threads[t].n; i++)
            order.thread[order.n++] = (uint8_t)t;
    }
    h |= 1;
    if (burl_map_get(&b->verdicts, h, &known)) {
        *out = (enum verdict)known;
        return BURL_OK;
    }
    st = burl_gen_exec_sequential(b->x, d->t, &order, false, 0, &o, err);
    if (st != BURL_OK)
        return st;
    *out = verdict_of(b, d, &o);
    burl_map_set(&b->verdicts, h, (uint64_t)*out);
    if (*out == BAD)
        say_why(b, d, &o);
    else
        b->records[draft_calls(d)->v[draft_calls(d)->n - 1].fn].well = true;
    burl_gen_outcome_deinit(&o);
    return BURL_OK;
}

/* A call that waits by itself may go on after the calls of the threads before: a take after their
 * put. Then the suffix goes on as well, and all of it is run after them from now on. */
static enum burl_status
try_after_others(struct burl_gen_builder *b, struct burl_gen_draft *d, enum verdict *v,
                 struct burl_err *err)
{
    enum verdict after = BAD;
    enum burl_status st;

    if (*v != WAITS || d->list < 1 || d->after_others)
        return BURL_OK;
    d->after_others = true;
    st = pre_run(b, d, &after, err);
    if (after == GOOD)
        *v = GOOD;
    d->after_others = after == GOOD;
    return st;
}

/* Appends `fn` so that its pre-run goes well; BAD: none of the attempts did. */
static enum burl_status
extend(struct burl_gen_builder *b, struct burl_gen_draft *d, int fn, bool on_self,
       unsigned attempts, enum verdict *out, struct burl_err *err)
{
    const struct mark before = mark(d);
    enum burl_status st = BURL_OK;

    *out = BAD;
    for (unsigned i = 0; i < attempts && st == BURL_OK; i++) {
        if (!burl__gen_append(d, fn, on_self))
            continue;
        st = pre_run(b, d, out, err);
        if (st == BURL_OK && *out != BAD)
            return BURL_OK;
        cut_back(d, before);
        b->stats->rejected++;
    }
    return st;
}

/* ---- the prefix ------------------------------------------------------------------------------ */

static bool
takes_two(const struct burl_gen_model *m, int fn)
{
    unsigned n = 0;

    for (size_t i = 0; i < m->fns.v[fn].params.n; i++) {
        if (m->fns.v[fn].params.v[i].role == BURL_GEN_ROLE_OBJECT &&
            m->fns.v[fn].params.v[i].type == m->shared)
            n++;
    }
    return n > 1;
}

static enum burl_status
make_shared(struct burl_gen_builder *b, struct burl_gen_draft *d, int *slot, struct burl_err *err)
{
    enum verdict v = BAD;
    enum burl_status st = BURL_OK;

    *slot = -1;
    for (unsigned i = 0; i < ATTEMPTS && st == BURL_OK; i++) {
        const int maker = find_maker(d, b->m->shared);

        if (maker < 0)
            break;
        st = extend(b, d, maker, false, 1, &v, err);
        if (st == BURL_OK && v == GOOD) {
            *slot = d->t->prefix.v[d->t->prefix.n - 1].slot;
            break;
        }
    }
    return st;
}

static enum burl_status
build_prefix(struct burl_gen_builder *b, struct burl_rng *rng, unsigned k, bool two,
             struct burl_gen_test *out, bool *made, struct burl_err *err)
{
    struct burl_gen_draft d = { .m = b->m, .rng = rng, .t = out, .list = -1 };
    int second;
    enum burl_status st;

    memset(out, 0, sizeof *out);
    st = make_shared(b, &d, &out->self, err);
    *made = st == BURL_OK && out->self >= 0;
    if (*made && two && burl__gen_coin(rng))
        st = make_shared(b, &d, &second, err);
    for (unsigned i = 0; i < k && *made && st == BURL_OK; i++) {
        const size_t pick = (size_t)burl_rng_below(rng, b->pairs->n_methods);
        enum verdict v;

        st = extend(b, &d, b->pairs->methods[pick], true, 1, &v, err);
    }
    return st;
}

static void
forget_old_prefixes(struct burl_gen_builder *b)
{
    const size_t n = MAX_PREFIXES / 2;

    if (b->prefixes.n < MAX_PREFIXES)
        return;
    for (size_t i = 0; i < n; i++)
        burl_gen_test_deinit(&b->prefixes.v[i].t);
    memmove(b->prefixes.v, b->prefixes.v + n, (b->prefixes.n - n) * sizeof *b->prefixes.v);
    b->prefixes.n -= n;
}

/* All pairs at the same tried count share their prefixes. */
static enum burl_status
get_prefix(struct burl_gen_builder *b, uint64_t round, unsigned k, bool two,
           const struct prefix **out, struct burl_err *err)
{
    uint64_t key = (round * 2 + two) * 64 + k;
    struct prefix p = { .key = key };
    struct burl_rng rng;
    enum burl_status st;

    for (size_t i = b->prefixes.n; i > 0; i--) {
        if (b->prefixes.v[i - 1].key == key) {
            *out = &b->prefixes.v[i - 1];
            return BURL_OK;
        }
    }
    burl_rng_init(&rng, b->seed ^ (key * 0x9e3779b97f4a7c15ull));
    st = build_prefix(b, &rng, k, two, &p.t, &p.ok, err);
    if (st != BURL_OK) {
        burl_gen_test_deinit(&p.t);
        return st;
    }
    forget_old_prefixes(b);
    BURL_VEC_PUSH(&b->prefixes, p);
    *out = &b->prefixes.v[b->prefixes.n - 1];
    return BURL_OK;
}

/* ---- suffixes -------------------------------------------------------------------------------- */

static enum burl_status
build_suffix(struct burl_gen_builder *b, const struct burl_gen_pair *pair, struct burl_gen_test *t,
             unsigned thread, unsigned length, bool *made, struct burl_err *err)
{
    struct burl_gen_draft d = { .m = b->m, .rng = &b->rng, .t = t, .list = (int)thread };
    enum burl_status st = BURL_OK;
    enum verdict v = GOOD;

    *made = true;
    for (unsigned i = 0; i < length && v == GOOD && st == BURL_OK && *made; i++) {
        int fn;

        if (pair != NULL)
            fn = (i + thread) % 2 == 0 ? pair->a : pair->b;
        else
            fn = b->pairs->methods[burl_rng_below(&b->rng, b->pairs->n_methods)];
        st = extend(b, &d, fn, true, ATTEMPTS, &v, err);
        if (st == BURL_OK)
            st = try_after_others(b, &d, &v, err);
        /* At random another call may be possible; of a pair this one is wanted. */
        if (st == BURL_OK && v == BAD && pair == NULL) {
            v = GOOD;
            continue;
        }
        *made = v != BAD && t->threads[thread].n <= MAX_SUFFIX_CALLS;
    }
    *made = *made && t->threads[thread].n > 0;
    return st;
}

enum burl_status
burl_gen_build(struct burl_gen_builder *b, const struct burl_gen_pair *pair, unsigned threads,
               unsigned k, unsigned length, struct burl_gen_test *out, bool *made,
               struct burl_err *err)
{
    const uint64_t round = pair != NULL ? pair->tried : b->stats->tests;
    const bool two = pair != NULL && (takes_two(b->m, pair->a) || takes_two(b->m, pair->b));
    const struct prefix *p;
    enum burl_status st;

    memset(out, 0, sizeof *out);
    *made = false;
    if (k > MAX_STATE_CHANGERS)
        k = MAX_STATE_CHANGERS;
    st = get_prefix(b, round, k, two, &p, err);
    if (st != BURL_OK || !p->ok)
        return st;
    *out = burl_gen_test_copy(&p->t);
    out->n_threads = threads;
    *made = true;
    for (unsigned i = 0; i < threads && *made && st == BURL_OK; i++)
        st = build_suffix(b, pair, out, i, length, made, err);
    if (st != BURL_OK || !*made) {
        burl_gen_test_deinit(out);
        memset(out, 0, sizeof *out);
        *made = false;
    }
    return st;
}
