/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aget.c - SCTBench CB/aget-bug2: a download tool saves where it was when it is interrupted.
 *
 * Threads fetch ranges of a file and add what they got to a total. A thread that waits for SIGINT
 * writes the resume file: the total, and how far each range is. It does not take the lock of the
 * total, and the threads go on meanwhile: total and ranges do not agree, and the resumed download
 * has a hole. FIXED: ranges and total change together, and are saved under the lock.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

enum { THREADS = 2, CHUNKS = 3, CHUNK = 512 };

struct range {
    long begin;
    long offset; /* of the next byte to fetch */
};

struct resume_file {
    long total;
    struct range ranges[THREADS];
};

static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static struct range ranges[THREADS];
static struct resume_file saved;

static void *
fetch(void *arg)
{
    struct range *r = arg;

    for (int i = 0; i < CHUNKS; i++) {
#ifndef FIXED
        r->offset += CHUNK;
#endif
        pthread_mutex_lock(&total_lock);
#ifdef FIXED
        r->offset += CHUNK;
#endif
        total += CHUNK;
        pthread_mutex_unlock(&total_lock);
    }
    return NULL;
}

static void
save(void)
{
#ifdef FIXED
    pthread_mutex_lock(&total_lock);
#endif
    saved.total = total;
    for (int i = 0; i < THREADS; i++)
        saved.ranges[i] = ranges[i];
#ifdef FIXED
    pthread_mutex_unlock(&total_lock);
#endif
}

static void *
on_interrupt(void *arg)
{
    int got;

    sigwait(arg, &got);
    save();
    return NULL;
}

/* What the next start of the tool does with the file. */
static void
resume(const struct resume_file *f)
{
    long fetched = 0;

    for (int i = 0; i < THREADS; i++)
        fetched += f->ranges[i].offset - f->ranges[i].begin;
    assert(fetched == f->total);
}

int
main(void)
{
    pthread_t threads[THREADS];
    pthread_t waiter;
    sigset_t interrupt;

    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, NULL);
    for (int i = 0; i < THREADS; i++)
        ranges[i].begin = ranges[i].offset = (long)i * CHUNKS * CHUNK;
    pthread_create(&waiter, NULL, on_interrupt, &interrupt);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, fetch, &ranges[i]);
    kill(getpid(), SIGINT); /* the user presses the keys */
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(waiter, NULL);
    resume(&saved);
    return 0;
}
