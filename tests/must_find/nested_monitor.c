/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck | deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The waiter holds the outer lock while it sleeps on the inner monitor, and the thread
 *   that should wake it needs the outer lock first.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct gate {
    pthread_mutex_t mutex; /* guards open */
    pthread_cond_t opened;
    bool open;
};

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER; /* guards n_requests */
static int n_requests;
static struct gate gate = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .opened = PTHREAD_COND_INITIALIZER,
};

static void
gate_pass(struct gate *g)
{
    pthread_mutex_lock(&g->mutex);
    while (!g->open)
        pthread_cond_wait(&g->opened, &g->mutex);
    pthread_mutex_unlock(&g->mutex);
}

static void
gate_open(struct gate *g)
{
    pthread_mutex_lock(&g->mutex);
    g->open = true;
    pthread_cond_broadcast(&g->opened);
    pthread_mutex_unlock(&g->mutex);
}

static void *
visitor(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&outer);
    n_requests++;
    gate_pass(&gate);
    pthread_mutex_unlock(&outer);
    return NULL;
}

static void
porter(void)
{
    pthread_mutex_lock(&outer);
    n_requests++;
    gate_open(&gate);
    pthread_mutex_unlock(&outer);
}

int
main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, visitor, NULL);
    porter();
    pthread_join(thread, NULL);
    return n_requests == 2 ? 0 : 1;
}
