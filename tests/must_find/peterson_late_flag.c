/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-WHY: A thread looks at the other's interest before it announces its own, so both can find
 *   the way free.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int interested[2];
static atomic_int turn;
static int tank = 100; /* guarded by enter and leave */
static int ids[2] = { 0, 1 };

static void
enter(int self)
{
    int other = 1 - self;

    atomic_store(&turn, other);
    while (atomic_load(&interested[other]) && atomic_load(&turn) == other)
        ;
    atomic_store(&interested[self], 1);
}

static void
leave(int self)
{
    atomic_store(&interested[self], 0);
}

static void *
draw(void *arg)
{
    int self = *(int *)arg;

    enter(self);
    tank -= 30;
    leave(self);
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
        pthread_create(&threads[i], NULL, draw, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(tank == 40);
    return 0;
}
