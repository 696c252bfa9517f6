/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_observers_lockorder.c - detect/lockorder.c: which lock cycles are suspects.
 */
#include "observer_rig.h"

static int a;
static int b;
static int gate;
static int locks[64];
static struct burl_watch *t0;
static struct burl_watch *t1;
static struct burl_watch *t2;
static struct burl_watch *t3;

static int
start(void **state)
{
    (void)state;
    memset(&rig_ctl, 0, sizeof rig_ctl);
    t0 = rig_begin(BURL_OB(LOCKORDER));
    t1 = rig_create(t0);
    t2 = rig_create(t0);
    t3 = rig_create(t0);
    return 0;
}

static uint32_t
finish(void)
{
    rig_end();
    return rig_count(BURL_SUSPECT_CYCLE);
}

/* `outer` at site, `inner` at site + 1, both given back. */
static void
nest(struct burl_watch *w, int *outer, int *inner, uint32_t site)
{
    LOCK(w, *outer, site);
    LOCK(w, *inner, site + 1);
    UNLOCK(w, *inner);
    UNLOCK(w, *outer);
}

static void
two_threads_in_opposite_order(void **state)
{
    (void)state;
    nest(t1, &a, &b, 10);
    nest(t2, &b, &a, 20);
    assert_int_equal(finish(), 1);
    assert_true(RIG_HAS(BURL_SUSPECT_CYCLE, 10, 11, 20, 21));
    assert_int_equal(rig_seen[0].n, 4);
    assert_int_equal(rig_seen[0].tids[0], t1->tid);
    assert_int_equal(rig_seen[0].tids[3], t2->tid);
}

static void
the_same_order_is_fine(void **state)
{
    (void)state;
    nest(t1, &a, &b, 10);
    nest(t2, &a, &b, 20);
    assert_int_equal(finish(), 0);
}

/* Also without a cycle: once for each pair of places. */
static void
orders_are_told(void **state)
{
    (void)state;
    rig_n_orders = 0;
    nest(t1, &a, &b, 10);
    nest(t1, &a, &b, 10);
    nest(t2, &a, &b, 20);
    assert_int_equal(finish(), 0);
    assert_int_equal(rig_n_orders, 2);
    assert_int_equal(rig_orders[0].from, 10);
    assert_int_equal(rig_orders[0].to, 11);
    assert_int_equal(rig_orders[1].from, 20);
    assert_int_equal(rig_orders[1].to, 21);
}

static void
one_thread_cannot_wait_for_itself(void **state)
{
    (void)state;
    nest(t1, &a, &b, 10);
    nest(t1, &b, &a, 20);
    assert_int_equal(finish(), 0);
}

static void
not_nested_is_fine(void **state)
{
    (void)state;
    nest(t1, &a, &b, 10);
    LOCK(t2, b, 20);
    UNLOCK(t2, b);
    LOCK(t2, a, 21);
    UNLOCK(t2, a);
    assert_int_equal(finish(), 0);
}

static void
three_in_a_cycle(void **state)
{
    (void)state;
    nest(t1, &locks[0], &locks[1], 10);
    nest(t2, &locks[1], &locks[2], 20);
    nest(t3, &locks[2], &locks[0], 30);
    assert_int_equal(finish(), 1);
    assert_true(RIG_HAS(BURL_SUSPECT_CYCLE, 10, 11, 20, 21, 30, 31));
}

static void
three_of_which_two_are_one_thread(void **state)
{
    (void)state;
    nest(t1, &locks[0], &locks[1], 10);
    nest(t2, &locks[1], &locks[2], 20);
    nest(t1, &locks[2], &locks[0], 30);
    assert_int_equal(finish(), 0);
}

static void
ring(uint32_t n)
{
    struct burl_watch *w[16];

    start(NULL);
    for (uint32_t i = 0; i < n; i++)
        w[i] = rig_create(t0);
    for (uint32_t i = 0; i < n; i++)
        nest(w[i], &locks[i], &locks[(i + 1) % n], 10 * (i + 1));
}

