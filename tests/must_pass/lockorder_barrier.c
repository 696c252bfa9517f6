/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: A barrier separates the phases: opposite orders cannot meet.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t rows = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t columns = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int n;

static void *
by_row(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&rows);
    pthread_mutex_lock(&columns);
    n++;
    pthread_mutex_unlock(&columns);
    pthread_mutex_unlock(&rows);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void *
by_column(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&columns);
    pthread_mutex_lock(&rows);
    n++;
    pthread_mutex_unlock(&rows);
    pthread_mutex_unlock(&columns);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, by_row, NULL);
    pthread_create(&threads[1], NULL, by_column, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    return n == 2 ? 0 : 1;
}
