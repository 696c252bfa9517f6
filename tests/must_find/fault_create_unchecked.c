/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.other|misuse.join-twice|crash.signal
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first --faults=create
 * BURL-ENGINES: both
 * BURL-WHY: pthread_create may fail; its thread is joined all the same.
 */
#include <pthread.h>
#include <stddef.h>

enum { N = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards done */
static int done;

static void *
worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    done++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_t t[N];
    int n = 0;

    for (int i = 0; i < N; i++) {
        pthread_create(&t[n++], NULL, worker, NULL);
    }
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    return done != n;
}
