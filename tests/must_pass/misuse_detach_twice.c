/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-ARGS: --runs=200
 * BURL-WHY: Only its creator detaches the worker.
 */
#include <pthread.h>
#include <stddef.h>

static void *
worker(void *arg)
{
    return arg;
}

int
main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    pthread_exit(NULL);
}
