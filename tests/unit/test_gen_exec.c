/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_gen_exec.c - the executor of `burl gen` on a small queue, in real processes.
 *
 * The laws: values are those of C, whatever the order of calls; what depends on addresses shows
 * under another shift; a blocked call is BLOCKED and is named; a crash is FAILED and names the
 * call; schedules of two pushes lose an element where the lock is given up in between, and never
 * where it is not; the same seeds give the same outcomes; a thousand tests leave the process as it
 * was.
 */
#include "unit.h"

#include "base/hash.h"
#include "gen/exec/exec_int.h"
#include "gen_queue.h"

static char *dir;
static struct burl_gen_model model;
static struct burl_gen_exec *buggy;
static struct burl_gen_exec *fixed;
static struct burl_err err;

static struct burl_gen_exec *
open_queue(const char *flag, const char *name)
{
    char *source = burl_path_join(dir, "queue.c");
    char *build = burl_path_join(dir, name);
    const char *words[] = { source, flag, NULL };
    const struct burl_gen_exec_opts o = {
        .model = &model,
        .sources = { .header = model.header, .words = words, .n_words = 2 },
        .dir = build,
        .burl = getenv("BURL"),
        .cc_flags = "",
        .max_steps = 100000,
        .exec_timeout_ms = 5000,
    };
    struct burl_gen_exec *x;

    EXPECT_OK(burl_gen_exec_open(&x, &o, &err), &err);
    free(source);
    free(build);
    return x;
}

static int
set_up(void **state)
{
    char *header;
    char *source;

    (void)state;
    if (!getenv("BURL"))
        setenv("BURL", "build/burl", 1);
    dir = unit_mkdir();
    header = burl_path_join(dir, "queue.h");
    source = burl_path_join(dir, "queue.c");
    EXPECT_OK(burl_fs_write_atomic(header, gen_queue_header, strlen(gen_queue_header), &err), &err);
    EXPECT_OK(burl_fs_write_atomic(source, gen_queue_source, strlen(gen_queue_source), &err), &err);
    gen_queue_model(&model, header);
    buggy = open_queue("-DBUGGY", "b");
    fixed = open_queue("-DFIXED", "f");
    free(header);
    free(source);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    burl_gen_exec_close(buggy);
    burl_gen_exec_close(fixed);
    burl_gen_model_deinit(&model);
    unit_rmdir(dir);
    return 0;
}

/* ---- looking at outcomes ------------------------------------------------------------ */

static const struct burl_gen_value *
value_of(const struct burl_gen_outcome *o, unsigned call, unsigned param)
{
    for (size_t i = 0; i < o->values.n; i++) {
        if (o->values.v[i].call == call && o->values.v[i].param == param)
            return &o->values.v[i];
    }
    return NULL;
}

static int64_t
int_of(const struct burl_gen_outcome *o, unsigned call, unsigned param)
{
    const struct burl_gen_value *v = value_of(o, call, param);

    if (!v || v->kind != BURL_GEN_VALUE_INT)
        fail_msg("call %u, parameter %u has no integer", call, param);
    return (int64_t)v->bits;
}

/* All prefix calls of the test, then the dump. */
static struct burl_gen_outcome
run_prefix(const struct burl_gen_test *t, uint64_t shift)
{
    struct burl_gen_outcome o;

    burl_gen_exec_sequential(fixed, t, NULL, true, shift, &o);
    EXPECT_OK(burl_gen_exec_status(fixed, &err), &err);
    return o;
}

static struct burl_gen_arg *
last_arg(struct burl_gen_calls *c)
{
    return &c->v[c->n - 1].args.v[c->v[c->n - 1].args.n - 1];
}

/* ---- values ------------------------------------------------------------------------- */

