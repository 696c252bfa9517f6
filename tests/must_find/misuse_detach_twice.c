/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.detach-twice
 * BURL-SEQUENTIAL: yes
 * BURL-ARGS: --runs=200
 * BURL-WHY: The worker detaches itself, and so does its creator; in every order one is the second.
 */
#include <pthread.h>
#include <stddef.h>

static void *
worker(void *arg)
{
    pthread_detach(pthread_self());
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
