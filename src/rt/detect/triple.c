/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/triple.c - unserializable triples that another schedule could have, from one execution.
 *
 * Runs in the target; candidates as in AVIO and CTrigger (Lu, Park and others, ASPLOS 2006 and
 * 2009) and in Intruder (Samak and Ramanathan, FSE 2015): p and c, consecutive accesses of one
 * thread to the same bytes, and r, another thread's access to some of them, such that r between p
 * and c equals neither r before nor r after them: R-W-R, W-W-R, R-W-W, W-R-W. A read-modify-write
 * is a write; as r, and as c, it is a read too.
 *
 * r may have happened at any time of the execution; where it really can come between is what
 * directed executions find out. Left out is what is known here: a lock held all the way
 * from p to c (one acquisition) and at r, not for reading on both sides; r ordered before p or
 * after c by create, join, signal, barrier or once (w->cj); p and c the same place reading, which
 * is a loop that waits.
 *
 * Departures: windows are measured in steps, not in time; a compare-exchange as c notices most
 * changes in its window by itself, so such triples come last. Accesses within assertions count: a
 * triple that makes an assertion fail is what we look for. Of the triples of an execution the
 * TRIPLES best are kept: shortest window first (the rarest to be hit by chance), then those whose r
 * was farthest away.
 *
 * Marked regions are observed in region.c, not predicted, unless p and c are on one variable: then
 * the triple is predicted here, and region.c sees it happen when a directed execution makes it so.
 *
 * Cost: per access the entries of its granule, at most LIMIT of each kind. Direction of the error:
 * both; a suspect must be confirmed, and what is dropped from a full granule or lies beyond the
 * first RANGE_B bytes of a range can be missed.
 */
#include "granules.h"
#include "region.h"

#define TRIPLES 128u
#define LIMIT 24u    /* pairs, and others' accesses, per granule */
#define RANGE_B 256u /* every byte of a buffer has the same triples */
#define ORDERS 8u    /* values of cj a thread remembers; older ones are taken for the oldest */
#define CAS_LAST (1u << 20)

/* A thread's last access to these bytes. */
struct last {
    struct last *next;
    uint64_t step;
    uint32_t site;
    uint32_t n_taken;
    uint32_t cj_clock;
    uint16_t tid;
    uint8_t mask;
    uint8_t flags;
    uint8_t op;
};

struct pair {
    struct pair *next;
    uint64_t step; /* of c */
    uint32_t p_site;
    uint32_t c_site;
    uint32_t lockset; /* held all the way */
    uint32_t p_clock; /* cj clocks */
    uint32_t c_clock;
    uint32_t clock; /* of hb, at c */
    uint32_t window;
    uint16_t tid;
    uint16_t slot;
    uint8_t mask;
    uint8_t p_flags;
    uint8_t c_flags;
    uint8_t p_op;
    uint8_t c_op;
};

struct granule {
    struct burl_chain chain;
    struct last *last;
    struct pair *pairs; /* younger first */
    uint32_t n_pairs;
    struct burl_seen_list remotes; /* accesses as r */
    uint8_t known;                 /* bytes for which `settled` is known: */
    uint8_t settled;               /* nothing more is to be reported of them */
};

/* What a thread knew of the others by create, join and signal, for the last values of its clock. */
struct own {
    uint32_t n;
    uint32_t clocks[ORDERS];
    struct burl_vc orders[ORDERS];
};

struct triple {
    uint64_t key;
    uint64_t distance; /* of r from the window, in steps */
    uintptr_t addr;
    uint32_t rank;
    uint32_t number; /* in order of discovery */
    uint32_t sites[3];
    uint16_t tids[3];
    uint8_t ops[3];
};

static struct burl_chains granules;
static struct burl_pool lasts;
static struct burl_pool pairs;
static struct triple triples[TRIPLES];
static uint32_t n_triples;
static uint32_t n_found;
static uint32_t worst; /* of a full table */

static void
triple_begin(void)
{
    n_triples = 0;
    n_found = 0;
    burl__region_reset();
}

/* ---- the best triples -------------------------------------------------------- */

static bool
triple_is_better(const struct triple *a, const struct triple *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    if (a->distance != b->distance)
        return a->distance > b->distance;
    return a->number < b->number;
}

static void
find_worst(void)
{
    worst = 0;
    for (uint32_t i = 1; i < n_triples; i++) {
        if (triple_is_better(&triples[worst], &triples[i]))
            worst = i;
    }
}

static void
triple_keep(struct triple *t)
{
    t->number = n_found;
    if (n_triples == TRIPLES && !triple_is_better(t, &triples[worst]))
        return; /* nor is it better than the one with its key, if there is one */
    t->key = burl_wire_suspect_key(BURL_SUSPECT_TRIPLE, t->sites, 3);
    for (uint32_t i = 0; i < n_triples; i++) {
        if (triples[i].key != t->key)
            continue;
        t->number = triples[i].number;
        if (triple_is_better(t, &triples[i])) {
            triples[i] = *t;
            if (i == worst)
                find_worst();
        }
        return;
    }
    n_found++;
    if (n_triples < TRIPLES)
        triples[n_triples++] = *t;
    else
        triples[worst] = *t;
    if (n_triples == TRIPLES)
        find_worst();
}

