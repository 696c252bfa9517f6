#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a thread that spins on a test-and-set is seen to wait: no execution is spent on spinning
#   until its bounds cut it, whatever the spin lock is made of.
set -eu

# spins NAME TAKE RELEASE
spins() {
    cat >"$1.c" <<EOF2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_flag flag = ATOMIC_FLAG_INIT;
static atomic_uint word;
static int plain;
static int n;
static inline int
asm_exchange(int *p, int v)
{
    __asm__ volatile("xchgl %1, %0" : "+m"(*p), "+q"(v) : : "memory");
    return v;
}
static void *
work(void *arg)
{
    (void)&flag, (void)&word, (void)&plain;
    for (int i = 0; i < 3; i++) {
        while ($2)
            ;
        n++;
        $3;
    }
    return arg;
}
int
main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(n == 9);
    return 0;
}
EOF2
    "$BURL" cc -w -g -O2 "$1.c" -o "$1"
    for engine in fibers threads; do
        code=0
        "$BURL" test --runs=600 --max-steps=20000 --engine=$engine --dir="store.$1" "./$1" \
            >out.txt 2>&1 </dev/null || code=$?
        if [ $code -ne 0 ] || grep -q 'were cut' out.txt; then
            echo "$1, engine $engine: exit code $code, want 0 and no execution cut"
            cat out.txt
            exit 1
        fi
    done
}

spins flag 'atomic_flag_test_and_set(&flag)' 'atomic_flag_clear(&flag)'
spins exchange 'atomic_exchange(&word, 1)' 'atomic_store(&word, 0)'
spins fetch_or 'atomic_fetch_or(&word, 4) & 4' 'atomic_fetch_and(&word, ~4u)'
spins sync '__sync_lock_test_and_set(&plain, 1)' '__sync_lock_release(&plain)'
spins assembly 'asm_exchange(&plain, 1)' 'asm_exchange(&plain, 0)'

# A coroutine that polls on a stack of its own.
"$BURL" cc -O1 "$BURL_TEST_ROOT/tests/must_pass/loop_on_coroutine.c" -o coroutine -pthread
"$BURL" test --runs=20 --dir=store.coroutine ./coroutine >out.txt 2>&1 </dev/null || exit 1
if grep -q 'were cut' out.txt; then
    cat out.txt
    exit 1
fi
