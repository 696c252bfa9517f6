/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The next number is called with release and awaited with acquire.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint next_ticket;
static atomic_uint now_serving;
static long cash;

static void
lock(void)
{
    unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);

    while (atomic_load_explicit(&now_serving, memory_order_acquire) != mine)
        sched_yield();
}

static void
unlock(void)
{
    unsigned mine = atomic_load_explicit(&now_serving, memory_order_relaxed);

    atomic_store_explicit(&now_serving, mine + 1, memory_order_release);
}

static void *
pay(void *arg)
{
    (void)arg;
    lock();
    cash += 3;
    unlock();
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, pay, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return cash == 6 ? 0 : 1;
}
