/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/detect_int.h - what the files of detect/ share and nobody else sees.
 */
#ifndef BURL_RT_DETECT_INT_H
#define BURL_RT_DETECT_INT_H

#include "observe.h"

void burl__ob_memory_reset(void);
void burl__held_reset(void);
void burl__suspects_reset(void);

/* held.c: w->held and w->lockset. */
void burl__held_add(struct burl_watch *w, const struct burl_held *lock);
/* The last acquisition of that lock, NULL when it is not known to be held. */
struct burl_held *burl__held_find(struct burl_watch *w, uintptr_t addr);
void burl__held_remove(struct burl_watch *w, struct burl_held *lock);

/* A table of chains keyed by address, emptied in O(1). Nodes embed struct burl_chain first. */
#define BURL_CHAIN_BUCKETS 16384u

struct burl_chain {
    struct burl_chain *next;
    uintptr_t key;
};

struct burl_chains {
    struct burl_chain *heads[BURL_CHAIN_BUCKETS];
    uint32_t stamps[BURL_CHAIN_BUCKETS]; /* generation of the head; others are empty */
    uint32_t generation;
    uint32_t n;
};

static inline uint32_t
burl_chain_bucket(uintptr_t key)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 50);
}

static inline struct burl_chain *
burl_chains_find(const struct burl_chains *c, uintptr_t key)
{
    uint32_t b = burl_chain_bucket(key);
    struct burl_chain *p = c->stamps[b] == c->generation ? c->heads[b] : NULL;

    while (p != NULL && p->key != key)
        p = p->next;
    return p;
}

static inline void
burl_chains_add(struct burl_chains *c, struct burl_chain *node)
{
    uint32_t b = burl_chain_bucket(node->key);

    if (c->stamps[b] != c->generation) {
        c->stamps[b] = c->generation;
        c->heads[b] = NULL;
    }
    node->next = c->heads[b];
    c->heads[b] = node;
    c->n++;
}

static inline void
burl_chains_clear(struct burl_chains *c)
{
    c->generation++;
    c->n = 0;
}

_Static_assert(BURL_CHAIN_BUCKETS == 1u << 14, "burl_chain_bucket() keeps 14 bits");

#endif
