/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/interrupt.h - Ctrl-C in a long command: the first requests a clean end, the second exits.
 */
#ifndef BURL_CLI_INTERRUPT_H
#define BURL_CLI_INTERRUPT_H

#include <signal.h>

/* How often SIGINT, SIGTERM or SIGHUP came. */
extern volatile sig_atomic_t burl_cli_interrupts;

/* From now on no other signal that the tested program sends burl, its parent, ends or stops burl.
 * They work as usual from everywhere else. */
void burl_cli_ignore_program_signals(void);

/* From now on they are counted, unless the program sent them. What a parent chose to have ignored
 * (nohup) stays so. */
void burl_cli_catch_signals(void);

/* From now on the first of them prints the message on standard error and the document, unless it is
 * NULL, on standard output, and exits with code 4: for work that keeps nothing until it is done.
 * Until burl_cli_catch_signals(). */
void burl_cli_quit_on_signals(const char *message, const char *document);

#endif
