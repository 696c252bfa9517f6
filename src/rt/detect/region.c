/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/region.c - marked regions (BURL_ATOMIC_BEGIN/END) that this execution broke.
 *
 * Runs in the target, driven by triple.c. A region is to look as if it happened at one moment. It
 * does not when another thread's access r came after an access p of the region, and something that
 * comes after r came before a later access c of the region: then the others are both after and
 * before the region. "Before" is by conflict (same byte, one writes), by program order, and by
 * create, join and signal; what another thread does within a region of its own is one moment too.
 * These are the circles of Velodrome (Flanagan, Freund and Yi, PLDI 2008), over any number of
 * variables. For one variable they are the unserialisable triples R-W-R, W-W-R, R-W-W, W-R-W.
 *
 * Departures: order that only locks give between the others does not count, because it could have
 * been the other way round without any value being different. Writes that nobody has read before the
 * region writes the same bytes again could as well have come before the region (W-W-W), so a circle
 * that rests on such a write waits until the region ends.
 *
 * Cost: nothing while no region is open. While one is: per access the last accesses of the others to
 * its bytes, times open regions.
 *
 * Direction of the error: a miss, where order comes from semaphores or locks, and where several
 * overwritten writes are each a reason. No false alarm: each report is a circle that happened.
 */
#include "region.h"

#include <string.h>

#include "../rt_core.h"
#include "granules.h"

#define RANGE_B 4096u

/* Last access of one thread to these bytes: reading (a read) or writing. */
struct past {
    struct past *next;
    uint64_t seq;
    uint32_t site;
    uint32_t size_b;
    uint32_t lockset;
    uint16_t tid;
    uint8_t mask;
    uint8_t flags; /* BURL_ACCESS_* */
    uint8_t op;
    const struct burl_wire_side *side; /* kept when the order aims at the site */
};

struct granule {
    struct burl_chain chain;
    struct granule *next_used;
    struct past *past;
};

/* From `seq` on, what the thread does comes after the region, because r came after p. */
struct after {
    struct after *next;
    uint64_t seq;
    uintptr_t key; /* granule and bytes that p and r are on */
    uint32_t cj_clock;
    uint16_t tid;
    uint16_t slot;
    uint8_t mask;
    bool weak; /* p and r only write, so the region may still undo it by writing again */
    struct past p;
    struct past r;
};

struct region {
    struct region *next;
    struct burl_watch *w;
    uint64_t start;      /* first seq that belongs to it */
    struct after *after; /* at most one per thread */
    bool pending;        /* a circle that rests on a weak reason */
    uintptr_t pending_key;
    uint8_t pending_mask;
    struct past pending_p;
    struct past pending_r;
    struct burl_access pending_c;
};

static struct region *open_regions; /* oldest first */
static struct region *free_regions;
static struct after *free_after;
static struct burl_chains granules;
static struct granule *used;
static struct granule *free_granules;
static struct past *free_past;
static uint64_t seq;

void
burl__region_reset(void)
{
    open_regions = NULL;
    free_regions = NULL;
    free_after = NULL;
    burl_chains_clear(&granules);
    used = NULL;
    free_granules = NULL;
    free_past = NULL;
    seq = 0;
}

/* ---- opening and closing --------------------------------------------------- */

static void
empty(struct burl_chain *chain)
{
    struct granule *g = (struct granule *)chain;

    while (g->past != NULL) {
        struct past *p = g->past;

        g->past = p->next;
        p->next = free_past;
        free_past = p;
    }
}

/* Nothing that happened while no region was open can be part of a circle. */
static void
forget_all(void)
{
    while (used != NULL) {
        struct granule *g = used;

        used = g->next_used;
        empty(&g->chain);
        g->next_used = free_granules;
        free_granules = g;
    }
    burl_chains_clear(&granules);
}

void
burl__region_begin(struct burl_watch *w)
{
    struct region **at = &open_regions;
    struct region *r = free_regions;

    if (r == NULL)
        r = burl_ob_alloc(sizeof *r);
    else
        free_regions = r->next;
    *r = (struct region){ .w = w, .start = seq + 1 };
    while (*at != NULL)
        at = &(*at)->next;
    *at = r;
}

static void
after_free(struct after **at)
{
    struct after *x = *at;

    *at = x->next;
    x->next = free_after;
    free_after = x;
}

/* ---- reporting --------------------------------------------------------------- */

