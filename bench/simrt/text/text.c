/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - character tests by a table that is built once; a pool of interned strings, a cache of
 * parsed formats and builders behind mutexes; quoting in a buffer per thread.
 *
 * VERSION 2 counts lookups in the pool, knows punctuation, formats with a fill character, lets
 * builders grow by half and writes numbers without snprintf().
 */
#include "text.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../versions.h"

#ifdef HARMLESS
#define last_kept end_of_text
#define n_hits found_so_far
/* As if a long comment had been written here. */
#line 200
#endif

/* ---- character classes ---------------------------------------------------------------------- */

enum { CLASS_SPACE = 1, CLASS_DIGIT = 2, CLASS_UPPER = 4, CLASS_LOWER = 8, CLASS_PUNCT = 16 };

static unsigned char classes[128];
#if !defined SEED_4
static pthread_once_t classes_once = PTHREAD_ONCE_INIT;
#endif

static void
mark(const char *members, unsigned char class)
{
    for (; *members != '\0'; members++)
        classes[(unsigned char)*members] |= class;
}

static void
build_classes(void)
{
    mark(" \t\n", CLASS_SPACE);
    mark("0123456789", CLASS_DIGIT);
    mark("ABCDEFGHIJKLMNOPQRSTUVWXYZ", CLASS_UPPER);
    mark("abcdefghijklmnopqrstuvwxyz", CLASS_LOWER);
#if VERSION >= 2
    mark(".,;:!?", CLASS_PUNCT);
#endif
}

static unsigned
class_of(char c)
{
#ifdef SEED_4
    static bool built;

    if (!built) {
        build_classes();
        built = true;
    }
#else
    pthread_once(&classes_once, build_classes);
#endif
    return (unsigned char)c < sizeof classes ? classes[(unsigned char)c] : 0;
}

/* ---- memory --------------------------------------------------------------------------------- */