static void
eight_in_a_cycle_and_no_more(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 8; n++) {
        ring(n);
        assert_int_equal(finish(), 1);
        assert_int_equal(rig_seen[0].n, 2 * n);
    }
    ring(9); /* more than a suspect can name */
    assert_int_equal(finish(), 0);
}

static void
a_gate_makes_it_impossible(void **state)
{
    (void)state;
    LOCK(t1, gate, 1);
    nest(t1, &a, &b, 10);
    UNLOCK(t1, gate);
    LOCK(t2, gate, 2);
    nest(t2, &b, &a, 20);
    UNLOCK(t2, gate);
    assert_int_equal(finish(), 0);
}

static void
a_gate_on_one_side_does_not(void **state)
{
    (void)state;
    LOCK(t1, gate, 1);
    nest(t1, &a, &b, 10);
    UNLOCK(t1, gate);
    nest(t2, &b, &a, 20);
    assert_int_equal(finish(), 1);
}

static void
a_gate_given_back_does_not(void **state)
{
    (void)state;
    LOCK(t1, gate, 1);
    LOCK(t1, a, 10);
    UNLOCK(t1, gate);
    LOCK(t1, b, 11);
    UNLOCK(t1, b);
    UNLOCK(t1, a);
    LOCK(t2, gate, 2);
    nest(t2, &b, &a, 20);
    UNLOCK(t2, gate);
    assert_int_equal(finish(), 1);
    assert_true(RIG_HAS(BURL_SUSPECT_CYCLE, 10, 11, 20, 21));
}

static void
a_gate_held_for_reading_on_both_sides_does_not(void **state)
{
    (void)state;
    RDLOCK(t1, gate, 1);
    nest(t1, &a, &b, 10);
    UNLOCK(t1, gate);
    RDLOCK(t2, gate, 2);
    nest(t2, &b, &a, 20);
    UNLOCK(t2, gate);
    assert_int_equal(finish(), 1);
}

/* Two of the three share it: enough. */
static void
a_gate_of_two_among_three(void **state)
{
    (void)state;
    LOCK(t1, gate, 1);
    nest(t1, &locks[0], &locks[1], 10);
    UNLOCK(t1, gate);
    nest(t2, &locks[1], &locks[2], 20);
    LOCK(t3, gate, 3);
    nest(t3, &locks[2], &locks[0], 30);
    UNLOCK(t3, gate);
    assert_int_equal(finish(), 0);
}

static void
before_create_or_after_join_is_impossible(void **state)
{
    struct burl_watch *t4;

    (void)state;
    nest(t0, &a, &b, 10);
    t4 = rig_create(t0);
    nest(t4, &b, &a, 20);
    rig_join(t0, t4);
    nest(t0, &a, &b, 12);
    assert_int_equal(finish(), 0);
}

/* The same place again while the other runs. */
static void
the_same_edge_at_another_time_counts(void **state)
{
    struct burl_watch *t4;

    (void)state;
    nest(t0, &a, &b, 10);
    t4 = rig_create(t0);
    nest(t0, &a, &b, 10);
    nest(t4, &b, &a, 20);
    rig_join(t0, t4);
    assert_int_equal(finish(), 1);
}

static void
phases_by_a_barrier_are_impossible(void **state)
{
    static const char barrier[2];

    (void)state;
    nest(t1, &a, &b, 10);
    burl_ob_send_order(t1, &barrier[0]);
    burl_ob_send_order(t2, &barrier[0]);
    burl_ob_receive_order(t1, &barrier[0]);
    burl_ob_receive_order(t2, &barrier[0]);
    nest(t2, &b, &a, 20);
    assert_int_equal(finish(), 0);
}

