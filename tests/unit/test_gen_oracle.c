/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_gen_oracle.c - which runs the oracle calls fine, a violation, or not decided.
 */
#include "unit.h"

#include "gen_fake.h"

struct tally {
    unsigned fine;
    unsigned violations;
    unsigned not_decided;
    unsigned by_results;
    struct burl_gen_verdict last; /* that was not fine */
    struct burl_gen_verdict first_violation;
};

struct judging {
    struct burl_gen_oracle *oracle;
    struct tally *tally;
    bool results;
};

static bool
judge_one(void *arg, const struct burl_gen_outcome *run)
{
    struct judging *j = arg;
    struct burl_gen_verdict v;

    v = burl_gen_oracle_judge(j->oracle, run, j->results);
    j->tally->fine += v.judgement == BURL_GEN_FINE;
    j->tally->not_decided += v.judgement == BURL_GEN_NOT_DECIDED;
    if (v.judgement == BURL_GEN_VIOLATION) {
        if (j->tally->violations++ == 0)
            j->tally->first_violation = v;
        j->tally->by_results += v.by_results;
    }
    if (v.judgement != BURL_GEN_FINE)
        j->tally->last = v;
    return true;
}

#define RUNS 300u

static struct tally
judge_runs(struct burl_gen_exec *x, const struct burl_gen_test *t, bool results,
           uint32_t max_linear)
{
    struct tally tally = { 0 };
    struct judging j = { .tally = &tally, .results = results };
    struct burl_gen_plan plan = { .schedules = RUNS, .first_seed = 1, .strategy = -1 };

    j.oracle = burl_gen_oracle_new(x, t, max_linear);
    burl_gen_exec_controlled(x, t, &plan, judge_one, &j, NULL);
    burl_gen_oracle_free(j.oracle);
    assert_int_equal(tally.fine + tally.violations + tally.not_decided, RUNS);
    return tally;
}

static int
set_up(void **state)
{
    (void)state;
    fake_model_make(true);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    fake_model_end();
    return 0;
}

/* inc(1), inc(1) in each of two threads. */
static struct burl_gen_test
two_times_inc(void)
{
    struct burl_gen_test t = fake_test(2);

    for (int k = 0; k < 4; k++)
        fake_add(&t.threads[k % 2], FN_INC, 1);
    return t;
}

static void
results_of_atomic_calls_are_fine(void **state)
{
    struct burl_gen_exec x = { 0 };
    struct burl_gen_test t = two_times_inc();
    struct tally n;

    (void)state;
    n = judge_runs(&x, &t, true, 2000);
    assert_int_equal(n.fine, RUNS);
    /* The order in which the calls returned explains them: no more than the 6 orders are run. */
    assert_true(x.n_sequential <= 6);
    burl_gen_test_deinit(&t);
}

static void
a_lost_update_is_a_violation_by_results(void **state)
{
    struct burl_gen_exec x = { .torn_inc = true };
    struct burl_gen_test t = two_times_inc();
    struct tally n;

    (void)state;
    n = judge_runs(&x, &t, true, 2000);
    assert_true(n.violations > RUNS / 4);
    assert_true(n.fine > 0);
    assert_int_equal(n.by_results, n.violations);
    assert_int_equal(n.first_violation.n_linear, 6);
    EXPECT_CONTAINS(n.first_violation.why, "none of the 6 orders");
    /* 6 orders, 6 again, and up to 4 for the mask. */
    assert_true(x.n_sequential <= 16);
    burl_gen_test_deinit(&t);
}

static void
results_are_not_looked_at_when_not_asked(void **state)
{
    struct burl_gen_exec x = { .torn_inc = true };
    struct burl_gen_test t = two_times_inc();
    struct tally n;

    (void)state;
    n = judge_runs(&x, &t, false, 2000);
    assert_int_equal(n.fine, RUNS);
    assert_int_equal(x.n_sequential, 0);
    burl_gen_test_deinit(&t);
}

