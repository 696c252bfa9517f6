/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bufinput.h - a buffered, thread-safe input stream over a block of bytes.
 *
 * The stream reads its source through a small buffer, can look ahead, push one byte back, mark a
 * place and return to it. All functions but bufinput_free() may be called from any thread at any
 * time; each takes effect at once. After bufinput_close() every function that needs the bytes
 * answers -EBADF; questions about the state still work.
 */
#ifndef BUFINPUT_H
#define BUFINPUT_H

#include <stdbool.h>
#include <stddef.h>

/* What the byte functions answer at the end of the source. */
#define BUFINPUT_EOF (-1)

/* The largest buffer that can be asked for. */
#define BUFINPUT_MAX_BUFFER 4096

struct bufinput;

/* A stream over a copy of the len bytes at data; NULL when there is no memory. */
struct bufinput *bufinput_new(const void *data, size_t len) __attribute__((nonnull));

/* A stream over a copy of the string, without its 0 byte; NULL when there is no memory. */
struct bufinput *bufinput_new_string(const char *text) __attribute__((nonnull));

/* Gives everything back; no other thread may still use the stream. NULL is fine. */
void bufinput_free(struct bufinput *in);

/* The next byte, BUFINPUT_EOF, or -EBADF. */
int bufinput_read_byte(struct bufinput *in) __attribute__((nonnull));

/* Reads up to len bytes to dst; how many, 0 at the end, or -EBADF. */
int bufinput_read(struct bufinput *in, void *dst, size_t len) __attribute__((nonnull));

/* As bufinput_read(), but all len bytes or nothing: 0, -ENODATA when there are fewer, -EBADF. */
int bufinput_read_full(struct bufinput *in, void *dst, size_t len) __attribute__((nonnull));

/*
 * Reads a line of at most cap - 1 bytes without its newline and ends it with 0; its length,
 * BUFINPUT_EOF, -EINVAL when cap is 0, or -EBADF.
 */
int bufinput_read_line(struct bufinput *in, char *dst, size_t cap) __attribute__((nonnull));

/* The next byte, which stays in the stream; BUFINPUT_EOF, or -EBADF. */
int bufinput_peek(struct bufinput *in) __attribute__((nonnull));

/* Steps one byte back: 0, -EINVAL at the very beginning, or -EBADF. */
int bufinput_unread(struct bufinput *in) __attribute__((nonnull));

/* Passes over up to n bytes; how many, -EINVAL when n is negative, or -EBADF. */
int bufinput_skip(struct bufinput *in, int n) __attribute__((nonnull));

/* Passes over everything up to and including the given byte; how many bytes, or -EBADF. */
int bufinput_skip_past(struct bufinput *in, int byte) __attribute__((nonnull));

/* How many bytes are left, or -EBADF. */
int bufinput_available(struct bufinput *in) __attribute__((nonnull));

/* How many of them are in the buffer already; 0 when closed. */
int bufinput_buffered(struct bufinput *in) __attribute__((nonnull));

/* Remembers this place until more than limit bytes are read: 0, -EINVAL, -EBADF. */
int bufinput_mark(struct bufinput *in, int limit) __attribute__((nonnull));

/* Back to the mark: 0, -EINVAL when there is none or it has expired, -EBADF. */
int bufinput_reset(struct bufinput *in) __attribute__((nonnull));

/* Is there a mark that bufinput_reset() would go to? */
bool bufinput_has_mark(struct bufinput *in) __attribute__((nonnull));

/* Forgets the mark. */
void bufinput_clear_mark(struct bufinput *in) __attribute__((nonnull));

/* Back to the beginning; the mark is forgotten: 0 or -EBADF. */
int bufinput_rewind(struct bufinput *in) __attribute__((nonnull));

/* How many bytes lie before the next one, or -EBADF. */
int bufinput_position(struct bufinput *in) __attribute__((nonnull));

/* Is everything read? A closed stream is at its end. */
bool bufinput_at_eof(struct bufinput *in) __attribute__((nonnull));

/* Takes a buffer of another size, 1 to BUFINPUT_MAX_BUFFER: 0, -EINVAL, -ENOMEM, -EBADF. */
int bufinput_set_buffer_size(struct bufinput *in, int size) __attribute__((nonnull));

/* The size of the buffer. */
int bufinput_buffer_size(struct bufinput *in) __attribute__((nonnull));

/* Is it still open? */
bool bufinput_is_open(struct bufinput *in) __attribute__((nonnull));

/* Gives the buffer back and ends all reading: 0, or -EBADF when it is closed already. */
int bufinput_close(struct bufinput *in) __attribute__((nonnull));

#endif
