/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: atomic_signal_fence holds back the compiler only; between threads it orders nothing.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static long stamp;
static atomic_int stamped;

static void *
take_stamp(void *arg)
{
    (void)arg;
    stamp = 1234;
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&stamped, 1, memory_order_relaxed);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    long seen;

    pthread_create(&thread, NULL, take_stamp, NULL);
    while (!atomic_load_explicit(&stamped, memory_order_relaxed))
        sched_yield();
    atomic_signal_fence(memory_order_seq_cst);
    seen = stamp;
    pthread_join(thread, NULL);
    return seen == 1234 ? 0 : 1;
}
