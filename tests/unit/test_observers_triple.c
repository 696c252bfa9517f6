/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_observers_triple.c - detect/triple.c: which triples one execution predicts.
 */
#include "observer_rig.h"

static uint64_t x[512];
static int m;
static int m2;
static struct burl_watch *t0;
static struct burl_watch *t1;
static struct burl_watch *t2;

static int
start(void **state)
{
    (void)state;
    memset(&rig_ctl, 0, sizeof rig_ctl);
    t0 = rig_begin(BURL_OB(TRIPLE));
    t1 = rig_create(t0);
    t2 = rig_create(t0);
    return 0;
}

static uint32_t
finish(void)
{
    rig_end();
    return rig_count(BURL_SUSPECT_TRIPLE);
}

/* p and c of t1 at sites 1 and 3, r of t2 at site 2, far away from them. */
static bool
predicted(uint8_t p, uint8_t r, uint8_t c)
{
    bool found;

    start(NULL);
    rig_access(t1, x, 8, 1, p);
    rig_access(t1, x, 8, 3, c);
    rig_access(t2, x, 8, 2, r);
    finish();
    found = RIG_HAS(BURL_SUSPECT_TRIPLE, 1, 2, 3);
    assert_int_equal(rig_n_seen, found ? 1 : 0);
    /* The same when r comes first. */
    start(NULL);
    rig_access(t2, x, 8, 2, r);
    rig_access(t1, x, 8, 1, p);
    rig_access(t1, x, 8, 3, c);
    finish();
    assert_int_equal(found, RIG_HAS(BURL_SUSPECT_TRIPLE, 1, 2, 3));
    return found;
}

static void
the_four_and_only_they(void **state)
{
    const uint8_t r = 0;
    const uint8_t w = BURL_ACCESS_WRITE;

    (void)state;
    assert_true(predicted(r, w, r));
    assert_true(predicted(w, w, r));
    assert_true(predicted(r, w, w));
    assert_true(predicted(w, r, w));
    assert_false(predicted(r, r, r));
    assert_false(predicted(r, r, w));
    assert_false(predicted(w, r, r));
    assert_false(predicted(w, w, w));
}

static void
updates_are_writes_and_read_as_r_and_c(void **state)
{
    const uint8_t ar = BURL_ACCESS_ATOMIC;
    const uint8_t aw = BURL_ACCESS_ATOMIC | BURL_ACCESS_WRITE;
    const uint8_t u = aw | BURL_ACCESS_RMW;

    (void)state;
    assert_true(predicted(ar, aw, ar)); /* check, then act, on an atomic variable */
    assert_true(predicted(ar, u, u));
    assert_true(predicted(aw, u, aw)); /* r reads what is on its way */
    assert_true(predicted(aw, aw, u)); /* c reads */
    assert_true(predicted(u, ar, u));
    assert_false(predicted(u, ar, ar));
    assert_false(predicted(u, aw, aw)); /* p counts as a write: W-W-W */
}

