/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.overflow
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: The test for room and the increment of the index are two steps; the second of two
 *   threads that both saw the last free slot writes past the end of the array.
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
    if (atomic_load(&t->used) < CAPACITY)
        t->events[atomic_fetch_add(&t->used, 1)] = event;
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
