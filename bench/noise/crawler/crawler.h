/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crawler.h - the parts of the crawler.
 *
 * Workers take addresses from the frontier, read pages through a connection each, put the links
 * of a page into the frontier and its words into the index. A manager closes connections that
 * take too long: some hosts never finish a page. The web is made up (web.c): each read of a
 * connection costs a little time.
 *
 * No lock is held while another one is taken, except the frontier's: it looks into the set of seen
 * addresses.
 */
#ifndef CRAWLER_H
#define CRAWLER_H

#include "subject.h"

#define URL_LENGTH 48
#define CHUNK_LENGTH 128
#define FRONTIER_MAX 256
#define SEEN_BUCKETS 64
#define WORDS_MAX 256
#define WORD_LENGTH 16
#define WORKERS_MAX 16

/* ---- url.c */

struct url {
    char host[URL_LENGTH];
    char path[URL_LENGTH];
};

/* "http://HOST/PATH" without what comes after # or ?. False: it is no address. */
bool url_parse(struct url *out, const char *text);
/* A link on a page: absolute, from the root of the host, or beside the page. */
bool url_resolve(struct url *out, const struct url *page, const char *link);
bool url_equal(const struct url *a, const struct url *b);
uint32_t url_hash(const struct url *u);

/* ---- web.c: the pages, the same in every run */

struct connection {
    struct url url;
    unsigned position; /* chunks that were read */
    unsigned chunks;   /* of the page; 0: it never ends */
    unsigned delay_us; /* of a read */
};

/* NULL: there is no such page. */
struct connection *connection_open(const struct url *u);
/* The next piece of the page, as text; false at its end. */
bool connection_read(struct connection *c, char *chunk);
void connection_close(struct connection *c);

/* ---- seen.c: the set of addresses; its caller has a lock */

struct seen_entry {
    struct url url;
    struct seen_entry *next;
};

struct seen {
    struct seen_entry *buckets[SEEN_BUCKETS];
    unsigned n;
};

/* False: it is there already. */
bool seen_add(struct seen *s, const struct url *u);
void seen_deinit(struct seen *s);

/* ---- frontier.c: addresses that are to be read */

struct frontier {
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t changed;
    struct url queue[FRONTIER_MAX];
    unsigned first, n;
    unsigned n_open; /* taken and not done */
    unsigned n_dropped;
    struct seen seen;
};

void frontier_init(struct frontier *f);
void frontier_deinit(struct frontier *f);
/* Once for each address; others are dropped. */
void frontier_add(struct frontier *f, const struct url *u);
/* Waits. False: nothing is left, and no page is open that could have links. */
bool frontier_take(struct frontier *f, struct url *out);
void frontier_done(struct frontier *f);

/* ---- words.c: how often each word occurs */

struct words {
    pthread_mutex_t lock; /* guards the rest */
    unsigned n;
    struct {
        char word[WORD_LENGTH];
        unsigned total;
    } list[WORDS_MAX];
};

void words_init(struct words *w);
void words_deinit(struct words *w);
/* Counts every word of the text. */
void words_add(struct words *w, const char *text);

/* ---- worker.c */

struct worker {
    struct crawler *crawler;
    pthread_t thread;
    pthread_mutex_t lock;    /* guards conn, age and n_closed */
    struct connection *conn; /* NULL: none, or the manager has closed it */
    unsigned age;            /* rounds of the manager that conn has been open */
    unsigned n_closed;       /* by the manager */
    unsigned n_read, n_missing, n_aborted; /* pages; of the worker's thread until it has ended */
};

void *worker_run(void *worker);
/* For the manager: one more round; closes the connection when it is older than max_age. */
void worker_grow_older(struct worker *w, unsigned max_age);

/* ---- main.c */

struct crawler {
    struct frontier frontier;
    struct words words;
    unsigned n_workers;
    struct worker workers[WORKERS_MAX];
    pthread_t manager;
    pthread_mutex_t lock; /* guards stopping */
    bool stopping;
};

void crawler_run(struct crawler *c, unsigned n_workers, const char *start);

#endif