/* One inc() in each thread: only the dump, or a result, shows the lost update. */
static void
a_dump_is_part_of_the_results(void **state)
{
    struct burl_gen_exec x = { .torn_inc = true };
    struct burl_gen_test t = fake_test(2);
    struct burl_gen_outcome r;
    struct burl_gen_verdict v;
    struct burl_gen_order order = { .thread = { 0, 1 }, .n = 2 };
    struct burl_gen_oracle *o;

    (void)state;
    fake_add(&t.threads[0], FN_INC, 1);
    fake_add(&t.threads[1], FN_INC, 1);
    burl_gen_exec_sequential(&x, &t, &order, true, 0, &r);
    assert_int_equal(r.values.n, 4); /* new, inc, inc, dump */
    o = burl_gen_oracle_new(&x, &t, 2000);
    v = burl_gen_oracle_judge(o, &r, true);
    assert_int_equal(v.judgement, BURL_GEN_FINE);
    r.values.v[3].bits = 1;
    v = burl_gen_oracle_judge(o, &r, true);
    assert_int_equal(v.judgement, BURL_GEN_VIOLATION);
    assert_true(v.by_results);
    burl_gen_oracle_free(o);
    burl_gen_outcome_deinit(&r);
    burl_gen_test_deinit(&t);
}

/* A trylock that gave up has results of its own; where "not weak" is stated they are compared. A
 * failure counts all the same. */
static void
results_after_contention_are_not_decided(void **state)
{
    struct burl_gen_exec x = { 0 };
    struct burl_gen_test t = two_times_inc();
    struct burl_gen_order order = { .thread = { 0, 1, 0, 1 }, .n = 4 };
    struct burl_gen_outcome r;
    struct burl_gen_verdict v;
    struct burl_gen_oracle *o;

    (void)state;
    burl_gen_exec_sequential(&x, &t, &order, true, 0, &r);
    o = burl_gen_oracle_new(&x, &t, 2000);
    r.contended = true;
    v = burl_gen_oracle_judge(o, &r, true);
    assert_int_equal(v.judgement, BURL_GEN_FINE);
    r.values.v[r.values.n - 1].bits = 1;
    v = burl_gen_oracle_judge(o, &r, true);
    assert_int_equal(v.judgement, BURL_GEN_NOT_DECIDED);
    EXPECT_CONTAINS(v.why, "gave up because of another thread");
    fake_model.fns.v[FN_INC].strict = true;
    v = burl_gen_oracle_judge(o, &r, true);
    assert_int_equal(v.judgement, BURL_GEN_VIOLATION);
    fake_model.fns.v[FN_INC].strict = false;
    r.end = BURL_GEN_END_FAILED;
    r.verdict.kind = BURL_VERDICT_CRASH_SIGNAL;
    v = burl_gen_oracle_judge(o, &r, true);
    assert_int_equal(v.judgement, BURL_GEN_VIOLATION);
    assert_false(v.by_results);
    burl_gen_oracle_free(o);
    burl_gen_outcome_deinit(&r);
    burl_gen_test_deinit(&t);
}

static void
kind_and_length_are_compared_addresses_only_as_such(void **state)
{
    struct burl_gen_exec x = { 0 };
    struct burl_gen_test t = fake_test(2);
    struct burl_gen_outcome r;
    struct burl_gen_verdict v;
    struct burl_gen_order order = { .thread = { 0, 1 }, .n = 2 };
    struct burl_gen_oracle *o = burl_gen_oracle_new(&x, &t, 2000);

    (void)state;
    fake_add(&t.threads[0], FN_NAME, 0);
    fake_add(&t.threads[1], FN_GET, 0);
    burl_gen_oracle_free(o);
    o = burl_gen_oracle_new(&x, &t, 2000);
    burl_gen_exec_sequential(&x, &t, &order, true, 0, &r);
    r.values.v[1].length++;
    v = burl_gen_oracle_judge(o, &r, true);
    assert_int_equal(v.judgement, BURL_GEN_VIOLATION);
    r.values.v[1].length--;
    v = burl_gen_oracle_judge(o, &r, true);
    assert_int_equal(v.judgement, BURL_GEN_FINE);
    r.values.v[1].kind = BURL_GEN_VALUE_NULL;
    v = burl_gen_oracle_judge(o, &r, true);
    assert_int_equal(v.judgement, BURL_GEN_VIOLATION);
    burl_gen_oracle_free(o);
    burl_gen_outcome_deinit(&r);
    burl_gen_test_deinit(&t);
}

