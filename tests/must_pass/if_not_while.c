/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: The consumer tests again after every wakeup.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N_CONSUMERS = 2, CAPACITY = 4 };

struct mailbox {
    pthread_mutex_t mutex; /* guards items and count */
    pthread_cond_t arrived;
    int items[CAPACITY];
    int count;
};

static struct mailbox box = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .arrived = PTHREAD_COND_INITIALIZER,
};

static void
mailbox_put(struct mailbox *b, int item)
{
    pthread_mutex_lock(&b->mutex);
    assert(b->count < CAPACITY);
    b->items[b->count++] = item;
    pthread_cond_signal(&b->arrived);
    pthread_mutex_unlock(&b->mutex);
}

static int
mailbox_take(struct mailbox *b)
{
    int item;

    pthread_mutex_lock(&b->mutex);
    while (b->count == 0)
        pthread_cond_wait(&b->arrived, &b->mutex);
    assert(b->count > 0);
    item = b->items[--b->count];
    pthread_mutex_unlock(&b->mutex);
    return item;
}

static void *
consume(void *arg)
{
    *(int *)arg = mailbox_take(&box);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_CONSUMERS];
    int got[N_CONSUMERS] = { 0 };
    int sum = 0;

    for (int i = 0; i < N_CONSUMERS; i++)
        pthread_create(&threads[i], NULL, consume, &got[i]);
    for (int i = 0; i < N_CONSUMERS; i++)
        mailbox_put(&box, i + 1);
    for (int i = 0; i < N_CONSUMERS; i++) {
        pthread_join(threads[i], NULL);
        sum += got[i];
    }
    assert(sum == 3);
    return 0;
}
