#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Ctrl-C ends a campaign in order: within seconds, with the summary, with what was found kept;
# exit code 1 with findings, 4 without. A second one ends at once.
set -u

fail() {
    echo "FAILED: $*"
    exit 1
}

# Five threads of many steps: too many interleavings to explore them all, which would end the campaign.
cat >prog.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#define THREADS 5
#define ROUNDS 50
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, locked;
static void *
work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (locked)
            pthread_mutex_lock(&m);
        n++;
        if (locked)
            pthread_mutex_unlock(&m);
    }
    return arg;
}
int
main(int argc, char **argv)
{
    pthread_t t[THREADS];
    (void)argv;
    locked = argc > 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    assert(n == THREADS * ROUNDS);
    return 0;
}
EOF
"$BURL" cc -g prog.c -o prog -lpthread || fail "cannot build"

# Is SIGINT (the second bit) among the signals that process $pid catches?
catches() {
    mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null)
    [ -n "$mask" ] && [ $((0x$mask & 2)) -ne 0 ]
}

# interrupt CODE READY args...: SIGINT once the campaign is under way and file READY is there; must
# end within ten seconds. A machine under load only makes it wait longer.
interrupt() {
    code=$1
    ready=$2
    shift 2
    # A shell without job control starts background commands with SIGINT ignored.
    env --default-signal=INT "$BURL" test --time=100s "$@" >out 2>err &
    pid=$!
    waited=0
    until catches && [ -e "$ready" ]; do
        kill -0 $pid 2>/dev/null || fail "it ended by itself: $(cat out err)"
        waited=$((waited + 1))
        [ $waited -lt 600 ] || fail "after a minute the campaign is not under way: $(cat out err)"
        sleep 0.1
    done
    sleep 0.5
    start=$(date +%s)
    kill -INT $pid
    wait $pid
    got=$?
    took=$(($(date +%s) - start))
    tail -n 5 out
    [ $got -eq "$code" ] || fail "exit code $got, expected $code: $(cat err)"
    [ $took -le 10 ] || fail "it took $took s to end"
    grep -q "interrupted" out || fail "the summary does not say so"
    grep -q "executions" out || fail "no summary"
}

interrupt 4 .burl ./prog locked
interrupt 1 .burl/findings/1/finding.json ./prog
"$BURL" replay --quiet 1
[ $? -eq 1 ] || fail "the finding was not kept"
exit 0
