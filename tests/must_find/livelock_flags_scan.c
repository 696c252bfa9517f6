/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: hang.livelock
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=200 --stop-at-first
 * BURL-SEQUENTIAL: yes
 * BURL-WHY: Two threads wait for all flags of an array, in a loop over it; the thread that sets
 *   them waits for one of the two before the last flag. The state of a loop over an array repeats
 *   only at the same element.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 20 };

static atomic_int flag[N];
static atomic_int arrived;

static void *
set(void *arg)
{
    for (int i = 0; i < N; i++) {
        while (i == N - 1 && !atomic_load(&arrived))
            ;
        atomic_store(&flag[i], 1);
    }
    return arg;
}

static void *
await(void *arg)
{
    int all;

    do {
        all = 1;
        for (int i = 0; i < N; i++)
            all &= atomic_load(&flag[i]);
    } while (!all);
    atomic_store(&arrived, 1);
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