/* Order by the very locks is luck. */
static void
order_by_other_locks_does_not_count(void **state)
{
    (void)state;
    nest(t1, &a, &b, 10);
    LOCK(t1, gate, 1);
    UNLOCK(t1, gate);
    LOCK(t2, gate, 2);
    UNLOCK(t2, gate);
    nest(t2, &b, &a, 20);
    assert_int_equal(finish(), 1);
}

static void
a_try_does_not_wait(void **state)
{
    (void)state;
    nest(t1, &a, &b, 10);
    LOCK(t2, b, 20);
    TRYLOCK(t2, a, 21);
    UNLOCK(t2, a);
    UNLOCK(t2, b);
    assert_int_equal(finish(), 0);
}

static void
what_a_try_got_is_held(void **state)
{
    (void)state;
    nest(t1, &a, &b, 10);
    TRYLOCK(t2, b, 20);
    LOCK(t2, a, 21);
    UNLOCK(t2, a);
    UNLOCK(t2, b);
    assert_int_equal(finish(), 1);
    assert_true(RIG_HAS(BURL_SUSPECT_CYCLE, 10, 11, 20, 21));
}

static void
readers_do_not_wait_for_readers(void **state)
{
    (void)state;
    LOCK(t1, a, 10);
    RDLOCK(t1, b, 11);
    UNLOCK(t1, b);
    UNLOCK(t1, a);
    RDLOCK(t2, b, 20);
    LOCK(t2, a, 21);
    UNLOCK(t2, a);
    UNLOCK(t2, b);
    assert_int_equal(finish(), 0);
}

static void
nor_where_the_cycle_closes(void **state)
{
    (void)state;
    RDLOCK(t2, b, 20);
    LOCK(t2, a, 21);
    UNLOCK(t2, a);
    UNLOCK(t2, b);
    LOCK(t1, a, 10);
    RDLOCK(t1, b, 11);
    UNLOCK(t1, b);
    UNLOCK(t1, a);
    assert_int_equal(finish(), 0);
}

static void
the_same_edge_without_the_gate_counts(void **state)
{
    (void)state;
    LOCK(t1, gate, 1);
    nest(t1, &a, &b, 10);
    UNLOCK(t1, gate);
    nest(t1, &a, &b, 10);
    LOCK(t2, gate, 2);
    nest(t2, &b, &a, 20);
    UNLOCK(t2, gate);
    assert_int_equal(finish(), 1);
}

static void
a_writer_waits_for_a_reader(void **state)
{
    (void)state;
    nest(t1, &a, &b, 10);
    RDLOCK(t2, b, 20);
    LOCK(t2, a, 21);
    UNLOCK(t2, a);
    UNLOCK(t2, b);
    assert_int_equal(finish(), 1);
}

static void
a_reader_waits_for_a_writer(void **state)
{
    (void)state;
    LOCK(t1, a, 10);
    RDLOCK(t1, b, 11);
    UNLOCK(t1, b);
    UNLOCK(t1, a);
    nest(t2, &b, &a, 20);
    assert_int_equal(finish(), 1);
}

/* The recursive lock is asked for while it is held: no thread waits. */
static void
taking_again_is_no_edge(void **state)
{
    (void)state;
    LOCK(t1, a, 10);
    LOCK(t1, b, 11);
    LOCK(t1, a, 12);
    UNLOCK(t1, a);
    UNLOCK(t1, b);
    UNLOCK(t1, a);
    nest(t2, &a, &b, 20);
    assert_int_equal(finish(), 0);
}

/* A wait takes its mutex again without having asked. */
static void
taking_back_after_a_wait_is_an_edge(void **state)
{
    (void)state;
    LOCK(t1, a, 10);
    LOCK(t1, b, 11);
    UNLOCK(t1, a); /* pthread_cond_wait */
    burl_ob_acquire(t1, &a, 12, BURL_LOCK_EXCLUSIVE, false);
    UNLOCK(t1, a);
    UNLOCK(t1, b);
    nest(t2, &a, &b, 20);
    assert_int_equal(finish(), 1);
    assert_true(RIG_HAS(BURL_SUSPECT_CYCLE, 11, 12, 20, 21));
}

