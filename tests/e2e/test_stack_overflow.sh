#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a stack overflow ends an execution at the same call every time, whatever the runtime records
#   meanwhile on the same stack: it is found with locks at each level of the recursion, in a thread and in
#   main, and replays step by step. Its schedule file stays small, with --no-minimize as well, although
#   threads were switched at every level. A recursion that comes near the end of the stack passes.
# BURL-TIMEOUT: 300
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >down.c <<'EOC'
#include <pthread.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
__attribute__((noinline)) static int down(int level)
{
    char b[FRAME];
    memset(b, level, sizeof b);
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return level == LAST ? 0 : down(level + 1) + b[level % FRAME];
}
static void *work(void *arg)
{
    return down(0) == -1 ? arg : NULL;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
#ifdef IN_MAIN
    down(0);
#endif
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
EOC
ulimit -s 8192
"$BURL" cc -g -O0 -DFRAME=1500 -DLAST=-1 down.c -o thread -lpthread || fail "cannot build thread"
"$BURL" cc -g -O0 -DFRAME=300 -DLAST=-1 down.c -o often -lpthread || fail "cannot build often"
"$BURL" cc -g -O0 -DFRAME=8000 -DLAST=-1 -DIN_MAIN down.c -o main -lpthread || fail "cannot build main"
"$BURL" cc -g -O0 -DFRAME=8000 -DLAST=900 -DIN_MAIN down.c -o near -lpthread || fail "cannot build near"
./near || fail "the correct program overflows by itself"

for engine in fibers threads; do
    for program in thread main; do
        run 1 "$BURL" test --seed=1 --runs=2 --engine=$engine --dir=$program.$engine ./$program
        has out "stack overflow"
        run 1 "$BURL" replay --dir=$program.$engine 1
        has out "reproduced exactly"
    done
    run 0 "$BURL" test --seed=1 --runs=4 --engine=$engine --dir=near.$engine ./near
done
run 1 "$BURL" test --seed=1 --runs=1 --max-steps=9000000 --strategy=pos --no-minimize --dir=whole --json ./often
[ "$(jq .switches out)" -gt 10000 ] || fail "only $(jq .switches out) switches"
[ "$(wc -c <whole/findings/1/schedule.txt)" -lt 100000 ] || fail "the schedule file is large"
run 1 "$BURL" replay --dir=whole 1
has out "reproduced exactly"
