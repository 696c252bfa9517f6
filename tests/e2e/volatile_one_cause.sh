#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A volatile flag or lock that orders plain data is one finding, which names the flag, with the data
# behind it; a race that an atomic flag would leave is a finding of its own. --volatile=atomic takes
# volatile for atomic without a rebuild.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >hand.c <<'SRC'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static long first, other_one, more, sink;
static volatile int flag;
static volatile uintptr_t spin;
static pthread_barrier_t both;

/* What is written before the flag is set, and what another thread reads after it saw that. */
static void publish(int second, int wrong)
{
    if (!second) {
        first = 1;
        other_one = 2;
        flag = 1;
        if (wrong)
            more = 3;
        return;
    }
    while (!flag)
        ;
    sink = first + other_one;
    if (wrong)
        sink += more;
}

/* nginx: a compare-exchange takes the lock, a volatile store gives it back. */
static void locked(int second, int wrong)
{
    for (int i = 0; i < 3; i++) {
        while (spin != 0 || !__sync_bool_compare_and_swap(&spin, 0, 1))
            ;
        first += second;
        other_one++;
        spin = 0;
        if (wrong)
            more++;
    }
}

/* The second thread comes later; relaxed operations order nothing else. */
static int turn;
static void await_turn(int second)
{
    while (second && !__atomic_load_n(&turn, __ATOMIC_RELAXED))
        ;
}
static void pass_turn(int second, int wrong)
{
    if (wrong)
        more++;
    if (!second)
        __atomic_store_n(&turn, 1, __ATOMIC_RELAXED);
}

/* The compare-exchange alone sees the store. */
static void swapped(int second, int wrong)
{
    await_turn(second);
    while (!__sync_bool_compare_and_swap(&spin, 0, 1))
        ;
    first += second;
    other_one++;
    spin = 0;
    pass_turn(second, wrong);
}

/* A flag for each element. */
static struct {
    long v;
    long w;
    volatile int full;
} pool[3];
static void elements(int second, int wrong)
{
    await_turn(second);
    for (int i = 0; i < 3; i++) {
        if (!second) {
            pool[i].v = i;
            pool[i].w = i;
            pool[i].full = 1;
        } else if (pool[i].full) {
            sink += pool[i].v;
            sink += pool[i].w;
        }
    }
    pass_turn(second, wrong);
}

static void (*what)(int, int);
static int is_wrong;
static void *second(void *arg)
{
    pthread_barrier_wait(&both);
    what(1, is_wrong);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    what = strcmp(argv[1], "flag") == 0       ? publish
           : strcmp(argv[1], "swap") == 0     ? swapped
           : strcmp(argv[1], "elements") == 0 ? elements
                                              : locked;
    is_wrong = argc > 2;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&t, NULL, second, NULL);
    pthread_barrier_wait(&both);
    what(0, is_wrong);
    pthread_join(t, NULL);
    return sink < 0;
}
SRC
build hand
cp hand.c late.c
build late --late

# One finding, which is the flag; what is behind it is listed there and kept in the store.
one_cause() {
    grep -q '^1 finding:' "$1" || fail "$2: one finding"
    has "$1" 'the flag that orders them is not atomic: data behind it (2 variables) is racy too'
    [ "$(grep -c '^  #[0-9]' "$1")" = 1 ] || fail "$2: one line of a finding"
    grep '^  #[0-9]' "$1" | grep -q "$3" || fail "$2: it names $3"
    [ "$(grep -c '^        #[0-9]' "$1")" = 2 ] || fail "$2: two lines of consequences"
}
for p in hand late; do
    rm -rf .burl
    "$BURL" run ./$p flag >out 2>err
    [ $? -eq 1 ] || fail "run: $p flag is a race"
    one_cause err "run $p flag" flag
    rm -rf .burl
    "$BURL" test --runs=200 --time=0 ./$p flag >out 2>err
    [ $? -eq 1 ] || fail "test: $p flag is a race"
    one_cause out "test $p flag" flag
    rm -rf .burl
    "$BURL" test --runs=200 --time=0 ./$p lock >out 2>err
    [ $? -eq 1 ] || fail "test: $p lock is a race"
    one_cause out "test $p lock" spin
done
"$BURL" test --json --runs=200 --time=0 ./hand lock >out 2>err
[ "$(jq '[.findings[] | select(.behind == null)] | length' out)" = 1 ] || fail "JSON: one cause"
[ "$(jq '[.findings[] | select(.behind != null)] | length' out)" = 2 ] || fail "JSON: two behind it"

# A race that would remain is a finding of its own.
rm -rf .burl
"$BURL" run ./hand flag wrong >out 2>err
grep -q '^2 findings:' err || fail 'run: two findings'
grep '^  #[0-9]' err | grep -q more || fail "run: the race on more is one by itself"
for c in swap elements; do
    rm -rf .burl
    "$BURL" run ./hand $c >out 2>err
    [ $? -eq 1 ] || fail "run: $c is a race"
    one_cause err "run $c" "$([ $c = swap ] && echo spin || echo full)"
    rm -rf .burl
    "$BURL" run ./hand $c wrong >out 2>err
    grep -q '^2 findings:' err || fail "run: two findings ($c)"
    grep '^  #[0-9]' err | grep -q more || fail "run: the race on more is one by itself ($c)"
done
for c in flag lock; do
    rm -rf .burl
    "$BURL" test --runs=500 --time=0 ./hand $c wrong >out 2>err
    grep -q '^2 findings:' out || fail "test: two findings ($c)"
    grep '^  #[0-9]' out | grep -q more || fail "test: the race on more is one by itself ($c)"
    grep -q '^finding .*race.data' out || fail "test: it is reported ($c)"
    has out 'data behind it (2 variables) is racy too'
done

# The same programs with volatile taken for atomic.
for p in hand late; do
    for c in flag lock; do
        rm -rf .burl
        "$BURL" run --volatile=atomic ./$p $c >out 2>err || fail "run: $p $c is understood"
        "$BURL" test --volatile=atomic --runs=200 --time=0 ./$p $c >out 2>err ||
            fail "test: $p $c is understood"
        "$BURL" test --volatile=atomic --runs=500 --time=0 ./$p $c wrong >out 2>err
        [ $? -eq 1 ] || fail "test: $p $c wrong is found"
        grep -q ', 1 finding$' out || fail "test: one finding ($p $c)"
        grep -q '^  data race on more ' out || fail "test: the race on more remains ($p $c)"
        id=$(sed -n 's/^finding \([0-9]*\): .*/\1/p' out)
        "$BURL" replay "$id" >out 2>err
        [ $? -eq 1 ] || fail "replay: the schedule knows that volatile was atomic"
    done
done
"$BURL" run --volatile=sometimes ./hand flag >out 2>err
[ $? -eq 2 ] || fail "a value that does not exist"
has err 'plain'
