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
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/guard.h"

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
    bool ours = info->si_code <= 0 && info->si_code != SI_TIMER && info->si_pid != getpid() &&
                burl_guard_is_ours(info->si_pid);

    if (ours && !told) {
        told = 1;
        put_text(STDERR_FILENO, "burl: the tested program sent burl, its parent, a signal that "
                                "would end it; such signals are ignored\n");
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

static void
handle(const int *sigs, size_t n, void (*handler)(int sig, siginfo_t *info, void *context))
{
    struct sigaction sa = { .sa_sigaction = handler };

    /* No SA_RESTART: waits end early and look at the flag. SA_NODEFER: the second signal may
     * come while the handler runs and must end us. */
    sa.sa_flags = SA_NODEFER | SA_SIGINFO;
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < n; i++) {
        struct sigaction old;

        if (sigaction(sigs[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(sigs[i], &sa, NULL);
    }
}

static void
handle_with(void (*handler)(int sig, siginfo_t *info, void *context))
{
    static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
    static const int others[] = { SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM,  SIGVTALRM,
                                  SIGPROF, SIGIO,   SIGPWR,  SIGSTKFLT };

    handle(sigs, sizeof sigs / sizeof sigs[0], handler);
    handle(others, sizeof others / sizeof others[0], on_other);
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
