#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a thousand threads that live at once are tested: at a barrier, at a condition variable and
#   at a mutex. The bug is found and replays exactly, the correct twin passes, and executions are cheap
#   enough for tens of them. More threads than the runtime has room for are refused, and the limit is
#   named.
# BURL-TIMEOUT: 600
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >many.c <<'EOC'
#include <pthread.h>
#include <stdlib.h>
#ifndef N
#define N 1000
#endif
static pthread_barrier_t b;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int go, n;
static void *work(void *arg)
{
#ifdef COND
    pthread_mutex_lock(&m);
    while (!go)
        pthread_cond_wait(&c, &m);
    n++;
    pthread_mutex_unlock(&m);
#else
    pthread_barrier_wait(&b);
#ifdef BUG
    n++;
#else
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
#endif
#endif
    return arg;
}
int main(void)
{
    static pthread_t t[N];
    pthread_barrier_init(&b, NULL, N);
    for (int i = 0; i < N; i++)
        if (pthread_create(&t[i], NULL, work, NULL) != 0)
            abort();
#ifdef COND
    pthread_mutex_lock(&m);
    go = 1;
#ifdef BUG
    pthread_cond_signal(&c);
#else
    pthread_cond_broadcast(&c);
#endif
    pthread_mutex_unlock(&m);
#endif
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return n == N ? 0 : 1;
}
EOC
for what in BARRIER COND; do
    "$BURL" cc -g -O1 -D$what many.c -o $what -lpthread || fail "cannot build $what"
    "$BURL" cc -g -O1 -D$what -DBUG many.c -o $what.bug -lpthread || fail "cannot build $what.bug"
    run 0 "$BURL" test --seed=1 --runs=6 --dir=$what.store --json ./$what
    [ "$(jq .max_threads out)" = 1001 ] || fail "$what: $(jq .max_threads out) threads"
    [ "$(jq .executions out)" = 6 ] || fail "$what: $(jq .executions out) executions"
    run 1 "$BURL" test --seed=1 --runs=6 --stop-at-first --no-minimize --dir=$what.bugs --json ./$what.bug
    kind=$(jq -r '.findings[0].kind' out)
    case $what.$kind in
    BARRIER.race.data | BARRIER.exit.nonzero | COND.deadlock.stuck) ;;
    *) fail "$what.bug: $kind" ;;
    esac
    run 1 "$BURL" replay --dir=$what.bugs 1
done
"$BURL" cc -g -O1 -DBARRIER -DN=5000 many.c -o more -lpthread || fail "cannot build more"
run 3 "$BURL" test --seed=1 --runs=2 ./more
has out "more than 4096 threads"
