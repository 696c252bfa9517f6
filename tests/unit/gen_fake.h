/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/gen_fake.h - an API of a few lines and an executor for it, for tests of the oracle.
 *
 * The executor stands in for that of the product: it runs tests of one imaginary API, a counter
 * with a queue, in this process. Each call has two halves; a concurrent run is a random merge of
 * halves by the seed, so that the flags below make real atomicity violations, lost wakeups and
 * crashes, and without them every run is a linearization. The test that includes this must call
 * nothing else of gen/exec/exec.c: the linker then leaves the real executor out.
 */
#ifndef BURL_TESTS_GEN_FAKE_H
#define BURL_TESTS_GEN_FAKE_H

#include "base/rng.h"
#include "gen/exec/exec.h"
#include "gen/shrink/shrink.h"

enum {
    FN_NEW = 0,
    FN_FREE,
    FN_INC,     /* adds its argument; the new value */
    FN_GET,     /* the value */
    FN_PUSH,    /* how many there are now */
    FN_POP,     /* blocks while there is nothing; what was pushed first */
    FN_ADDRESS, /* a number that depends on the addresses */
    FN_CHECK,   /* aborts when the value is odd */
    FN_NAME,    /* bytes: as many letters as the value */
    FN_LATE,    /* 0 while the value is 0, then the time of day */
    FN_BARRIER, /* returns when another thread is in it */
    FN_DUMP,
    FN__N
};

struct burl_gen_exec {
    bool torn_inc;     /* reads in its first half, writes in its second */
    bool lost_wakeup;  /* pop() that began on an empty queue never looks again */
    bool torn_check;   /* inc() goes through an odd value */
    bool moody;        /* get() answers otherwise under a shift, when the value is 2 */
    bool cut_when_two; /* executions that reach value 2 are cut */
    bool bad_after_2;  /* inc() beyond 2 is a use after free */
    bool out_of_time;
    uint64_t n_sequential;
    uint64_t n_controlled;
    uint64_t n_fresh;
    uint64_t fails_after_fresh; /* nothing shows in a new process */
};

struct fake_state {
    int64_t value;
    int64_t queue[256];
    unsigned n;
    unsigned in_barrier;
};

struct fake_run {
    const struct burl_gen_exec *x;
    const struct burl_gen_model *m;
    const struct burl_gen_test *t;
    struct fake_state s;
    struct burl_gen_outcome *out;
    uint64_t shift;
    unsigned first[BURL_GEN_MAX_THREADS];
    unsigned at[BURL_GEN_MAX_THREADS]; /* next call */
    bool half[BURL_GEN_MAX_THREADS];   /* its first half is done */
    int64_t seen[BURL_GEN_MAX_THREADS];
    bool asleep[BURL_GEN_MAX_THREADS];
    bool over;
};

static struct burl_gen_model fake_model;

/* ---- model -------------------------------------------------------------------------- */

static void
fake_fn(const char *name, enum burl_gen_kind kind, enum burl_gen_result result, bool has_int)
{
    struct burl_gen_fn *f = BURL_VEC_ADD(&fake_model.fns);
    struct burl_gen_param *p;

    f->name = name;
    f->kind = kind;
    f->result = result;
    f->result_type = result == BURL_GEN_RESULT_OBJECT ? 0 : -1;
    f->result_ctype = "int";
    f->makes = kind == BURL_GEN_MAKE ? 0 : -1;
    f->self = kind == BURL_GEN_MAKE ? -1 : 0;
    if (kind != BURL_GEN_MAKE) {
        p = BURL_VEC_ADD(&f->params);
        p->name = "c";
        p->ctype = "struct counter *";
        p->role = BURL_GEN_ROLE_OBJECT;
        p->partner = -1;
    }
    if (has_int) {
        p = BURL_VEC_ADD(&f->params);
        p->name = "by";
        p->ctype = "int";
        p->role = BURL_GEN_ROLE_INT;
        p->type = -1;
        p->partner = -1;
        p->size_b = 4;
    }
}

