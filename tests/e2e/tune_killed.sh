#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/tune_killed.sh - executions of burl tune that a signal kills: a request to end is neither a failure nor a pass,
# a write to a socket without a reader is a crash, also under burl run.
. "$(dirname "$0")/tune_lib.inc"

# Sends itself a signal, from the N-th execution on. The first one is burl's look at the program, and then comes
# the plain run.
cat >dies.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(int argc, char **argv)
{
    int fd = open("calls", O_WRONLY | O_CREAT | O_APPEND, 0600), two[2];
    struct stat st;
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    if (argc < 3 || write(fd, "x", 1) != 1 || fstat(fd, &st) != 0)
        return 2;
    if (st.st_size < atoi(argv[2]))
        return 0;
    if (atoi(argv[1]) != SIGPIPE)
        kill(getpid(), atoi(argv[1]));
    else if (socketpair(AF_UNIX, SOCK_STREAM, 0, two) == 0 && close(two[0]) == 0)
        return write(two[1], "x", 1) == 1;
    pause();
    return 0;
}
C
build dies
tune() { # SIGNAL N
    rm -rf .burl calls
    "$BURL" tune --plain-runs=1 --evaluations=1 --executions=2 "$@" >out 2>err
}

# TERM and KILL: the search does not claim that nothing was found in a clean run.
for sig in 15 9; do
    code=0
    tune ./dies $sig 3 || code=$?
    [ $code = 4 ] || fail "signal $sig: exit code $code: $(cat out err)"
    has out 'killed by a signal ('
    has out 'nothing found'
    hasnt out 'finding 1'
    code=0
    tune ./dies $sig 1 || code=$?
    [ $code = 2 ] || fail "signal $sig in plain runs: exit code $code: $(cat out err)"
    has err "was killed by signal $sig"
    has err 'in all of 1 plain run: burl takes that for a request from outside'
done
code=0
tune --json ./dies 15 3 || code=$?
[ $code = 4 ] || fail "exit code $code with --json"
cp out out.json
holds '.exit == 4 and .killed >= 1 and .total.errors == 0 and (.findings | length) == 0' "$(cat out.json)"

# A program that is killed by SIGPIPE crashes: only burl reads what it prints.
code=0
tune ./dies 13 3 || code=$?
[ $code = 1 ] || fail "SIGPIPE: exit code $code: $(cat out err)"
has out 'crash.signal'
hasnt out 'killed by a signal ('
rm -f calls
run 1 "$BURL" run ./dies 13 1
has err 'crash.signal'

# It is none when the reader of the output is gone.
cat >prints.c <<'C'
#include <stdio.h>
int main(void) { for (;;) puts("a line"); }
C
build prints
{ "$BURL" run ./prints 2>err; echo $? >code; } | head -n 1 >line
[ "$(cat code)" = 4 ] || fail "output without a reader: exit code $(cat code): $(cat err)"
has err 'was killed by signal 13'
hasnt err 'crash.signal'
exit 0
