/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_observers_lockset.c - detect/lockset.c: for every rule a sequence that must give
 * the suspect and the nearest one that must not.
 */
#include "observer_rig.h"

static uint64_t x[8];
static int m;
static int m2;
static struct burl_watch *t0;
static struct burl_watch *t1;
static struct burl_watch *t2;

static int
start(void **state)
{
    (void)state;
    t0 = rig_begin(BURL_OB(LOCKSET));
    t1 = rig_create(t0);
    t2 = rig_create(t0);
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    rig_end();
    return 0;
}

static void
a_write_and_a_read_without_locks(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    RD(t2, x[0], 2);
    assert_int_equal(rig_n_seen, 1);
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 1, 2));
    assert_int_equal(rig_seen[0].sites[0], 1);
    assert_int_equal(rig_seen[0].sites[1], 2);
    assert_int_equal(rig_seen[0].addr, (uintptr_t)&x[0]);
    assert_int_equal(rig_seen[0].observer, BURL_OBSERVER_LOCKSET);
}

static void
two_reads_never(void **state)
{
    (void)state;
    RD(t1, x[0], 1);
    RD(t2, x[0], 2);
    assert_int_equal(rig_n_seen, 0);
}

static void
one_thread_never(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    WR(t1, x[0], 2);
    assert_int_equal(rig_n_seen, 0);
}

/* Other locks order the two in this execution; that is luck. */
static void
order_by_locks_does_not_count(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    LOCK(t1, m, 10);
    UNLOCK(t1, m);
    LOCK(t2, m, 11);
    UNLOCK(t2, m);
    WR(t2, x[0], 2);
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 1, 2));
}

static void
a_common_lock_counts(void **state)
{
    (void)state;
    LOCK(t1, m, 10);
    WR(t1, x[0], 1);
    UNLOCK(t1, m);
    LOCK(t2, m2, 11);
    LOCK(t2, m, 12);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    UNLOCK(t2, m2);
    assert_int_equal(rig_n_seen, 0);
}

static void
different_locks_do_not(void **state)
{
    (void)state;
    LOCK(t1, m, 10);
    WR(t1, x[0], 1);
    UNLOCK(t1, m);
    LOCK(t2, m2, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m2);
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 1, 2));
}

static void
both_reading_a_rwlock_do_not(void **state)
{
    (void)state;
    RDLOCK(t1, m, 10);
    WR(t1, x[0], 1);
    UNLOCK(t1, m);
    RDLOCK(t2, m, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 1, 2));
}

static void
reader_and_writer_of_a_rwlock_do(void **state)
{
    (void)state;
    RDLOCK(t1, m, 10);
    RD(t1, x[0], 1);
    UNLOCK(t1, m);
    LOCK(t2, m, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    assert_int_equal(rig_n_seen, 0);
}

static void
before_create_and_after_join_is_ordered(void **state)
{
    struct burl_watch *t3;

    (void)state;
    WR(t0, x[0], 1);
    t3 = rig_create(t0);
    WR(t3, x[0], 2);
    rig_join(t0, t3);
    WR(t0, x[0], 3);
    assert_int_equal(rig_n_seen, 0);
}

static void
between_create_and_join_is_not(void **state)
{
    struct burl_watch *t3;

    (void)state;
    t3 = rig_create(t0);
    WR(t0, x[0], 1);
    WR(t3, x[0], 2);
    rig_join(t0, t3);
    assert_int_equal(rig_n_seen, 1);
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 1, 2));
}

static void
a_wake_up_orders(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    burl_ob_wake(t1, t2);
    WR(t2, x[0], 2);
    assert_int_equal(rig_n_seen, 0);
    WR(t1, x[0], 3); /* after the signal: not covered by it */
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 2, 3));
}

static void
atomics_pair_with_plain_accesses_only(void **state)
{
    (void)state;
    AWR(t1, x[0], 1);
    ARD(t2, x[0], 2);
    RMW(t2, x[0], 3);
    assert_int_equal(rig_n_seen, 0);
    RD(t2, x[0], 4);
    assert_int_equal(rig_n_seen, 1);
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 1, 4));
}

static void
bytes_are_told_apart(void **state)
{
    char *c = (char *)x;

    (void)state;
    rig_access(t1, c, 1, 1, BURL_ACCESS_WRITE);
    rig_access(t2, c + 1, 1, 2, BURL_ACCESS_WRITE);
    rig_access(t2, c + 2, 6, 3, BURL_ACCESS_WRITE);
    assert_int_equal(rig_n_seen, 0);
    rig_access(t2, c, 2, 4, 0);
    assert_int_equal(rig_n_seen, 1);
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 1, 4));
}

