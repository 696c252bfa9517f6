/* SPDX-License-Identifier: Apache-2.0 */
/*
 * web.c - a small web that is made up.
 *
 * Hosts h0.test, h1.test, ... have the pages /, /p0, /p1, ... A page has a few chunks of words
 * and links, all from the hash of its address. The page /stream never ends.
 */
#include "crawler.h"

#define HOSTS 4
#define PAGES 5

static const char *const vocabulary[] = { "rover", "ticket", "frame", "plan",
                                          "seat",  "server", "page",  "link" };

/* The number after a letter, or a negative number. */
static int
number_after(const char *text, char letter)
{
    char *end;
    long v;

    if (text[0] != letter || text[1] < '0' || text[1] > '9')
        return -1;
    v = strtol(text + 1, &end, 10);
    return *end == '\0' || strcmp(end, ".test") == 0 ? (int)v : -1;
}

struct connection *
connection_open(const struct url *u)
{
    int host = number_after(u->host, 'h');
    int page = strcmp(u->path, "/") == 0 ? 0 : number_after(u->path + 1, 'p');
    bool endless = strcmp(u->path, "/stream") == 0;
    struct connection *c;

    if (host < 0 || host >= HOSTS || (!endless && (page < 0 || page >= PAGES)))
        return NULL;
    c = calloc(1, sizeof *c);
    must(c != NULL, "calloc");
    c->url = *u;
    c->chunks = endless ? 0 : 2 + url_hash(u) % 3;
    c->delay_us = 40 + url_hash(u) % 60;
    return c;
}

bool
connection_read(struct connection *c, char *chunk)
{
    uint64_t random = url_hash(&c->url) + (uint64_t)c->position * 977;
    unsigned host, page;

    if (c->chunks != 0 && c->position >= c->chunks)
        return false;
    c->position++;
    host = random_in(&random, 0, HOSTS - 1);
    page = random_in(&random, 0, PAGES);
    if (c->chunks == 0)
        snprintf(chunk, CHUNK_LENGTH, "%s %s", vocabulary[random_in(&random, 0, 7)],
                 vocabulary[random_in(&random, 0, 7)]);
    else if (page == PAGES)
        snprintf(chunk, CHUNK_LENGTH, "%s <http://h%u.test/stream> %s <./p%u#top>",
                 vocabulary[random_in(&random, 0, 7)], host, vocabulary[random_in(&random, 0, 7)],
                 random_in(&random, 1, PAGES - 1));
    else
        snprintf(chunk, CHUNK_LENGTH, "%s <http://h%u.test/p%u> %s </a/../p%u?x=1>",
                 vocabulary[random_in(&random, 0, 7)], host, page,
                 vocabulary[random_in(&random, 0, 7)], random_in(&random, 0, PAGES));
    return true;
}

void
connection_close(struct connection *c)
{
    free(c);
}
