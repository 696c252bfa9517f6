/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: thrd_yield thrd_sleep
 * BURL-NATIVE: no
 * A thread that yields in a loop must let the others run, and a sleep of days takes no time.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

static atomic_int ready;

static int
sleep_then_set(void *arg)
{
    struct timespec days = { .tv_sec = 10 * 24 * 3600, .tv_nsec = 5 };

    (void)arg;
    assert(thrd_sleep(&days, NULL) == 0);
    atomic_store(&ready, 1);
    return 0;
}

int
main(void)
{
    struct timespec bad = { .tv_nsec = 1000000000 };
    struct timespec before;
    struct timespec after;
    thrd_t t;

    assert(thrd_sleep(&bad, NULL) < -1);
    assert(timespec_get(&before, TIME_UTC) == TIME_UTC);
    assert(thrd_create(&t, sleep_then_set, NULL) == thrd_success);
    while (atomic_load(&ready) == 0)
        thrd_yield();
    assert(thrd_join(t, NULL) == thrd_success);
    assert(timespec_get(&after, TIME_UTC) == TIME_UTC);
    assert(after.tv_sec - before.tv_sec >= 10 * 24 * 3600);
    return 0;
}