static void
values_are_those_of_c(void **state)
{
    struct burl_gen_test t = gen_queue_test(&model, 4, 0);
    struct burl_gen_outcome o;
    const struct burl_gen_value *v;

    (void)state;
    gen_call_int(&t.prefix, &model, Q_PUSH, 0, 3); /* 1 */
    gen_call_int(&t.prefix, &model, Q_PUSH, 0, 5);
    gen_call(&t.prefix, &model, Q_FIRST, 0); /* 3: a short that is negative */
    gen_call(&t.prefix, &model, Q_READ, 0)->args.v[1].i = 3;
    gen_call(&t.prefix, &model, Q_NAME, 0); /* 5 */
    gen_call(&t.prefix, &model, Q_SET_NAME, 0);
    *last_arg(&t.prefix) =
        (struct burl_gen_arg){ .kind = BURL_GEN_ARG_BYTES, .n_bytes = 2, .bytes = "ab" };
    gen_call(&t.prefix, &model, Q_NAME, 0); /* 7 */
    gen_call(&t.prefix, &model, Q_SWAP, 0);
    *last_arg(&t.prefix) = (struct burl_gen_arg){ .kind = BURL_GEN_ARG_PAYLOAD, .i = 4 };
    gen_call(&t.prefix, &model, Q_SWAP, 0); /* 9 */
    gen_call(&t.prefix, &model, Q_EACH, 0)->args.v[1].i = 1;
    o = run_prefix(&t, 0);
    assert_int_equal(o.end, BURL_GEN_END_DONE);
    assert_int_equal(o.n_calls, 12);
    for (unsigned i = 0; i < o.n_calls; i++)
        assert_int_equal(o.state[i], BURL_GEN_CALL_DONE);
    assert_int_equal(value_of(&o, 0, 0)->kind, BURL_GEN_VALUE_SLOT);
    assert_int_equal(int_of(&o, 1, 0), 0);
    assert_int_equal(int_of(&o, 3, 0), 1);
    assert_int_equal(int_of(&o, 3, 2), -3);
    v = value_of(&o, 4, 2);
    assert_int_equal(v->kind, BURL_GEN_VALUE_BYTES);
    assert_int_equal(v->length, 3);
    assert_memory_equal(v->bytes, "df\0", 3);
    assert_int_equal(value_of(&o, 5, 0)->kind, BURL_GEN_VALUE_NULL);
    assert_int_equal(int_of(&o, 6, 0), 2);
    assert_memory_equal(value_of(&o, 7, 0)->bytes, "ab", 2);
    assert_int_equal(value_of(&o, 8, 0)->kind, BURL_GEN_VALUE_NULL);
    assert_int_equal(value_of(&o, 9, 0)->kind, BURL_GEN_VALUE_PAYLOAD);
    assert_int_equal(value_of(&o, 9, 0)->bits, 4);
    assert_int_equal(int_of(&o, 10, 0), 2); /* the callback gave 1 twice */
    assert_int_not_equal(int_of(&o, 10, 2), 0);
    assert_int_equal(int_of(&o, 11, 0), 2); /* the dump */
    burl_gen_outcome_deinit(&o);
    burl_gen_test_deinit(&t);
}

static void
order_of_calls_is_the_order_given(void **state)
{
    struct burl_gen_test t = gen_queue_test(&model, 4, 2);
    const struct burl_gen_order orders[] = { { { 0, 1, 1 }, 3 }, { { 1, 0, 1 }, 3 } };
    struct burl_gen_outcome o;

    (void)state;
    gen_call_int(&t.threads[0], &model, Q_PUSH, 0, 7);
    gen_call_int(&t.threads[1], &model, Q_PUSH, 0, 8);
    gen_call(&t.threads[1], &model, Q_POP, 0);
    for (int i = 0; i < 2; i++) {
        burl_gen_exec_sequential(fixed, &t, &orders[i], true, 0, &o);
        EXPECT_OK(burl_gen_exec_status(fixed, &err), &err);
        assert_int_equal(o.end, BURL_GEN_END_DONE);
        assert_int_equal(int_of(&o, 3, 0), i == 0 ? 7 : 8);
        burl_gen_outcome_deinit(&o);
    }
    burl_gen_test_deinit(&t);
}

