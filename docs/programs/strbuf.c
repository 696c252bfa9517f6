/* SPDX-License-Identifier: Apache-2.0 */
#include "strbuf.h"

#include <pthread.h>
#include <stdlib.h>

struct strbuf {
    pthread_mutex_t lock;
    int n;
    char text[64];
};

struct page {
    int lines;
};

struct writer {
    pthread_mutex_t lock; /* of the writer and its page */
    struct page *page;
};

struct strbuf *
strbuf_new(void)
{
    struct strbuf *sb = calloc(1, sizeof *sb);

    if (sb != NULL)
        pthread_mutex_init(&sb->lock, NULL);
    return sb;
}

void
strbuf_free(struct strbuf *sb)
{
    pthread_mutex_destroy(&sb->lock);
    free(sb);
}

int
strbuf_put(struct strbuf *sb, char c)
{
    int rc = -1;

    pthread_mutex_lock(&sb->lock);
    if (sb->n < (int)sizeof sb->text) {
        sb->text[sb->n++] = c;
        rc = 0;
    }
    pthread_mutex_unlock(&sb->lock);
    return rc;
}

int
strbuf_length(struct strbuf *sb)
{
    int n;

    pthread_mutex_lock(&sb->lock);
    n = sb->n;
    pthread_mutex_unlock(&sb->lock);
    return n;
}

void
strbuf_clear(struct strbuf *sb)
{
    pthread_mutex_lock(&sb->lock);
    sb->n = 0;
    pthread_mutex_unlock(&sb->lock);
}

/* Copies the first n characters; -1 if there are fewer. */
static int
get_chars(struct strbuf *sb, char *to, int n)
{
    int rc = -1;

    pthread_mutex_lock(&sb->lock);
    if (n <= sb->n) {
        for (int i = 0; i < n; i++)
            to[i] = sb->text[i];
        rc = 0;
    }
    pthread_mutex_unlock(&sb->lock);
    return rc;
}

int
strbuf_append(struct strbuf *sb, struct strbuf *other)
{
    int n = strbuf_length(other);
    char copy[sizeof sb->text];
    int rc = -1;

    if (get_chars(other, copy, n) != 0) /* other may be shorter by now */
        return -1;
    pthread_mutex_lock(&sb->lock);
    if (sb->n + n <= (int)sizeof sb->text) {
        for (int i = 0; i < n; i++)
            sb->text[sb->n++] = copy[i];
        rc = sb->n;
    }
    pthread_mutex_unlock(&sb->lock);
    return rc;
}

struct page *
page_new(void)
{
    return calloc(1, sizeof(struct page));
}

void
page_free(struct page *p)
{
    free(p);
}

struct writer *
writer_new(struct page *p)
{
    struct writer *w = calloc(1, sizeof *w);

    if (w != NULL) {
        pthread_mutex_init(&w->lock, NULL);
        w->page = p;
    }
    return w;
}

void
writer_free(struct writer *w)
{
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void
writer_attach(struct writer *w, struct page *p)
{
    pthread_mutex_lock(&w->lock);
    w->page = p;
    pthread_mutex_unlock(&w->lock);
}

int
writer_line(struct writer *w)
{
    int n;

    pthread_mutex_lock(&w->lock);
    n = w->page->lines + 1;
    w->page->lines = n;
    pthread_mutex_unlock(&w->lock);
    return n;
}