static void
values_that_follow_addresses_are_left_out(void **state)
{
    struct burl_gen_exec x = { 0 };
    struct burl_gen_test t = two_times_inc();
    struct burl_gen_value address = { .kind = BURL_GEN_VALUE_INT, .call = 3 };
    struct burl_gen_value value = { .kind = BURL_GEN_VALUE_INT, .call = 1 };
    struct burl_gen_oracle *o;
    const struct burl_gen_linear *all;
    size_t n_all;
    struct tally n;

    (void)state;
    fake_add(&t.threads[0], FN_ADDRESS, 0);
    n = judge_runs(&x, &t, true, 2000);
    assert_int_equal(n.fine, RUNS);
    o = burl_gen_oracle_new(&x, &t, 2000);
    assert_false(burl_gen_oracle_is_masked(o, &address));
    burl_gen_oracle_all(o, &all, &n_all);
    assert_true(burl_gen_oracle_is_masked(o, &address));
    assert_false(burl_gen_oracle_is_masked(o, &value));
    burl_gen_oracle_free(o);
    /* And a bug beside them is still seen. */
    x.torn_inc = true;
    n = judge_runs(&x, &t, true, 2000);
    assert_true(n.violations > 0 && n.by_results == n.violations);
    burl_gen_test_deinit(&t);
}

/* late() is 0 before the first inc(): the order that the mask is taken from may not show it. */
static void
a_value_that_is_sometimes_a_time_makes_no_violation(void **state)
{
    struct burl_gen_exec x = { 0 };
    struct burl_gen_test t = fake_test(2);
    struct tally n;

    (void)state;
    fake_add(&t.threads[0], FN_LATE, 0);
    fake_add(&t.threads[0], FN_LATE, 0);
    fake_add(&t.threads[1], FN_INC, 1);
    fake_add(&t.threads[1], FN_INC, 1);
    n = judge_runs(&x, &t, true, 2000);
    assert_int_equal(n.violations, 0);
    assert_true(n.fine > 0);
    burl_gen_test_deinit(&t);
}

static void
an_api_that_is_not_repeatable_is_not_decided(void **state)
{
    struct burl_gen_exec x = { .torn_inc = true, .moody = true };
    struct burl_gen_test t = fake_test(2);
    struct tally n;

    (void)state;
    /* Orders in which get() sees 2 differ under a shift; first and last order do not show it. */
    fake_add(&t.threads[0], FN_INC, 1);
    fake_add(&t.threads[0], FN_INC, 1);
    fake_add(&t.threads[0], FN_INC, 1);
    fake_add(&t.threads[1], FN_GET, 0);
    fake_add(&t.threads[1], FN_INC, 1);
    n = judge_runs(&x, &t, true, 2000);
    assert_int_equal(n.violations, 0);
    assert_true(n.not_decided > 0);
    EXPECT_CONTAINS(n.last.why, "not deterministic");
    burl_gen_test_deinit(&t);
}

static void
a_failure_that_an_order_has_too_is_fine(void **state)
{
    struct burl_gen_exec x = { 0 };
    struct burl_gen_test t = fake_test(2);
    struct tally n;

    (void)state;
    fake_add(&t.threads[0], FN_INC, 1);
    fake_add(&t.threads[0], FN_INC, 1);
    fake_add(&t.threads[1], FN_CHECK, 0); /* aborts between them */
    n = judge_runs(&x, &t, true, 2000);
    assert_int_equal(n.fine, RUNS);
    burl_gen_test_deinit(&t);
}

