/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The status line is formatted straight into the shared buffer while another thread
 *   copies it.
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
    snprintf(status, sizeof status, "%d of %d", 3, 7);
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
