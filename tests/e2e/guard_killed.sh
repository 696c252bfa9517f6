#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# kill -9 of burl leaves no process of the tested program behind: no child of it, none in a session of its
# own (setsid, daemons with two forks), none that has overwritten its environment, none after exec, not even
# a daemon with all descriptors closed and an empty environment.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

mark=unique-$$-guard
cat >leaver.c <<'X'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
static char *mark;
static void stay(int overwrite)
{
    if (overwrite && environ[0]) {
        char **last = environ;
        while (last[1])
            last++;
        memset(environ[0], 0, (size_t)(*last + strlen(*last) - environ[0]));
    }
    for (;;)
        pause();
}
static void *work(void *a) { return a; }
int main(int argc, char **argv)
{
    pthread_t t;
    mark = argc > 1 ? argv[1] : "";
    if (fork() == 0)
        stay(0);
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            stay(0);
        _exit(0);
    }
    if (fork() == 0) {
        setsid();
        stay(1);
    }
    if (fork() == 0) {
        setsid();
        execl("/bin/sh", "sh", "-c", "kill -STOP $$", mark, (char *)NULL);
        _exit(1);
    }
    if (fork() == 0) {
        char *args[] = { mark, "1000", NULL }, *none[] = { NULL };
        setsid();
        if (fork() != 0)
            _exit(0);
        for (int fd = 0; fd < 1024; fd++)
            close(fd);
        if (chdir("/") == 0)
            execve("/bin/sleep", args, none);
        _exit(1);
    }
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    FILE *f = fopen("ready", "a");
    fputs("x\n", f);
    fclose(f);
    if (argc > 2)
        for (;;)
            pause();
    return 0;
}
X
build leaver
ours() { pgrep -f -- "$mark"; }

# kill_in command...: starts it, kills it when the program has started its processes, and counts these.
kill_in() {
    rm -f ready
    "$@" >out 2>&1 &
    pid=$!
    await -p $pid . test -s ready || fail "$*: the program did not run"
    [ -n "$(ours)" ] || fail "$*: no process of the program is there to be left"
    kill -9 $pid
    wait $pid 2>/dev/null
    left=$(ours)
    [ -z "$left" ] || await exit $left || fail "$*: processes are left: $(ours | tr '\n' ' ')"
    [ -z "$(ours)" ] || fail "$*: processes are left: $(ours | tr '\n' ' ')"
}

kill_in "$BURL" test --time=60s -- ./leaver $mark
kill_in "$BURL" test --engine=threads --time=60s -- ./leaver $mark
kill_in "$BURL" run --time=60s -- ./leaver $mark stay
kill_in "$BURL" cover --time=60s -- ./leaver $mark
kill_in "$BURL" tune --time=60s -- ./leaver $mark
# A run that ends in good order leaves the daemons of the program alone.
"$BURL" run -- ./leaver $mark >out 2>&1
[ -n "$(ours)" ] || fail "burl run ended the daemons of a program that exited"
kill -9 $(ours)