static void
a_failure_that_no_order_has_is_a_violation(void **state)
{
    struct burl_gen_exec x = { .torn_check = true };
    struct burl_gen_test t = fake_test(2);
    struct tally n;

    (void)state;
    fake_add(&t.threads[0], FN_INC, 2);
    fake_add(&t.threads[0], FN_INC, 2);
    fake_add(&t.threads[1], FN_CHECK, 0);
    n = judge_runs(&x, &t, true, 2000);
    assert_true(n.violations > 0);
    assert_int_equal(n.fine + n.violations, RUNS);
    assert_int_equal(n.by_results, 0);
    EXPECT_CONTAINS(n.first_violation.why, "crash.abort in counter_check()");
    EXPECT_CONTAINS(n.first_violation.why, "none of the 3 orders");
    burl_gen_test_deinit(&t);
}

/* Kind, number of the signal, and function each make another failure. */
static void
only_the_same_failure_clears(void **state)
{
    struct burl_gen_exec x = { .bad_after_2 = true };
    struct burl_gen_test t = fake_test(2);
    struct burl_gen_outcome r = { .end = BURL_GEN_END_FAILED, .n_calls = 5, .failed_call = 2 };
    struct burl_gen_oracle *o;
    struct burl_gen_verdict v;
    const struct {
        uint8_t kind;
        int32_t code;
        int call;
        enum burl_gen_judgement want;
    } rows[] = {
        { BURL_VERDICT_USE_AFTER_FREE, 0, 2, BURL_GEN_FINE },
        { BURL_VERDICT_USE_AFTER_FREE, 0, 1, BURL_GEN_FINE }, /* inc() as well */
        { BURL_VERDICT_USE_AFTER_FREE, 9, 2, BURL_GEN_FINE }, /* its code means nothing */
        { BURL_VERDICT_USE_AFTER_FREE, 0, 3, BURL_GEN_VIOLATION },
        { BURL_VERDICT_USE_AFTER_FREE, 0, -1, BURL_GEN_VIOLATION },
        { BURL_VERDICT_DOUBLE_FREE, 0, 2, BURL_GEN_VIOLATION },
        { BURL_VERDICT_CRASH_SIGNAL, 11, 2, BURL_GEN_VIOLATION },
    };

    (void)state;
    fake_add(&t.threads[0], FN_INC, 1);
    fake_add(&t.threads[0], FN_INC, 1);
    fake_add(&t.threads[1], FN_GET, 1);
    fake_add(&t.threads[1], FN_INC, 1);
    o = burl_gen_oracle_new(&x, &t, 2000);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        r.verdict.kind = rows[i].kind;
        r.verdict.code = rows[i].code;
        r.failed_call = rows[i].call;
        v = burl_gen_oracle_judge(o, &r, true);
        assert_int_equal(v.judgement, rows[i].want);
    }
    burl_gen_oracle_free(o);
    burl_gen_test_deinit(&t);
}

static void
after_undefined_behavior_every_result_is_allowed(void **state)
{
    struct burl_gen_exec x = { .bad_after_2 = true };
    struct burl_gen_test t = fake_test(2);
    struct burl_gen_outcome r;
    struct burl_gen_verdict v;
    struct burl_gen_order order = { .thread = { 1, 1, 0 }, .n = 3 };
    struct burl_gen_oracle *o;

    (void)state;
    fake_add(&t.threads[0], FN_INC, 0);
    fake_add(&t.threads[1], FN_INC, 2);
    fake_add(&t.threads[1], FN_INC, -2);
    burl_gen_exec_sequential(&x, &t, &order, true, 0, &r);
    assert_int_equal(r.end, BURL_GEN_END_DONE);
    r.values.v[1].bits = 77;
    o = burl_gen_oracle_new(&x, &t, 2000);
    v = burl_gen_oracle_judge(o, &r, true);
    assert_int_equal(v.judgement, BURL_GEN_VIOLATION);
    burl_gen_oracle_free(o);
    t.threads[0].v[0].args.v[1].i = 2; /* now two of three orders are a use after free */
    o = burl_gen_oracle_new(&x, &t, 2000);
    v = burl_gen_oracle_judge(o, &r, true);
    assert_int_equal(v.judgement, BURL_GEN_NOT_DECIDED);
    EXPECT_CONTAINS(v.why, "memory.use-after-free in counter_inc()");
    burl_gen_oracle_free(o);
    burl_gen_outcome_deinit(&r);
    burl_gen_test_deinit(&t);
}

