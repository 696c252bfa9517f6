/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: hang.livelock
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Each diner lets the other go first as long as that one is hungry. When both are
 *   hungry they yield to each other for ever; both run, neither makes progress.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_DINERS = 2, N_MEALS = 2 };

static atomic_int hungry[N_DINERS];
static atomic_int meals;
static int ids[N_DINERS] = { 0, 1 };

static void
let_the_other_go_first(int self)
{
    int other = 1 - self;

    while (atomic_load(&hungry[other]))
        sched_yield();
}

static void *
dine(void *arg)
{
    int self = *(int *)arg;

    for (int i = 0; i < N_MEALS; i++) {
        atomic_store(&hungry[self], 1);
        let_the_other_go_first(self);
        atomic_fetch_add(&meals, 1);
        atomic_store(&hungry[self], 0);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_DINERS];

    for (int i = 0; i < N_DINERS; i++)
        pthread_create(&threads[i], NULL, dine, &ids[i]);
    for (int i = 0; i < N_DINERS; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&meals) == N_DINERS * N_MEALS);
    return 0;
}
