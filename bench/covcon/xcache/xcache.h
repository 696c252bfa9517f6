/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xcache.h - which converter writes which type as XML, with a cache of the answers.
 *
 * Shared by all threads of a program; every function is atomic. Converters are known by numbers of
 * the caller and stand for all types whose name begins with their prefix. Types, aliases and fields
 * are names. Functions that answer int give zero or an error, unless they say what else.
 */
#ifndef XCACHE_H
#define XCACHE_H

#include <stdbool.h>
#include <stddef.h>

struct xcache;

enum xcache_error {
    XCACHE_ENOENT = -1, /* no such converter, alias or field */
    XCACHE_EEXIST = -2, /* the alias means another type */
    XCACHE_EINVAL = -3, /* not a converter's number */
    XCACHE_ENOMEM = -4
};

/* How references to an object written before are written. */
enum xcache_mode { XCACHE_NO_REFERENCES, XCACHE_ID_REFERENCES, XCACHE_XPATH_REFERENCES };

/* NULL when out of memory. */
struct xcache *xcache_new(enum xcache_mode mode);
void xcache_free(struct xcache *x);

void xcache_set_mode(struct xcache *x, enum xcache_mode mode) __attribute__((nonnull(1)));
enum xcache_mode xcache_mode(struct xcache *x) __attribute__((nonnull(1)));

/*
 * A converter for the types that begin with the prefix, NULL or "" for all. Its number is not
 * negative. Of several that fit a type the one with the highest priority is taken, of equal ones
 * the one registered last.
 */
int xcache_register(struct xcache *x, int converter, const char *prefix, int priority)
    __attribute__((nonnull(1)));
/* Removes a converter, wherever it is registered; how many times it was. */
int xcache_unregister(struct xcache *x, int converter) __attribute__((nonnull(1)));
int xcache_converter_count(struct xcache *x) __attribute__((nonnull(1)));
/* The converter of a type, or XCACHE_ENOENT. */
int xcache_lookup(struct xcache *x, const char *type) __attribute__((nonnull));

/* The answers of lookup are kept until a new converter might change them. */
bool xcache_is_cached(struct xcache *x, const char *type) __attribute__((nonnull));
int xcache_cached_count(struct xcache *x) __attribute__((nonnull(1)));
/* Lookups answered by the cache, and the others. */
void xcache_statistics(struct xcache *x, int *hits, int *misses) __attribute__((nonnull));
/* Forgets all answers; how many there were. */
int xcache_flush(struct xcache *x) __attribute__((nonnull(1)));

/* Another name for a type. A type may have many aliases, an alias means one type. */
int xcache_alias(struct xcache *x, const char *alias, const char *type) __attribute__((nonnull));
bool xcache_remove_alias(struct xcache *x, const char *alias) __attribute__((nonnull));
int xcache_alias_count(struct xcache *x) __attribute__((nonnull(1)));
/* The type an alias means, or the newest alias of a type; cut to fit, the length, or an error. */
int xcache_type_of(struct xcache *x, const char *alias, char *buf, size_t size)
    __attribute__((nonnull));
int xcache_alias_of(struct xcache *x, const char *type, char *buf, size_t size)
    __attribute__((nonnull));

/* Fields that are not written. */
int xcache_omit_field(struct xcache *x, const char *type, const char *field)
    __attribute__((nonnull));
bool xcache_is_omitted(struct xcache *x, const char *type, const char *field)
    __attribute__((nonnull));
int xcache_omitted_count(struct xcache *x) __attribute__((nonnull(1)));

#endif
