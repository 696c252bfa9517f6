/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: sigaction signal __sysv_signal siginterrupt raise sigpending sigprocmask kill
 *   sigqueue sigaltstack sysv_signal bsd_signal ssignal sigset sigignore sighold sigrelse killpg
 * BURL-WHY: dispositions and masks are the model's. What one execution sets must not be there in
 *   the next one: the asserts on the old dispositions would fail.
 * BURL-CFLAGS: -Wno-deprecated-declarations
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__sighandler_t __sysv_signal(int sig, __sighandler_t handler);
__sighandler_t bsd_signal(int sig, __sighandler_t handler);

static volatile sig_atomic_t last;
static volatile sig_atomic_t n_calls;
static volatile sig_atomic_t last_code;
static volatile sig_atomic_t last_value;

static void
note(int sig)
{
    last = sig;
    n_calls++;
}

static void
note_info(int sig, siginfo_t *info, void *context)
{
    assert(context != NULL);
    assert(info->si_signo == sig);
    last_code = info->si_code;
    last_value = info->si_value.sival_int;
    note(sig);
}

static void
dispositions(void)
{
    struct sigaction sa = { .sa_handler = note };
    struct sigaction old;

    assert(sigaction(SIGUSR1, NULL, &old) == 0);
    assert(old.sa_handler == SIG_DFL);
    assert(sigaction(SIGUSR1, &sa, NULL) == 0);
    assert(raise(SIGUSR1) == 0);
    assert(last == SIGUSR1 && n_calls == 1);
    assert(signal(SIGUSR1, SIG_IGN) == note);
    assert(raise(SIGUSR1) == 0);
    assert(n_calls == 1);
    assert(__sysv_signal(SIGUSR1, note) == SIG_IGN);
    assert(raise(SIGUSR1) == 0);
    assert(n_calls == 2);
    assert(sigaction(SIGUSR1, NULL, &old) == 0);
    assert(old.sa_handler == SIG_DFL); /* used up */
    assert(sigaction(SIGKILL, &sa, NULL) == -1 && errno == EINVAL);
    assert(signal(1000, note) == SIG_ERR && errno == EINVAL);
    assert(signal(SIGUSR1, note) == SIG_DFL);
    assert(siginterrupt(SIGUSR1, 1) == 0);
    assert(sigaction(SIGUSR1, NULL, &old) == 0);
    assert((old.sa_flags & SA_RESTART) == 0);
    assert(raise(SIGCHLD) == 0); /* ignored by default */
}

static void
blocked(void)
{
    sigset_t set;
    sigset_t pending;

    n_calls = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    assert(raise(SIGUSR1) == 0);
    assert(kill(getpid(), SIGUSR1) == 0);
    assert(n_calls == 0);
    assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) == 1);
    assert(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
    assert(n_calls >= 1);
    assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) == 0);
    assert(sigprocmask(77, &set, NULL) == -1 && errno == EINVAL);
}

/* The older ways to say the same. */
static void
older(void)
{
    struct sigaction old;

    n_calls = 0;
    assert(signal(SIGUSR1, SIG_DFL) == note);
    assert(sysv_signal(SIGUSR1, note) == SIG_DFL);
    assert(raise(SIGUSR1) == 0 && n_calls == 1);
    assert(bsd_signal(SIGUSR1, note) == SIG_DFL);
    assert(ssignal(SIGUSR1, note) == note);
    assert(raise(SIGUSR1) == 0 && n_calls == 2);
    assert(sighold(SIGUSR1) == 0);
    assert(raise(SIGUSR1) == 0 && n_calls == 2);
    assert(sigrelse(SIGUSR1) == 0 && n_calls == 3);
    assert(sigset(SIGUSR1, SIG_HOLD) == note);
    assert(raise(SIGUSR1) == 0 && n_calls == 3);
    assert(sigset(SIGUSR1, note) == SIG_HOLD && n_calls == 4);
    assert(sigset(1000, note) == SIG_ERR && errno == EINVAL);
    assert(sighold(1000) == -1 && errno == EINVAL);
    assert(sigignore(SIGUSR1) == 0);
    assert(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_IGN);
    assert(killpg(-1, SIGUSR1) == -1 && errno == EINVAL);
    assert(killpg(getpgrp(), 0) == 0);
    assert(signal(SIGUSR1, note) == SIG_IGN);
}

static void
with_info(void)
{
    struct sigaction sa = { .sa_sigaction = note_info, .sa_flags = SA_SIGINFO };
    union sigval value = { .sival_int = 42 };

    assert(sigaction(SIGUSR2, &sa, NULL) == 0);
    assert(sigqueue(getpid(), SIGUSR2, value) == 0);
    assert(last == SIGUSR2);
    assert(last_code == SI_QUEUE && last_value == 42);
    assert(kill(getpid(), SIGUSR2) == 0);
    assert(last_code == SI_USER);
    assert(kill(getpid(), 0) == 0);
    assert(kill(getpid(), 1000) == -1 && errno == EINVAL);
}

static void
alternate_stack(void)
{
    static char memory[65536];
    stack_t ss = { .ss_sp = memory, .ss_size = sizeof memory };
    stack_t old;

    assert(sigaltstack(&ss, NULL) == 0);
    assert(sigaltstack(NULL, &old) == 0);
    assert(old.ss_sp == memory && old.ss_size == sizeof memory);
    ss.ss_flags = SS_DISABLE;
    assert(sigaltstack(&ss, NULL) == 0);
}

int
main(void)
{
    dispositions();
    blocked();
    older();
    with_info();
    alternate_stack();
    return 0;
}
