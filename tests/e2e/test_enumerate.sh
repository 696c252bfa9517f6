#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The enumerations say how far they are complete, do the same work whatever the number of jobs, and a
# program without any decision does not end a campaign early.
set -eu

cat >small.c <<'END'
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *
add(void *arg)
{
    pthread_mutex_lock(&lock);
    x++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int
main(void)
{
    pthread_t t[2];

    pthread_create(&t[0], NULL, add, NULL);
    if (N > 1)
        pthread_create(&t[1], NULL, add, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(x == N);
    return 0;
}
END
"$BURL" cc -DN=2 small.c -o small
"$BURL" cc -DN=1 small.c -o single

complete() {
    sed -n "s/.*\"$1\"[^}]*\"complete\": *\([0-9]*\).*/\1/p" "$2"
}

for strategy in delay preemption; do
    for jobs in 1 3; do
        "$BURL" test --fresh --strategy=$strategy --runs=5000 --jobs=$jobs --json ./small |
            tr -d '\n' >$strategy.$jobs
    done
    one=$(complete $strategy $strategy.1)
    three=$(complete $strategy $strategy.3)
    [ -n "$one" ] && [ "$one" -ge 2 ] || { echo "$strategy: complete to '$one', not 2"; exit 1; }
    [ "$one" = "$three" ] || { echo "$strategy: 1 job $one, 3 jobs $three"; exit 1; }
    "$BURL" test --strategy=$strategy --runs=400 ./single >single.out
    grep -q '^400 executions' single.out || { cat single.out; exit 1; }
done
"$BURL" test --strategy=delay --runs=5000 ./small >out
grep -q '^all schedules with at most [2-9] delays were tried (without spurious wakeups)$' out || { cat out; exit 1; }
"$BURL" test --strategy=preemption --runs=5000 ./small >out
grep -q '^every placement of at most [0-9]* preemptions was tried (without spurious wakeups)$' out || { cat out; exit 1; }

# ---- no claim without an execution that came to its end, and no success
cat >long.c <<'X'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n;
static void *add(void *p) { for (int i = 0; i < 100000; i++) n++; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); add(0); return pthread_join(t, 0); }
X
"$BURL" cc -g -O1 long.c -o long -lpthread
for strategy in delay preemption exhaustive mix random pos pct surw burst reads-from nonpreemptive; do
    code=0
    "$BURL" test --strategy=$strategy --max-steps=1000 --time=5s --fresh ./long >out 2>&1 || code=$?
    [ $code -eq 3 ] || { cat out; echo "$strategy: all executions cut: exit code $code"; exit 1; }
    grep -q 'ended: each was longer than --max-steps=1000' out || { cat out; exit 1; }
    ! grep -q 'were tried$\|was tried$\|^all .* explored' out || { cat out; exit 1; }
done
code=0
"$BURL" cover --max-steps=1000 --runs=20 ./long >out 2>&1 || code=$?
[ $code -eq 3 ] || { cat out; echo "cover: exit code $code"; exit 1; }
# Some are cut: the main thread waits for one that never comes unless it is delayed.
cat >some.c <<'X'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, n;
static void *set(void *p) { x = 1; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, set, 0);
    if (x) for (int i = 0; i < 100000; i++) n++;
    return pthread_join(t, 0); }
X
"$BURL" cc -g -O1 some.c -o some -lpthread
for strategy in delay preemption exhaustive; do
    code=0
    "$BURL" test --strategy=$strategy --max-steps=1000 --runs=400 --fresh ./some >out 2>&1 || code=$?
    [ $code -eq 4 ] || { cat out; echo "$strategy: some executions cut: exit code $code"; exit 1; }
    grep -q 'not complete: .*--max-steps' out || { cat out; exit 1; }
done

# ---- asked for by name and not finished within the budget
for strategy in delay preemption; do
    code=0
    "$BURL" test --strategy=$strategy --runs=4 --fresh ./small >out 2>&1 || code=$?
    [ $code -eq 4 ] || { cat out; echo "$strategy cut short: exit code $code"; exit 1; }
    grep -q 'not complete: .*raise --runs' out || { cat out; exit 1; }
done