static void
fake_model_make(bool dump)
{
    struct burl_gen_type *type = BURL_VEC_ADD(&fake_model.types);

    type->name = "struct counter";
    type->destroy = FN_FREE;
    fake_model.header = "counter.h";
    fake_fn("counter_new", BURL_GEN_MAKE, BURL_GEN_RESULT_OBJECT, false);
    fake_fn("counter_free", BURL_GEN_DESTROY, BURL_GEN_RESULT_VOID, false);
    fake_fn("counter_inc", BURL_GEN_METHOD, BURL_GEN_RESULT_INT, true);
    fake_fn("counter_get", BURL_GEN_METHOD, BURL_GEN_RESULT_INT, false);
    fake_fn("counter_push", BURL_GEN_METHOD, BURL_GEN_RESULT_INT, true);
    fake_fn("counter_pop", BURL_GEN_METHOD, BURL_GEN_RESULT_INT, false);
    fake_fn("counter_address", BURL_GEN_METHOD, BURL_GEN_RESULT_INT, false);
    fake_fn("counter_check", BURL_GEN_METHOD, BURL_GEN_RESULT_VOID, false);
    fake_fn("counter_name", BURL_GEN_METHOD, BURL_GEN_RESULT_STRING, false);
    fake_fn("counter_late", BURL_GEN_METHOD, BURL_GEN_RESULT_INT, false);
    fake_fn("counter_barrier", BURL_GEN_METHOD, BURL_GEN_RESULT_VOID, false);
    fake_fn("counter_total", BURL_GEN_METHOD, BURL_GEN_RESULT_INT, false);
    fake_model.fns.v[FN_DUMP].dump = dump;
}

static void
fake_model_end(void)
{
    burl_gen_model_deinit(&fake_model);
}

/* ---- tests -------------------------------------------------------------------------- */

static void
fake_add(struct burl_gen_calls *calls, int fn, int64_t arg)
{
    struct burl_gen_call *c = BURL_VEC_ADD(calls);
    struct burl_gen_arg *a;

    c->fn = fn;
    c->slot = fn == FN_NEW ? 0 : -1;
    if (fn == FN_NEW)
        return;
    a = BURL_VEC_ADD(&c->args);
    a->kind = BURL_GEN_ARG_SLOT;
    if (fn == FN_INC || fn == FN_PUSH) {
        a = BURL_VEC_ADD(&c->args);
        a->kind = BURL_GEN_ARG_INT;
        a->i = arg;
    }
}

static struct burl_gen_test
fake_test(unsigned n_threads)
{
    struct burl_gen_test t = { .n_threads = n_threads, .n_slots = 1, .self = 0 };

    fake_add(&t.prefix, FN_NEW, 0);
    return t;
}

/* ---- executions --------------------------------------------------------------------- */

static void
fake_value(struct fake_run *r, unsigned call, enum burl_gen_value_kind kind, uint64_t bits,
           uint32_t length)
{
    struct burl_gen_value *v = BURL_VEC_ADD(&r->out->values);

    v->kind = (uint8_t)kind;
    v->call = (uint16_t)call;
    v->bits = bits;
    v->length = length;
}

static void
fake_event(struct fake_run *r, unsigned thread, int fn, bool leave)
{
    struct burl_gen_event *e = BURL_VEC_ADD(&r->out->events);

    e->thread = (uint16_t)thread;
    e->fn = (uint16_t)fn;
    e->leave = leave;
}

static void
fake_fail(struct fake_run *r, uint8_t kind, unsigned call)
{
    r->out->end = BURL_GEN_END_FAILED;
    r->out->verdict.kind = kind;
    r->out->failed_call = (int)call;
    r->over = true;
}

static void
fake_inc(struct fake_run *r, unsigned call, int64_t base, int64_t by)
{
    if (r->x->bad_after_2 && base + by > 2) {
        fake_fail(r, BURL_VERDICT_USE_AFTER_FREE, call);
        return;
    }
    r->s.value = base + by;
    if (r->x->cut_when_two && r->s.value == 2) {
        r->out->end = BURL_GEN_END_CUT;
        r->out->verdict.kind = BURL_VERDICT_CUT_STEPS;
        r->over = true;
    }
    fake_value(r, call, BURL_GEN_VALUE_INT, (uint64_t)r->s.value, 0);
}

