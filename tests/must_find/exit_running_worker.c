/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-free
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: main returns while the worker is running, and an exit handler frees the table that
 *   the worker still uses.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { SIZE = 4 };

static pthread_t worker;
static atomic_int stop;
static int *table;

static void
clean_up(void)
{
    atomic_store(&stop, 1);
    free(table);
    sched_yield();
}

static void *
count(void *arg)
{
    (void)arg;
    for (int i = 0; i < SIZE && !atomic_load(&stop); i++)
        table[i]++;
    return NULL;
}

int
main(void)
{
    table = calloc(SIZE, sizeof *table);
    atexit(clean_up);
    pthread_create(&worker, NULL, count, NULL);
    return 0;
}
