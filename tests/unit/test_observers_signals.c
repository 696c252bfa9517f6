/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_observers_signals.c - detect/signals.c: which signals were lost.
 */
#include "observer_rig.h"

static uint64_t flag;
static int m;
static int c;
static int c2;
static struct burl_watch *t0;
static struct burl_watch *t1;
static struct burl_watch *t2;

static int
start(void **state)
{
    (void)state;
    memset(&rig_ctl, 0, sizeof rig_ctl);
    t0 = rig_begin(BURL_OB(SIGNALS));
    t1 = rig_create(t0);
    t2 = rig_create(t0);
    return 0;
}

static uint32_t
finish(void)
{
    rig_end();
    return rig_count(BURL_SUSPECT_SIGNAL);
}

/* As the runtime tells it: the wait, then the mutex is given back. */
static void
wait_on(struct burl_watch *w, int *cond, uint32_t site)
{
    burl_ob_cond(w, cond, true, 0, site);
    UNLOCK(w, m);
}

static void
signal_to(struct burl_watch *w, int *cond, struct burl_watch *woken, uint32_t site)
{
    if (woken != NULL)
        burl_ob_wake(w, woken);
    burl_ob_cond(w, cond, false, woken != NULL, site);
}

/* No condition at all: the signal came first. */
static void
a_wait_without_a_look_misses_it(void **state)
{
    (void)state;
    LOCK(t1, m, 10);
    signal_to(t1, &c, NULL, 1);
    UNLOCK(t1, m);
    LOCK(t2, m, 11);
    wait_on(t2, &c, 2);
    assert_int_equal(finish(), 1);
    assert_true(RIG_HAS(BURL_SUSPECT_SIGNAL, 1, 2));
    assert_int_equal(rig_seen[0].addr, (uintptr_t)&c);
}

/* It looked before it took the mutex: what it saw may be old. */
static void
a_look_before_the_mutex_does_not_count(void **state)
{
    (void)state;
    signal_to(t1, &c, NULL, 1);
    RD(t2, flag, 20);
    LOCK(t2, m, 11);
    wait_on(t2, &c, 2);
    assert_int_equal(finish(), 1);
}

/* The flag is set without the mutex, between the look and the wait. */
static void
a_signal_between_look_and_wait_is_missed(void **state)
{
    (void)state;
    LOCK(t2, m, 11);
    RD(t2, flag, 20);
    WR(t1, flag, 21);
    signal_to(t1, &c, NULL, 1);
    wait_on(t2, &c, 2);
    assert_int_equal(finish(), 1);
}

/* Correct: a later thread looks first. Here the thing was used up and it waits for the next,
 * which never comes; that is no lost signal. */
static void
a_look_after_the_signal_is_enough(void **state)
{
    (void)state;
    LOCK(t1, m, 10);
    WR(t1, flag, 21);
    signal_to(t1, &c, NULL, 1);
    UNLOCK(t1, m);
    LOCK(t2, m, 11);
    RD(t2, flag, 20);
    wait_on(t2, &c, 2);
    assert_int_equal(finish(), 0);
}

static void
a_later_signal_that_wakes_makes_it_good(void **state)
{
    (void)state;
    LOCK(t1, m, 10);
    signal_to(t1, &c, NULL, 1);
    UNLOCK(t1, m);
    LOCK(t2, m, 11);
    wait_on(t2, &c, 2);
    signal_to(t1, &c, t2, 3);
    burl_ob_acquire(t2, &m, 2, BURL_LOCK_EXCLUSIVE, false);
    assert_int_equal(finish(), 0);
}

/* Woken, but the execution ended before it could go on. */
static void
woken_at_the_end_is_good_too(void **state)
{
    (void)state;
    signal_to(t1, &c, NULL, 1);
    LOCK(t2, m, 11);
    wait_on(t2, &c, 2);
    signal_to(t1, &c, t2, 3);
    assert_int_equal(finish(), 0);
}

static void
only_its_time_out_ended_it(void **state)
{
    (void)state;
    signal_to(t1, &c, NULL, 1);
    LOCK(t2, m, 11);
    wait_on(t2, &c, 2);
    burl_ob_acquire(t2, &m, 2, BURL_LOCK_EXCLUSIVE, false);
    assert_int_equal(rig_count(BURL_SUSPECT_SIGNAL), 1);
    assert_int_equal(finish(), 1);
}

static void
a_time_out_without_a_lost_signal_is_nothing(void **state)
{
    (void)state;
    LOCK(t2, m, 11);
    wait_on(t2, &c, 2);
    burl_ob_acquire(t2, &m, 2, BURL_LOCK_EXCLUSIVE, false);
    UNLOCK(t2, m);
    signal_to(t1, &c, NULL, 1);
    assert_int_equal(finish(), 0);
}

