/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/pairs.c - location pairs and orders of locks that the campaign has seen, and which
 * pair to aim at next.
 *
 * Runs in the host. Each process lists what its executions showed (wire/profile.h); after an order
 * the lists are merged, and between rounds the result comes into force. Whose execution was the
 * first is a matter of the work list and not of the clock, as with edges (INV-E2), and so is what
 * is aimed at: the entries lie in the order of their arrival, which nothing here depends on.
 *
 * A pair that nobody has seen is a goal (goal/pair.c): what was tried least comes first, and what
 * was tried TRIES_MAX times in vain is left alone. Most of those are impossible, which only a proof
 * can say (burl cover hunt --exhaustive).
 *
 * When the list is full what is in force stays as it is, and nothing more is taken: which of too
 * many found room depends on who came first.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/engine_int.h"

#define TRIES_MAX 256u

struct pair {
    struct burl_profile_pair is;
    uint32_t tries;
    bool in_force; /* known since before the running round, */
    bool known;    /* and seen */
};

struct burl_pairs {
    struct {
        BURL_VEC_OF(struct pair);
    } all;
    uint32_t index[BURL_PROFILE_PAIR_SLOTS]; /* place in `all` + 1, 0: free */
    bool full;
};

/* ---- the set ----------------------------------------------------------------------- */

static struct burl_pairs *
pairs_of(struct burl_campaign *c)
{
    if (!c->pairs)
        c->pairs = burl_xcalloc(1, sizeof *c->pairs);
    return c->pairs;
}

/* NULL: it is not there and there is no room. */
static struct pair *
place(struct burl_pairs *p, uint32_t earlier, uint32_t later)
{
    uint32_t at = burl_profile_pair_slot(earlier, later);

    for (;; at++) {
        uint32_t *slot = &p->index[at & (BURL_PROFILE_PAIR_SLOTS - 1)];
        struct pair *x;

        if (*slot != 0) {
            x = &p->all.v[*slot - 1];
            if (x->is.earlier == earlier && x->is.later == later)
                return x;
            continue;
        }
        if (p->full || p->all.n >= BURL_PROFILE_PAIRS) {
            p->full = true;
            return NULL;
        }
        x = BURL_VEC_ADD(&p->all);
        *x = (struct pair){ .is = { .earlier = earlier, .later = later } };
        *slot = (uint32_t)p->all.n;
        return x;
    }
}

static void
merge(struct burl_campaign *c, const struct burl_profile_pair *from)
{
    struct burl_pairs *p = pairs_of(c);
    struct pair *x = place(p, from->earlier, from->later);

    if (!x)
        return;
    if (from->flags & ~x->is.flags & BURL_PAIR_F_SEEN ||
        (from->flags & x->is.flags & BURL_PAIR_F_SEEN && !x->known &&
         burl__works_order(c, from->seed, x->is.seed)))
        x->is.seed = from->seed;
    x->is.flags |= from->flags;
}

void
burl__pairs_take(struct burl_campaign *c, const struct burl_wire_profile *from)
{
    const uint32_t n = from->n_pairs < BURL_PROFILE_PAIRS ? from->n_pairs : BURL_PROFILE_PAIRS;

    if (from->pairs_lost > 0)
        pairs_of(c)->full = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct burl_profile_pair *x = &from->pairs[i];

        if (x->earlier != 0 && x->later != 0 && x->earlier < c->n_sites && x->later < c->n_sites)
            merge(c, x);
    }
}

/* Is the entry one that counts, although the list may be full? */
static bool
counts(const struct burl_pairs *p, const struct pair *x)
{
    return x->in_force || !p->full;
}

void
burl__pairs_adopt(struct burl_campaign *c)
{
    struct burl_pairs *p = pairs_of(c);
    struct burl_campaign_stats *s = c->stats;

    s->pairs = 0;
    s->pair_candidates = 0;
    s->lock_orders = 0;
    for (size_t i = 0; i < p->all.n; i++) {
        struct pair *x = &p->all.v[i];

        if (!counts(p, x))
            continue;
        x->in_force = true;
        x->known = (x->is.flags & BURL_PAIR_F_SEEN) != 0;
        if (x->is.flags & BURL_PAIR_F_LOCKS) {
            s->lock_orders++;
            continue;
        }
        s->pair_candidates++;
        s->pairs += x->known;
    }
}

size_t
burl__pairs_news(const struct burl_campaign *c, struct burl_profile_pair **news)
{
    const struct burl_pairs *p = c->pairs;
    size_t n = 0;

    *news = NULL;
    if (!p || p->all.n == 0)
        return 0;
    *news = burl_xcalloc(p->all.n, sizeof **news);
    for (size_t i = 0; i < p->all.n; i++) {
        const struct pair *x = &p->all.v[i];

        if (counts(p, x) && !x->known && x->is.flags & BURL_PAIR_F_SEEN)
            (*news)[n++] = x->is;
    }
    return n;
}

