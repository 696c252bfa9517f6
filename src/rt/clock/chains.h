/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock/chains.h - a hash table of chains keyed by address. Nodes embed struct burl_chain first.
 *
 * It begins small in every execution and grows with its contents: each page touched is a fault in
 * a forked child and a cache miss, which costs a small test more than the lookups.
 */
#ifndef BURL_RT_CHAINS_H
#define BURL_RT_CHAINS_H

#include <string.h>

#include "rt/core/rt.h"

#define BURL_CHAIN_BUCKETS 16384u /* at most; power of two */

struct burl_chain {
    struct burl_chain *next;
    uintptr_t key;
};

struct burl_chains {
    uint32_t n;         /* nodes */
    uint32_t n_buckets; /* of heads, in use; 0: none yet */
    uint32_t shift;     /* the bucket is what a hash has above so many bits */
    struct burl_chain *heads[BURL_CHAIN_BUCKETS];
};

/* Room for more nodes than there are. The order within a chain stays. */
void burl_chains_grow(struct burl_chains *c);

static inline uint32_t
burl_chain_bucket(const struct burl_chains *c, uintptr_t key)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> c->shift);
}

static inline struct burl_chain *
burl_chains_find(const struct burl_chains *c, uintptr_t key)
{
    struct burl_chain *p = c->n != 0 ? c->heads[burl_chain_bucket(c, key)] : NULL;

    while (p != NULL && p->key != key)
        p = p->next;
    return p;
}

static inline void
burl_chains_add(struct burl_chains *c, struct burl_chain *node)
{
    uint32_t b;

    if (BURL_UNLIKELY(c->n >= c->n_buckets))
        burl_chains_grow(c);
    b = burl_chain_bucket(c, node->key);
    node->next = c->heads[b];
    c->heads[b] = node;
    c->n++;
}

/* Empty and small again; costs what the largest size of this execution did. */
static inline void
burl_chains_clear(struct burl_chains *c)
{
    if (c->n_buckets == 0)
        return; /* and its page stays as it is */
    memset(c->heads, 0, c->n_buckets * sizeof c->heads[0]);
    c->n = 0;
    c->n_buckets = 0;
}

#endif
