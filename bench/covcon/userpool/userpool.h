/* SPDX-License-Identifier: Apache-2.0 */
/*
 * userpool.h - a data source that keeps a pool of connections for each user.
 *
 * Safe for use by many threads; every function is atomic. Settings have defaults for all users and
 * may be overridden for one. A user is a name; NULL is the same as "". Limits below zero mean no
 * limit. Connections are numbers above zero; opening and closing them is up to the caller.
 */
#ifndef USERPOOL_H
#define USERPOOL_H

#include <stdbool.h>
#include <stddef.h>

struct userpool;

enum userpool_error {
    USERPOOL_ECLOSED = -1,    /* the data source was closed */
    USERPOOL_EEXHAUSTED = -2, /* as many connections as allowed are out */
    USERPOOL_EUNKNOWN = -3,   /* no such user or connection */
    USERPOOL_ENOMEM = -4
};

enum userpool_isolation {
    USERPOOL_READ_UNCOMMITTED,
    USERPOOL_READ_COMMITTED,
    USERPOOL_REPEATABLE_READ,
    USERPOOL_SERIALIZABLE
};

/* Connections a data source can have, of all users together. */
#define USERPOOL_MAX_CONNECTIONS 64

/* NULL when out of memory. */
struct userpool *userpool_new(void);
void userpool_free(struct userpool *p);

/* What holds for users without a setting of their own. */
void userpool_set_default_max_active(struct userpool *p, int n) __attribute__((nonnull(1)));
int userpool_default_max_active(struct userpool *p) __attribute__((nonnull(1)));
void userpool_set_default_max_idle(struct userpool *p, int n) __attribute__((nonnull(1)));
int userpool_default_max_idle(struct userpool *p) __attribute__((nonnull(1)));
void userpool_set_default_read_only(struct userpool *p, bool read_only) __attribute__((nonnull(1)));
bool userpool_default_read_only(struct userpool *p) __attribute__((nonnull(1)));

/* Settings of one user; asking for one that was never made answers the default. */
int userpool_set_user_max_active(struct userpool *p, const char *user, int n)
    __attribute__((nonnull(1)));
int userpool_user_max_active(struct userpool *p, const char *user) __attribute__((nonnull(1)));
int userpool_set_user_max_idle(struct userpool *p, const char *user, int n)
    __attribute__((nonnull(1)));
int userpool_user_max_idle(struct userpool *p, const char *user) __attribute__((nonnull(1)));
int userpool_set_user_read_only(struct userpool *p, const char *user, bool read_only)
    __attribute__((nonnull(1)));
bool userpool_user_read_only(struct userpool *p, const char *user) __attribute__((nonnull(1)));
int userpool_set_user_isolation(struct userpool *p, const char *user,
                                enum userpool_isolation isolation) __attribute__((nonnull(1)));
/* USERPOOL_READ_COMMITTED by default. */
enum userpool_isolation userpool_user_isolation(struct userpool *p, const char *user)
    __attribute__((nonnull(1)));
/* Forgets all settings of a user; how many there were. */
int userpool_clear_user(struct userpool *p, const char *user) __attribute__((nonnull(1)));

/* A connection for the user, an idle one or a new one; its number, or an error. */
int userpool_borrow(struct userpool *p, const char *user) __attribute__((nonnull(1)));
/* Gives it back. It stays in the pool unless that has enough idle ones. */
int userpool_give_back(struct userpool *p, int connection) __attribute__((nonnull(1)));
int userpool_num_active(struct userpool *p, const char *user) __attribute__((nonnull(1)));
int userpool_num_idle(struct userpool *p, const char *user) __attribute__((nonnull(1)));
int userpool_total(struct userpool *p) __attribute__((nonnull(1)));
/* Copies the name of a connection's user, cut to fit; its length, or USERPOOL_EUNKNOWN. */
int userpool_user_of(struct userpool *p, int connection, char *buf, size_t size)
    __attribute__((nonnull(1, 3)));
/* Drops all idle connections; how many. */
int userpool_evict(struct userpool *p) __attribute__((nonnull(1)));

/* Drops idle connections; those that are out are dropped when given back. */
void userpool_close(struct userpool *p) __attribute__((nonnull(1)));
bool userpool_is_closed(struct userpool *p) __attribute__((nonnull(1)));

#endif
