/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_waitfor.c - the wait-for graph of a free run.
 */
#include "unit.h"

#include "engine/free/hang.h"
#include "engine/free/waitfor.h"

enum { A = 0x1000, B = 0x1100, C = 0x1200, COND = 0x2000 };

static struct burl_wire_blocked_table table;
static struct burl_waitfor g;

static int
set_up(void **state)
{
    (void)state;
    memset(&table, 0, sizeof table);
    return 0;
}

static struct burl_wire_blocked *
add(uint32_t place, uint16_t tid, enum burl_wire_op op, uint64_t addr)
{
    struct burl_wire_blocked *r = &table.v[place];

    r->seq += 2;
    r->tid = tid;
    r->kernel_tid = 100u + tid;
    r->state = op == BURL_OP_NONE ? BURL_BLOCKED_RUNS : BURL_BLOCKED_WAITS;
    r->op = (uint8_t)op;
    r->addr = addr;
    r->site = tid + 1u;
    r->target = BURL_TID_NONE;
    r->flags = op == BURL_OP_LOCK ? BURL_BLOCKED_F_MUTEX : 0;
    r->mode = op == BURL_OP_RDLOCK ? BURL_LOCK_SHARED : BURL_LOCK_EXCLUSIVE;
    return r;
}

static void
hold(struct burl_wire_blocked *r, uint64_t addr, uint32_t mode)
{
    r->locks[r->n_locks++] = (struct burl_wire_blocked_lock){ .addr = addr, .mode = mode };
}

static bool
finds_cycle(bool joins, struct burl_wire_verdict *v)
{
    struct burl_waitfor_cycle c;

    assert_true(burl_waitfor_read(&g, &table));
    if (!burl_waitfor_find_cycle(&g, joins, &c))
        return false;
    burl_waitfor_cycle_verdict(&g, &c, v);
    return true;
}

static void
two_locks_in_both_orders_are_a_cycle(void **state)
{
    struct burl_wire_verdict v;

    (void)state;
    hold(add(0, 7, BURL_OP_LOCK, A), B, BURL_LOCK_EXCLUSIVE);
    hold(add(1, 3, BURL_OP_LOCK, B), A, BURL_LOCK_EXCLUSIVE);
    assert_true(finds_cycle(false, &v));
    assert_int_equal(v.kind, BURL_VERDICT_DEADLOCK_CYCLE);
    assert_int_equal(v.tid, BURL_TID_NONE);
    assert_int_equal(v.n_waits, 2);
    assert_int_equal(v.waits[0].tid, 3);
    assert_int_equal(v.waits[0].owner, 7);
    assert_int_equal(v.waits[0].addr, B);
    assert_int_equal(v.waits[1].owner, 3);
}

static void
a_thread_that_runs_is_in_no_cycle(void **state)
{
    struct burl_wire_verdict v;

    (void)state;
    hold(add(0, 1, BURL_OP_LOCK, A), B, BURL_LOCK_EXCLUSIVE);
    hold(add(1, 2, BURL_OP_NONE, 0), A, BURL_LOCK_EXCLUSIVE);
    assert_false(finds_cycle(false, &v));
    assert_false(burl_waitfor_all_stuck(&g));
}

static void
a_request_with_a_time_out_is_in_no_cycle(void **state)
{
    struct burl_wire_verdict v;
    struct burl_wire_blocked *r = add(0, 1, BURL_OP_LOCK, A);

    (void)state;
    hold(r, B, BURL_LOCK_EXCLUSIVE);
    hold(add(1, 2, BURL_OP_LOCK, B), A, BURL_LOCK_EXCLUSIVE);
    r->flags |= BURL_BLOCKED_F_TIMED;
    assert_false(finds_cycle(false, &v));
    assert_false(burl_waitfor_all_stuck(&g));
}

static void
readers_do_not_wait_for_readers(void **state)
{
    struct burl_wire_verdict v;
    struct burl_wire_blocked *r = add(0, 1, BURL_OP_RDLOCK, A);

    (void)state;
    hold(r, B, BURL_LOCK_SHARED);
    hold(add(1, 2, BURL_OP_WRLOCK, B), A, BURL_LOCK_SHARED);
    assert_false(finds_cycle(false, &v));
    hold(&table.v[1], C, BURL_LOCK_SHARED);
    table.v[1].locks[0].mode = BURL_LOCK_EXCLUSIVE;
    assert_true(finds_cycle(false, &v));
    assert_int_equal(v.kind, BURL_VERDICT_DEADLOCK_CYCLE);
}

