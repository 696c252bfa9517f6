/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - a web server: connections in memory, a pool of workers, a tree of resources, a cache,
 * sessions, filters, an access log.
 *
 * All functions are thread-safe unless their comment says otherwise; constructors return NULL
 * when there is no memory, destructors need exclusive use of the object.
 */
#ifndef SERVER_H
#define SERVER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "../large.h"

#define PATH_LENGTH 32
#define BODY_LENGTH 48
#define USER_LENGTH 12

/* ---- requests and responses; pure functions */

enum method { METHOD_GET, METHOD_HEAD, METHOD_PUT, METHOD_DELETE, METHOD_UNKNOWN };

struct request {
    enum method method;
    char path[PATH_LENGTH];
    unsigned session; /* 0 none */
    bool keep;        /* the connection stays open */
    char body[BODY_LENGTH];
};

struct response {
    int status;
    unsigned session;
    char body[BODY_LENGTH];
};

/* "GET /path?session=3 keep\nbody"; false: it is none, and r->method is unknown. */
bool request_parse(struct request *r, const char *text);
/* "200 body"; returns its length. */
size_t response_format(const struct response *r, char *out, size_t size);
const char *method_name(enum method m);

/* ---- connections: two slots, one for each direction */

struct connection;
struct connection *connection_new(void);
void connection_free(struct connection *c);
/* The client's side: sends a request; receives the response, waiting for it. */
void connection_send(struct connection *c, const char *text);
bool connection_receive(struct connection *c, char *out, size_t size);
/* The server's side: waits for a request; false: the client has closed. */
bool connection_read(struct connection *c, char *out, size_t size);
void connection_write(struct connection *c, const char *text);
/* Either side; wakes the other one. */
void connection_close(struct connection *c);

/* A fixed number of connections that clients borrow. */
struct pool;
struct pool *pool_new(unsigned n);
void pool_free(struct pool *p);
/* Waits until there is one. */
struct connection *pool_take(struct pool *p);
/* NULL: all are in use. */
struct connection *pool_try_take(struct pool *p);
void pool_give(struct pool *p, struct connection *c);

/* ---- the listener: connections that wait for a worker */

struct listener;
struct listener *listener_new(unsigned backlog);
void listener_free(struct listener *l);
/* False: stopped, or the backlog is full. */
bool listener_connect(struct listener *l, struct connection *c);
/* Waits; NULL: stopped and nothing left. */
struct connection *listener_accept(struct listener *l);
void listener_stop(struct listener *l);
unsigned listener_refused(struct listener *l);

/* ---- resources: a tree of directories with a lock each */

struct tree;
struct tree *tree_new(void);
void tree_free(struct tree *t);
/* Makes directories as needed. False: the path is none, or there is no room. */
bool tree_put(struct tree *t, const char *path, const char *body);
bool tree_get(struct tree *t, const char *path, char *out, size_t size);
bool tree_remove(struct tree *t, const char *path);
/* Moves a resource from one directory to another. */
bool tree_move(struct tree *t, const char *from, const char *to);
unsigned tree_count(struct tree *t, const char *directory);
/* Changes of the tree so far. */
unsigned tree_version(struct tree *t);

/* ---- the cache, with eviction of what was used longest ago */

struct cache;
struct cache *cache_new(unsigned capacity);
void cache_free(struct cache *c);
bool cache_get(struct cache *c, const char *path, char *out, size_t size);
void cache_put(struct cache *c, const char *path, const char *body);
void cache_drop(struct cache *c, const char *path);
unsigned cache_size(struct cache *c);
unsigned cache_hits(struct cache *c);
unsigned cache_evictions(struct cache *c);

/* ---- sessions; expire in virtual time */

struct sessions;
struct sessions *sessions_new(unsigned lifetime);
void sessions_free(struct sessions *s);
/* A new session; 0: there is no room. */
unsigned sessions_open(struct sessions *s, const char *user);
/* False: unknown or expired. Renews it. */
bool sessions_user(struct sessions *s, unsigned id, char *out, size_t size);
bool sessions_close(struct sessions *s, unsigned id);
/* Time goes on; returns how many expired. */
unsigned sessions_tick(struct sessions *s, unsigned long by);
unsigned sessions_count(struct sessions *s);

/* ---- the access log: a ring, written without a lock, each thread in the slot that it reserved */

struct access_log;
struct access_log *access_log_new(void);
void access_log_free(struct access_log *a);
void access_log_add(struct access_log *a, const char *path, int status);
/* Entries that are complete. */
unsigned access_log_count(struct access_log *a);
/* Copies the path of entry `i`; false: it is not complete. */
bool access_log_path(struct access_log *a, unsigned i, char *out, size_t size);
int access_log_status(struct access_log *a, unsigned i);

/* ---- filters: run before a request is served, in order */

enum verdict { PASS, DENY };
typedef enum verdict filter_fn(void *arg, const struct request *r);
struct filters;
struct filters *filters_new(void);
void filters_free(struct filters *f);
bool filters_add(struct filters *f, filter_fn *fn, void *arg);
bool filters_remove(struct filters *f, filter_fn *fn, void *arg);
enum verdict filters_run(struct filters *f, const struct request *r);
unsigned filters_denied(struct filters *f);

/* ---- the server */

struct server_options {
    unsigned workers;
    unsigned backlog;
    unsigned cache;
    unsigned lifetime;
    bool monitor; /* collects totals when the server stops */
};
extern const struct server_options server_defaults;

struct totals {
    unsigned served;
    unsigned denied;
    unsigned errors;
    unsigned bytes;
    unsigned logged; /* with options.monitor */
};

struct server;
struct server *server_new(const struct server_options *opts);
/* After server_stop(), or when it was never started. */
void server_free(struct server *s);
void server_start(struct server *s);
/* Serves what is connected, then returns. Once. */
void server_stop(struct server *s);
/* Serves one request in the calling thread. */
void server_handle(struct server *s, const struct request *rq, struct response *rs);
bool server_connect(struct server *s, struct connection *c);
/* After server_stop(). */
void server_totals(struct server *s, struct totals *out);
/* Requests that are being served. */
unsigned server_active(struct server *s);
bool server_is_ready(struct server *s);
struct tree *server_tree(struct server *s);
struct sessions *server_sessions(struct server *s);
struct filters *server_filters(struct server *s);
struct access_log *server_log(struct server *s);
struct cache *server_cache(struct server *s);
/* The name in the header of all responses, computed once per process. */
const char *server_name(void);

#endif