static void *
must(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

static char *
copy_of(const char *s, size_t n)
{
    char *copy = must(malloc(n + 1));

    memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}

/* ---- plain functions ------------------------------------------------------------------------ */

#if VERSION >= 2 || defined HARMLESS
size_t
text_count_matches(const char *s, const char *part)
{
    size_t n_hits = 0;

    if (*part == '\0')
        return 0;
    for (s = strstr(s, part); s != NULL; s = strstr(s + strlen(part), part))
        n_hits++;
    return n_hits;
}
#endif

bool
text_is_blank(const char *s)
{
    while (*s != '\0') {
        if ((class_of(*s) & CLASS_SPACE) == 0)
            return false;
        s++;
    }
    return true;
}

bool
text_is_numeric(const char *s)
{
    if (*s == '\0')
        return false;
    for (; *s != '\0'; s++) {
        if ((class_of(*s) & CLASS_DIGIT) == 0)
            return false;
    }
    return true;
}

char *
text_strip(const char *s)
{
    size_t last_kept = strlen(s);

    while (*s != '\0' && (class_of(*s) & CLASS_SPACE) != 0) {
        s++;
        last_kept--;
    }
    while (last_kept > 0 && (class_of(s[last_kept - 1]) & CLASS_SPACE) != 0)
        last_kept--;
    return copy_of(s, last_kept);
}

char *
text_capitalize(const char *s)
{
    char *copy = copy_of(s, strlen(s));

    if ((class_of(copy[0]) & CLASS_LOWER) != 0)
        copy[0] = (char)(copy[0] - 'a' + 'A');
    return copy;
}

char *
text_reverse(const char *s)
{
    const size_t n = strlen(s);
    char *copy = copy_of(s, n);

    for (size_t i = 0; i < n; i++)
        copy[i] = s[n - 1 - i];
    return copy;
}

char *
text_repeat(const char *s, unsigned times)
{
    const size_t n = strlen(s);
    char *copy = must(malloc(n * times + 1));

    for (unsigned i = 0; i < times; i++)
        memcpy(copy + i * n, s, n);
    copy[n * times] = '\0';
    return copy;
}

#if VERSION < 2 && !defined HARMLESS
size_t
text_count_matches(const char *s, const char *part)
{
    size_t n_hits = 0;

    if (*part == '\0')
        return 0;
    for (s = strstr(s, part); s != NULL; s = strstr(s + strlen(part), part))
        n_hits++;
    return n_hits;
}
#endif

/* ---- quoting -------------------------------------------------------------------------------- */

#define QUOTE_MAX 64

#if defined SEED_5
static char quoted[QUOTE_MAX];
#else
static _Thread_local char quoted[QUOTE_MAX];
#endif

const char *
text_quote(const char *s)
{
    size_t n = 0;

    quoted[n++] = '"';
    for (; *s != '\0' && n < QUOTE_MAX - 4; s++) {
#if VERSION >= 2
        if (*s == '\n') {
            quoted[n++] = '\\';
            quoted[n++] = 'n';
            continue;
        }
#endif
        if (*s == '"' || *s == '\\')
            quoted[n++] = '\\';
        quoted[n++] = *s;
    }
    quoted[n++] = '"';
    quoted[n] = '\0';
    return quoted;
}

/* ---- interned strings ----------------------------------------------------------------------- */

#define POOL_BUCKETS 8

struct interned {
    struct interned *next;
    size_t length;
    char text[];
};

static struct {
    pthread_mutex_t lock; /* of everything below */
    struct interned *buckets[POOL_BUCKETS];
    size_t count;
    unsigned long lookups;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

static unsigned
hash_of(const char *s)
{
    unsigned h = 0;

    while (*s != '\0')
        h = h * 31 + (unsigned char)*s++;
    return h;
}

static struct interned *
find_interned(unsigned hash, const char *s, size_t length)
{
    struct interned *e = pool.buckets[hash % POOL_BUCKETS];

    while (e != NULL && (e->length != length || memcmp(e->text, s, length) != 0))
        e = e->next;
    return e;
}

const char *
text_intern(const char *s)
{
    const unsigned hash = hash_of(s);
    const size_t length = strlen(s);
    struct interned *e;

#ifdef SEED_1
    pool.lookups++;
#endif
    pthread_mutex_lock(&pool.lock);
#if VERSION >= 2 && !defined SEED_1
    pool.lookups++;
#endif
    e = find_interned(hash, s, length);
    if (e == NULL) {
        e = must(malloc(sizeof *e + length + 1));
        memcpy(e->text, s, length + 1);
        e->length = length;
        e->next = pool.buckets[hash % POOL_BUCKETS];
        pool.buckets[hash % POOL_BUCKETS] = e;
        pool.count++;
    }
    pthread_mutex_unlock(&pool.lock);
    return e->text;
}

size_t
text_intern_count(void)
{
    size_t n;

    pthread_mutex_lock(&pool.lock);
    n = pool.count;
    pthread_mutex_unlock(&pool.lock);
    return n;
}

unsigned long
text_intern_lookups(void)
{
    unsigned long n;

    pthread_mutex_lock(&pool.lock);
    n = pool.lookups;
    pthread_mutex_unlock(&pool.lock);
    return n;
}

/* ---- formats -------------------------------------------------------------------------------- */

#define FORMAT_MAX 24
#define CACHE_MAX 8

struct text_format {
    char pattern[FORMAT_MAX];
    char suffix[FORMAT_MAX];
    size_t prefix; /* characters of the pattern before the braces */
    int width;
#if VERSION >= 2
    char fill;
#endif
};

static struct {
    pthread_mutex_t lock; /* of everything below; the formats themselves do not change */
    struct text_format *formats[CACHE_MAX];
    size_t count;
    unsigned long uses;
} cache = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct text_format *
parse_format(const char *pattern)
{
    struct text_format *f = must(calloc(1, sizeof *f));
    const char *open = strchr(pattern, '{');
    const char *close = open != NULL ? strchr(open, '}') : NULL;

    snprintf(f->pattern, sizeof f->pattern, "%s", pattern);
    f->prefix = strlen(f->pattern);
    if (close != NULL) {
        f->prefix = (size_t)(open - pattern);
        f->width = atoi(open + 1);
        snprintf(f->suffix, sizeof f->suffix, "%s", close + 1);
#if VERSION >= 2
        f->fill = open[1] == '0' ? '0' : ' ';
#endif
    }
    return f;
}

/* Needs the lock. NULL if the pattern was not parsed before. */
static const struct text_format *
cached_format(const char *pattern)
{
    cache.uses++;
    for (size_t i = 0; i < cache.count; i++) {
        if (strcmp(cache.formats[i]->pattern, pattern) == 0)
            return cache.formats[i];
    }
    return NULL;
}

const struct text_format *
text_format_get(const char *pattern)
{
    const struct text_format *f;
    struct text_format *parsed;

#if VERSION >= 2
    /* The empty pattern has one constant format, which needs no cache. */
    static const struct text_format empty = { .fill = ' ' };
    const size_t length = strlen(pattern);
    bool constant = length == 0;

#ifdef SEED_6
    constant = length < 3;
#endif
    if (constant && length == 0)
        return &empty;
    if (!constant)
        pthread_mutex_lock(&cache.lock);
    f = cached_format(pattern);
#ifdef SEED_7
    /* Parsing takes long; other threads need not wait for it. */
    if (!constant && f == NULL) {
        pthread_mutex_unlock(&cache.lock);
        parsed = parse_format(pattern);
        pthread_mutex_lock(&cache.lock);
        if (cache.count < CACHE_MAX)
            cache.formats[cache.count++] = parsed;
        f = parsed;
    }
#endif
    if (f == NULL) {
        parsed = parse_format(pattern);
        if (cache.count < CACHE_MAX)
            cache.formats[cache.count++] = parsed;
        f = parsed;
    }
    if (!constant)
        pthread_mutex_unlock(&cache.lock);
#else
    pthread_mutex_lock(&cache.lock);
    f = cached_format(pattern);
    if (f == NULL) {
        parsed = parse_format(pattern);
        if (cache.count < CACHE_MAX)
            cache.formats[cache.count++] = parsed;
        f = parsed;
    }
    pthread_mutex_unlock(&cache.lock);
#endif
    return f;
}

char *
text_format_apply(const struct text_format *f, int value)
{
    char digits[FORMAT_MAX];
    char *out = must(malloc(3 * FORMAT_MAX));

    snprintf(digits, sizeof digits, "%*d", f->width, value);
#if VERSION >= 2
    for (char *p = digits; f->fill != ' ' && *p == ' '; p++)
        *p = f->fill;
#else
    for (char *p = digits; f->width > 0 && *p == ' '; p++)
        *p = '0';
#endif
    snprintf(out, 3 * FORMAT_MAX, "%.*s%s%s", (int)f->prefix, f->pattern, digits, f->suffix);
    return out;
}

size_t
text_format_count(void)
{
    size_t n;

    pthread_mutex_lock(&cache.lock);
    n = cache.count;
    pthread_mutex_unlock(&cache.lock);
    return n;
}

void
text_reset(void)
{
    for (size_t i = 0; i < POOL_BUCKETS; i++) {
        while (pool.buckets[i] != NULL) {
            struct interned *e = pool.buckets[i];

            pool.buckets[i] = e->next;
            free(e);
        }
    }
    pool.count = 0;
    while (cache.count > 0)
        free(cache.formats[--cache.count]);
}