static void
triple_end(void)
{
    for (uint32_t i = 1; i < n_triples; i++) {
        struct triple t = triples[i];
        uint32_t at = i;

        for (; at > 0 && triple_is_better(&t, &triples[at - 1]); at--)
            triples[at] = triples[at - 1];
        triples[at] = t;
    }
    for (uint32_t i = 0; i < n_triples; i++) {
        const struct triple *t = &triples[i];

        burl_ob_suspect(BURL_SUSPECT_TRIPLE, BURL_OBSERVER_TRIPLE, t->sites, t->ops, t->tids, 3,
                        t->addr, t->rank);
    }
    n_triples = 0;
}

/* ---- rules --------------------------------------------------------------------- */

static void
triple_found(const struct pair *pair, const struct burl_seen *r, uintptr_t key)
{
    struct triple t = {
        .distance = r->step > pair->step ? r->step - pair->step : pair->step - r->step,
        .addr = burl_granule_addr(key, pair->mask & r->mask),
        .rank = pair->window,
        .sites = { pair->p_site, r->site, pair->c_site },
        .tids = { pair->tid, r->tid, pair->tid },
        .ops = { pair->p_op, r->op, pair->c_op },
    };

    if (pair->c_op == BURL_OP_ATOMIC_CAS)
        t.rank += CAS_LAST;
    triple_keep(&t);
}

/* All but order. */
static bool
may_break(const struct pair *pair, const struct burl_seen *r)
{
    return pair->tid != r->tid && (pair->mask & r->mask) != 0 &&
           burl_access_unserializable(pair->p_flags, r->flags, pair->c_flags) &&
           !burl_lockset_excludes(pair->lockset, r->lockset);
}

/* ---- what threads knew ----------------------------------------------------------- */

static struct own *
triple_own(struct burl_watch *w)
{
    struct own *own = burl_ob_own(w, BURL_OBSERVER_TRIPLE, sizeof *own);

    if (own->n == 0 || own->clocks[(own->n - 1) % ORDERS] != w->cj_clock) {
        own->clocks[own->n % ORDERS] = w->cj_clock;
        burl_vc_copy(&own->orders[own->n % ORDERS], &w->cj);
        own->n++;
    }
    return own;
}

/* cj as it was at that value of the thread's clock. */
static const struct burl_vc *
order_at(const struct own *own, uint32_t cj_clock)
{
    uint32_t n = own->n < ORDERS ? own->n : ORDERS;

    for (uint32_t i = 1; i <= n; i++) {
        uint32_t at = (own->n - i) % ORDERS;

        if (own->clocks[at] <= cj_clock || i == n)
            return &own->orders[at];
    }
    return &own->orders[0];
}

/* ---- pairs ----------------------------------------------------------------------- */

/* The locks that w took before p and has not given back since. */
static uint32_t
held_since(const struct burl_watch *w, const struct last *p)
{
    struct burl_held kept[BURL_MAX_HELD];
    uint32_t n = burl_held_known(&w->held);
    uint32_t n_kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (w->held.v[i].taken <= p->n_taken)
            kept[n_kept++] = w->held.v[i];
    }
    return n_kept == n ? w->lockset : burl_lockset_of(kept, n_kept);
}

static struct pair *
pair_find(const struct granule *g, const struct pair *like)
{
    for (struct pair *x = g->pairs; x != NULL; x = x->next) {
        if (x->p_site == like->p_site && x->c_site == like->c_site && x->tid == like->tid &&
            x->mask == like->mask && x->lockset == like->lockset && x->c_clock == like->c_clock &&
            x->p_clock == like->p_clock && x->p_flags == like->p_flags &&
            x->c_flags == like->c_flags)
            return x;
    }
    return NULL;
}

static void
pair_add(struct granule *g, const struct pair *like)
{
    struct pair **at = &g->pairs;
    struct pair *x;

    if (g->n_pairs >= LIMIT) {
        while ((*at)->next != NULL)
            at = &(*at)->next;
        BURL_POOL_GIVE_AT(&pairs, at);
        g->n_pairs--;
    }
    x = burl_pool_take(&pairs, sizeof *x);
    *x = *like;
    x->next = g->pairs;
    g->pairs = x;
    g->n_pairs++;
}

