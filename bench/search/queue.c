/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - SCTBench CS/queue: one thread puts numbers into a queue and into a table, another takes
 * them out and compares with the table.
 *
 * As in circular_buffer, a thread that comes out of turn goes on to the next element instead of
 * waiting. FIXED: it waits.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { SIZE = 20 };

struct queue {
    int element[SIZE];
    int head;
    int tail;
    int amount;
};

static struct queue queue;
static int stored[SIZE];
static bool may_enqueue;
static bool may_dequeue;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;

static void
enqueue(struct queue *q, int x)
{
    assert(q->amount < SIZE);
    q->element[q->tail] = x;
    q->tail = (q->tail + 1) % SIZE;
    q->amount++;
}

static int
dequeue(struct queue *q)
{
    int x = q->element[q->head];

    assert(q->amount > 0);
    q->head = (q->head + 1) % SIZE;
    q->amount--;
    return x;
}

static bool
my_turn(const bool *flag)
{
#ifdef FIXED
    while (!*flag)
        pthread_cond_wait(&turn, &lock);
#endif
    return *flag;
}

static void
pass_turn(bool *from, bool *to)
{
    *from = false;
    *to = true;
    pthread_cond_signal(&turn);
}

static void *
producer(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    enqueue(&queue, 7);
    stored[0] = 7;
    pass_turn(&may_enqueue, &may_dequeue);
    pthread_mutex_unlock(&lock);
    for (int i = 1; i < SIZE; i++) {
        pthread_mutex_lock(&lock);
        if (my_turn(&may_enqueue)) {
            enqueue(&queue, 7 + 3 * i);
            stored[i] = 7 + 3 * i;
            pass_turn(&may_enqueue, &may_dequeue);
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *
consumer(void *arg)
{
    (void)arg;
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&lock);
        if (my_turn(&may_dequeue)) {
            assert(dequeue(&queue) == stored[i]);
            pass_turn(&may_dequeue, &may_enqueue);
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
