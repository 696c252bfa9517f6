/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.destroy-busy
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The stop flag is set without waking a thread, and the condition variable is destroyed
 *   while the worker may be asleep on it.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct ticker {
    pthread_t thread;
    pthread_mutex_t mutex; /* guards stop */
    pthread_cond_t changed;
    bool stop;
};

static struct ticker ticker;

static void *
tick(void *arg)
{
    struct ticker *t = arg;

    pthread_mutex_lock(&t->mutex);
    while (!t->stop)
        pthread_cond_wait(&t->changed, &t->mutex);
    pthread_mutex_unlock(&t->mutex);
    return NULL;
}

static void
ticker_start(struct ticker *t)
{
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->changed, NULL);
    pthread_create(&t->thread, NULL, tick, t);
}

static void
ticker_stop(struct ticker *t)
{
    pthread_mutex_lock(&t->mutex);
    t->stop = true;
    pthread_mutex_unlock(&t->mutex);
    pthread_cond_destroy(&t->changed);
    pthread_join(t->thread, NULL);
    pthread_mutex_destroy(&t->mutex);
}

int
main(void)
{
    ticker_start(&ticker);
    ticker_stop(&ticker);
    return 0;
}
