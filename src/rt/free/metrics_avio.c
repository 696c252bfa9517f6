/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/metrics_avio.c - AVIO in free mode; the definition is cover/history.c's.
 *
 * Every byte has a lane with its last access. As long as that is this thread's, there is nothing
 * between it and the thread's next: the access takes its place, by a plain store. When another
 * thread comes, under the lock of its unit, the access in the lane becomes a window of its thread,
 * which collects the accesses of others until its thread is back. A lane whose byte has
 * windows of others is marked as shared: accesses of its thread are then entered in the log, once
 * for each site, and go from there into the windows when hands change or the log has no room.
 * Atomic accesses go into the windows at once.
 *
 * Why no task is made up without a lock. A lane is whole (32 bits), and is written by the thread
 * that is about to access that very byte; no thread stores into a lane for another's access. So two
 * threads can only be at one lane at once if the program's accesses are not ordered. Then the store
 * of one may be lost: what is left is what the lanes would hold had its access come first, or not
 * been made there; either order of two such accesses is possible, since the accesses themselves
 * follow their hooks. A word of the log is whole (64 bits), names its thread, and is changed by
 * its thread by compare-and-exchange and taken away under the lock by exchange: bytes that are
 * added to it are added to what has not been taken yet, or not at all, and then the thread goes the
 * long way. Windows change under the lock alone, and only after the log was emptied into them.
 *
 * Windows of threads that have ended are dropped: they cannot be closed any more.
 *
 * Departure from cover/history.c: there 32 accesses at most are kept in a window, here LIMIT in all
 * windows of a thread on the 8 bytes.
 */
#include <string.h>

#include "metrics_quick.h"
#include "rt/core/module.h"
#include "rt/cover/bytes.h"

#define LIMIT 128u

/* ---- windows, under the lock ---------------------------------------------------------------- */

struct access {
    struct burl_free_thread *f;
    struct burl_metric_unit *unit;
    struct burl_metric_mark now;
    uint64_t x;                     /* of the unit */
    uintptr_t addr;                 /* of the 8 bytes */
    struct burl_metric_window near; /* the one in the unit; free: no bytes */
    uint32_t list;                  /* of the others */
};

/* The i-th window, beginning with the one in the unit; NULL: that was all. */
struct walk {
    uint32_t node;
    uint32_t i;
};

static struct burl_metric_window *
walk_next(struct access *a, struct walk *w)
{
    if (w->i == 0) {
        *w = (struct walk){ a->list, 1 };
        return &a->near;
    }
    while (w->node != 0) {
        struct burl_metric_node *n = burl_metric_node(w->node);

        if (w->i <= BURL_NODE_WINDOWS)
            return &n->windows[w->i++ - 1];
        *w = (struct walk){ n->next, 1 };
    }
    return NULL;
}

#define EACH_WINDOW(a_, w_)          \
    struct burl_metric_window *(w_); \
    for (struct walk k_ = { 0 }; ((w_) = walk_next(a_, &k_)) != NULL;)

/* Has this thread put it before? The three sites, threads and the variable, in 64 bits. */
static bool
triple_is_known(struct access *a, const struct burl_metric_mark *first,
                const struct burl_metric_mark *between)
{
    uint64_t h = (uint64_t)first->site << 32 | between->site;
    uint64_t *at;

    h = h * 0x9e3779b97f4a7c15ull ^ ((uint64_t)a->now.site << 40 | (a->x & 0x3fffff00));
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull ^ between->tid;
    h = (h ^ h >> 32) * 0x94d049bb133111ebull;
    at = &a->f->metric->triples[h >> 52];
    if (*at == h)
        return true;
    *at = h;
    return false;
}

static void
triple_put(struct access *a, const struct burl_metric_mark *first,
           const struct burl_metric_mark *between)
{
    uint8_t flags = burl_access_unserializable(first->flags, between->flags, a->now.flags)
                        ? BURL_COVER_F_UNSERIAL
                        : 0;
    uint64_t h;

    h = burl_wire_mix(burl__metric_variable(a->x),
                      (uint64_t)burl_metric_thread_names[first->tid] << 32 |
                          burl_metric_thread_names[between->tid]);
    burl__metric_put(a->f->metric, BURL_METRIC_AVIO, first->site, between->site, a->now.site,
                     (uint32_t)(h ^ h >> 32), flags);
}