static void
fill_side(struct burl_wire_side *side, const struct past *p, uintptr_t addr)
{
    if (p->side != NULL) {
        *side = *p->side;
        return;
    }
    memset(side, 0, sizeof *side);
    side->addr = addr;
    side->site = p->site;
    side->size_b = p->size_b;
    side->tid = p->tid;
    side->op = p->op;
    side->flags = (uint8_t)(p->flags & BURL_ACCESS_ATOMIC ? BURL_SIDE_F_ATOMIC : 0);
    side->n_locks = burl_lockset_locks(p->lockset, side->locks, BURL_WIRE_MAX_LOCKS);
}

static void
report(struct burl_watch *w, const struct past *p, const struct past *r,
       const struct burl_access *c, uintptr_t addr)
{
    const uint32_t sites[3] = { p->site, r->site, c->site };
    const uint8_t ops[3] = { p->op, r->op, c->op };
    const uint16_t tids[3] = { w->tid, r->tid, w->tid };
    struct burl_wire_side sides[2];
    uint64_t key =
        burl_ob_suspect(BURL_SUSPECT_REGION, BURL_OBSERVER_TRIPLE, sites, ops, tids, 3, addr, 0);

    if (!burl_ob_stops_at(key))
        return;
    fill_side(&sides[0], p, addr);
    fill_side(&sides[1], r, addr);
    burl_ob_verdict(BURL_VERDICT_ATOMICITY_REGION, w, addr, sides);
}

void
burl__region_end(struct burl_watch *w)
{
    struct region **at = &open_regions;
    struct region *r;

    while (*at != NULL && (*at)->w != w)
        at = &(*at)->next;
    r = *at;
    if (r == NULL)
        return;
    *at = r->next;
    while (r->after != NULL)
        after_free(&r->after);
    r->next = free_regions;
    free_regions = r;
    if (open_regions == NULL)
        forget_all();
    if (r->pending)
        report(w, &r->pending_p, &r->pending_r, &r->pending_c,
               burl_granule_addr(r->pending_key, r->pending_mask));
}

/* ---- who is after a region ---------------------------------------------------- */

static struct after *
after_find(const struct region *r, uint16_t tid)
{
    struct after *x = r->after;

    while (x != NULL && x->tid != tid)
        x = x->next;
    return x;
}

static bool
only_writes(uint8_t flags)
{
    return (flags & BURL_ACCESS_WRITE) != 0 && (flags & BURL_ACCESS_RMW) == 0;
}

/* Where what w does now begins: with its own region, which is one moment too. */
static uint64_t
unit_start(const struct burl_watch *w)
{
    for (const struct region *r = open_regions; r != NULL; r = r->next) {
        if (r->w == w)
            return r->start;
    }
    return seq;
}

/* From now on w comes after the region. A reason that cannot be undone takes the place of one that
 * can. */
static void
comes_after(struct region *r, const struct burl_watch *w, const struct after *why)
{
    struct after *x = after_find(r, w->tid);
    struct after *next;

    if (x != NULL && (!x->weak || why->weak))
        return;
    if (x == NULL) {
        x = free_after;
        if (x == NULL)
            x = burl_ob_alloc(sizeof *x);
        else
            free_after = x->next;
        x->next = r->after;
        r->after = x;
    }
    next = x->next;
    *x = *why;
    x->next = next;
    x->seq = unit_start(w);
    x->tid = w->tid;
    x->slot = w->slot;
    x->cj_clock = w->cj_clock;
}

/* Told by create, join or signal of a thread that is after the region, w is after it too. */
static void
follow_order(struct region *r, const struct burl_watch *w)
{
    for (const struct after *x = r->after; x != NULL; x = x->next) {
        if (x->tid != w->tid && x->cj_clock <= burl_vc_get(&w->cj, x->slot)) {
            comes_after(r, w, x);
            return;
        }
    }
}

/* The region writes these bytes anew: overwritten writes to them are no reason any more. */
static void
undo_weak(struct region *r, uintptr_t key, uint8_t mask)
{
    for (struct after **at = &r->after; *at != NULL;) {
        struct after *x = *at;

        if (x->weak && x->key == key && (x->mask & ~mask) == 0)
            after_free(at);
        else
            at = &x->next;
    }
    if (r->pending && r->pending_key == key && (r->pending_mask & ~mask) == 0)
        r->pending = false;
}

