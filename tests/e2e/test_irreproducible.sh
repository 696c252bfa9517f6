#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/test_irreproducible.sh - executions that crash in a way that no replay reproduces are never
# "nothing found".
. "$BURL_TEST_ROOT/tests/support/lib.inc"

# Stands for uninitialized memory: a value that differs from run to run.
cat >unsteady.c <<'SRC'
#include <pthread.h>
#include <stddef.h>
static int sum;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
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
    if (junk % 3 == 1)
        *(volatile int *)(size_t)(junk & 0xff8) = 1;
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
"$BURL" cc -g -O1 unsteady.c -o unsteady || fail "unsteady.c"
"$BURL" cc -g -O1 -DSTEADY unsteady.c -o steady || fail "steady"

run 1 "$BURL" test --runs=100 ./unsteady
hasnt out 'nothing found'
hasnt out 'none fails'
rm -rf .burl
run 1 "$BURL" test --runs=100 --json ./unsteady
jq -e '.exit == 1 and ((.unstable | length) + (.findings | length) > 0)' out >/dev/null || fail "json"
rm -rf .burl
run 1 "$BURL" test --runs=100 -q ./unsteady
[ -s err ] || [ -s out ] || fail "nothing said"
run 0 "$BURL" test --runs=100 ./steady
