/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t m;
    pthread_cond_t nonempty;
    int count;
};

static struct queue *q;

static void *
producer(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&q->m);
    q->count++;
    pthread_cond_signal(&q->nonempty);
    pthread_mutex_unlock(&q->m);
    return NULL;
}

static void *
consumer(void *arg)
{
    (void)arg;
    while (q->count == 0) {
        pthread_mutex_lock(&q->m);
        pthread_cond_wait(&q->nonempty, &q->m);
        pthread_mutex_unlock(&q->m);
    }
    return NULL;
}

static void
queue_free(struct queue *dead)
{
    free(dead);
}

int
main(void)
{
    pthread_t p, c;

    q = calloc(1, sizeof *q);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_create(&p, NULL, producer, NULL);
    pthread_join(p, NULL);
    queue_free(q);
    pthread_join(c, NULL);
    return 0;
}
