/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Thread fences on both sides.
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
    atomic_thread_fence(memory_order_seq_cst);
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
    atomic_thread_fence(memory_order_seq_cst);
    seen = stamp;
    pthread_join(thread, NULL);
    return seen == 1234 ? 0 : 1;
}
