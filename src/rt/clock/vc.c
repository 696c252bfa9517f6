/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock/vc.c - vector clocks; contract in vc.h. Runs in the target.
 */
#include "vc.h"

#include <string.h>

#include "memory.h"

#define FIRST_CAP 8u

void
burl_vc_reserve(struct burl_vc *v, uint32_t n, void *(*alloc)(size_t n))
{
    uint32_t cap = v->cap != 0 ? v->cap : FIRST_CAP;
    uint32_t *c;

    if (n <= v->cap)
        return;
    while (cap < n)
        cap *= 2;
    c = alloc(cap * sizeof *c);
    if (v->n != 0)
        memcpy(c, v->c, v->n * sizeof *c);
    v->c = c;
    v->cap = cap;
}

/* Components up to n - 1 exist afterwards; new ones are zero. A cleared clock leaves old values
 * behind, so they cannot be taken for zero. */
static void
vc_extend(struct burl_vc *v, uint32_t n)
{
    burl_vc_reserve(v, n, burl_ob_alloc);
    if (n > v->n) {
        memset(v->c + v->n, 0, (n - v->n) * sizeof *v->c);
        v->n = n;
    }
}

void
burl_vc_set(struct burl_vc *v, uint32_t slot, uint32_t value)
{
    vc_extend(v, slot + 1);
    v->c[slot] = value;
}

bool
burl_vc_join(struct burl_vc *to, const struct burl_vc *from)
{
    vc_extend(to, from->n);
    return burl_clock_max(to->c, from->c, from->n);
}

void
burl_vc_copy(struct burl_vc *to, const struct burl_vc *from)
{
    burl_vc_reserve(to, from->n, burl_ob_alloc);
    if (from->n != 0)
        memcpy(to->c, from->c, from->n * sizeof *to->c);
    to->n = from->n;
}
