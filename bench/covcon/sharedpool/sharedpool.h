/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharedpool.h - a data source with one pool of connections that all users share.
 *
 * Safe for use by many threads; every function is atomic. Data sources that are open are listed in
 * a registry of the process under a key of their own, by which others refer to them. Limits below
 * zero mean no limit. Connections are numbers above zero; opening and closing them is up to the
 * caller. Functions that answer int give zero or an error, unless they say what else.
 */
#ifndef SHAREDPOOL_H
#define SHAREDPOOL_H

#include <stdbool.h>
#include <stddef.h>

struct sharedpool;

enum sharedpool_error {
    SHAREDPOOL_ECLOSED = -1,    /* the data source is closed */
    SHAREDPOOL_EEXHAUSTED = -2, /* as many connections as allowed are out */
    SHAREDPOOL_EUNKNOWN = -3,   /* no such connection */
    SHAREDPOOL_ENOMEM = -4
};

enum sharedpool_isolation {
    SHAREDPOOL_READ_UNCOMMITTED,
    SHAREDPOOL_READ_COMMITTED,
    SHAREDPOOL_REPEATABLE_READ,
    SHAREDPOOL_SERIALIZABLE
};

/* Connections a data source can have. */
#define SHAREDPOOL_MAX_CONNECTIONS 32
/* Longer descriptions and queries are cut, closing zero included. */
#define SHAREDPOOL_MAX_TEXT 48

/* An open data source. The description may be NULL; the result is, when out of memory. */
struct sharedpool *sharedpool_new(const char *description);
void sharedpool_free(struct sharedpool *p);

/* Data sources of the process that are open. */
int sharedpool_instances(void);

void sharedpool_set_max_active(struct sharedpool *p, int n) __attribute__((nonnull(1)));
int sharedpool_max_active(struct sharedpool *p) __attribute__((nonnull(1)));
void sharedpool_set_max_idle(struct sharedpool *p, int n) __attribute__((nonnull(1)));
int sharedpool_max_idle(struct sharedpool *p) __attribute__((nonnull(1)));
void sharedpool_set_login_timeout(struct sharedpool *p, int seconds) __attribute__((nonnull(1)));
int sharedpool_login_timeout(struct sharedpool *p) __attribute__((nonnull(1)));
void sharedpool_set_auto_commit(struct sharedpool *p, bool on) __attribute__((nonnull(1)));
bool sharedpool_auto_commit(struct sharedpool *p) __attribute__((nonnull(1)));
void sharedpool_set_isolation(struct sharedpool *p, enum sharedpool_isolation isolation)
    __attribute__((nonnull(1)));
enum sharedpool_isolation sharedpool_isolation(struct sharedpool *p) __attribute__((nonnull(1)));

/* Texts may be NULL, for none. Reading one copies it, cut to fit, and answers its length. */
void sharedpool_set_description(struct sharedpool *p, const char *text) __attribute__((nonnull(1)));
int sharedpool_description(struct sharedpool *p, char *buf, size_t size)
    __attribute__((nonnull(1, 2)));
void sharedpool_set_validation_query(struct sharedpool *p, const char *text)
    __attribute__((nonnull(1)));
int sharedpool_validation_query(struct sharedpool *p, char *buf, size_t size)
    __attribute__((nonnull(1, 2)));

/* The number of a connection, an idle one or a new one, or an error. */
int sharedpool_borrow(struct sharedpool *p) __attribute__((nonnull(1)));
int sharedpool_give_back(struct sharedpool *p, int connection) __attribute__((nonnull(1)));
int sharedpool_num_active(struct sharedpool *p) __attribute__((nonnull(1)));
int sharedpool_num_idle(struct sharedpool *p) __attribute__((nonnull(1)));
/* Drops all idle connections; how many. */
int sharedpool_evict(struct sharedpool *p) __attribute__((nonnull(1)));

/* The key in the registry, above zero, or SHAREDPOOL_ECLOSED. */
int sharedpool_reference(struct sharedpool *p) __attribute__((nonnull(1)));
/* Drops idle connections and leaves the registry; SHAREDPOOL_ECLOSED when it was closed. */
int sharedpool_close(struct sharedpool *p) __attribute__((nonnull(1)));
/* Opens a closed data source, with a new key; nothing happens to an open one. */
int sharedpool_reopen(struct sharedpool *p) __attribute__((nonnull(1)));
bool sharedpool_is_closed(struct sharedpool *p) __attribute__((nonnull(1)));

#endif
