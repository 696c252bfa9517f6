/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock/chains.h - the tables and pools of observers.
 *
 * A table is a hash table of chains keyed by address; nodes embed struct burl_chain first. It
 * begins small in every execution and grows with its contents: each page touched is a fault in a
 * forked child and a cache miss, which costs a small test more than the lookups.
 *
 * A pool hands out nodes of one type and takes them back; nodes begin with the pointer to the next
 * one of the list that they are in. Tables and pools need no initialization and are empty again
 * when an execution begins (burl__chains_reset()).
 */
#ifndef BURL_RT_CHAINS_H
#define BURL_RT_CHAINS_H

#include <string.h>

#include "memory.h"
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
    struct burl_chains *next_used; /* of the tables used in this execution */
    bool is_used;
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

/* The node with that key, made when it is not there: size_b zeroed bytes. */
static inline void *
burl_chains_get(struct burl_chains *c, uintptr_t key, size_t size_b)
{
    struct burl_chain *node = burl_chains_find(c, key);

    if (BURL_LIKELY(node != NULL))
        return node;
    node = burl_ob_alloc(size_b);
    node->key = key;
    burl_chains_add(c, node);
    return node;
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

struct burl_pool_node {
    struct burl_pool_node *next;
};

struct burl_pool {
    struct burl_pool_node *unused;
    struct burl_pool *next_used; /* of the pools used in this execution */
    bool is_used;
};

/* A node of size_b bytes, the same size for every node of a pool. Its content is undefined. */
static inline void *
burl_pool_take(struct burl_pool *p, size_t size_b)
{
    struct burl_pool_node *node = p->unused;

    if (node == NULL)
        return burl_ob_alloc(size_b);
    p->unused = node->next;
    return node;
}

void burl_pool_give(struct burl_pool *p, void *node);

/* Takes *at, a pointer in a list of nodes of the pool, out of it; takes back a whole list. */
#define BURL_POOL_GIVE_AT(pool, at)    \
    do {                               \
        void *given_ = *(at);          \
                                       \
        *(at) = (*(at))->next;         \
        burl_pool_give(pool, given_);  \
    } while (0)
#define BURL_POOL_GIVE_ALL(pool, list)     \
    do {                                   \
        while (*(list) != NULL)            \
            BURL_POOL_GIVE_AT(pool, list); \
    } while (0)

/* Empties all tables and pools: an execution begins. */
void burl__chains_reset(void);

#endif
