/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: main ends with pthread_exit; the process goes on until the last thread has ended,
 *   and its exit code is 0.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards n_done */
static int n_done;

static void *
work(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    n_done++;
    assert(n_done <= 2);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_t thread;

    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, work, NULL);
        pthread_detach(thread);
    }
    pthread_exit(NULL);
}
