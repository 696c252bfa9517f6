#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: in executions of more than 1,000,000 steps, accesses that repeat what their thread did to
#   private memory are no decisions and are not watched (rt/learn/thin.c). Two threads sort arrays of
#   their own: few decisions are left, the bug behind is found and replays exactly, and the same seed
#   gives the same campaign. A race on memory that was private for millions of steps is found, also when
#   a lock orders its first accesses; so is one of the same sort on a shared array. Memory that is freed
#   and given to another thread is no race.
# BURL-TIMEOUT: 300
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >sort.c <<'EOC'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static unsigned both[4] = { 4, 3, 2, 1 };
static unsigned *private[2];
static void sort(unsigned *v, int lo, int hi)
{
    while (lo < hi) {
        const unsigned middle = v[(lo + hi) / 2];
        int i = lo, j = hi;
        while (i <= j) {
            while (v[i] < middle)
                i++;
            while (v[j] > middle)
                j--;
            if (i <= j) {
                const unsigned x = v[i];
                v[i++] = v[j];
                v[j--] = x;
            }
        }
        sort(v, lo, j);
        lo = i;
    }
}
static void fill(unsigned *v, unsigned seed)
{
    for (int i = 0; i < N; i++)
        v[i] = seed = seed * 1103515245 + 12345;
}
static void add(void)
{
    int old;
    pthread_mutex_lock(&m);
    old = sum;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    sum = old + 1;
    pthread_mutex_unlock(&m);
}
static void *work(void *arg)
{
    const int me = arg != NULL;
    unsigned *v = malloc(N * sizeof *v);
    private[me] = v;
    fill(v, 1);
    sort(v, 0, N - 1);
#if defined LOST
    add();
#elif defined SHARED
    sort(both, 0, 3);
#elif defined ORDERED
    if (me == 0) {
        pthread_mutex_lock(&m);
        sum = 1;
        pthread_mutex_unlock(&m);
        fill(v, 2);
    } else {
        pthread_mutex_lock(&m);
        if (sum == 1)
            v[0] = private[0][N / 2];
        pthread_mutex_unlock(&m);
    }
#elif defined FINE
    free(v);
    pthread_mutex_lock(&m);
    sum++;
    pthread_mutex_unlock(&m);
#endif
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, &m);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
#ifdef LOST
    assert(sum == 2);
#endif
    return 0;
}
EOC
for kind in "LOST -DN=60000" "SHARED -DN=20000" "ORDERED -DN=20000" "FINE -DN=20000"; do
    set -- $kind
    "$BURL" cc -g -O1 -D$1 $2 sort.c -o $1 -lpthread || fail "cannot build $1"
done

run 1 "$BURL" test --seed=1 --no-minimize --runs=6 --json ./LOST
[ "$(jq -r '.findings[0].kind' out)" = crash.abort ] || fail "kind $(jq -c '[.findings[].kind]' out)"
# Of the millions of steps the first 1,000,000 may be decisions.
jq -e '.strategies.nonpreemptive | .steps > 4000000 and .points * 3 < .steps' out >/dev/null ||
    fail "decisions: $(jq -c .strategies.nonpreemptive out)"
jq -c '[.executions, .steps, .points, .switches, .strategies, [.findings[].fingerprint]]' out >first
run 1 "$BURL" replay 1
has out "reproduced"
run 1 "$BURL" test --seed=1 --no-minimize --runs=6 --json --dir=again --jobs=1 ./LOST
jq -c '[.executions, .steps, .points, .switches, .strategies, [.findings[].fingerprint]]' out >second
cmp first second || fail "the same seed gave another campaign"

for kind in SHARED ORDERED; do
    run 1 "$BURL" test --seed=1 --no-minimize --runs=3 --stop-at-first --dir=$kind.d --json ./$kind
    [ "$(jq -r '.findings[0].kind' out)" = race.data ] || fail "$kind: $(jq -c '[.findings[].kind]' out)"
    run 1 "$BURL" replay --dir=$kind.d 1
done

run 0 "$BURL" test --seed=1 --runs=3 --dir=fine --json ./FINE
[ "$(jq .search.complete out)" = false ] || fail "a proof without all decisions"
[ "$(jq '.findings | length' out)" = 0 ] || fail "findings: $(jq -c '[.findings[].kind]' out)"
