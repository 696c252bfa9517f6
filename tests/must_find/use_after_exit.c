/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-exit
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: The worker's result is a local variable of its start function, and main lets the
 *   worker go before it reads it. In the first schedule it is still there.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t published;
static sem_t seen;
static const int *result;

static void *
compute(void *arg)
{
    int local = 42;

    (void)arg;
    result = &local;
    sem_post(&published);
    sem_wait(&seen);
    return NULL;
}

int
main(void)
{
    pthread_t t;
    const int *r;
    int value;

    sem_init(&published, 0, 0);
    sem_init(&seen, 0, 0);
    pthread_create(&t, NULL, compute, NULL);
    sem_wait(&published);
    r = result;
    sem_post(&seen);
    value = *r;
    pthread_join(t, NULL);
    return value < 0;
}
