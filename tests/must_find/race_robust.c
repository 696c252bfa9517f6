/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The heir of a robust mutex looks at the progress of its dead owner before it has the
 *   lock.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex; /* robust; guards progress */
static int progress;

static void *
die_at_work(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    progress = 1;
    return NULL;
}

static void *
take_over(void *arg)
{
    int *from = arg;

    *from = progress;
    if (pthread_mutex_lock(&mutex) == EOWNERDEAD)
        pthread_mutex_consistent(&mutex);
    progress = 10;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_mutexattr_t attr;
    pthread_t threads[2];
    int from = -1;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    pthread_create(&threads[0], NULL, die_at_work, NULL);
    pthread_create(&threads[1], NULL, take_over, &from);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return from == 0 || from == 1 ? 0 : 1;
}