static void
asked_for_and_never_got_is_an_edge(void **state)
{
    (void)state;
    nest(t1, &a, &b, 10);
    LOCK(t2, b, 20);
    burl_ob_request(t2, &a, 21, BURL_LOCK_EXCLUSIVE);
    assert_int_equal(finish(), 1);
}

static void
a_new_lock_at_the_old_address_is_another(void **state)
{
    (void)state;
    nest(t1, &a, &b, 10);
    burl_ob_forget_object(&a);
    nest(t2, &b, &a, 20);
    assert_int_equal(finish(), 0);

    start(state);
    nest(t1, &a, &b, 10);
    burl_ob_forget((uintptr_t)&a, sizeof a);
    nest(t2, &b, &a, 20);
    assert_int_equal(finish(), 0);
}

/* Programs destroy their locks before they end. */
static void
edges_of_destroyed_locks_stay(void **state)
{
    (void)state;
    nest(t1, &a, &b, 10);
    nest(t2, &b, &a, 20);
    burl_ob_forget_object(&a);
    burl_ob_forget_object(&b);
    assert_int_equal(finish(), 1);
}

static void
a_long_run_stays_bounded(void **state)
{
    size_t used = 0;

    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        nest(t1, &a, &b, 10);
        nest(t2, &b, &a, 20);
        burl_ob_wake(t1, t3); /* its clock moves on */
        if (i == 1000)
            used = rig_used;
    }
    assert_int_equal(rig_used, used);
    assert_int_equal(finish(), 1);
    assert_int_equal(rig_counters[BURL_COUNTER_CYCLES_CUT], 0);
}

/* Every thread takes every pair of many locks: more cycles than a report can show. */
static void
the_search_is_cut_and_counted(void **state)
{
    struct burl_watch *w[8];

    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        w[i] = rig_create(t0);
    for (uint32_t i = 0; i < 8; i++) {
        for (uint32_t k = 0; k < 64; k++)
            nest(w[i], &locks[(k * 7 + i) % 64], &locks[(k * 11 + 5 * i + 3) % 64],
                 1000 + 200 * i + 2 * k);
    }
    finish();
    assert_int_equal(rig_counters[BURL_COUNTER_CYCLES_CUT], 1);
    assert_true(rig_n_seen <= 64);
}

#define T(f) cmocka_unit_test_setup(f, start)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(two_threads_in_opposite_order),
        T(the_same_order_is_fine),
        T(orders_are_told),
        T(one_thread_cannot_wait_for_itself),
        T(not_nested_is_fine),
        T(three_in_a_cycle),
        T(three_of_which_two_are_one_thread),
        T(eight_in_a_cycle_and_no_more),
        T(a_gate_makes_it_impossible),
        T(a_gate_on_one_side_does_not),
        T(a_gate_given_back_does_not),
        T(a_gate_held_for_reading_on_both_sides_does_not),
        T(a_gate_of_two_among_three),
        T(before_create_or_after_join_is_impossible),
        T(the_same_edge_at_another_time_counts),
        T(phases_by_a_barrier_are_impossible),
        T(order_by_other_locks_does_not_count),
        T(a_try_does_not_wait),
        T(what_a_try_got_is_held),
        T(readers_do_not_wait_for_readers),
        T(nor_where_the_cycle_closes),
        T(the_same_edge_without_the_gate_counts),
        T(a_writer_waits_for_a_reader),
        T(a_reader_waits_for_a_writer),
        T(taking_again_is_no_edge),
        T(taking_back_after_a_wait_is_an_edge),
        T(asked_for_and_never_got_is_an_edge),
        T(a_new_lock_at_the_old_address_is_another),
        T(edges_of_destroyed_locks_stay),
        T(a_long_run_stays_bounded),
        T(the_search_is_cut_and_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
