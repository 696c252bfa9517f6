#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl cover hunt --exhaustive`: the read of one critical section and the write of another are never
# adjacent when each section reads, then writes; the search of all schedules proves it, and covers
# what is possible. It proves nothing where threads wait in loops, sleep, or the bound is reached.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >section.c <<'SRC'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *
add(void *a)
{
    int v;
    pthread_mutex_lock(&m);
    v = x;     /* read */
    x = v + 1; /* write */
    pthread_mutex_unlock(&m);
    return a;
}
static void *
look(void *a)
{
    int v, w;
    pthread_mutex_lock(&m);
    v = x; /* once */
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    w = x; /* twice */
    pthread_mutex_unlock(&m);
    return v == w ? a : 0;
}
int
main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], 0, add, 0);
    pthread_create(&t[1], 0, look, 0);
    pthread_create(&t[2], 0, add, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
SRC
build section
line() { grep -n "/\* $1 \*/" section.c | cut -d: -f1; }
read=$(line read) write=$(line write) once=$(line once) twice=$(line twice)

pair_state() {
    jq -r --argjson a "$1" --argjson b "$2" '. as $d | .pairs[] |
        select($d.sites[.a].line == $a and $d.sites[.b].line == $b) | .state' doc.json
}

run 0 "$BURL" cover --runs=20 --seed=1 ./section
run 0 "$BURL" cover hunt --seed=1 --tries=40 --gaps=0 --exhaustive ./section
grep -Eq '^impossible .*complete search: [0-9]+ schedules' out || fail "nothing is proven"
has out "exhaustive search complete: "
"$BURL" cover report --json >doc.json || fail "no report"
for pair in "$write $read" "$write $once" "$write $twice"; do
    [ "$(pair_state $pair)" = covered ] || fail "$pair: $(pair_state $pair), not covered"
done
for pair in "$read $write" "$write $write" "$once $write" "$twice $write"; do
    [ "$(pair_state $pair)" = impossible ] || fail "$pair: $(pair_state $pair), not impossible"
done
jq -e '.metrics[] | select(.short == "LP") | .percent == 100' doc.json >/dev/null ||
    fail "what is impossible still counts"

# Impossible is not pruned.
jq -e '[.variables[] | .impossible] | add >= 4' doc.json >/dev/null || fail "none is impossible"
jq -e '[.variables[] | .pruned] | add == 0' doc.json >/dev/null || fail "counted as pruned"

# Nothing is left to cover: 0 pairs, all of them covered, and why.
cat >writes.c <<'SRC'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *
one(void *a)
{
    pthread_mutex_lock(&m);
    if (a)
        x = 1;
    pthread_mutex_unlock(&m);
    return a;
}
int
main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, one, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
SRC
build writes
run 0 "$BURL" cover --runs=5 --seed=1 --dir=writes.d ./writes
run 0 "$BURL" cover hunt --seed=1 --tries=0 --exhaustive --dir=writes.d ./writes
grep -Eq '^LP +location-pairs +0 +0 100.0% +0 +all are impossible' out || fail "no word about it"
run 0 "$BURL" cover report --fail-under=LP=100 --dir=writes.d

# A loop that only waits is no obstacle.
sed -e 's/int v, w;/int v, w; while (!x) sched_yield();/' -e '1i#include <sched.h>' section.c >waits.c
build waits
run 0 "$BURL" cover --runs=20 --seed=1 --dir=waits.d ./waits
run 0 "$BURL" cover hunt --seed=1 --tries=8 --gaps=0 --exhaustive --dir=waits.d ./waits
has out "exhaustive search complete: "

# Doubts: nothing is claimed. A loop that counts its turns is no mere waiting.
sed -e 's/int v, w;/int v, w; volatile long n = 0; while (!x) { n++; sched_yield(); }/' \
    -e '1i#include <sched.h>' section.c >loops.c
sed -e 's/int v, w;/int v, w; usleep(10);/' -e '1i#include <unistd.h>' section.c >sleeps.c
for p in loops sleeps; do
    build $p
    run 0 "$BURL" cover --runs=20 --seed=1 --dir=$p.d ./$p
    run 4 "$BURL" cover hunt --seed=1 --tries=8 --gaps=0 --exhaustive --dir=$p.d ./$p
    hasnt out "^impossible"
    has out "exhaustive search inconclusive"
done
has out "sleeps"
