/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: It is formatted into a local buffer and copied under the lock.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards status */
static char status[32] = "starting";

static void *
update(void *arg)
{
    (void)arg;
    char line[sizeof status];

    snprintf(line, sizeof line, "%d of %d", 3, 7);
    pthread_mutex_lock(&mutex);
    memcpy(status, line, sizeof line);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *
show(void *arg)
{
    pthread_mutex_lock(&mutex);
    memcpy(arg, status, sizeof status);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    char seen[sizeof status] = "";
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, update, NULL);
    pthread_create(&threads[1], NULL, show, seen);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
