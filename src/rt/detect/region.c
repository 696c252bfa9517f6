/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/region.c - marked regions (BURL_ATOMIC_BEGIN/END) that this execution broke.
 *
 * Runs in the target, driven by triple.c. A region is to look as if it happened at one moment. It
 * does not when another thread's access r came after an access p of the region, and something that
 * comes after r came before a later access c of the region: then the others are both after and
 * before the region. "Before" is by conflict (same byte, one writes), by program order, and by
 * create, join and signal; what another thread does within a region of its own is one moment too.
 * These are the cycles of Velodrome (Flanagan, Freund and Yi, PLDI 2008), over any number of
 * variables. For one variable they are the unserializable triples R-W-R, W-W-R, R-W-W, W-R-W.
 *
 * Departures: order that only locks give between the others does not count, because it could have
 * been the other way round without any value being different. What the region reads of its own
 * writes says nothing about others. A write of the region that no thread has read before the region
 * writes the same bytes again could as well not have been there (W-W-W), so a cycle that rests on
 * such a write is pending until the region ends.
 *
 * Cost: nothing while no region is open. While one is: per access the last accesses of the others
 * to its bytes, times open regions, times threads that came after them.
 *
 * Direction of the error: a miss, where order comes from semaphores or locks, where a third thread
 * followed one that only later turns out to be after the region, and beyond the first RANGE_B bytes
 * of a range. No false alarm: each report is a cycle that happened.
 */
#include "region.h"

#include "granules.h"
#include "rt/core/core.h"

#define RANGE_B 4096u

/* Last access of one thread to these bytes: reading (a read) or writing. */
struct past {
    struct past *next;
    uint64_t seq;
    struct burl_past about; /* its flags: of this half of the access, without FREE */
    uint8_t mask;
};

struct granule {
    struct burl_chain chain;
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
    bool weak;    /* p and r only write, so the region may still undo it by writing again */
    bool pending; /* weak, and something after r came before c: a cycle unless undone */
    struct past p;
    struct past r;
    struct burl_access c;
    struct burl_wire_side *room; /* free mode: r's side, as no order aims at it */
};

struct region {
    struct region *next;
    struct burl_watch *w;
    uint64_t start;      /* first seq that belongs to it */
    struct after *after; /* per thread one that is not weak, and one weak per variable */
};

static struct region *open_regions; /* oldest first */
static struct burl_pool regions;
static struct burl_pool afters;
static struct burl_pool pasts;
static struct burl_pool unused_granules;
static struct burl_chains granules;
static uint64_t seq;

void
burl__region_reset(void)
{
    open_regions = NULL;
    seq = 0;
}

/* ---- opening and closing --------------------------------------------------- */

static void
region_granule_empty(struct burl_chain *chain)
{
    BURL_POOL_GIVE_ALL(&pasts, &((struct granule *)chain)->past);
}

/* Nothing that happened while no region was open can be part of a cycle. */
static void
forget_all(void)
{
    for (uint32_t b = 0; b < granules.n_buckets; b++) {
        while (granules.heads[b] != NULL) {
            region_granule_empty(granules.heads[b]);
            BURL_POOL_GIVE_AT(&unused_granules, &granules.heads[b]);
        }
    }
    burl_chains_clear(&granules);
}

void
burl__region_begin(struct burl_watch *w)
{
    struct region **at = &open_regions;
    struct region *r = burl_pool_take(&regions, sizeof *r);

    *r = (struct region){ .w = w, .start = seq + 1 };
    while (*at != NULL)
        at = &(*at)->next;
    *at = r;
}

/* ---- reporting --------------------------------------------------------------- */

static void
region_report(struct burl_watch *w, const struct after *x, const struct burl_access *c)
{
    const struct burl_past *p = &x->p.about;
    const struct burl_past *r = &x->r.about;
    const uintptr_t addr = burl_granule_addr(x->key, x->mask);
    const uint32_t sites[3] = { p->site, r->site, c->site };
    const uint8_t ops[3] = { p->op, r->op, c->op };
    const uint16_t tids[3] = { w->tid, r->tid, w->tid };
    struct burl_wire_side sides[2];
    uint64_t key =
        burl_ob_suspect(BURL_SUSPECT_REGION, BURL_OBSERVER_TRIPLE, sites, ops, tids, 3, addr, 0);

    if (key == 0 || (w->thread != NULL && !burl_ob_stops_at(key)))
        return;
    burl__past_side(&sides[0], p, addr);
    burl__past_side(&sides[1], r, addr);
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
    for (const struct after *x = r->after; x != NULL; x = x->next) {
        if (x->pending)
            region_report(w, x, &x->c);
    }
    BURL_POOL_GIVE_ALL(&afters, &r->after);
    burl_pool_give(&regions, r);
    if (open_regions == NULL)
        forget_all();
}