static void
calls_that_wait_as_they_should_are_fine(void **state)
{
    struct burl_gen_exec x = { 0 };
    struct burl_gen_test t = fake_test(2);
    struct tally n;

    (void)state;
    fake_add(&t.threads[0], FN_PUSH, 5);
    fake_add(&t.threads[0], FN_POP, 0);
    fake_add(&t.threads[1], FN_POP, 0);
    n = judge_runs(&x, &t, true, 2000);
    assert_int_equal(n.fine, RUNS);
    burl_gen_test_deinit(&t);
}

static void
a_lost_wakeup_is_a_violation(void **state)
{
    struct burl_gen_exec x = { .lost_wakeup = true };
    struct burl_gen_test t = fake_test(2);
    struct tally n;

    (void)state;
    fake_add(&t.threads[0], FN_PUSH, 5);
    fake_add(&t.threads[1], FN_POP, 0);
    n = judge_runs(&x, &t, true, 2000);
    assert_true(n.violations > 0 && n.fine > 0);
    assert_int_equal(n.fine + n.violations, RUNS);
    assert_int_equal(n.by_results, 0);
    EXPECT_CONTAINS(n.first_violation.why, "counter_pop() never returns");
    burl_gen_test_deinit(&t);
}

/* Of two calls that never return, one alone would: the pair is the violation. */
static void
each_blocked_call_needs_the_same_order(void **state)
{
    struct burl_gen_exec x = { .lost_wakeup = true };
    struct burl_gen_test t = fake_test(3);
    struct tally n;

    (void)state;
    fake_add(&t.threads[0], FN_POP, 0);
    fake_add(&t.threads[1], FN_POP, 0);
    fake_add(&t.threads[2], FN_PUSH, 1);
    n = judge_runs(&x, &t, true, 2000);
    assert_true(n.violations > 0);
    x.lost_wakeup = false;
    n = judge_runs(&x, &t, true, 2000); /* one pop() waits for ever, rightly */
    assert_int_equal(n.fine, RUNS);
    burl_gen_test_deinit(&t);
}

static void
calls_that_wait_for_each_other_are_not_decided(void **state)
{
    struct burl_gen_exec x = { 0 };
    struct burl_gen_test t = fake_test(2);
    struct tally n;

    (void)state;
    fake_add(&t.threads[0], FN_BARRIER, 0);
    fake_add(&t.threads[1], FN_BARRIER, 0);
    n = judge_runs(&x, &t, true, 2000);
    assert_int_equal(n.not_decided, RUNS);
    EXPECT_CONTAINS(n.last.why, "wait for each other");
    /* The same when a later call blocks rightly. */
    fake_add(&t.threads[1], FN_POP, 0);
    n = judge_runs(&x, &t, true, 2000);
    assert_int_equal(n.not_decided, RUNS);
    EXPECT_CONTAINS(n.last.why, "wait for each other");
    burl_gen_test_deinit(&t);
}

static void
too_many_orders_are_not_decided_with_their_number(void **state)
{
    struct burl_gen_exec x = { .torn_inc = true };
    struct burl_gen_test t = fake_test(2);
    struct tally n;

    (void)state;
    for (int i = 0; i < 20; i++)
        fake_add(&t.threads[i % 2], FN_INC, 1);
    n = judge_runs(&x, &t, true, 50);
    assert_int_equal(n.violations, 0);
    assert_true(n.not_decided > 0);
    EXPECT_CONTAINS(n.last.why, "184756 orders");
    assert_true(x.n_sequential <= 54);
    /* The orders that the runs suggest explain them without all the others. */
    x.torn_inc = false;
    n = judge_runs(&x, &t, true, 2000);
    assert_int_equal(n.fine, RUNS);
    burl_gen_test_deinit(&t);
}

