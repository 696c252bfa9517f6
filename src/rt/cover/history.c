/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/history.c - per byte and thread: the last access, and which others came since.
 *
 * Runs in the target; contract in history.h. Of the accesses in between each distinct (site,
 * thread, kind) counts once, at most LIMIT of them for one first access: later ones are missed.
 */
#include "history.h"

#define LIMIT 32u

struct granule {
    struct burl_chain chain;
    struct burl_local *locals;
};

static struct burl_history *emptied; /* for empty(): whose granules they are */

void
burl__history_begin(struct burl_history *h)
{
    burl__marks_begin(&h->marks);
    h->unused = NULL;
}

static void
local_drop(struct burl_history *h, struct burl_local **at)
{
    struct burl_local *l = *at;

    burl__marks_drop_all(&h->marks, &l->between);
    *at = l->next;
    l->next = h->unused;
    h->unused = l;
}

/* The thread is back at these bytes. */
static void
close_window(struct burl_history *h, struct burl_local *l, struct burl_watch *w,
             const struct burl_access *a, const struct burl_piece *piece)
{
    uint8_t common = l->first.mask & piece->mask;
    uint8_t quiet = common;

    for (const struct burl_mark *r = l->between; r != NULL; r = r->next) {
        uint8_t met = r->mask & common;

        if (met == 0)
            continue;
        quiet &= (uint8_t)~met;
        h->triple(&l->first, r, w, a, burl_granule_addr(piece->key, met));
    }
    if (quiet != 0)
        h->triple(&l->first, NULL, w, a, burl_granule_addr(piece->key, quiet));
    l->first.mask &= (uint8_t)~common;
    burl__marks_clear(&h->marks, &l->between, common);
}

/* Another thread was there. */
static void
put_between(struct burl_history *h, struct burl_local *l, const struct burl_watch *w,
            const struct burl_access *a, uint8_t mask, uint32_t who)
{
    struct burl_mark *x = l->between;
    uint32_t n = 0;

    for (; x != NULL; x = x->next, n++) {
        if (x->site == a->site && x->tid == w->tid && x->flags == a->flags)
            break;
    }
    if (x == NULL && n >= LIMIT)
        return;
    burl__marks_add(&h->marks, &l->between, w, a, mask);
    if (x == NULL)
        l->between->ctx = who;
}

static void
open_window(struct burl_history *h, struct granule *g, const struct burl_watch *w,
            const struct burl_access *a, uint8_t mask, uint32_t who)
{
    struct burl_local *l = h->unused;

    if (l == NULL)
        l = burl_ob_alloc(sizeof *l);
    else
        h->unused = l->next;
    l->between = NULL;
    l->first = (struct burl_mark){
        .site = a->site, .ctx = who, .tid = w->tid, .mask = mask, .flags = a->flags
    };
    l->next = g->locals;
    g->locals = l;
}

static void
history_granule_access(struct burl_history *h, struct burl_watch *w, const struct burl_access *a,
                       const struct burl_piece *piece, uint32_t who)
{
    struct granule *g =
        (struct granule *)burl__granule_get(&h->marks.granules, piece->key, sizeof *g);

    for (struct burl_local **at = &g->locals; *at != NULL;) {
        struct burl_local *l = *at;
        uint8_t common = l->first.mask & piece->mask;

        if (common != 0 && l->first.tid == w->tid)
            close_window(h, l, w, a, piece);
        else if (common != 0)
            put_between(h, l, w, a, common, who);
        if (l->first.mask == 0)
            local_drop(h, at);
        else
            at = &l->next;
    }
    open_window(h, g, w, a, piece->mask, who);
}

void
burl__history_access(struct burl_history *h, struct burl_watch *w, const struct burl_access *a,
                     uint32_t who)
{
    struct burl_piece piece = burl_pieces(a, BURL_COVER_RANGE_B);

    while (burl_piece_next(&piece))
        history_granule_access(h, w, a, &piece, who);
}

static void
history_granule_is_empty(struct burl_chain *chain)
{
    struct granule *g = (struct granule *)chain;

    while (g->locals != NULL)
        local_drop(emptied, &g->locals);
}

void
burl__history_forget(struct burl_history *h, uintptr_t addr, uint64_t n)
{
    emptied = h;
    burl_granules_forget(&h->marks.granules, addr, n, history_granule_is_empty);
}
