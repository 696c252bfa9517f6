/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xcache.c - see xcache.h.
 *
 * One mutex guards everything. Converters are in a list, best first; answers of lookups are in a
 * small hash table, since a lookup is made for each object written. Functions named _locked
 * expect the lock held.
 */
#include "xcache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define N_BUCKETS 16

struct converter {
    struct converter *next; /* of the same or a lower priority */
    int id;
    int priority;
    char prefix[];
};

struct answer {
    struct answer *next;
    int converter;
    char type[];
};

/* Two names that belong together: alias and type, or type and field. */
struct names {
    struct names *next;
    char *first;
    char *second;
};

struct xcache {
    pthread_mutex_t lock;
    enum xcache_mode mode;
    struct converter *converters;
    struct answer *buckets[N_BUCKETS];
    int cached;
    int hits;
    int misses;
    struct names *aliases;
    struct names *omitted;
};

static bool
begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static struct answer **
bucket_of(struct xcache *x, const char *type)
{
    unsigned hash = 5381;

    for (const char *c = type; *c != '\0'; c++)
        hash = hash * 33 + (unsigned char)*c;
    return &x->buckets[hash % N_BUCKETS];
}

/* Forgets the answers for types that begin with the prefix; how many. */
static int
drop_answers(struct xcache *x, const char *prefix)
{
    int n = 0;

    for (int b = 0; b < N_BUCKETS; b++) {
        struct answer **link = &x->buckets[b];

        while (*link != NULL) {
            struct answer *a = *link;

            if (begins_with(a->type, prefix)) {
                *link = a->next;
                free(a);
                x->cached--;
                n++;
            } else {
                link = &a->next;
            }
        }
    }
    return n;
}

static struct answer *
find_answer_locked(struct xcache *x, const char *type)
{
    for (struct answer *a = *bucket_of(x, type); a != NULL; a = a->next)
        if (strcmp(a->type, type) == 0)
            return a;
    return NULL;
}

/* Without memory there is no answer kept, which costs time only. */
static void
keep_answer_locked(struct xcache *x, const char *type, int converter)
{
    size_t size = strlen(type) + 1;
    struct answer *a = malloc(sizeof *a + size);
    struct answer **bucket = bucket_of(x, type);

    if (a == NULL)
        return;
    a->converter = converter;
    memcpy(a->type, type, size);
    a->next = *bucket;
    *bucket = a;
    x->cached++;
}

/* Adds a pair of names in front of a list. */
static int
add_names_locked(struct names **list, const char *first, const char *second)
{
    size_t first_size = strlen(first) + 1;
    size_t second_size = strlen(second) + 1;
    struct names *n = malloc(sizeof *n + first_size + second_size);

    if (n == NULL)
        return XCACHE_ENOMEM;
    n->first = memcpy((char *)(n + 1), first, first_size);
    n->second = memcpy((char *)(n + 1) + first_size, second, second_size);
    n->next = *list;
    *list = n;
    return 0;
}

static void
free_names(struct names *list)
{
    while (list != NULL) {
        struct names *next = list->next;

        free(list);
        list = next;
    }
}

/* The link to the first pair with these names, NULL for any; it points to NULL if there is none. */
static struct names **
find_names_locked(struct names **list, const char *first, const char *second)
{
    while (*list != NULL && ((first != NULL && strcmp((*list)->first, first) != 0) ||
                             (second != NULL && strcmp((*list)->second, second) != 0)))
        list = &(*list)->next;
    return list;
}

static int
count_names(struct xcache *x, struct names *const *list)
{
    int count = 0;

    pthread_mutex_lock(&x->lock);
    for (const struct names *n = *list; n != NULL; n = n->next)
        count++;
    pthread_mutex_unlock(&x->lock);
    return count;
}

static int
copy_name(const char *name, char *buf, size_t size)
{
    size_t full = strlen(name);

    if (size > 0) {
        size_t n = full < size ? full : size - 1;

        memcpy(buf, name, n);
        buf[n] = '\0';
    }
    return (int)full;
}

struct xcache *
xcache_new(enum xcache_mode mode)
{
    struct xcache *x = calloc(1, sizeof *x);

    if (x == NULL)
        return NULL;
    x->mode = mode;
    pthread_mutex_init(&x->lock, NULL);
    return x;
}

void
xcache_free(struct xcache *x)
{
    if (x == NULL)
        return;
    drop_answers(x, "");
    while (x->converters != NULL) {
        struct converter *next = x->converters->next;

        free(x->converters);
        x->converters = next;
    }
    free_names(x->aliases);
    free_names(x->omitted);
    pthread_mutex_destroy(&x->lock);
    free(x);
}

void
xcache_set_mode(struct xcache *x, enum xcache_mode mode)
{
    pthread_mutex_lock(&x->lock);
    x->mode = mode;
    pthread_mutex_unlock(&x->lock);
}

enum xcache_mode
xcache_mode(struct xcache *x)
{
    enum xcache_mode mode;

    pthread_mutex_lock(&x->lock);
    mode = x->mode;
    pthread_mutex_unlock(&x->lock);
    return mode;
}

