/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logger.h - a logging library: categories in a hierarchy, appenders, layouts, configuration.
 *
 * All functions are thread-safe unless their comment says otherwise. Constructors return NULL when
 * there is no memory; destructors need exclusive use of the object.
 */
#ifndef LOGGER_H
#define LOGGER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "../large.h"

#define NAME_MAX_LENGTH 32
#define LINE_LENGTH 64

/* ---- levels */

enum level { LV_ALL, LV_TRACE, LV_DEBUG, LV_INFO, LV_WARN, LV_ERROR, LV_OFF, LV_INHERIT = -1 };
#define N_LEVELS 7

const char *level_name(enum level level);
/* LV_INHERIT for an unknown word. */
enum level level_parse(const char *word, size_t length);

/* ---- the context of a thread */

/* A small number, different for every thread that asks; the first one gets 0. */
unsigned context_thread(void);
/* Nested diagnostic context: a stack of words per thread. False: the stack is full or empty. */
bool context_push(const char *word);
bool context_pop(void);
const char *context_top(void);
unsigned context_depth(void);

struct event {
    enum level level;
    const char *category;
    const char *message;
    const char *context;
    unsigned thread;
};

/* ---- layouts: %l level, %c category, %m message, %x context, %t thread */

struct layout;
struct layout *layout_new(const char *pattern);
void layout_free(struct layout *l);
/* Writes a line and returns its length; too long ones are cut. */
size_t layout_format(struct layout *l, const struct event *ev, char *out, size_t size);
/* How often the cache of prefixes had one. */
unsigned layout_hits(struct layout *l);
unsigned layout_misses(struct layout *l);

/* ---- appenders */

struct appender;
struct appender_ops {
    void (*write)(struct appender *a, const struct event *ev, const char *line, size_t length);
    void (*stop)(struct appender *a);
    bool locks_itself; /* write() is called without a->lock */
};

struct appender {
    const struct appender_ops *ops;
    char name[NAME_MAX_LENGTH];
    struct layout *layout; /* NULL: the message only */
    _Atomic int threshold;
    pthread_mutex_t lock; /* guards everything below and the fields of the kind */
    bool closed;
    unsigned accepted;
    unsigned rejected;
};

void appender_init(struct appender *a, const struct appender_ops *ops, const char *name,
                   struct layout *layout);
void appender_deinit(struct appender *a);
/* False: refused, by its threshold or because it is closed. */
bool appender_append(struct appender *a, const struct event *ev);
void appender_close(struct appender *a);
bool appender_is_closed(struct appender *a);
void appender_set_threshold(struct appender *a, enum level level);
unsigned appender_accepted(struct appender *a);
unsigned appender_rejected(struct appender *a);

/* Keeps the last lines. */
struct appender *memory_new(const char *name, struct layout *layout);
void memory_free(struct appender *a);
unsigned memory_count(struct appender *a);
/* Copies line `back` counted from the last (0); false when there is none. */
bool memory_line(struct appender *a, unsigned back, char *out, size_t size);
void memory_clear(struct appender *a);

/* Something like a file, with segments that roll over. */
struct file_info {
    unsigned segments;
    unsigned bytes;
    unsigned flushes;
};
struct appender *file_new(const char *name, struct layout *layout, unsigned segment_bytes);
void file_free(struct appender *a);
void file_info(struct appender *a, struct file_info *info);
void file_set_immediate(struct appender *a, bool immediate);
bool file_immediate(struct appender *a);
unsigned file_rollovers(struct appender *a);

/* A bounded queue before another appender, emptied by a thread of its own. */
enum async_policy { ASYNC_BLOCK, ASYNC_DISCARD };
struct async_totals {
    unsigned delivered;
    unsigned discarded;
    unsigned batches;
};
struct appender *async_new(const char *name, struct appender *target, unsigned capacity,
                           enum async_policy policy);
/* Delivers what is queued, stops the thread, and says what was done. Once only. */
void async_stop(struct appender *a, struct async_totals *totals);
void async_free(struct appender *a);
/* Waits until the queue is empty. */
void async_drain(struct appender *a);

/* ---- statistics */

struct stats;
struct stats *stats_new(void);
void stats_free(struct stats *s);
void stats_record(struct stats *s, enum level level, size_t bytes);
unsigned stats_level(struct stats *s, enum level level);
/* The largest message so far. */
size_t stats_peak(struct stats *s);
/* Sums over all threads; no other thread may record meanwhile. */
unsigned long stats_events(struct stats *s);
unsigned long stats_bytes(struct stats *s);

/* ---- categories */

struct category;
struct hierarchy;
struct hierarchy *hierarchy_new(void);
void hierarchy_free(struct hierarchy *h);
/* Before the first thread logs. */
void hierarchy_set_stats(struct hierarchy *h, struct stats *s);
void hierarchy_set_threshold(struct hierarchy *h, enum level level);
unsigned hierarchy_size(struct hierarchy *h);
struct category *hierarchy_root(struct hierarchy *h);
/* Finds or makes a category and its parents: "net.http.client". */
struct category *category_get(struct hierarchy *h, const char *name);
/* NULL: there is none. */
struct category *category_find(struct hierarchy *h, const char *name);
const char *category_name(const struct category *c);
void category_set_level(struct category *c, enum level level);
enum level category_level(const struct category *c);
/* False: it has as many as it can have. */
bool category_add_appender(struct hierarchy *h, struct category *c, struct appender *a);
bool category_remove_appender(struct hierarchy *h, struct category *c, struct appender *a);
unsigned category_appenders(struct hierarchy *h, struct category *c);
/* Events of a category that is not additive do not go to the appenders of its parents. */
void category_set_additive(struct hierarchy *h, struct category *c, bool additive);
/* Number of appenders that accepted the message. */
unsigned category_log(struct hierarchy *h, struct category *c, enum level level,
                      const char *message);
/* Takes an appender out of all categories and closes it. Returns in how many it was. */
unsigned hierarchy_retire(struct hierarchy *h, struct appender *a);

/* ---- configuration: "net=warn;net.http=debug;*=info" */

struct config;
struct config *config_new(void);
void config_free(struct config *cfg);
/* Number of rules; -1: syntax error, nothing has changed. */
int config_load(struct config *cfg, const char *text);
/* Level of the longest rule that is the name or a parent of it; LV_INHERIT none. */
enum level config_level(struct config *cfg, const char *name);
unsigned config_generation(struct config *cfg);
unsigned config_errors(struct config *cfg);
/* Sets the levels of all categories that the configuration names. */
unsigned config_apply(struct config *cfg, struct hierarchy *h);
/* One process-wide configuration, made when first asked for. */
struct config *config_default(void);

#endif
