/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock/memory.h - the observers' memory (memory.c).
 */
#ifndef BURL_RT_OBSERVER_MEMORY_H
#define BURL_RT_OBSERVER_MEMORY_H

#include <stddef.h>

/* Zeroed, until the end of the execution (controlled mode) or of the process (free mode). */
void *burl_ob_alloc(size_t n);
void burl__ob_memory_reset(void);

#endif