static void
window_cover(struct access *a, const struct burl_metric_mark *first,
             const struct burl_metric_mark *between)
{
    if ((a->x & BURL_X_NAMED) == 0)
        a->x |= burl__metric_name(a->f, a->addr);
    if (!triple_is_known(a, first, between))
        triple_put(a, first, between);
}

/* The same site, thread and kind? In one comparison of all but the bytes. */
static inline bool
mark_is_like(const struct burl_metric_mark *a, const struct burl_metric_mark *b)
{
    const uint64_t no_bytes = ~(0xffull << 8 * offsetof(struct burl_metric_mark, mask));
    uint64_t x;
    uint64_t y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return ((x ^ y) & no_bytes) == 0;
}

/* `r`, of another thread, was at bytes of windows of which `h` is the head. */
static void
window_add(struct access *a, struct burl_metric_window *h, const struct burl_metric_mark *r)
{
    struct burl_metric_mark *empty = NULL;
    uint32_t n;

    for (n = h->between; n != 0; n = burl_metric_node(n)->next) {
        for (uint32_t i = 0; i < BURL_NODE_MARKS; i++) {
            struct burl_metric_mark *o = &burl_metric_node(n)->marks[i];

            if (mark_is_like(o, r) && o->mask != 0) {
                o->mask |= r->mask & h->all;
                return;
            }
            if (o->mask == 0)
                empty = o;
        }
    }
    if (h->n_between >= LIMIT)
        return;
    if (empty == NULL) {
        n = burl__node_take(a->f->metric);
        if (n == 0)
            return;
        burl_metric_node(n)->next = h->between;
        h->between = n;
        empty = &burl_metric_node(n)->marks[0];
    }
    *empty = *r;
    empty->mask &= h->all;
    h->n_between++;
}

/* The head of the thread's windows; NULL: it has none. */
static struct burl_metric_window *
window_head(struct access *a, uint16_t tid)
{
    EACH_WINDOW(a, w)
    {
        if (w->all != 0 && w->first.tid == tid)
            return w;
    }
    return NULL;
}

/* A place for a window; NULL: no room. */
static struct burl_metric_window *
window_place(struct access *a)
{
    uint32_t n;

    EACH_WINDOW(a, w)
    {
        if (w->first.mask == 0)
            return w;
    }
    n = burl__node_take(a->f->metric);
    if (n == 0)
        return NULL;
    burl_metric_node(n)->next = a->list;
    a->list = n;
    return &burl_metric_node(n)->windows[0];
}

static void
window_open(struct access *a, const struct burl_metric_mark *first)
{
    struct burl_metric_window *h = window_head(a, first->tid);
    struct burl_metric_window *w = window_place(a);

    if (w == NULL)
        return;
    *w = (struct burl_metric_window){ .first = *first, .all = h == NULL ? first->mask : 0 };
    if (h != NULL)
        h->all |= first->mask;
}

/* Its accesses between go to another window, the new head. */
static void
head_move(struct burl_metric_window *to, struct burl_metric_window *h)
{
    to->between = h->between;
    to->n_between = h->n_between;
    to->all = h->all;
    *h = (struct burl_metric_window){ .first.mask = 0 };
}

static uint8_t
flags_of(uint32_t lane)
{
    if ((lane & BURL_LANE_WRITES) == 0)
        return 0;
    return BURL_ACCESS_WRITE | ((lane & BURL_LANE_READS) != 0 ? BURL_ACCESS_RMW : 0);
}

/* Its windows could not be closed any more. */
static inline bool
has_ended(uint32_t tid)
{
    return __atomic_load_n(&burl_metric_ended[tid], __ATOMIC_RELAXED) != 0;
}

