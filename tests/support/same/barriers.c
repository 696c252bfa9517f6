/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds between barriers: in each one thread works, the others only pass. */
#include "turn.h"

#define N 3

static pthread_barrier_t barrier;
static int cells[N];
static int total;

static void *
work(void *arg)
{
    int me = *(int *)arg;

    for (int round = 0; round < N; round++) {
        if (round == me) {
            for (int i = 0; i < N; i++)
                cells[i] += me;
            total += cells[me];
        }
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int
main(void)
{
    pthread_t t[N];
    int me[N];

    pthread_barrier_init(&barrier, NULL, N);
    for (int i = 0; i < N; i++) {
        me[i] = i;
        pthread_create(&t[i], NULL, work, &me[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&barrier);
    return total + cells[0] == -1;
}