static void
storage_is_made_used_and_ended(void **state)
{
    struct burl_gen_test t = gen_queue_test(&model, 4, 0);
    struct burl_gen_outcome o;

    (void)state;
    t.n_slots = 2;
    gen_call_int(&t.prefix, &model, C_INIT, 0, 9);
    t.prefix.v[1].slot = 1;
    gen_call(&t.prefix, &model, Q_PUT_CELL, 0)->args.v[1] =
        (struct burl_gen_arg){ .kind = BURL_GEN_ARG_SLOT, .i = 1 };
    gen_call(&t.prefix, &model, Q_POP, 0);
    o = run_prefix(&t, 0);
    assert_int_equal(o.end, BURL_GEN_END_DONE);
    assert_int_equal(int_of(&o, 3, 0), 9);
    burl_gen_outcome_deinit(&o);
    /* A constructor that says no. */
    last_arg(&t.prefix)->i = 0;
    t.prefix.v[1].args.v[1].i = -1;
    o = run_prefix(&t, 0);
    assert_int_equal(o.end, BURL_GEN_END_MAKE);
    assert_int_equal(o.state[2], BURL_GEN_CALL_NOT_BEGUN);
    burl_gen_outcome_deinit(&o);
    burl_gen_test_deinit(&t);
}

static void
addresses_differ_under_a_shift(void **state)
{
    struct burl_gen_test t = gen_queue_test(&model, 4, 0);
    struct burl_gen_outcome o[3];

    (void)state;
    gen_call(&t.prefix, &model, Q_WHERE, 0);
    o[0] = run_prefix(&t, 0);
    o[1] = run_prefix(&t, 0);
    o[2] = run_prefix(&t, 7);
    assert_int_equal(int_of(&o[0], 1, 0), int_of(&o[1], 1, 0));
    assert_int_not_equal(int_of(&o[0], 1, 0), int_of(&o[2], 1, 0));
    for (int i = 0; i < 3; i++)
        burl_gen_outcome_deinit(&o[i]);
    burl_gen_test_deinit(&t);
}

/* ---- ends --------------------------------------------------------------------------- */

static void
a_call_that_waits_for_ever_is_blocked(void **state)
{
    struct burl_gen_test t = gen_queue_test(&model, 4, 0);
    struct burl_gen_outcome o;

    (void)state;
    gen_call(&t.prefix, &model, Q_WAIT, 0);
    o = run_prefix(&t, 0);
    assert_int_equal(o.end, BURL_GEN_END_BLOCKED);
    assert_int_equal(o.verdict.kind, BURL_VERDICT_DEADLOCK_STUCK);
    assert_int_equal(o.state[1], BURL_GEN_CALL_RUNNING);
    assert_int_equal(o.state[2], BURL_GEN_CALL_NOT_BEGUN);
    burl_gen_outcome_deinit(&o);
    burl_gen_test_deinit(&t);
}

static void
a_crash_names_its_call(void **state)
{
    struct burl_gen_test t = gen_queue_test(&model, 4, 0);
    struct burl_gen_outcome o;

    (void)state;
    gen_call_int(&t.prefix, &model, Q_PUSH, 0, 1);
    gen_call(&t.prefix, &model, Q_CRASH, 0);
    gen_call_int(&t.prefix, &model, Q_PUSH, 0, 2);
    gen_call(&t.prefix, &model, Q_CRASH, 0);
    o = run_prefix(&t, 0);
    assert_int_equal(o.end, BURL_GEN_END_FAILED);
    assert_int_equal(o.verdict.kind, BURL_VERDICT_CRASH_SIGNAL);
    assert_int_equal(o.verdict.code, 11);
    assert_int_equal(o.failed_call, 4);
    assert_int_equal(int_of(&o, 2, 0), 0); /* what came before it is known */
    burl_gen_outcome_deinit(&o);
    burl_gen_test_deinit(&t);
}

/* ---- schedules ---------------------------------------------------------------------- */

struct seen {
    unsigned n;
    unsigned lost;     /* an element */
    unsigned overlaps; /* runs in which both threads were in push */
    unsigned failed;
    int failed_call;
    uint64_t hash;
    uint64_t expect; /* elements */
};