/* What others have in the lanes of these bytes becomes their windows. */
static void
windows_of_lanes(struct access *a, const uint32_t *lanes)
{
    uint32_t left = a->now.mask;

    while (left != 0) {
        uint32_t e = lane_load(&lanes[__builtin_ctz(left)]);
        uint32_t tag = e >> BURL_LANE_TAG_SHIFT;
        uint32_t same = left & -left;

        for (uint32_t rest = left & (left - 1); rest != 0; rest &= rest - 1) {
            if (lane_load(&lanes[__builtin_ctz(rest)]) == e)
                same |= rest & -rest;
        }
        left &= ~same;
        /* The window of a thread with a large number is there already. */
        if (e != 0 && tag != BURL_LANE_BIG && tag != a->f->metric->lane >> BURL_LANE_TAG_SHIFT &&
            !has_ended(tag - 1)) {
            const struct burl_metric_mark first = { e & BURL_LANE_SITE, (uint16_t)(tag - 1),
                                                    (uint8_t)same, flags_of(e) };

            window_open(a, &first);
        }
    }
}

static void
list_give(struct access *a, struct burl_metric_window *h)
{
    while (h->between != 0) {
        uint32_t n = h->between;

        h->between = burl_metric_node(n)->next;
        burl__node_give(a->f->metric, n);
    }
}

/* This thread is back: what came between, for each of its windows on these bytes. */
static void
windows_cover(struct access *a, const struct burl_metric_window *h)
{
    EACH_WINDOW(a, w)
    {
        uint8_t common = w->first.mask & a->now.mask;

        if (common == 0 || w->first.tid != a->f->tid)
            continue;
        for (uint32_t n = h->between; n != 0; n = burl_metric_node(n)->next) {
            for (uint32_t i = 0; i < BURL_NODE_MARKS; i++) {
                if ((burl_metric_node(n)->marks[i].mask & common) != 0)
                    window_cover(a, &w->first, &burl_metric_node(n)->marks[i]);
            }
        }
    }
}

/* The accesses between no longer stand for the bytes of the mask. */
static void
list_cut(struct access *a, struct burl_metric_window *h, uint8_t mask)
{
    for (uint32_t *at = &h->between; *at != 0;) {
        struct burl_metric_node *node = burl_metric_node(*at);
        uint32_t n = *at;
        uint8_t any = 0;

        for (uint32_t i = 0; i < BURL_NODE_MARKS; i++) {
            struct burl_metric_mark *r = &node->marks[i];

            h->n_between -= r->mask != 0 && (r->mask & ~mask) == 0;
            r->mask &= (uint8_t)~mask;
            any |= r->mask;
        }
        if (any != 0) {
            at = &node->next;
            continue;
        }
        *at = node->next;
        burl__node_give(a->f->metric, n);
    }
}

/* Closes this thread's windows on these bytes. */
static void
windows_close(struct access *a)
{
    struct burl_metric_window *h = window_head(a, a->f->tid);
    struct burl_metric_window *next = NULL;

    if (h == NULL || (h->all & a->now.mask) == 0)
        return;
    if (h->between != 0) {
        windows_cover(a, h);
        list_cut(a, h, a->now.mask);
    }
    h->all &= (uint8_t)~a->now.mask;
    EACH_WINDOW(a, w)
    {
        if (w->first.tid != a->f->tid || w->first.mask == 0)
            continue;
        w->first.mask &= (uint8_t)~a->now.mask;
        if (w->first.mask != 0 && w != h)
            next = w;
    }
    if (h->first.mask == 0 && next != NULL)
        head_move(next, h);
}

/* Drops the windows of threads that have ended. */
static void
windows_drop(struct access *a)
{
    EACH_WINDOW(a, w)
    {
        if (w->first.mask == 0 || !has_ended(w->first.tid))
            continue;
        list_give(a, w);
        *w = (struct burl_metric_window){ .first.mask = 0 };
    }
}

/* The bytes of this access that other threads have windows on. */
static uint8_t
windows_others(struct access *a)
{
    uint8_t others = 0;

    EACH_WINDOW(a, w)
    {
        if (w->first.tid != a->f->tid)
            others |= w->all;
    }
    return others & a->now.mask;
}

/* ---- the log -------------------------------------------------------------------------------- */

/* Plain sites read or write; atomic accesses are not entered in the log. */
static uint8_t
flags_of_site(uint32_t number)
{
    const struct burl_wire_site *site = burl__module_site(number);

    return site != NULL && (site->kind == BURL_SITE_WRITE || site->kind == BURL_SITE_RANGE_WRITE)
               ? BURL_ACCESS_WRITE
               : 0;
}

