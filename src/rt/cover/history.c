/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/history.c - AVIO and PINV: what came between two consecutive accesses of one thread to a
 * byte.
 *
 * Runs in the target.
 *   AVIO (Avio*, PAPERS 5.6): two consecutive accesses of one thread to a byte and another thread's
 *   in between, with the abstract variable and threads.
 *   PINV (pair interleavings; Lu, Jiang and Zhou, ESEC/FSE 2007): the same by sites alone; that
 *   there was none in between is a task as well.
 * Every such triple counts; the four that no serial order explains are flagged.
 *
 * Of the accesses in between each distinct (site, thread, kind) counts once, at most LIMIT of them
 * for one first access: later ones are missed.
 */
#include "bytes.h"

#define LIMIT 32u

/* A thread's last access to some bytes, and others' since. */
struct local {
    struct local *next;
    struct burl_mark first; /* mask: bytes it still is the last one for */
    struct burl_mark *between;
};

struct granule {
    struct burl_chain chain;
    struct local *locals;
};

static struct burl_pool locals;

static void
local_drop(struct local **at)
{
    BURL_POOL_GIVE_ALL(&burl__marks, &(*at)->between);
    BURL_POOL_GIVE_AT(&locals, at);
}

static void
history_granule_empty(struct burl_chain *chain)
{
    struct granule *g = (struct granule *)chain;

    while (g->locals != NULL)
        local_drop(&g->locals);
}

/* first and `a`, of one thread, with `remote` in between; NULL: with nothing in between on some
 * byte. */
static void
history_cover(enum burl_wire_metric metric, const struct burl_mark *first,
              const struct burl_mark *remote, const struct burl_access *a, uintptr_t addr)
{
    uint8_t flags = 0;
    uint64_t h = 0;

    if (remote != NULL && burl_access_unserializable(first->flags, remote->flags, a->flags))
        flags = BURL_COVER_F_UNSERIAL;
    if (metric == BURL_METRIC_AVIO && remote == NULL)
        return;
    if (metric == BURL_METRIC_AVIO)
        h = burl_wire_mix(burl__cover_variable(addr), (uint64_t)first->ctx << 32 | remote->ctx);
    burl__cover_put(metric, first->site, remote != NULL ? remote->site : 0, a->site,
                    (uint32_t)(h ^ h >> 32), flags);
}

/* The thread is back at these bytes. */
static void
window_close(enum burl_wire_metric metric, struct local *l, const struct burl_access *a,
             const struct burl_piece *piece)
{
    uint8_t common = l->first.mask & piece->mask;
    uint8_t quiet = common;

    for (const struct burl_mark *r = l->between; r != NULL; r = r->next) {
        uint8_t met = r->mask & common;

        if (met == 0)
            continue;
        quiet &= (uint8_t)~met;
        history_cover(metric, &l->first, r, a, burl_granule_addr(piece->key, met));
    }
    if (quiet != 0)
        history_cover(metric, &l->first, NULL, a, burl_granule_addr(piece->key, quiet));
    l->first.mask &= (uint8_t)~common;
    burl__marks_clear(&l->between, common);
}

/* Another thread was there. */
static void
window_add(struct local *l, const struct burl_watch *w, const struct burl_access *a, uint8_t mask,
           uint32_t thread_name)
{
    struct burl_mark *x = burl__marks_find(l->between, w, a);
    uint32_t n = 0;

    for (const struct burl_mark *m = l->between; m != NULL; m = m->next)
        n++;
    if (x == NULL && n >= LIMIT)
        return;
    burl__marks_add(&l->between, w, a, mask);
    if (x == NULL)
        l->between->ctx = thread_name;
}

static void
window_open(struct granule *g, const struct burl_watch *w, const struct burl_access *a,
            uint8_t mask, uint32_t thread_name)
{
    struct local *l = burl_pool_take(&locals, sizeof *l);

    *l = (struct local){ .next = g->locals,
                         .first = { .site = a->site,
                                    .ctx = thread_name,
                                    .tid = w->tid,
                                    .mask = mask,
                                    .flags = a->flags } };
    g->locals = l;
}

static void
history_access(const struct burl_observer *o, enum burl_wire_metric metric, struct burl_watch *w,
               const struct burl_access *a, uint32_t thread_name)
{
    struct burl_piece piece = burl_pieces(a, BURL_COVER_RANGE_B);

    while (burl_piece_next(&piece)) {
        struct granule *g = burl_granule_get(o->granules, piece.key, sizeof *g);

        for (struct local **at = &g->locals; *at != NULL;) {
            struct local *l = *at;
            uint8_t common = l->first.mask & piece.mask;

            if (common != 0 && l->first.tid == w->tid)
                window_close(metric, l, a, &piece);
            else if (common != 0)
                window_add(l, w, a, common, thread_name);
            if (l->first.mask == 0)
                local_drop(at);
            else
                at = &l->next;
        }
        window_open(g, w, a, piece.mask, thread_name);
    }
}

static void
avio_access(struct burl_watch *w, const struct burl_access *a)
{
    if (burl__cover_looks(&burl_observer_avio, a))
        history_access(&burl_observer_avio, BURL_METRIC_AVIO, w, a, burl__cover_thread(w));
}

static void
pinv_access(struct burl_watch *w, const struct burl_access *a)
{
    if (burl__cover_looks(&burl_observer_pinv, a))
        history_access(&burl_observer_pinv, BURL_METRIC_PINV, w, a, 0);
}

static struct burl_chains avio_granules;
static struct burl_chains pinv_granules;

const struct burl_observer burl_observer_avio =
    BURL_MEMORY_METRIC(avio_granules, history_granule_empty, avio_access);
const struct burl_observer burl_observer_pinv =
    BURL_MEMORY_METRIC(pinv_granules, history_granule_empty, pinv_access);
