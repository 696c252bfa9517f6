/* SPDX-License-Identifier: Apache-2.0 */
/*
 * too-coarse.c - the second repair: run() and close() are atomic, by a lock around each as a whole.
 * Nothing fails any more. What has become of the timer?
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

static void
talk_locked(struct connection *c)
{
    const char *line;
    bool stays = true;
    int n = 0;

    if (c->closed)
        return;
    writer_send(c->writer, 220);
    c->reader = &client;
    do {
        line = reader_line(c->reader, n++);
        if (line == NULL)
            break;
        request_parse(c->request, line);
        stays = service(c->request, c->writer);
    } while (stays && !c->closed);
    close_locked(c);
}

static void
connection_run(struct connection *c)
{
    pthread_mutex_lock(&c->lock);
    talk_locked(c);
    pthread_mutex_unlock(&c->lock);
}

static void
connection_close(struct connection *c)
{
    pthread_mutex_lock(&c->lock);
    close_locked(c);
    pthread_mutex_unlock(&c->lock);
}
