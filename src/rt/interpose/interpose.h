/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interpose/interpose.h - what the harness calls of the interposer families.
 */
#ifndef BURL_RT_INTERPOSE_H
#define BURL_RT_INTERPOSE_H

#include "rt/core/rt.h"

/* Once, before main: what constructors left behind is kept for every execution. */
void burl_interpose_mark_start(void);
/* At the start of every execution, after the snapshot was restored: forgets the last one. */
void burl_interpose_reset(void);
/* For every new thread, before it runs; parent: its creator, NULL for main, which begins with the
 * signal mask and the key values that were set before main. */
void burl__process_thread_init(struct burl_thread *t, const struct burl_thread *parent);

#endif
