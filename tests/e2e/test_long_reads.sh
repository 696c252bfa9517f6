#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a merge sort reads one element again and again and moves the elements by memcpy, which no hook
#   sees, so its reads look like those of a loop that waits. Such threads do not give way at each of them: two
#   executions show the race behind the sort, and it replays exactly. A failure whose schedule is too long
#   for a file is listed with that reason, and the command does not end as if burl had failed.
# BURL-TIMEOUT: 300
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >sorts.c <<'EOC'
#include <pthread.h>
#include <stdlib.h>
#define N 60000
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void *work(void *arg)
{
    int *v = malloc(N * sizeof *v);
    unsigned x = (unsigned)(long)arg;
    long t;
    for (int i = 0; i < N; i++)
        v[i] = (int)((x = x * 1103515245u + 12345) >> 8);
    qsort(v, N, sizeof *v, compare);
    t = total;
    pthread_mutex_lock(&m);
    total = t + v[0];
    pthread_mutex_unlock(&m);
    free(v);
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
EOC
cat >yields.c <<'EOC'
#include <pthread.h>
#include <sched.h>
static long total;
static void *work(void *arg)
{
    for (int i = 0; i < 270000; i++)
        sched_yield();
    total++;
    return arg;
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
for program in sorts yields; do
    "$BURL" cc -g -O2 $program.c -o $program -lpthread || fail "cannot build $program"
done

run 1 "$BURL" test --runs=2 --jobs=1 --json ./sorts
[ "$(jq -c '[.findings[].kind]' out)" = '["race.data"]' ] || fail "kinds $(jq -c '[.findings[].kind]' out)"
run 1 "$BURL" replay 1
# The column of the steps is as wide as their numbers.
run 0 "$BURL" show 1
grep -qE '^ [0-9]{7}  ' out || fail "no column of steps: $(cat out)"

run 1 "$BURL" test --runs=1 --jobs=1 --dir=y ./yields
has out "not confirmed: race.data"
has out "more than 524,288 switches, too many for a file"
