/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The two threads that take the locks in opposite orders run at the same time.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t index_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t data_lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *
build(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&index_lock);
    pthread_mutex_lock(&data_lock);
    n++;
    pthread_mutex_unlock(&data_lock);
    pthread_mutex_unlock(&index_lock);
    return NULL;
}

static void *
check(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&data_lock);
    pthread_mutex_lock(&index_lock);
    n++;
    pthread_mutex_unlock(&index_lock);
    pthread_mutex_unlock(&data_lock);
    return NULL;
}

int
main(void)
{
    pthread_t builder;
    pthread_t checker;

    pthread_create(&builder, NULL, build, NULL);
    pthread_create(&checker, NULL, check, NULL);
    pthread_join(builder, NULL);
    pthread_join(checker, NULL);
    return n == 2 ? 0 : 1;
}
