/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/lockset.c - potential races: accesses that nothing lasting keeps apart.
 *
 * Runs in the target; phase 1 of RaceFuzzer (Sen, PLDI 2008), hybrid as in its implementation: two
 * accesses of different threads to one byte, one of them a write, that are neither ordered by
 * create, join and signal (w->cj) nor made under a common lock. Order by locks is left out on
 * purpose: it is the luck of this execution, and another one may have it the other way round.
 *
 * Departures: bytes instead of fields; atomic accesses never pair with each other; a lock held for
 * reading on both sides does not keep them apart; order that every schedule has (barriers, once)
 * counts like create and join; memory that is handed over counts by full happens-before.
 *
 * Per granule and thread the accesses of the last CLOCKS values of its cj clock are kept, one entry
 * per site and set of locks, at most ENTRIES per granule. A pair is looked at when the later of its
 * two entries comes or gets a new byte; an access that repeats a known entry has nothing to add,
 * because order by cj would have given it another clock. So the cost is a look-up, and memory is
 * bounded by what the program touches.
 *
 * Direction of the error: both. Order by semaphores, atomics or data is not seen here, so a suspect
 * may be impossible; it is reported only after a directed execution made it happen. What is dropped
 * from a full granule, and what lies beyond the first RANGE_B bytes of a range, can be missed.
 */
#include "granules.h"

#define CLOCKS 5u   /* as in the implementation of RaceFuzzer */
#define ENTRIES 32u /* a granule used from more places than that is found by its other pairs */
#define RANGE_B 4096u

struct granule {
    struct burl_chain chain;
    struct burl_seen_list seen;
};

static struct burl_chains granules;

static void
entry_compare(const struct burl_watch *w, const struct burl_access *a, const struct burl_seen *e,
              const struct burl_piece *piece)
{
    const uint32_t sites[2] = { e->site, a->site };
    const uint8_t ops[2] = { e->op, a->op };
    const uint16_t tids[2] = { e->tid, w->tid };
    uint8_t common = e->mask & piece->mask;

    if (e->tid == w->tid || common == 0 || !burl_access_races(e->flags, a->flags))
        return;
    if (e->cj_clock <= burl_vc_get(&w->cj, e->slot) ||
        burl_lockset_excludes(e->lockset, w->lockset) ||
        burl_is_handed_over(w, e->slot, e->clock, piece->addr))
        return;
    burl_ob_suspect(BURL_SUSPECT_POTENTIAL, BURL_OBSERVER_LOCKSET, sites, ops, tids, 2,
                    burl_granule_addr(piece->key, common), 0);
}

/* Entries of one thread come in the order of its clock, youngest first: those after the CLOCKS-th
 * value go. */
static void
drop_old_clocks(struct burl_seen_list *l, uint16_t tid)
{
    uint32_t distinct = 0;
    uint32_t last = 0;

    for (struct burl_seen **at = &l->first; *at != NULL;) {
        struct burl_seen *e = *at;

        if (e->tid == tid && (distinct == 0 || e->cj_clock != last)) {
            distinct++;
            last = e->cj_clock;
        }
        if (e->tid == tid && distinct > CLOCKS)
            burl__seen_drop(l, at);
        else
            at = &e->next;
    }
}

static void
lockset_granule_access(const struct burl_watch *w, const struct burl_access *a,
                       const struct burl_piece *piece)
{
    struct granule *g = burl_chains_get(&granules, piece->key, sizeof *g);
    struct burl_seen *own = burl_seen_find(&g->seen, w, a);

    if (own != NULL)
        own->clock = w->clock;
    if (own != NULL && (piece->mask & ~own->mask) == 0)
        return;
    for (const struct burl_seen *e = g->seen.first; e != NULL; e = e->next)
        entry_compare(w, a, e, piece);
    if (own == NULL) {
        own = burl__seen_add(&g->seen, w, a, ENTRIES);
        drop_old_clocks(&g->seen, w->tid);
    }
    own->mask |= piece->mask;
}

static void
lockset_access(struct burl_watch *w, const struct burl_access *a)
{
    struct burl_piece piece = burl_pieces(a, RANGE_B);

    while (burl_piece_next(&piece))
        lockset_granule_access(w, a, &piece);
}

static void
lockset_granule_empty(struct burl_chain *chain)
{
    burl__seen_drop_all(&((struct granule *)chain)->seen);
}

const struct burl_observer burl_observer_lockset = {
    .granules = &granules,
    .granule_empty = lockset_granule_empty,
    .access = lockset_access,
};