static void
another_condition_variable_is_another(void **state)
{
    (void)state;
    signal_to(t1, &c2, NULL, 1);
    LOCK(t2, m, 11);
    wait_on(t2, &c, 2);
    assert_int_equal(finish(), 0);
}

static void
a_new_condition_variable_has_lost_nothing(void **state)
{
    (void)state;
    signal_to(t1, &c, NULL, 1);
    burl_ob_forget_object(&c);
    LOCK(t2, m, 11);
    wait_on(t2, &c, 2);
    assert_int_equal(finish(), 0);
}

static void
a_broadcast_wakes_them_all(void **state)
{
    (void)state;
    signal_to(t1, &c, NULL, 1);
    LOCK(t2, m, 11);
    wait_on(t2, &c, 2);
    LOCK(t0, m, 12);
    wait_on(t0, &c, 4);
    burl_ob_cond(t1, &c, false, 2, 3);
    burl_ob_acquire(t0, &m, 4, BURL_LOCK_EXCLUSIVE, false);
    UNLOCK(t0, m);
    burl_ob_acquire(t2, &m, 2, BURL_LOCK_EXCLUSIVE, false);
    assert_int_equal(finish(), 0);
}

/* In either order, once, and not of one thread with itself or of two condition variables. */
static void
pairs_of_signal_and_wait_are_told(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        LOCK(t2, m, 11);
        wait_on(t2, &c, 2);
        LOCK(t1, m, 10);
        signal_to(t1, &c, t2, 1);
        signal_to(t1, &c2, NULL, 3);
        UNLOCK(t1, m);
        burl_ob_acquire(t2, &m, 2, BURL_LOCK_EXCLUSIVE, false);
        UNLOCK(t2, m);
    }
    signal_to(t2, &c, NULL, 5);
    assert_int_equal(rig_count(BURL_SUSPECT_WAKEUP), 1);
    LOCK(t0, m, 12);
    wait_on(t0, &c, 4);
    assert_int_equal(rig_count(BURL_SUSPECT_WAKEUP), 3);
}

/* Free mode: it is unknown which thread a signal woke. */
static void
who_was_woken_is_counted_when_it_is_not_told(void **state)
{
    (void)state;
    burl_ob_cond(t1, &c, false, BURL_WOKEN_ALL, 1);
    burl_ob_cond(t1, &c, false, BURL_WOKEN_ONE, 1);
    LOCK(t2, m, 11);
    wait_on(t2, &c, 2);
    LOCK(t0, m, 12);
    wait_on(t0, &c, 4);
    burl_ob_cond(t1, &c, false, BURL_WOKEN_ONE, 3);
    burl_ob_acquire(t2, &m, 2, BURL_LOCK_EXCLUSIVE, false);
    UNLOCK(t2, m);
    assert_int_equal(rig_count(BURL_SUSPECT_SIGNAL), 0);
    burl_ob_acquire(t0, &m, 4, BURL_LOCK_EXCLUSIVE, false); /* its time-out */
    assert_true(RIG_HAS(BURL_SUSPECT_SIGNAL, 1, 4));
    assert_int_equal(finish(), 1);

    start(state);
    burl_ob_cond(t1, &c, false, BURL_WOKEN_ALL, 1);
    LOCK(t2, m, 11);
    wait_on(t2, &c, 2);
    LOCK(t0, m, 12);
    wait_on(t0, &c, 4);
    burl_ob_cond(t1, &c, false, BURL_WOKEN_ALL, 3);
    burl_ob_acquire(t2, &m, 2, BURL_LOCK_EXCLUSIVE, false);
    UNLOCK(t2, m);
    burl_ob_acquire(t0, &m, 4, BURL_LOCK_EXCLUSIVE, false);
    assert_int_equal(finish(), 0);
}

#define T(f) cmocka_unit_test_setup(f, start)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_wait_without_a_look_misses_it),
        T(a_look_before_the_mutex_does_not_count),
        T(a_signal_between_look_and_wait_is_missed),
        T(a_look_after_the_signal_is_enough),
        T(a_later_signal_that_wakes_makes_it_good),
        T(woken_at_the_end_is_good_too),
        T(only_its_time_out_ended_it),
        T(a_time_out_without_a_lost_signal_is_nothing),
        T(another_condition_variable_is_another),
        T(a_new_condition_variable_has_lost_nothing),
        T(a_broadcast_wakes_them_all),
        T(who_was_woken_is_counted_when_it_is_not_told),
        T(pairs_of_signal_and_wait_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
