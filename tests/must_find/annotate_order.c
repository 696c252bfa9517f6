/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The hand-over through a relaxed ticket is not ordered, and nothing says that it is.
 */
#include <burl/burl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ticket;
static int cargo;

static void *
load(void *arg)
{
    (void)arg;
    cargo = 3;
    atomic_store_explicit(&ticket, 1, memory_order_relaxed);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    int seen;

    pthread_create(&thread, NULL, load, NULL);
    while (!atomic_load_explicit(&ticket, memory_order_relaxed))
        sched_yield();
    seen = cargo;
    pthread_join(thread, NULL);
    return seen == 3 ? 0 : 1;
}
