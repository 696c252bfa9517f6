/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.join-twice
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Testing and setting the joined flag are two steps, so the owner and the reaper can
 *   both join the worker.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct worker {
    pthread_t thread;
    atomic_int joined;
    int result;
};

static struct worker worker;

static void *
work(void *arg)
{
    struct worker *w = arg;

    w->result = 7;
    return NULL;
}

static void
worker_join(struct worker *w)
{
    if (atomic_load(&w->joined))
        return;
    atomic_store(&w->joined, 1);
    pthread_join(w->thread, NULL);
}

static void *
reap(void *arg)
{
    worker_join(arg);
    return NULL;
}

int
main(void)
{
    pthread_t reaper;

    pthread_create(&worker.thread, NULL, work, &worker);
    pthread_create(&reaper, NULL, reap, &worker);
    worker_join(&worker);
    pthread_join(reaper, NULL);
    return worker.result == 7 ? 0 : 1;
}
