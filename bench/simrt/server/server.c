/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - the workers, and how a request is served.
 *
 * Version 2 serves HEAD, has a function for each method, and starts its workers in a function of
 * its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

#define WORKERS_MAX 3
#define TEXT_LENGTH 96

struct worker {
    struct server *server;
    pthread_t thread;
    unsigned given;  /* number that it was started with */
    unsigned number; /* set by the worker before it is ready */
    struct totals own;
};

struct server {
    struct server_options options;
    struct listener *listener;
    struct tree *tree;
    struct cache *cache;
    struct sessions *sessions;
    struct filters *filters;
    struct access_log *log;
    struct worker workers[WORKERS_MAX];
    struct totals totals;
    _Atomic unsigned active;
    _Atomic bool running;
    pthread_mutex_t lock; /* guards n_ready */
    pthread_cond_t ready;
    unsigned n_ready;
    unsigned starting; /* worker that is being started */
    unsigned numbers;  /* sum of the numbers of all workers */
};

const struct server_options server_defaults = {
    .workers = 1,
    .backlog = 4,
    .cache = 2,
    .lifetime = 10,
};

static pthread_once_t name_once = PTHREAD_ONCE_INIT;
static char name_text[16];
static _Thread_local char scratch[TEXT_LENGTH];

static void
make_name(void)
{
    snprintf(name_text, sizeof name_text, "simrt/%d", 1);
}

const char *
server_name(void)
{
    pthread_once(&name_once, make_name);
    return name_text;
}

struct server *
server_new(const struct server_options *opts)
{
    struct server *s = calloc(1, sizeof *s);

    if (s == NULL)
        return NULL;
    s->options = *opts;
    if (s->options.workers > WORKERS_MAX)
        s->options.workers = WORKERS_MAX;
    s->listener = listener_new(opts->backlog);
    s->tree = tree_new();
    s->cache = cache_new(opts->cache);
    s->sessions = sessions_new(opts->lifetime);
    s->filters = filters_new();
    s->log = access_log_new();
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->ready, NULL);
    return s;
}

void
server_free(struct server *s)
{
    listener_free(s->listener);
    tree_free(s->tree);
    cache_free(s->cache);
    sessions_free(s->sessions);
    filters_free(s->filters);
    access_log_free(s->log);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->ready);
    free(s);
}

static int
serve_get(struct server *s, const struct request *rq, struct response *rs)
{
    if (cache_get(s->cache, rq->path, rs->body, sizeof rs->body))
        return 200;
    if (!tree_get(s->tree, rq->path, rs->body, sizeof rs->body))
        return 404;
    cache_put(s->cache, rq->path, rs->body);
    return 200;
}

/* "/login/NAME" and "/whoami". False: it is no such path. */
static bool
serve_session(struct server *s, const struct request *rq, struct response *rs)
{
    if (strncmp(rq->path, "/login/", 7) == 0) {
        rs->session = sessions_open(s->sessions, rq->path + 7);
        rs->status = rs->session != 0 ? 200 : 503;
        return true;
    }
    if (strcmp(rq->path, "/whoami") == 0) {
        bool known = sessions_user(s->sessions, rq->session, rs->body, sizeof rs->body);

        rs->status = known ? 200 : 401;
        return true;
    }
    return false;
}

#if VERSION >= 2
static int
serve_put(struct server *s, const struct request *rq)
{
    int status = tree_put(s->tree, rq->path, rq->body) ? 201 : 507;

    if (status == 201)
        cache_drop(s->cache, rq->path);
    return status;
}

static int
serve_delete(struct server *s, const struct request *rq)
{
    int status = tree_remove(s->tree, rq->path) ? 204 : 404;

    cache_drop(s->cache, rq->path);
    return status;
}

void
server_handle(struct server *s, const struct request *rq, struct response *rs)
{
    atomic_fetch_add(&s->active, 1);
    memset(rs, 0, sizeof *rs);
    if (rq->method == METHOD_UNKNOWN) {
        rs->status = 400;
    } else if (filters_run(s->filters, rq) == DENY) {
        rs->status = 403;
    } else if (!serve_session(s, rq, rs)) {
        if (rq->method == METHOD_PUT)
            rs->status = serve_put(s, rq);
        else if (rq->method == METHOD_DELETE)
            rs->status = serve_delete(s, rq);
        else
            rs->status = serve_get(s, rq, rs);
        if (rq->method == METHOD_HEAD)
            rs->body[0] = 0;
    }
    access_log_add(s->log, rq->path, rs->status);
    atomic_fetch_sub(&s->active, 1);
}
#else
void
server_handle(struct server *s, const struct request *rq, struct response *rs)
{
    atomic_fetch_add(&s->active, 1);
    memset(rs, 0, sizeof *rs);
    if (rq->method == METHOD_UNKNOWN) {
        rs->status = 400;
    } else if (filters_run(s->filters, rq) == DENY) {
        rs->status = 403;
    } else if (!serve_session(s, rq, rs)) {
        switch (rq->method) {
        case METHOD_PUT:
            rs->status = tree_put(s->tree, rq->path, rq->body) ? 201 : 507;
            if (rs->status == 201)
                cache_drop(s->cache, rq->path);
            break;
        case METHOD_DELETE:
            rs->status = tree_remove(s->tree, rq->path) ? 204 : 404;
            cache_drop(s->cache, rq->path);
            break;
        default:
            rs->status = serve_get(s, rq, rs);
            break;
        }
    }
    access_log_add(s->log, rq->path, rs->status);
    atomic_fetch_sub(&s->active, 1);
}
#endif

