#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Synchronization by volatile accesses: a race as the language defines it, and understood with
# `burl cc --volatile=atomic`. The nearest wrong programs stay races.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

# A spin lock whose unlock is a volatile store (nginx); a flag that says "pending" (libuv); macros
# for single accesses (Linux); a published pointer; double-checked initialization.
cat >hand.c <<'SRC'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#ifdef WRONG
#define IF_WRONG(x, y) x
#else
#define IF_WRONG(x, y) y
#endif
static long data[4], more, sink;

static volatile uintptr_t spin;
static void lock(void)
{
    for (;;) {
        if (spin == 0 && __sync_bool_compare_and_swap(&spin, 0, 1))
            return;
        __asm__ volatile("pause");
    }
}
static void spin_lock(int second)
{
    for (int i = 0; i < 3; i++) {
        lock();
        data[0]++;
        data[1] += second;
        IF_WRONG(spin = 0; more++, more++; spin = 0);
    }
}

static int pending;
static void pending_flag(int second)
{
    if (!second) {
        IF_WRONG(, data[0] = 7;)
        WRITE_ONCE(pending, 1);
        IF_WRONG(data[0] = 7, );
        return;
    }
    while (!READ_ONCE(pending))
        ;
    sink = data[0];
}

static struct node { long value; } *head;
static void pointer(int second)
{
    struct node *n;
    if (!second) {
        n = malloc(sizeof *n);
        IF_WRONG(, n->value = 5;)
        WRITE_ONCE(head, n);
        IF_WRONG(n->value = 5, );
        return;
    }
    while ((n = READ_ONCE(head)) == NULL)
        ;
    sink = n->value;
}

static volatile int ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void double_checked(int second)
{
    (void)second;
    if (!ready) {
        pthread_mutex_lock(&m);
        if (!ready) {
            IF_WRONG(ready = 1; data[2] = 9, data[2] = 9; ready = 1);
        }
        pthread_mutex_unlock(&m);
    }
    IF_WRONG(data[3] = data[2], __atomic_store_n(&data[3], data[2], __ATOMIC_RELAXED));
}

static void (*what)(int);
static void *second(void *arg) { what(1); return arg; }
int main(int argc, char **argv)
{
    pthread_t t;
    (void)argc;
    what = !strcmp(argv[1], "spin_lock") ? spin_lock : !strcmp(argv[1], "pending") ? pending_flag
         : !strcmp(argv[1], "pointer") ? pointer : double_checked;
    pthread_create(&t, NULL, second, NULL);
    what(0);
    pthread_join(t, NULL);
    return sink < 0;
}
SRC
cp hand.c plain.c
cp hand.c wrong.c
cp hand.c late.c
build hand --volatile=atomic
build late --volatile=atomic --late
build plain --volatile=plain
build wrong --volatile=atomic -DWRONG
for c in spin_lock pending pointer double_checked; do
    for p in hand late; do
        "$BURL" run ./$p $c >out 2>err || fail "run: $p $c is understood"
        "$BURL" test --runs=200 ./$p $c >out 2>err || fail "test: $p $c is understood"
    done
    "$BURL" test --runs=200 ./plain $c >out 2>err
    [ $? -eq 1 ] || fail "test: $c races unless volatile is taken for atomic"
    "$BURL" test --runs=300 ./wrong $c >out 2>err
    [ $? -eq 1 ] || fail "test: $c is wrong"
done
BURL_CC_FLAGS=--volatile=sometimes "$BURL" cc hand.c -o none >out 2>err
[ $? -eq 2 ] || fail "a value that does not exist"
has err 'volatile=atomic'
