/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The hand-over is ordered by means that burl cannot see; the annotations say so.
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
    BURL_HB_BEFORE(&ticket);
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
    BURL_HB_AFTER(&ticket);
    seen = cargo;
    pthread_join(thread, NULL);
    return seen == 3 ? 0 : 1;
}
