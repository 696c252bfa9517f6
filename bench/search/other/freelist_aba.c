/* SPDX-License-Identifier: Apache-2.0 */
/*
 * freelist_aba.c - a lock-free list of free blocks, popped by compare and swap. A thread that
 * has read the head and its link sleeps while the head is taken, the next one is taken too,
 * and the head comes back: its swap succeeds and makes a block free that is in use. FIXED:
 * the head has a version.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOCKS = 3, THREADS = 2, ROUNDS = 2, NONE = 0xff };

static struct {
    _Atomic unsigned next;
    atomic_int users;
} blocks[BLOCKS];
static _Atomic unsigned head; /* version << 8 | block */

static unsigned
versioned(unsigned old, unsigned block)
{
#ifdef FIXED
    return ((old >> 8) + 1) << 8 | block;
#else
    (void)old;
    return block;
#endif
}

static unsigned
take(void)
{
    unsigned top = head;
    unsigned next;

    do {
        if ((top & 0xff) == NONE)
            return NONE;
        next = blocks[top & 0xff].next;
    } while (!atomic_compare_exchange_strong(&head, &top, versioned(top, next)));
    assert(atomic_fetch_add(&blocks[top & 0xff].users, 1) == 0);
    return top & 0xff;
}

static void
give_back(unsigned block)
{
    unsigned top = head;

    atomic_fetch_sub(&blocks[block].users, 1);
    do {
        blocks[block].next = top & 0xff;
    } while (!atomic_compare_exchange_strong(&head, &top, versioned(top, block)));
}

static void *
worker(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        unsigned a = take();
        unsigned b = take();

        if (a != NONE)
            give_back(a);
        if (b != NONE)
            give_back(b);
    }
    return arg;
}

int
main(void)
{
    pthread_t threads[THREADS];

    for (unsigned i = 0; i < BLOCKS; i++)
        blocks[i].next = i + 1 < BLOCKS ? i + 1 : NONE;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
