#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a program that signals its parent means the shell that started it. Under burl the parent
#   is burl or the server that forks executions; no signal ends or stops either, comes back, or
#   becomes a finding. The same signals from elsewhere go on working.
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"
# AddressSanitizer's own handlers, which burl leaves alone, would end it.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_sigbus=0:handle_sigfpe=0"

cat >s.c <<'EOF2'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *
worker(void *arg)
{
    return arg;
}

int
main(int argc, char **argv)
{
    pthread_t t;

    (void)argv;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    for (int sig = 1; sig <= 64; sig++) {
        if (sig != SIGKILL && sig != SIGSTOP)
            kill(getppid(), sig);
    }
    if (argc > 1) {
        puts("ready");
        fflush(stdout);
        for (;;)
            pause();
    }
    return 0;
}
EOF2
build s

# The number of the parent differs from run to run: a search claims no proof (exit code 4).
while read -r code how; do
    rm -rf .burl
    "$BURL" test --fresh --runs=20 $how ./s >out 2>err </dev/null
    [ $? -eq "$code" ] || fail "burl test $how: exit code"
    hasnt out crash.
    hasnt out "were lost"
done <<'EOF2'
0 --reset=snapshot
0 --reset=fork
0 --engine=threads --reset=fork
4 --strategy=exhaustive
EOF2
run 0 "$BURL" run ./s
has err "nothing found"
run 0 "$BURL" cover --runs=20 ./s
run 0 "$BURL" tune --evaluations=2 ./s

# From elsewhere: burl ends by them, and the program gets those that ask for an end.
for sig in TERM USR1 ALRM; do
    : >ready
    "$BURL" run ./s wait >ready 2>err &
    pid=$!
    await -p $pid . test -s ready || fail "the program did not run"
    kill -$sig $pid
    wait $pid
    got=$?
    if [ $sig = TERM ]; then
        has err "killed by signal 15"
    else
        [ $got -eq $((128 + $(kill -l $sig))) ] || fail "SIG$sig did not end burl run: $got"
    fi
done
