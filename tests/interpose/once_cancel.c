/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_once
 * A routine that is left by cancellation has not been run: the next caller, waiting or not, runs
 * it.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t begun;
static sem_t never;
static bool block = true;
static int done;

static void
set_up(void)
{
    if (block) {
        block = false;
        sem_post(&begun);
        sem_wait(&never);
    }
    done++;
}

static void *
use(void *arg)
{
    (void)arg;
    assert(pthread_once(&once, set_up) == 0);
    assert(done == 1);
    return NULL;
}

int
main(void)
{
    pthread_t canceled;
    pthread_t next;
    void *result;

    assert(sem_init(&begun, 0, 0) == 0 && sem_init(&never, 0, 0) == 0);
    assert(pthread_create(&canceled, NULL, use, NULL) == 0);
    assert(sem_wait(&begun) == 0);
    assert(pthread_create(&next, NULL, use, NULL) == 0);
    assert(pthread_cancel(canceled) == 0);
    assert(pthread_join(canceled, &result) == 0);
    assert(result == PTHREAD_CANCELED);
    assert(pthread_join(next, NULL) == 0);
    assert(done == 1);
    return 0;
}
