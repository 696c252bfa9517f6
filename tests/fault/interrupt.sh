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

cat >prog.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, locked;
static void *
work(void *arg)
{
    if (locked)
        pthread_mutex_lock(&m);
    n++;
    if (locked)
        pthread_mutex_unlock(&m);
    return arg;
}
int
main(int argc, char **argv)
{
    pthread_t a, b;
    (void)argv;
    locked = argc > 1;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
    return 0;
}
EOF
"$BURL" cc -g prog.c -o prog -lpthread || fail "cannot build"

# interrupt CODE args...: SIGINT after a second; must end within ten.
interrupt() {
    code=$1
    shift
    # A shell without job control starts background commands with SIGINT ignored.
    env --default-signal=INT "$BURL" test --time=100s "$@" >out 2>err &
    pid=$!
    sleep 1.5
    start=$(date +%s)
    kill -INT $pid
    wait $pid
    got=$?
    took=$(($(date +%s) - start))
    cat out | tail -n 5
    [ $got -eq "$code" ] || fail "exit code $got, expected $code: $(cat err)"
    [ $took -le 10 ] || fail "it took $took s to end"
    grep -q "interrupted" out || fail "the summary does not say so"
    grep -q "executions" out || fail "no summary"
}

interrupt 4 ./prog locked
interrupt 1 ./prog
"$BURL" replay --quiet 1
[ $? -eq 1 ] || fail "the finding was not kept"
exit 0
