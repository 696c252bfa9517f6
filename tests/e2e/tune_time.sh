#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/tune_time.sh - burl tune when the time ends in the first evaluation.
. "$(dirname "$0")/tune_lib.inc"

# Starts are counted in a file; from start HANG on the program does not end. Starts 1 and 2 are the
# look and the one plain run.
cat >late.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *work(void *arg) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return arg; }
int main(int argc, char **argv)
{
    pthread_t t[2];
    int n = 0;
    FILE *f = fopen("starts", "r");
    if (f) {
        if (fscanf(f, "%d", &n) != 1)
            n = 0;
        fclose(f);
    }
    f = fopen("starts", "w");
    fprintf(f, "%d\n", ++n);
    fclose(f);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    while (argc > 1 && n >= atoi(argv[1]))
        pause();
    return 0;
}
C
build late

# No execution under noise ends: nothing was evaluated, and that is said.
for jobs in 1 2; do
    rm -rf .burl starts
    run 4 "$BURL" tune --jobs=$jobs --time=4s --plain-runs=1 ./late 3
    has err 'nothing was evaluated: no execution under noise ended within the time'
    has err 'give --time='
    hasnt out 'nothing found'
done
rm -rf .burl starts
run 4 "$BURL" tune --time=4s --plain-runs=1 --json ./late 3
cp out out.json
holds '.exit == 4 and .end == "time" and .evaluations == [] and .best == null' "the document"

# A check that hangs after it has worked: that is said, and what was evaluated before is kept.
build late
rm -rf .burl starts
start=$(date +%s)
run 3 "$BURL" tune --time=8s --plain-runs=1 --json --check='[ $(cat starts) -lt 8 ] || exec sleep 1000' ./late
[ $(($(date +%s) - start)) -lt 40 ] || fail "the search ends in time"
has err 'the check did not end in'
has err 'exec sleep 1000'
cp out out.json
holds '.exit == 3 and (.error | startswith("the check did not end in")) and .total.executions == 5' \
    "the document of a check that hangs"

# A request to end that only the first process of burl gets ends the executions of the others, too.
rm -rf .burl starts
start=$(date +%s)
"$BURL" tune --jobs=2 --plain-runs=1 --run-time=20s --evaluations=2 ./late 3 >out 2>err &
pid=$!
# Two that start at the same time may count as one.
until [ "$(cat starts 2>/dev/null || echo 0)" -ge 3 ] 2>/dev/null; do
    kill -0 $pid || fail "burl ended"
done
kill -TERM $pid
wait $pid
[ $? -eq 4 ] || fail "exit code of an interrupted search"
[ $(($(date +%s) - start)) -lt 35 ] || fail "burl waited for executions"
hasnt err 'the tested program sent burl'

# Two executions of five end: they are an evaluation, which the next command goes on after.
rm -rf .burl starts
run 0 "$BURL" tune --time=4s --plain-runs=1 --json ./late 5
cp out out.json
holds '(.evaluations | length) == 1 and .evaluations[0].executions == 2 and .total.executions == 2' \
    "the evaluation that was cut"
hasnt err 'nothing was evaluated'
rm starts
run 0 "$BURL" tune --time=4s --plain-runs=1 --json ./late 5
cp out out.json
holds '.resumed == 1 and (.evaluations | length) == 2 and .evaluations[1].executions == 3' \
    "the same command goes on"
