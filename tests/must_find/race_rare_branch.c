/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-WHY: Only when the consumer comes exactly between the two halves of an update does it
 *   take the branch that reads the plain field.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards repairs */
static atomic_int begun;
static atomic_int ended;
static int repairs;

static void *
update(void *arg)
{
    (void)arg;
    atomic_fetch_add(&begun, 1);
    pthread_mutex_lock(&mutex);
    repairs++;
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add(&ended, 1);
    return NULL;
}

static void *
check(void *arg)
{
    int *seen = arg;

    if (atomic_load(&ended) != atomic_load(&begun)) {
        *seen = repairs;
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int seen = 0;

    pthread_create(&threads[0], NULL, update, NULL);
    pthread_create(&threads[1], NULL, check, &seen);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return repairs == 1 ? 0 : 1;
}