/* The windows of this thread that the present access closes, and nothing else. */
static void
windows_cover_one(struct access *a, const struct burl_metric_mark *r)
{
    EACH_WINDOW(a, w)
    {
        if (w->first.tid == a->f->tid && (w->first.mask & r->mask) != 0)
            window_cover(a, &w->first, r);
    }
}

/* An access is added to the windows of the other threads. Those that the present access closes need
 * not keep it. */
static void
windows_add(struct access *a, const struct burl_metric_mark *r)
{
    EACH_WINDOW(a, w)
    {
        uint8_t common = w->all & r->mask;

        if (common == 0 || w->first.tid == r->tid)
            continue;
        if (w->first.tid == a->f->tid && (common & ~a->now.mask) == 0)
            windows_cover_one(a, r);
        else
            window_add(a, w, r);
    }
}

static void
log_take_word(struct access *a, uint64_t *at)
{
    uint64_t word = __atomic_load_n(at, __ATOMIC_RELAXED);

    if (word == 0)
        return;
    word = __atomic_exchange_n(at, 0, __ATOMIC_RELAXED); /* relaxed: a word is whole by itself */
    for (uint64_t left = word & ~(~0ull << BURL_LOG_TAG_SHIFT); left != 0;
         left >>= BURL_LOG_ENTRY_BITS) {
        struct burl_metric_mark r = { .site = (uint32_t)(left & BURL_LOG_ENTRY) >> 8,
                                      .tid = (uint16_t)((word >> BURL_LOG_TAG_SHIFT) - 1),
                                      .mask = (uint8_t)left };

        if (r.mask == 0)
            continue;
        r.flags = flags_of_site(r.site);
        windows_add(a, &r);
    }
}

/* The words of the log where an access of the site may go; choice 0 is tried first. */
static inline uint64_t *
log_place(struct burl_metric_unit *unit, uint32_t site, uint32_t choice)
{
    return &unit->log[(site + choice) % BURL_LOG_N];
}

static inline uint64_t
log_word(uint32_t lane, uint8_t mask)
{
    return (uint64_t)(lane >> BURL_LANE_TAG_SHIFT) << BURL_LOG_TAG_SHIFT |
           (lane & BURL_LANE_SITE) << 8 | mask;
}

