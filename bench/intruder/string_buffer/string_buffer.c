/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string_buffer.c - see string_buffer.h.
 *
 * One recursive mutex per buffer, as a Java object has one monitor. Functions named *_locked expect
 * the caller to hold it.
 */
#define _GNU_SOURCE
#include "string_buffer.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_CAPACITY = 16, MAX_LENGTH = 1 << 20 };

struct string_buffer {
    pthread_mutex_t lock;
    char *chars;
    int count;
    int capacity;
};

static void
lock(struct string_buffer *sb)
{
    pthread_mutex_lock(&sb->lock);
}

static void
unlock(struct string_buffer *sb)
{
    pthread_mutex_unlock(&sb->lock);
}

static int
resize_locked(struct string_buffer *sb, int capacity)
{
    char *chars = realloc(sb->chars, (size_t)capacity);

    if (chars == NULL)
        return STRING_BUFFER_ENOMEM;
    sb->chars = chars;
    sb->capacity = capacity;
    return 0;
}

static int
reserve_locked(struct string_buffer *sb, int needed)
{
    if (needed <= sb->capacity)
        return 0;
    if (needed > MAX_LENGTH)
        return STRING_BUFFER_ENOMEM;
    return resize_locked(sb, needed > 2 * sb->capacity + 2 ? needed : 2 * sb->capacity + 2);
}

/* Replaces [start, end) by n characters, which must not be part of this buffer. */
static int
splice_locked(struct string_buffer *sb, int start, int end, const char *text, size_t n)
{
    if (start < 0 || start > end || end > sb->count)
        return STRING_BUFFER_EINDEX;
    if (n > MAX_LENGTH || reserve_locked(sb, sb->count - (end - start) + (int)n) != 0)
        return STRING_BUFFER_ENOMEM;
    memmove(sb->chars + start + n, sb->chars + end, (size_t)(sb->count - end));
    memcpy(sb->chars + start, text, n);
    sb->count += (int)n - (end - start);
    return sb->count;
}

static bool
matches_locked(const struct string_buffer *sb, int offset, const char *text)
{
    int n = (int)strnlen(text, MAX_LENGTH + 1);

    return offset >= 0 && n <= sb->count - offset &&
           memcmp(sb->chars + offset, text, (size_t)n) == 0;
}

static int
append(struct string_buffer *sb, const char *text, size_t n)
{
    int result;

    lock(sb);
    result = splice_locked(sb, sb->count, sb->count, text, n);
    unlock(sb);
    return result;
}

static int
insert(struct string_buffer *sb, int offset, const char *text, size_t n)
{
    int result;

    lock(sb);
    result = splice_locked(sb, offset, offset, text, n);
    unlock(sb);
    return result;
}

struct string_buffer *
string_buffer_new(int capacity)
{
    struct string_buffer *sb = calloc(1, sizeof *sb);
    pthread_mutexattr_t attr;

    if (sb == NULL)
        return NULL;
    if (capacity < MIN_CAPACITY)
        capacity = MIN_CAPACITY;
    if (resize_locked(sb, capacity < MAX_LENGTH ? capacity : MAX_LENGTH) != 0) {
        free(sb);
        return NULL;
    }
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&sb->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    return sb;
}

static struct string_buffer *
new_from_chars(const char *text, size_t n)
{
    struct string_buffer *sb = string_buffer_new(0);

    if (sb != NULL && splice_locked(sb, 0, 0, text, n) < 0) {
        string_buffer_free(sb);
        return NULL;
    }
    return sb;
}

struct string_buffer *
string_buffer_new_from(const char *text)
{
    return new_from_chars(text, strlen(text));
}

struct string_buffer *
string_buffer_substring(struct string_buffer *sb, int start, int end)
{
    struct string_buffer *part = NULL;

    lock(sb);
    if (start >= 0 && start <= end && end <= sb->count)
        part = new_from_chars(sb->chars + start, (size_t)(end - start));
    unlock(sb);
    return part;
}

struct string_buffer *
string_buffer_substring_from(struct string_buffer *sb, int start)
{
    return string_buffer_substring(sb, start, string_buffer_length(sb));
}

