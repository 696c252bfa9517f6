/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strbuf.c - a growing, thread-safe string of bytes.
 *
 * One mutex per string. Every change goes through splice_locked(), which replaces a range by new
 * bytes and is the only place that moves bytes or asks for memory while the string is in use.
 */
#include "strbuf.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_CAPACITY 16

struct strbuf {
    pthread_mutex_t lock; /* of everything below */
    char *bytes;          /* no 0 at the end */
    int length;           /* <= capacity */
    int capacity;         /* <= STRBUF_MAX_LENGTH */
};

/* ---- with the lock held -------------------------------------------------------------------- */

static bool
in_range_locked(const struct strbuf *sb, int start, int end)
{
    return start >= 0 && start <= end && end <= sb->length;
}

/* Exactly this much memory, at least one byte of it. */
static int
resize_locked(struct strbuf *sb, int capacity)
{
    char *bytes = realloc(sb->bytes, capacity > 0 ? (size_t)capacity : 1);

    if (bytes == NULL)
        return -ENOMEM;
    sb->bytes = bytes;
    sb->capacity = capacity;
    return 0;
}

static int
reserve_locked(struct strbuf *sb, int length)
{
    int capacity = sb->capacity * 2 + 2;

    if (length <= sb->capacity)
        return 0;
    if (capacity < length)
        capacity = length;
    if (capacity > STRBUF_MAX_LENGTH)
        capacity = STRBUF_MAX_LENGTH;
    return resize_locked(sb, capacity);
}

/* Puts len bytes in the place of the range [start, end). The bytes are not those of sb. */
static int
splice_locked(struct strbuf *sb, int start, int end, const char *bytes, size_t len)
{
    int rc;
    int length;

    if (!in_range_locked(sb, start, end))
        return -ERANGE;
    if (len > (size_t)(STRBUF_MAX_LENGTH - sb->length + end - start))
        return -ENOSPC;
    length = sb->length - (end - start) + (int)len;
    rc = reserve_locked(sb, length);
    if (rc != 0)
        return rc;
    memmove(sb->bytes + start + len, sb->bytes + end, (size_t)(sb->length - end));
    memcpy(sb->bytes + start, bytes, len);
    sb->length = length;
    return 0;
}

static bool
matches_locked(const struct strbuf *sb, int offset, const char *text, size_t len)
{
    return (size_t)(sb->length - offset) >= len && memcmp(sb->bytes + offset, text, len) == 0;
}

/* ---- making and freeing -------------------------------------------------------------------- */

struct strbuf *
strbuf_new(const char *text)
{
    const size_t len = text != NULL ? strlen(text) : 0;
    struct strbuf *sb;

    if (len > STRBUF_MAX_LENGTH)
        return NULL;
    sb = calloc(1, sizeof *sb);
    if (sb == NULL)
        return NULL;
    if (resize_locked(sb, len > MIN_CAPACITY ? (int)len : MIN_CAPACITY) != 0) {
        free(sb);
        return NULL;
    }
    if (len > 0)
        memcpy(sb->bytes, text, len);
    sb->length = (int)len;
    pthread_mutex_init(&sb->lock, NULL);
    return sb;
}

void
strbuf_free(struct strbuf *sb)
{
    if (sb == NULL)
        return;
    pthread_mutex_destroy(&sb->lock);
    free(sb->bytes);
    free(sb);
}

/* ---- length -------------------------------------------------------------------------------- */

int
strbuf_length(struct strbuf *sb)
{
    int length;

    pthread_mutex_lock(&sb->lock);
    length = sb->length;
    pthread_mutex_unlock(&sb->lock);
    return length;
}

bool
strbuf_is_empty(struct strbuf *sb)
{
    return strbuf_length(sb) == 0;
}

int
strbuf_capacity(struct strbuf *sb)
{
    int capacity;

    pthread_mutex_lock(&sb->lock);
    capacity = sb->capacity;
    pthread_mutex_unlock(&sb->lock);
    return capacity;
}

int
strbuf_ensure_capacity(struct strbuf *sb, int capacity)
{
    int rc;

    if (capacity > STRBUF_MAX_LENGTH)
        return -ENOSPC;
    pthread_mutex_lock(&sb->lock);
    rc = reserve_locked(sb, capacity);
    pthread_mutex_unlock(&sb->lock);
    return rc;
}

int
strbuf_trim(struct strbuf *sb)
{
    int rc;

    pthread_mutex_lock(&sb->lock);
    rc = resize_locked(sb, sb->length);
    pthread_mutex_unlock(&sb->lock);
    return rc;
}

int
strbuf_set_length(struct strbuf *sb, int length)
{
    int rc;

    if (length < 0)
        return -ERANGE;
    if (length > STRBUF_MAX_LENGTH)
        return -ENOSPC;
    pthread_mutex_lock(&sb->lock);
    rc = reserve_locked(sb, length);
    if (rc == 0) {
        if (length > sb->length)
            memset(sb->bytes + sb->length, ' ', (size_t)(length - sb->length));
        sb->length = length;
    }
    pthread_mutex_unlock(&sb->lock);
    return rc;
}

void
strbuf_clear(struct strbuf *sb)
{
    pthread_mutex_lock(&sb->lock);
    sb->length = 0;
    pthread_mutex_unlock(&sb->lock);
}

/* ---- growing ------------------------------------------------------------------------------- */

int
strbuf_append(struct strbuf *sb, const char *text)
{
    return strbuf_append_bytes(sb, text, strlen(text));
}

int
strbuf_append_char(struct strbuf *sb, char c)
{
    return strbuf_append_bytes(sb, &c, 1);
}

