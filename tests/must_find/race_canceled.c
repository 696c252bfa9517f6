/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Main has asked for the worker to be canceled and goes on as if it were: it still
 *   writes.
 */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int progress;

static void
clean_up(void *arg)
{
    (void)arg;
    progress = -1;
}

static void *
work(void *arg)
{
    pthread_cleanup_push(clean_up, NULL);
    for (int i = 0; i < 3; i++) {
        progress++;
        pthread_testcancel();
    }
    pthread_cleanup_pop(1);
    return arg;
}

int
main(void)
{
    pthread_t thread;
    int seen;

    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    seen = progress;
    pthread_join(thread, NULL);
    return seen <= 3 ? 0 : 1;
}
