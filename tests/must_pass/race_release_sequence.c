/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The second thread confirms with a relaxed read-modify-write, which continues the
 *   release sequence: the acquire load of its value synchronizes with the first thread's
 *   release.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { NEW, PLACED, CONFIRMED };

static int amount;
static atomic_int state = NEW;

static void *
place(void *arg)
{
    (void)arg;
    amount = 99;
    atomic_store_explicit(&state, PLACED, memory_order_release);
    return NULL;
}

static void *
confirm(void *arg)
{
    (void)arg;
    while (atomic_load_explicit(&state, memory_order_relaxed) != PLACED)
        sched_yield();
    atomic_fetch_add_explicit(&state, 1, memory_order_relaxed);
    return NULL;
}

static void *
ship(void *arg)
{
    int *shipped = arg;

    while (atomic_load_explicit(&state, memory_order_acquire) != CONFIRMED)
        sched_yield();
    *shipped = amount;
    return NULL;
}

int
main(void)
{
    pthread_t threads[3];
    int shipped = 0;

    pthread_create(&threads[0], NULL, place, NULL);
    pthread_create(&threads[1], NULL, confirm, NULL);
    pthread_create(&threads[2], NULL, ship, &shipped);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return shipped == 99 ? 0 : 1;
}
