/* SPDX-License-Identifier: Apache-2.0 */
/* C11 atomics of every order, fences, updates that succeed and fail; in a fixed order. */
#include <stdatomic.h>

#include "turn.h"

static atomic_int flag, count, word;
static _Atomic char small[8];
static int data, more, fenced;

static void *
producer(void *arg)
{
    int expected = 0;

    (void)arg;
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    atomic_fetch_add(&count, 2);
    more = 2;
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    atomic_compare_exchange_strong(&word, &expected, 7);
    fenced = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&small[3], 1, memory_order_relaxed);
    give_turn(0);
    await_turn(1);
    data += atomic_load_explicit(&flag, memory_order_acquire);
    atomic_exchange(&word, 1);
    give_turn(2);
    return NULL;
}

static void *
consumer(void *arg)
{
    int expected = 9;

    (void)arg;
    await_turn(0);
    if (atomic_load_explicit(&flag, memory_order_acquire))
        data++;
    atomic_load_explicit(&count, memory_order_relaxed);
    more += atomic_load(&count);
    atomic_compare_exchange_strong_explicit(&word, &expected, 3, memory_order_acq_rel,
                                            memory_order_relaxed);
    atomic_load_explicit(&small[3], memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    fenced++;
    atomic_store_explicit(&flag, 2, memory_order_relaxed);
    give_turn(1);
    await_turn(2);
    data += atomic_load_explicit(&word, memory_order_seq_cst);
    return NULL;
}

int
main(void)
{
    pthread_t t[2];

    turns_init();
    pthread_create(&t[0], NULL, producer, NULL);
    pthread_create(&t[1], NULL, consumer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return data + more + fenced + flag == 0;
}
