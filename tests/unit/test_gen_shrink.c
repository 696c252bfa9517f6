/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_gen_shrink.c - violations become small and stay what they are.
 */
#include "unit.h"

#include "gen_fake.h"

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

#define SCHEDULES 100u

/* A violation of this test to begin with; fails when it shows none. */
static void
find(struct burl_gen_exec *x, const struct burl_gen_test *t, enum burl_gen_end end,
     struct burl_gen_violation *out)
{
    struct burl_gen_violation like = { .run.end = end };

    like.verdict.by_results = end == BURL_GEN_END_DONE;
    like.run.verdict.kind =
        end == BURL_GEN_END_FAILED ? BURL_VERDICT_CRASH_ABORT : BURL_VERDICT_PASS;
    assert_true(burl_gen_reproduce(x, t, &like, 500, out));
}

static size_t
n_calls(const struct burl_gen_test *t)
{
    size_t n = t->prefix.n;

    for (unsigned k = 0; k < t->n_threads; k++)
        n += t->threads[k].n;
    return n;
}

/* A test with much that does not matter. */
static struct burl_gen_test
large_test(void)
{
    struct burl_gen_test t = fake_test(3);

    fake_add(&t.prefix, FN_PUSH, 7);
    fake_add(&t.prefix, FN_INC, -100);
    for (unsigned k = 0; k < 3; k++) {
        fake_add(&t.threads[k], FN_GET, 0);
        fake_add(&t.threads[k], FN_INC, 3 + (int)k);
        fake_add(&t.threads[k], FN_PUSH, 9);
    }
    return t;
}

static void
a_lost_update_needs_one_call_per_thread(void **state)
{
    struct burl_gen_exec x = { .torn_inc = true };
    struct burl_gen_test t = large_test();
    struct burl_gen_violation v;

    (void)state;
    find(&x, &t, BURL_GEN_END_DONE, &v);
    burl_gen_shrink(&x, &v, SCHEDULES, 3);
    assert_int_equal(v.test.n_threads, 2);
    assert_int_equal(n_calls(&v.test), 3);
    assert_int_equal(v.test.prefix.v[0].fn, FN_NEW);
    for (unsigned k = 0; k < 2; k++) {
        assert_int_equal(v.test.threads[k].n, 1);
        assert_int_equal(v.test.threads[k].v[0].fn, FN_INC);
        /* The simplest: one writes back what it read, and the other's 1 is lost. */
        assert_int_equal(v.test.threads[k].v[0].args.v[1].i, k);
    }
    assert_int_equal(v.verdict.judgement, BURL_GEN_VIOLATION);
    assert_true(v.verdict.by_results);
    assert_int_equal(v.run.end, BURL_GEN_END_DONE);
    assert_int_equal(v.run.n_calls, 4);
    assert_int_equal(v.confirmed, 3);
    assert_int_equal(x.n_fresh, 3);
    assert_true(x.n_controlled > 0);
    burl_gen_violation_deinit(&v);
    burl_gen_test_deinit(&t);
}

static void
a_failure_stays_that_failure(void **state)
{
    /* inc() loses updates as well: that must not become the finding. */
    struct burl_gen_exec x = { .torn_check = true };
    struct burl_gen_test t = fake_test(2);
    struct burl_gen_violation v;

    (void)state;
    fake_add(&t.prefix, FN_INC, 4);
    fake_add(&t.threads[0], FN_GET, 0);
    fake_add(&t.threads[0], FN_INC, 2);
    fake_add(&t.threads[0], FN_INC, 6);
    fake_add(&t.threads[1], FN_CHECK, 0);
    fake_add(&t.threads[1], FN_CHECK, 0);
    find(&x, &t, BURL_GEN_END_FAILED, &v);
    burl_gen_shrink(&x, &v, SCHEDULES, 2);
    assert_int_equal(n_calls(&v.test), 3);
    assert_int_equal(v.test.threads[0].v[0].fn, FN_INC);
    assert_int_equal(v.test.threads[0].v[0].args.v[1].i, 0);
    assert_int_equal(v.test.threads[1].v[0].fn, FN_CHECK);
    assert_int_equal(v.run.verdict.kind, BURL_VERDICT_CRASH_ABORT);
    assert_false(v.verdict.by_results);
    assert_int_equal(v.confirmed, 2);
    burl_gen_violation_deinit(&v);
    burl_gen_test_deinit(&t);
}

