/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - see queue.h. The bug of this example is in here.
 */
#include <stdlib.h>

#include "queue.h"

void
queue_init(struct queue *q, size_t n_slots)
{
    pthread_mutex_init(&q->mutex, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->not_full, NULL);
    q->slots = calloc(n_slots, sizeof(struct job *));
    q->n_slots = n_slots;
    q->head = 0;
    q->count = 0;
}

void
queue_deinit(struct queue *q)
{
    free(q->slots);
    pthread_cond_destroy(&q->not_full);
    pthread_cond_destroy(&q->not_empty);
    pthread_mutex_destroy(&q->mutex);
}

void
queue_put(struct queue *q, struct job *job)
{
    pthread_mutex_lock(&q->mutex);
    while (q->count == q->n_slots)
        pthread_cond_wait(&q->not_full, &q->mutex);
    q->slots[(q->head + q->count) % q->n_slots] = job;
    q->count++;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->mutex);
}

struct job *
queue_take(struct queue *q)
{
    struct job *job;

    pthread_mutex_lock(&q->mutex);
    if (q->count == 0)
        pthread_cond_wait(&q->not_empty, &q->mutex);
    job = q->slots[q->head];
    q->slots[q->head] = NULL;
    q->head = (q->head + 1) % q->n_slots;
    q->count--;
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->mutex);
    return job;
}
