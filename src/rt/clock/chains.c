/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock/chains.c - the growing and the reset of the observers' tables and pools.
 *
 * Runs in the target, rarely. A bucket's chain is shared out among the four that take its place,
 * in the table itself: bucket b becomes 4b to 4b + 3, so from the last to the first nothing is
 * overwritten that is still to come.
 */
#include "chains.h"

#define FIRST_BUCKETS 64u /* what a small test needs, and an eighth of a page */
#define FIRST_SHIFT 58u   /* 64 less the bits of that */
#define GROWTH_BITS 2u
#define GROWTH (1u << GROWTH_BITS)

static struct burl_chains *used_tables;
static struct burl_pool *used_pools;

static void
share_out(struct burl_chains *c, uint32_t b)
{
    struct burl_chain *p = c->heads[b];
    struct burl_chain **tails[GROWTH];

    for (uint32_t i = 0; i < GROWTH; i++) {
        tails[i] = &c->heads[b * GROWTH + i];
        *tails[i] = NULL;
    }
    while (p != NULL) {
        struct burl_chain *next = p->next;
        uint32_t i = burl_chain_bucket(c, p->key) % GROWTH;

        p->next = NULL;
        *tails[i] = p;
        tails[i] = &p->next;
        p = next;
    }
}

void
burl_chains_grow(struct burl_chains *c)
{
    const uint32_t before = c->n_buckets;

    if (before == 0) {
        if (!c->is_used) {
            c->is_used = true;
            c->next_used = used_tables;
            used_tables = c;
        }
        c->n_buckets = FIRST_BUCKETS;
        c->shift = FIRST_SHIFT;
        return;
    }
    if (before * GROWTH > BURL_CHAIN_BUCKETS)
        return;
    c->n_buckets = before * GROWTH;
    c->shift -= GROWTH_BITS;
    for (uint32_t b = before; b > 0; b--)
        share_out(c, b - 1);
}

void
burl_pool_give(struct burl_pool *p, void *node)
{
    struct burl_pool_node *n = node;

    n->next = p->unused;
    p->unused = n;
    if (p->is_used)
        return;
    p->is_used = true;
    p->next_used = used_pools;
    used_pools = p;
}

void
burl__chains_reset(void)
{
    for (; used_tables != NULL; used_tables = used_tables->next_used) {
        burl_chains_clear(used_tables);
        used_tables->is_used = false;
    }
    for (; used_pools != NULL; used_pools = used_pools->next_used) {
        used_pools->unused = NULL;
        used_pools->is_used = false;
    }
}
