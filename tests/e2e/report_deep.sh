#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a stack overflow has hundreds of thousands of frames; a finding keeps the innermost and the
#   outermost ones and says how many there are, so that its files and the store stay small. A recursion
#   that is not that deep is shown whole.
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >deep.c <<'EOC'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int depth;
__attribute__((noinline)) static int down(int n)
{
    volatile char b[16];
    b[0] = (char)n;
    depth = n;
    if (n == LAST)
        abort();
    return down(n + 1) + b[0];
}
static void *work(void *a)
{
    pthread_mutex_lock(&m);
    down(1);
    pthread_mutex_unlock(&m);
    return a;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
EOC
"$BURL" cc -g -O1 -w -DLAST=-1 deep.c -o deep -lpthread || fail "cannot build deep"
"$BURL" cc -g -O1 -w -DLAST=70 deep.c -o shallow -lpthread || fail "cannot build shallow"

frames='[.threads[] | select(.state == "failed").stack] | .[0]'
run 1 "$BURL" test --seed=1 --runs=3 --no-minimize --detect=none ./deep
has out "frames in all)"
[ "$(wc -c <.burl/findings/1/finding.json)" -lt 1000000 ] || fail "finding.json is large"
[ "$(wc -c <.burl/burl.db)" -lt 2000000 ] || fail "the database is large"
[ "$(jq "$frames | length" .burl/findings/1/finding.json)" -le 81 ] || fail "too many frames"
[ "$(jq "$frames | map(.left_out // 0) | add" .burl/findings/1/finding.json)" -gt 10000 ] ||
    fail "nothing is said to be left out"
run 1 "$BURL" test --seed=1 --runs=3 --no-minimize --detect=none --dir=s ./shallow
hasnt out "frames in all)"
[ "$(jq "$frames | length" s/findings/1/finding.json)" -ge 71 ] || fail "frames are missing"
[ "$(jq "$frames | map(.left_out // 0) | add" s/findings/1/finding.json)" = 0 ] || fail "left out"
