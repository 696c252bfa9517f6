/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/interrupt.c - Ctrl-C in a long command; contract in interrupt.h.
 *
 * Runs in the host. Waiting code checks the counter; the store is always consistent, so the second
 * signal may exit anywhere.
 */
#include "cli/interrupt.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/guard.h"
#include "base/proc.h"

volatile sig_atomic_t burl_cli_interrupts;

static const char *quit_message, *quit_document;

static void
put_text(int fd, const char *text)
{
    /* What cannot be written cannot be reported either. */
    if (text && write(fd, text, strlen(text)) < 0)
        return;
}

/* A program that signals its parent means the shell that started it. It gets an answer once. */
static bool
is_from_program(const siginfo_t *info)
{
    static volatile sig_atomic_t told;
    const int keep_errno = errno;
    /* Our parent is a shell, or the burl that started us to evaluate beside others. */
    bool ours = info->si_code <= 0 && info->si_code != SI_TIMER && info->si_pid != getpid() &&
                info->si_pid != getppid() &&
                (burl_proc_is_known(info->si_pid) || burl_guard_is_ours(info->si_pid));

    if (ours && !told) {
        told = 1;
        put_text(STDERR_FILENO, "burl: the tested program sent burl, its parent, a signal that "
                                "would end or stop it; such signals are ignored\n");
    }
    errno = keep_errno;
    return ours;
}

static void
on_signal(int sig, siginfo_t *info, void *context)
{
    (void)context;
    if (is_from_program(info))
        return;
    if (++burl_cli_interrupts > 1) {
        signal(sig, SIG_DFL);
        raise(sig);
    }
}

/* Signals that end burl unless they come from the tested program. */
static void
on_other(int sig, siginfo_t *info, void *context)
{
    (void)context;
    if (is_from_program(info))
        return;
    signal(sig, SIG_DFL);
    raise(sig);
}

/* From the terminal it stops burl, which goes on with SIGCONT. */
static void
on_stop(int sig, siginfo_t *info, void *context)
{
    const int keep_errno = errno;
    struct sigaction mine;

    (void)context;
    if (is_from_program(info))
        return;
    sigaction(sig, NULL, &mine);
    signal(sig, SIG_DFL);
    raise(sig);
    sigaction(sig, &mine, NULL);
    errno = keep_errno;
}

static void
on_quit(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    if (is_from_program(info))
        return;
    put_text(STDERR_FILENO, quit_message);
    put_text(STDOUT_FILENO, quit_document);
    _exit(BURL_EXIT_PROMISE);
}

typedef void handler_fn(int sig, siginfo_t *info, void *context);

/* No SA_RESTART for what ends us: waits end early and look at the flag. SA_NODEFER: the second
 * signal may come while the handler runs and must end us. */
static void
handle(int sig, handler_fn *handler, int flags)
{
    struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_NODEFER | SA_SIGINFO | flags };
    struct sigaction old;

    sigemptyset(&sa.sa_mask);
    if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(sig, &sa, NULL);
}

static void
handle_with(handler_fn *handler)
{
    static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };

    for (size_t i = 0; i < sizeof sigs / sizeof sigs[0]; i++)
        handle(sigs[i], handler, 0);
}

/* The command decides about these; SIGCHLD and the like do nothing by default. */
static bool
is_left_alone(int sig)
{
    static const int list[] = { SIGINT,  SIGTERM, SIGHUP, SIGKILL, SIGSTOP,
                                SIGCHLD, SIGCONT, SIGURG, SIGWINCH };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (list[i] == sig)
            return true;
    }
    return false;
}

/* libc keeps these from programs, for pthread_cancel() and setuid(), which burl does not call.
 * burl_proc_spawn() gives children an empty mask. */
static void
block_libc_signals(void)
{
    const uint64_t own = 3ull << (32 - 1);

    (void)syscall(SYS_rt_sigprocmask, SIG_BLOCK, &own, NULL, sizeof own);
}

void
burl_cli_ignore_program_signals(void)
{
    block_libc_signals();
    for (int sig = 1; sig <= SIGRTMAX; sig++) {
        const bool stops = sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
        struct sigaction old;

        /* A sanitizer has handlers of its own. */
        if (!is_left_alone(sig) && sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            handle(sig, stops ? on_stop : on_other, stops ? SA_RESTART : 0);
    }
}

void
burl_cli_catch_signals(void)
{
    handle_with(on_signal);
}

void
burl_cli_quit_on_signals(const char *message, const char *document)
{
    quit_message = message;
    quit_document = document;
    handle_with(on_quit);
}