static void
a_lock_all_the_way_and_at_r_prevents(void **state)
{
    (void)state;
    LOCK(t1, m, 10);
    RD(t1, x[0], 1);
    WR(t1, x[0], 3);
    UNLOCK(t1, m);
    LOCK(t2, m, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    assert_int_equal(finish(), 0);
}

static void
a_lock_given_back_in_between_does_not(void **state)
{
    (void)state;
    LOCK(t1, m, 10);
    RD(t1, x[0], 1);
    UNLOCK(t1, m);
    LOCK(t1, m, 10);
    WR(t1, x[0], 3);
    UNLOCK(t1, m);
    LOCK(t2, m, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    assert_int_equal(finish(), 1);
    assert_true(RIG_HAS(BURL_SUSPECT_TRIPLE, 1, 2, 3));
}

/* The outer lock is held all the way although the inner one is not. */
static void
an_outer_lock_prevents_too(void **state)
{
    (void)state;
    LOCK(t1, m2, 9);
    LOCK(t1, m, 10);
    RD(t1, x[0], 1);
    UNLOCK(t1, m);
    LOCK(t1, m, 10);
    WR(t1, x[0], 3);
    UNLOCK(t1, m);
    UNLOCK(t1, m2);
    LOCK(t2, m2, 12);
    LOCK(t2, m, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    UNLOCK(t2, m2);
    assert_int_equal(finish(), 0);
}

static void
readers_on_both_sides_do_not_prevent(void **state)
{
    (void)state;
    RDLOCK(t1, m, 10);
    RD(t1, x[0], 1);
    RD(t1, x[0], 3);
    UNLOCK(t1, m);
    RDLOCK(t2, m, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    assert_int_equal(finish(), 1);
}

static void
a_reader_and_a_writer_prevent(void **state)
{
    (void)state;
    RDLOCK(t1, m, 10);
    RD(t1, x[0], 1);
    RD(t1, x[0], 3);
    UNLOCK(t1, m);
    LOCK(t2, m, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    assert_int_equal(finish(), 0);
}

static void
r_before_p_by_create_or_signal_prevents(void **state)
{
    struct burl_watch *t3;

    (void)state;
    WR(t0, x[0], 2);
    t3 = rig_create(t0);
    RD(t3, x[0], 1);
    WR(t3, x[0], 3);
    WR(t1, x[1], 12);
    burl_ob_wake(t1, t2);
    RD(t2, x[1], 11);
    WR(t2, x[1], 13);
    assert_int_equal(finish(), 0);
}

static void
r_after_c_by_join_prevents(void **state)
{
    (void)state;
    RD(t1, x[0], 1);
    WR(t1, x[0], 3);
    rig_join(t0, t1);
    WR(t0, x[0], 2);
    assert_int_equal(finish(), 0);
}

/* The join between p and c orders r before c, but not before p. */
static void
r_ordered_into_the_window_counts(void **state)
{
    (void)state;
    WR(t1, x[0], 2);
    RD(t0, x[0], 1);
    rig_join(t0, t1);
    WR(t0, x[0], 3);
    assert_int_equal(finish(), 1);
    assert_true(RIG_HAS(BURL_SUSPECT_TRIPLE, 1, 2, 3));
}

static void
a_loop_that_waits_is_no_pair(void **state)
{
    (void)state;
    WR(t2, x[0], 2);
    for (int i = 0; i < 5; i++)
        RD(t1, x[0], 1);
    assert_int_equal(finish(), 0);
}

static void
two_places_that_read_are_one(void **state)
{
    (void)state;
    WR(t2, x[0], 2);
    RD(t1, x[0], 1);
    RD(t1, x[0], 3);
    assert_int_equal(finish(), 1);
}

static void
only_consecutive_accesses_pair(void **state)
{
    (void)state;
    RD(t1, x[0], 1);
    WR(t1, x[0], 4);
    RD(t1, x[0], 3);
    WR(t2, x[0], 2);
    finish();
    assert_true(RIG_HAS(BURL_SUSPECT_TRIPLE, 1, 2, 4));
    assert_true(RIG_HAS(BURL_SUSPECT_TRIPLE, 4, 2, 3));
    assert_false(RIG_HAS(BURL_SUSPECT_TRIPLE, 1, 2, 3));
}

static void
p_and_c_are_on_the_same_bytes(void **state)
{
    char *c = (char *)x;

    (void)state;
    rig_access(t1, c, 1, 1, 0);
    rig_access(t1, c + 1, 1, 3, BURL_ACCESS_WRITE);
    rig_access(t2, c, 8, 2, BURL_ACCESS_WRITE);
    assert_int_equal(finish(), 0);
}

static void
r_overlaps(void **state)
{
    char *c = (char *)x;

    (void)state;
    rig_access(t1, c + 2, 2, 1, 0);
    rig_access(t1, c + 2, 2, 3, BURL_ACCESS_WRITE);
    rig_access(t2, c, 2, 4, BURL_ACCESS_WRITE);
    rig_access(t2, c + 3, 1, 2, BURL_ACCESS_WRITE);
    assert_int_equal(finish(), 1);
    assert_true(RIG_HAS(BURL_SUSPECT_TRIPLE, 1, 2, 3));
    assert_int_equal(rig_seen[0].addr, (uintptr_t)c + 3);
}

static void
recycled_memory_has_no_past(void **state)
{
    (void)state;
    RD(t1, x[0], 1);
    WR(t1, x[0], 3);
    burl_ob_forget((uintptr_t)x, 8);
    WR(t2, x[0], 2);
    RD(t1, x[1], 11);
    burl_ob_forget((uintptr_t)&x[1], 8);
    WR(t1, x[1], 13);
    WR(t2, x[1], 12);
    assert_int_equal(finish(), 0);
}

static void
the_shortest_window_is_the_rank(void **state)
{
    (void)state;
    WR(t2, x[0], 2);
    for (int i = 5; i > 0; i--) {
        RD(t1, x[0], 1);
        for (int k = 0; k < i; k++)
            RD(t0, x[1], 9);
        WR(t1, x[0], 3);
    }
    finish();
    for (uint32_t i = 0; i < rig_n_seen; i++) {
        if (rig_seen[i].sites[0] == 1)
            assert_int_equal(rig_seen[i].rank, 2);
    }
    assert_true(RIG_HAS(BURL_SUSPECT_TRIPLE, 1, 2, 3));
}

/* 300 variables, windows of 300, 299, ... 1 steps: the 128 shortest are kept, shortest first. */
static void
the_best_are_kept_and_come_in_order(void **state)
{
    uint32_t last = 0;

    (void)state;
    for (uint32_t i = 0; i < 300; i++) {
        WR(t2, x[i], 1000 + i);
        RD(t1, x[i], 2000 + i);
        for (uint32_t k = 0; k < 300 - i; k++)
            RD(t0, x[400], 9);
        WR(t1, x[i], 3000 + i);
    }
    assert_int_equal(finish(), 128);
    for (uint32_t i = 0; i < rig_n_seen; i++) {
        assert_true(rig_seen[i].rank >= last);
        last = rig_seen[i].rank;
    }
    assert_true(RIG_HAS(BURL_SUSPECT_TRIPLE, 2299, 1299, 3299));
    assert_false(RIG_HAS(BURL_SUSPECT_TRIPLE, 2000, 1000, 3000));
    assert_int_equal(last, 129);
}

/* Of two equal windows the one that r is farther from is hit less often. */
static void
of_equals_the_farther_comes_first(void **state)
{
    (void)state;
    WR(t2, x[1], 12);
    for (int i = 0; i < 20; i++)
        RD(t0, x[9], 9);
    WR(t2, x[0], 2);
    RD(t1, x[0], 1);
    WR(t1, x[0], 3);
    RD(t1, x[1], 11);
    WR(t1, x[1], 13);
    assert_int_equal(finish(), 2);
    assert_int_equal(rig_seen[0].sites[1], 12);
    assert_int_equal(rig_seen[1].sites[1], 2);
    assert_int_equal(rig_seen[0].rank, rig_seen[1].rank);
}

static void
compare_exchange_as_c_comes_last(void **state)
{
    struct burl_access cas = { .addr = (uintptr_t)&x[0],
                               .n = 8,
                               .site = 3,
                               .op = BURL_OP_ATOMIC_CAS,
                               .flags = BURL_ACCESS_ATOMIC | BURL_ACCESS_WRITE | BURL_ACCESS_RMW };

    (void)state;
    AWR(t2, x[0], 2);
    ARD(t1, x[0], 1);
    burl_ob_access(t1, &cas);
    WR(t2, x[1], 12);
    RD(t1, x[1], 11);
    for (int i = 0; i < 50; i++)
        RD(t0, x[9], 9);
    WR(t1, x[1], 13);
    assert_int_equal(finish(), 2);
    assert_int_equal(rig_seen[0].sites[1], 12);
    assert_int_equal(rig_seen[1].sites[1], 2);
}

/* Known pairs under other locks, or of a thread that knows more by now, are new. */
static void
a_known_pair_under_other_conditions_is_new(void **state)
{
    (void)state;
    LOCK(t2, m, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    LOCK(t1, m, 10);
    RD(t1, x[0], 1);
    WR(t1, x[0], 3);
    UNLOCK(t1, m);
    RD(t1, x[0], 1);
    WR(t1, x[0], 3);
    finish();
    assert_true(RIG_HAS(BURL_SUSPECT_TRIPLE, 1, 2, 3));

    start(state);
    RD(t1, x[9], 9);
    WR(t2, x[0], 2);
    burl_ob_wake(t2, t1);
    RD(t1, x[0], 1);
    WR(t1, x[0], 3);
    assert_int_equal(finish(), 0);
}

/* Many places, many rounds: memory does not grow with them. */
static void
a_granule_stays_bounded(void **state)
{
    size_t used = 0;

    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        RD(t1, x[0], 100 + i % 500);
        WR(t1, x[0], 700 + i % 501);
        WR(t2, x[0], 1300 + i % 499);
        if (i == 1000)
            used = rig_used;
    }
    assert_int_equal(rig_used, used);
    assert_int_equal(finish(), 128);
}

#define T(f) cmocka_unit_test_setup(f, start)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_four_and_only_they),
        T(updates_are_writes_and_read_as_r_and_c),
        T(a_lock_all_the_way_and_at_r_prevents),
        T(a_lock_given_back_in_between_does_not),
        T(an_outer_lock_prevents_too),
        T(readers_on_both_sides_do_not_prevent),
        T(a_reader_and_a_writer_prevent),
        T(r_before_p_by_create_or_signal_prevents),
        T(r_after_c_by_join_prevents),
        T(r_ordered_into_the_window_counts),
        T(a_loop_that_waits_is_no_pair),
        T(two_places_that_read_are_one),
        T(only_consecutive_accesses_pair),
        T(p_and_c_are_on_the_same_bytes),
        T(r_overlaps),
        T(recycled_memory_has_no_past),
        T(the_shortest_window_is_the_rank),
        T(the_best_are_kept_and_come_in_order),
        T(of_equals_the_farther_comes_first),
        T(compare_exchange_as_c_comes_last),
        T(a_known_pair_under_other_conditions_is_new),
        T(a_granule_stays_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
