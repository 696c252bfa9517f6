/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: The index is drawn first, with one atomic operation, and then compared with the
 *   size.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { CAPACITY = 3, N_THREADS = 2, N_EVENTS = 2 };

struct trace {
    atomic_int used;
    int *events;
};

static struct trace trace;

static void
trace_add(struct trace *t, int event)
{
    int slot = atomic_fetch_add(&t->used, 1);

    if (slot < CAPACITY)
        t->events[slot] = event;
}

static void *
work(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_EVENTS; i++)
        trace_add(&trace, i + 1);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_THREADS];
    int sum = 0;

    trace.events = calloc(CAPACITY, sizeof *trace.events);
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < CAPACITY; i++)
        sum += trace.events[i];
    free(trace.events);
    return sum >= CAPACITY ? 0 : 1;
}
