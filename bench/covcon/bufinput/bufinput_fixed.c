/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bufinput_fixed.c - a buffered, thread-safe input stream over a block of bytes.
 *
 * One mutex guards everything. The buffer holds a piece of the source; what is before `pos` has
 * been read. A stream is open exactly as long as it has a buffer, so that closing gives the memory
 * back at once. Going back (mark, unread) seeks in the source and drops the buffer's content: it is
 * rare, and the buffer stays simple.
 */
#include "bufinput.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Small, because the usual reader takes short lines; bufinput_set_buffer_size() for the others. */
#define DEFAULT_BUFFER 16

#define NO_MARK (-1)

struct bufinput {
    pthread_mutex_t lock; /* of everything below */
    unsigned char *src;
    size_t src_len;     /* at most INT_MAX, so that every count fits an int */
    size_t src_pos;     /* the next byte that goes to the buffer */
    unsigned char *buf; /* NULL: closed */
    size_t buf_size;
    size_t pos;   /* the next byte for the reader; <= count */
    size_t count; /* bytes in the buffer; <= buf_size */
    long mark;    /* offset in the source, or NO_MARK */
    int mark_limit;
};

/* ---- with the lock held -------------------------------------------------------------------- */

static size_t
offset_locked(const struct bufinput *in)
{
    return in->src_pos - (in->count - in->pos);
}

static void
seek_locked(struct bufinput *in, size_t offset)
{
    in->src_pos = offset;
    in->pos = 0;
    in->count = 0;
}

/* Takes the next piece of the source when the buffer is used up; false at the end. */
static bool
fill_locked(struct bufinput *in)
{
    size_t n = in->src_len - in->src_pos;

    if (in->pos < in->count)
        return true;
    if (n == 0)
        return false;
    if (n > in->buf_size)
        n = in->buf_size;
    memcpy(in->buf, in->src + in->src_pos, n);
    in->src_pos += n;
    in->pos = 0;
    in->count = n;
    return true;
}

static int
next_locked(struct bufinput *in)
{
    if (!fill_locked(in))
        return BUFINPUT_EOF;
    return in->buf[in->pos++];
}

/* Copies up to len bytes; how many there were. */
static size_t
take_locked(struct bufinput *in, unsigned char *dst, size_t len)
{
    size_t done = 0;

    while (done < len && fill_locked(in)) {
        size_t n = in->count - in->pos;

        if (n > len - done)
            n = len - done;
        memcpy(dst + done, in->buf + in->pos, n);
        in->pos += n;
        done += n;
    }
    return done;
}

static bool
mark_valid_locked(const struct bufinput *in)
{
    const long here = (long)offset_locked(in);

    return in->mark != NO_MARK && here >= in->mark && here - in->mark <= in->mark_limit;
}

/* ---- making and freeing -------------------------------------------------------------------- */

struct bufinput *
bufinput_new(const void *data, size_t len)
{
    struct bufinput *in;

    if (len > INT_MAX)
        return NULL;
    in = calloc(1, sizeof *in);
    if (in == NULL)
        return NULL;
    in->src = malloc(len + 1);
    in->buf = malloc(DEFAULT_BUFFER);
    if (in->src == NULL || in->buf == NULL) {
        free(in->src);
        free(in->buf);
        free(in);
        return NULL;
    }
    memcpy(in->src, data, len);
    in->src_len = len;
    in->buf_size = DEFAULT_BUFFER;
    in->mark = NO_MARK;
    pthread_mutex_init(&in->lock, NULL);
    return in;
}

struct bufinput *
bufinput_new_string(const char *text)
{
    return bufinput_new(text, strlen(text));
}

void
bufinput_free(struct bufinput *in)
{
    if (in == NULL)
        return;
    pthread_mutex_destroy(&in->lock);
    free(in->buf);
    free(in->src);
    free(in);
}

/* ---- reading ------------------------------------------------------------------------------- */

int
bufinput_read_byte(struct bufinput *in)
{
    int byte = -EBADF;

    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL)
        byte = next_locked(in);
    pthread_mutex_unlock(&in->lock);
    return byte;
}

int
bufinput_read(struct bufinput *in, void *dst, size_t len)
{
    int n = -EBADF;

    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL)
        n = (int)take_locked(in, dst, len);
    pthread_mutex_unlock(&in->lock);
    return n;
}

int
bufinput_read_full(struct bufinput *in, void *dst, size_t len)
{
    int rc = -EBADF;

    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL && in->src_len - offset_locked(in) < len) {
        rc = -ENODATA;
    } else if (in->buf != NULL) {
        take_locked(in, dst, len);
        rc = 0;
    }
    pthread_mutex_unlock(&in->lock);
    return rc;
}

int
bufinput_read_line(struct bufinput *in, char *dst, size_t cap)
{
    int n = 0;

    if (cap == 0)
        return -EINVAL;
    pthread_mutex_lock(&in->lock);
    if (in->buf == NULL) {
        n = -EBADF;
    } else if (!fill_locked(in)) {
        n = BUFINPUT_EOF;
    } else {
        while ((size_t)n < cap - 1) {
            const int byte = next_locked(in);

            if (byte == BUFINPUT_EOF || byte == '\n')
                break;
            dst[n++] = (char)byte;
        }
        dst[n] = '\0';
    }
    pthread_mutex_unlock(&in->lock);
    return n;
}

