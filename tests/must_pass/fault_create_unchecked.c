/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500 --faults=malloc,create
 * BURL-WHY: Only threads that were created are joined.
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
        if (pthread_create(&t[n], NULL, worker, NULL) == 0)
            n++;
    }
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    return done != n;
}
