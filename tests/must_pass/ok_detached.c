/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: Detached threads report through a semaphore with their last access; their memory is
 *   static or freed by themselves.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { N_THREADS = 3 };

static sem_t done;
static atomic_int sum;

static void *
work(void *arg)
{
    int *value = arg;

    atomic_fetch_add(&sum, *value);
    free(value);
    sem_post(&done);
    return NULL;
}

static void *
work_and_detach(void *arg)
{
    pthread_detach(pthread_self());
    return work(arg);
}

static int *
box(int value)
{
    int *p = malloc(sizeof *p);

    *p = value;
    return p;
}

int
main(void)
{
    pthread_attr_t attr;
    pthread_t thread;

    sem_init(&done, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attr, work, box(1));
    pthread_attr_destroy(&attr);
    pthread_create(&thread, NULL, work_and_detach, box(10));
    pthread_create(&thread, NULL, work, box(100));
    pthread_detach(thread);
    for (int i = 0; i < N_THREADS; i++)
        sem_wait(&done);
    assert(atomic_load(&sum) == 111);
    return 0;
}
