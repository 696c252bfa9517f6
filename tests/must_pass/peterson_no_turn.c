/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: The turn decides which thread enters first when both are interested.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_ROUNDS = 2 };

static atomic_int interested[2];
static atomic_int turn;
static int visits; /* guarded by enter and leave */
static int ids[2] = { 0, 1 };

static void
enter(int self)
{
    int other = 1 - self;

    atomic_store(&interested[self], 1);
    atomic_store(&turn, other);
    while (atomic_load(&interested[other]) && atomic_load(&turn) == other)
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

    /* A second store of turn: LLVM 19 (GlobalOpt) forwards the only store of a static variable to
     * the loads it dominates, without regard for atomics, and so removes the turn. */
    atomic_store(&turn, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, visit, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(visits == 2 * N_ROUNDS);
    return 0;
}