void
string_buffer_free(struct string_buffer *sb)
{
    if (sb == NULL)
        return;
    pthread_mutex_destroy(&sb->lock);
    free(sb->chars);
    free(sb);
}

int
string_buffer_length(struct string_buffer *sb)
{
    int length;

    lock(sb);
    length = sb->count;
    unlock(sb);
    return length;
}

int
string_buffer_capacity(struct string_buffer *sb)
{
    int capacity;

    lock(sb);
    capacity = sb->capacity;
    unlock(sb);
    return capacity;
}

bool
string_buffer_is_empty(struct string_buffer *sb)
{
    return string_buffer_length(sb) == 0;
}

int
string_buffer_ensure_capacity(struct string_buffer *sb, int capacity)
{
    int error;

    lock(sb);
    error = reserve_locked(sb, capacity);
    unlock(sb);
    return error;
}

int
string_buffer_trim_to_size(struct string_buffer *sb)
{
    int error;

    lock(sb);
    error = resize_locked(sb, sb->count < MIN_CAPACITY ? MIN_CAPACITY : sb->count);
    unlock(sb);
    return error;
}

int
string_buffer_set_length(struct string_buffer *sb, int length)
{
    int error = 0;

    if (length < 0)
        return STRING_BUFFER_EINDEX;
    lock(sb);
    if (length > sb->count) {
        error = reserve_locked(sb, length);
        if (error == 0)
            memset(sb->chars + sb->count, ' ', (size_t)(length - sb->count));
    }
    if (error == 0)
        sb->count = length;
    unlock(sb);
    return error;
}

void
string_buffer_clear(struct string_buffer *sb)
{
    lock(sb);
    sb->count = 0;
    unlock(sb);
}

int
string_buffer_char_at(struct string_buffer *sb, int index)
{
    int c = STRING_BUFFER_EINDEX;

    lock(sb);
    if (index >= 0 && index < sb->count)
        c = (unsigned char)sb->chars[index];
    unlock(sb);
    return c;
}

int
string_buffer_char_before(struct string_buffer *sb, int index)
{
    return index > 0 ? string_buffer_char_at(sb, index - 1) : STRING_BUFFER_EINDEX;
}

int
string_buffer_first_char(struct string_buffer *sb)
{
    return string_buffer_char_at(sb, 0);
}

int
string_buffer_last_char(struct string_buffer *sb)
{
    int c;

    lock(sb);
    c = string_buffer_char_at(sb, sb->count - 1);
    unlock(sb);
    return c;
}

int
string_buffer_set_char_at(struct string_buffer *sb, int index, char c)
{
    int result = STRING_BUFFER_EINDEX;

    lock(sb);
    if (index >= 0 && index < sb->count) {
        sb->chars[index] = c;
        result = 0;
    }
    unlock(sb);
    return result;
}

int
string_buffer_get_chars(struct string_buffer *sb, int start, int end, char *out, size_t size)
{
    int n = STRING_BUFFER_EINDEX;

    lock(sb);
    if (start >= 0 && start <= end && end <= sb->count && (size_t)(end - start) <= size) {
        n = end - start;
        memcpy(out, sb->chars + start, (size_t)n);
    }
    unlock(sb);
    return n;
}

int
string_buffer_to_string(struct string_buffer *sb, char *out, size_t size)
{
    int length;

    lock(sb);
    length = sb->count;
    if (size > 0) {
        size_t n = (size_t)length < size ? (size_t)length : size - 1;

        memcpy(out, sb->chars, n);
        out[n] = '\0';
    }
    unlock(sb);
    return length;
}

int
string_buffer_append(struct string_buffer *sb, const char *text)
{
    return append(sb, text, strlen(text));
}

int
string_buffer_append_range(struct string_buffer *sb, const char *text, int start, int end)
{
    if (start < 0 || start > end || (size_t)end > strlen(text))
        return STRING_BUFFER_EINDEX;
    return append(sb, text + start, (size_t)(end - start));
}

