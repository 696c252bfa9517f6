/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: hang.livelock
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The start-up resets the stop flag when it is too late: a stop that came first is
 *   forgotten, and the worker polls a flag that is never set again.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

struct poller {
    pthread_t thread;
    atomic_int stop;
    int n_polls; /* only the poller's thread */
};

static struct poller poller;

static void *
run(void *arg)
{
    struct poller *p = arg;

    p->n_polls = 0;
    atomic_store(&p->stop, 0);
    do {
        p->n_polls++;
        sched_yield();
    } while (!atomic_load(&p->stop));
    return NULL;
}

static void
poller_stop(struct poller *p)
{
    atomic_store(&p->stop, 1);
    pthread_join(p->thread, NULL);
}

int
main(void)
{
    atomic_store(&poller.stop, 0);
    pthread_create(&poller.thread, NULL, run, &poller);
    sched_yield();
    poller_stop(&poller);
    return poller.n_polls > 0 ? 0 : 1;
}
