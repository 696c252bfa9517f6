/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/program/u32s.c - see u32s.h. Host side.
 */
#include "analysis/program/u32s.h"

bool
burl_u32s_has(const struct burl_u32s *l, uint32_t x)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i] == x)
            return true;
    return false;
}

bool
burl_u32s_add(struct burl_u32s *l, uint32_t x)
{
    if (burl_u32s_has(l, x))
        return false;
    BURL_VEC_PUSH(l, x);
    return true;
}

static int
compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

void
burl_u32s_sort(struct burl_u32s *l)
{
    size_t n = 0;
    bool sorted = true;

    for (size_t i = 1; i < l->n && sorted; i++)
        sorted = l->v[i - 1] < l->v[i];
    if (sorted)
        return;
    qsort(l->v, l->n, sizeof *l->v, compare_u32);
    for (size_t i = 0; i < l->n; i++)
        if (n == 0 || l->v[n - 1] != l->v[i])
            l->v[n++] = l->v[i];
    l->n = n;
}

bool
burl_u32s_unite(struct burl_u32s *l, const uint32_t *v, size_t n)
{
    size_t missing = 0, i = 0;

    for (size_t k = 0; k < n; k++) {
        while (i < l->n && l->v[i] < v[k])
            i++;
        missing += i == l->n || l->v[i] != v[k];
    }
    if (missing == 0)
        return false;
    /* From the end, so that nothing is overwritten before it was moved. */
    BURL_VEC_RESERVE(l, missing);
    i = l->n;
    l->n += missing;
    for (size_t at = l->n; n > 0;) {
        if (i > 0 && l->v[i - 1] > v[n - 1]) {
            l->v[--at] = l->v[--i];
        } else {
            i -= i > 0 && l->v[i - 1] == v[n - 1];
            l->v[--at] = v[--n];
        }
    }
    return true;
}
