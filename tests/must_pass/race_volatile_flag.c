/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The flag is atomic.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int done;
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
