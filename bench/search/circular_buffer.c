/* SPDX-License-Identifier: Apache-2.0 */
/*
 * circular_buffer.c - SCTBench CS/circular_buffer: a log of characters, one thread writes 0, 1, 2
 * into it, one reads and compares.
 *
 * Flags say whose turn it is. A thread out of turn skips the element instead of waiting, and
 * counts it all the same: from then on the two are out of step. FIXED: it waits.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { ELEMENTS = 7, CAPACITY = 10 };

static char buffer[CAPACITY];
static unsigned first;
static unsigned next;
static bool may_send = true;
static bool may_receive;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;

static void
log_insert(int c)
{
    buffer[next] = (char)c;
    next = (next + 1) % CAPACITY;
    assert(next < CAPACITY);
}

static int
log_remove(void)
{
    int c = buffer[first];

    first = (first + 1) % CAPACITY;
    return c;
}

/* Is it the caller's turn? With the lock held. */
static bool
my_turn(const bool *flag)
{
#ifdef FIXED
    while (!*flag)
        pthread_cond_wait(&turn, &lock);
#endif
    return *flag;
}

static void *
sender(void *arg)
{
    (void)arg;
    for (int i = 0; i < ELEMENTS; i++) {
        pthread_mutex_lock(&lock);
        if (my_turn(&may_send)) {
            log_insert(i);
            may_send = false;
            may_receive = true;
            pthread_cond_signal(&turn);
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *
receiver(void *arg)
{
    (void)arg;
    for (int i = 0; i < ELEMENTS; i++) {
        pthread_mutex_lock(&lock);
        if (my_turn(&may_receive)) {
            assert(log_remove() == i);
            may_receive = false;
            may_send = true;
            pthread_cond_signal(&turn);
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, sender, NULL);
    pthread_create(&threads[1], NULL, receiver, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
