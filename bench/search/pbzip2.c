/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pbzip2.c - SCTBench CB/pbzip2-0.9.4: a parallel compressor takes its queue down while its
 * consumers still use it.
 *
 * main reads blocks into a queue, consumers compress them, a writer puts them out in order. main
 * waits for the writer only: when the last block is written it destroys the queue and its lock,
 * whatever the consumers do. FIXED: it waits for the consumers first.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { BLOCKS = 4, CONSUMERS = 2, CAPACITY = 2 };

struct queue {
    pthread_mutex_t *lock;
    pthread_cond_t *not_full;
    pthread_cond_t *not_empty;
    int blocks[CAPACITY];
    int first;
    int n;
};

static struct queue *fifo;
static bool all_read;

static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t output_ready = PTHREAD_COND_INITIALIZER;
static int output[BLOCKS]; /* 0: not compressed yet */

static struct queue *
queue_new(void)
{
    struct queue *q = calloc(1, sizeof *q);

    q->lock = malloc(sizeof *q->lock);
    pthread_mutex_init(q->lock, NULL);
    q->not_full = malloc(sizeof *q->not_full);
    pthread_cond_init(q->not_full, NULL);
    q->not_empty = malloc(sizeof *q->not_empty);
    pthread_cond_init(q->not_empty, NULL);
    return q;
}

static void
queue_delete(struct queue *q)
{
    pthread_mutex_destroy(q->lock);
    free(q->lock);
    q->lock = NULL;
    pthread_cond_destroy(q->not_full);
    free(q->not_full);
    pthread_cond_destroy(q->not_empty);
    free(q->not_empty);
    free(q);
}

static void *
consumer(void *arg)
{
    (void)arg;
    for (;;) {
        int block;

        pthread_mutex_lock(fifo->lock);
        while (fifo->n == 0 && !all_read)
            pthread_cond_wait(fifo->not_empty, fifo->lock);
        if (fifo->n == 0) {
            pthread_mutex_unlock(fifo->lock);
            return NULL;
        }
        block = fifo->blocks[fifo->first];
        fifo->first = (fifo->first + 1) % CAPACITY;
        fifo->n--;
        pthread_cond_signal(fifo->not_full);
        pthread_mutex_unlock(fifo->lock);

        pthread_mutex_lock(&output_lock);
        output[block] = block + 1;
        pthread_cond_signal(&output_ready);
        pthread_mutex_unlock(&output_lock);
    }
}

static void *
writer(void *arg)
{
    (void)arg;
    for (int i = 0; i < BLOCKS; i++) {
        pthread_mutex_lock(&output_lock);
        while (output[i] == 0)
            pthread_cond_wait(&output_ready, &output_lock);
        assert(output[i] == i + 1);
        pthread_mutex_unlock(&output_lock);
    }
    return NULL;
}

static void
read_blocks(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        pthread_mutex_lock(fifo->lock);
        while (fifo->n == CAPACITY)
            pthread_cond_wait(fifo->not_full, fifo->lock);
        fifo->blocks[(fifo->first + fifo->n) % CAPACITY] = i;
        fifo->n++;
        pthread_cond_signal(fifo->not_empty);
        pthread_mutex_unlock(fifo->lock);
    }
    pthread_mutex_lock(fifo->lock);
    all_read = true;
    pthread_cond_broadcast(fifo->not_empty);
    pthread_mutex_unlock(fifo->lock);
}

int
main(void)
{
    pthread_t consumers[CONSUMERS];
    pthread_t output_thread;

    fifo = queue_new();
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], NULL, consumer, NULL);
    pthread_create(&output_thread, NULL, writer, NULL);
    read_blocks();
    pthread_join(output_thread, NULL);
#ifdef FIXED
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], NULL);
#endif
    queue_delete(fifo);
    fifo = NULL;
#ifndef FIXED
    /* The original ends here; what its consumers do meanwhile is the bug. */
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], NULL);
#endif
    return 0;
}
