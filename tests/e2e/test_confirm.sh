#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: what one run predicts, directed runs reproduce: a race that needs an order no run
#   takes, a deadlock that did not happen, a check and an act with another thread in between. What
#   cannot be reproduced is listed apart and changes the exit code with --strict only; a triple
#   that does no harm never does.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

# hunt CODE PROGRAM [options]: result in out.json.
hunt() {
    code=$1 prog=$2
    shift 2
    rm -rf .burl
    "$BURL" test --json "$@" "./$prog" >out.json 2>err
    got=$?
    cat err
    [ $got -eq "$code" ] || fail "$prog $*: exit code $got, expected $code"
}

threads() {
    cat <<'EOF'
int
main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return ending();
}
EOF
}

# x is written before 60 sections under a lock and read after 60 of another thread: only if nothing
# of the one is between the other's is there a race by happens-before.
{
    cat <<'EOF'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, turns, got;
static void
turn(void)
{
    for (int i = 0; i < 60; i++) {
        pthread_mutex_lock(&m);
        turns++;
        pthread_mutex_unlock(&m);
    }
}
static void *
one(void *arg)
{
    x = 1;
    turn();
    return arg;
}
static void *
two(void *arg)
{
    turn();
    got = x;
    return arg;
}
static int ending(void) { return got > 1; }
EOF
    threads
} >hidden.c
build hidden
# With one strategy: the portfolio's reads-from proposals find it too, without being told.
for seed in 1 2 3; do
    hunt 1 hidden --strategy=random --runs=60 --seed=$seed
    holds '.strategies.directed.failures >= 1' "seed $seed: no directed run showed the race"
    holds '[.findings[].kind] == ["race.data"]' "seed $seed: not one race"
    holds '.findings[0].detail.title | test("race on x ")' "seed $seed: the race is on something else"
    holds '[.suspects[] | select(.kind == "potential-race" and .state != "confirmed")] == []' \
        "seed $seed: the confirmed race is still a suspect"
done
"$BURL" replay --times=3 1 >out 2>&1
[ $? -eq 1 ] || fail "replay of a race: $(cat out)"
grep -q '3 of 3 runs failed with race.data, 3 of them exactly as recorded (same steps)' out || fail "$(tail -n 3 out)"

# Made right by a flag with release and acquire. Locksets do not see that; no run shows a race.
{
    cat <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
static int data, got;
static atomic_int ready;
static void *
one(void *arg)
{
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return arg;
}
static void *
two(void *arg)
{
    while (!atomic_load_explicit(&ready, memory_order_acquire)) {
    }
    got = data;
    return arg;
}
static int ending(void) { return got != 42; }
EOF
    threads
} >flag.c
build flag
# A search of all interleavings disproves the suspicion; without one it stays open.
hunt 0 flag --runs=300 --strict
holds '.findings == []' "a correct program is flagged"
holds '.suspects == []' "a disproved suspicion is listed"
hunt 0 flag --runs=300 --strategy=pos
holds '.findings == []' "a correct program is flagged"
holds '[.suspects[] | select(.kind == "potential-race")] | length == 1' "the suspicion is not listed"
holds '.suspects[] | select(.kind == "potential-race") | .state == "not-confirmed" and .tries == 10' \
    "not ten tries"
hunt 0 flag --runs=300 --strategy=pos --confirm-tries=3
holds '.suspects[] | select(.kind == "potential-race") | .tries == 3' "--confirm-tries is not followed"
hunt 1 flag --runs=300 --strategy=pos --strict
hunt 0 flag --runs=300 --strategy=pos --strict --detect=race
holds '.suspects == []' "--detect=race suspects by locksets"
# The search did not look for races: it disproves none.
hunt 1 flag --runs=300 --strict --detect=lockset
holds '[.suspects[] | select(.kind == "potential-race")] | length == 1' "no search for races"
rm -rf .burl
"$BURL" test --runs=300 --strategy=pos ./flag >out 2>&1 || fail "text: $(cat out)"
grep -q '^Suspects' out || fail "the text has no list of suspects"

