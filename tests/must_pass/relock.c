/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: log_flush_locked expects the lock to be held by its caller.
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
log_flush_locked(struct log *l)
{
    l->flushed += l->lines;
    l->lines = 0;
}

static void
log_line(struct log *l)
{
    pthread_mutex_lock(&l->mutex);
    if (++l->lines == CAPACITY)
        log_flush_locked(l);
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
