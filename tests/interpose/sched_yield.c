/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: sched_yield
 * BURL-WHY: a thread that polls and yields lets the one it waits for run, under any strategy.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int turn;

static void *
run(void *arg)
{
    int me = *(int *)arg;

    for (int i = 0; i < 3; i++) {
        while (atomic_load(&turn) % 2 != me)
            assert(sched_yield() == 0);
        atomic_fetch_add(&turn, 1);
    }
    return NULL;
}

int
main(void)
{
    static int who[2] = { 0, 1 };
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        assert(pthread_create(&t[i], NULL, run, &who[i]) == 0);
    for (int i = 0; i < 2; i++)
        assert(pthread_join(t[i], NULL) == 0);
    assert(atomic_load(&turn) == 6);
    return 0;
}
