/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.unlock-unlocked | misuse.unlock-foreign
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The path for a full inbox unlocks and falls through to the common unlock at the end.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { CAPACITY = 1 };

struct inbox {
    pthread_mutex_t mutex; /* guards the rest */
    int count;
    int dropped;
    int read;
};

static struct inbox inbox = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void
inbox_add(struct inbox *b)
{
    pthread_mutex_lock(&b->mutex);
    if (b->count == CAPACITY) {
        b->dropped++;
        pthread_mutex_unlock(&b->mutex);
    } else {
        b->count++;
    }
    pthread_mutex_unlock(&b->mutex);
}

static void
inbox_read(struct inbox *b)
{
    pthread_mutex_lock(&b->mutex);
    b->read += b->count;
    b->count = 0;
    pthread_mutex_unlock(&b->mutex);
}

static void *
send_and_read(void *arg)
{
    inbox_add(arg);
    inbox_read(arg);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, send_and_read, &inbox);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(inbox.read + inbox.dropped == 2);
    pthread_mutex_destroy(&inbox.mutex);
    return 0;
}
