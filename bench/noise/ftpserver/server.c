/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - starts and stops, and the listener.
 *
 * The bug: the listener looks whether the server runs, and adds the connection to the list, in
 * two critical sections. A stop in between does not see the connection, which stays open. The
 * twin does both in one.
 */
#include "ftp.h"

bool
server_is_running(struct server *s)
{
    bool is;

    pthread_mutex_lock(&s->lock);
    is = s->running;
    pthread_mutex_unlock(&s->lock);
    return is;
}

/* NULL: the server stops, or there are too many. */
static struct connection *
add_connection(struct server *s, int fd)
{
    struct connection *c = NULL;

    if (!TWIN && !server_is_running(s))
        return NULL;
    pthread_mutex_lock(&s->lock);
    if (s->n < CONNECTIONS_MAX && (!TWIN || s->running)) {
        c = connection_new(s, fd, s->n);
        s->connections[s->n++] = c;
        start_thread(&c->thread, connection_run, c);
    }
    pthread_mutex_unlock(&s->lock);
    return c;
}

static void *
listen_for_clients(void *server)
{
    struct server *s = server;
    int fd;

    while ((fd = net_accept(s->fd)) >= 0)
        if (add_connection(s, fd) == NULL)
            net_close(fd);
    return NULL;
}

void
server_start(struct server *s, unsigned login_limit)
{
    memset(s, 0, sizeof *s);
    files_init(&s->files);
    users_init(&s->users, login_limit);
    stats_init(&s->stats);
    pthread_mutex_init(&s->lock, NULL);
    s->running = true;
    s->fd = net_listen(&s->port);
    start_thread(&s->listener, listen_for_clients, s);
}

/* A copy of the list. */
static unsigned
all_connections(struct server *s, struct connection **list)
{
    unsigned n;

    pthread_mutex_lock(&s->lock);
    n = s->n;
    memcpy(list, s->connections, n * sizeof *list);
    pthread_mutex_unlock(&s->lock);
    return n;
}

unsigned
server_stop(struct server *s)
{
    struct connection *list[CONNECTIONS_MAX];
    unsigned n, n_left;

    pthread_mutex_lock(&s->lock);
    s->running = false;
    pthread_mutex_unlock(&s->lock);
    n = all_connections(s, list);
    for (unsigned i = 0; i < n; i++)
        connection_close(list[i]);
    net_shut_down(s->fd);
    pthread_join(s->listener, NULL);
    n_left = all_connections(s, list) - n;
    for (unsigned i = n; i < n + n_left; i++)
        connection_close(list[i]);
    for (unsigned i = 0; i < n + n_left; i++)
        pthread_join(list[i]->thread, NULL);
    return n_left;
}

void
server_free(struct server *s)
{
    for (unsigned i = 0; i < s->n; i++)
        connection_free(s->connections[i]);
    net_close(s->fd);
    files_deinit(&s->files);
    users_deinit(&s->users);
    stats_deinit(&s->stats);
    pthread_mutex_destroy(&s->lock);
}
