/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/build/build.c - feedback-directed construction of tests (PAPERS 1.4 to 1.6); contract in
 * build.h.
 *
 * Every extension of a test is run sequentially before it is kept: a prefix that fails by itself,
 * or a suffix that fails by itself after its prefix, says nothing about threads. Verdicts of these
 * pre-runs are cached by the hash of the calls. All requests of one round share their prefixes, as
 * in the authors' program, where a round is the number of times a pair was tried.
 *
 * Departures: the suffixes keep strict alternation; a call that blocks in its pre-run is kept, as
 * the last of its suffix, if blocking is part of the function's contract (a take from an empty
 * queue is where wake-ups get lost); and a function with two objects of the shared type may get
 * the shared object as either of them, with a second one that both threads use.
 */
#include "gen/build/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "gen/test/draft.h"

#define ATTEMPTS 10u         /* per extension */
#define MAX_SUFFIX_CALLS 10u /* with those that make arguments; a longer suffix is discarded */
#define MAX_STATE_CHANGERS 5u
#define MAX_PREFIXES 256u /* cached; an evicted one is built again the same */

/* A prefix, or the fact that it could not be built. */
struct prefix {
    uint64_t key;
    bool ok;
    struct burl_gen_test t; /* prefix only */
};

/* How the pre-run of a sequence of calls ended. */
enum pre_run_verdict { GOOD = 0, BLOCKS, BAD };

/* Pre-runs whose last call was of this function. */
struct fn_record {
    bool passed; /* at least one did */
    char *why;   /* the last failure; NULL none */
};

/* A draft whose extensions are pre-run. */
struct suffix {
    struct burl_gen_draft d;
    bool after_others; /* pre-runs make the calls of the threads before it first */
};

struct burl_gen_builder {
    struct burl_gen_exec *x;
    const struct burl_gen_model *m;
    uint64_t seed;
    struct burl_rng rng;
    struct burl_gen_build_stats *stats;
    struct {
        BURL_VEC_OF(int);
    } methods;
    struct {
        BURL_VEC_OF(struct prefix);
    } prefixes;
    struct burl_map pre_runs;  /* their verdicts, by the hash of the calls */
    struct fn_record *records; /* by function */
};

struct burl_gen_builder *
burl_gen_builder_new(struct burl_gen_exec *x, const struct burl_gen_model *m, uint64_t seed,
                     struct burl_gen_build_stats *stats)
{
    struct burl_gen_builder *b = burl_xcalloc(1, sizeof *b);

    b->x = x;
    b->m = m;
    b->seed = seed;
    b->stats = stats;
    burl_rng_init(&b->rng, seed);
    b->records = burl_xcalloc(m->fns.n + 1, sizeof *b->records);
    for (size_t i = 0; i < m->fns.n; i++) {
        if (m->fns.v[i].kind == BURL_GEN_METHOD)
            BURL_VEC_PUSH(&b->methods, (int)i);
    }
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
    burl_map_deinit(&b->pre_runs);
    BURL_VEC_FREE(&b->methods);
    free(b);
}

void
burl_gen_builder_finish(struct burl_gen_builder *b)
{
    struct burl_gen_build_stats *s = b->stats;

    s->n_never_called = 0;
    for (size_t i = 0; i < b->methods.n; i++) {
        const int fn = b->methods.v[i];
        const struct fn_record *r = &b->records[fn];

        if (r->passed || r->why == NULL)
            continue;
        if (s->n_never_called < BURL_GEN_NEVER_CALLED) {
            s->never_called[s->n_never_called].fn = fn;
            snprintf(s->never_called[s->n_never_called].why, sizeof s->never_called[0].why, "%s",
                     r->why);
        }
        s->n_never_called++;
    }
}

static int
draw_method(const struct burl_gen_builder *b, struct burl_rng *rng)
{
    return b->methods.v[burl_rng_below(rng, b->methods.n)];
}

/* ---- pre-runs -------------------------------------------------------------------------------- */

static const struct burl_gen_call *
last_call(struct suffix *s)
{
    const struct burl_gen_calls *calls = burl_gen_draft_calls(&s->d);

    return &calls->v[calls->n - 1];
}

