/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async.c - a bounded queue before another appender, emptied by a thread.
 *
 * Version 2 delivers in batches and returns its totals from one place.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "logger.h"

#define CAPACITY_MAX 8
#define BATCH 2

struct entry {
    struct event event;
    char message[LINE_LENGTH];
};

struct async {
    struct appender base;
    struct appender *target;
    enum async_policy policy;
    unsigned capacity;
    pthread_t workers[2];
    unsigned n_workers;
    pthread_mutex_t queue_lock; /* guards the rest, but for batches */
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    pthread_cond_t idle;
    struct entry queue[CAPACITY_MAX + 2];
    unsigned first;
    unsigned used;
    unsigned busy; /* events taken and not delivered yet */
    bool stopping;
    unsigned delivered;
    unsigned discarded;
    unsigned batches; /* of the worker; others read it when it has exited */
};

/* Puts an event at the end of the queue. queue_lock is held and there is room. */
static void
push(struct async *q, const struct event *ev)
{
    struct entry *e = &q->queue[(q->first + q->used) % q->capacity];

    assert(q->used < q->capacity);
    e->event = *ev;
    snprintf(e->message, sizeof e->message, "%s", ev->message);
    q->used++;
    pthread_cond_signal(&q->not_empty);
}

/* Puts an event if there is room, else counts it. */
static void
offer(struct async *q, const struct event *ev)
{
#ifdef SEED_10
    bool full;

    pthread_mutex_lock(&q->queue_lock);
    full = q->used == q->capacity || q->stopping;
    if (full)
        q->discarded++;
    pthread_mutex_unlock(&q->queue_lock);
    if (full)
        return;
    pthread_mutex_lock(&q->queue_lock);
    push(q, ev);
    pthread_mutex_unlock(&q->queue_lock);
#elif VERSION >= 2
    bool full;

    pthread_mutex_lock(&q->queue_lock);
    full = q->used == q->capacity || q->stopping;
    if (!full)
        push(q, ev);
    q->discarded += full ? 1 : 0;
    pthread_mutex_unlock(&q->queue_lock);
#else
    pthread_mutex_lock(&q->queue_lock);
    if (q->used == q->capacity || q->stopping)
        q->discarded++;
    else
        push(q, ev);
    pthread_mutex_unlock(&q->queue_lock);
#endif
}

static void
async_write(struct appender *a, const struct event *ev, const char *line, size_t length)
{
    struct async *q = (struct async *)a;

    (void)line;
    (void)length;
    if (q->policy == ASYNC_DISCARD) {
        offer(q, ev);
        return;
    }
    pthread_mutex_lock(&q->queue_lock);
    while (q->used == q->capacity && !q->stopping)
        pthread_cond_wait(&q->not_full, &q->queue_lock);
    if (q->stopping)
        q->discarded++;
    else
        push(q, ev);
    pthread_mutex_unlock(&q->queue_lock);
}

/* Takes up to `max` events; 0: the queue is empty and stays so. */
static unsigned
take(struct async *q, struct entry *out, unsigned max)
{
    unsigned n = 0;

    pthread_mutex_lock(&q->queue_lock);
    while (q->used == 0 && !q->stopping)
        pthread_cond_wait(&q->not_empty, &q->queue_lock);
    while (n < max && q->used > 0) {
        out[n++] = q->queue[q->first];
        q->first = (q->first + 1) % q->capacity;
        q->used--;
    }
    q->busy += n;
    pthread_cond_broadcast(&q->not_full);
    pthread_mutex_unlock(&q->queue_lock);
    return n;
}

static void
done(struct async *q, unsigned n)
{
    pthread_mutex_lock(&q->queue_lock);
    q->busy -= n;
    q->delivered += n;
    if (q->busy == 0 && q->used == 0)
        pthread_cond_broadcast(&q->idle);
    pthread_mutex_unlock(&q->queue_lock);
}

static void
deliver(struct async *q, struct entry *e)
{
    e->event.message = e->message;
    appender_append(q->target, &e->event);
}

#if VERSION >= 2
static void
work(struct async *q)
{
    struct entry batch[BATCH];
    unsigned n;

    while ((n = take(q, batch, BATCH)) > 0) {
        for (unsigned i = 0; i < n; i++)
            deliver(q, &batch[i]);
        done(q, n);
        q->batches++;
    }
}
#else
static void
work(struct async *q)
{
    struct entry one;

    while (take(q, &one, 1) > 0) {
        deliver(q, &one);
        done(q, 1);
        q->batches++;
    }
}
#endif

static void *
worker(void *arg)
{
    work(arg);
    return NULL;
}

static const struct appender_ops async_ops = { .write = async_write, .locks_itself = true };

struct appender *
async_new(const char *name, struct appender *target, unsigned capacity, enum async_policy policy)
{
    struct async *q = calloc(1, sizeof *q);

    if (q == NULL)
        return NULL;
    appender_init(&q->base, &async_ops, name, NULL);
    q->target = target;
    q->policy = policy;
    q->capacity = capacity < CAPACITY_MAX ? capacity : CAPACITY_MAX;
    pthread_mutex_init(&q->queue_lock, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->not_full, NULL);
    pthread_cond_init(&q->idle, NULL);
#if VERSION >= 2
#ifdef SEED_6
    q->n_workers = capacity > 4 ? 2 : 1;
#else
    q->n_workers = 1;
#endif
    for (unsigned i = 0; i < q->n_workers; i++)
        pthread_create(&q->workers[i], NULL, worker, q);
#else
    q->n_workers = 1;
    pthread_create(&q->workers[0], NULL, worker, q);
#endif
    return &q->base;
}

static void
stop_workers(struct async *q)
{
    pthread_mutex_lock(&q->queue_lock);
    q->stopping = true;
    pthread_cond_broadcast(&q->not_empty);
    pthread_cond_broadcast(&q->not_full);
    pthread_mutex_unlock(&q->queue_lock);
}

static void
join_workers(struct async *q)
{
    for (unsigned i = 0; i < q->n_workers; i++)
        pthread_join(q->workers[i], NULL);
}

#if VERSION >= 2
void
async_stop(struct appender *a, struct async_totals *totals)
{
    struct async *q = (struct async *)a;
    struct async_totals seen;

    stop_workers(q);
#ifdef SEED_5
    seen.delivered = q->delivered;
    join_workers(q);
#else
    join_workers(q);
    seen.delivered = q->delivered;
#endif
    seen.discarded = q->discarded;
    seen.batches = q->batches;
    if (totals != NULL)
        *totals = seen;
}
#else
void
async_stop(struct appender *a, struct async_totals *totals)
{
    struct async *q = (struct async *)a;

    stop_workers(q);
    join_workers(q);
    if (totals != NULL) {
        totals->delivered = q->delivered;
        totals->discarded = q->discarded;
        totals->batches = q->batches;
    }
}
#endif

void
async_drain(struct appender *a)
{
    struct async *q = (struct async *)a;

    pthread_mutex_lock(&q->queue_lock);
    while (q->used > 0 || q->busy > 0)
        pthread_cond_wait(&q->idle, &q->queue_lock);
    pthread_mutex_unlock(&q->queue_lock);
}

void
async_free(struct appender *a)
{
    struct async *q = (struct async *)a;

    pthread_cond_destroy(&q->not_empty);
    pthread_cond_destroy(&q->not_full);
    pthread_cond_destroy(&q->idle);
    pthread_mutex_destroy(&q->queue_lock);
    appender_deinit(a);
    free(q);
}
