/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/interrupt.c - Ctrl-C in a long command; contract in interrupt.h.
 *
 * Runs in the host. Waiting code checks the counter; the store is always consistent, so the second
 * signal may exit anywhere.
 */
#include "cli/interrupt.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

volatile sig_atomic_t burl_cli_interrupts;

static void
on_signal(int sig)
{
    if (++burl_cli_interrupts > 1) {
        signal(sig, SIG_DFL);
        raise(sig);
    }
}

static const char *quit_message, *quit_document;

static void
put_text(int fd, const char *text)
{
    /* What cannot be written cannot be reported either. */
    if (text && write(fd, text, strlen(text)) < 0)
        return;
}

static void
on_quit(int sig)
{
    (void)sig;
    put_text(STDERR_FILENO, quit_message);
    put_text(STDOUT_FILENO, quit_document);
    _exit(BURL_EXIT_PROMISE);
}

static void
handle_with(void (*handler)(int sig))
{
    static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction sa = { .sa_handler = handler };

    /* No SA_RESTART: waits end early and look at the flag. SA_NODEFER: the second signal may
     * come while the handler runs and must end us. */
    sa.sa_flags = SA_NODEFER;
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < sizeof sigs / sizeof sigs[0]; i++) {
        struct sigaction old;

        if (sigaction(sigs[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(sigs[i], &sa, NULL);
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
