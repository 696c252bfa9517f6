#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a search ends executions in which a spurious wakeup misses a signal. What other threads
#   do before that signal, and what keeps it from being sent, is tried nevertheless. What a search
#   finds in a program whose threads call pthread_exit() can be replayed. Where a frame is gone in
#   every execution, nothing is claimed.
set -u

fail() {
    echo "FAILED: $*"
    cat out
    exit 1
}

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
    [ $which = WRONG ] || grep -q "none fails" out || fail "no claim"
done