int
bufinput_peek(struct bufinput *in)
{
    int byte = -EBADF;

    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL)
        byte = fill_locked(in) ? in->buf[in->pos] : BUFINPUT_EOF;
    pthread_mutex_unlock(&in->lock);
    return byte;
}

int
bufinput_unread(struct bufinput *in)
{
    int rc = -EBADF;

    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL) {
        const size_t here = offset_locked(in);

        rc = here > 0 ? 0 : -EINVAL;
        if (here > 0)
            seek_locked(in, here - 1);
    }
    pthread_mutex_unlock(&in->lock);
    return rc;
}

int
bufinput_skip(struct bufinput *in, int n)
{
    int done = -EBADF;

    if (n < 0)
        return -EINVAL;
    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL) {
        const size_t here = offset_locked(in);
        const size_t left = in->src_len - here;

        done = left < (size_t)n ? (int)left : n;
        if ((size_t)done <= in->count - in->pos)
            in->pos += (size_t)done;
        else
            seek_locked(in, here + (size_t)done);
    }
    pthread_mutex_unlock(&in->lock);
    return done;
}

int
bufinput_skip_past(struct bufinput *in, int byte)
{
    int n = -EBADF;

    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL) {
        int seen;

        n = 0;
        do {
            seen = next_locked(in);
            n += seen != BUFINPUT_EOF;
        } while (seen != BUFINPUT_EOF && seen != (byte & 0xff));
    }
    pthread_mutex_unlock(&in->lock);
    return n;
}

/* ---- places -------------------------------------------------------------------------------- */

int
bufinput_available(struct bufinput *in)
{
    int n = -EBADF;

    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL)
        n = (int)(in->src_len - offset_locked(in));
    pthread_mutex_unlock(&in->lock);
    return n;
}

int
bufinput_buffered(struct bufinput *in)
{
    int n;

    pthread_mutex_lock(&in->lock);
    n = (int)(in->count - in->pos);
    pthread_mutex_unlock(&in->lock);
    return n;
}

int
bufinput_mark(struct bufinput *in, int limit)
{
    int rc = -EBADF;

    if (limit < 0)
        return -EINVAL;
    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL) {
        in->mark = (long)offset_locked(in);
        in->mark_limit = limit;
        rc = 0;
    }
    pthread_mutex_unlock(&in->lock);
    return rc;
}

int
bufinput_reset(struct bufinput *in)
{
    int rc = -EBADF;

    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL) {
        rc = -EINVAL;
        if (mark_valid_locked(in)) {
            seek_locked(in, (size_t)in->mark);
            rc = 0;
        }
    }
    pthread_mutex_unlock(&in->lock);
    return rc;
}

bool
bufinput_has_mark(struct bufinput *in)
{
    bool valid;

    pthread_mutex_lock(&in->lock);
    valid = in->buf != NULL && mark_valid_locked(in);
    pthread_mutex_unlock(&in->lock);
    return valid;
}

void
bufinput_clear_mark(struct bufinput *in)
{
    pthread_mutex_lock(&in->lock);
    in->mark = NO_MARK;
    pthread_mutex_unlock(&in->lock);
}

int
bufinput_rewind(struct bufinput *in)
{
    int rc = -EBADF;

    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL) {
        seek_locked(in, 0);
        in->mark = NO_MARK;
        rc = 0;
    }
    pthread_mutex_unlock(&in->lock);
    return rc;
}

int
bufinput_position(struct bufinput *in)
{
    int here = -EBADF;

    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL)
        here = (int)offset_locked(in);
    pthread_mutex_unlock(&in->lock);
    return here;
}

bool
bufinput_at_eof(struct bufinput *in)
{
    bool end;

    pthread_mutex_lock(&in->lock);
    end = in->buf == NULL || offset_locked(in) == in->src_len;
    pthread_mutex_unlock(&in->lock);
    return end;
}

/* ---- the buffer ---------------------------------------------------------------------------- */

int
bufinput_set_buffer_size(struct bufinput *in, int size)
{
    unsigned char *buf;
    int rc = -EBADF;

    if (size < 1 || size > BUFINPUT_MAX_BUFFER)
        return -EINVAL;
    buf = malloc((size_t)size);
    if (buf == NULL)
        return -ENOMEM;
    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL) {
        unsigned char *old = in->buf;

        seek_locked(in, offset_locked(in));
        in->buf = buf;
        in->buf_size = (size_t)size;
        buf = old;
        rc = 0;
    }
    pthread_mutex_unlock(&in->lock);
    free(buf);
    return rc;
}

int
bufinput_buffer_size(struct bufinput *in)
{
    int size;

    pthread_mutex_lock(&in->lock);
    size = (int)in->buf_size;
    pthread_mutex_unlock(&in->lock);
    return size;
}

bool
bufinput_is_open(struct bufinput *in)
{
    bool open;

    pthread_mutex_lock(&in->lock);
    open = in->buf != NULL;
    pthread_mutex_unlock(&in->lock);
    return open;
}

int
bufinput_close(struct bufinput *in)
{
    int rc = -EBADF;

    pthread_mutex_lock(&in->lock);
    if (in->buf != NULL) {
        seek_locked(in, offset_locked(in));
        free(in->buf);
        in->buf = NULL;
        rc = 0;
    }
    pthread_mutex_unlock(&in->lock);
    return rc;
}
