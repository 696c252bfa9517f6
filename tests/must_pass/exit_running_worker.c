/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The exit handler stops and joins the worker before it frees the table.
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
    pthread_join(worker, NULL);
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
