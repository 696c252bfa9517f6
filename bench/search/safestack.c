/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safestack.c - SafeStack: the lock-free stack of D. Vyukov's challenge to model checkers, with
 * three threads; in SCTBench as Misc/safestack.
 *
 * A pop takes the link out of the head element by an exchange, moves the head by a compare and
 * swap, and puts the link back when that fails; the count keeps the last element in. Nearly right:
 * it can succeed for a head that left and came back, with a link that is old. Two
 * threads then own one element. It takes all three threads and at least five preemptions.
 * FIXED: the head has a version, and links stay where they are.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { ELEMENTS = 3, THREADS = 3, ROUNDS = 2 };

struct element {
    int owner; /* plain: one thread at a time has the element */
    _Atomic int next;
};

static struct element elements[ELEMENTS];
static _Atomic int count = ELEMENTS;

#ifndef FIXED

static _Atomic int head;

static int
pop(void)
{
    while (count > 1) {
        int top = head;
        int next = atomic_exchange(&elements[top].next, -1);
        int expected = top;

        if (next < 0)
            continue;
        if (atomic_compare_exchange_strong(&head, &expected, next)) {
            atomic_fetch_sub(&count, 1);
            return top;
        }
        atomic_exchange(&elements[top].next, next);
    }
    return -1;
}

static void
push(int i)
{
    int top = head;

    do {
        elements[i].next = top;
    } while (!atomic_compare_exchange_strong(&head, &top, i));
    atomic_fetch_add(&count, 1);
}

#else

/* The version in the upper half, the index in the lower. */
static _Atomic uint64_t head;

static int
pop(void)
{
    while (count > 1) {
        uint64_t top = head;
        int i = (int)(uint32_t)top;
        int next;

        if (i < 0)
            continue;
        next = elements[i].next;
        if (atomic_compare_exchange_strong(&head, &top, ((top >> 32) + 1) << 32 | (uint32_t)next)) {
            atomic_fetch_sub(&count, 1);
            return i;
        }
    }
    return -1;
}

static void
push(int i)
{
    uint64_t top = head;

    do {
        elements[i].next = (int)(uint32_t)top;
    } while (!atomic_compare_exchange_strong(&head, &top, ((top >> 32) + 1) << 32 | (uint32_t)i));
    atomic_fetch_add(&count, 1);
}

#endif

static void *
worker(void *arg)
{
    int me = *(int *)arg;

    for (int round = 0; round < ROUNDS; round++) {
        int i = pop();

        while (i < 0) {
            sched_yield();
            i = pop();
        }
        elements[i].owner = me;
        assert(elements[i].owner == me);
        push(i);
    }
    return NULL;
}

int
main(void)
{
    static int names[THREADS] = { 1, 2, 3 };
    pthread_t threads[THREADS];

    for (int i = 0; i < ELEMENTS; i++)
        elements[i].next = i + 1 < ELEMENTS ? i + 1 : -1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, &names[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
