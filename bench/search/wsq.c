/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wsq.c - CHESS WorkStealQueue and its variants (SCTBench Chess): a queue whose owner pushes and
 * pops at the tail while a thief steals at the head (Leijen's, after the THE protocol of Cilk).
 *
 * Both announce what they want to take and then look at what the other announced; only for the last
 * item the owner needs the lock. Every item must be done exactly once. One bug in each variant:
 *
 *   (plain)               the owner looks at the head before it has announced its tail
 *   -DSTATE               an empty queue starts again at index 0; it is reset without the lock
 *   -DINTERLOCKED         no lock; the owner takes the last item without a compare and swap
 *   -DINTERLOCKED -DSTATE no lock; the reset makes a head that a thief has read come back
 *
 * FIXED: announced first; reset with the lock; compare and swap; no reset.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { ROUNDS = 2, PER_ROUND = 2, ITEMS = ROUNDS * PER_ROUND, STEALS = 2, MASK = 15 };

struct item {
    int done; /* plain: the thread that takes an item has it alone */
};

static struct item *_Atomic queue[MASK + 1];
static _Atomic int head;
static _Atomic int tail;
static struct item items[ITEMS];

static void
push(struct item *x)
{
    int t = tail;

    assert(t - head <= MASK);
    queue[t & MASK] = x;
    tail = t + 1;
}

#ifndef INTERLOCKED

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
start_again(void)
{
#ifdef STATE
    head = 0;
    tail = 0;
#endif
}

static struct item *
steal(void)
{
    struct item *x = NULL;
    int h;

    pthread_mutex_lock(&lock);
    h = head;
    head = h + 1;
    if (h < tail)
        x = queue[h & MASK];
    else
        head = h;
    pthread_mutex_unlock(&lock);
    return x;
}

static struct item *
pop_locked(void)
{
    struct item *x = NULL;
    int t;

    pthread_mutex_lock(&lock);
    t = tail - 1;
    tail = t;
    if (head <= t)
        x = queue[t & MASK];
    else
        tail = t + 1;
#ifdef FIXED
    if (x == NULL)
        start_again();
#endif
    pthread_mutex_unlock(&lock);
#ifndef FIXED
    if (x == NULL)
        start_again();
#endif
    return x;
}

static struct item *
pop(void)
{
    int t = tail - 1;

#if defined FIXED || defined STATE
    tail = t;
    if (head <= t)
        return queue[t & MASK];
    tail = t + 1;
#else
    if (head <= t) {
        tail = t;
        return queue[t & MASK];
    }
#endif
    return pop_locked();
}

#else /* INTERLOCKED */

static struct item *
steal(void)
{
    int h = head;
    struct item *x;

    if (h >= tail)
        return NULL;
    x = queue[h & MASK];
    return atomic_compare_exchange_strong(&head, &h, h + 1) ? x : NULL;
}

/* The last item, at index t: the thief may be after it too. */
static bool
take_last(int t)
{
#if defined FIXED || defined STATE
    int expected = t;

    return atomic_compare_exchange_strong(&head, &expected, t + 1);
#else
    head = t + 1;
    return true;
#endif
}

static struct item *
pop(void)
{
    int t = tail - 1;
    struct item *x = NULL;

    tail = t;
    if (head <= t) {
        x = queue[t & MASK];
        if (head < t)
            return x;
        if (!take_last(t))
            x = NULL;
    }
    tail = t + 1;
#if defined STATE && !defined FIXED
    if (x == NULL) {
        head = 0;
        tail = 0;
    }
#endif
    return x;
}

#endif

static bool
do_item(struct item *x)
{
    if (x == NULL)
        return false;
    x->done++;
    return true;
}

static void *
thief(void *arg)
{
    (void)arg;
    for (int i = 0; i < STEALS; i++)
        do_item(steal());
    return NULL;
}

int
main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, thief, NULL);
    for (int i = 0; i < ITEMS; i++) {
        push(&items[i]);
        if (i % PER_ROUND != PER_ROUND - 1)
            continue;
        do_item(pop());
#ifdef STATE
        while (do_item(pop()))
            ;
#endif
    }
    while (do_item(pop()))
        ;
    pthread_join(thread, NULL);
    for (int i = 0; i < ITEMS; i++)
        assert(items[i].done == 1);
    return 0;
}
