/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-ARGS: --runs=500
 * BURL-WHY: The second, relaxed store is by the thread that released: in C11 it belongs to the
 *   release sequence, so an acquire of its value sees the order too.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { NONE, PLACED, SEALED };

static int order;
static _Atomic int state;

static void *
customer(void *arg)
{
    (void)arg;
    order = 42;
    atomic_store_explicit(&state, PLACED, memory_order_release);
    atomic_store_explicit(&state, SEALED, memory_order_relaxed);
    return NULL;
}

int
main(void)
{
    pthread_t t;
    int got;

    pthread_create(&t, NULL, customer, NULL);
    while (atomic_load_explicit(&state, memory_order_acquire) != SEALED)
        sched_yield();
    got = order;
    pthread_join(t, NULL);
    return got == 42 ? 0 : 1;
}
