/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixed.c - the repair: close() is one step, run() one step for each command. Each step looks first
 * whether the connection is still open, and between the steps the timer can come.
 */
#include "ftpd.h"

/* With the lock held. */
static void
close_locked(struct connection *c)
{
    if (c->closed)
        return;
    c->closed = true;
    writer_send(c->writer, 421);
    c->request = NULL;
    c->reader = NULL;
    c->writer = NULL;
}

static bool
greet(struct connection *c)
{
    bool open;

    pthread_mutex_lock(&c->lock);
    open = !c->closed;
    if (open) {
        writer_send(c->writer, 220);
        c->reader = &client;
    }
    pthread_mutex_unlock(&c->lock);
    return open;
}

/* NULL: nothing more will come. */
static const char *
next_line(struct connection *c, int n)
{
    const char *line = NULL;

    pthread_mutex_lock(&c->lock);
    if (!c->closed)
        line = reader_line(c->reader, n);
    pthread_mutex_unlock(&c->lock);
    return line;
}

static bool
obey(struct connection *c, const char *line)
{
    bool stays = false;

    pthread_mutex_lock(&c->lock);
    if (!c->closed) {
        request_parse(c->request, line);
        stays = service(c->request, c->writer);
    }
    pthread_mutex_unlock(&c->lock);
    return stays;
}

static void
connection_close(struct connection *c)
{
    pthread_mutex_lock(&c->lock);
    close_locked(c);
    pthread_mutex_unlock(&c->lock);
}

static void
connection_run(struct connection *c)
{
    const char *line;
    bool stays = greet(c);
    int n = 0;

    while (stays && (line = next_line(c, n++)) != NULL)
        stays = obey(c, line);
    connection_close(c);
}
