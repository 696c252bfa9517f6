/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The same lock on an atomic_flag.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_flag taken = ATOMIC_FLAG_INIT;
static int tickets = 10;

static void
lock(void)
{
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
        sched_yield();
}

static void
unlock(void)
{
    atomic_flag_clear_explicit(&taken, memory_order_release);
}

static void *
sell(void *arg)
{
    (void)arg;
    lock();
    tickets--;
    unlock();
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, sell, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return tickets <= 9 ? 0 : 1;
}
