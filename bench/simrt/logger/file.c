/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.c - an appender with the shape of a rolling file, kept in memory.
 *
 * Version 2 has file_rotate() and file_fill() as functions of their own, and counts flushes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "logger.h"

#define SEGMENTS 4
#define SEGMENT_MAX 128

struct segment {
    char text[SEGMENT_MAX];
    unsigned used;
};

struct file {
    struct appender base;
    struct segment segments[SEGMENTS];
    unsigned current;
    unsigned started; /* segments, with those that were overwritten */
    unsigned limit;   /* bytes of a segment */
    unsigned total;
    unsigned pending; /* bytes since the last flush */
    unsigned flushes;
    pthread_mutex_t settings; /* guards immediate */
#ifdef SEED_8
    unsigned immediate : 1;
    unsigned rolled : 31;
#else
    unsigned immediate;
    unsigned rolled; /* guarded by the lock of the appender */
#endif
};

#if VERSION >= 2
/* Begins the next segment. */
static void
file_rotate(struct file *f)
{
    struct segment *next;

    f->current = (f->current + 1) % SEGMENTS;
    next = &f->segments[f->current];
    next->used = 0;
    f->started++;
    f->rolled++;
}

static void
file_write(struct appender *a, const struct event *ev, const char *line, size_t length)
{
    struct file *f = (struct file *)a;
    struct segment *segment = &f->segments[f->current];
    bool immediate;

    if (segment->used > 0 && segment->used + length > f->limit) {
        file_rotate(f);
        segment = &f->segments[f->current];
    }
    if (length > f->limit)
        length = f->limit;
    memcpy(segment->text + segment->used, line, length);
    segment->used += (unsigned)length;
    f->total += (unsigned)length;
    f->pending += (unsigned)length;
    pthread_mutex_lock(&f->settings);
    immediate = f->immediate != 0;
    pthread_mutex_unlock(&f->settings);
    if (immediate || ev->level >= LV_ERROR) {
        f->pending = 0;
        f->flushes++;
    }
}

/* Fills in what file_info() returns. */
static void
file_fill(struct file *f, struct file_info *info)
{
#ifndef SEED_2
    pthread_mutex_lock(&f->base.lock);
#endif
    info->segments = f->started;
    info->bytes = f->total;
    info->flushes = f->flushes;
#ifndef SEED_2
    pthread_mutex_unlock(&f->base.lock);
#endif
}

void
file_info(struct appender *a, struct file_info *info)
{
    memset(info, 0, sizeof *info);
    file_fill((struct file *)a, info);
}
#else
static void
file_write(struct appender *a, const struct event *ev, const char *line, size_t length)
{
    struct file *f = (struct file *)a;
    struct segment *segment = &f->segments[f->current];
    bool immediate;

    if (segment->used > 0 && segment->used + length > f->limit) {
        f->current = (f->current + 1) % SEGMENTS;
        segment = &f->segments[f->current];
        segment->used = 0;
        f->started++;
        f->rolled++;
    }
    if (length > f->limit)
        length = f->limit;
    memcpy(segment->text + segment->used, line, length);
    segment->used += (unsigned)length;
    f->total += (unsigned)length;
    f->pending += (unsigned)length;
    pthread_mutex_lock(&f->settings);
    immediate = f->immediate != 0;
    pthread_mutex_unlock(&f->settings);
    if (immediate || ev->level >= LV_ERROR) {
        f->pending = 0;
        f->flushes++;
    }
}

void
file_info(struct appender *a, struct file_info *info)
{
    struct file *f = (struct file *)a;

    pthread_mutex_lock(&a->lock);
    info->segments = f->started;
    info->bytes = f->total;
    info->flushes = f->flushes;
    pthread_mutex_unlock(&a->lock);
}
#endif

static void
file_stop(struct appender *a)
{
    struct file *f = (struct file *)a;

    if (f->pending > 0) {
        f->pending = 0;
        f->flushes++;
    }
}

static const struct appender_ops file_ops = { .write = file_write, .stop = file_stop };

struct appender *
file_new(const char *name, struct layout *layout, unsigned segment_bytes)
{
    struct file *f = calloc(1, sizeof *f);

    if (f == NULL)
        return NULL;
    appender_init(&f->base, &file_ops, name, layout);
    pthread_mutex_init(&f->settings, NULL);
    f->limit = segment_bytes < SEGMENT_MAX ? segment_bytes : SEGMENT_MAX;
    f->started = 1;
    return &f->base;
}

void
file_free(struct appender *a)
{
    struct file *f = (struct file *)a;

    pthread_mutex_destroy(&f->settings);
    appender_deinit(a);
    free(f);
}

void
file_set_immediate(struct appender *a, bool immediate)
{
    struct file *f = (struct file *)a;

    pthread_mutex_lock(&f->settings);
    f->immediate = immediate ? 1 : 0;
    pthread_mutex_unlock(&f->settings);
}

bool
file_immediate(struct appender *a)
{
    struct file *f = (struct file *)a;
    bool immediate;

    pthread_mutex_lock(&f->settings);
    immediate = f->immediate != 0;
    pthread_mutex_unlock(&f->settings);
    return immediate;
}

unsigned
file_rollovers(struct appender *a)
{
    struct file *f = (struct file *)a;
    unsigned n;

    pthread_mutex_lock(&a->lock);
    n = f->rolled;
    pthread_mutex_unlock(&a->lock);
    return n;
}
