#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a search ends executions in which a spurious wakeup misses a signal. What other threads
#   do before that signal, and what keeps it from being sent, is tried nevertheless. What a search
#   finds in a program whose threads call pthread_exit() can be replayed. Where a frame is gone in
#   every execution, nothing is claimed. Alike threads with other results are told apart.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

# search CODE NAME [FLAG...]: the source comes from the input.
search() {
    local code=$1 name=$2 got
    shift 2
    cat >"$name.c"
    "$BURL" cc -g -O1 "$@" "$name.c" -o "$name" -lpthread || fail "cannot build $name"
    for engine in fibers threads; do
        rm -rf .burl
        "$BURL" test --strategy=exhaustive --engine=$engine --runs=20000 "./$name" >out 2>&1
        got=$?
        [ $got -eq "$code" ] || fail "$name, $engine: exit code $got, expected $code"
        ! grep -q "not reproducible" out || fail "$name, $engine: a finding was dropped"
    done
}

# `woke` is 4 when `v` was set between the two lines of wake_or_not() while the waiter, woken up
# without a signal, stood before the mutex. CORRECT: the signal does not depend on `v`.
for which in WRONG CORRECT; do
    code=1
    [ $which = WRONG ] || code=0
    search $code conditional -D$which <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waits, ready, state, woke;
static atomic_int u, v;
static void *wait_once(void *a)
{
    pthread_mutex_lock(&m);
    waits = 1;
    if (!ready) {
        pthread_cond_wait(&c, &m);
        woke = state;
    }
    pthread_mutex_unlock(&m);
    return a;
}
static void *wake_or_not(void *a)
{
    pthread_mutex_lock(&m);
#ifdef CORRECT
    pthread_cond_signal(&c);
    if (v != 0 && waits)
        state = 3;
#else
    if (v == 0)
        pthread_cond_signal(&c);
    else if (waits)
        state = 4;
#endif
    pthread_mutex_unlock(&m);
    return a;
}
static void *set(void *a)
{
    u = 1;
    v = 1;
    return a;
}
int main(void)
{
    pthread_t t[3];
    int seen;
    pthread_create(&t[0], 0, wait_once, 0);
    pthread_create(&t[1], 0, wake_or_not, 0);
    pthread_create(&t[2], 0, set, 0);
    pthread_join(t[1], 0);
    pthread_join(t[2], 0);
    pthread_mutex_lock(&m);
    seen = woke;
    ready = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t[0], 0);
    assert(seen != 4);
    return 0;
}
EOF
    [ $which = WRONG ] || grep -q "none fails\|only interleaving passes" out || fail "no claim"
done

# The search uses the unwinder to compare the turns of a loop, and the thread that exits uses it,
# too: an execution and its replay have the same operations.
search 1 exits <<'EOF'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int a;
static pthread_t h[3];
static void *clear(void *x)
{
    a = 0;
    if (a == 0)
        pthread_exit(0);
    return x;
}
static void *add(void *x)
{
    a = a + 1;
    pthread_join(h[0], 0);
    return x;
}
static void *add_later(void *x)
{
    int seen;
    (void)x;
    pthread_mutex_lock(&m);
    while ((seen = a) == 0)
        pthread_cond_wait(&c, &m);
    a = a + 1;
    pthread_mutex_unlock(&m);
    return (void *)(long)seen;
}
int main(void)
{
    int mine = 0;
    void *seen;
    pthread_create(&h[0], 0, clear, 0);
    pthread_create(&h[1], 0, add, 0);
    pthread_create(&h[2], 0, add_later, 0);
    if (a == 1) {
        a = a + 2;
        mine = a;
    }
    pthread_join(h[1], 0);
    pthread_join(h[2], &seen);
    assert(!(seen == (void *)1L && mine == 1));
    return 0;
}
EOF
grep -q "mine == 1" out || fail "exits: the assertion was not found"

# No execution has the read before the exit: what would follow then is not known.
search 1 gone <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int *p;
static void *use(void *a)
{
    (void)a;
    assert(*p != 0);
    exit(0);
}
int main(void)
{
    int local = 0;
    pthread_t t;
    p = &local;
    pthread_create(&t, 0, use, 0);
    pthread_exit(0);
}
EOF
grep -q "not complete: a failure ends the program" out || fail "gone: a claim"

# Threads that are alike but for their results: main fails without an operation after the joins.
search 1 alike <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a;
static void *take(void *x)
{
    (void)x;
    return (void *)(long)a++;
}
int main(void)
{
    pthread_t t[2];
    void *r;
    pthread_create(&t[0], 0, take, 0);
    pthread_create(&t[1], 0, take, 0);
    pthread_join(t[0], &r);
    pthread_join(t[1], 0);
    if (r != 0)
        assert(!"swapped");
    assert(!"in order");
}
EOF
grep -q "all 2 interleavings explored" out || fail "alike: not explored"
grep -q '"swapped"' out || fail "alike: not found"