int
xcache_register(struct xcache *x, int converter, const char *prefix, int priority)
{
    size_t size = strlen(prefix != NULL ? prefix : "") + 1;
    struct converter **link = &x->converters;
    struct converter *c;
    bool used;

    if (converter < 0)
        return XCACHE_EINVAL;
    c = malloc(sizeof *c + size);
    if (c == NULL)
        return XCACHE_ENOMEM;
    c->id = converter;
    c->priority = priority;
    memcpy(c->prefix, prefix != NULL ? prefix : "", size);
    pthread_mutex_lock(&x->lock);
    while (*link != NULL && (*link)->priority > priority)
        link = &(*link)->next;
    c->next = *link;
    *link = c;
    used = x->cached > 0;
    pthread_mutex_unlock(&x->lock);
    /* Most programs register everything first: then there is nothing to drop. */
    if (used)
        drop_answers(x, prefix != NULL ? prefix : "");
    return 0;
}

int
xcache_unregister(struct xcache *x, int converter)
{
    struct converter **link = &x->converters;
    int n = 0;

    pthread_mutex_lock(&x->lock);
    while (*link != NULL) {
        struct converter *c = *link;

        if (c->id == converter) {
            *link = c->next;
            free(c);
            n++;
        } else {
            link = &c->next;
        }
    }
    if (n > 0)
        drop_answers(x, "");
    pthread_mutex_unlock(&x->lock);
    return n;
}

int
xcache_converter_count(struct xcache *x)
{
    int n = 0;

    pthread_mutex_lock(&x->lock);
    for (const struct converter *c = x->converters; c != NULL; c = c->next)
        n++;
    pthread_mutex_unlock(&x->lock);
    return n;
}

int
xcache_lookup(struct xcache *x, const char *type)
{
    const struct answer *a;
    int converter = XCACHE_ENOENT;

    pthread_mutex_lock(&x->lock);
    a = find_answer_locked(x, type);
    if (a != NULL) {
        converter = a->converter;
        x->hits++;
    } else {
        const struct converter *c = x->converters;

        while (c != NULL && !begins_with(type, c->prefix))
            c = c->next;
        if (c != NULL)
            converter = c->id;
        keep_answer_locked(x, type, converter);
        x->misses++;
    }
    pthread_mutex_unlock(&x->lock);
    return converter;
}

bool
xcache_is_cached(struct xcache *x, const char *type)
{
    bool cached;

    pthread_mutex_lock(&x->lock);
    cached = find_answer_locked(x, type) != NULL;
    pthread_mutex_unlock(&x->lock);
    return cached;
}

int
xcache_cached_count(struct xcache *x)
{
    int n;

    pthread_mutex_lock(&x->lock);
    n = x->cached;
    pthread_mutex_unlock(&x->lock);
    return n;
}

void
xcache_statistics(struct xcache *x, int *hits, int *misses)
{
    pthread_mutex_lock(&x->lock);
    *hits = x->hits;
    *misses = x->misses;
    pthread_mutex_unlock(&x->lock);
}

int
xcache_flush(struct xcache *x)
{
    int n;

    pthread_mutex_lock(&x->lock);
    n = drop_answers(x, "");
    pthread_mutex_unlock(&x->lock);
    return n;
}

int
xcache_alias(struct xcache *x, const char *alias, const char *type)
{
    const struct names *n;
    int result = 0;

    pthread_mutex_lock(&x->lock);
    n = *find_names_locked(&x->aliases, alias, NULL);
    if (n == NULL)
        result = add_names_locked(&x->aliases, alias, type);
    else if (strcmp(n->second, type) != 0)
        result = XCACHE_EEXIST;
    pthread_mutex_unlock(&x->lock);
    return result;
}

bool
xcache_remove_alias(struct xcache *x, const char *alias)
{
    struct names **link;
    bool found;

    pthread_mutex_lock(&x->lock);
    link = find_names_locked(&x->aliases, alias, NULL);
    found = *link != NULL;
    if (found) {
        struct names *n = *link;

        *link = n->next;
        free(n);
    }
    pthread_mutex_unlock(&x->lock);
    return found;
}

int
xcache_alias_count(struct xcache *x)
{
    return count_names(x, &x->aliases);
}

int
xcache_type_of(struct xcache *x, const char *alias, char *buf, size_t size)
{
    const struct names *n;
    int length;

    pthread_mutex_lock(&x->lock);
    n = *find_names_locked(&x->aliases, alias, NULL);
    length = n != NULL ? copy_name(n->second, buf, size) : XCACHE_ENOENT;
    pthread_mutex_unlock(&x->lock);
    return length;
}

int
xcache_alias_of(struct xcache *x, const char *type, char *buf, size_t size)
{
    const struct names *n;
    int length;

    pthread_mutex_lock(&x->lock);
    n = *find_names_locked(&x->aliases, NULL, type);
    length = n != NULL ? copy_name(n->first, buf, size) : XCACHE_ENOENT;
    pthread_mutex_unlock(&x->lock);
    return length;
}

int
xcache_omit_field(struct xcache *x, const char *type, const char *field)
{
    int result = 0;

    pthread_mutex_lock(&x->lock);
    if (*find_names_locked(&x->omitted, type, field) == NULL)
        result = add_names_locked(&x->omitted, type, field);
    pthread_mutex_unlock(&x->lock);
    return result;
}

bool
xcache_is_omitted(struct xcache *x, const char *type, const char *field)
{
    bool omitted;

    pthread_mutex_lock(&x->lock);
    omitted = *find_names_locked(&x->omitted, type, field) != NULL;
    pthread_mutex_unlock(&x->lock);
    return omitted;
}

int
xcache_omitted_count(struct xcache *x)
{
    return count_names(x, &x->omitted);
}
