/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The counter is touched inside the critical sections.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards phase */
static int phase;
static int counter;

static void *
early(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    counter++;
    phase = 1;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *
late(void *arg)
{
    int *seen = arg;

    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&mutex);
        *seen = phase;
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int seen = 0;

    pthread_create(&threads[0], NULL, early, NULL);
    pthread_create(&threads[1], NULL, late, &seen);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counter <= 2 ? 0 : 1;
}
