/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strbuf.h - a growing, thread-safe string of bytes.
 *
 * All functions but strbuf_free() may be called from any thread at any time; each takes effect at
 * once. Offsets count from 0; a range [start, end) must lie in the string. Functions that change
 * the string answer 0, -ERANGE for an offset outside it, -ENOSPC when it would get longer than
 * STRBUF_MAX_LENGTH, or -ENOMEM; after an error it is as it was.
 */
#ifndef STRBUF_H
#define STRBUF_H

#include <stdbool.h>
#include <stddef.h>

#define STRBUF_MAX_LENGTH 65536

struct strbuf;

/* A string with this content, NULL: empty; NULL when there is no memory or it is too long. */
struct strbuf *strbuf_new(const char *text);

/* Gives everything back; no other thread may still use the string. NULL is fine. */
void strbuf_free(struct strbuf *sb);

/* ---- length ---- */

int strbuf_length(struct strbuf *sb) __attribute__((nonnull));
bool strbuf_is_empty(struct strbuf *sb) __attribute__((nonnull));

/* How long it can get without new memory. */
int strbuf_capacity(struct strbuf *sb) __attribute__((nonnull));
int strbuf_ensure_capacity(struct strbuf *sb, int capacity) __attribute__((nonnull));

/* Gives memory back that the string does not need now. */
int strbuf_trim(struct strbuf *sb) __attribute__((nonnull));

/* Cuts the string, or fills it up with blanks. */
int strbuf_set_length(struct strbuf *sb, int length) __attribute__((nonnull));
void strbuf_clear(struct strbuf *sb) __attribute__((nonnull));

/* ---- growing ---- */

int strbuf_append(struct strbuf *sb, const char *text) __attribute__((nonnull));
int strbuf_append_char(struct strbuf *sb, char c) __attribute__((nonnull));
int strbuf_append_int(struct strbuf *sb, int value) __attribute__((nonnull));
int strbuf_append_bytes(struct strbuf *sb, const char *bytes, size_t len) __attribute__((nonnull));

/* Appends the content of another string, or of the same one. */
int strbuf_append_buf(struct strbuf *sb, struct strbuf *other) __attribute__((nonnull));

int strbuf_insert(struct strbuf *sb, int offset, const char *text) __attribute__((nonnull));
int strbuf_insert_char(struct strbuf *sb, int offset, char c) __attribute__((nonnull));

/* ---- changing ---- */

int strbuf_delete(struct strbuf *sb, int start, int end) __attribute__((nonnull));
int strbuf_delete_char_at(struct strbuf *sb, int offset) __attribute__((nonnull));
int strbuf_replace(struct strbuf *sb, int start, int end, const char *text)
    __attribute__((nonnull));
int strbuf_set_char_at(struct strbuf *sb, int offset, char c) __attribute__((nonnull));
void strbuf_reverse(struct strbuf *sb) __attribute__((nonnull));

/* ---- asking ---- */

/* The byte at the offset as an unsigned char, or -ERANGE. */
int strbuf_char_at(struct strbuf *sb, int offset) __attribute__((nonnull));

/* The first (last) place of the text in the string, or -ENOENT. */
int strbuf_index_of(struct strbuf *sb, const char *text) __attribute__((nonnull));
int strbuf_last_index_of(struct strbuf *sb, const char *text) __attribute__((nonnull));

bool strbuf_starts_with(struct strbuf *sb, const char *text) __attribute__((nonnull));
bool strbuf_equals(struct strbuf *sb, const char *text) __attribute__((nonnull));

/*
 * Copies the bytes [start, end) to dst, without a 0 behind them; how many, -ERANGE when the range
 * is not in the string, -ENOSPC when cap is too small.
 */
int strbuf_get_chars(struct strbuf *sb, int start, int end, char *dst, size_t cap)
    __attribute__((nonnull));

/* Copies the string and a 0 to dst, cut to what fits; its whole length. */
int strbuf_to_string(struct strbuf *sb, char *dst, size_t cap) __attribute__((nonnull));

#endif