# Data that a signal orders is no suspect. Data that is written after it was sent is a race.
cat >signals.c <<'EOF'
#include <pthread.h>
#include <signal.h>
#include <string.h>
static int data, got, wrong;
static void *
waiter(void *arg)
{
    sigset_t s;
    int n;

    sigemptyset(&s);
    sigaddset(&s, SIGUSR2);
    sigwait(&s, &n);
    got = data;
    return arg;
}
int
main(int argc, char **argv)
{
    pthread_t t;
    sigset_t s;

    wrong = argc > 1;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &s, NULL);
    pthread_create(&t, NULL, waiter, NULL);
    if (!wrong)
        data = 7;
    pthread_kill(t, SIGUSR2);
    if (wrong)
        data = 7;
    pthread_join(t, NULL);
    return 0;
}
EOF
build signals
hunt 0 signals --runs=300
holds '.findings == [] and .suspects == []' "data that a signal orders is suspected"
rm -rf .burl
"$BURL" test --json --runs=300 ./signals wrong >out.json 2>err
[ $? -eq 1 ] || fail "data that a signal does not order"
holds '.findings[0].kind == "race.data"' "data that a signal does not order"

# Two locks in either order, at moments far apart.
abba() {
    cat <<EOF
#include <pthread.h>
static pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER,
                       b = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static int n, turns;
static void
turn(void)
{
    for (int i = 0; i < 60; i++) {
        pthread_mutex_lock(&m);
        turns++;
        pthread_mutex_unlock(&m);
    }
}
static void
both(pthread_mutex_t *x, pthread_mutex_t *y)
{
    $1
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    n++;
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
    $2
}
static void *
one(void *arg)
{
    both(&a, &b);
    turn();
    return arg;
}
static void *
two(void *arg)
{
    turn();
    both(&b, &a);
    return arg;
}
static int ending(void) { return n != 2; }
EOF
    threads
}
abba "" "" >locks.c
build locks
for seed in 1 2 3; do
    hunt 1 locks --runs=20 --seed=$seed
    holds '.executions <= 20' "more executions than asked for"
    holds '[.findings[].kind] == ["deadlock.cycle"]' "seed $seed: not the deadlock"
    holds '.strategies.directed.failures >= 1' "seed $seed: not by a directed run"
done
"$BURL" replay 1 >out 2>&1
[ $? -eq 1 ] && grep -q 'reproduced exactly (same steps): deadlock.cycle' out || fail "replay: $(tail -n 3 out)"

# The same behind a gate: cannot deadlock, nothing is said.
abba "pthread_mutex_lock(&g);" "pthread_mutex_unlock(&g);" >gate.c
build gate
hunt 0 gate --runs=300 --strict
holds '.findings == [] and ([.suspects[] | select(.kind | test("deadlock|cycle|lock"))] == [])' \
    "locks behind a gate are suspected"

# Read, then write; each under the lock. The window is small against what surrounds it.
tickets() {
    cat <<EOF
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int tickets = 2, turns;
static void
turn(void)
{
    for (int i = 0; i < 40; i++) {
        pthread_mutex_lock(&m);
        turns++;
        pthread_mutex_unlock(&m);
    }
}
static void
buy(void)
{
    int left;
    pthread_mutex_lock(&m);
    left = tickets;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    tickets = left - 1;
    pthread_mutex_unlock(&m);
}
static void *
one(void *arg)
{
    buy();
    turn();
    return arg;
}
static void *
two(void *arg)
{
    turn();
    buy();
    return arg;
}
static int
ending(void)
{
    assert($1);
    return 0;
}
EOF
    threads
}
tickets "tickets == 0" >sold.c
build sold
hunt 1 sold --runs=60 --seed=1
holds '[.findings[].kind] == ["crash.abort"]' "not the assertion"
holds '.strategies.directed.failures >= 1' "no directed run failed"
rm -rf .burl
"$BURL" test -v --runs=60 --seed=1 ./sold >out 2>&1
tr -s ' \n' ' ' <out | grep -q "tickets: read at sold.c:19 in buy and write at sold.c:22 in buy" ||
    fail "the report does not tell the triple: $(cat out)"
