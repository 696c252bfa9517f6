/* SPDX-License-Identifier: Apache-2.0 */
/*
 * learn/adjacent.c - the list of location pairs and lock orders that executions have shown.
 *
 * Runs in the target, in executions with LEARN. edges.c finds the pairs and detect/lockorder.c the
 * orders; the host reads them after an order (wire/profile.h), each with the first seed of
 * this process that showed it. A list with an index, both in shared memory: executions in forked
 * children add to the same one. When it is full, further ones are counted and not listed.
 */
#include "learn.h"
#include "rt/core/core.h"
#include "rt/core/event.h"

static struct burl_profile_pair *
pair_at(struct burl_wire_profile *p, uint32_t earlier, uint32_t later)
{
    uint32_t at = burl_profile_slot(earlier, later, BURL_PROFILE_PAIR_SLOTS);

    for (;; at++) {
        uint16_t *slot = &p->pair_index[at & (BURL_PROFILE_PAIR_SLOTS - 1)];
        struct burl_profile_pair *x;

        if (*slot != 0) {
            x = &p->pairs[*slot - 1];
            if (x->earlier == earlier && x->later == later)
                return x;
            continue;
        }
        if (p->n_pairs >= BURL_PROFILE_PAIRS) {
            p->pairs_lost++;
            return NULL;
        }
        x = &p->pairs[p->n_pairs++];
        *x = (struct burl_profile_pair){ .earlier = earlier, .later = later };
        *slot = (uint16_t)p->n_pairs;
        return x;
    }
}

void
burl__pairs_tell(uint32_t earlier, uint32_t later, uint32_t flags)
{
    struct burl_profile_pair *x;

    if (!burl_rt.learn || earlier == 0 || later == 0)
        return;
    x = pair_at(burl_rt.profile_new, earlier, later);
    if (x == NULL)
        return;
    if ((flags & ~x->flags & BURL_PAIR_F_SEEN) != 0)
        x->seed = burl_rt.exec.seed;
    x->flags |= flags;
}

/* With the observer of location pairs, that observer decides whether the goal was reached. */
void
burl__pairs_seen(uint32_t earlier, uint32_t later)
{
    burl__pairs_tell(earlier, later, BURL_PAIR_F_SEEN);
    if ((burl_ob_mask & BURL_OB(LOCPAIRS)) == 0)
        burl__pair_covered(earlier, later);
}
