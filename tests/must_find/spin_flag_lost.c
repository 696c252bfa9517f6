/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: hang.livelock
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: The flag is set only for a waiter that has already announced itself. A waiter that
 *   announces itself a moment later spins on a flag that is never set.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int finished;
static atomic_int waiting;
static atomic_int wake;
static int result;

static void *
compute(void *arg)
{
    (void)arg;
    result = 99;
    if (atomic_load(&waiting))
        atomic_store(&wake, 1);
    atomic_store(&finished, 1);
    return NULL;
}

static void *
await(void *arg)
{
    if (!atomic_load(&finished)) {
        atomic_store(&waiting, 1);
        while (!atomic_load(&wake))
            ;
    }
    *(int *)arg = result;
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;
    int seen = 0;

    pthread_create(&a, NULL, compute, NULL);
    pthread_create(&b, NULL, await, &seen);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen == 99 ? 0 : 1;
}
