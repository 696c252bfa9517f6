/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.exit-holding|deadlock.cycle|deadlock.stuck|misuse.relock
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first --faults=malloc
 * BURL-ENGINES: both
 * BURL-WHY: The error path of a failed allocation returns with the mutex held.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards last */
static int *last;

static int
replace(int value)
{
    int *p;

    pthread_mutex_lock(&mutex);
    p = malloc(sizeof *p);
    if (p == NULL) {
        /* the mutex stays locked */
        return -1;
    }
    *p = value;
    free(last);
    last = p;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *
worker(void *arg)
{
    (void)arg;
    replace(1);
    replace(2);
    return NULL;
}

int
main(void)
{
    pthread_t t;

    if (pthread_create(&t, NULL, worker, NULL) != 0)
        return 0;
    replace(3);
    pthread_join(t, NULL);
    free(last);
    return 0;
}
