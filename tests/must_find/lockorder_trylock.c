/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Both threads wait for their second lock, in opposite orders.
 */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t inbox = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t outbox = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void *
send(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&inbox);
    pthread_mutex_lock(&outbox);
    moved++;
    pthread_mutex_unlock(&outbox);
    pthread_mutex_unlock(&inbox);
    return NULL;
}

static void *
bounce(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&outbox);
    pthread_mutex_lock(&inbox);
    moved--;
    pthread_mutex_unlock(&inbox);
    pthread_mutex_unlock(&outbox);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, send, NULL);
    pthread_create(&threads[1], NULL, bounce, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return moved == 0 ? 0 : 1;
}