static enum pre_run_verdict
verdict_of(const struct burl_gen_builder *b, struct suffix *s, const struct burl_gen_outcome *o)
{
    unsigned last;

    if (o->end == BURL_GEN_END_DONE)
        return GOOD;
    if (o->end != BURL_GEN_END_BLOCKED || s->d.list < 0 || !b->m->fns.v[last_call(s)->fn].may_block)
        return BAD;
    /* It must be the new call that blocks. */
    last = burl_gen_test_first_call(s->d.t, (unsigned)s->d.list) +
           (unsigned)burl_gen_draft_calls(&s->d)->n - 1;
    return last < o->n_calls && o->state[last] == BURL_GEN_CALL_RUNNING ? BLOCKS : BAD;
}

/* Keeps the reason, for users of an API that rejects our calls. */
static void
record_failure(struct burl_gen_builder *b, struct suffix *s, const struct burl_gen_outcome *o)
{
    const struct burl_gen_call *last = last_call(s);
    struct burl_buf call;

    burl_buf_init(&call, BURL_BUF_NO_LIMIT);
    burl_gen_call_print(b->m, s->d.t, last, false, &call);
    snprintf(b->stats->why_rejected, sizeof b->stats->why_rejected, "%s: %s", burl_buf_str(&call),
             o->end == BURL_GEN_END_MAKE ? "it did not make an object"
                                         : burl_verdict_name(o->verdict.kind));
    b->stats->rejected_fn = last->fn;
    free(b->records[last->fn].why);
    b->records[last->fn].why = burl_xstrdup(b->stats->why_rejected);
    burl_buf_deinit(&call);
}

/* Runs the prefix, then the calls of the list that is extended. */
static enum burl_status
pre_run(struct burl_gen_builder *b, struct suffix *s, enum pre_run_verdict *out,
        struct burl_err *err)
{
    const struct burl_gen_test *test = s->d.t;
    struct burl_gen_order order = { 0 };
    struct burl_gen_outcome o = { 0 };
    uint64_t h = burl_gen_calls_hash(&test->prefix, 1);
    uint64_t cached;
    enum burl_status st;

    for (int t = s->after_others ? 0 : s->d.list; t >= 0 && t <= s->d.list; t++) {
        h = burl_gen_calls_hash(&test->threads[t], h ^ 0x9e37u);
        for (size_t i = 0; i < test->threads[t].n; i++)
            order.thread[order.n++] = (uint8_t)t;
    }
    h |= 1;
    if (burl_map_get(&b->pre_runs, h, &cached)) {
        *out = (enum pre_run_verdict)cached;
        return BURL_OK;
    }
    st = burl_gen_exec_sequential(b->x, test, &order, false, 0, &o, err);
    if (st != BURL_OK)
        return st;
    *out = verdict_of(b, s, &o);
    burl_map_set(&b->pre_runs, h, (uint64_t)*out);
    if (*out == BAD)
        record_failure(b, s, &o);
    else
        b->records[last_call(s)->fn].passed = true;
    burl_gen_outcome_deinit(&o);
    return BURL_OK;
}

/* A call that blocks alone may return after the calls of the threads before: a take after their
 * put. The suffix is then extended further, and pre-run after them from now on. */
static enum burl_status
try_after_others(struct burl_gen_builder *b, struct suffix *s, enum pre_run_verdict *v,
                 struct burl_err *err)
{
    enum pre_run_verdict after = BAD;
    enum burl_status st;

    if (*v != BLOCKS || s->d.list < 1 || s->after_others)
        return BURL_OK;
    s->after_others = true;
    st = pre_run(b, s, &after, err);
    if (after == GOOD)
        *v = GOOD;
    s->after_others = after == GOOD;
    return st;
}

/* Appends a call of `fn` that passes its pre-run; BAD: none of the attempts did. */
static enum burl_status
extend(struct burl_gen_builder *b, struct suffix *s, int fn, bool on_self, unsigned attempts,
       enum pre_run_verdict *out, struct burl_err *err)
{
    const struct burl_gen_draft_mark before = burl_gen_draft_mark(&s->d);
    enum burl_status st = BURL_OK;

