/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: An exchange decides which thread joins.
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
    if (atomic_exchange(&w->joined, 1))
        return;
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
