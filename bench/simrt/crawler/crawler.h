/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crawler.h - a web crawler: URLs, a queue of them, a pool of workers, politeness, a page store.
 *
 * The web is a table in memory and time is virtual, so that a crawl needs milliseconds. All
 * functions are thread-safe unless their comment says otherwise; constructors return NULL when
 * there is no memory, destructors need exclusive use of the object.
 */
#ifndef CRAWLER_H
#define CRAWLER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "../large.h"

/* ---- URLs; pure functions */

#define HOST_LENGTH 16
#define PATH_LENGTH 32

struct url {
    char host[HOST_LENGTH];
    char path[PATH_LENGTH];
};

/* "http://host/path#fragment"; false: it is none, or too long. */
bool url_parse(struct url *u, const char *text);
/* A link as it stands in a page of `base`: absolute, "/path", or "relative". */
bool url_resolve(struct url *u, const struct url *base, const char *link);
bool url_equal(const struct url *a, const struct url *b);
unsigned url_hash(const struct url *u);

/* ---- the web */

struct web;
struct page {
    int status; /* 200, 404, 503 */
    const char *body;
};
struct web *web_new(void);
void web_free(struct web *w);
/* Before the first fetch. `failures`: the first fetches answer with 503. */
void web_add(struct web *w, const char *url, const char *body, int failures);
struct page web_fetch(struct web *w, const struct url *u);
unsigned web_fetches(struct web *w);

/* ---- pages; pure functions */

/* Calls `each` for every href="..."; returns how many there are. */
unsigned parse_links(const char *body, void (*each)(void *arg, const char *link), void *arg);
/* The text of <title>; false: there is none. */
bool parse_title(const char *body, char *out, size_t size);

/* ---- hosts: when they may be asked again, and how often */

struct hosts;
struct hosts *hosts_new(unsigned delay, unsigned limit);
void hosts_free(struct hosts *h);
unsigned long hosts_now(struct hosts *h);
void hosts_advance(struct hosts *h, unsigned long to);
/* From when on the host may be asked. */
unsigned long hosts_when(struct hosts *h, const char *name);
/* Reserves one request; false: its limit is reached. */
bool hosts_reserve(struct hosts *h, const char *name);
unsigned hosts_requests(struct hosts *h, const char *name);
unsigned hosts_failures(struct hosts *h, const char *name);
unsigned hosts_count(struct hosts *h);

/* ---- the queue */

struct item {
    struct url url;
    unsigned depth;
};
struct frontier;
struct frontier *frontier_new(struct hosts *h);
void frontier_free(struct frontier *f);
/* False: it is full or closed. */
bool frontier_push(struct frontier *f, const struct url *u, unsigned depth);
/* The item of least depth whose host may be asked; virtual time goes on when there is none. Waits
 * while the queue is empty and items are in flight. False: nothing is left, or it is closed. */
bool frontier_next(struct frontier *f, struct item *out);
/* The item that frontier_next() returned is done, or is to be tried again. */
void frontier_done(struct frontier *f);
void frontier_requeue(struct frontier *f, const struct item *it);
void frontier_close(struct frontier *f);
unsigned frontier_length(struct frontier *f);
unsigned frontier_peak(struct frontier *f);
/* The host failed: it is asked later, and the item again unless it failed three times. */
void hosts_penalize(struct hosts *h, struct frontier *f, const struct item *it);

/* ---- the set of URLs that were seen */

struct visited;
struct visited *visited_new(void);
void visited_free(struct visited *v);
/* True: it is new. */
bool visited_add(struct visited *v, const struct url *u);
bool visited_has(struct visited *v, const struct url *u);
unsigned visited_count(struct visited *v);

/* ---- pages that were fetched */

struct store;
struct store *store_new(void);
void store_free(struct store *s);
/* False: it has the page already, or is full. */
bool store_put(struct store *s, const struct url *u, const char *body);
bool store_has(struct store *s, const struct url *u);
/* False: no such page. */
bool store_title(struct store *s, const struct url *u, char *out, size_t size);
bool store_remove(struct store *s, const struct url *u);
unsigned store_count(struct store *s);
size_t store_bytes(struct store *s);
/* Closes the gaps of removed pages; needs exclusive use. Returns how many there were. */
unsigned store_compact(struct store *s);

/* ---- statistics */

struct counters {
    unsigned fetched;
    unsigned missing;
    unsigned retried;
    unsigned refused; /* by limits */
    unsigned links;
};
struct stats;
struct stats *stats_new(void);
void stats_free(struct stats *s);
/* Adds the counters of one worker. */
void stats_flush(struct stats *s, const struct counters *own);
void stats_get(struct stats *s, struct counters *out);

/* ---- the crawler */

struct options {
    unsigned workers; /* 0: the calling thread crawls */
    unsigned max_depth;
    unsigned max_pages;
    unsigned slots; /* simultaneous requests */
    unsigned delay; /* of a host, in virtual time */
    unsigned per_host;
    bool compact; /* the store, when done */
};
extern const struct options options_default;

struct crawler;
struct crawler *crawler_new(struct web *w, const struct options *opts);
void crawler_free(struct crawler *c);
bool crawler_seed(struct crawler *c, const char *url);
/* Returns when nothing is left to do. Once per crawler. */
void crawler_run(struct crawler *c);
/* Makes crawler_run() return soon; from any thread. */
void crawler_stop(struct crawler *c);
void crawler_counters(struct crawler *c, struct counters *out);
struct store *crawler_store(struct crawler *c);
unsigned crawler_visited(struct crawler *c);
unsigned long crawler_time(struct crawler *c);
/* Longest body that a worker has seen. After crawler_run(). */
size_t crawler_longest(struct crawler *c);

#endif
