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
 * variables. For one variable they are the unserializable triples R-W-R, W-W-R, R-W-W, W-R-W.
 *
 * Departures: order that only locks give between the others does not count, because it could have
 * been the other way round without any value being different. What the region reads of its own
 * writes says nothing about others. A write of the region that nobody has read before the region
 * writes the same bytes again could as well not have been there (W-W-W), so a circle that rests on
 * such a write waits until the region ends.
 *
 * Cost: nothing while no region is open. While one is: per access the last accesses of the others
 * to its bytes, times open regions, times threads that came after them.
 *
 * Direction of the error: a miss, where order comes from semaphores or locks, where a third thread
 * followed one that only later turns out to be after the region, and beyond the first RANGE_B bytes
 * of a range. No false alarm: each report is a circle that happened.
 */
#include "region.h"

#include "granules.h"
#include "rt/core/core.h"

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
    bool weak;    /* p and r only write, so the region may still undo it by writing again */
    bool pending; /* weak, and something after r came before c: a circle unless undone */
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
region_granule_is_empty(struct burl_chain *chain)
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
        region_granule_is_empty(&g->chain);
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
    const struct burl_access a = { .addr = addr,
                                   .n = p->size_b,
                                   .site = p->site,
                                   .op = p->op,
                                   .flags = p->flags & BURL_ACCESS_ATOMIC };

    if (p->side != NULL)
        *side = *p->side;
    else
        burl__past_side(side, &a, p->tid, p->lockset);
}

static void
region_report(struct burl_watch *w, const struct past *p, const struct past *r,
              const struct burl_access *c, uintptr_t addr)
{
    const uint32_t sites[3] = { p->site, r->site, c->site };
    const uint8_t ops[3] = { p->op, r->op, c->op };
    const uint16_t tids[3] = { w->tid, r->tid, w->tid };
    struct burl_wire_side sides[2];
    uint64_t key =
        burl_ob_suspect(BURL_SUSPECT_REGION, BURL_OBSERVER_TRIPLE, sites, ops, tids, 3, addr, 0);

    if (key == 0 || (w->thread != NULL && !burl_ob_stops_at(key)))
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
    for (const struct after *x = r->after; x != NULL; x = x->next) {
        if (x->pending)
            region_report(w, &x->p, &x->r, &x->c, burl_granule_addr(x->key, x->mask));
    }
    while (r->after != NULL)
        after_free(&r->after);
    r->next = free_regions;
    free_regions = r;
    if (open_regions == NULL)
        forget_all();
}

/* ---- who is after a region ---------------------------------------------------- */

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
    x = free_after;
    if (x == NULL)
        x = burl_ob_alloc(sizeof *x);
    else
        free_after = x->next;
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
    x->r.side = x->room;
}

/* Told by create, join or signal of a thread that is after the region, w is after it too. */
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
            after_free(at);
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

        if (x->tid != p->tid || p->seq < x->seq)
            continue;
        if (!x->weak || (same && !only_writes(flags))) {
            region_report(r->w, &x->p, &x->r, a, burl_granule_addr(x->key, x->mask));
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
    if (p->tid == r->w->tid) {
        const struct after why = {
            .key = piece->key,
            .mask = p->mask & piece->mask,
            .weak = only_writes(p->flags) && only_writes(now->flags),
            .p = *p,
            .r = *now,
        };

        if (p->seq >= r->start)
            keep_side(comes_after(r, w, &why), w, a);
        return;
    }
    for (const struct after *x = r->after; x != NULL; x = x->next) {
        if (x->tid == p->tid && p->seq >= x->seq)
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

/* What others must still be compared with. A write covers what was there before, because whoever
 * conflicts with that comes after the write too; only a read of the writer's own is kept, it says
 * more than the write does (see `weak`). */
static bool
covers(const struct past *now, const struct past *p)
{
    bool write = (now->flags & BURL_ACCESS_WRITE) != 0;
    bool was_write = (p->flags & BURL_ACCESS_WRITE) != 0;

    return p->tid == now->tid ? write == was_write : write;
}

static void
remember_half(struct granule *g, const struct past *now)
{
    struct past *p;

    for (struct past **at = &g->past; *at != NULL;) {
        p = *at;
        if (covers(now, p))
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

/* A read-modify-write is a read and then a write: the region may undo the write only. */
static void
remember(struct granule *g, const struct past *now)
{
    struct past half = *now;

    if ((now->flags & BURL_ACCESS_RMW) != 0) {
        half.flags = now->flags & BURL_ACCESS_ATOMIC;
        remember_half(g, &half);
        half.flags |= BURL_ACCESS_WRITE;
    }
    remember_half(g, &half);
}

/* Did the thread itself, in the region it is in, write all of these bytes last? Then what it reads
 * there tells nothing about the others. */
static bool
reads_own(const struct granule *g, const struct burl_watch *w, uint8_t mask)
{
    uint64_t from = w->region_depth != 0 ? unit_start(w) : UINT64_MAX;

    for (const struct past *p = g->past; p != NULL; p = p->next) {
        if (p->tid == w->tid && (p->flags & BURL_ACCESS_WRITE) != 0 && p->seq >= from)
            mask &= (uint8_t)~p->mask;
    }
    return mask == 0;
}

static void
region_granule_access(struct burl_watch *w, const struct burl_access *a,
                      const struct burl_piece *piece, const struct past *access)
{
    struct granule *g = granule_get(piece->key);
    struct past own = *access;
    const struct past *now = &own;

    own.mask = piece->mask;
    if (reads_own(g, w, piece->mask)) {
        if ((own.flags & BURL_ACCESS_WRITE) == 0)
            return;
        own.flags &= (uint8_t)~BURL_ACCESS_RMW;
    }
    for (const struct past *p = g->past; p != NULL; p = p->next) {
        if (p->tid == w->tid || (p->mask & piece->mask) == 0 ||
            !burl_access_conflicts(p->flags, now->flags))
            continue;
        for (struct region *r = open_regions; r != NULL; r = r->next) {
            if (r->w == w)
                region_meets(r, a, now->flags, p, piece);
            else
                other_meets(r, w, a, now, p, piece);
        }
    }
    for (struct region *r = open_regions; r != NULL && only_writes(now->flags); r = r->next) {
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
    struct past access = {
        .site = a->site,
        .size_b = a->n > UINT32_MAX ? UINT32_MAX : (uint32_t)a->n,
        .lockset = w->lockset,
        .tid = w->tid,
        .flags = a->flags,
        .op = a->op,
    };

    if (open_regions == NULL)
        return;
    access.seq = ++seq;
    if (burl_rt.ctl->order.stop_key != 0 && burl_ob_aims_at(a->site)) {
        side = burl_ob_alloc(sizeof *side);
        burl_ob_fill_side(side, w, a);
        access.side = side;
    }
    for (struct region *r = open_regions; r != NULL; r = r->next) {
        if (r->w != w)
            follow_order(r, w);
    }
    while (burl_piece_next(&piece))
        region_granule_access(w, a, &piece, &access);
}

void
burl__region_forget(uintptr_t addr, uint64_t n)
{
    if (open_regions != NULL)
        burl_granules_forget(&granules, addr, n, region_granule_is_empty);
}
