#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: the portfolio gives every strategy its share, moves the rest to those that bring something,
#   and does so in the same way whatever the number of jobs. A small test that was explored whole ends
#   with a proof, and one whose failure is rare is not called proven.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

build() {
    "$BURL" cc -g -O1 "$@" -lpthread || fail "cannot build"
}

root=$BURL_TEST_ROOT
build "$root/bench/search/wsq.c" -o wsq
build -DFIXED "$root/bench/search/account.c" -o account_fixed
build "$root/bench/search/account.c" -o account
cat >deep.c <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int n, seen[8];
static void *
count(void *arg)
{
    for (int i = 0; i < 40; i++)
        atomic_fetch_add(&n, 1);
    return arg;
}
/* Each step is reached only when the one before saw the number within a few. */
static void *
look(void *arg)
{
    int at = atomic_load(&n);
    if (at < 6 || at > 12)
        return arg;
    atomic_store(&seen[0], 1);
    at = atomic_load(&n);
    if (at < 20 || at > 28)
        return arg;
    atomic_store(&seen[1], 1);
    at = atomic_load(&n);
    if (at < 33 || at > 39)
        return arg;
    atomic_store(&seen[2], 1);
    at = atomic_load(&n);
    if (at < 50 || at > 60)
        return arg;
    atomic_store(&seen[3], atomic_load(&n));
    return arg;
}
static void *
watch(void *arg)
{
    if (atomic_load(&seen[0]))
        if (atomic_load(&seen[1]))
            if (atomic_load(&seen[2]))
                atomic_store(&seen[4], atomic_load(&seen[3]));
    return arg;
}
int
main(void)
{
    void *(*const run[])(void *) = { count, count, look, watch };
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, run[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
EOF
build deep.c -o deep

# campaign JOBS RUNS PROGRAM: the same whatever the number of jobs.
campaign() {
    rm -rf .burl
    "$BURL" test --json --seed=7 --jobs="$1" --runs="$2" "./$3" >out.json
    holds ".executions >= $2 and .executions < $2 + 100" "not what was asked for"
    jq -S '{portfolio, strategies, verdicts, edges, edge_candidates, location_pairs, location_pair_candidates,
            lock_orders}' out.json >now
    [ "$1" = 1 ] && cp now "$3.one"
    cmp "$3.one" now || {
        diff "$3.one" now
        fail "another portfolio of $3 with $1 jobs"
    }
}

# Shares. The work-stealing queue is too large to be proven.
for jobs in 1 3; do
    campaign $jobs 6000 wsq
    holds '[.portfolio[] | select(.strategy | IN("delay", "preemption") | not) | .executions * 100 >= 6000] | all' \
        "an arm starves"
done

# Rewards. The opening shows all that the queue has; here much only shows after many schedules.
for jobs in 1 2 3; do
    campaign $jobs 3000 deep
    holds '([.portfolio[].edges] | add) > 0' "no arm is rewarded for edges"
    holds '([.portfolio[].pairs] | add) > 0' "no arm is rewarded for location pairs"
    holds '.location_pairs > 0 and .location_pairs <= .location_pair_candidates' "pairs do not add up"
done
# The next campaign knows them: what was new is not new again.
cp out.json before.json
"$BURL" test --json --seed=7 --jobs=2 --runs=1000 ./deep >out.json
holds ".location_pairs >= $(jq .location_pairs before.json)" "pairs were forgotten"
holds '([.portfolio[].pairs] | add) * 2 < .location_pairs' "known pairs are paid for again"

# Orders of locks are deadlock potential, also where they close no cycle.
cat >orders.c <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int n, sum;
static void *
count(void *arg)
{
    for (int i = 0; i < 30; i++)
        atomic_fetch_add(&n, 1);
    return arg;
}
static void *
look(void *arg)
{
    int at = atomic_load(&n);
    pthread_mutex_lock(&a);
    if (at > 10) {
        pthread_mutex_lock(&b);
        atomic_fetch_add(&sum, 1);
        pthread_mutex_unlock(&b);
    }
    pthread_mutex_unlock(&a);
    return arg;
}
int
main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, i == 0 ? look : count, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
EOF
build orders.c -o orders
for jobs in 1 2; do
    campaign $jobs 4000 orders
    holds '.lock_orders == 1' "the order of locks was not seen"
done

# A proof.
"$BURL" test --time=20s --dir=a ./account_fixed >text
[ $? -eq 0 ] || fail "the repaired twin failed: $(cat text)"
grep -q 'all [0-9,]* interleavings explored, none fails' text || fail "no proof: $(cat text)"
"$BURL" test --json --time=20s --dir=b ./account_fixed >out.json
holds '."end" == "explored" and .search.complete and .search.executions > 1 and .exit == 0' \
    "the proof is not in the JSON"

# No proof where something fails.
"$BURL" test --json --time=20s --dir=c ./account >out.json
holds '.exit == 1 and ([.findings[].kind] | index("crash.abort"))' "the failure was missed"
"$BURL" test --time=20s --dir=d ./account >text
grep -q 'none fails\|only interleaving passes' text && fail "it was called proven: $(cat text)"
exit 0
