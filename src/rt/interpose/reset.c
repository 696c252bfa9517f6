/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reset.c - the families' part in the beginning of every execution.
 */
#include "interpose_int.h"

void
burl_interpose_reset(void)
{
    burl__mutex_reset();
    burl__rwlock_reset();
    burl__sem_reset();
    burl__process_reset();
}

void
burl_interpose_mark_start(void)
{
    burl__sem_mark_start();
    burl__process_mark_start();
}
