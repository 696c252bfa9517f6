#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Hand-made synchronization of docs/howto/hand-made-synchronization.md: what burl understands by
# itself, what it understands with annotations, and the nearest wrong program of each.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >hand.c <<'SRC'
#define BURL_COMMON_NAMES
#include <burl/burl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef WRONG
#define UNLESS_WRONG(x)
#else
#define UNLESS_WRONG(x) x
#endif
static long data, sink;

/* A lock of inline assembly: xchg takes it, a plain store in assembly gives it back. */
static uint32_t word;
static void assembly(int second)
{
    for (int i = 0; i < 2; i++) {
        uint32_t old;
        do {
            old = 1;
            __asm__ volatile("xchgl %0, %1" : "+r"(old), "+m"(word) : : "memory");
        } while (old != 0);
        UNLESS_WRONG(data += second;)
        __asm__ volatile("movl $0, %0" : "=m"(word) : : "memory");
#ifdef WRONG
        data += second;
#endif
    }
}

/* Treiber's stack; the nodes are pushed once. */
struct node { struct node *next; long value; };
static struct node nodes[2];
static struct node *top;
static void treiber(int second)
{
    struct node *n = &nodes[second], *t = __atomic_load_n(&top, __ATOMIC_RELAXED);
    n->value = 3;
    do
        n->next = t;
    while (!__atomic_compare_exchange_n(&top, &t, n, 0,
#ifdef WRONG
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED
#else
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED
#endif
                                        ));
    t = __atomic_load_n(&top, __ATOMIC_ACQUIRE);
    __atomic_fetch_add(&sink, t->value, __ATOMIC_RELAXED);
}

/* A sequence lock: the reader checks afterwards whether it read a consistent state. */
static unsigned seq;
static long first, last;
static void seqlock(int second)
{
    if (!second) {
        __atomic_store_n(&seq, 1, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_RELEASE);
        UNLESS_WRONG(BURL_IGNORE_WRITES_BEGIN();)
        first = 1, last = 1;
        UNLESS_WRONG(BURL_IGNORE_WRITES_END();)
        __atomic_store_n(&seq, 2, __ATOMIC_RELEASE);
        return;
    }
    unsigned before = __atomic_load_n(&seq, __ATOMIC_ACQUIRE);
    UNLESS_WRONG(ANNOTATE_IGNORE_READS_BEGIN();)
    long a = first, b = last;
    UNLESS_WRONG(ANNOTATE_IGNORE_READS_END();)
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (before % 2 == 0 && before == __atomic_load_n(&seq, __ATOMIC_RELAXED) && a != b)
        abort();
}

/* Order by means that burl does not see, said with the names of other tools. */
static int hidden;
static void annotated(int second)
{
    if (!second) {
        data = 4;
        UNLESS_WRONG(ANNOTATE_HAPPENS_BEFORE(&hidden); __tsan_release(&word);)
        __atomic_store_n(&hidden, 1, __ATOMIC_RELAXED);
        return;
    }
    while (!__atomic_load_n(&hidden, __ATOMIC_RELAXED))
        ;
    UNLESS_WRONG(ANNOTATE_HAPPENS_AFTER(&hidden); __tsan_acquire(&word);)
    sink = data;
}

static void (*what)(int);
static void *second(void *arg) { what(1); return arg; }
int main(int argc, char **argv)
{
    pthread_t t;
    (void)argc;
    what = !strcmp(argv[1], "assembly") ? assembly : !strcmp(argv[1], "treiber") ? treiber
         : !strcmp(argv[1], "seqlock") ? seqlock : annotated;
    pthread_create(&t, NULL, second, NULL);
    what(0);
    pthread_join(t, NULL);
    return 0;
}
SRC
cp hand.c wrong.c
build hand -I"$BURL_TEST_ROOT/include"
build wrong -I"$BURL_TEST_ROOT/include" -DWRONG
for c in assembly treiber seqlock annotated; do
    "$BURL" run ./hand $c >out 2>err || fail "run: $c is correct"
    "$BURL" test --runs=200 ./hand $c >out 2>err || fail "test: $c is correct"
    "$BURL" test --runs=300 ./wrong $c >out 2>err
    [ $? -eq 1 ] || fail "test: $c is wrong"
done

# RCU of liburcu, with the two annotations of the page.
printf '#include <urcu/urcu-memb.h>\n' >probe.c
"$BURL" cc -c probe.c -o probe.o 2>err || exit 0
cat >rcu.c <<'SRC'
#define _LGPL_SOURCE
#define URCU_API_MAP
#include <burl/burl.h>
#include <pthread.h>
#include <stdlib.h>
#include FLAVOR
#ifdef WRONG
#define read_unlock() rcu_read_unlock()
#define grace_period() ((void)0)
#else
static char grace;
#define read_unlock() do { BURL_HB_BEFORE(&grace); rcu_read_unlock(); } while (0)
#define grace_period() do { synchronize_rcu(); BURL_HB_AFTER(&grace); } while (0)
#endif
struct node { int value; };
static struct node *head;
static void *reader(void *arg)
{
    long sum = 0;
    rcu_register_thread();
    for (int i = 0; i < 3; i++) {
        rcu_read_lock();
        sum += rcu_dereference(head)->value;
        read_unlock();
    }
    rcu_unregister_thread();
    return sum == -1 ? arg : NULL;
}
int main(void)
{
    pthread_t t;
    struct node *old = malloc(sizeof *old), *n = malloc(sizeof *n);
    old->value = 1, n->value = 2;
    rcu_assign_pointer(head, old);
    pthread_create(&t, NULL, reader, NULL);
    rcu_assign_pointer(head, n);
    grace_period();
    old->value = 0;
    pthread_join(t, NULL);
    return 0;
}
SRC
cp rcu.c wrong.c
for flavor in memb mb; do
    set -- --volatile=atomic "-DFLAVOR=<urcu/urcu-$flavor.h>" -I"$BURL_TEST_ROOT/include" \
        -lurcu-$flavor -lurcu-common
    build rcu "$@"
    build wrong "$@" -DWRONG
    "$BURL" run ./rcu >out 2>err || fail "run: RCU ($flavor) is correct"
    "$BURL" test --runs=100 ./rcu >out 2>err || fail "test: RCU ($flavor) is correct"
    "$BURL" test --runs=300 ./wrong >out 2>err
    [ $? -eq 1 ] || fail "test: RCU ($flavor) without a grace period is wrong"
done