static void
a_writer_waits_for_every_reader(void **state)
{
    struct burl_wire_verdict v;

    (void)state;
    hold(add(0, 1, BURL_OP_WRLOCK, A), B, BURL_LOCK_EXCLUSIVE);
    hold(add(1, 2, BURL_OP_SEM_WAIT, C), A, BURL_LOCK_SHARED);
    hold(add(2, 3, BURL_OP_LOCK, B), A, BURL_LOCK_SHARED);
    assert_true(finds_cycle(false, &v));
    assert_int_equal(v.waits[0].owner, 3);
}

static void
a_reader_waits_for_a_preferred_writer(void **state)
{
    struct burl_wire_verdict v;
    struct burl_wire_blocked *r = add(0, 1, BURL_OP_RDLOCK, A);

    (void)state;
    hold(r, A, BURL_LOCK_SHARED);
    add(1, 2, BURL_OP_WRLOCK, A);
    assert_false(finds_cycle(false, &v));
    r->flags |= BURL_BLOCKED_F_WRITERS_FIRST;
    assert_true(finds_cycle(false, &v));
    assert_int_equal(v.n_waits, 2);
}

static void
a_lock_requested_again_is_a_misuse(void **state)
{
    struct burl_wire_verdict v;
    struct burl_wire_blocked *r = add(0, 1, BURL_OP_LOCK, A);

    (void)state;
    hold(r, A, BURL_LOCK_EXCLUSIVE);
    r->stack[0] = 77;
    assert_true(finds_cycle(false, &v));
    assert_int_equal(v.kind, BURL_VERDICT_MISUSE_RELOCK);
    assert_int_equal(v.tid, 1);
    assert_int_equal(v.stack[0], 77);
    r->flags |= BURL_BLOCKED_F_CHECKED; /* libc refuses */
    assert_false(finds_cycle(false, &v));
}

static void
an_upgrade_waits_for_itself_and_a_second_write_is_refused(void **state)
{
    struct burl_wire_verdict v;

    (void)state;
    hold(add(0, 1, BURL_OP_WRLOCK, A), A, BURL_LOCK_SHARED);
    assert_true(finds_cycle(false, &v));
    assert_int_equal(v.kind, BURL_VERDICT_DEADLOCK_CYCLE);
    assert_int_equal(v.waits[0].owner, 1);
    table.v[0].locks[0].mode = BURL_LOCK_EXCLUSIVE;
    assert_false(finds_cycle(false, &v));
}

static void
joins_count_when_asked_for_and_not_alone(void **state)
{
    struct burl_wire_verdict v;
    struct burl_wire_blocked *r = add(0, 1, BURL_OP_JOIN, 0x9000);

    (void)state;
    r->target = 2;
    hold(r, A, BURL_LOCK_EXCLUSIVE);
    add(1, 2, BURL_OP_LOCK, A);
    assert_false(finds_cycle(false, &v));
    assert_true(finds_cycle(true, &v));
    assert_int_equal(v.kind, BURL_VERDICT_DEADLOCK_CYCLE);
    add(1, 2, BURL_OP_JOIN, 0x9100)->target = 1;
    assert_false(finds_cycle(true, &v));
    burl_waitfor_stuck_verdict(&g, &v);
    assert_int_equal(v.kind, BURL_VERDICT_DEADLOCK_STUCK);
    assert_int_equal(v.n_waits, 2);
    assert_int_equal(v.waits[1].owner, 1);
}

static void
a_condition_wait_waits_for_its_mutex_only_when_woken(void **state)
{
    struct burl_waitfor_cycle c;
    struct burl_wire_verdict v;
    struct burl_wire_blocked *r = add(0, 1, BURL_OP_COND_WAIT, COND);

    (void)state;
    r->mutex = A;
    r->flags = BURL_BLOCKED_F_TIMED;
    hold(r, B, BURL_LOCK_EXCLUSIVE);
    hold(add(1, 2, BURL_OP_LOCK, B), A, BURL_LOCK_EXCLUSIVE);
    assert_false(finds_cycle(true, &v));
    assert_false(burl_waitfor_all_stuck(&g));
    g.retakes[0] = true;
    assert_true(burl_waitfor_all_stuck(&g));
    assert_true(burl_waitfor_find_cycle(&g, false, &c));
    burl_waitfor_cycle_verdict(&g, &c, &v);
    assert_int_equal(v.waits[0].kind, BURL_OP_COND_WAKE);
    assert_int_equal(v.waits[0].addr, A);
}

