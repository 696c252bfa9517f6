/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: Exit handlers run in reverse order, and one of them joins the worker; the thread
 *   that calls exit is not main, which is still waiting for it.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_t worker;
static int stage;
static int *table;

static void
last(void)
{
    assert(stage == 2);
    free(table);
}

static void
second(void)
{
    assert(stage == 1);
    stage = 2;
}

static void
first(void)
{
    pthread_join(worker, NULL);
    assert(table[0] == 1);
    stage = 1;
}

static void *
work(void *arg)
{
    (void)arg;
    table[0]++;
    return NULL;
}

static void *
quit(void *arg)
{
    (void)arg;
    exit(0);
}

int
main(void)
{
    pthread_t quitter;

    table = calloc(1, sizeof *table);
    atexit(last);
    atexit(second);
    atexit(first);
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&quitter, NULL, quit, NULL);
    pthread_join(quitter, NULL);
    return 1; /* not reached: the process ends while main waits */
}
