/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data|memory.use-after-free
 * BURL-ENGINES: both
 * BURL-WHY: the end of a block that malloc_usable_size() adds is memory like the rest; it is
 *   written after the block was handed over.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *slot;

static void *
worker(void *arg)
{
    char *p = malloc(9);
    const size_t n = malloc_usable_size(p);
    char *old;

    memset(p, 1, n);
    pthread_mutex_lock(&lock);
    old = slot;
    slot = p;
    pthread_mutex_unlock(&lock);
    if (n > 9)
        p[n - 1] = 3;
    if (old != NULL) {
        memset(old, 0, malloc_usable_size(old));
        free(old);
    }
    return arg;
}

int
main(void)
{
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    free(slot);
    return 0;
}