/* Everything a call does at its end; `seen` is what its beginning read. */
static void
fake_finish(struct fake_run *r, const struct burl_gen_call *c, unsigned call, int64_t seen)
{
    int64_t arg = c->args.n > 1 ? c->args.v[1].i : 0;
    uint64_t x;

    switch (c->fn) {
    case FN_NEW:
        fake_value(r, call, BURL_GEN_VALUE_SLOT, 0, 0);
        break;
    case FN_INC:
        fake_inc(r, call, r->x->torn_inc ? seen : r->s.value - (r->x->torn_check ? 1 : 0), arg);
        break;
    case FN_GET:
    case FN_DUMP:
        x = (uint64_t)r->s.value + (r->x->moody && r->shift && r->s.value == 2 ? 100 : 0);
        fake_value(r, call, BURL_GEN_VALUE_INT, x, 0);
        break;
    case FN_PUSH:
        assert_true(r->s.n < sizeof r->s.queue / sizeof r->s.queue[0]);
        r->s.queue[r->s.n++] = arg;
        fake_value(r, call, BURL_GEN_VALUE_INT, r->s.n, 0);
        break;
    case FN_POP:
        fake_value(r, call, BURL_GEN_VALUE_INT, (uint64_t)r->s.queue[0], 0);
        memmove(r->s.queue, r->s.queue + 1, --r->s.n * sizeof *r->s.queue);
        break;
    case FN_ADDRESS:
        /* In concurrent runs it lies elsewhere again. */
        fake_value(r, call, BURL_GEN_VALUE_INT, r->shift >> 4, 0);
        break;
    case FN_CHECK:
        if (r->s.value % 2)
            fake_fail(r, BURL_VERDICT_CRASH_ABORT, call);
        break;
    case FN_NAME:
        fake_value(r, call, BURL_GEN_VALUE_BYTES, 7, (uint32_t)r->s.value);
        break;
    case FN_LATE:
        fake_value(r, call, BURL_GEN_VALUE_INT, r->s.value ? r->shift : 0, 0);
        break;
    default:
        break;
    }
}

static bool
fake_can(const struct fake_run *r, unsigned thread, const struct burl_gen_call *c)
{
    if (c->fn == FN_POP && r->half[thread])
        return r->s.n > 0 && !r->asleep[thread];
    if (c->fn == FN_BARRIER && r->half[thread])
        return r->s.in_barrier >= 2;
    return true;
}

static void
fake_half(struct fake_run *r, unsigned thread, const struct burl_gen_call *c, unsigned call)
{
    if (!r->half[thread]) {
        r->half[thread] = true;
        r->out->state[call] = BURL_GEN_CALL_RUNNING;
        r->seen[thread] = r->s.value;
        r->asleep[thread] = r->x->lost_wakeup && c->fn == FN_POP && r->s.n == 0;
        r->s.in_barrier += c->fn == FN_BARRIER;
        if (c->fn == FN_INC && r->x->torn_check)
            r->s.value++;
        fake_event(r, thread, c->fn, false);
        return;
    }
    fake_finish(r, c, call, r->seen[thread]);
    if (r->over && r->out->end == BURL_GEN_END_FAILED)
        return;
    r->half[thread] = false;
    r->at[thread]++;
    r->out->state[call] = BURL_GEN_CALL_DONE;
    fake_event(r, thread, c->fn, true);
}

static int
fake_by_call(const void *a, const void *b)
{
    const struct burl_gen_value *x = a;
    const struct burl_gen_value *y = b;

    return (x->call > y->call) - (x->call < y->call);
}

/* One call from beginning to end, undisturbed; false: it blocks. */
static bool
fake_whole(struct fake_run *r, unsigned thread, const struct burl_gen_call *c, unsigned call)
{
    fake_half(r, thread, c, call);
    if (!fake_can(r, thread, c)) {
        r->out->end = BURL_GEN_END_BLOCKED;
        r->out->verdict.kind = BURL_VERDICT_DEADLOCK_STUCK;
        return false;
    }
    fake_half(r, thread, c, call);
    return !r->over;
}

static void
fake_begin(struct fake_run *r, struct burl_gen_exec *x, const struct burl_gen_test *t,
           uint64_t shift, struct burl_gen_outcome *out)
{
    unsigned n = (unsigned)t->prefix.n;

    memset(r, 0, sizeof *r);
    memset(out, 0, sizeof *out);
    r->x = x;
    r->t = t;
    r->out = out;
    r->shift = shift;
    out->failed_call = -1;
    for (unsigned k = 0; k < t->n_threads; k++) {
        r->first[k] = n;
        n += (unsigned)t->threads[k].n;
    }
    out->n_calls = n + fake_model.fns.v[FN_DUMP].dump;
    for (size_t i = 0; i < t->prefix.n && !r->over; i++) {
        (void)fake_whole(r, 7, &t->prefix.v[i], (unsigned)i);
        r->at[7] = 0;
    }
}