/* ---- threads after a region --------------------------------------------------- */

static bool
only_writes(uint8_t flags)
{
    return !burl_access_reads(flags);
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

static struct after *
after_find(const struct region *r, uint16_t tid, const struct after *why)
{
    struct after *x = r->after;

    while (x != NULL && (x->tid != tid || x->weak != why->weak ||
                         (x->weak && (x->key != why->key || x->mask != why->mask))))
        x = x->next;
    return x;
}

/* From now on w comes after the region. NULL: that is known. */
static struct after *
comes_after(struct region *r, const struct burl_watch *w, const struct after *why)
{
    struct burl_wire_side *room;
    struct after *x;

    if (after_find(r, w->tid, why) != NULL)
        return NULL;
    x = burl_pool_take(&afters, sizeof *x);
    room = x->room;
    *x = *why;
    x->room = room;
    x->next = r->after;
    x->seq = unit_start(w);
    x->tid = w->tid;
    x->slot = w->slot;
    x->cj_clock = w->cj_clock;
    x->pending = false;
    r->after = x;
    return x;
}

/* Where w is now, for a reason that began with what it does. */
static void
keep_side(struct after *x, const struct burl_watch *w, const struct burl_access *a)
{
    if (x == NULL || w->thread != NULL)
        return;
    if (x->room == NULL)
        x->room = burl_ob_alloc(sizeof *x->room);
    burl_ob_fill_side(x->room, w, a);
    x->r.about.side = x->room;
}

/* Ordered by create, join or signal after a thread that is after the region, w is after it too. */
static void
follow_order(struct region *r, const struct burl_watch *w)
{
    for (const struct after *x = r->after; x != NULL; x = x->next) {
        if (x->tid != w->tid && x->cj_clock <= burl_vc_get(&w->cj, x->slot))
            comes_after(r, w, x);
    }
}

/* The region writes these bytes anew: overwritten writes to them are no reason any more. */
static void
undo_weak(struct region *r, uintptr_t key, uint8_t mask)
{
    for (struct after **at = &r->after; *at != NULL;) {
        struct after *x = *at;

        if (x->weak && x->key == key && (x->mask & ~mask) == 0)
            BURL_POOL_GIVE_AT(&afters, at);
        else
            at = &x->next;
    }
}

/* An access of the region that conflicts with p, another thread's. */
static void
region_meets(struct region *r, const struct burl_access *a, uint8_t flags, const struct past *p,
             const struct burl_piece *piece)
{
    for (struct after *x = r->after; x != NULL; x = x->next) {
        bool same = x->key == piece->key && (x->mask & piece->mask) != 0;

        if (x->tid != p->about.tid || p->seq < x->seq)
            continue;
        if (!x->weak || (same && !only_writes(flags))) {
            region_report(r->w, x, a);
        } else if (!x->pending) {
            x->pending = true;
            x->c = *a;
        }
    }
}

/* w, which is not in the region, made an access that conflicts with p. */
static void
other_meets(struct region *r, const struct burl_watch *w, const struct burl_access *a,
            const struct past *now, const struct past *p, const struct burl_piece *piece)
{
    if (p->about.tid == r->w->tid) {
        const struct after why = {
            .key = piece->key,
            .mask = p->mask & piece->mask,
            .weak = only_writes(p->about.flags) && only_writes(now->about.flags),
            .p = *p,
            .r = *now,
        };

        if (p->seq >= r->start)
            keep_side(comes_after(r, w, &why), w, a);
        return;
    }
    for (const struct after *x = r->after; x != NULL; x = x->next) {
        if (x->tid == p->about.tid && p->seq >= x->seq)
            comes_after(r, w, x);
    }
}

/* ---- accesses ------------------------------------------------------------------ */

static struct granule *
granule_get(uintptr_t key)
{
    struct granule *g = (struct granule *)burl_chains_find(&granules, key);

    if (g != NULL)
        return g;
    g = burl_pool_take(&unused_granules, sizeof *g);
    g->chain.key = key;
    burl_chains_add(&granules, &g->chain);
    return g;
}

/* What others must still be compared with. A write covers what was there before, because an access
 * that conflicts with that comes after the write too; only a read of the writer's own is kept, it
 * says more than the write does (see `weak`). */
static bool
past_covers(const struct past *now, const struct past *p)
{
    bool write = burl_access_writes(now->about.flags);
    bool was_write = burl_access_writes(p->about.flags);

    return p->about.tid == now->about.tid ? write == was_write : write;
}

static void
remember_half(struct granule *g, const struct past *now)
{
    struct past *p;

    for (struct past **at = &g->past; *at != NULL;) {
        p = *at;
        if (past_covers(now, p))
            p->mask &= (uint8_t)~now->mask;
        if (p->mask == 0)
            BURL_POOL_GIVE_AT(&pasts, at);
        else
            at = &p->next;
    }
    p = burl_pool_take(&pasts, sizeof *p);
    *p = *now;
    p->next = g->past;
    g->past = p;
}

/* A read-modify-write is a read and then a write: the region may undo the write only. */
static void
remember(struct granule *g, const struct past *now)
{
    struct past half = *now;

    if ((now->about.flags & BURL_ACCESS_RMW) != 0) {
        half.about.flags = now->about.flags & BURL_ACCESS_ATOMIC;
        remember_half(g, &half);
        half.about.flags |= BURL_ACCESS_WRITE;
    }
    remember_half(g, &half);
}

/* Did the thread itself, in the region it is in, write all of these bytes last? Then what it reads
 * there says nothing about the others. */
static bool
reads_own(const struct granule *g, const struct burl_watch *w, uint8_t mask)
{
    uint64_t from = w->region_depth != 0 ? unit_start(w) : UINT64_MAX;

    for (const struct past *p = g->past; p != NULL; p = p->next) {
        if (p->about.tid == w->tid && burl_access_writes(p->about.flags) && p->seq >= from)
            mask &= (uint8_t)~p->mask;
    }
    return mask == 0;
}

static void
region_granule_access(struct burl_watch *w, const struct burl_access *a,
                      const struct burl_piece *piece, struct past now)
{
    struct granule *g = granule_get(piece->key);

    now.mask = piece->mask;
    if (reads_own(g, w, piece->mask)) {
        if (!burl_access_writes(now.about.flags))
            return;
        now.about.flags &= (uint8_t)~BURL_ACCESS_RMW;
    }
    for (const struct past *p = g->past; p != NULL; p = p->next) {
        if (p->about.tid == w->tid || (p->mask & piece->mask) == 0 ||
            !burl_access_writes(p->about.flags | now.about.flags))
            continue;
        for (struct region *r = open_regions; r != NULL; r = r->next) {
            if (r->w == w)
                region_meets(r, a, now.about.flags, p, piece);
            else
                other_meets(r, w, a, &now, p, piece);
        }
    }
    for (struct region *r = open_regions; r != NULL && only_writes(now.about.flags); r = r->next) {
        if (r->w == w)
            undo_weak(r, piece->key, piece->mask);
    }
    remember(g, &now);
}

void
burl__region_access(struct burl_watch *w, const struct burl_access *a)
{
    struct burl_piece piece = burl_pieces(a, RANGE_B);
    struct past now;

    if (open_regions == NULL)
        return;
    now = (struct past){ .seq = ++seq, .about = burl__past_of(w, a) };
    now.about.flags &= (uint8_t)~BURL_ACCESS_FREE;
    for (struct region *r = open_regions; r != NULL; r = r->next) {
        if (r->w != w)
            follow_order(r, w);
    }
    while (burl_piece_next(&piece))
        region_granule_access(w, a, &piece, now);
}

void
burl__region_forget(uintptr_t addr, uint64_t n)
{
    if (open_regions != NULL)
        burl_granules_forget(&granules, addr, n, region_granule_empty);
}
