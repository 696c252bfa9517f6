#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Ctrl-C ends a campaign in order: within seconds, with the summary, with what was found kept;
# exit code 1 with findings, 4 without.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

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

# interrupt CODE PATTERN args...: SIGINT once the campaign has printed PATTERN; it must end soon.
interrupt() {
    code=$1
    pattern=$2
    shift 2
    terminal -INT "$pattern" "$BURL" test --time=100s "$@" >out
    got=$?
    tail -n 5 out
    [ $got -eq "$code" ] || fail "exit code $got, expected $code"
    grep -q "interrupted" out || fail "the summary does not say so"
    grep -q "executions" out || fail "no summary"
}

interrupt 4 '[0-9]{3} executions' ./prog locked
interrupt 1 'burl replay 1' ./prog
"$BURL" replay --quiet 1
[ $? -eq 1 ] || fail "the finding was not kept"
exit 0
