/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/pair.c - goals of kind PAIR: location pairs and lock orders that the campaign has
 * seen, and which pair to aim at next.
 *
 * Runs in the host. Each process lists what its executions showed (wire/profile.h); after an order
 * the lists are merged, and between rounds the result comes into force. Whose execution was the
 * first is a matter of the work list and not of the clock, as with edges (INV-E2), and so is what
 * is aimed at: the entries lie in the order of their arrival, which nothing here depends on.
 *
 * A pair that was not seen is a goal (rt/goal/pair.c): least tried first, and no more after
 * TRIES_MAX attempts. Most of those are impossible, which only a proof can say (burl cover hunt
 * --exhaustive).
 *
 * When the list is full what is in force stays as it is, and nothing more is added: which of too
 * many found room depends on the order of arrival.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "engine/engine_int.h"

#define TRIES_MAX 256u

static void
merge_pair(struct burl_campaign *c, const struct burl_profile_pair *from)
{
    struct burl_goal_pair_record *x = burl__goal_pairs_at(
        &c->goals.pairs,
        from->flags & BURL_PAIR_F_LOCKS ? BURL_GOAL_KIND_LOCK_ORDER : BURL_GOAL_KIND_PAIR,
        from->earlier, from->later);

    if (!x)
        return;
    if (from->flags & ~x->flags & BURL_PAIR_F_SEEN ||
        (from->flags & x->flags & BURL_PAIR_F_SEEN && !x->known &&
         burl__pool_is_earlier(&c->pool, from->seed, x->goal.first_seed)))
        x->goal.first_seed = from->seed;
    x->flags |= from->flags;
}

void
burl__pair_take(struct burl_campaign *c, const struct burl_wire_profile *from)
{
    const uint32_t n = from->n_pairs < BURL_PROFILE_PAIRS ? from->n_pairs : BURL_PROFILE_PAIRS;

    if (from->pairs_lost > 0)
        c->goals.pairs.full = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct burl_profile_pair *x = &from->pairs[i];

        if (x->earlier != 0 && x->later != 0 && x->earlier < c->learned.n_sites &&
            x->later < c->learned.n_sites)
            merge_pair(c, x);
    }
}

/* Does the entry count, although the list may be full? */
static bool
is_counted(const struct burl_goal_pairs *p, const struct burl_goal_pair_record *x)
{
    return x->in_force || !p->full;
}

void
burl__pair_adopt(struct burl_campaign *c)
{
    struct burl_goal_pairs *p = &c->goals.pairs;
    struct burl_campaign_stats *s = c->stats;

    s->pairs = 0;
    s->pair_candidates = 0;
    s->lock_orders = 0;
    for (size_t i = 0; i < p->all.n; i++) {
        struct burl_goal_pair_record *x = &p->all.v[i];

        if (!is_counted(p, x))
            continue;
        x->in_force = true;
        x->known = (x->flags & BURL_PAIR_F_SEEN) != 0;
        if (x->flags & BURL_PAIR_F_LOCKS) {
            s->lock_orders++;
            continue;
        }
        s->pair_candidates++;
        s->pairs += x->known;
    }
}

size_t
burl__pair_new(const struct burl_campaign *c, struct burl_profile_pair **pairs)
{
    const struct burl_goal_pairs *p = &c->goals.pairs;
    size_t n = 0;

    *pairs = NULL;
    if (p->all.n == 0)
        return 0;
    *pairs = burl_xcalloc(p->all.n, sizeof **pairs);
    for (size_t i = 0; i < p->all.n; i++) {
        const struct burl_goal_pair_record *x = &p->all.v[i];

        if (is_counted(p, x) && !x->known && x->flags & BURL_PAIR_F_SEEN)
            (*pairs)[n++] = (struct burl_profile_pair){ .earlier = x->first,
                                                        .later = x->second,
                                                        .flags = x->flags,
                                                        .seed = x->goal.first_seed };
    }
    return n;
}

