/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=10000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: A pop reads the head and its successor, is preempted while the head is popped and
 *   pushed back by another thread, and its compare-exchange succeeds with a successor that is in
 *   use again (ABA).
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A free list of a fixed pool of slots; slots are named by index + 1, 0 is the end of the list. */
enum { N_SLOTS = 3 };

static atomic_uint next_of[N_SLOTS + 1];
static atomic_int in_use[N_SLOTS + 1];
static atomic_uint head;

static void
push(unsigned slot)
{
    unsigned old = atomic_load(&head);

    do {
        atomic_store(&next_of[slot], old);
    } while (!atomic_compare_exchange_strong(&head, &old, slot));
}

static unsigned
pop(void)
{
    unsigned old = atomic_load(&head);
    unsigned next;

    do {
        if (old == 0)
            return 0;
        next = atomic_load(&next_of[old]);
    } while (!atomic_compare_exchange_strong(&head, &old, next));
    return old;
}

static unsigned
slot_get(void)
{
    unsigned slot = pop();

    if (slot != 0)
        assert(atomic_exchange(&in_use[slot], 1) == 0);
    return slot;
}

static void
slot_put(unsigned slot)
{
    if (slot == 0)
        return;
    atomic_store(&in_use[slot], 0);
    push(slot);
}

static void *
one_at_a_time(void *arg)
{
    (void)arg;
    slot_put(slot_get());
    slot_put(slot_get());
    return NULL;
}

static void *
two_at_a_time(void *arg)
{
    unsigned a = slot_get();
    unsigned b = slot_get();
    unsigned c;

    (void)arg;
    slot_put(a);
    c = slot_get();
    slot_put(c);
    slot_put(b);
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;

    for (unsigned i = N_SLOTS; i > 0; i--)
        push(i);
    pthread_create(&a, NULL, one_at_a_time, NULL);
    pthread_create(&b, NULL, two_at_a_time, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
