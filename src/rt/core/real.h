/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/real.h - the originals of the functions that we interpose (real.c).
 */
#ifndef BURL_RT_REAL_H
#define BURL_RT_REAL_H

#include "rt.h"

enum burl_real_id {
#define RT(name, ...) BURL_REAL_ID_##name,
#include "wire/libfn.def"
    BURL_REAL_ID__N
};

/* Address of the next definition of the function after ours; resolved on first use. */
void *burl_real_get(enum burl_real_id id);
#define BURL_REAL(name) ((__typeof__(&name))burl_real_get(BURL_REAL_ID_##name))

/* core/real.c: a process that forks its executions looks up what its children had to look up */
void burl__real_share(uint8_t *found_by); /* BURL_REAL_ID__N of them, in shared memory */
void burl__real_catch_up(void);

#endif
