/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Two threads use a mapping of their own process without a lock.
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

enum { SIZE = 4096 };

static int *cells;

static void *
use(void *arg)
{
    int id = *(int *)arg;
    int *own = cells;

    for (int i = 0; i < 3; i++)
        own[i] = id;
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int ids[2] = { 1, 2 };

    cells = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
