/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: fork vfork _Fork wait wait3 wait4 waitpid waitid __register_atfork
 * BURL-ARGS: --runs=50
 * BURL-WHY: the child is an ordinary process, with threads, keys, signals and exit handlers of
 *   its own; the parent waits for it while other threads go on.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_key_t key;
static int at_exit_code = -1;
static int n_prepare;
static int n_parent;
static int n_child;
static volatile sig_atomic_t got;

static void
prepare(void)
{
    n_prepare++;
}

static void
parent(void)
{
    n_parent++;
}

static void
child(void)
{
    n_child++;
}

static void
on_signal(int sig)
{
    (void)sig;
    got++;
}

static void
at_exit(void)
{
    if (at_exit_code >= 0)
        _exit(at_exit_code);
}

static void *
child_thread(void *arg)
{
    assert(pthread_getspecific(key) == NULL);
    assert(pthread_setspecific(key, arg) == 0);
    return pthread_getspecific(key);
}

static void
live_in_child(void)
{
    static int x;
    pthread_t t;
    void *r;

    assert(n_prepare == 1 && n_child == 1 && n_parent == 0);
    assert(pthread_getspecific(key) == &key);
    assert(pthread_create(&t, NULL, child_thread, &x) == 0);
    assert(pthread_join(t, &r) == 0 && r == &x);
    assert(raise(SIGUSR1) == 0 && got == 1);
    assert(usleep(1000) == 0);
    at_exit_code = 33;
    exit(1); /* the handler makes it 33 */
}

static int
code_of(int status)
{
    assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static pid_t
exit_with(pid_t pid, int code)
{
    assert(pid >= 0);
    if (pid == 0)
        _exit(code);
    return pid;
}

int
main(void)
{
    struct rusage usage;
    siginfo_t info = { 0 };
    pid_t pid;
    int status;

    assert(pthread_key_create(&key, NULL) == 0);
    assert(atexit(at_exit) == 0);
    signal(SIGUSR1, on_signal);
    assert(pthread_atfork(prepare, parent, child) == 0);
    assert(pthread_setspecific(key, &key) == 0);
    assert(waitpid(-1, &status, WNOHANG) == -1);
    pid = fork();
    assert(pid >= 0);
    if (pid == 0)
        live_in_child();
    assert(n_parent == 1 && n_child == 0);
    assert(wait(&status) == pid && code_of(status) == 33);

    pid = exit_with(_Fork(), 4);
    assert(wait4(pid, &status, 0, &usage) == pid && code_of(status) == 4);
    pid = exit_with(fork(), 5);
    assert(waitid(P_PID, (id_t)pid, &info, WEXITED) == 0);
    assert(info.si_pid == pid && info.si_status == 5);
    pid = exit_with(fork(), 6);
    assert(wait3(&status, 0, &usage) == pid && code_of(status) == 6);
    pid = vfork();
    assert(pid >= 0);
    if (pid == 0)
        _exit(7);
    assert(waitpid(pid, &status, 0) == pid && code_of(status) == 7);
    assert(wait(NULL) == -1);
    return 0;
}
