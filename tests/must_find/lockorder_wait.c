/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle|deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The waiter keeps the station locked while it waits for a train; the one that brings
 *   the train holds the platform, which the waiter needs to wake up, and asks for the station.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t station = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t platform = PTHREAD_MUTEX_INITIALIZER; /* guards train */
static pthread_cond_t arrival = PTHREAD_COND_INITIALIZER;
static bool train;

static void *
wait_for_train(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&station);
    pthread_mutex_lock(&platform);
    while (!train)
        pthread_cond_wait(&arrival, &platform);
    pthread_mutex_unlock(&platform);
    pthread_mutex_unlock(&station);
    return NULL;
}

static void *
bring_train(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&platform);
    train = true;
    pthread_cond_signal(&arrival);
    pthread_mutex_lock(&station);
    pthread_mutex_unlock(&station);
    pthread_mutex_unlock(&platform);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, bring_train, NULL);
    pthread_create(&threads[1], NULL, wait_for_train, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return train ? 0 : 1;
}