int
strbuf_append_int(struct strbuf *sb, int value)
{
    char digits[16];
    const int n = snprintf(digits, sizeof digits, "%d", value);

    return strbuf_append_bytes(sb, digits, (size_t)n);
}

int
strbuf_append_bytes(struct strbuf *sb, const char *bytes, size_t len)
{
    int rc;

    pthread_mutex_lock(&sb->lock);
    rc = splice_locked(sb, sb->length, sb->length, bytes, len);
    pthread_mutex_unlock(&sb->lock);
    return rc;
}

/* The other string is copied first: two locks are never held at once, so nothing can deadlock. */
int
strbuf_append_buf(struct strbuf *sb, struct strbuf *other)
{
    const int len = strbuf_length(other);
    char *copy = malloc((size_t)len + 1);
    int rc;

    if (copy == NULL)
        return -ENOMEM;
    rc = strbuf_get_chars(other, 0, len, copy, (size_t)len);
    assert(rc == len);
    rc = strbuf_append_bytes(sb, copy, (size_t)len);
    free(copy);
    return rc;
}

int
strbuf_insert(struct strbuf *sb, int offset, const char *text)
{
    return strbuf_replace(sb, offset, offset, text);
}

int
strbuf_insert_char(struct strbuf *sb, int offset, char c)
{
    int rc;

    pthread_mutex_lock(&sb->lock);
    rc = splice_locked(sb, offset, offset, &c, 1);
    pthread_mutex_unlock(&sb->lock);
    return rc;
}

/* ---- changing ------------------------------------------------------------------------------ */

int
strbuf_delete(struct strbuf *sb, int start, int end)
{
    return strbuf_replace(sb, start, end, "");
}

int
strbuf_delete_char_at(struct strbuf *sb, int offset)
{
    int rc = -ERANGE;

    pthread_mutex_lock(&sb->lock);
    if (offset >= 0 && offset < sb->length)
        rc = splice_locked(sb, offset, offset + 1, "", 0);
    pthread_mutex_unlock(&sb->lock);
    return rc;
}

int
strbuf_replace(struct strbuf *sb, int start, int end, const char *text)
{
    int rc;

    pthread_mutex_lock(&sb->lock);
    rc = splice_locked(sb, start, end, text, strlen(text));
    pthread_mutex_unlock(&sb->lock);
    return rc;
}

int
strbuf_set_char_at(struct strbuf *sb, int offset, char c)
{
    int rc = -ERANGE;

    pthread_mutex_lock(&sb->lock);
    if (offset >= 0 && offset < sb->length) {
        sb->bytes[offset] = c;
        rc = 0;
    }
    pthread_mutex_unlock(&sb->lock);
    return rc;
}

void
strbuf_reverse(struct strbuf *sb)
{
    pthread_mutex_lock(&sb->lock);
    for (int i = 0, j = sb->length - 1; i < j; i++, j--) {
        const char c = sb->bytes[i];

        sb->bytes[i] = sb->bytes[j];
        sb->bytes[j] = c;
    }
    pthread_mutex_unlock(&sb->lock);
}

/* ---- asking -------------------------------------------------------------------------------- */

int
strbuf_char_at(struct strbuf *sb, int offset)
{
    int c = -ERANGE;

    pthread_mutex_lock(&sb->lock);
    if (offset >= 0 && offset < sb->length)
        c = (unsigned char)sb->bytes[offset];
    pthread_mutex_unlock(&sb->lock);
    return c;
}

int
strbuf_index_of(struct strbuf *sb, const char *text)
{
    const size_t len = strlen(text);
    int found = -ENOENT;

    pthread_mutex_lock(&sb->lock);
    for (int i = 0; i <= sb->length && found < 0; i++)
        if (matches_locked(sb, i, text, len))
            found = i;
    pthread_mutex_unlock(&sb->lock);
    return found;
}

int
strbuf_last_index_of(struct strbuf *sb, const char *text)
{
    const size_t len = strlen(text);
    int found = -ENOENT;

    pthread_mutex_lock(&sb->lock);
    for (int i = sb->length; i >= 0 && found < 0; i--)
        if (matches_locked(sb, i, text, len))
            found = i;
    pthread_mutex_unlock(&sb->lock);
    return found;
}

bool
strbuf_starts_with(struct strbuf *sb, const char *text)
{
    bool starts;

    pthread_mutex_lock(&sb->lock);
    starts = matches_locked(sb, 0, text, strlen(text));
    pthread_mutex_unlock(&sb->lock);
    return starts;
}

bool
strbuf_equals(struct strbuf *sb, const char *text)
{
    const size_t len = strlen(text);
    bool equal;

    pthread_mutex_lock(&sb->lock);
    equal = (size_t)sb->length == len && matches_locked(sb, 0, text, len);
    pthread_mutex_unlock(&sb->lock);
    return equal;
}

int
strbuf_get_chars(struct strbuf *sb, int start, int end, char *dst, size_t cap)
{
    int n = -ERANGE;

    pthread_mutex_lock(&sb->lock);
    if (in_range_locked(sb, start, end)) {
        n = end - start;
        if ((size_t)n > cap)
            n = -ENOSPC;
        else
            memcpy(dst, sb->bytes + start, (size_t)n);
    }
    pthread_mutex_unlock(&sb->lock);
    return n;
}

int
strbuf_to_string(struct strbuf *sb, char *dst, size_t cap)
{
    int length;

    pthread_mutex_lock(&sb->lock);
    length = sb->length;
    if (cap > 0) {
        const size_t n = (size_t)length < cap ? (size_t)length : cap - 1;

        memcpy(dst, sb->bytes, n);
        dst[n] = '\0';
    }
    pthread_mutex_unlock(&sb->lock);
    return length;
}
