/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/detect_int.h - what the files of detect/ share and nobody else sees.
 */
#ifndef BURL_RT_DETECT_INT_H
#define BURL_RT_DETECT_INT_H

#include <string.h>

#include "observe.h"

void burl__ob_memory_reset(void);
void burl__held_reset(void);
void burl__suspects_reset(void);

/* held.c: w->held and w->lockset. */
void burl__held_add(struct burl_watch *w, const struct burl_held *lock);
/* The last acquisition of that lock, NULL when it is not known to be held. */
struct burl_held *burl__held_find(struct burl_watch *w, uintptr_t addr);
void burl__held_remove(struct burl_watch *w, struct burl_held *lock);

/* Do two accesses to one byte race when nothing orders them? */
static inline bool
burl_access_races(uint8_t a, uint8_t b)
{
    return ((a | b) & BURL_ACCESS_WRITE) != 0 && (a & b & BURL_ACCESS_ATOMIC) == 0;
}

/* Does everything that races with `weak` race with `strong` too? */
static inline bool
burl_access_stands_for(uint8_t strong, uint8_t weak)
{
    return ((strong & BURL_ACCESS_WRITE) != 0 || (weak & BURL_ACCESS_WRITE) == 0) &&
           ((strong & BURL_ACCESS_ATOMIC) == 0 || (weak & BURL_ACCESS_ATOMIC) != 0);
}

/* One side of a report from what is left of an access: everything but the stack. */
static inline void
burl__past_side(struct burl_wire_side *side, const struct burl_access *a, uint16_t tid,
                uint32_t lockset)
{
    *side = (struct burl_wire_side){ 0 };
    side->addr = a->addr;
    side->site = a->site;
    side->size_b = a->n > UINT32_MAX ? UINT32_MAX : (uint32_t)a->n;
    side->tid = tid;
    side->op = a->op;
    side->flags = (uint8_t)((a->flags & BURL_ACCESS_ATOMIC ? BURL_SIDE_F_ATOMIC : 0) |
                            (a->flags & BURL_ACCESS_FREE ? BURL_SIDE_F_FREE : 0));
    side->n_locks = burl_lockset_locks(lockset, side->locks, BURL_WIRE_MAX_LOCKS);
}

/*
 * A table of chains keyed by address. Nodes embed struct burl_chain first. It begins small in every
 * execution and grows with what is in it, because a table spread over many pages costs a small test
 * more than the looking: each page touched is a fault in a forked child and a miss in the cache.
 */
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