static void
account(struct worker *w, const struct response *rs)
{
    if (rs->status == 403)
        w->own.denied++;
    else if (rs->status >= 400)
        w->own.errors++;
    else
        w->own.served++;
    w->own.bytes += (unsigned)strlen(rs->body);
}

/* Serves a connection until its client has had enough. */
static void
serve(struct worker *w, struct connection *c)
{
    struct request rq;
    struct response rs;

    while (connection_read(c, scratch, sizeof scratch)) {
        request_parse(&rq, scratch);
        server_handle(w->server, &rq, &rs);
        account(w, &rs);
        response_format(&rs, scratch, sizeof scratch);
        connection_write(c, scratch);
        if (!rq.keep)
            break;
    }
}

static void
run_worker(struct server *s, struct worker *w, unsigned number)
{
    struct connection *c;

    w->number = number + 1;
    pthread_mutex_lock(&s->lock);
    s->n_ready++;
    pthread_cond_signal(&s->ready);
    pthread_mutex_unlock(&s->lock);
    while ((c = listener_accept(s->listener)) != NULL)
        serve(w, c);
}

static void *
worker_main(void *arg)
{
    struct worker *w = arg;

#ifdef SEED_6
    run_worker(w->server, w, w->server->starting);
#elif VERSION >= 2
    run_worker(w->server, w, w->given);
#else
    run_worker(w->server, w, (unsigned)(w - w->server->workers));
#endif
    return NULL;
}

static void
wait_until_ready(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->n_ready < s->options.workers)
        pthread_cond_wait(&s->ready, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

#if VERSION >= 2
static void
start_workers(struct server *s)
{
    for (unsigned i = 0; i < s->options.workers; i++) {
        struct worker *w = &s->workers[i];

        w->server = s;
#ifdef SEED_6
        s->starting = i;
#else
        w->given = i;
#endif
        pthread_create(&w->thread, NULL, worker_main, w);
    }
}

void
server_start(struct server *s)
{
    unsigned sum = 0;

    start_workers(s);
#ifdef SEED_5
    if (s->options.monitor)
        wait_until_ready(s);
#else
    wait_until_ready(s);
#endif
    for (unsigned i = 0; i < s->options.workers; i++)
        sum += s->workers[i].number;
    s->numbers = sum;
    atomic_store(&s->running, true);
}
#else
void
server_start(struct server *s)
{
    for (unsigned i = 0; i < s->options.workers; i++) {
        s->workers[i].server = s;
        pthread_create(&s->workers[i].thread, NULL, worker_main, &s->workers[i]);
    }
    wait_until_ready(s);
    s->numbers = 0;
    for (unsigned i = 0; i < s->options.workers; i++)
        s->numbers += s->workers[i].number;
    atomic_store(&s->running, true);
}
#endif

void
server_stop(struct server *s)
{
    listener_stop(s->listener);
    for (unsigned i = 0; i < s->options.workers; i++) {
        const struct totals *own = &s->workers[i].own;

        pthread_join(s->workers[i].thread, NULL);
        s->totals.served += own->served;
        s->totals.denied += own->denied;
        s->totals.errors += own->errors;
        s->totals.bytes += own->bytes;
    }
    if (s->options.monitor)
        s->totals.logged = access_log_count(s->log);
    atomic_store(&s->running, false);
}

bool
server_connect(struct server *s, struct connection *c)
{
    return listener_connect(s->listener, c);
}

void
server_totals(struct server *s, struct totals *out)
{
    *out = s->totals;
}

unsigned
server_active(struct server *s)
{
    return atomic_load(&s->active);
}

bool
server_is_ready(struct server *s)
{
    return atomic_load(&s->running);
}

struct tree *
server_tree(struct server *s)
{
    return s->tree;
}

struct sessions *
server_sessions(struct server *s)
{
    return s->sessions;
}

struct filters *
server_filters(struct server *s)
{
    return s->filters;
}

struct access_log *
server_log(struct server *s)
{
    return s->log;
}

struct cache *
server_cache(struct server *s)
{
    return s->cache;
}
