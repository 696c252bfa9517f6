/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/guard.h - a process that ends what we started when we are killed.
 *
 * A tested program may start processes of its own, in sessions of their own, whose parents are
 * gone. While we live they become our children and are ended by us. When we are killed (kill -9,
 * out of memory, a crash of ours), they would go on. The guard waits for our end in a process that
 * is not related to us any more, and ends all processes that carry our mark: the soft limit on
 * resident memory, which children inherit and exec keeps. Where the hard limit is too low for
 * that, or the program changed it, a variable of the environment and the name of the control block
 * among the mappings.
 */
#ifndef BURL_BASE_GUARD_H
#define BURL_BASE_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

#define BURL_GUARD_ENV "BURL_GUARD"
#define BURL_GUARD_MARK_B 32u

/* Starts the guard; before anything else is started, and before we adopt orphans. Best effort:
 * where it cannot be started, everything works as without it. */
void burl_guard_start(void);
/* Is the process one of those that we started, or of their children? Safe in a signal handler.
 * False when it is gone. */
bool burl_guard_is_ours(pid_t pid);
/* The mark; "" without a guard. Always of the same length, so that stacks lie where they lay. */
const char *burl_guard_mark(void);

#endif
