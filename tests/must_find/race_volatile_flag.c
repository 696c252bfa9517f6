/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: A volatile flag says that the report is there; it orders nothing and is itself a
 *   race.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static volatile int done;
static int report;

static void *
make_report(void *arg)
{
    (void)arg;
    report = 77;
    done = 1;
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    int seen;

    pthread_create(&thread, NULL, make_report, NULL);
    while (!done)
        sched_yield();
    seen = report;
    pthread_join(thread, NULL);
    return seen == 77 ? 0 : 1;
}
