/* SPDX-License-Identifier: Apache-2.0 */
/*
 * original.c - the server as it was found. close() may come at any time, and nothing but the flag
 * is locked.
 */
#include "ftpd.h"

static void
connection_run(struct connection *c)
{
    const char *line;
    bool stays = true;
    int n = 0;

    writer_send(c->writer, 220);
    c->reader = &client;
    do {
        line = reader_line(c->reader, n++);
        if (line == NULL)
            break;
        request_parse(c->request, line);
        stays = service(c->request, c->writer);
    } while (stays && !c->closed);
    if (!c->closed)
        connection_close(c);
}

static void
connection_close(struct connection *c)
{
    pthread_mutex_lock(&c->lock);
    if (c->closed) {
        pthread_mutex_unlock(&c->lock);
        return;
    }
    c->closed = true;
    pthread_mutex_unlock(&c->lock);
    writer_send(c->writer, 421);
    if (c->request != NULL)
        c->request = NULL;
    if (c->reader != NULL)
        c->reader = NULL;
    if (c->writer != NULL)
        c->writer = NULL;
}
