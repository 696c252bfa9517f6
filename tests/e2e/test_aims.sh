#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: programs whose main returns without joining, and signals that come before the wait, are
#   found within few schedules, whatever the seed. Their repaired twins are in must_pass and bench.
# BURL-TIMEOUT: 300
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

# name, most schedules on average over the seeds
check() {
    local sum=0 n=0 at seed
    for seed in 1 2 3 4 5 6 7 8; do
        "$BURL" test --json --dir="store-$1-$seed" --seed=$((seed * 1000003)) --jobs=1 --runs=1000 \
            --no-minimize --stop-at-failure "./$1" >out.json </dev/null
        [ $? -eq 1 ] || fail "$1, seed $seed: nothing found"
        at=$(jq '[.findings[] | select(.kind | test("^race") | not)][0].found_after' out.json)
        sum=$((sum + at))
        n=$((n + 1))
    done
    echo "$1: $sum schedules for $n seeds"
    [ "$sum" -le $((n * $2)) ] || fail "$1: more than $2 schedules on average"
}

build() { # name, source
    "$BURL" cc -g -O1 "$2" -o "$1" -pthread || fail "cannot build $1"
}

# The joins left out.
for name in token_ring account; do
    sed '/for (int i = 0; i < [34]; i++)$/{N;/pthread_join/d}' "$BURL_TEST_ROOT/bench/search/$name.c" >$name.c
    grep -q pthread_join $name.c && fail "$name still joins"
    build $name $name.c
done
check token_ring 30
check account 15

# The look and the wait are under the mutex, flag and signal are not.
build window "$BURL_TEST_ROOT/tests/must_find/signal_before_wait.c"
check window 10

# A wait that does not look, behind a chain of threads that must all have run.
cat >chain.c <<'SRC'
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s[3];
static void *waiter(void *a)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return a;
}
static void *hand_on(void *a)
{
    long i = (long)a;
    if (i > 0)
        sem_wait(&s[i - 1]);
    if (i < 3) {
        sem_post(&s[i]);
    } else {
        pthread_mutex_lock(&m);
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return a;
}
int main(void)
{
    pthread_t t[5];
    for (int i = 0; i < 3; i++)
        sem_init(&s[i], 0, 0);
    pthread_create(&t[4], 0, waiter, 0);
    for (long i = 3; i >= 0; i--)
        pthread_create(&t[i], 0, hand_on, (void *)i);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], 0);
    return 0;
}
SRC
build chain chain.c
check chain 10
exit 0