static void
what_was_cut_decides_nothing(void **state)
{
    struct burl_gen_exec x = { .torn_inc = true, .cut_when_two = true };
    struct burl_gen_test t = fake_test(2);
    struct tally n;

    (void)state;
    fake_add(&t.threads[0], FN_INC, 1);
    fake_add(&t.threads[1], FN_INC, 1);
    n = judge_runs(&x, &t, true, 2000);
    assert_int_equal(n.violations, 0);
    assert_int_equal(n.not_decided, RUNS);
    burl_gen_test_deinit(&t);
}

static void
the_table_has_each_result_once(void **state)
{
    struct burl_gen_exec x = { 0 };
    struct burl_gen_test t = fake_test(2);
    struct burl_gen_oracle *o;
    const struct burl_gen_linear *all;
    size_t n;

    (void)state;
    fake_add(&t.threads[0], FN_INC, 1);
    fake_add(&t.threads[0], FN_INC, 1);
    fake_add(&t.threads[1], FN_GET, 0);
    fake_add(&t.threads[1], FN_NAME, 0);
    o = burl_gen_oracle_new(&x, &t, 2000);
    burl_gen_oracle_all(o, &all, &n);
    /* What get() and name() see: 00 01 02 11 12 22. */
    assert_int_equal(n, 6);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(all[i].order->n, 4);
        assert_int_equal(all[i].outcome->end, BURL_GEN_END_DONE);
    }
    burl_gen_oracle_free(o);
    /* Over the limit there is none, because a table with holes would lie. */
    o = burl_gen_oracle_new(&x, &t, 5);
    burl_gen_oracle_all(o, &all, &n);
    assert_int_equal(n, 0);
    burl_gen_oracle_free(o);
    burl_gen_test_deinit(&t);
}

static void
judging_is_repeatable(void **state)
{
    struct burl_gen_exec x = { .torn_inc = true };
    struct burl_gen_test t = two_times_inc();
    struct tally a;
    struct tally b;
    uint64_t n;

    (void)state;
    a = judge_runs(&x, &t, true, 2000);
    n = x.n_sequential;
    b = judge_runs(&x, &t, true, 2000);
    assert_int_equal(x.n_sequential, 2 * n);
    assert_memory_equal(&a, &b, sizeof a);
    burl_gen_test_deinit(&t);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(results_of_atomic_calls_are_fine),
        TEST(a_lost_update_is_a_violation_by_results),
        TEST(results_are_not_looked_at_when_not_asked),
        TEST(a_dump_is_part_of_the_results),
        TEST(results_after_contention_are_not_decided),
        TEST(kind_and_length_are_compared_addresses_only_as_such),
        TEST(values_that_follow_addresses_are_left_out),
        TEST(a_value_that_is_sometimes_a_time_makes_no_violation),
        TEST(an_api_that_is_not_repeatable_is_not_decided),
        TEST(a_failure_that_an_order_has_too_is_fine),
        TEST(a_failure_that_no_order_has_is_a_violation),
        TEST(only_the_same_failure_clears),
        TEST(after_undefined_behavior_every_result_is_allowed),
        TEST(calls_that_wait_as_they_should_are_fine),
        TEST(a_lost_wakeup_is_a_violation),
        TEST(each_blocked_call_needs_the_same_order),
        TEST(calls_that_wait_for_each_other_are_not_decided),
        TEST(too_many_orders_are_not_decided_with_their_number),
        TEST(what_was_cut_decides_nothing),
        TEST(the_table_has_each_result_once),
        TEST(judging_is_repeatable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
