/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_rotate.c - log lines are appended under the lock of the file; a rotation swaps the
 * file under the lock of the logger and frees the old one. A writer that has got the file,
 * and not its lock yet, appends to what is gone. FIXED: writers keep the logger's lock,
 * shared, until they are done.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 3, ROTATIONS = 2, WRITERS = 2 };

struct file {
    pthread_mutex_t lock;
    size_t length;
    char text[64];
};

static pthread_rwlock_t logger_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct file *current;

static struct file *
file_new(void)
{
    struct file *f = calloc(1, sizeof *f);

    pthread_mutex_init(&f->lock, NULL);
    return f;
}

static void
file_free(struct file *f)
{
    pthread_mutex_destroy(&f->lock);
    free(f);
}

static void
append(const char *line)
{
    struct file *f;

    pthread_rwlock_rdlock(&logger_lock);
    f = current;
#ifndef FIXED
    pthread_rwlock_unlock(&logger_lock);
#endif
    pthread_mutex_lock(&f->lock);
    memcpy(f->text + f->length, line, 4);
    f->length += 4;
    pthread_mutex_unlock(&f->lock);
#ifdef FIXED
    pthread_rwlock_unlock(&logger_lock);
#endif
}

static void
rotate(void)
{
    struct file *fresh = file_new();
    struct file *old;

    pthread_rwlock_wrlock(&logger_lock);
    old = current;
    current = fresh;
    pthread_rwlock_unlock(&logger_lock);
    file_free(old);
}

static void *
writer(void *arg)
{
    for (int i = 0; i < LINES; i++)
        append("line");
    return arg;
}

int
main(void)
{
    pthread_t threads[WRITERS];

    current = file_new();
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&threads[i], NULL, writer, NULL);
    for (int i = 0; i < ROTATIONS; i++)
        rotate();
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    file_free(current);
    return 0;
}