/* Enters an access of this thread. False: there is no room, or the word was taken away. */
static inline __attribute__((always_inline)) bool
log_enter(uint64_t *at, uint64_t now)
{
    const uint64_t site = BURL_LOG_ENTRY & ~0xffull;
    uint64_t e = __atomic_load_n(at, __ATOMIC_RELAXED);
    uint64_t differ = e ^ now;
    uint64_t add = now & BURL_LOG_ENTRY;

    if (BURL_LIKELY(differ >> BURL_LOG_TAG_SHIFT == 0)) {
        if ((differ & site) != 0) {
            differ = e ^ now << BURL_LOG_ENTRY_BITS;
            add <<= BURL_LOG_ENTRY_BITS;
            if ((differ & site << BURL_LOG_ENTRY_BITS) != 0 &&
                (e & BURL_LOG_ENTRY << BURL_LOG_ENTRY_BITS) != 0)
                return false;
        }
        if (BURL_LIKELY((add & ~e) == 0))
            return true;
    } else if (e != 0) {
        return false;
    } else {
        add = now;
    }
    return __atomic_compare_exchange_n(at, &e, e | add, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* ---- one unit's part of an access ----------------------------------------------------------- */

/* Hands change. Returns the bytes that other threads have windows on. */
static uint8_t
take_over(struct access *a, const uint32_t *lanes)
{
    windows_drop(a);
    for (uint32_t i = 0; i < BURL_LOG_N; i++)
        log_take_word(a, &a->unit->log[i]);
    windows_close(a); /* first: then the others' have the place in the unit */
    windows_of_lanes(a, lanes);
    return windows_others(a);
}

/* This thread's window in the unit, `first`, is being closed: the accesses in a word of the log are
 * what came between. */
static void
log_cover_word(struct access *a, uint64_t *at, const struct burl_metric_mark *first)
{
    uint64_t word = __atomic_load_n(at, __ATOMIC_RELAXED);

    if (word == 0)
        return;
    word = __atomic_exchange_n(at, 0, __ATOMIC_RELAXED); /* relaxed: as log_take_word() */
    if (word >> BURL_LOG_TAG_SHIFT == a->f->metric->lane >> BURL_LANE_TAG_SHIFT)
        return;
    for (uint64_t left = word & ~(~0ull << BURL_LOG_TAG_SHIFT); left != 0;
         left >>= BURL_LOG_ENTRY_BITS) {
        struct burl_metric_mark r = { .site = (uint32_t)(left & BURL_LOG_ENTRY) >> 8,
                                      .tid = (uint16_t)((word >> BURL_LOG_TAG_SHIFT) - 1),
                                      .mask = (uint8_t)left };

        if ((r.mask & first->mask) == 0)
            continue;
        if ((a->x & BURL_X_NAMED) == 0)
            a->x |= burl__metric_name(a->f, a->addr);
        if (triple_is_known(a, first, &r))
            continue;
        r.flags = flags_of_site(r.site);
        triple_put(a, first, &r);
    }
}

static bool
lanes_all_are(const uint32_t *lanes, uint32_t n, uint32_t e)
{
    uint32_t differ = 0;

    for (uint32_t i = 0; i < n; i++)
        differ |= lane_load(&lanes[i]) ^ e;
    return differ == 0;
}

/* As take_over(), where two threads take turns at the same bytes: all windows there are, and those
 * there will be, have the place in the unit. False: it is another case, and nothing was done. `at`:
 * the lanes of the n bytes. */
static bool
take_turn(struct access *a, uint32_t *at, uint32_t n, uint32_t mine)
{
    const uint32_t kept = BURL_LANE_READS | BURL_LANE_WRITES | BURL_LANE_SITE;
    uint32_t e = lane_load(at);
    uint32_t tag = e >> BURL_LANE_TAG_SHIFT;
    bool opens;

    if (a->list != 0 || e == 0 || tag == BURL_LANE_BIG || tag == mine >> BURL_LANE_TAG_SHIFT ||
        !lanes_all_are(at, n, e))
        return false;
    if (a->near.first.mask != 0 && has_ended(a->near.first.tid))
        a->near.first.mask = 0;
    if (a->near.first.mask != 0 &&
        (a->near.first.tid != a->f->tid || (a->near.first.mask & ~a->now.mask) != 0))
        return false;
    for (uint32_t i = 0; i < BURL_LOG_N; i++)
        log_cover_word(a, &a->unit->log[i], &a->near.first);
    opens = !has_ended(tag - 1);
    __atomic_store_n(&a->unit->window,
                     opens ? (uint64_t)(tag - 1) << 48 | (uint64_t)(e & kept) << 8 | a->now.mask
                           : 0,
                     __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < n; i++)
        lane_store(&at[i], mine | (opens ? BURL_LANE_SHARED : 0));
    if (opens)
        __atomic_store_n(log_place(a->unit, a->now.site, 0), log_word(mine, a->now.mask),
                         __ATOMIC_RELAXED);
    return true;
}

/* The bytes are this thread's already; the log had no room. */
static uint8_t
make_room(struct access *a, const uint32_t *lanes)
{
    uint8_t others = 0;

    log_take_word(a, log_place(a->unit, a->now.site, 0));
    for (uint32_t left = a->now.mask; left != 0; left &= left - 1) {
        uint32_t b = (uint32_t)__builtin_ctz(left);

        others |= (uint8_t)(((lane_load(&lanes[b]) & BURL_LANE_SHARED) != 0) << b);
    }
    return others;
}

/* Nodes of the list without windows. */
static void
list_trim(struct access *a)
{
    for (uint32_t *at = &a->list; *at != 0;) {
        struct burl_metric_node *node = burl_metric_node(*at);
        uint32_t n = *at;
        uint8_t any = 0;

        for (uint32_t i = 0; i < BURL_NODE_WINDOWS; i++)
            any |= node->windows[i].first.mask;
        if (any != 0) {
            at = &node->next;
            continue;
        }
        *at = node->next;
        burl__node_give(a->f->metric, n);
    }
}

/* The window in the unit has no list of its own. */
static void
near_load(struct access *a)
{
    uint64_t w = __atomic_load_n(&a->unit->window, __ATOMIC_RELAXED);

    a->near.first = (struct burl_metric_mark){ .site = (uint32_t)(w >> 8) & BURL_LANE_SITE,
                                               .tid = (uint16_t)(w >> 48),
                                               .mask = (uint8_t)w,
                                               .flags = flags_of((uint32_t)(w >> 8)) };
    a->near.all = (uint8_t)w;
}

static void
near_store(struct access *a)
{
    const struct burl_metric_mark *m = &a->near.first;
    uint32_t kind = (m->flags & BURL_ACCESS_WRITE) == 0 ? BURL_LANE_READS
                    : (m->flags & BURL_ACCESS_RMW) != 0 ? BURL_LANE_READS | BURL_LANE_WRITES
                                                        : BURL_LANE_WRITES;
    uint64_t w = 0;

    /* Only a thread's one window, without a list, has a place there. */
    if (m->mask != 0 && (a->near.between != 0 || a->near.all != m->mask)) {
        struct burl_metric_window *place = window_place(a);

        if (place != NULL)
            *place = a->near;
    } else if (m->mask != 0) {
        w = (uint64_t)m->tid << 48 | (uint64_t)(m->site | kind) << 8 | m->mask;
    }
    __atomic_store_n(&a->unit->window, w, __ATOMIC_RELAXED);
}

/* Are these lanes all this thread's, or empty? */
static inline __attribute__((always_inline)) bool
lanes_are_own(const uint32_t *lanes, uint32_t n, uint32_t mine, uint32_t *all, bool *fresh)
{
    uint32_t foreign = 0;
    uint32_t none = 0;

    *all = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = lane_load(&lanes[i]);

        none |= e == 0;
        foreign |= e != 0 ? (e ^ mine) & BURL_LANE_TAG : 0;
        *all |= e;
    }
    *fresh = none != 0;
    return foreign == 0;
}

/* n bytes within a unit. */
static inline uint8_t
mask_of(uintptr_t addr, uint32_t n)
{
    return (uint8_t)burl_entry_bytes(addr, n);
}

static BURL_NOINLINE void
access_locked(struct burl_free_thread *f, uintptr_t at, uint32_t n, uint32_t mine, uint8_t flags)
{
    uintptr_t addr = at & ~(uintptr_t)7;
    uint8_t mask = mask_of(at, n);
    uint32_t *lanes = burl_lanes(addr);
    bool big = mine >> BURL_LANE_TAG_SHIFT == BURL_LANE_BIG;
    bool atomic = (flags & BURL_ACCESS_ATOMIC) != 0;
    struct access a = { .f = f,
                        .unit = burl_metric_unit(addr),
                        .now = { mine & BURL_LANE_SITE, f->tid, mask, flags_of(mine) },
                        .addr = addr };
    uint32_t all;
    bool fresh;
    uint8_t others;

    a.x = burl__metric_lock(f->metric, &a.unit->x);
    a.list = burl_metric_list(a.x);
    near_load(&a);
    if (!big && !atomic && take_turn(&a, burl_lanes(at), n, mine)) {
        burl__metric_unlock(f->metric, &a.unit->x, a.x);
        return;
    }
    others = !big && !atomic && lanes_are_own(burl_lanes(at), n, mine, &all, &fresh)
                 ? make_room(&a, lanes)
                 : take_over(&a, lanes);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t b = (uint32_t)__builtin_ctz(left);

        lane_store(&lanes[b], mine | (big || (others >> b & 1) != 0 ? BURL_LANE_SHARED : 0));
    }
    if (big || atomic)
        windows_add(&a, &a.now);
    else if (others != 0)
        __atomic_store_n(log_place(a.unit, a.now.site, 0), log_word(mine, mask), __ATOMIC_RELAXED);
    if (big)
        window_open(&a, &a.now);
    near_store(&a);
    list_trim(&a);
    burl__metric_unlock(f->metric, &a.unit->x, burl_metric_with_list(a.x, a.list));
}

