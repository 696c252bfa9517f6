/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data|memory.use-after-free
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The cache drops the page under its lock while the reader, which took the pointer under
 *   the lock, still reads it.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct page {
    int number;
    int checksum;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards cached */
static struct page *cached;

static void *
drop(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    free(cached);
    cached = NULL;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *
read_page(void *arg)
{
    int *sum = arg;
    struct page *p;

    pthread_mutex_lock(&mutex);
    p = cached;
    pthread_mutex_unlock(&mutex);
    if (p != NULL)
        *sum = p->checksum;
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int sum = 0;

    cached = malloc(sizeof *cached);
    cached->number = 1;
    cached->checksum = 31;
    pthread_create(&threads[0], NULL, read_page, &sum);
    pthread_create(&threads[1], NULL, drop, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum >= 0 ? 0 : 1;
}
