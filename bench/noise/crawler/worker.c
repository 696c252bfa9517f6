/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c - reads pages.
 *
 * The bug: a worker looks whether it still has its connection, and reads from it, in two
 * critical sections. The manager may close the connection in between; then the read uses a null
 * pointer. The twin does both in one.
 */
#include "crawler.h"

static bool
is_connected(struct worker *w)
{
    bool yes;

    pthread_mutex_lock(&w->lock);
    yes = w->conn != NULL;
    pthread_mutex_unlock(&w->lock);
    return yes;
}

enum read_end { READ_CHUNK, READ_END, READ_CLOSED };

static enum read_end
read_chunk(struct worker *w, char *chunk, unsigned *delay_us)
{
    enum read_end end = READ_CLOSED;

    if (!TWIN && !is_connected(w))
        return READ_CLOSED;
    pthread_mutex_lock(&w->lock);
    if (!TWIN || w->conn != NULL) {
        *delay_us = w->conn->delay_us;
        end = connection_read(w->conn, chunk) ? READ_CHUNK : READ_END;
    }
    pthread_mutex_unlock(&w->lock);
    return end;
}

static void
connect_to(struct worker *w, struct connection *c)
{
    pthread_mutex_lock(&w->lock);
    w->conn = c;
    w->age = 0;
    pthread_mutex_unlock(&w->lock);
}

static void
disconnect(struct worker *w)
{
    struct connection *c;

    pthread_mutex_lock(&w->lock);
    c = w->conn;
    w->conn = NULL;
    pthread_mutex_unlock(&w->lock);
    if (c != NULL)
        connection_close(c);
}

/* Links stand between < and >. */
static void
follow_links(struct frontier *f, const struct url *page, char *chunk)
{
    for (char *p = strchr(chunk, '<'); p != NULL; p = strchr(p, '<')) {
        char *end = strchr(++p, '>');
        struct url link;

        if (end == NULL)
            return;
        *end = '\0';
        if (url_resolve(&link, page, p))
            frontier_add(f, &link);
        p = end + 1;
    }
}

static void
read_page(struct worker *w, const struct url *u)
{
    struct connection *c = connection_open(u);
    char chunk[CHUNK_LENGTH];
    unsigned delay_us = 0;
    enum read_end end;

    if (c == NULL) {
        w->n_missing++;
        return;
    }
    connect_to(w, c);
    while ((end = read_chunk(w, chunk, &delay_us)) == READ_CHUNK) {
        words_add(&w->crawler->words, chunk);
        follow_links(&w->crawler->frontier, u, chunk);
        pause_us(delay_us);
    }
    if (end == READ_END)
        w->n_read++;
    else
        w->n_aborted++;
    disconnect(w);
}

void *
worker_run(void *worker)
{
    struct worker *w = worker;
    struct url u;

    while (frontier_take(&w->crawler->frontier, &u)) {
        read_page(w, &u);
        frontier_done(&w->crawler->frontier);
    }
    return NULL;
}

void
worker_grow_older(struct worker *w, unsigned max_age)
{
    struct connection *closed = NULL;

    pthread_mutex_lock(&w->lock);
    if (w->conn != NULL && ++w->age > max_age) {
        closed = w->conn;
        w->conn = NULL;
        w->n_closed++;
    }
    pthread_mutex_unlock(&w->lock);
    if (closed != NULL)
        connection_close(closed);
}