static void
a_blocked_call_stays_blocked(void **state)
{
    struct burl_gen_exec x = { .lost_wakeup = true };
    struct burl_gen_test t = fake_test(2);
    struct burl_gen_violation v;

    (void)state;
    fake_add(&t.prefix, FN_INC, 4);
    fake_add(&t.threads[0], FN_GET, 0);
    fake_add(&t.threads[0], FN_PUSH, 2);
    fake_add(&t.threads[0], FN_GET, 0);
    fake_add(&t.threads[1], FN_POP, 0);
    fake_add(&t.threads[1], FN_INC, 5);
    find(&x, &t, BURL_GEN_END_BLOCKED, &v);
    burl_gen_shrink(&x, &v, SCHEDULES, 1);
    assert_int_equal(n_calls(&v.test), 3);
    assert_int_equal(v.test.threads[0].v[0].fn, FN_PUSH);
    assert_int_equal(v.test.threads[1].v[0].fn, FN_POP);
    assert_int_equal(v.run.end, BURL_GEN_END_BLOCKED);
    burl_gen_violation_deinit(&v);
    burl_gen_test_deinit(&t);
}

static void
a_race_is_looked_for_among_the_suspects(void **state)
{
    struct burl_gen_exec x = { .torn_inc = true };
    struct burl_gen_violation v = { .is_race = true, .race.key = 4711 };

    (void)state;
    v.test = fake_test(2);
    fake_add(&v.test.threads[0], FN_GET, 0);
    fake_add(&v.test.threads[0], FN_INC, 3);
    fake_add(&v.test.threads[1], FN_INC, 3);
    fake_add(&v.test.threads[1], FN_GET, 0);
    burl_gen_shrink(&x, &v, SCHEDULES, 2);
    assert_int_equal(n_calls(&v.test), 3);
    assert_int_equal(v.test.threads[0].v[0].fn, FN_INC);
    assert_int_equal(v.test.threads[1].v[0].fn, FN_INC);
    assert_true(v.is_race);
    assert_int_equal(v.race.key, 4711);
    assert_true(v.run.events.n > 0); /* the run that shows it came along */
    assert_int_equal(v.confirmed, 2);
    burl_gen_violation_deinit(&v);
}

/* Slots: the second object and its users go, and slot numbers close up. */
static void
what_used_a_dropped_object_goes_with_it(void **state)
{
    struct burl_gen_exec x = { .torn_inc = true };
    struct burl_gen_test t = { .n_threads = 2, .n_slots = 2, .self = 1 };
    struct burl_gen_violation v;

    (void)state;
    fake_add(&t.prefix, FN_NEW, 0); /* slot 0, used once */
    fake_add(&t.prefix, FN_PUSH, 0);
    fake_add(&t.prefix, FN_NEW, 0);
    t.prefix.v[2].slot = 1;
    fake_add(&t.threads[0], FN_INC, 1);
    fake_add(&t.threads[1], FN_INC, 1);
    t.threads[0].v[0].args.v[0].i = 1;
    t.threads[1].v[0].args.v[0].i = 1;
    find(&x, &t, BURL_GEN_END_DONE, &v);
    burl_gen_shrink(&x, &v, SCHEDULES, 1);
    assert_int_equal(v.test.prefix.n, 1);
    assert_int_equal(v.test.n_slots, 1);
    assert_int_equal(v.test.self, 0);
    assert_int_equal(v.test.prefix.v[0].slot, 0);
    assert_int_equal(v.test.threads[0].v[0].args.v[0].i, 0);
    assert_int_equal(v.test.threads[1].v[0].args.v[0].i, 0);
    burl_gen_violation_deinit(&v);
    burl_gen_test_deinit(&t);
}

