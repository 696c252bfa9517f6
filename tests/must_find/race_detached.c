/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The detached worker says that it is done and only then stores its result. (Both reads
 *   of it in main can differ, so the first finding may be the exit code that follows.)
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t done;
static int result;

static void *
compute(void *arg)
{
    (void)arg;
    sem_post(&done);
    result = 12 * 12;
    return NULL;
}

int
main(void)
{
    pthread_attr_t attr;
    pthread_t thread;

    sem_init(&done, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attr, compute, NULL);
    pthread_attr_destroy(&attr);
    sem_wait(&done);
    return result == 144 || result == 0 ? 0 : 1;
}
