#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/input_pipe.sh - standard input of programs that are executed many times: a file is given to
# each execution, data in a pipe cannot be.
. "$(dirname "$0")/tune_lib.inc"

cat >rd.c <<'C'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    sum += *(int *)arg;
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t t[5];
    int x[5], n = 0;
    while (n < 5 && scanf("%d", &x[n]) == 1) {
        pthread_create(&t[n], 0, work, &x[n]);
        n++;
    }
    for (int i = 0; i < n; i++)
        pthread_join(t[i], 0);
    return n == 5 ? 0 : 7;
}
C
build rd
write_lost
build fixed -DFIXED
seq 5 >five

# The data is in the pipe before burl looks: the writer holds the FIFO open and says when it has written.
mkfifo in
with_pipe() {
    exec 3<>in
    echo '1 2 3 4 5' >&3
    "$@" <in >out 2>err
    got=$?
    exec 3>&-
}
with_pipe "$BURL" tune --evaluations=2 ./rd
[ $got -eq 2 ] || fail "exit code $got of tune"
has err 'standard input is a pipe, which cannot be given to each execution; give a file (< FILE)'
[ ! -e .burl ] || fail "a store was made"
with_pipe "$BURL" test --runs=3 ./fixed
[ $got -eq 0 ] || fail "exit code $got of test"
has err 'the program reads an empty input; give a file'
with_pipe "$BURL" cover --runs=3 ./fixed
has err 'the program reads an empty input; give a file'

# A file; /dev/null; a pipe that is closed, and one that nothing is written to.
run 0 "$BURL" tune --evaluations=2 ./rd <five
run 0 "$BURL" tune --evaluations=1 ./fixed </dev/null
: | "$BURL" tune --evaluations=1 ./fixed >out 2>err || fail "a closed pipe"
exec 3<>in
"$BURL" tune --evaluations=1 ./fixed <in >out 2>err || fail "an idle pipe"
exec 3>&-
