#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Hand-made reclamation with C11 atomics (docs/howto/hand-made-synchronization.md): hazard pointers,
# tagged stacks, nodes that are used again, sequence locks with fences, membarrier. The correct ones
# pass, and the nearest wrong one of each is found.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >nodes.c <<'SRC'
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef WRONG
#define RIGHT 0
#else
#define RIGHT 1
#endif
static atomic_long sink;

/* Hazard pointers: what a thread is about to use it announces, and then looks whether it still is
 * there. */
struct node { long value; };
static _Atomic(struct node *) head, hazard;
static void hazard_start(void)
{
    struct node *n = malloc(sizeof *n);
    n->value = 1;
    atomic_init(&head, n);
}
static void hazard_pointers(int second)
{
    struct node *n, *old;
    if (second) {
        do {
            n = atomic_load(&head);
            atomic_store(&hazard, n);
        } while (RIGHT && atomic_load(&head) != n);
        atomic_fetch_add(&sink, n->value);
        atomic_store_explicit(&hazard, NULL, memory_order_release);
        return;
    }
    n = malloc(sizeof *n);
    n->value = 2;
    old = atomic_exchange(&head, n);
    while (atomic_load(&hazard) == old)
        ;
    free(old);
}

/* A stack of numbered nodes whose top has a tag that no two states share. */
static atomic_int next[3], owned[3];
static atomic_uint top;
static void stack_start(void)
{
    atomic_init(&next[1], 2);
    atomic_init(&top, 1);
}
static int pop(void)
{
    unsigned t = atomic_load(&top), n;
    do {
        if (t % 16 == 0)
            return 0;
        n = (unsigned)atomic_load(&next[t % 16]) | (RIGHT ? (t & ~15u) + 16 : 0);
    } while (!atomic_compare_exchange_weak(&top, &t, n));
    if (atomic_exchange(&owned[t % 16], 1))
        abort(); /* two threads have it */
    return (int)(t % 16);
}
static void push(int k)
{
    unsigned t = atomic_load(&top), n;
    atomic_store(&owned[k], 0);
    do {
        atomic_store(&next[k], (int)(t % 16));
        n = (unsigned)k | (RIGHT ? (t & ~15u) + 16 : 0);
    } while (!atomic_compare_exchange_weak(&top, &t, n));
}
static void aba(int second)
{
    int a = pop(), b;
    if (second) {
        (void)pop();
        return;
    }
    b = pop();
    if (a != 0)
        push(a);
    (void)b;
}

/* Nodes of such a stack that are filled, handed over and used again. */
static long payload[3];
static void push_relaxed_or_not(int k)
{
    unsigned t = atomic_load(&top);
    unsigned n;
    do {
        atomic_store_explicit(&next[k], (int)(t % 16), memory_order_relaxed);
        n = (unsigned)k | ((t & ~15u) + 16);
    } while (!atomic_compare_exchange_weak_explicit(
        &top, &t, n, RIGHT ? memory_order_release : memory_order_relaxed, memory_order_relaxed));
}
static int pop_acquire(void)
{
    unsigned t = atomic_load_explicit(&top, memory_order_acquire), n;
    do {
        if (t % 16 == 0)
            return 0;
        n = (unsigned)atomic_load_explicit(&next[t % 16], memory_order_relaxed) |
            ((t & ~15u) + 16);
    } while (!atomic_compare_exchange_weak_explicit(&top, &t, n, memory_order_acquire,
                                                    memory_order_acquire));
    return (int)(t % 16);
}
static void reuse(int second)
{
    for (int i = 0; i < 2; i++) {
        int k = pop_acquire();
        if (k == 0)
            continue;
        payload[k] += second;
        push_relaxed_or_not(k);
    }
}

/* A sequence lock: relaxed data between fences. */
static atomic_uint seq;
static atomic_long low, high;
static void seqlock(int second)
{
    unsigned before;
    long a, b;
    if (!second) {
        atomic_store_explicit(&seq, 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&low, 1, memory_order_relaxed);
        atomic_store_explicit(&high, 1, memory_order_relaxed);
        atomic_store_explicit(&seq, 2, memory_order_release);
        return;
    }
    before = atomic_load_explicit(&seq, memory_order_acquire);
    a = atomic_load_explicit(&low, memory_order_relaxed);
    b = atomic_load_explicit(&high, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (RIGHT && (before % 2 != 0 || before != atomic_load_explicit(&seq, memory_order_relaxed)))
        return;
    if (a != b)
        abort();
}

/* Plain data handed over by relaxed accesses with fences on both sides. */
static long data;
static atomic_int flag;
static void fences(int second)
{
    if (!second) {
        data = 5;
        if (RIGHT)
            atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
        return;
    }
    if (!atomic_load_explicit(&flag, memory_order_relaxed))
        return;
    atomic_thread_fence(memory_order_acquire);
    atomic_fetch_add(&sink, data);
}

/* Readers pay for compiler barriers only; the writer has the kernel execute the real ones. */
static atomic_int reading;
static void everywhere(void)
{
    if (syscall(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
        _exit(77);
}
static void asymmetric(int second)
{
    struct node *n, *old;
    if (second) {
        atomic_store_explicit(&reading, 1, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        n = atomic_load_explicit(&head, memory_order_acquire);
        atomic_fetch_add_explicit(&sink, n->value, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        atomic_store_explicit(&reading, 0, memory_order_relaxed);
        return;
    }
    n = malloc(sizeof *n);
    n->value = 2;
    old = atomic_load_explicit(&head, memory_order_relaxed);
    atomic_store_explicit(&head, n, memory_order_release);
    if (RIGHT) {
        everywhere();
        while (atomic_load_explicit(&reading, memory_order_relaxed))
            ;
        everywhere();
    }
    old->value = 0;
}

static void nothing(void) { }
static const struct { const char *name; void (*start)(void); void (*run)(int); } all[] = {
    { "hazard", hazard_start, hazard_pointers }, { "aba", stack_start, aba },
    { "reuse", stack_start, reuse }, { "seqlock", nothing, seqlock }, { "fences", nothing, fences },
    { "membarrier", hazard_start, asymmetric },
};
static void (*what)(int);
static void *second(void *arg) { what(1); return arg; }
int main(int argc, char **argv)
{
    pthread_t t;
    (void)argc;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(argv[1], all[i].name) != 0)
            continue;
        all[i].start();
        what = all[i].run;
    }
    if (what == asymmetric &&
        syscall(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
        return 77;
    pthread_create(&t, NULL, second, NULL);
    what(0);
    pthread_join(t, NULL);
    return 0;
}
SRC
cp nodes.c wrong.c
build nodes
build wrong -DWRONG
cases='hazard aba reuse seqlock fences'
./nodes membarrier && cases="$cases membarrier"
for c in $cases; do
    for i in 1 2 3; do
        "$BURL" run ./nodes $c >out 2>err || fail "run: $c is correct"
    done
    "$BURL" test --runs=400 --time=0 ./nodes $c >out 2>err || fail "test: $c is correct"
    "$BURL" test --runs=2000 --time=0 -1 ./wrong $c >out 2>err
    [ $? -eq 1 ] || fail "test: $c is wrong"
done
