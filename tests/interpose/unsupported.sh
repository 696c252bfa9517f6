#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-ROWS: timerfd_create signalfd daemon execve execv execvp execvpe execl execlp execle
#   fexecve execveat timer_create kill syscall
# BURL-WHY: what cannot be modeled is reported by name, and is not taken for a pass.
set -eu

# refused NAME STATEMENT: a program of this statement is not controllable, and NAME is said.
refused() {
    cat >prog.c <<EOF
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
int
main(void)
{
    static char *args[] = { "true", NULL };
    sigset_t set;

    sigemptyset(&set);
    (void)args;
    $2;
    return 0;
}
EOF
    "$BURL" cc prog.c -o prog
    rm -rf .burl
    code=0
    "$BURL" test --runs=5 ./prog >out.txt 2>&1 </dev/null || code=$?
    if [ $code -eq 0 ] || ! grep -q "$1" out.txt; then
        echo "exit code $code; '$1' expected for: $2"
        cat out.txt
        exit 1
    fi
}

refused timerfd_create 'timerfd_create(CLOCK_MONOTONIC, 0)'
refused signalfd 'signalfd(-1, &set, 0)'
refused daemon 'if (daemon(1, 1) != 0) return 1'
exec='exec in the tested process'
refused "$exec" 'execve("/bin/true", args, environ)'
refused "$exec" 'execv("/bin/true", args)'
refused "$exec" 'execvp("true", args)'
refused "$exec" 'execvpe("true", args, environ)'
refused "$exec" 'execl("/bin/true", "true", (char *)NULL)'
refused "$exec" 'execlp("true", "true", (char *)NULL)'
refused "$exec" 'execle("/bin/true", "true", (char *)NULL, environ)'
refused "$exec" 'fexecve(0, args, environ)'
refused "$exec" 'execveat(AT_FDCWD, "/bin/true", args, environ, 0)'
refused SIGEV_THREAD 'struct sigevent ev = { .sigev_notify = SIGEV_THREAD }; timer_t id;
    timer_create(CLOCK_MONOTONIC, &ev, &id)'
refused 'process group' 'kill(0, SIGUSR1)'
refused 'futex' 'int w = 0; syscall(SYS_futex, &w, FUTEX_LOCK_PI, 0, NULL, NULL, 0)'
