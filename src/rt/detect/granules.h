/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/granules.h - what observers of memory share: ranges of bytes as pieces of 8-byte granules.
 *
 * A table (struct burl_chains) maps granule numbers to what an observer knows of them; bytes within
 * a granule are bits of a mask, so that neighbors in one word are never confused. Nodes are never
 * taken out of a table during an execution; forgetting empties them.
 */
#ifndef BURL_RT_GRANULES_H
#define BURL_RT_GRANULES_H

#include "detect.h"

#define BURL_GRANULE_B 8u

/* One granule's part of an access. Starts as { .end = addr + n, .next = addr }. */
struct burl_piece {
    uintptr_t next; /* where the following piece begins */
    uintptr_t end;
    uintptr_t addr; /* first byte of this piece */
    uintptr_t key;  /* granule number */
    uint8_t mask;
};

static inline bool
burl_piece_next(struct burl_piece *p)
{
    uintptr_t to;

    if (p->next >= p->end)
        return false;
    p->addr = p->next;
    p->key = p->addr / BURL_GRANULE_B;
    to = (p->key + 1) * BURL_GRANULE_B;
    if (to > p->end)
        to = p->end;
    p->mask = (uint8_t)((0xffu << (p->addr % BURL_GRANULE_B)) & (0xffu >> (7 - (to - 1) % 8)));
    p->next = to;
    return true;
}

/* Pieces of the first `limit` bytes of an access. */
static inline struct burl_piece
burl_pieces(const struct burl_access *a, uint64_t limit)
{
    uint64_t n = a->n < limit ? a->n : limit;

    return (struct burl_piece){ .next = a->addr, .end = a->addr + n };
}

/* First address of granule `key` that is in the mask, which is not empty. */
static inline uintptr_t
burl_granule_addr(uintptr_t key, uint8_t mask)
{
    return key * BURL_GRANULE_B + (uintptr_t)__builtin_ctz(mask);
}

/* Where on stacks there may be granules: a bit for STRIPE_B bytes, many to one. */
#define BURL_STRIPE_B 512u
#define BURL_STRIPES 4096u
extern uint64_t burl__stripes[BURL_STRIPES / 64];

/* The granule `key`, made when it is not there: size_b bytes that begin with a struct
 * burl_chain. */
static inline void *
burl_granule_get(struct burl_chains *c, uintptr_t key, size_t size_b)
{
    uint32_t s = (uint32_t)(key * BURL_GRANULE_B / BURL_STRIPE_B) % BURL_STRIPES;
    void *g = burl_chains_find(c, key);

    if (BURL_LIKELY(g != NULL))
        return g;
    burl__stripes[s / 64] |= 1ull << s % 64;
    return burl_chains_get(c, key, size_b);
}

/* May some granule lie in [lo, hi) of a stack? */
static inline bool
burl_granules_near(const struct burl_chains *c, uintptr_t lo, uintptr_t hi)
{
    uintptr_t n = (hi - 1) / BURL_STRIPE_B - lo / BURL_STRIPE_B + 1;

    for (uintptr_t i = 0; c->n != 0 && i < n && i < BURL_STRIPES; i++) {
        uint32_t s = (uint32_t)(lo / BURL_STRIPE_B + i) % BURL_STRIPES;

        if ((burl__stripes[s / 64] >> s % 64 & 1) != 0)
            return true;
    }
    return false;
}

/* Calls empty() for each known granule that [addr, addr + n) touches. */
static inline void
burl_granules_forget(struct burl_chains *c, uintptr_t addr, uint64_t n,
                     void (*empty)(struct burl_chain *granule))
{
    uintptr_t first = addr / BURL_GRANULE_B;
    uintptr_t last = (addr + n + BURL_GRANULE_B - 1) / BURL_GRANULE_B;

    if (c->n == 0)
        return;
    if (last - first <= c->n_buckets || last - first <= c->n) {
        for (uintptr_t key = first; key < last; key++) {
            struct burl_chain *p = burl_chains_find(c, key);

            for (; p != NULL; p = p->next) {
                if (p->key == key)
                    empty(p);
            }
        }
        return;
    }
    for (uint32_t b = 0; b < c->n_buckets; b++) {
        for (struct burl_chain *p = c->heads[b]; p != NULL; p = p->next) {
            if (p->key >= first && p->key < last)
                empty(p);
        }
    }
}

#endif
