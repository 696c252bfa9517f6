/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/seal.h - the program must not change what the runtime has counted.
 *
 * The result of an order grows from execution to execution in the control block, which the program
 * can write. The runtime changes most of it between executions only, so a copy that is made before
 * the program runs must still be the same afterwards. The host cannot check that: numbers that the
 * program has left there may look like any others.
 */
#ifndef BURL_RT_SEAL_H
#define BURL_RT_SEAL_H

#include "rt.h"

/* Before code of the program runs: copies what has been counted so far. */
void burl__seal_take(void);
/* After it. False: the program has written there; the result is as it was again. */
bool burl__seal_check(void);
/* Around a change that the runtime makes while the program runs. */
void burl__seal_open(void);
void burl__seal_close(void);

#endif