static void
an_initializer_is_held_by_the_thread_that_runs_it(void **state)
{
    struct burl_wire_verdict v;

    (void)state;
    hold(add(0, 1, BURL_OP_ONCE, C), C, BURL_BLOCKED_ONCE);
    assert_true(finds_cycle(false, &v));
    assert_int_equal(v.kind, BURL_VERDICT_DEADLOCK_STUCK); /* no lock is part of it */
}

static void
foreign_unlocks_make_lists_of_other_locks_void(void **state)
{
    struct burl_wire_verdict v;

    (void)state;
    add(0, 1, BURL_OP_LOCK, A)->flags = BURL_BLOCKED_F_SPINS;
    hold(&table.v[0], B, BURL_LOCK_EXCLUSIVE);
    hold(add(1, 2, BURL_OP_LOCK, B), A, BURL_LOCK_EXCLUSIVE);
    assert_true(finds_cycle(false, &v));
    table.foreign_unlock = 1;
    assert_false(finds_cycle(false, &v));
    table.v[0].flags = BURL_BLOCKED_F_MUTEX; /* whose owner libc knows */
    assert_true(finds_cycle(false, &v));
}

static void
a_spinner_has_failed_after_two_more_counts(void **state)
{
    uint64_t attempts[BURL_WIRE_MAX_BLOCKED];

    (void)state;
    add(0, 5, BURL_OP_LOCK, A)->flags = BURL_BLOCKED_F_SPINS;
    add(1, 2, BURL_OP_COND_WAIT, COND)->mutex = B; /* in the place of the count */
    table.v[0].n_failed = 10;
    assert_true(burl_waitfor_read(&g, &table));
    table.v[0].n_failed = 11; /* since the snapshot */
    burl_waitfor_attempts(&g, &table, attempts);
    assert_int_equal(attempts[0], 0);
    assert_int_equal(attempts[1], 11);
    assert_true(burl_waitfor_failed_since(&g, 0, attempts[0])); /* does not spin */
    table.v[0].n_failed = 12; /* of an attempt that may have begun before */
    assert_true(burl_waitfor_read(&g, &table));
    assert_false(burl_waitfor_failed_since(&g, 1, attempts[1]));
    table.v[0].n_failed = 13;
    assert_true(burl_waitfor_read(&g, &table));
    assert_true(burl_waitfor_failed_since(&g, 1, attempts[1]));
}

static void
a_record_that_changes_is_no_snapshot(void **state)
{
    (void)state;
    add(0, 1, BURL_OP_LOCK, A);
    table.v[0].seq++;
    assert_false(burl_waitfor_read(&g, &table));
    table.v[0].seq++;
    assert_true(burl_waitfor_read(&g, &table));
    assert_true(burl_waitfor_still(&g, &table));
    table.v[0].seq += 2;
    assert_false(burl_waitfor_still(&g, &table));
}

static void
a_damaged_record_is_no_snapshot(void **state)
{
    (void)state;
    add(0, 1, BURL_OP_LOCK, A)->n_locks = BURL_BLOCKED_LOCKS + 1;
    assert_false(burl_waitfor_read(&g, &table));
    add(0, 1, BURL_OP_LOCK, A)->n_locks = 0;
    table.v[0].op = 255;
    assert_false(burl_waitfor_read(&g, &table));
}

static void
threads_without_a_record_keep_all_from_being_stuck(void **state)
{
    (void)state;
    assert_true(burl_waitfor_read(&g, &table));
    assert_false(burl_waitfor_all_stuck(&g)); /* no thread at all */
    add(0, 1, BURL_OP_SEM_WAIT, A);
    assert_true(burl_waitfor_read(&g, &table));
    assert_true(burl_waitfor_all_stuck(&g));
    table.n_lost = 1;
    assert_true(burl_waitfor_read(&g, &table));
    assert_false(burl_waitfor_all_stuck(&g));
}

