/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string_buffer.h - a mutable string for use by many threads, after java.lang.StringBuffer.
 *
 * Every function may be called by any thread at any time and is atomic, including the functions
 * that take two buffers. Both buffers of a call may be the same. string_buffer_free is the
 * exception: no other thread may use the buffer during or after the call.
 *
 * Functions that return int return zero or more, or a negative enum string_buffer_error.
 */
#ifndef STRING_BUFFER_H
#define STRING_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct string_buffer;

enum string_buffer_error {
    STRING_BUFFER_ENONE = -1,  /* not found */
    STRING_BUFFER_EINDEX = -2, /* offset or range out of bounds */
    STRING_BUFFER_ENOMEM = -3  /* out of memory, or the string is too long */
};

/* NULL if out of memory. The caller frees the result. */
struct string_buffer *string_buffer_new(int capacity);
struct string_buffer *string_buffer_new_from(const char *text) __attribute__((nonnull));
/* A new buffer with the characters [start, end); NULL if the range is invalid. */
struct string_buffer *string_buffer_substring(struct string_buffer *sb, int start, int end)
    __attribute__((nonnull));
/* A new buffer with the characters from `start` to the end. */
struct string_buffer *string_buffer_substring_from(struct string_buffer *sb, int start)
    __attribute__((nonnull));
void string_buffer_free(struct string_buffer *sb);

/* ---- length ---- */

int string_buffer_length(struct string_buffer *sb) __attribute__((nonnull));
int string_buffer_capacity(struct string_buffer *sb) __attribute__((nonnull));
bool string_buffer_is_empty(struct string_buffer *sb) __attribute__((nonnull));
int string_buffer_ensure_capacity(struct string_buffer *sb, int capacity) __attribute__((nonnull));
int string_buffer_trim_to_size(struct string_buffer *sb) __attribute__((nonnull));
/* Truncates the string or extends it with blanks. */
int string_buffer_set_length(struct string_buffer *sb, int length) __attribute__((nonnull));
void string_buffer_clear(struct string_buffer *sb) __attribute__((nonnull));

/* ---- characters ---- */

int string_buffer_char_at(struct string_buffer *sb, int index) __attribute__((nonnull));
int string_buffer_char_before(struct string_buffer *sb, int index) __attribute__((nonnull));
int string_buffer_first_char(struct string_buffer *sb) __attribute__((nonnull));
int string_buffer_last_char(struct string_buffer *sb) __attribute__((nonnull));
int string_buffer_set_char_at(struct string_buffer *sb, int index, char c) __attribute__((nonnull));
/*
 * Copies the characters [start, end) to `out` without a terminator; returns how many. Fails with
 * STRING_BUFFER_EINDEX, without a copy, if the range is invalid or longer than `size`.
 */
int string_buffer_get_chars(struct string_buffer *sb, int start, int end, char *out, size_t size)
    __attribute__((nonnull));
/* Copies the string and a terminator to `out`, cut to `size`; returns the whole length. */
int string_buffer_to_string(struct string_buffer *sb, char *out, size_t size)
    __attribute__((nonnull));

/* ---- append: returns the new length ---- */

int string_buffer_append(struct string_buffer *sb, const char *text) __attribute__((nonnull));
int string_buffer_append_range(struct string_buffer *sb, const char *text, int start, int end)
    __attribute__((nonnull));
int string_buffer_append_char(struct string_buffer *sb, char c) __attribute__((nonnull));
int string_buffer_append_repeated(struct string_buffer *sb, char c, int n) __attribute__((nonnull));
int string_buffer_append_int(struct string_buffer *sb, int value) __attribute__((nonnull));
int string_buffer_append_long(struct string_buffer *sb, long value) __attribute__((nonnull));
int string_buffer_append_bool(struct string_buffer *sb, bool value) __attribute__((nonnull));
int string_buffer_append_double(struct string_buffer *sb, double value) __attribute__((nonnull));
int string_buffer_append_buffer(struct string_buffer *sb, struct string_buffer *other)
    __attribute__((nonnull));

/* ---- insert before an offset: returns the new length ---- */

int string_buffer_insert(struct string_buffer *sb, int offset, const char *text)
    __attribute__((nonnull));
int string_buffer_insert_char(struct string_buffer *sb, int offset, char c)
    __attribute__((nonnull));
int string_buffer_insert_int(struct string_buffer *sb, int offset, int value)
    __attribute__((nonnull));
int string_buffer_insert_long(struct string_buffer *sb, int offset, long value)
    __attribute__((nonnull));
int string_buffer_insert_bool(struct string_buffer *sb, int offset, bool value)
    __attribute__((nonnull));
int string_buffer_insert_double(struct string_buffer *sb, int offset, double value)
    __attribute__((nonnull));
int string_buffer_insert_buffer(struct string_buffer *sb, int offset, struct string_buffer *other)
    __attribute__((nonnull));

/* ---- change: returns the new length ---- */

/* `end` may be greater than the length, as in Java. */
int string_buffer_delete(struct string_buffer *sb, int start, int end) __attribute__((nonnull));
int string_buffer_delete_char_at(struct string_buffer *sb, int index) __attribute__((nonnull));
int string_buffer_replace(struct string_buffer *sb, int start, int end, const char *text)
    __attribute__((nonnull));
void string_buffer_reverse(struct string_buffer *sb) __attribute__((nonnull));
void string_buffer_to_upper(struct string_buffer *sb) __attribute__((nonnull));
void string_buffer_to_lower(struct string_buffer *sb) __attribute__((nonnull));
/* Removes blanks at both ends. */
int string_buffer_strip(struct string_buffer *sb) __attribute__((nonnull));

/* ---- search and compare ---- */

/* The offset, or STRING_BUFFER_ENONE. */
int string_buffer_index_of(struct string_buffer *sb, const char *text) __attribute__((nonnull));
int string_buffer_index_of_from(struct string_buffer *sb, const char *text, int from)
    __attribute__((nonnull));
int string_buffer_last_index_of(struct string_buffer *sb, const char *text)
    __attribute__((nonnull));
int string_buffer_last_index_of_from(struct string_buffer *sb, const char *text, int from)
    __attribute__((nonnull));
int string_buffer_count_char(struct string_buffer *sb, char c) __attribute__((nonnull));
bool string_buffer_starts_with(struct string_buffer *sb, const char *text) __attribute__((nonnull));
bool string_buffer_ends_with(struct string_buffer *sb, const char *text) __attribute__((nonnull));
bool string_buffer_content_equals(struct string_buffer *sb, const char *text)
    __attribute__((nonnull));
unsigned string_buffer_hash_code(struct string_buffer *sb) __attribute__((nonnull));
bool string_buffer_equals(struct string_buffer *sb, struct string_buffer *other)
    __attribute__((nonnull));
/* -1, 0 or 1, in the order of dictionaries. */
int string_buffer_compare_to(struct string_buffer *sb, struct string_buffer *other)
    __attribute__((nonnull));

#endif