int
string_buffer_append_char(struct string_buffer *sb, char c)
{
    return append(sb, &c, 1);
}

int
string_buffer_append_repeated(struct string_buffer *sb, char c, int n)
{
    int result = STRING_BUFFER_ENOMEM;

    if (n < 0)
        return STRING_BUFFER_EINDEX;
    lock(sb);
    if (n <= MAX_LENGTH && reserve_locked(sb, sb->count + n) == 0) {
        memset(sb->chars + sb->count, c, (size_t)n);
        sb->count += n;
        result = sb->count;
    }
    unlock(sb);
    return result;
}

int
string_buffer_append_int(struct string_buffer *sb, int value)
{
    return string_buffer_append_long(sb, value);
}

int
string_buffer_append_long(struct string_buffer *sb, long value)
{
    char text[32];

    return append(sb, text, (size_t)snprintf(text, sizeof text, "%ld", value));
}

int
string_buffer_append_bool(struct string_buffer *sb, bool value)
{
    return string_buffer_append(sb, value ? "true" : "false");
}

int
string_buffer_append_double(struct string_buffer *sb, double value)
{
    char text[32];

    return append(sb, text, (size_t)snprintf(text, sizeof text, "%g", value));
}

int
string_buffer_append_buffer(struct string_buffer *sb, struct string_buffer *other)
{
    int n;
    int result;

    lock(sb);
    n = string_buffer_length(other);
    result = reserve_locked(sb, sb->count + n);
    if (result == 0)
        result = string_buffer_get_chars(other, 0, n, sb->chars + sb->count, (size_t)n);
    if (result >= 0) {
        sb->count += n;
        result = sb->count;
    }
    unlock(sb);
    return result;
}

int
string_buffer_insert(struct string_buffer *sb, int offset, const char *text)
{
    return insert(sb, offset, text, strlen(text));
}

int
string_buffer_insert_char(struct string_buffer *sb, int offset, char c)
{
    return insert(sb, offset, &c, 1);
}

int
string_buffer_insert_int(struct string_buffer *sb, int offset, int value)
{
    return string_buffer_insert_long(sb, offset, value);
}

int
string_buffer_insert_long(struct string_buffer *sb, int offset, long value)
{
    char text[32];

    return insert(sb, offset, text, (size_t)snprintf(text, sizeof text, "%ld", value));
}

int
string_buffer_insert_bool(struct string_buffer *sb, int offset, bool value)
{
    return string_buffer_insert(sb, offset, value ? "true" : "false");
}

int
string_buffer_insert_double(struct string_buffer *sb, int offset, double value)
{
    char text[32];

    return insert(sb, offset, text, (size_t)snprintf(text, sizeof text, "%g", value));
}

int
string_buffer_insert_buffer(struct string_buffer *sb, int offset, struct string_buffer *other)
{
    int n = string_buffer_length(other);
    char *copy = malloc((size_t)n + 1);
    int result;

    if (copy == NULL)
        return STRING_BUFFER_ENOMEM;
    result = string_buffer_get_chars(other, 0, n, copy, (size_t)n);
    if (result >= 0)
        result = insert(sb, offset, copy, (size_t)n);
    free(copy);
    return result;
}

int
string_buffer_delete(struct string_buffer *sb, int start, int end)
{
    int result;

    lock(sb);
    result = splice_locked(sb, start, end < sb->count ? end : sb->count, "", 0);
    unlock(sb);
    return result;
}

int
string_buffer_delete_char_at(struct string_buffer *sb, int index)
{
    int result = STRING_BUFFER_EINDEX;

    lock(sb);
    if (index >= 0 && index < sb->count)
        result = splice_locked(sb, index, index + 1, "", 0);
    unlock(sb);
    return result;
}

int
string_buffer_replace(struct string_buffer *sb, int start, int end, const char *text)
{
    int result;

    lock(sb);
    result = splice_locked(sb, start, end < sb->count ? end : sb->count, text, strlen(text));
    unlock(sb);
    return result;
}