void
burl__pairs_free(struct burl_campaign *c)
{
    if (c->pairs)
        BURL_VEC_FREE(&c->pairs->all);
    free(c->pairs);
}

/* ---- goals ------------------------------------------------------------------------- */

/* Least tried first; of equals a mixture, so that a program's first functions are not preferred. */
static int
by_tries(const void *a, const void *b)
{
    const struct pair *x = *(struct pair *const *)a;
    const struct pair *y = *(struct pair *const *)b;
    const uint64_t mixed_x = burl_wire_mix(burl_wire_mix(1, x->is.earlier), x->is.later);
    const uint64_t mixed_y = burl_wire_mix(burl_wire_mix(1, y->is.earlier), y->is.later);

    if (x->tries != y->tries)
        return x->tries < y->tries ? -1 : 1;
    if (mixed_x != mixed_y)
        return mixed_x < mixed_y ? -1 : 1;
    if (x->is.earlier != y->is.earlier)
        return x->is.earlier < y->is.earlier ? -1 : 1;
    return x->is.later < y->is.later ? -1 : x->is.later > y->is.later;
}

static bool
is_open(const struct pair *x)
{
    return x->in_force && !x->known && !(x->is.flags & BURL_PAIR_F_LOCKS) && x->tries < TRIES_MAX;
}

size_t
burl__pairs_open(const struct burl_campaign *c)
{
    size_t n = 0;

    for (size_t i = 0; c->pairs && i < c->pairs->all.n; i++)
        n += is_open(&c->pairs->all.v[i]);
    return n;
}

size_t
burl__pairs_next(struct burl_campaign *c, struct burl_wire_goal *goals, size_t max, uint64_t each)
{
    struct burl_pairs *p = pairs_of(c);
    struct pair **open = burl_xcalloc(p->all.n + 1, sizeof(struct pair *));
    size_t n = 0;

    for (size_t i = 0; i < p->all.n; i++) {
        if (is_open(&p->all.v[i]))
            open[n++] = &p->all.v[i];
    }
    qsort(open, n, sizeof(struct pair *), by_tries);
    n = n < max ? n : max;
    for (size_t i = 0; i < n; i++) {
        const struct burl_profile_pair *x = &open[i]->is;

        open[i]->tries += each < TRIES_MAX ? (uint32_t)each : TRIES_MAX;
        goals[i] = (struct burl_wire_goal){
            .kind = BURL_GOAL_PAIR,
            .pair = { .first = x->earlier, .second = x->later },
        };
        if (c->gates) {
            goals[i].pair.first_gates[0] = c->gates[x->earlier];
            goals[i].pair.second_gates[0] = c->gates[x->later];
        }
    }
    free(open);
    return n;
}

/* ---- memory ------------------------------------------------------------------------ */

static int
by_sites(const void *a, const void *b)
{
    const struct burl_campaign_memory_pair *x = a;
    const struct burl_campaign_memory_pair *y = b;

    if (x->earlier != y->earlier)
        return x->earlier < y->earlier ? -1 : 1;
    return x->later < y->later ? -1 : x->later > y->later;
}

void
burl__pairs_keep(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    const struct burl_pairs *p = c->pairs;

    if (!p)
        return;
    m->pairs = burl_xcalloc(p->all.n + 1, sizeof *m->pairs);
    for (size_t i = 0; i < p->all.n; i++) {
        const struct pair *x = &p->all.v[i];

        if (counts(p, x))
            m->pairs[m->n_pairs++] = (struct burl_campaign_memory_pair){
                .earlier = x->is.earlier,
                .later = x->is.later,
                .flags = x->is.flags,
                .tries = x->tries,
            };
    }
    qsort(m->pairs, m->n_pairs, sizeof *m->pairs, by_sites);
}

void
burl__pairs_recall(struct burl_campaign *c, const struct burl_campaign_memory *m)
{
    for (size_t i = 0; i < m->n_pairs; i++) {
        const struct burl_campaign_memory_pair *from = &m->pairs[i];
        struct pair *x;

        if (from->earlier == 0 || from->later == 0 || from->earlier >= c->n_sites ||
            from->later >= c->n_sites)
            continue;
        x = place(pairs_of(c), from->earlier, from->later);
        if (!x)
            return;
        x->is.flags = from->flags & (BURL_PAIR_F_SEEN | BURL_PAIR_F_LOCKS);
        x->tries = from->tries;
    }
    burl__pairs_adopt(c);
}
