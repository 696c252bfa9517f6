#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/test_irreproducible.sh - executions that fail in a way that no replay reproduces are findings
# of their own kind: one for each way to fail, in the store, with the place and likely causes.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

# Stands for uninitialized memory: a value that differs from run to run. It fails so rarely that
# replays do not fail by chance.
cat >unsteady.c <<'SRC'
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
static int sum;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static void
fail(unsigned junk)
{
#if HOW == 1
    *(volatile int *)(size_t)(junk & 0xff8) = 1;
#elif HOW == 2
    assert(junk == 0);
#elif HOW == 3
    exit((int)(junk | 1) != 0 ? 3 : 0);
#else
    pthread_mutex_lock(&guard);
    for (;;)
        pthread_cond_wait(&never, &guard);
#endif
}
static void *
work(void *arg)
{
    unsigned junk = 0;
#ifndef STEADY
    unsigned high;
    __asm__ volatile("rdtsc" : "=a"(junk), "=d"(high));
    junk >>= 4;
#endif
    pthread_mutex_lock(&guard);
    sum++;
    pthread_mutex_unlock(&guard);
    if (junk % 16 == 1)
        fail(junk);
    return arg;
}
int
main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return sum == 2 ? 0 : 1;
}
SRC
kind=nondeterminism.not-reproducible

# HOW CAUSE PLACE: the finding names how it failed, and where.
check() {
    "$BURL" cc -g -O1 -DHOW=$1 unsteady.c -o unsteady || fail "unsteady.c"
    rm -rf .burl
    run 1 "$BURL" test --runs=400 --json ./unsteady
    jq -e --arg k $kind --arg c "$2" '.exit == 1 and (.findings | length) == 1 and
        (.findings[0] | .kind == $k and .detail.kind == $k and .count > 0 and .detail.count == .count and
         (.detail.cause | startswith($k + " " + $c)) and (.detail.detail | contains("uninitialized")) and
         ([.detail.threads[] | .stack[].function, .waits.at.function?] | any(. == "fail")))' out >/dev/null ||
        fail "$2: $(jq -c '.findings' out)"
    jq -e '.findings[0].detail.replay == ""' out >/dev/null || fail "a command to replay"
    run 1 "$BURL" findings -v
    has out "$kind"
    has out 'no replay reproduces it'
    run 0 "$BURL" show 1
    has out "finding 1: $kind"
    has out 'Likely causes'
    run 2 "$BURL" replay 1
    has err 'check-determinism'
    # The same failure in another campaign is the same finding.
    run 1 "$BURL" test --runs=400 ./unsteady
    has out "$kind"
    has out 'known from an earlier campaign'
    hasnt out 'nothing found'
    hasnt out 'none fails'
    [ "$("$BURL" findings --json | jq '.findings | length')" = 1 ] || fail "$2: more than one finding"
}
check 1 crash.signal
check 2 crash.abort
check 3 exit.nonzero
check 4 deadlock.stuck

rm -rf .burl
run 1 "$BURL" test --runs=400 -q ./unsteady
has out "$kind"

"$BURL" cc -g -O1 -DHOW=1 -DSTEADY unsteady.c -o steady || fail "steady"
rm -rf .burl
run 0 "$BURL" test --runs=100 --json ./steady
jq -e '(.findings | length) == 0 and (.unstable | length) == 0' out >/dev/null || fail "steady: $(cat out)"