static bool
look(void *arg, const struct burl_gen_outcome *o)
{
    struct seen *s = arg;
    int inside[2] = { 0, 0 };
    bool overlap = false;

    s->n++;
    s->hash = burl_hash_u64(s->hash, o->trace_hash);
    s->hash = burl_hash_u64(s->hash, o->values.n);
    if (o->end != BURL_GEN_END_DONE) {
        s->failed++;
        s->failed_call = o->failed_call;
        return true;
    }
    s->lost += value_of(o, o->n_calls - 1, 0)->bits != s->expect;
    for (size_t i = 0; i < o->events.n; i++) {
        if (o->events.v[i].thread < 2)
            inside[o->events.v[i].thread] += o->events.v[i].leave ? -1 : 1;
        overlap |= inside[0] > 0 && inside[1] > 0;
    }
    s->overlaps += overlap;
    return true;
}

static struct burl_gen_test
two_pushes(void)
{
    struct burl_gen_test t = gen_queue_test(&model, 8, 2);

    gen_call_int(&t.threads[0], &model, Q_PUSH, 0, 1);
    gen_call_int(&t.threads[1], &model, Q_PUSH, 0, 2);
    return t;
}

static struct seen
run_schedules(struct burl_gen_exec *x, const struct burl_gen_test *t, uint32_t n, uint64_t expect)
{
    const struct burl_gen_plan plan = { .schedules = n, .first_seed = 1, .strategy = -1 };
    struct seen s = { .expect = expect };

    burl_gen_exec_controlled(x, t, &plan, look, &s, NULL);
    EXPECT_OK(burl_gen_exec_status(x, &err), &err);
    assert_int_equal(s.n, n);
    return s;
}

static void
schedules_show_the_lost_element(void **state)
{
    struct burl_gen_test t = two_pushes();
    struct seen s = run_schedules(buggy, &t, 100, 2);

    (void)state;
    assert_int_equal(s.failed, 0);
    assert_int_not_equal(s.lost, 0);
    assert_int_not_equal(s.overlaps, 0);
    assert_true(s.overlaps < s.n); /* the first has no preemption */
    s = run_schedules(fixed, &t, 400, 2);
    assert_int_equal(s.lost, 0);
    assert_int_not_equal(s.overlaps, 0);
    burl_gen_test_deinit(&t);
}

static bool
keep_first(void *arg, const struct burl_gen_outcome *o)
{
    struct burl_gen_outcome *to = arg;

    if (to->n_calls == 0 && value_of(o, o->n_calls - 1, 0)->bits == 1) {
        to->seed = o->seed;
        to->strategy = o->strategy;
        to->trace_hash = o->trace_hash;
        to->n_calls = o->n_calls;
    }
    return true;
}

static void
a_seed_gives_the_same_run_again(void **state)
{
    struct burl_gen_test t = two_pushes();
    struct burl_gen_plan plan = { .schedules = 100, .first_seed = 1, .strategy = -1 };
    struct burl_gen_outcome first = { 0 };
    struct burl_gen_outcome again = { 0 };

    (void)state;
    run_schedules(buggy, &t, 100, 2); /* now the points are known */
    burl_gen_exec_controlled(buggy, &t, &plan, keep_first, &first, NULL);
    EXPECT_OK(burl_gen_exec_status(buggy, &err), &err);
    assert_int_not_equal(first.n_calls, 0);
    plan = (struct burl_gen_plan){ .schedules = 1,
                                   .first_seed = first.seed,
                                   .strategy = (int)first.strategy };
    burl_gen_exec_controlled(buggy, &t, &plan, keep_first, &again, NULL);
    EXPECT_OK(burl_gen_exec_status(buggy, &err), &err);
    assert_int_equal(again.trace_hash, first.trace_hash);
    burl_gen_test_deinit(&t);
}

