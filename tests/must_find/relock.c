/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.relock
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-SEQUENTIAL: yes
 * BURL-WHY: log_flush is called with the lock held and takes it again; the mutex is not
 *   recursive.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { CAPACITY = 2 };

struct log {
    pthread_mutex_t mutex; /* guards the rest */
    int lines;
    int flushed;
};

static struct log the_log = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void
log_flush(struct log *l)
{
    pthread_mutex_lock(&l->mutex);
    l->flushed += l->lines;
    l->lines = 0;
    pthread_mutex_unlock(&l->mutex);
}

static void
log_line(struct log *l)
{
    pthread_mutex_lock(&l->mutex);
    if (++l->lines == CAPACITY)
        log_flush(l);
    pthread_mutex_unlock(&l->mutex);
}

static void *
worker(void *arg)
{
    log_line(arg);
    log_line(arg);
    return NULL;
}

int
main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, worker, &the_log);
    pthread_join(thread, NULL);
    assert(the_log.flushed == 2);
    return 0;
}