void
string_buffer_reverse(struct string_buffer *sb)
{
    lock(sb);
    for (int i = 0, j = sb->count - 1; i < j; i++, j--) {
        char c = sb->chars[i];

        sb->chars[i] = sb->chars[j];
        sb->chars[j] = c;
    }
    unlock(sb);
}

void
string_buffer_to_upper(struct string_buffer *sb)
{
    lock(sb);
    for (int i = 0; i < sb->count; i++)
        sb->chars[i] = (char)toupper((unsigned char)sb->chars[i]);
    unlock(sb);
}

void
string_buffer_to_lower(struct string_buffer *sb)
{
    lock(sb);
    for (int i = 0; i < sb->count; i++)
        sb->chars[i] = (char)tolower((unsigned char)sb->chars[i]);
    unlock(sb);
}

int
string_buffer_strip(struct string_buffer *sb)
{
    int start = 0;
    int result;

    lock(sb);
    while (sb->count > 0 && sb->chars[sb->count - 1] == ' ')
        sb->count--;
    while (start < sb->count && sb->chars[start] == ' ')
        start++;
    result = splice_locked(sb, 0, start, "", 0);
    unlock(sb);
    return result;
}

int
string_buffer_index_of(struct string_buffer *sb, const char *text)
{
    return string_buffer_index_of_from(sb, text, 0);
}

int
string_buffer_index_of_from(struct string_buffer *sb, const char *text, int from)
{
    int result = STRING_BUFFER_ENONE;

    lock(sb);
    for (int i = from < 0 ? 0 : from; i <= sb->count && result < 0; i++)
        if (matches_locked(sb, i, text))
            result = i;
    unlock(sb);
    return result;
}

int
string_buffer_last_index_of(struct string_buffer *sb, const char *text)
{
    return string_buffer_last_index_of_from(sb, text, string_buffer_length(sb));
}

int
string_buffer_last_index_of_from(struct string_buffer *sb, const char *text, int from)
{
    int result = STRING_BUFFER_ENONE;

    lock(sb);
    for (int i = from < sb->count ? from : sb->count; i >= 0 && result < 0; i--)
        if (matches_locked(sb, i, text))
            result = i;
    unlock(sb);
    return result;
}

int
string_buffer_count_char(struct string_buffer *sb, char c)
{
    int n = 0;

    lock(sb);
    for (int i = 0; i < sb->count; i++)
        n += sb->chars[i] == c;
    unlock(sb);
    return n;
}

bool
string_buffer_starts_with(struct string_buffer *sb, const char *text)
{
    bool result;

    lock(sb);
    result = matches_locked(sb, 0, text);
    unlock(sb);
    return result;
}

bool
string_buffer_ends_with(struct string_buffer *sb, const char *text)
{
    bool result;

    lock(sb);
    result = matches_locked(sb, sb->count - (int)strnlen(text, MAX_LENGTH + 1), text);
    unlock(sb);
    return result;
}

bool
string_buffer_content_equals(struct string_buffer *sb, const char *text)
{
    bool result;

    lock(sb);
    result = strnlen(text, MAX_LENGTH + 1) == (size_t)sb->count && matches_locked(sb, 0, text);
    unlock(sb);
    return result;
}

unsigned
string_buffer_hash_code(struct string_buffer *sb)
{
    unsigned hash = 0;

    lock(sb);
    for (int i = 0; i < sb->count; i++)
        hash = 31 * hash + (unsigned char)sb->chars[i];
    unlock(sb);
    return hash;
}

bool
string_buffer_equals(struct string_buffer *sb, struct string_buffer *other)
{
    return string_buffer_compare_to(sb, other) == 0;
}

int
string_buffer_compare_to(struct string_buffer *sb, struct string_buffer *other)
{
    int n;
    int result = 0;

    lock(sb);
    n = string_buffer_length(other);
    for (int i = 0; i < n && i < sb->count && result == 0; i++) {
        int c = (unsigned char)sb->chars[i];
        int d = string_buffer_char_at(other, i);

        result = (c > d) - (c < d);
    }
    if (result == 0)
        result = (sb->count > n) - (sb->count < n);
    unlock(sb);
    return result;
}
