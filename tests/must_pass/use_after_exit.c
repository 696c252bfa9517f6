/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: The result is read before the worker may go.
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
    value = *r;
    sem_post(&seen);
    pthread_join(t, NULL);
    return value < 0;
}
