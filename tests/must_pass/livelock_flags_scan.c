/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=200
 * BURL-ENGINES: both
 * BURL-WHY: Two threads wait for all flags of an array, in loops over it: as many one-byte and
 *   four-byte flags as there are remembered reads, and more than that. Each loop is passed over
 *   until a flag is set, so executions stay short in every strategy.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { SOME = 60, MANY = 90 };

static atomic_char bytes[SOME];
static atomic_int words[SOME];
static atomic_int many[MANY];

static void *
set(void *arg)
{
    for (int i = 0; i < MANY; i++) {
        sched_yield();
        if (i < SOME) {
            atomic_store(&bytes[i], 1);
            atomic_store(&words[i], 1);
        }
        atomic_store(&many[i], 1);
    }
    return arg;
}

static void *
await(void *arg)
{
    int all;

    do {
        all = 1;
        for (int i = 0; i < SOME; i++)
            all &= atomic_load(&bytes[i]);
    } while (!all);
    do {
        all = 1;
        for (int i = 0; i < SOME; i++)
            all &= atomic_load(&words[i]);
    } while (!all);
    do {
        all = 1;
        for (int i = 0; i < MANY; i++)
            all &= atomic_load(&many[i]);
    } while (!all);
    return arg;
}

int
main(void)
{
    pthread_t t[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, i == 0 ? set : await, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