static void
fake_end(struct fake_run *r, bool dump)
{
    struct burl_gen_call c = { .fn = FN_DUMP, .slot = -1 };

    if (r->out->end == BURL_GEN_END_DONE && dump && fake_model.fns.v[FN_DUMP].dump)
        (void)fake_whole(r, 7, &c, r->out->n_calls - 1);
    if (r->out->values.n)
        qsort(r->out->values.v, r->out->values.n, sizeof *r->out->values.v, fake_by_call);
}

void
burl_gen_exec_sequential(struct burl_gen_exec *x, const struct burl_gen_test *t,
                         const struct burl_gen_order *order, bool dump, uint64_t shift,
                         struct burl_gen_outcome *out)
{
    struct fake_run r;

    x->n_sequential++;
    fake_begin(&r, x, t, shift, out);
    for (unsigned i = 0; i < order->n && !r.over; i++) {
        unsigned k = order->thread[i];

        if (!fake_whole(&r, k, &t->threads[k].v[r.at[k]], r.first[k] + r.at[k]))
            break;
    }
    fake_end(&r, dump);
}

static void
fake_concurrent(struct burl_gen_exec *x, const struct burl_gen_test *t, uint64_t seed,
                struct burl_gen_outcome *out)
{
    struct fake_run r;
    struct burl_rng rng;

    burl_rng_init(&rng, seed);
    fake_begin(&r, x, t, 0x777000 + seed * 16, out);
    out->seed = seed;
    out->strategy = BURL_STRATEGY_RANDOM;
    while (!r.over) {
        unsigned can[BURL_GEN_MAX_THREADS];
        unsigned n = 0;
        unsigned left = 0;
        unsigned k;

        for (k = 0; k < t->n_threads; k++) {
            if (r.at[k] == t->threads[k].n)
                continue;
            left++;
            if (fake_can(&r, k, &t->threads[k].v[r.at[k]]))
                can[n++] = k;
        }
        if (n == 0 && left > 0) {
            out->end = BURL_GEN_END_BLOCKED;
            out->verdict.kind = BURL_VERDICT_DEADLOCK_STUCK;
        }
        if (n == 0)
            break;
        k = can[burl_rng_below(&rng, n)];
        fake_half(&r, k, &t->threads[k].v[r.at[k]], r.first[k] + r.at[k]);
    }
    fake_end(&r, true);
}

uint64_t
burl_gen_exec_controlled(struct burl_gen_exec *x, const struct burl_gen_test *t,
                         const struct burl_gen_plan *plan, burl_gen_outcome_fn *fn, void *arg,
                         struct burl_gen_suspects *suspects)
{
    for (uint32_t i = 0; i < plan->schedules; i++) {
        struct burl_gen_outcome out;
        struct burl_gen_exec calm = { 0 };
        bool more;

        x->n_controlled++;
        fake_concurrent(x->n_fresh && x->fails_after_fresh ? &calm : x, t, plan->first_seed + i,
                        &out);
        /* Two calls of inc() in different threads race where they are not atomic. */
        if (suspects && x->torn_inc && suspects->n == 0 && t->n_threads > 1) {
            struct burl_wire_suspect *s = BURL_VEC_ADD(suspects);
            bool a = false;
            bool b = false;

            for (size_t k = 0; k < t->threads[0].n; k++)
                a |= t->threads[0].v[k].fn == FN_INC;
            for (size_t k = 0; k < t->threads[1].n; k++)
                b |= t->threads[1].v[k].fn == FN_INC;
            s->key = 4711;
            s->seed = plan->first_seed + i;
            suspects->n = a && b;
        }
        more = fn(arg, &out);
        burl_gen_outcome_deinit(&out);
        if (!more)
            break;
    }
    return 0;
}

void
burl_gen_exec_fresh(struct burl_gen_exec *x)
{
    x->n_fresh++;
}

bool
burl_gen_exec_failed(const struct burl_gen_exec *x)
{
    (void)x;
    return false;
}

int64_t
burl_gen_exec_left_ms(const struct burl_gen_exec *x)
{
    return x->out_of_time ? 0 : BURL_GEN_NO_LIMIT;
}

const struct burl_gen_model *
burl_gen_exec_model(const struct burl_gen_exec *x)
{
    (void)x;
    return &fake_model;
}

#endif
