#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/run_copies.sh - `burl run` of a program built with --fast-run runs copies of its functions with fewer
# hooks (instr/free.c): races, names and stacks are those of the source. Each program has a correct
# twin, which is silent.
. "$(dirname "$0")/run_lib.inc"

# Everything is inlined into work(): two functions between it and the access, one call of each kind.
cat >inlined.c <<'SRC'
#include <pthread.h>
#include <stdio.h>
struct account { long id; int balance; int limit; };
static struct account common = { 1, 2, 3 };
static pthread_barrier_t both;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static inline int peek(const struct account *a) { return a->limit; }
static inline void
add(struct account *a, int k)
{
    if (peek(a) > 0)
        a->balance += k;
}
static void
deposit(struct account *a, int k)
{
    LOCK(&guard);
    add(a, k);
    UNLOCK(&guard);
}
static void *
work(void *arg)
{
    pthread_barrier_wait(&both);
    for (int i = 0; i < 1000; i++)
        deposit(&common, i);
    return arg;
}
int
main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", common.limit);
    return 0;
}
SRC
cp inlined.c inlined_twin.c
build inlined --fast-run -O2 '-DLOCK(m)=((void)(m))' '-DUNLOCK(m)=((void)(m))'
build inlined_twin --fast-run -O2 -DLOCK=pthread_mutex_lock -DUNLOCK=pthread_mutex_unlock
run 1 "$BURL" run ./inlined
count err 'finding 1: race.data' 1
hasnt err 'finding 2'
has err 'data race on common.balance'
has err 'a->balance'
[ "$(grep -c '#0  *add  *inlined.c:12' err)" -ge 2 ] || fail "the access is in add()"
[ "$(grep -c '#1  *deposit ' err)" -ge 2 ] || fail "which deposit() calls"
[ "$(grep -c '#2  *work ' err)" -ge 2 ] || fail "and work() calls that"
hasnt err 'peek'
run 0 "$BURL" run ./inlined_twin
has err 'nothing found'

# Accesses to one place in one block: a lock that is released, or acquired, between two of them makes
# the second one worth a hook. The flag orders the threads and makes no happens-before edge.
cat >between.c <<'SRC'
#include <pthread.h>
#include <stdatomic.h>
static int state, copied;
static atomic_int turn;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static void set(int k) { state = k; }
static void *
first(void *arg)
{
    pthread_mutex_lock(&guard);
    set(1);
    LAST(2);
    pthread_mutex_unlock(&guard);
    FREE(2);
    atomic_store_explicit(&turn, 1, memory_order_relaxed);
    return arg;
}
static void *
second(void *arg)
{
    while (!atomic_load_explicit(&turn, memory_order_relaxed))
        ;
    pthread_mutex_lock(&guard);
    copied = state;
    pthread_mutex_unlock(&guard);
    return arg;
}
int
main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return copied - 2;
}
SRC
cp between.c between_twin.c
build between --fast-run -O2 '-DLAST(k)=((void)0)' '-DFREE(k)=set(k)'
build between_twin --fast-run -O2 '-DLAST(k)=set(k)' '-DFREE(k)=((void)0)'
run 1 "$BURL" run ./between
has err 'data race on state'
has err "#0  set    between.c:6"
has err "#1  first  "
run 0 "$BURL" run ./between_twin
has err 'nothing found'

# A fault inside an inlined function, whose handler leaves it by siglongjmp: the next stacks do not have it. Nor
# have those of the handler. The same inlined function is used by two others, and each stack has its own.
cat >left.c <<'SRC'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
static int before, after, caught, fetched, given;
static atomic_int turn, steps, ready;
static sigjmp_buf back;
static int *guarded;
static inline int fetch(const int *p) { return *p; }
static inline void put(int *p, int k) { *p = k; }
/* Ends the stretch of accesses in which the ring tells calls of one function apart only by the last. */
static void step(void) { atomic_fetch_add_explicit(&steps, 1, memory_order_release); }
static void on_fault(int sig) { caught = sig; step(); siglongjmp(back, 1); }
static void early(void) { put(&before, 1); step(); atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed); }
static void late(void) { put(&after, 2); atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed); }
__attribute__((noinline)) static int probe(void) { return fetch(guarded); }
static void *
first(void *arg)
{
    early();
    if (sigsetjmp(back, 1) == 0)
        fetched = probe();
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;
    fetched += given;
    late();
    return arg;
}
static void *
second(void *arg)
{
    int sum;
    given = 0;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    while (atomic_load_explicit(&turn, memory_order_relaxed) < 2)
        ;
    sum = before + after + caught;
    return sum == 3 + SIGSEGV ? arg : NULL;
}
int
main(void)
{
    pthread_t a, b;
    guarded = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGSEGV, on_fault);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return fetched;
}
SRC
build left --fast-run -O2
run 1 "$BURL" run ./left
has err 'data race on before'
has err 'data race on after'
has err 'data race on caught'
has err 'data race on given'
grep -A1 '#0  *put ' err >callers || fail "the writes are in put()"
for f in early late; do
    grep -q "#1  *$f " callers || fail "one of them is called by $f()"
done
grep -A1 '#0  *on_fault ' err | grep -q '#1  *probe ' || fail "the handler interrupted probe()"
hasnt err ' fetch '

# More than races is watched: every access of the source has its hook. Three reads of one place in
# one block are three sites, with which the other thread's write makes pairs.
run 1 "$BURL" run --detect=race,lockset ./inlined
has err 'data race on common.balance'
