/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The worker stores its result, then says that it is done; no thread has to join it.
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
    result = 12 * 12;
    sem_post(&done);
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
