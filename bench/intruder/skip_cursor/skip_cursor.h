/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skip_cursor.h - a cursor that skips elements of its source, after SkipCursor of Carbonado.
 *
 * A source yields consecutive ints once. Several cursors may share a source; each element goes to
 * one of them. Every function may be called by any thread at any time and is atomic, except the
 * two *_free functions, which need exclusive use of the object. A cursor does not own its source:
 * the caller frees the source after all its cursors.
 */
#ifndef SKIP_CURSOR_H
#define SKIP_CURSOR_H

#include <limits.h>
#include <stdbool.h>

struct skip_source;
struct skip_cursor;

#define SKIP_CURSOR_END INT_MIN /* no element left */

/* A source of the ints first, first + 1, ...; NULL if out of memory or for invalid arguments. */
struct skip_source *skip_source_new(int first, int count);
void skip_source_free(struct skip_source *source);
/* The number of elements that were yielded or skipped. */
int skip_source_position(struct skip_source *source) __attribute__((nonnull));

/* A cursor that skips `skip` elements at its first use; NULL if out of memory. */
struct skip_cursor *skip_cursor_new(struct skip_source *source, int skip) __attribute__((nonnull));
void skip_cursor_free(struct skip_cursor *c);
/* Replaces the source. A pending skip applies to the new source. */
void skip_cursor_set_source(struct skip_cursor *c, struct skip_source *source)
    __attribute__((nonnull));
bool skip_cursor_has_next(struct skip_cursor *c) __attribute__((nonnull));
/* The next element, or SKIP_CURSOR_END. */
int skip_cursor_next(struct skip_cursor *c) __attribute__((nonnull));
/* Skips up to `amount` further elements; returns how many. */
int skip_cursor_skip_next(struct skip_cursor *c, int amount) __attribute__((nonnull));
/* Closes the source: no cursor of it has a next element afterwards. */
void skip_cursor_close(struct skip_cursor *c) __attribute__((nonnull));

#endif
