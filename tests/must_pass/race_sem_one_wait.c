/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The consumer waits once for each producer.
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
    sem_wait(&filled);
    sum = halves[0] + halves[1];
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sem_destroy(&filled);
    return sum == 21 || sum == 42 ? 0 : 1;
}