/* The first choice had no room. */
static BURL_NOINLINE bool
unit_enter_elsewhere(struct burl_metric_unit *unit, uint64_t now)
{
    uint32_t site = (uint32_t)(now & BURL_LOG_ENTRY) >> 8;

    for (uint32_t choice = 1; choice < BURL_LOG_N; choice++) {
        if (log_enter(log_place(unit, site, choice), now))
            return true;
    }
    return false;
}

/* Enters the access in the log of the unit at addr. */
static inline __attribute__((always_inline)) bool
unit_enter(uintptr_t addr, uint32_t mine, uint8_t mask)
{
    struct burl_metric_unit *unit = burl_metric_unit(addr);
    uint64_t now = log_word(mine, mask);

    return log_enter(log_place(unit, mine & BURL_LANE_SITE, 0), now) ||
           unit_enter_elsewhere(unit, now);
}

/* False: it must be done under the lock. */
static inline __attribute__((always_inline)) bool
access_unlocked(uintptr_t addr, uint32_t n, uint32_t mine, uint8_t flags)
{
    uint32_t *lanes = burl_lanes(addr);
    uint32_t all;
    bool fresh;

    if (mine >> BURL_LANE_TAG_SHIFT == BURL_LANE_BIG ||
        !lanes_are_own(lanes, n, mine, &all, &fresh))
        return false;
    if ((all & BURL_LANE_SHARED) != 0 &&
        ((flags & BURL_ACCESS_ATOMIC) != 0 || !unit_enter(addr, mine, mask_of(addr, n))))
        return false;
    for (uint32_t i = 0; i < n; i++)
        lane_store(&lanes[i], mine | (lane_load(&lanes[i]) & BURL_LANE_SHARED));
    if (fresh)
        burl_metric_touch(addr);
    return true;
}

