/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crawler.c - the workers, and what they share.
 *
 * Version 2 decides in claim() what version 1 decides in visit(), keeps a longest body for each
 * worker, and compacts the store in a function of its own.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "crawler.h"

#define WORKERS_MAX 4

/* What a worker notes for crawler_longest(); one for each, so that it needs no lock. */
struct scratch {
    size_t longest;
    unsigned pages;
};

struct crawler {
    struct options options;
    struct web *web;
    struct hosts *hosts;
    struct frontier *frontier;
    struct visited *visited;
    struct store *store;
    struct stats *stats;
    sem_t slots;
    pthread_barrier_t ready; /* of the workers and the starting thread */
    unsigned share;          /* pages per worker; set before `ready` */
    _Atomic unsigned uneven; /* workers that had more than their share */
#ifdef SEED_3
    bool stopping;
#else
    _Atomic bool stopping;
#endif
    pthread_mutex_t claim_lock; /* guards claimed */
    unsigned claimed;
    struct scratch scratch[WORKERS_MAX + 1];
};

struct worker {
    struct crawler *crawler;
    unsigned index; /* 0: the starting thread */
    struct counters own;
    const struct item *item; /* while its page is parsed */
};

const struct options options_default = {
    .workers = 2,
    .max_depth = 3,
    .max_pages = 16,
    .slots = 2,
    .delay = 1,
    .per_host = 16,
};

static _Thread_local struct worker *current; /* the worker of this thread */

struct crawler *
crawler_new(struct web *w, const struct options *opts)
{
    struct crawler *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    c->options = *opts;
    if (c->options.workers > WORKERS_MAX)
        c->options.workers = WORKERS_MAX;
    c->web = w;
    c->hosts = hosts_new(opts->delay, opts->per_host);
    c->frontier = frontier_new(c->hosts);
    c->visited = visited_new();
    c->store = store_new();
    c->stats = stats_new();
    sem_init(&c->slots, 0, opts->slots > 0 ? opts->slots : 1);
    pthread_mutex_init(&c->claim_lock, NULL);
    return c;
}

void
crawler_free(struct crawler *c)
{
    hosts_free(c->hosts);
    frontier_free(c->frontier);
    visited_free(c->visited);
    store_free(c->store);
    stats_free(c->stats);
    sem_destroy(&c->slots);
    pthread_mutex_destroy(&c->claim_lock);
    free(c);
}

bool
crawler_seed(struct crawler *c, const char *url)
{
    struct url u;

    if (!url_parse(&u, url) || !visited_add(c->visited, &u))
        return false;
    return frontier_push(c->frontier, &u, 0);
}

static void
follow(void *arg, const char *link)
{
    struct crawler *c = arg;
    struct url u;

    current->own.links++;
    if (current->item->depth >= c->options.max_depth || !url_resolve(&u, &current->item->url, link))
        return;
    if (visited_add(c->visited, &u))
        frontier_push(c->frontier, &u, current->item->depth + 1);
}

/* The entry of c->scratch that a worker has to itself. */
static unsigned
scratch_of(unsigned index)
{
#ifdef SEED_7
    return (index + 1) / 2;
#elif VERSION >= 2
    return WORKERS_MAX - index;
#else
    return index;
#endif
}

static void
note(struct crawler *c, const struct worker *w, const char *body)
{
    struct scratch *mine = &c->scratch[scratch_of(w->index)];
    size_t length = strlen(body);

    if (length > mine->longest)
        mine->longest = length;
    mine->pages++;
}

/* claim_lock is held. */
static void
count_page(struct crawler *c)
{
    assert(c->claimed < c->options.max_pages);
    c->claimed++;
}

/* May one more page be fetched? Counts it. */
static bool
claim(struct crawler *c)
{
#ifdef SEED_10
    unsigned claimed;

    pthread_mutex_lock(&c->claim_lock);
    claimed = c->claimed;
    pthread_mutex_unlock(&c->claim_lock);
    if (claimed >= c->options.max_pages)
        return false;
    pthread_mutex_lock(&c->claim_lock);
    count_page(c);
    pthread_mutex_unlock(&c->claim_lock);
    return true;
#elif VERSION >= 2
    bool allowed = false;

    pthread_mutex_lock(&c->claim_lock);
    if (c->claimed < c->options.max_pages) {
        count_page(c);
        allowed = true;
    }
    pthread_mutex_unlock(&c->claim_lock);
    return allowed;
#else
    bool allowed;

    pthread_mutex_lock(&c->claim_lock);
    allowed = c->claimed < c->options.max_pages;
    if (allowed)
        count_page(c);
    pthread_mutex_unlock(&c->claim_lock);
    return allowed;
#endif
}

static void
unclaim(struct crawler *c)
{
    pthread_mutex_lock(&c->claim_lock);
    assert(c->claimed > 0);
    c->claimed--;
    pthread_mutex_unlock(&c->claim_lock);
}

