/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/vec.c - growth of the typed arrays of vec.h.
 *
 * Runs in the host. Doubling keeps the cost of a push constant on average.
 */
#include "base/vec.h"

#include <stdint.h>

void *
burl_vec_grow(void *v, size_t *cap, size_t n, size_t extra, size_t elem_b)
{
    size_t want = *cap ? *cap : 8;

    BURL_ASSERT(extra <= SIZE_MAX / 2 - n);
    if (v && n + extra <= *cap)
        return v;
    while (want < n + extra)
        want *= 2;
    v = burl_xreallocarray(v, want, elem_b);
    *cap = want;
    return v;
}
