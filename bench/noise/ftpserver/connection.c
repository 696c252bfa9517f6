/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.c - the thread of a connection.
 *
 * The bug: a reply looks whether the connection is open, and uses its control block, in two
 * critical sections. A server that stops closes the connection in between; then the reply uses a
 * null pointer. The twin does both in one.
 */
#include "ftp.h"

struct connection *
connection_new(struct server *s, int fd, unsigned number)
{
    struct connection *c = calloc(1, sizeof *c);

    must(c != NULL, "calloc");
    c->server = s;
    c->number = number;
    c->fd = fd;
    c->passive = -1;
    strcpy(c->directory, "/");
    c->control = calloc(1, sizeof *c->control);
    must(c->control != NULL, "calloc");
    c->control->fd = fd;
    pthread_mutex_init(&c->lock, NULL);
    reader_init(&c->reader, fd);
    return c;
}

void
connection_free(struct connection *c)
{
    free(c->control);
    pthread_mutex_destroy(&c->lock);
    net_close(c->fd);
    free(c);
}

void
connection_close(struct connection *c)
{
    struct control *closed;

    pthread_mutex_lock(&c->lock);
    closed = c->control;
    c->control = NULL;
    if (closed != NULL)
        net_shut_down(closed->fd);
    pthread_mutex_unlock(&c->lock);
    free(closed);
}

bool
connection_is_open(struct connection *c)
{
    bool is;

    pthread_mutex_lock(&c->lock);
    is = c->control != NULL;
    pthread_mutex_unlock(&c->lock);
    return is;
}

/* The socket for a reply, -1: the connection is closed. */
static int
socket_for_reply(struct connection *c)
{
    int fd = -1;

    if (!TWIN && !connection_is_open(c))
        return -1;
    pthread_mutex_lock(&c->lock);
    if (!TWIN || c->control != NULL) {
        fd = c->control->fd;
        c->control->n_replies++;
    }
    pthread_mutex_unlock(&c->lock);
    return fd;
}

bool
connection_reply(struct connection *c, int code, const char *text)
{
    char line[LINE_LENGTH + 8];
    int length = snprintf(line, sizeof line, "%d %.240s\r\n", code, text);
    int fd = socket_for_reply(c);

    return fd >= 0 && net_send(fd, line, (size_t)length);
}

void *
connection_run(void *connection)
{
    struct connection *c = connection;
    char line[LINE_LENGTH];

    stats_add(&c->server->stats, COUNT_CONNECTIONS, 1);
    if (connection_reply(c, 220, "ready"))
        while (!c->quits && reader_line(&c->reader, line, sizeof line)) {
            stats_add(&c->server->stats, COUNT_COMMANDS, 1);
            if (!commands_do(c, line))
                break;
        }
    transfer_end(c);
    if (c->logged_in)
        users_logout(&c->server->users);
    connection_close(c);
    return NULL;
}