static void
a_hang_lists_loops_first_and_joins_last(void **state)
{
    struct burl_wire_verdict v;

    (void)state;
    add(0, 0, BURL_OP_JOIN, 0)->target = 2;
    add(1, 1, BURL_OP_LOCK, A);
    add(2, 2, BURL_OP_NONE, 0);
    add(3, 3, BURL_OP_NONE, 0)->seq++; /* it does not hold still */
    burl_waitfor_copy(&g, &table);
    assert_int_equal(g.n, 3);
    g.loops[2] = true;
    g.loop_sites[2] = 77;
    g.v[2].op = BURL_OP_YIELD;
    burl_waitfor_hang_verdict(&g, &v);
    assert_int_equal(v.kind, BURL_VERDICT_HANG_TIMEOUT);
    assert_int_equal(v.tid, BURL_TID_NONE);
    assert_int_equal(v.n_waits, 3);
    assert_int_equal(v.waits[0].tid, 2);
    assert_int_equal(v.waits[0].site, 77);
    assert_int_equal(v.waits[0].kind, BURL_OP_YIELD);
    assert_int_equal(v.waits[1].addr, A);
    assert_int_equal(v.waits[2].owner, 2);
}

static void
a_hang_of_many_threads_keeps_a_place_for_each_place(void **state)
{
    struct burl_wire_verdict v;

    (void)state;
    for (uint16_t i = 0; i < 40; i++)
        add(i, i, BURL_OP_LOCK, A)->site = 5;
    add(40, 40, BURL_OP_SEM_WAIT, B)->site = 6;
    burl_waitfor_copy(&g, &table);
    burl_waitfor_hang_verdict(&g, &v);
    assert_int_equal(v.n_waits, BURL_WIRE_MAX_CYCLE);
    assert_int_equal(v.waits[0].site, 5);
    assert_int_equal(v.waits[1].site, 6);
}

/* Entries of functions at these depths; the other words are marks. */
static void
a_thread_loops_in_the_innermost_function_that_it_did_not_leave(void **state)
{
    static uint64_t ring[BURL_WIRE_RING];

    (void)state;
    ring[3] = 2u;
    ring[4] = 3u;
    ring[5] = 1ull << 62 | 1u;
    assert_int_equal(burl__hang_common(ring, 3, 6, 4), 2);
    assert_int_equal(burl__hang_common(ring, 4, 6, 4), 3);
    assert_int_equal(burl__hang_common(ring, 6, 6, 4), 4); /* entered none */
    assert_int_equal(burl__hang_common(ring, 3, 6, 1), 1); /* is further out now */
    /* The numbers wrap, and so does the ring. */
    for (size_t i = 0; i < BURL_WIRE_RING; i++)
        ring[i] = 9u;
    assert_int_equal(burl__hang_common(ring, UINT32_MAX - 5, 7, 12), 9);
    assert_int_equal(burl__hang_common(ring, 0, UINT32_MAX / 2, 12), 9);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_hang_lists_loops_first_and_joins_last, set_up),
        cmocka_unit_test_setup(a_hang_of_many_threads_keeps_a_place_for_each_place, set_up),
        cmocka_unit_test(a_thread_loops_in_the_innermost_function_that_it_did_not_leave),
        cmocka_unit_test_setup(two_locks_in_both_orders_are_a_cycle, set_up),
        cmocka_unit_test_setup(a_thread_that_runs_is_in_no_cycle, set_up),
        cmocka_unit_test_setup(a_request_with_a_time_out_is_in_no_cycle, set_up),
        cmocka_unit_test_setup(readers_do_not_wait_for_readers, set_up),
        cmocka_unit_test_setup(a_writer_waits_for_every_reader, set_up),
        cmocka_unit_test_setup(a_reader_waits_for_a_preferred_writer, set_up),
        cmocka_unit_test_setup(a_lock_requested_again_is_a_misuse, set_up),
        cmocka_unit_test_setup(an_upgrade_waits_for_itself_and_a_second_write_is_refused, set_up),
        cmocka_unit_test_setup(joins_count_when_asked_for_and_not_alone, set_up),
        cmocka_unit_test_setup(a_condition_wait_waits_for_its_mutex_only_when_woken, set_up),
        cmocka_unit_test_setup(an_initializer_is_held_by_the_thread_that_runs_it, set_up),
        cmocka_unit_test_setup(foreign_unlocks_make_lists_of_other_locks_void, set_up),
        cmocka_unit_test_setup(a_spinner_has_failed_after_two_more_counts, set_up),
        cmocka_unit_test_setup(a_record_that_changes_is_no_snapshot, set_up),
        cmocka_unit_test_setup(a_damaged_record_is_no_snapshot, set_up),
        cmocka_unit_test_setup(threads_without_a_record_keep_all_from_being_stuck, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
