/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_barrier_destroy
 * BURL-KIND: misuse.destroy-busy
 * BURL-NATIVE: no
 * Destroyed while a thread still waits for another party.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_barrier_t b;
static atomic_int coming;

static void *
wait_there(void *arg)
{
    (void)arg;
    atomic_store(&coming, 1);
    pthread_barrier_wait(&b);
    return NULL;
}

int
main(void)
{
    pthread_t t;

    assert(pthread_barrier_init(&b, NULL, 2) == 0);
    assert(pthread_create(&t, NULL, wait_there, NULL) == 0);
    while (atomic_load(&coming) == 0)
        sched_yield();
    sched_yield();
    sched_yield();
    sched_yield();
    pthread_barrier_destroy(&b);
    pthread_detach(t);
    return 0;
}
