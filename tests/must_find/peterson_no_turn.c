/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: hang.livelock
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: Without the turn of Peterson's algorithm both threads announce their interest and
 *   then wait for each other for ever.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_ROUNDS = 2 };

static atomic_int interested[2];
static int visits; /* guarded by enter and leave */
static int ids[2] = { 0, 1 };

static void
enter(int self)
{
    int other = 1 - self;

    atomic_store(&interested[self], 1);
    while (atomic_load(&interested[other]))
        ;
}

static void
leave(int self)
{
    atomic_store(&interested[self], 0);
}

static void *
visit(void *arg)
{
    int self = *(int *)arg;

    for (int i = 0; i < N_ROUNDS; i++) {
        enter(self);
        visits++;
        leave(self);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, visit, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(visits == 2 * N_ROUNDS);
    return 0;
}