/* ---- goals ------------------------------------------------------------------------- */

static size_t
pair_count(const struct burl_campaign *c)
{
    return c->goals.pairs.all.n;
}

/* Least tried first; of equals a mixture, so that a program's first functions are not preferred. */
static bool
pair_propose(struct burl_campaign *c, size_t at, struct burl_promise *p)
{
    const struct burl_goal_pair_record *x = &c->goals.pairs.all.v[at];

    p->keys[0] = x->goal.attempts;
    p->keys[1] = burl_wire_mix(burl_wire_mix(1, x->first), x->second);
    p->keys[2] = x->first;
    p->keys[3] = x->second;
    return x->in_force && !x->known && !(x->flags & BURL_PAIR_F_LOCKS) &&
           x->goal.attempts < TRIES_MAX;
}

static void
pair_order(struct burl_campaign *c, size_t at, struct burl_work *w)
{
    struct burl_goal_pair_record *x = &c->goals.pairs.all.v[at];

    x->goal.attempts += w->n < TRIES_MAX ? w->n : TRIES_MAX;
    w->strategy = BURL_STRATEGY_DIRECTED;
    w->first_seed = burl__campaign_seed(c);
    w->args.goal = (struct burl_wire_goal){
        .kind = BURL_GOAL_PAIR,
        .pair = { .first = x->first,
                  .second = x->second,
                  .first_gates = { burl__learned_gate(&c->learned, x->first) },
                  .second_gates = { burl__learned_gate(&c->learned, x->second) } },
    };
}

/* Whether it was reached is in the profile: there is nothing to judge. */
const struct burl_goal_rules burl__pair_rules = { .count = pair_count,
                                                  .propose = pair_propose,
                                                  .order = pair_order };

/* ---- from campaign to campaign ----------------------------------------------------- */

#define BY_SITES(x) (x)->sites[0], (x)->sites[1]

static int
by_sites(const void *a, const void *b)
{
    const struct burl_goal_memory *x = a;
    const struct burl_goal_memory *y = b;

    return BURL_COMPARE(x, y, BY_SITES);
}

/* Sorted: the order of their arrival depends on the number of processes. */
void
burl__pair_keep(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    const struct burl_goal_pairs *p = &c->goals.pairs;
    const size_t before = m->goals.n;

    for (size_t i = 0; i < p->all.n; i++) {
        const struct burl_goal_pair_record *x = &p->all.v[i];
        const uint32_t sites[] = { x->first, x->second };
        struct burl_goal g = x->goal;

        if (!is_counted(p, x))
            continue;
        g.state = x->flags & BURL_PAIR_F_SEEN ? BURL_GOAL_STATE_CONFIRMED
                  : g.attempts > 0            ? BURL_GOAL_STATE_UNCONFIRMED
                                              : BURL_GOAL_STATE_UNTRIED;
        g.kind = x->flags & BURL_PAIR_F_LOCKS ? BURL_GOAL_KIND_LOCK_ORDER : BURL_GOAL_KIND_PAIR;
        burl__goal_remember(m, &g, sites, 2);
    }
    if (m->goals.n > before)
        qsort(m->goals.v + before, m->goals.n - before, sizeof *m->goals.v, by_sites);
}

void
burl__pair_recall(struct burl_campaign *c, const struct burl_goal_memory *from)
{
    struct burl_goal_pair_record *x =
        from->n_sites == 2
            ? burl__goal_pairs_at(&c->goals.pairs, from->goal.kind, from->sites[0], from->sites[1])
            : NULL;

    if (!x)
        return;
    x->flags = (from->goal.state == BURL_GOAL_STATE_CONFIRMED ? BURL_PAIR_F_SEEN : 0u) |
               (from->goal.kind == BURL_GOAL_KIND_LOCK_ORDER ? BURL_PAIR_F_LOCKS : 0u);
    x->goal.attempts = from->goal.attempts;
}
