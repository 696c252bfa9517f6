/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: The head carries a version number that changes with every operation, so the stale
 *   compare-exchange fails.
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
static _Atomic uint64_t head; /* low half: slot; high half: version */

static void
push(unsigned slot)
{
    uint64_t old = atomic_load(&head);
    uint64_t new;

    do {
        atomic_store(&next_of[slot], (unsigned)old);
        new = ((old >> 32) + 1) << 32 | slot;
    } while (!atomic_compare_exchange_strong(&head, &old, new));
}

static unsigned
pop(void)
{
    uint64_t old = atomic_load(&head);
    uint64_t new;

    do {
        if ((unsigned)old == 0)
            return 0;
        new = ((old >> 32) + 1) << 32 | atomic_load(&next_of[(unsigned)old]);
    } while (!atomic_compare_exchange_strong(&head, &old, new));
    return (unsigned)old;
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
