/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/fibers.h - what the snapshot and the start of the process need of the fibers.
 */
#ifndef BURL_RT_FIBERS_H
#define BURL_RT_FIBERS_H

#include "rt/core/rt.h"

void burl__fibers_save(void); /* part of taking the snapshot: tops of the donors' stacks */
void burl__fibers_restore(void);
BURL_NORETURN void burl__fibers_enter_harness(void);

#endif
