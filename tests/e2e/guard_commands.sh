#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# kill -9 of burl in every command that starts programs: none of their processes is left, in whichever session,
# after exec or with an empty environment. The program forks its processes and then stays in a system call that
# nothing controls, so burl is killed in the middle of its work.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >leave.h <<'X'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static inline void say_pid(void)
{
    char line[32];
    int n = snprintf(line, sizeof line, "%ld\n", (long)syscall(SYS_getpid));
    int fd = open("pids", O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (write(fd, line, (size_t)n) != n)
        _exit(1);
    close(fd);
}
static inline void stay(void)
{
    say_pid();
    for (;;)
        syscall(SYS_pause);
}
/* A child, one with a session of its own, a daemon, and a program with nothing in its environment. */
static inline void leave(void)
{
    static char *none[] = { NULL };
    extern char **environ;
    static char *const argv[] = { "sh", "-c", "echo $$ >>pids; kill -STOP $$", NULL };
    if (access("block", F_OK) != 0)
        return;
    if (syscall(SYS_fork) == 0)
        stay();
    if (syscall(SYS_fork) == 0) {
        syscall(SYS_setsid);
        stay();
    }
    if (syscall(SYS_fork) == 0) {
        syscall(SYS_setsid);
        if (syscall(SYS_fork) == 0)
            stay();
        syscall(SYS_exit_group, 0);
    }
    if (syscall(SYS_fork) == 0) {
        syscall(SYS_setsid);
        syscall(SYS_execve, "/bin/sh", argv, access("with-environment", F_OK) == 0 ? environ : none);
        syscall(SYS_exit_group, 1);
    }
    for (;;)
        syscall(SYS_pause);
}
X
cat >prog.c <<'X'
#include <pthread.h>
#include "leave.h"
static int x;
static void *w(void *a) { x++; return a; }
int main(void)
{
    pthread_t t;
    leave();
    pthread_create(&t, 0, w, 0);
    x++;
    pthread_join(t, 0);
    return 0;
}
X
cat >box.h <<'X'
struct box;
struct box *box_new(void);
void box_free(struct box *b);
int box_add(struct box *b, int n);
int box_get(struct box *b);
X
cat >box.c <<'X'
#include "box.h"
#include <pthread.h>
#include <stdlib.h>
#include "leave.h"
struct box { int n; };
struct box *box_new(void) { return calloc(1, sizeof(struct box)); }
void box_free(struct box *b) { free(b); }
int box_add(struct box *b, int n) { leave(); b->n += n; return b->n; }
int box_get(struct box *b) { leave(); return b->n; }
X
cat >seed.c <<'X'
#include "box.h"
int main(void)
{
    struct box *b = box_new();
    box_add(b, 1);
    box_get(b);
    box_free(b);
    return 0;
}
X
build prog

# kill_in command...: starts it, kills it when the program has started its processes, and awaits their end.
kill_in() {
    echo "+ $*"
    rm -f pids
    touch block
    "$BURL" "$@" >out 2>&1 &
    pid=$!
    await -p $pid . sh -c '[ -e pids ] && [ "$(wc -l <pids)" -ge 4 ]' || fail "$*: the program did not run"
    kill -9 $pid
    wait $pid 2>/dev/null
    rm block
    for left in $(cat pids); do
        await -t 20 exit "$left" || { kill -9 $(cat pids) 2>/dev/null; fail "$*: process $left is left"; }
    done
}

kill_in test --exec-timeout=60s --time=60s -- ./prog
kill_in test --exec-timeout=60s --time=60s --reset=fork -- ./prog
kill_in cover --exec-timeout=60s --time=60s -- ./prog
kill_in tune --time=60s -- ./prog
kill_in gen --exec-timeout=60s --time=60s box.h -- box.c
kill_in synth --exec-timeout=60s --time=60s box.h -- box.c seed.c
rm -rf .burl
run 1 "$BURL" test --runs=300 --seed=1 -- ./prog
kill_in replay 1
# Whose output is not burl's: a process without a name of burl's in its environment cannot be told from others.
touch with-environment
kill_in run --time=60s -- ./prog
echo 'one: ./prog' >burl.tests
kill_in regress record
