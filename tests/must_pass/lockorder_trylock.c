/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The thread that goes against the order only tries its second lock, and backs off.
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
    for (;;) {
        pthread_mutex_lock(&outbox);
        if (pthread_mutex_trylock(&inbox) == 0)
            break;
        pthread_mutex_unlock(&outbox);
        sched_yield();
    }
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
