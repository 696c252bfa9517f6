/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Two producers post once each; the consumer waits once and reads both halves. Only
 *   when the second producer is late does it show.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t filled;
static int halves[2];

static void *
produce(void *arg)
{
    int *half = arg;

    *half = 21;
    sem_post(&filled);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int sum;

    sem_init(&filled, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, produce, &halves[i]);
    sem_wait(&filled);
    sum = halves[0] + halves[1];
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sem_destroy(&filled);
    return sum == 21 || sum == 42 ? 0 : 1;
}
