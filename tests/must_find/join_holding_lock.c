/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle | deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The owner joins the worker while it holds the lock that the worker needs to finish.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct server {
    pthread_t thread;
    pthread_mutex_t mutex; /* guards the rest */
    bool started;
    bool joined;
    int n_served;
};

static struct server server = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void *
serve(void *arg)
{
    struct server *s = arg;

    pthread_mutex_lock(&s->mutex);
    s->started = true;
    pthread_mutex_unlock(&s->mutex);

    pthread_mutex_lock(&s->mutex);
    s->n_served++;
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

/* Waits for a server that is already up; one that is not is left for later. */
static void
server_reap(struct server *s)
{
    pthread_mutex_lock(&s->mutex);
    if (s->started && !s->joined) {
        pthread_join(s->thread, NULL);
        s->joined = true;
    }
    pthread_mutex_unlock(&s->mutex);
}

int
main(void)
{
    pthread_create(&server.thread, NULL, serve, &server);
    server_reap(&server);
    if (!server.joined)
        pthread_join(server.thread, NULL);
    return server.n_served == 1 ? 0 : 1;
}
