/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The summing thread holds the lock while it uses the array.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards items and n */
static int *items;
static size_t n;

static void
append(int x)
{
    pthread_mutex_lock(&mutex);
    items = realloc(items, (n + 1) * sizeof *items);
    items[n++] = x;
    pthread_mutex_unlock(&mutex);
}

static void *
grow(void *arg)
{
    (void)arg;
    append(2);
    append(3);
    return NULL;
}

static void *
add_up(void *arg)
{
    int *sum = arg;
    int *p;
    size_t have;

    pthread_mutex_lock(&mutex);
    p = items;
    have = n;
    for (size_t i = 0; i < have; i++)
        *sum += p[i];
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int sum = 0;

    append(1);
    pthread_create(&threads[0], NULL, add_up, &sum);
    pthread_create(&threads[1], NULL, grow, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(items);
    return 0;
}