static void
pair_seen(struct granule *g, struct burl_watch *w, const struct burl_access *a,
          const struct last *p, uint8_t mask)
{
    const struct own *own = triple_own(w);
    uint64_t window = burl_ob_now() - p->step;
    const struct pair like = {
        .step = burl_ob_now(),
        .p_site = p->site,
        .c_site = a->site,
        .lockset = held_since(w, p),
        .p_clock = p->cj_clock,
        .c_clock = w->cj_clock,
        .clock = w->clock,
        .window = window < CAS_LAST ? (uint32_t)window : CAS_LAST - 1,
        .tid = w->tid,
        .slot = w->slot,
        .mask = mask,
        .p_flags = p->flags,
        .c_flags = a->flags,
        .p_op = p->op,
        .c_op = a->op,
    };
    struct pair *x = pair_find(g, &like);

    if (x != NULL)
        x->clock = like.clock;
    if (x != NULL && x->window <= like.window)
        return;
    if (x != NULL)
        x->window = like.window;
    else
        pair_add(g, &like);
    for (const struct burl_seen *r = g->remotes.first; r != NULL; r = r->next) {
        if (may_break(&like, r) && r->cj_clock > burl_vc_get(order_at(own, p->cj_clock), r->slot) &&
            !(r->step < p->step && p->n_taken == w->n_taken &&
              burl_is_handed_over(w, r->slot, r->clock, g->chain.key * BURL_GRANULE_B)))
            triple_found(&like, r, g->chain.key);
    }
}

/* ---- others' accesses -------------------------------------------------------------- */

static void
remote_seen(struct granule *g, const struct burl_watch *w, const struct burl_access *a,
            uint8_t mask)
{
    struct burl_seen *r = burl_seen_find(&g->remotes, w, a);

    if (r != NULL)
        r->clock = w->clock;
    if (r != NULL && (mask & ~r->mask) == 0)
        return;
    if (r == NULL)
        r = burl__seen_add(&g->remotes, w, a, LIMIT);
    r->mask |= mask;
    for (const struct pair *x = g->pairs; x != NULL; x = x->next) {
        if ((x->mask & mask) != 0 && may_break(x, r) && x->c_clock > burl_vc_get(&w->cj, x->slot) &&
            !burl_is_handed_over(w, x->slot, x->clock, g->chain.key * BURL_GRANULE_B))
            triple_found(x, r, g->chain.key);
    }
}

/* ---- accesses ------------------------------------------------------------------------ */

static bool
waits_in_loop(const struct last *p, const struct burl_access *c)
{
    return p->site == c->site && !burl_access_writes(p->flags | c->flags);
}

/* By the first byte, as triples are. */
static bool
is_settled(struct granule *g, uint8_t mask)
{
    const uint8_t first = (uint8_t)(mask & -mask);

    if ((g->known & first) == 0) {
        g->known |= first;
        if (burl_ob_is_settled(BURL_SUSPECT_TRIPLE, burl_granule_addr(g->chain.key, mask), 0))
            g->settled |= first;
    }
    return (g->settled & first) != 0;
}

static void
triple_granule_access(struct burl_watch *w, const struct burl_access *a,
                      const struct burl_piece *piece)
{
    struct granule *g = burl_chains_get(&granules, piece->key, sizeof *g);
    struct last *p;

    if (is_settled(g, piece->mask))
        return;
    p = g->last;
    while (p != NULL && (p->tid != w->tid || p->mask != piece->mask))
        p = p->next;
    if (p != NULL && !waits_in_loop(p, a))
        pair_seen(g, w, a, p, piece->mask);
    remote_seen(g, w, a, piece->mask);
    if (p == NULL) {
        p = burl_pool_take(&lasts, sizeof *p);
        p->next = g->last;
        p->tid = w->tid;
        p->mask = piece->mask;
        g->last = p;
    }
    p->step = burl_ob_now();
    p->site = a->site;
    p->n_taken = w->n_taken;
    p->cj_clock = w->cj_clock;
    p->flags = a->flags;
    p->op = a->op;
}

static void
triple_access(struct burl_watch *w, const struct burl_access *a)
{
    struct burl_piece piece = burl_pieces(a, RANGE_B);

    burl__region_access(w, a);
    triple_own(w); /* what it knows now is needed when c comes */
    if ((a->flags & BURL_ACCESS_FREE) != 0)
        return;
    while (burl_piece_next(&piece))
        triple_granule_access(w, a, &piece);
}

static void
triple_granule_empty(struct burl_chain *chain)
{
    struct granule *g = (struct granule *)chain;

    BURL_POOL_GIVE_ALL(&lasts, &g->last);
    BURL_POOL_GIVE_ALL(&pairs, &g->pairs);
    burl__seen_drop_all(&g->remotes);
    g->n_pairs = 0;
    g->known = 0; /* another block may come to lie here */
    g->settled = 0;
}

const struct burl_observer burl_observer_triple = {
    .granules = &granules,
    .granule_empty = triple_granule_empty,
    .begin = triple_begin,
    .end = triple_end,
    .access = triple_access,
    .forget = burl__region_forget,
    .region_begin = burl__region_begin,
    .region_end = burl__region_end,
};
