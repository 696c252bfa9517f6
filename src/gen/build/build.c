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
 * queue is where wakeups get lost); and a function with two objects of the shared type may get
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
    BURL_VEC(int) methods;
    BURL_VEC(struct prefix) prefixes;
    struct burl_map pre_runs;  /* their verdicts, by the hash of the calls */
    struct fn_record *records; /* by function */
};

struct burl_gen_builder *
burl_gen_builder_new(struct burl_gen_exec *x, uint64_t seed, struct burl_gen_build_stats *stats)
{
    const struct burl_gen_model *m = burl_gen_exec_model(x);
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
    struct burl_buf call = BURL_BUF_INIT;

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
static enum pre_run_verdict
pre_run(struct burl_gen_builder *b, struct suffix *s)
{
    const struct burl_gen_test *test = s->d.t;
    struct burl_gen_order order = { 0 };
    struct burl_gen_outcome o;
    uint64_t h = burl_gen_calls_hash(&test->prefix, 1);
    uint64_t v;

    for (int t = s->after_others ? 0 : s->d.list; t >= 0 && t <= s->d.list; t++) {
        h = burl_gen_calls_hash(&test->threads[t], h ^ 0x9e37u);
        for (size_t i = 0; i < test->threads[t].n; i++)
            order.thread[order.n++] = (uint8_t)t;
    }
    h |= 1;
    if (burl_map_get(&b->pre_runs, h, &v))
        return (enum pre_run_verdict)v;
    burl_gen_exec_sequential(b->x, test, &order, false, 0, &o);
    v = (uint64_t)verdict_of(b, s, &o);
    burl_map_set(&b->pre_runs, h, v);
    if (v != BAD)
        b->records[last_call(s)->fn].passed = true;
    else if (!burl_gen_exec_failed(b->x))
        record_failure(b, s, &o);
    burl_gen_outcome_deinit(&o);
    return (enum pre_run_verdict)v;
}

/* A call that blocks alone may return after the calls of the threads before: a take after their
 * put. The suffix is then extended further, and pre-run after them from now on. */
static enum pre_run_verdict
try_after_others(struct burl_gen_builder *b, struct suffix *s, enum pre_run_verdict v)
{
    if (v != BLOCKS || s->d.list < 1 || s->after_others)
        return v;
    s->after_others = true;
    s->after_others = pre_run(b, s) == GOOD;
    return s->after_others ? GOOD : v;
}

/* Appends a call of `fn` that passes its pre-run; BAD: none of the attempts did. */
static enum pre_run_verdict
extend(struct burl_gen_builder *b, struct suffix *s, int fn, bool on_self, unsigned attempts)
{
    const struct burl_gen_draft_mark before = burl_gen_draft_mark(&s->d);

    for (unsigned i = 0; i < attempts && !burl_gen_exec_failed(b->x); i++) {
        enum pre_run_verdict v;

        if (!burl_gen_draft_append(&s->d, fn, on_self))
            continue;
        v = pre_run(b, s);
        if (v != BAD)
            return v;
        burl_gen_draft_cut(&s->d, before);
        b->stats->rejected++;
    }
    return BAD;
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

/* The slot of a new object of the shared type; -1: none could be made. */
static int
make_shared(struct burl_gen_builder *b, struct suffix *s)
{
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        const int maker = burl_gen_draft_maker(&s->d, b->m->shared);

        if (maker < 0)
            break;
        if (extend(b, s, maker, false, 1) == GOOD)
            return last_call(s)->slot;
    }
    return -1;
}

static bool
build_prefix(struct burl_gen_builder *b, struct burl_rng *rng, unsigned k, bool two,
             struct burl_gen_test *out)
{
    struct suffix s = { .d = { .m = b->m, .rng = rng, .t = out, .list = -1 } };

    memset(out, 0, sizeof *out);
    out->self = make_shared(b, &s);
    if (out->self < 0)
        return false;
    if (two && burl_gen_coin(rng))
        (void)make_shared(b, &s);
    for (unsigned i = 0; i < k; i++)
        (void)extend(b, &s, draw_method(b, rng), true, 1);
    return true;
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

static const struct prefix *
get_prefix(struct burl_gen_builder *b, uint64_t round, unsigned k, bool two)
{
    const uint64_t key = (round * 2 + two) * 64 + k;
    struct prefix p = { .key = key };
    struct burl_rng rng;

    for (size_t i = b->prefixes.n; i > 0; i--) {
        if (b->prefixes.v[i - 1].key == key)
            return &b->prefixes.v[i - 1];
    }
    burl_rng_init(&rng, b->seed ^ (key * 0x9e3779b97f4a7c15ull));
    p.ok = build_prefix(b, &rng, k, two, &p.t);
    evict_prefixes(b);
    BURL_VEC_PUSH(&b->prefixes, p);
    return &b->prefixes.v[b->prefixes.n - 1];
}

/* ---- suffixes -------------------------------------------------------------------------------- */

static bool
build_suffix(struct burl_gen_builder *b, const struct burl_gen_build_request *r,
             struct burl_gen_test *t, unsigned thread)
{
    struct suffix s = { .d = { .m = b->m, .rng = &b->rng, .t = t, .list = (int)thread } };
    enum pre_run_verdict v = GOOD;

    for (unsigned i = 0; i < r->length && v == GOOD; i++) {
        const int fn = r->n_fns > 0 ? r->fns[(i + thread) % r->n_fns] : draw_method(b, &b->rng);

        v = try_after_others(b, &s, extend(b, &s, fn, true, ATTEMPTS));
        /* At random another call may be possible; a requested one must be. */
        if (v == BAD && r->n_fns == 0) {
            v = GOOD;
            continue;
        }
        if (v == BAD || t->threads[thread].n > MAX_SUFFIX_CALLS)
            return false;
    }
    return t->threads[thread].n > 0;
}

bool
burl_gen_build(struct burl_gen_builder *b, const struct burl_gen_build_request *r,
               struct burl_gen_test *out)
{
    const unsigned k =
        r->state_changers < MAX_STATE_CHANGERS ? r->state_changers : MAX_STATE_CHANGERS;
    const struct prefix *p;
    bool two = false;
    bool made;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < r->n_fns; i++)
        two = two || takes_two(b->m, r->fns[i]);
    p = get_prefix(b, r->round, k, two);
    if (!p->ok)
        return false;
    *out = burl_gen_test_copy(&p->t);
    out->n_threads = r->threads;
    made = true;
    for (unsigned i = 0; i < r->threads && made; i++)
        made = build_suffix(b, r, out, i);
    made = made && !burl_gen_exec_failed(b->x);
    if (!made)
        burl_gen_test_deinit(out);
    return made;
}
