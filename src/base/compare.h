/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/compare.h - comparisons for qsort().
 */
#ifndef BURL_BASE_COMPARE_H
#define BURL_BASE_COMPARE_H

#include <stddef.h>
#include <stdint.h>

static inline int
burl_compare_keys(const uint64_t *a, const uint64_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

/* Compares x and y by numbers, the first difference decides: BURL_COMPARE(x, y, KEYS) with
 * #define KEYS(e) (e)->first, (e)->second */
#define BURL_COMPARE(x, y, keys)                                                         \
    burl_compare_keys((const uint64_t[]){ keys(x) }, (const uint64_t[]){ keys(y) },      \
                      sizeof((const uint64_t[]){ keys(x) }) / sizeof(uint64_t))

#endif
