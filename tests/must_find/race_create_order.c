/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The parent fills in the request after it has started the thread that serves it.
 */
#include <pthread.h>
#include <stddef.h>

struct request {
    int size;
    int priority;
    int granted;
};

static void *
serve(void *arg)
{
    struct request *r = arg;

    r->granted = r->size > 0;
    return NULL;
}

int
main(void)
{
    struct request r = { 0 };
    pthread_t thread;

    pthread_create(&thread, NULL, serve, &r);
    r.size = 64;
    r.priority = 1;
    pthread_join(thread, NULL);
    return r.priority == 1 ? 0 : 1;
}