/* The public function is compiled with hooks. */
static bool
has_hooks(const struct burl_gen_exec *x, uint32_t fn)
{
    for (size_t i = 0; i < x->public_sites.n; i++) {
        if (x->public_sites.v[i].fn == fn)
            return true;
    }
    return false;
}

static void
calls_from_within_are_events(void **state)
{
    struct burl_gen_test t = gen_queue_test(&model, 8, 2);
    const struct burl_gen_plan plan = { .schedules = 1, .first_seed = 1, .strategy = -1 };
    struct burl_gen_outcome o = { 0 };
    unsigned n[2] = { 0, 0 };

    (void)state;
    assert_true(has_hooks(fixed, Q_PUSH));
    gen_call_int(&t.threads[0], &model, Q_PUSH_TWICE, 0, 1);
    gen_call_int(&t.threads[1], &model, Q_PUSH, 0, 5);
    burl_gen_exec_sequential(fixed, &t, NULL, true, 0, &o);
    EXPECT_OK(burl_gen_exec_status(fixed, &err), &err);
    burl_gen_outcome_deinit(&o);
    {
        struct burl__gen_sink sink;
        const struct burl__gen_encoding e = { .test = &t,
                                              .mode = BURL_MAIL_CONTROLLED,
                                              .dump = true };
        struct burl_wire_order order = burl__gen_exec_order(fixed);

        burl__gen_sink_init(&sink);
        sink.one = &o;
        assert_true(burl__gen_encode(fixed, &e, &sink.mail));
        assert_true(burl__gen_exec_run(fixed, &order, &sink));
        burl__gen_sink_deinit(&sink);
    }
    (void)plan;
    for (size_t i = 0; i < o.events.n; i++) {
        if (o.events.v[i].thread < 2 && o.events.v[i].fn == Q_PUSH && !o.events.v[i].leave)
            n[o.events.v[i].thread]++;
    }
    /* Twice from within, and the call of the other thread once although two tell it. */
    assert_int_equal(n[0], 2);
    assert_int_equal(n[1], 1);
    burl_gen_outcome_deinit(&o);
    burl_gen_test_deinit(&t);
}

static void
blocked_threads_are_told_from_those_that_returned(void **state)
{
    struct burl_gen_test t = gen_queue_test(&model, 8, 2);
    const struct burl_gen_order order = { { 0, 1 }, 2 };
    struct burl_gen_outcome o;
    struct seen s;

    (void)state;
    gen_call(&t.threads[0], &model, Q_WAIT, 0);
    gen_call(&t.threads[1], &model, Q_LENGTH, 0);
    s = run_schedules(fixed, &t, 20, 0);
    assert_int_equal(s.failed, 20);
    burl_gen_exec_sequential(fixed, &t, &order, true, 0, &o);
    EXPECT_OK(burl_gen_exec_status(fixed, &err), &err);
    assert_int_equal(o.end, BURL_GEN_END_BLOCKED);
    assert_int_equal(o.state[1], BURL_GEN_CALL_RUNNING);
    assert_int_equal(o.state[2], BURL_GEN_CALL_NOT_BEGUN);
    burl_gen_outcome_deinit(&o);
    burl_gen_test_deinit(&t);
}

static void
a_crash_of_a_thread_names_its_call(void **state)
{
    struct burl_gen_test t = two_pushes();
    struct seen s;

    (void)state;
    gen_call(&t.threads[1], &model, Q_CRASH, 0); /* call 3: crashes when both have pushed */
    s = run_schedules(fixed, &t, 40, 2);
    assert_int_not_equal(s.failed, 0);
    assert_true(s.failed < 40);
    assert_int_equal(s.failed_call, 3);
    burl_gen_test_deinit(&t);
}

static void
threads_of_the_api_are_told(void **state)
{
    struct burl_gen_test t = gen_queue_test(&model, 8, 0);
    struct burl_gen_outcome o;

    (void)state;
    gen_call_int(&t.prefix, &model, Q_PUSH, 0, 1);
    o = run_prefix(&t, 0);
    assert_false(o.own_threads);
    burl_gen_outcome_deinit(&o);
    gen_call(&t.prefix, &model, Q_PUSH_LATER, 0);
    o = run_prefix(&t, 0);
    assert_true(o.own_threads);
    burl_gen_outcome_deinit(&o);
    burl_gen_test_deinit(&t);
}

