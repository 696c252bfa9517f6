/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: At the end of the stream the producer signals once, but both consumers may be
 *   asleep; the second one never learns that there is nothing more to come.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { N_CONSUMERS = 2, N_ITEMS = 2 };

struct stream {
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t changed;
    int available;
    int consumed;
    bool ended;
};

static struct stream stream = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
};

static void
produce(struct stream *s)
{
    for (int i = 0; i < N_ITEMS; i++) {
        pthread_mutex_lock(&s->mutex);
        s->available++;
        pthread_cond_signal(&s->changed);
        pthread_mutex_unlock(&s->mutex);
    }
    pthread_mutex_lock(&s->mutex);
    s->ended = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->mutex);
}

static void *
consume(void *arg)
{
    struct stream *s = arg;
    bool more = true;

    while (more) {
        pthread_mutex_lock(&s->mutex);
        while (s->available == 0 && !s->ended)
            pthread_cond_wait(&s->changed, &s->mutex);
        if (s->available > 0) {
            s->available--;
            s->consumed++;
        } else {
            more = false;
        }
        pthread_mutex_unlock(&s->mutex);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_CONSUMERS];

    for (int i = 0; i < N_CONSUMERS; i++)
        pthread_create(&threads[i], NULL, consume, &stream);
    produce(&stream);
    for (int i = 0; i < N_CONSUMERS; i++)
        pthread_join(threads[i], NULL);
    assert(stream.consumed == N_ITEMS);
    return 0;
}
