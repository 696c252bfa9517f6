/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Two phases with opposite lock orders, and no barrier between them.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t rows = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t columns = PTHREAD_MUTEX_INITIALIZER;
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
    return NULL;
}

static void *
by_column(void *arg)
{
    (void)arg;
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

    pthread_create(&threads[0], NULL, by_row, NULL);
    pthread_create(&threads[1], NULL, by_column, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return n == 2 ? 0 : 1;
}
