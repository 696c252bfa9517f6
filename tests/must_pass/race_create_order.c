/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The request is complete before the thread starts.
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

    r.size = 64;
    r.priority = 1;
    pthread_create(&thread, NULL, serve, &r);
    pthread_join(thread, NULL);
    return r.priority == 1 ? 0 : 1;
}
