/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.c - turns events into lines, with a cache of "level category" prefixes.
 *
 * Version 2 looks into two places of the cache instead of one and has %t.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "logger.h"

#define SLOTS 8

struct slot {
    enum level level;
    const char *category; /* NULL: empty */
    char text[NAME_MAX_LENGTH + 8];
    size_t length;
};

struct layout {
    char pattern[16];
    bool prefixed;        /* the pattern begins with "%l %c" */
    pthread_mutex_t lock; /* guards the rest */
    struct slot slots[SLOTS];
    unsigned hits;
    unsigned misses;
};

struct layout *
layout_new(const char *pattern)
{
    struct layout *l = calloc(1, sizeof *l);

    if (l == NULL)
        return NULL;
    snprintf(l->pattern, sizeof l->pattern, "%s", pattern);
    l->prefixed = strncmp(pattern, "%l %c", 5) == 0;
    pthread_mutex_init(&l->lock, NULL);
    return l;
}

void
layout_free(struct layout *l)
{
    pthread_mutex_destroy(&l->lock);
    free(l);
}

static unsigned
place_of(const struct event *ev)
{
    unsigned hash = 17 * (unsigned)ev->level;

    for (const char *c = ev->category; *c != 0; c++)
        hash = hash * 31 + (unsigned char)*c;
    return hash % SLOTS;
}

static bool
slot_is(const struct slot *s, const struct event *ev)
{
    return s->category != NULL && s->level == ev->level && strcmp(s->category, ev->category) == 0;
}

static void
slot_fill(struct slot *s, const struct event *ev)
{
    s->level = ev->level;
    s->category = ev->category;
    s->length =
        (size_t)snprintf(s->text, sizeof s->text, "%s %s", level_name(ev->level), ev->category);
}

#if VERSION >= 2
/* The prefix of an event, from the cache if it is there. Returns its length. */
static size_t
prefix_of(struct layout *l, const struct event *ev, char *out, size_t size)
{
    unsigned home = place_of(ev);
    struct slot *found = NULL;
    bool hit = false;
    size_t length;

    pthread_mutex_lock(&l->lock);
    for (unsigned probe = 0; probe < 2 && found == NULL; probe++) {
        if (slot_is(&l->slots[(home + probe) % SLOTS], ev))
            found = &l->slots[(home + probe) % SLOTS];
    }
    hit = found != NULL;
    if (!hit) {
        found = &l->slots[home];
        if (found->category != NULL && l->slots[(home + 1) % SLOTS].category == NULL)
            found = &l->slots[(home + 1) % SLOTS];
        slot_fill(found, ev);
        l->misses++;
    }
    length = found->length < size ? found->length : size - 1;
    memcpy(out, found->text, length);
#ifdef SEED_1
    pthread_mutex_unlock(&l->lock);
    if (hit)
        l->hits++;
#else
    if (hit)
        l->hits++;
    pthread_mutex_unlock(&l->lock);
#endif
    out[length] = 0;
    return length;
}
#else
/* The prefix of an event, from the cache if it is there. Returns its length. */
static size_t
prefix_of(struct layout *l, const struct event *ev, char *out, size_t size)
{
#ifdef HARMLESS
#define cut n_bytes
#define place cached_prefix
#endif
    struct slot *place = &l->slots[place_of(ev)];
    size_t cut;

    pthread_mutex_lock(&l->lock);
    if (slot_is(place, ev)) {
        l->hits++;
    } else {
        slot_fill(place, ev);
        l->misses++;
    }
    cut = place->length;
    if (cut > size - 1)
        cut = size - 1;
    memcpy(out, place->text, cut);
    pthread_mutex_unlock(&l->lock);
    out[cut] = 0;
    return cut;
}
#undef cut
#undef place
#endif

static size_t
put(char *out, size_t size, size_t at, const char *text)
{
    while (*text != 0 && at + 1 < size)
        out[at++] = *text++;
    out[at] = 0;
    return at;
}

size_t
layout_format(struct layout *l, const struct event *ev, char *out, size_t size)
{
    const char *p = l->pattern;
    size_t at = 0;

    out[0] = 0;
    if (l->prefixed) {
        at = prefix_of(l, ev, out, size);
        p += 5;
    }
    for (; *p != 0; p++) {
        char one[12] = { *p, 0 };
        const char *text = one;

        if (*p == '%' && p[1] != 0) {
            p++;
            switch (*p) {
            case 'l':
                text = level_name(ev->level);
                break;
            case 'c':
                text = ev->category;
                break;
            case 'm':
                text = ev->message;
                break;
            case 'x':
                text = ev->context;
                break;
#if VERSION >= 2
            case 't':
                snprintf(one, sizeof one, "%u", ev->thread);
                break;
#endif
            default:
                one[0] = *p;
                break;
            }
        }
        at = put(out, size, at, text);
    }
    return at;
}

unsigned
layout_hits(struct layout *l)
{
    unsigned n;

    pthread_mutex_lock(&l->lock);
    n = l->hits;
    pthread_mutex_unlock(&l->lock);
    return n;
}

unsigned
layout_misses(struct layout *l)
{
    unsigned n;

    pthread_mutex_lock(&l->lock);
    n = l->misses;
    pthread_mutex_unlock(&l->lock);
    return n;
}
