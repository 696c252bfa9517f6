/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stringbuffer.c - SCTBench CB/stringbuffer-jdk1.4: appending one string buffer to another.
 *
 * Every method locks its own buffer. append() asks the other for its length, makes room, and then
 * asks for as many characters; another thread may have shortened it in between, and the copy asks
 * for more than there is (an exception in Java, an assertion here). FIXED: append() holds the lock
 * of the other from length to copy.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct strbuf {
    pthread_mutex_t lock; /* recursive, as a monitor is */
    char *text;
    size_t length;
    size_t capacity;
};

static struct strbuf *
strbuf_new(const char *text)
{
    struct strbuf *b = calloc(1, sizeof *b);
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&b->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    b->length = strlen(text);
    b->capacity = b->length + 16;
    b->text = malloc(b->capacity);
    memcpy(b->text, text, b->length);
    return b;
}

static void
strbuf_free(struct strbuf *b)
{
    pthread_mutex_destroy(&b->lock);
    free(b->text);
    free(b);
}

static size_t
strbuf_length(struct strbuf *b)
{
    size_t length;

    pthread_mutex_lock(&b->lock);
    length = b->length;
    pthread_mutex_unlock(&b->lock);
    return length;
}

static void
strbuf_get_chars(struct strbuf *b, size_t begin, size_t end, char *to)
{
    pthread_mutex_lock(&b->lock);
    assert(begin <= end && end <= b->length);
    memcpy(to, b->text + begin, end - begin);
    pthread_mutex_unlock(&b->lock);
}

static void
strbuf_erase(struct strbuf *b, size_t begin, size_t end)
{
    pthread_mutex_lock(&b->lock);
    if (end > b->length)
        end = b->length;
    assert(begin <= end);
    memmove(b->text + begin, b->text + end, b->length - end);
    b->length -= end - begin;
    pthread_mutex_unlock(&b->lock);
}

/* Room for n characters in all; with the lock held. */
static void
strbuf_ensure(struct strbuf *b, size_t n)
{
    if (n <= b->capacity)
        return;
    b->capacity = n * 2;
    b->text = realloc(b->text, b->capacity);
}

static void
strbuf_append_text(struct strbuf *b, const char *text)
{
    size_t n = strlen(text);

    pthread_mutex_lock(&b->lock);
    strbuf_ensure(b, b->length + n);
    memcpy(b->text + b->length, text, n);
    b->length += n;
    pthread_mutex_unlock(&b->lock);
}

static void
strbuf_append(struct strbuf *b, struct strbuf *other)
{
    size_t n;

    pthread_mutex_lock(&b->lock);
#ifdef FIXED
    pthread_mutex_lock(&other->lock);
#endif
    n = strbuf_length(other);
    strbuf_ensure(b, b->length + n);
    strbuf_get_chars(other, 0, n, b->text + b->length);
    b->length += n;
#ifdef FIXED
    pthread_mutex_unlock(&other->lock);
#endif
    pthread_mutex_unlock(&b->lock);
}

static struct strbuf *shared;

static void *
rewrite(void *arg)
{
    (void)arg;
    strbuf_erase(shared, 0, 3);
    strbuf_append_text(shared, "abc");
    return NULL;
}

int
main(void)
{
    struct strbuf *collected = strbuf_new("");
    pthread_t thread;

    shared = strbuf_new("abc");
    pthread_create(&thread, NULL, rewrite, NULL);
    strbuf_append(collected, shared);
    pthread_join(thread, NULL);
    strbuf_free(collected);
    strbuf_free(shared);
    return 0;
}