static void
accesses_across_granules_overlap(void **state)
{
    char *c = (char *)x;

    (void)state;
    rig_access(t1, c + 6, 4, 1, BURL_ACCESS_WRITE);
    rig_access(t2, c + 9, 1, 2, 0);
    rig_access(t2, c + 10, 1, 3, 0);
    rig_access(t2, c + 5, 1, 4, 0);
    assert_int_equal(rig_n_seen, 1);
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 1, 2));
    assert_int_equal(rig_seen[0].addr, (uintptr_t)c + 9);
}

/* An entry that grows byte by byte (a loop over a string) is compared for each new byte. */
static void
a_known_place_at_a_new_byte_is_new(void **state)
{
    char *c = (char *)x;

    (void)state;
    rig_access(t1, c + 3, 1, 1, BURL_ACCESS_WRITE);
    for (int i = 0; i < 3; i++)
        rig_access(t2, c + i, 1, 2, 0);
    assert_int_equal(rig_n_seen, 0);
    rig_access(t2, c + 3, 1, 2, 0);
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 1, 2));
}

static void
recycled_memory_has_no_past(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    WR(t1, x[2], 3);
    burl_ob_forget((uintptr_t)&x[0], sizeof x[0]);
    WR(t2, x[0], 2);
    assert_int_equal(rig_n_seen, 0);
    WR(t2, x[2], 4);
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 3, 4));
}

static void
large_areas_are_forgotten_too(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    burl_ob_forget(0x1000, ~0ull >> 1);
    WR(t2, x[0], 2);
    assert_int_equal(rig_n_seen, 0);
}

/* Under a lock in the first round, without in the second: other entries, other outcome. */
static void
each_set_of_locks_is_looked_at(void **state)
{
    (void)state;
    LOCK(t1, m, 10);
    WR(t1, x[0], 1);
    UNLOCK(t1, m);
    LOCK(t2, m, 11);
    WR(t2, x[0], 2);
    UNLOCK(t2, m);
    assert_int_equal(rig_n_seen, 0);
    WR(t2, x[0], 2);
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 1, 2));
}

/* The same place, first ordered before the other thread, then not; once reading, then writing (a
 * compare-exchange). */
static void
a_known_place_at_another_time_is_new(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    burl_ob_wake(t1, t2);
    WR(t1, x[0], 1);
    WR(t2, x[0], 2);
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 1, 2));
    ARD(t1, x[1], 3);
    RD(t2, x[1], 4);
    assert_int_equal(rig_n_seen, 1);
    RMW(t1, x[1], 3);
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 4, 3));
}

static void
a_granule_used_from_many_places_stays_bounded(void **state)
{
    size_t used;

    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        RD(t1, x[0], 100 + i);
    used = rig_used;
    for (uint32_t i = 0; i < 10000; i++)
        RD(t1, x[0], 1000 + i);
    assert_int_equal(rig_used, used);
    WR(t2, x[0], 1);
    assert_int_equal(rig_n_seen, 32);
}

/* Of a thread's clock the last five values are kept. */
static void
old_clocks_go(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 7; i++) {
        RD(t1, x[0], 10 + i);
        burl_ob_wake(t1, t0);
    }
    WR(t2, x[0], 1);
    assert_int_equal(rig_n_seen, 5);
    assert_false(RIG_HAS(BURL_SUSPECT_POTENTIAL, 11, 1));
    assert_true(RIG_HAS(BURL_SUSPECT_POTENTIAL, 12, 1));
}

static void
nothing_is_left_from_the_last_execution(void **state)
{
    (void)state;
    WR(t1, x[0], 1);
    rig_end();
    start(state);
    WR(t2, x[0], 2);
    assert_int_equal(rig_n_seen, 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, stop)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_write_and_a_read_without_locks),
        T(two_reads_never),
        T(one_thread_never),
        T(order_by_locks_does_not_count),
        T(a_common_lock_counts),
        T(different_locks_do_not),
        T(both_reading_a_rwlock_do_not),
        T(reader_and_writer_of_a_rwlock_do),
        T(before_create_and_after_join_is_ordered),
        T(between_create_and_join_is_not),
        T(a_wake_up_orders),
        T(atomics_pair_with_plain_accesses_only),
        T(bytes_are_told_apart),
        T(accesses_across_granules_overlap),
        T(a_known_place_at_a_new_byte_is_new),
        T(recycled_memory_has_no_past),
        T(large_areas_are_forgotten_too),
        T(each_set_of_locks_is_looked_at),
        T(a_known_place_at_another_time_is_new),
        T(a_granule_used_from_many_places_stays_bounded),
        T(old_clocks_go),
        T(nothing_is_left_from_the_last_execution),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
