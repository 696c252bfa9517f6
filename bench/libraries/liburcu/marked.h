/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marked.h - makes the shared accesses of liburcu atomic operations of C11.
 *
 * liburcu 0.13 writes them as volatile accesses, which C11 does not order and calls a data race.
 * From 0.15 on it can be built with atomic operations instead; this does the same to the inline
 * versions of 0.13, by "-include marked.h". Plain accesses of liburcu's stay what they are.
 */
#ifndef MARKED_H
#define MARKED_H

#include <urcu/system.h>

#undef _CMM_LOAD_SHARED
#define _CMM_LOAD_SHARED(p) __atomic_load_n(&(p), __ATOMIC_SEQ_CST)
#undef _CMM_STORE_SHARED
#define _CMM_STORE_SHARED(x, v)                           \
    __extension__({                                       \
        __typeof__(x) burl_v = (v);                       \
        __atomic_store_n(&(x), burl_v, __ATOMIC_SEQ_CST); \
        burl_v;                                           \
    })

#endif
