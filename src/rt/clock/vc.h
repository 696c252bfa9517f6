/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock/vc.h - vector clocks.
 *
 * One component per clock slot (a thread, or a part of a thread's life); components beyond `n` are
 * zero. A slot's own component starts at 1, so 0 means "nothing of that slot". Memory grows by
 * doubling through the allocator of the mode and is never given back before its owner's end.
 */
#ifndef BURL_RT_VC_H
#define BURL_RT_VC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct burl_vc {
    uint32_t *c;
    uint32_t n;   /* components in use */
    uint32_t cap;
};

static inline uint32_t
burl_vc_get(const struct burl_vc *v, uint32_t slot)
{
    return slot < v->n ? v->c[slot] : 0;
}

/* to[i] := max(to[i], from[i]) for the first n components. True when one changed. */
static inline bool
burl_clock_max(uint32_t *to, const uint32_t *from, uint32_t n)
{
    bool changed = false;

    for (uint32_t i = 0; i < n; i++) {
        if (from[i] > to[i]) {
            to[i] = from[i];
            changed = true;
        }
    }
    return changed;
}

/* Room for n components, with memory from alloc(). */
void burl_vc_reserve(struct burl_vc *v, uint32_t n, void *(*alloc)(size_t n));
void burl_vc_set(struct burl_vc *v, uint32_t slot, uint32_t value);
/* to := max(to, from), component by component. True when `to` changed. */
bool burl_vc_join(struct burl_vc *to, const struct burl_vc *from);
void burl_vc_copy(struct burl_vc *to, const struct burl_vc *from);
static inline void
burl_vc_clear(struct burl_vc *v)
{
    v->n = 0;
}

#endif