    *out = BAD;
    for (unsigned i = 0; i < attempts && st == BURL_OK; i++) {
        if (!burl_gen_draft_append(&s->d, fn, on_self))
            continue;
        st = pre_run(b, s, out, err);
        if (st == BURL_OK && *out != BAD)
            return BURL_OK;
        burl_gen_draft_cut(&s->d, before);
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
make_shared(struct burl_gen_builder *b, struct suffix *s, int *slot, struct burl_err *err)
{
    enum pre_run_verdict v = BAD;
    enum burl_status st = BURL_OK;

    *slot = -1;
    for (unsigned i = 0; i < ATTEMPTS && st == BURL_OK; i++) {
        const int maker = burl_gen_draft_maker(&s->d, b->m->shared);

        if (maker < 0)
            break;
        st = extend(b, s, maker, false, 1, &v, err);
        if (st == BURL_OK && v == GOOD) {
            *slot = last_call(s)->slot;
            break;
        }
    }
    return st;
}

static enum burl_status
build_prefix(struct burl_gen_builder *b, struct burl_rng *rng, unsigned k, bool two,
             struct burl_gen_test *out, bool *made, struct burl_err *err)
{
    struct suffix s = { .d = { .m = b->m, .rng = rng, .t = out, .list = -1 } };
    int second;
    enum burl_status st;

    memset(out, 0, sizeof *out);
    st = make_shared(b, &s, &out->self, err);
    *made = st == BURL_OK && out->self >= 0;
    if (*made && two && burl_gen_coin(rng))
        st = make_shared(b, &s, &second, err);
    for (unsigned i = 0; i < k && *made && st == BURL_OK; i++) {
        enum pre_run_verdict v;

        st = extend(b, &s, draw_method(b, rng), true, 1, &v, err);
    }
    return st;
}

static void
evict_prefixes(struct burl_gen_builder *b)
{
    const size_t n = MAX_PREFIXES / 2;

    if (b->prefixes.n < MAX_PREFIXES)
        return;
    for (size_t i = 0; i < n; i++)
        burl_gen_test_deinit(&b->prefixes.v[i].t);
    memmove(b->prefixes.v, b->prefixes.v + n, (b->prefixes.n - n) * sizeof *b->prefixes.v);
    b->prefixes.n -= n;
}

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
    evict_prefixes(b);
    BURL_VEC_PUSH(&b->prefixes, p);
    *out = &b->prefixes.v[b->prefixes.n - 1];
    return BURL_OK;
}

/* ---- suffixes -------------------------------------------------------------------------------- */

static enum burl_status
build_suffix(struct burl_gen_builder *b, const struct burl_gen_build_request *r,
             struct burl_gen_test *t, unsigned thread, bool *made, struct burl_err *err)
{
    struct suffix s = { .d = { .m = b->m, .rng = &b->rng, .t = t, .list = (int)thread } };
    enum burl_status st = BURL_OK;
    enum pre_run_verdict v = GOOD;

    *made = true;
    for (unsigned i = 0; i < r->length && v == GOOD && st == BURL_OK && *made; i++) {
        const int fn = r->n_fns > 0 ? r->fns[(i + thread) % r->n_fns] : draw_method(b, &b->rng);

        st = extend(b, &s, fn, true, ATTEMPTS, &v, err);
        if (st == BURL_OK)
            st = try_after_others(b, &s, &v, err);
        /* At random another call may be possible; a requested one must be. */
        if (st == BURL_OK && v == BAD && r->n_fns == 0) {
            v = GOOD;
            continue;
        }
        *made = v != BAD && t->threads[thread].n <= MAX_SUFFIX_CALLS;
    }
    *made = *made && t->threads[thread].n > 0;
    return st;
}

enum burl_status
burl_gen_build(struct burl_gen_builder *b, const struct burl_gen_build_request *r,
               struct burl_gen_test *out, bool *made, struct burl_err *err)
{
    const unsigned k =
        r->state_changers < MAX_STATE_CHANGERS ? r->state_changers : MAX_STATE_CHANGERS;
    const struct prefix *p;
    bool two = false;
    enum burl_status st;

    memset(out, 0, sizeof *out);
    *made = false;
    for (size_t i = 0; i < r->n_fns; i++)
        two = two || takes_two(b->m, r->fns[i]);
    st = get_prefix(b, r->round, k, two, &p, err);
    if (st != BURL_OK || !p->ok)
        return st;
    *out = burl_gen_test_copy(&p->t);
    out->n_threads = r->threads;
    *made = true;
    for (unsigned i = 0; i < r->threads && *made && st == BURL_OK; i++)
        st = build_suffix(b, r, out, i, made, err);
    if (st != BURL_OK || !*made) {
        burl_gen_test_deinit(out);
        memset(out, 0, sizeof *out);
        *made = false;
    }
    return st;
}
