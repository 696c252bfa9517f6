/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Each thread counts in its thread-local variable and hands out the value when it is
 *   done.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static _Thread_local int counter;
static sem_t started;
static sem_t may_end;

static void *
count(void *arg)
{
    int *result = arg;

    sem_post(&started);
    for (int i = 0; i < 3; i++)
        counter++;
    *result = counter;
    sem_wait(&may_end);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    int result = 0;
    int seen = 0;

    sem_init(&started, 0, 0);
    sem_init(&may_end, 0, 0);
    pthread_create(&thread, NULL, count, &result);
    sem_wait(&started);
    counter++;
    seen = counter;
    sem_post(&may_end);
    pthread_join(thread, NULL);
    return seen <= 3 && result == 3 ? 0 : 1;
}
