/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-free
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Closing the connection tells its worker to stop but does not wait for it; the worker
 *   then reads the stop flag from freed memory.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { MAX_POLLS = 3, N_CONNECTIONS = 2 };

struct connection {
    pthread_t worker;
    sem_t up;
    atomic_int stop;
    int polls; /* only the worker */
};

static void *
poll_peer(void *arg)
{
    struct connection *c = arg;

    sem_post(&c->up);
    for (int i = 0; i < MAX_POLLS && !atomic_load(&c->stop); i++)
        c->polls++;
    return NULL;
}

static struct connection *
connection_open(void)
{
    struct connection *c = calloc(1, sizeof *c);

    sem_init(&c->up, 0, 0);
    pthread_create(&c->worker, NULL, poll_peer, c);
    sem_wait(&c->up);
    return c;
}

static void
connection_close(struct connection *c)
{
    atomic_store(&c->stop, 1);
    pthread_detach(c->worker);
    sem_destroy(&c->up);
    free(c);
}

int
main(void)
{
    for (int i = 0; i < N_CONNECTIONS; i++)
        connection_close(connection_open());
    return 0;
}