/* ---- accesses ------------------------------------------------------------------------------- */

/* The common case of shared bytes: they are this thread's, and the log has the site or room for it.
 * False: it is another case, and nothing was done but an entry in the log. */
static inline __attribute__((always_inline)) bool
access_in_turn(uintptr_t addr, uint64_t n, uint32_t mine, uint8_t flags)
{
    uint32_t *lanes = burl_lanes(addr);
    uint64_t bytes;

    mine |= BURL_LANE_SHARED;
    if (!all_own(lanes, n, mine) || (flags & BURL_ACCESS_ATOMIC) != 0 ||
        mine >> BURL_LANE_TAG_SHIFT == BURL_LANE_BIG)
        return false;
    if (all_same(lanes, n, mine))
        return true;
    bytes = burl_entry_bytes(addr, (uint32_t)n);
    if (!unit_enter(addr, mine, (uint8_t)bytes) ||
        (bytes > 0xff && !unit_enter(addr + 7, mine, (uint8_t)(bytes >> 8))))
        return false;
    put_all(lanes, n, mine);
    return true;
}

static BURL_NOINLINE void
access_pieces(struct burl_free_thread *f, uintptr_t addr, uint64_t n, uint32_t mine, uint8_t flags)
{
    const struct burl_access a = { .addr = addr, .n = n };
    struct burl_piece piece = burl_pieces(&a, BURL_COVER_RANGE_B);

    if (f->metric->busy || !burl_metrics.on)
        return;
    while (burl_piece_next(&piece)) {
        uint32_t len = (uint32_t)(piece.next - piece.addr);

        if (len == 8 &&
            (take_own(burl_lanes(piece.addr), 8, mine) ||
             access_in_turn(piece.addr, 8, mine, flags) || take_fresh(piece.addr, 8, mine)))
            continue;
        if (!access_unlocked(piece.addr, len, mine, flags))
            access_locked(f, piece.addr, len, mine, flags);
    }
}

/* By size, so that each is straight. */
#define SLOW(name, size)                                                               \
    void name(struct burl_free_thread *f, uintptr_t addr, uint64_t n, uint32_t mine,   \
              uint8_t flags)                                                           \
    {                                                                                  \
        if (!access_in_turn(addr, size, mine, flags) && !take_fresh(addr, size, mine)) \
            access_pieces(f, addr, n, mine, flags);                                    \
    }

SLOW(burl__avio_slow1, 1)
SLOW(burl__avio_slow2, 2)
SLOW(burl__avio_slow4, 4)
SLOW(burl__avio_slow8, 8)
SLOW(burl__avio_slow, n)