static void
stated_ranges_are_kept(void **state)
{
    struct burl_gen_exec x = { .torn_inc = true };
    struct burl_gen_test t = fake_test(2);
    struct burl_gen_param *p = &fake_model.fns.v[FN_INC].params.v[1];
    struct burl_gen_violation v;

    (void)state;
    p->ranged = true;
    p->lo = 5;
    p->hi = 50;
    fake_add(&t.threads[0], FN_INC, 17);
    fake_add(&t.threads[1], FN_INC, 44);
    find(&x, &t, BURL_GEN_END_DONE, &v);
    burl_gen_shrink(&x, &v, SCHEDULES, 0);
    assert_int_equal(v.test.threads[0].v[0].args.v[1].i, 5);
    assert_int_equal(v.test.threads[1].v[0].args.v[1].i, 5);
    burl_gen_violation_deinit(&v);
    burl_gen_test_deinit(&t);
}

static void
what_new_processes_do_not_show_is_not_confirmed(void **state)
{
    struct burl_gen_exec x = { .torn_inc = true, .fails_after_fresh = 1 };
    struct burl_gen_test t = large_test();
    struct burl_gen_violation v;

    (void)state;
    find(&x, &t, BURL_GEN_END_DONE, &v);
    burl_gen_shrink(&x, &v, SCHEDULES, 2);
    assert_int_equal(v.confirmed, 0);
    /* The small test and the first one were asked. */
    assert_int_equal(x.n_fresh, 4);
    assert_int_equal(burl_gen_test_hash(&v.test), burl_gen_test_hash(&t));
    burl_gen_violation_deinit(&v);
    burl_gen_test_deinit(&t);
}

static void
shrinking_is_repeatable_and_bounded(void **state)
{
    uint64_t hash[2];
    uint64_t executions[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct burl_gen_exec x = { .torn_inc = true };
        struct burl_gen_test t = fake_test(4);
        struct burl_gen_violation v;

        for (int k = 0; k < 40; k++)
            fake_add(&t.threads[k % 4], k % 9 == 0 ? FN_INC : FN_PUSH, k);
        for (int k = 0; k < 100; k++)
            fake_add(&t.prefix, FN_PUSH, k - 50);
        v = (struct burl_gen_violation){ .is_race = true, .race.key = 4711 };
        v.test = t;
        burl_gen_shrink(&x, &v, 20, 1);
        hash[i] = burl_gen_test_hash(&v.test);
        executions[i] = x.n_controlled;
        assert_true(x.n_controlled <= 403u * 22u);
        assert_true(n_calls(&v.test) < 10);
        burl_gen_violation_deinit(&v);
    }
    assert_true(hash[0] == hash[1]);
    assert_int_equal(executions[0], executions[1]);
}

/* Without time a violation is confirmed as it is. */
static void
without_time_nothing_is_shrunk(void **state)
{
    struct burl_gen_exec x = { .torn_inc = true };
    struct burl_gen_test t = large_test();
    const size_t before = n_calls(&t);
    struct burl_gen_violation v;

    (void)state;
    find(&x, &t, BURL_GEN_END_DONE, &v);
    x.out_of_time = true;
    burl_gen_minimize(&x, &v);
    assert_int_equal(n_calls(&v.test), before);
    assert_int_equal(v.confirmed, BURL_GEN_FRESH_PROCESSES);
    burl_gen_violation_deinit(&v);
    burl_gen_test_deinit(&t);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_lost_update_needs_one_call_per_thread),
        TEST(a_failure_stays_that_failure),
        TEST(a_blocked_call_stays_blocked),
        TEST(a_race_is_looked_for_among_the_suspects),
        TEST(what_used_a_dropped_object_goes_with_it),
        TEST(stated_ranges_are_kept),
        TEST(what_new_processes_do_not_show_is_not_confirmed),
        TEST(shrinking_is_repeatable_and_bounded),
        TEST(without_time_nothing_is_shrunk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
