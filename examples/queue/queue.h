/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - a bounded queue of jobs for several producers and consumers.
 */
#ifndef EXAMPLE_QUEUE_H
#define EXAMPLE_QUEUE_H

#include <pthread.h>
#include <stddef.h>

struct job {
    int id;
    int cost;
};

struct queue {
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    struct job **slots; /* slots[head] is the oldest job; empty slots are NULL */
    size_t n_slots;
    size_t head;
    size_t count;
};

void queue_init(struct queue *q, size_t n_slots);
void queue_deinit(struct queue *q);

/* Waits for room. The job belongs to the queue until it is taken. */
void queue_put(struct queue *q, struct job *job);

/* Waits for a job; the caller owns it. Never returns NULL. */
struct job *queue_take(struct queue *q);

#endif