grep -q '^ *tickets: .* reproduced' out && fail "the triple that failed is still a suspect"

# The same window, and nothing depends on it.
tickets "tickets <= 1" >idle.c
build idle
hunt 0 idle --runs=100 --strict
holds '.findings == []' "a triple that does no harm is a finding"
holds '[.suspects[] | select(.kind == "triple" and .state == "harmless")] | length >= 1' \
    "the triple that happened is not listed"

# Before the end of a search it is listed; after it only with -v.
cat >twice.c <<'EOF'
#include <pthread.h>
static int hits;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int
get(void)
{
    pthread_mutex_lock(&m);
    int v = hits;
    pthread_mutex_unlock(&m);
    return v;
}
static void *
add(void *arg)
{
    int v = get();
    pthread_mutex_lock(&m);
    hits = v + 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int
main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return hits > LIMIT;
}
EOF
build twice -DLIMIT=2
run 0 "$BURL" test --seed=1 --fresh --runs=10 ./twice
hasnt out "possible atomicity violations" # reproduced, and the run passed
run 0 "$BURL" test -v --seed=1 --fresh --runs=10 ./twice
has out "possible atomicity violations (1)"
run 0 "$BURL" test --seed=1 --fresh ./twice
has out "interleavings explored, none fails"
hasnt out "Suspects"
run 0 "$BURL" test --seed=1 --fresh -v ./twice
has out "possible atomicity violations (1)"
hunt 0 twice --seed=1
holds '.search.complete and [.suspects[] | .kind + " " + .state] == ["triple harmless"]' "not in --json"
build twice -DLIMIT=1
run 1 "$BURL" test --seed=1 --fresh ./twice
has out "exit.nonzero"

# All potential races are on a variable that has a finding: there is nothing to list.
cp "$BURL_TEST_ROOT/bench/search/cve_2016_1972.c" found.c
build found
run 1 "$BURL" test --seed=1 --fresh --runs=100 ./found
has out "race.data"
hasnt out "(0)"
hunt 1 found --seed=1 --runs=100
holds '[.suspects[] | select(.kind == "potential-race")] | length > 0 and all(.[]; .has_finding)' \
    "the program has no pair on a variable that has a finding"

# How the two orders of a race end.
orders() {
    cat <<EOF
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int x, got;
static void *
one(void *arg)
{
    x = $1;
    return arg;
}
static void *
two(void *arg)
{
    got = x;
    return arg;
}
static int
ending(void)
{
    $2
    return 0;
}
EOF
    threads
}
orders 1 'if (got) abort();' >fails.c
build fails
hunt 1 fails --runs=50
holds '.findings[] | select(.kind == "race.data") | .detail.orders | .outcome == "differs" and .failing' "the orders do not differ"
holds '[.findings[] | select(.kind == "race.data") | .detail.orders.ends[].end] | (.[0] | test("exit 0")) != (.[1] | test("exit 0"))' \
    "not one of the orders fails"
holds '[.findings[].kind] | sort == ["crash.abort", "race.data"]' "the failure is no finding of its own"
orders 1 'printf("%d\n", got);' >prints.c
build prints
hunt 1 prints --runs=50
holds '.findings[] | select(.kind == "race.data") | .detail.orders | .outcome == "differs" and (.failing | not)' "printing is no difference"
orders 0 'printf("%d\n", got);' >alike.c
build alike
hunt 1 alike --runs=50
holds '.findings[] | select(.kind == "race.data") | .detail.orders | .outcome == "same" and (.failing | not)' "the orders are not the same"
exit 0