/* An access of the region that conflicts with p, another thread's. */
static void
region_meets(struct region *r, const struct burl_access *a, const struct past *p,
             const struct burl_piece *piece)
{
    const struct after *x = after_find(r, p->tid);
    bool reads = !only_writes(a->flags);

    if (x == NULL || p->seq < x->seq)
        return;
    if (!x->weak || (reads && x->key == piece->key && (x->mask & piece->mask) != 0)) {
        report(r->w, &x->p, &x->r, a, burl_granule_addr(x->key, x->mask));
    } else if (!r->pending) {
        r->pending = true;
        r->pending_key = x->key;
        r->pending_mask = x->mask;
        r->pending_p = x->p;
        r->pending_r = x->r;
        r->pending_c = *a;
    }
}

/* w, which is not in the region, made an access that conflicts with p. */
static void
other_meets(struct region *r, const struct burl_watch *w, const struct past *now,
            const struct past *p, const struct burl_piece *piece)
{
    const struct after *x;

    if (p->tid == r->w->tid) {
        const struct after why = {
            .key = piece->key,
            .mask = p->mask & piece->mask,
            .weak = only_writes(p->flags) && only_writes(now->flags),
            .p = *p,
            .r = *now,
        };

        if (p->seq >= r->start)
            comes_after(r, w, &why);
        return;
    }
    x = after_find(r, p->tid);
    if (x != NULL && p->seq >= x->seq) {
        const struct after why = *x;

        comes_after(r, w, &why);
    }
}

/* ---- accesses ------------------------------------------------------------------ */

static struct granule *
granule_get(uintptr_t key)
{
    struct granule *g = (struct granule *)burl_chains_find(&granules, key);

    if (g != NULL)
        return g;
    g = free_granules;
    if (g == NULL)
        g = burl_ob_alloc(sizeof *g);
    else
        free_granules = g->next_used;
    g->chain.key = key;
    g->next_used = used;
    used = g;
    burl_chains_add(&granules, &g->chain);
    return g;
}

/* Takes the place of what the same thread did to these bytes before. */
static void
remember(struct granule *g, const struct past *now)
{
    struct past *p;

    for (struct past **at = &g->past; *at != NULL;) {
        p = *at;
        if (p->tid == now->tid &&
            (p->flags & BURL_ACCESS_WRITE) == (now->flags & BURL_ACCESS_WRITE))
            p->mask &= (uint8_t)~now->mask;
        if (p->mask == 0) {
            *at = p->next;
            p->next = free_past;
            free_past = p;
        } else {
            at = &p->next;
        }
    }
    p = free_past;
    if (p == NULL)
        p = burl_ob_alloc(sizeof *p);
    else
        free_past = p->next;
    *p = *now;
    p->next = g->past;
    g->past = p;
}

static void
granule_access(struct burl_watch *w, const struct burl_access *a, const struct burl_piece *piece,
               struct past *now)
{
    struct granule *g = granule_get(piece->key);

    now->mask = piece->mask;
    for (const struct past *p = g->past; p != NULL; p = p->next) {
        if (p->tid == w->tid || (p->mask & piece->mask) == 0 ||
            !burl_access_conflicts(p->flags, a->flags))
            continue;
        for (struct region *r = open_regions; r != NULL; r = r->next) {
            if (r->w == w)
                region_meets(r, a, p, piece);
            else
                other_meets(r, w, now, p, piece);
        }
    }
    for (struct region *r = open_regions; r != NULL && only_writes(a->flags); r = r->next) {
        if (r->w == w)
            undo_weak(r, piece->key, piece->mask);
    }
    remember(g, now);
}

void
burl__region_access(struct burl_watch *w, const struct burl_access *a)
{
    struct burl_piece piece = burl_pieces(a, RANGE_B);
    struct burl_wire_side *side = NULL;
    struct past now = {
        .site = a->site,
        .size_b = a->n > UINT32_MAX ? UINT32_MAX : (uint32_t)a->n,
        .lockset = w->lockset,
        .tid = w->tid,
        .flags = a->flags,
        .op = a->op,
    };

    if (open_regions == NULL)
        return;
    now.seq = ++seq;
    if (burl_rt.ctl->order.stop_key != 0 && burl_ob_aims_at(a->site)) {
        side = burl_ob_alloc(sizeof *side);
        burl_ob_fill_side(side, w, a);
        now.side = side;
    }
    for (struct region *r = open_regions; r != NULL; r = r->next) {
        if (r->w != w)
            follow_order(r, w);
    }
    while (burl_piece_next(&piece))
        granule_access(w, a, &piece, &now);
}

void
burl__region_forget(uintptr_t addr, uint64_t n)
{
    if (open_regions != NULL)
        burl_granules_forget(&granules, addr, n, empty);
}
