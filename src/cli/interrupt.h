/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/interrupt.h - Ctrl-C in a long command: the first requests a clean end, the second exits.
 */
#ifndef BURL_CLI_INTERRUPT_H
#define BURL_CLI_INTERRUPT_H

#include <signal.h>

/* How often SIGINT, SIGTERM or SIGHUP came. */
extern volatile sig_atomic_t burl_cli_interrupts;

/* From now on they are counted. What a parent chose to have ignored (nohup) stays so. */
void burl_cli_catch_signals(void);

#endif