/* Two processes that are asked the same answer the same, and so does one that has run a thousand
 * other tests in between. */
static void
outcomes_do_not_drift(void **state)
{
    struct burl_gen_test t = two_pushes();
    struct seen first;
    struct seen again;

    (void)state;
    run_schedules(buggy, &t, 100, 2);
    first = run_schedules(buggy, &t, 100, 2);
    for (int i = 0; i < 1000; i++) {
        struct burl_gen_test other = gen_queue_test(&model, 1 + i % 16, 0);
        struct burl_gen_outcome o;

        gen_call_int(&other.prefix, &model, Q_PUSH_TWICE, 0, i);
        if (i % 100 == 0)
            gen_call(&other.prefix, &model, Q_CRASH, 0);
        burl_gen_exec_sequential(buggy, &other, NULL, true, 0, &o);
        EXPECT_OK(burl_gen_exec_status(buggy, &err), &err);
        assert_int_equal(int_of(&o, 1, 0), i % 16 == 0 ? -1 : 0);
        burl_gen_outcome_deinit(&o);
        burl_gen_test_deinit(&other);
    }
    again = run_schedules(buggy, &t, 100, 2);
    assert_int_equal(first.hash, again.hash);
    assert_int_equal(first.lost, again.lost);
    burl_gen_exec_fresh(buggy);
    EXPECT_OK(burl_gen_exec_status(buggy, &err), &err);
    again = run_schedules(buggy, &t, 100, 2);
    assert_int_equal(first.hash, again.hash);
    burl_gen_test_deinit(&t);
}

/* ---- free --------------------------------------------------------------------------- */

static void
free_runs_give_values_and_events(void **state)
{
    struct burl_gen_test t = two_pushes();
    struct burl_gen_suspects suspects = { 0 };
    struct burl_gen_outcome o;

    (void)state;
    burl_gen_exec_free(fixed, &t, BURL_OB(RACE), &o, &suspects);
    EXPECT_OK(burl_gen_exec_status(fixed, &err), &err);
    assert_int_equal(o.end, BURL_GEN_END_DONE);
    assert_int_equal(int_of(&o, 1, 0), 0);
    assert_int_equal(int_of(&o, 3, 0), 2);
    assert_int_equal(suspects.n, 0);
    assert_true(o.events.n >= 8);
    burl_gen_outcome_deinit(&o);
    gen_call(&t.threads[0], &model, Q_CRASH, 0);
    gen_call(&t.threads[1], &model, Q_CRASH, 0);
    burl_gen_exec_free(fixed, &t, 0, &o, NULL);
    EXPECT_OK(burl_gen_exec_status(fixed, &err), &err);
    assert_int_equal(o.end, BURL_GEN_END_FAILED);
    assert_true(o.failed_call == 2 || o.failed_call == 4);
    burl_gen_outcome_deinit(&o);
    BURL_VEC_FREE(&suspects);
    burl_gen_test_deinit(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_c),
        cmocka_unit_test(order_of_calls_is_the_order_given),
        cmocka_unit_test(storage_is_made_used_and_ended),
        cmocka_unit_test(addresses_differ_under_a_shift),
        cmocka_unit_test(a_call_that_waits_for_ever_is_blocked),
        cmocka_unit_test(a_crash_names_its_call),
        cmocka_unit_test(schedules_show_the_lost_element),
        cmocka_unit_test(a_seed_gives_the_same_run_again),
        cmocka_unit_test(calls_from_within_are_events),
        cmocka_unit_test(blocked_threads_are_told_from_those_that_returned),
        cmocka_unit_test(a_crash_of_a_thread_names_its_call),
        cmocka_unit_test(threads_of_the_api_are_told),
        cmocka_unit_test(outcomes_do_not_drift),
        cmocka_unit_test(free_runs_give_values_and_events),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
