/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race-free.c - the first repair: a lock around every single access. No data race is left, and
 * every bug is.
 */
#include "ftpd.h"

#define LOCKED(c, statement)              \
    do {                                  \
        pthread_mutex_lock(&(c)->lock);   \
        statement;                        \
        pthread_mutex_unlock(&(c)->lock); \
    } while (0)

static void
connection_run(struct connection *c)
{
    struct writer *writer;
    struct reader *reader;
    struct request *request;
    const char *line;
    bool stays = true, closed;
    int n = 0;

    LOCKED(c, writer = c->writer);
    writer_send(writer, 220);
    LOCKED(c, c->reader = &client);
    do {
        LOCKED(c, reader = c->reader);
        line = reader_line(reader, n++);
        if (line == NULL)
            break;
        LOCKED(c, request = c->request);
        request_parse(request, line);
        LOCKED(c, request = c->request);
        LOCKED(c, writer = c->writer);
        stays = service(request, writer);
        LOCKED(c, closed = c->closed);
    } while (stays && !closed);
    LOCKED(c, closed = c->closed);
    if (!closed)
        connection_close(c);
}

static void
connection_close(struct connection *c)
{
    struct writer *writer;
    bool closed;

    LOCKED(c, closed = c->closed; c->closed = true);
    if (closed)
        return;
    LOCKED(c, writer = c->writer);
    writer_send(writer, 421);
    LOCKED(c, c->request = NULL);
    LOCKED(c, c->reader = NULL);
    LOCKED(c, c->writer = NULL);
}
