#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/run_signals.sh - Ctrl-C, signals to burl alone, and --time.
. "$(dirname "$0")/run_lib.inc"

cat >server.c <<'SRC'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int shared;
static pthread_barrier_t both;
static volatile sig_atomic_t stop;
static void
on_signal(int sig)
{
    stop = sig;
}
static void *
touch(void *arg)
{
    pthread_barrier_wait(&both);
    /* Two first touches at the same instant may overwrite each other's mark; this test is about
     * signals, so there are more. */
    for (int i = 0; i < 100; i++)
        *(volatile int *)&shared += 1;
    return arg;
}
int
main(int argc, char **argv)
{
    pthread_t t[2];
    const char *how = argc > 1 ? argv[1] : "";

    if (strcmp(how, "handle") == 0) {
        signal(SIGINT, on_signal);
        signal(SIGTERM, on_signal);
    }
    if (strcmp(how, "ignore") == 0) {
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
    }
    if (argc > 2) {
        pthread_barrier_init(&both, NULL, 2);
        for (int i = 0; i < 2; i++)
            pthread_create(&t[i], NULL, touch, NULL);
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], NULL);
    }
    printf("up\n");
    fflush(stdout);
    for (int i = 0; i < 3000 && !stop; i++)
        usleep(10000);
    printf("stopped by %d\n", (int)stop);
    return 0;
}
SRC
build server

# watch SIGNAL WANTED program...: runs it, sends the signal to burl when it is up.
watch() {
    sig=$1 want=$2
    shift 2
    echo "+ $sig: burl run $*"
    rm -f out err
    : >out
    "$BURL" run "$@" >out 2>err &
    pid=$!
    await -p $pid . grep -q up out || fail "the program did not come up"
    kill -"$sig" $pid
    wait $pid
    got=$?
    [ $got -eq "$want" ] || fail "exit code $got, expected $want"
}

watch TERM 4 ./server plain
has err 'killed by signal 15'
has err 'nothing found so far'
watch TERM 1 ./server plain race
has err 'data race on shared'
watch TERM 0 ./server handle
has out 'stopped by 15'
has err 'nothing found'
watch HUP 4 ./server plain
# The shell starts background jobs with SIGINT ignored; a program with a handler gets it all the same.
watch INT 0 ./server handle
has out 'stopped by 2'

# From a terminal the program gets it from the kernel, once; burl waits and reports.
run 0 terminal up "$BURL" run ./server handle
has out 'stopped by 2'
has out 'nothing found'
run 4 terminal up "$BURL" run ./server plain
run 1 terminal up "$BURL" run ./server plain race
has out 'data race on shared'

# --time: ends it, also one that does not want to; reports what there is.
start=$(date +%s)
run 0 "$BURL" run --time=500ms ./server plain
has err 'stopped at --time'
run 0 "$BURL" run --time=500ms ./server handle
has out 'stopped by 15'
run 0 "$BURL" run --time=500ms ./server ignore
run 1 "$BURL" run --time=500ms ./server plain race
has err 'data race on shared'
[ $(($(date +%s) - start)) -lt 25 ] || fail "--time is not kept"
# And what it started is gone with it.
printf '#!/bin/sh\n./server plain &\n./server plain\n' >two
chmod +x two
run 0 "$BURL" run --time=300ms ./two
for p in $(pgrep -f "^($PWD|[.])/server plain"); do
    [ "$(readlink /proc/"$p"/cwd)" = "$PWD" ] || continue
    await -t 0.2 exit "$p" || fail "process $p is still there"
done
exit 0
