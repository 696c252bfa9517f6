/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logger.h - a thread-safe logger that keeps its last records in memory.
 *
 * A message is recorded when its level is at least the logger's and it passes the filter, and is
 * then handed to the handlers. All functions but logger_free() may be called from any thread at any
 * time; each takes effect at once. Functions that copy a string to a buffer answer its whole length
 * as snprintf() does and cut it to what fits.
 */
#ifndef LOGGER_H
#define LOGGER_H

#include <stdbool.h>
#include <stddef.h>

enum logger_level {
    LOGGER_FINE,
    LOGGER_CONFIG,
    LOGGER_INFO,
    LOGGER_WARNING,
    LOGGER_SEVERE,
    LOGGER_OFF /* for logger_set_level() only: nothing is recorded */
};

/* A longer message is cut. */
#define LOGGER_MAX_MESSAGE 79

/* The most records that can be kept, and the most handlers. */
#define LOGGER_MAX_RECORDS 64
#define LOGGER_MAX_HANDLERS 4

struct logger;

/* Called for each record, with the logger locked: it must not call the logger. */
typedef void (*logger_handler)(void *arg, enum logger_level level, const char *message);

/* A logger of level LOGGER_INFO; name may be NULL (anonymous). NULL when there is no memory. */
struct logger *logger_new(const char *name);

/* Gives everything back; no other thread may still use the logger. NULL is fine. */
void logger_free(struct logger *lg);

/* The name, "" for an anonymous logger. */
int logger_get_name(struct logger *lg, char *buf, size_t cap) __attribute__((nonnull));

/* 0, or -EINVAL when there is no such level. */
int logger_set_level(struct logger *lg, enum logger_level level) __attribute__((nonnull));
enum logger_level logger_get_level(struct logger *lg) __attribute__((nonnull));

/* Would a message of this level be recorded, if the filter lets it pass? */
bool logger_is_loggable(struct logger *lg, enum logger_level level) __attribute__((nonnull));

/* From now on only messages that contain text pass; NULL: all pass. 0 or -ENOMEM. */
int logger_set_filter(struct logger *lg, const char *text) __attribute__((nonnull(1)));

/* As logger_set_filter() with NULL; was there a filter? */
bool logger_clear_filter(struct logger *lg) __attribute__((nonnull));
bool logger_has_filter(struct logger *lg) __attribute__((nonnull));

/* The text of the filter, or -ENOENT when there is none. */
int logger_get_filter(struct logger *lg, char *buf, size_t cap) __attribute__((nonnull));

/* 1: recorded; 0: the level or the filter is against it; -EINVAL: not a level of a message. */
int logger_log(struct logger *lg, enum logger_level level, const char *message)
    __attribute__((nonnull));
int logger_severe(struct logger *lg, const char *message) __attribute__((nonnull));
int logger_warning(struct logger *lg, const char *message) __attribute__((nonnull));
int logger_info(struct logger *lg, const char *message) __attribute__((nonnull));
int logger_fine(struct logger *lg, const char *message) __attribute__((nonnull));

/* 0, -ENOSPC when there are LOGGER_MAX_HANDLERS already. */
int logger_add_handler(struct logger *lg, logger_handler handler, void *arg)
    __attribute__((nonnull(1, 2)));

/* Removes the handler that was added last; false when there is none. */
bool logger_remove_handler(struct logger *lg) __attribute__((nonnull));
int logger_handler_count(struct logger *lg) __attribute__((nonnull));

/* How many records are kept now; how many of at least this level. */
int logger_count(struct logger *lg) __attribute__((nonnull));
int logger_count_level(struct logger *lg, enum logger_level level) __attribute__((nonnull));

/* Record i, 0 is the oldest; -ERANGE when there is none. level may be NULL. */
int logger_get_record(struct logger *lg, int i, enum logger_level *level, char *buf, size_t cap)
    __attribute__((nonnull(1, 4)));

/* The index of the oldest record that contains text, or -ENOENT. */
int logger_find(struct logger *lg, const char *text) __attribute__((nonnull));

/* Forgets all records; how many there were. */
int logger_clear(struct logger *lg) __attribute__((nonnull));

/* Keeps at most n records, 1 to LOGGER_MAX_RECORDS, the newest: 0 or -EINVAL. */
int logger_set_capacity(struct logger *lg, int n) __attribute__((nonnull));
int logger_get_capacity(struct logger *lg) __attribute__((nonnull));

/* How many records had to make room for newer ones. */
int logger_dropped(struct logger *lg) __attribute__((nonnull));

#endif