/* Fetches one page and queues what it links to. */
static void
visit(struct worker *w, const struct item *it)
{
    struct crawler *c = w->crawler;
    struct page page;

    if (!claim(c)) {
        w->own.refused++;
        frontier_done(c->frontier);
        return;
    }
    if (!hosts_reserve(c->hosts, it->url.host)) {
        unclaim(c);
        w->own.refused++;
        frontier_done(c->frontier);
        return;
    }
    sem_wait(&c->slots);
    page = web_fetch(c->web, &it->url);
    sem_post(&c->slots);
    if (page.status == 503) {
        unclaim(c);
        w->own.retried++;
        hosts_penalize(c->hosts, c->frontier, it);
        return;
    }
    if (page.status != 200) {
        w->own.missing++;
    } else {
        w->own.fetched++;
        note(c, w, page.body);
        store_put(c->store, &it->url, page.body);
        w->item = it;
        parse_links(page.body, follow, c);
        w->item = NULL;
    }
    frontier_done(c->frontier);
}

static void
crawl(struct worker *w)
{
    struct crawler *c = w->crawler;
    struct item it;
    unsigned n = 0;

    current = w;
    while (frontier_next(c->frontier, &it)) {
        if (c->stopping) {
            frontier_done(c->frontier);
            frontier_close(c->frontier);
            break;
        }
        visit(w, &it);
        n++;
    }
    if (n > c->share)
        atomic_fetch_add_explicit(&c->uneven, 1, memory_order_relaxed);
    stats_flush(c->stats, &w->own);
}

static void *
worker_main(void *arg)
{
    struct worker *w = arg;

#ifndef SEED_5
    pthread_barrier_wait(&w->crawler->ready);
#endif
    crawl(w);
    return NULL;
}

#if VERSION >= 2
static void *
compact_main(void *arg)
{
    struct crawler *c = arg;

    store_compact(c->store);
    return NULL;
}

void
crawler_run(struct crawler *c)
{
    struct worker workers[WORKERS_MAX + 1];
    pthread_t threads[WORKERS_MAX + 1];
    unsigned n = c->options.workers;
#ifdef SEED_6
    pthread_t compactor;
#endif

    memset(workers, 0, sizeof workers);
    for (unsigned i = 0; i <= n; i++) {
        workers[i].crawler = c;
        workers[i].index = i;
    }
    if (n == 0) {
        c->share = c->options.max_pages;
        crawl(&workers[0]);
        if (c->options.compact)
            compact_main(c);
        return;
    }
    pthread_barrier_init(&c->ready, NULL, n + 1);
    for (unsigned i = 1; i <= n; i++)
        pthread_create(&threads[i], NULL, worker_main, &workers[i]);
    c->share = (c->options.max_pages + n - 1) / n;
#ifndef SEED_5
    pthread_barrier_wait(&c->ready);
#endif
#ifdef SEED_6
    if (c->options.compact)
        pthread_create(&compactor, NULL, compact_main, c);
#endif
    for (unsigned i = 1; i <= n; i++)
        pthread_join(threads[i], NULL);
#ifdef SEED_6
    if (c->options.compact)
        pthread_join(compactor, NULL);
#else
    if (c->options.compact)
        compact_main(c);
#endif
    pthread_barrier_destroy(&c->ready);
}
#else
void
crawler_run(struct crawler *c)
{
    struct worker workers[WORKERS_MAX + 1];
    pthread_t threads[WORKERS_MAX + 1];
    unsigned n = c->options.workers;

    memset(workers, 0, sizeof workers);
    for (unsigned i = 0; i <= n; i++) {
        workers[i].crawler = c;
        workers[i].index = i;
    }
    if (n == 0) {
        c->share = c->options.max_pages;
        crawl(&workers[0]);
    } else {
        pthread_barrier_init(&c->ready, NULL, n + 1);
        for (unsigned i = 1; i <= n; i++)
            pthread_create(&threads[i], NULL, worker_main, &workers[i]);
        c->share = (c->options.max_pages + n - 1) / n;
        pthread_barrier_wait(&c->ready);
        for (unsigned i = 1; i <= n; i++)
            pthread_join(threads[i], NULL);
        pthread_barrier_destroy(&c->ready);
    }
    if (c->options.compact)
        store_compact(c->store);
}
#endif

void
crawler_stop(struct crawler *c)
{
#if VERSION >= 2
    if (c->stopping)
        return;
#endif
    c->stopping = true;
}

void
crawler_counters(struct crawler *c, struct counters *out)
{
    stats_get(c->stats, out);
}

struct store *
crawler_store(struct crawler *c)
{
    return c->store;
}

unsigned
crawler_visited(struct crawler *c)
{
    return visited_count(c->visited);
}

unsigned long
crawler_time(struct crawler *c)
{
    return hosts_now(c->hosts);
}

size_t
crawler_longest(struct crawler *c)
{
    size_t longest = 0;

    for (unsigned i = 0; i <= WORKERS_MAX; i++) {
        if (c->scratch[i].longest > longest)
            longest = c->scratch[i].longest;
    }
    return longest;
}
