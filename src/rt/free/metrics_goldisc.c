/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/metrics_goldisc.c - GOLDISC in free mode; the rules are cover/goldisc.c's.
 *
 * The accesses of the thread that was at a cell last are in two words of the cell: those of its
 * present epoch and those of an earlier one, each with the innermost lock held (which belongs to
 * the epoch: the clock moves when locks change). All others are in the cell's list, under its
 * lock; but the second word is lent to those that another thread made in one epoch, if it can be,
 * so that two threads that take turns need no list. While the list has nothing of other threads
 * every access is in state SCT, and only the words are looked at. When it has, reads that follow
 * one another while the thread learns nothing new have the state that was found for the first one
 * (v), as long as they would not replace anything in the list.
 *
 * Accesses of one thread replace each other by their epochs alone: a later one that stands for an
 * earlier one hides it, and two of the same epoch have the same state for every other thread. So
 * nothing is taken out when a word is added to.
 *
 * Direct knowledge is by thread and not by clock slot, since a slot serves one thread after
 * another.
 *
 * Departures from cover/goldisc.c: threads from number MAX_DIRECT (metrics_objects.c) on are known
 * through others only, and so is a thread that BURL_SLOT_PAST others have followed in its slot: LS
 * where SCL would be right.
 *
 * Why no state is made up without a lock. A word is changed by its thread by compare-and-exchange,
 * and taken away by another thread, under the lock, by exchange. So an access is either in the word
 * that the other thread takes (it came first), or the exchange fails and its thread goes the long
 * way (it came second); that two threads have neighboring bytes changes nothing. An access that the
 * word says already (same epoch, same bytes) came first. FOREIGN and v are written under the lock
 * by the thread that the words belong to from then on; a thread that finds its own word there reads
 * what it wrote itself.
 */
#include "metrics_quick.h"
#include "rt/detect/granules.h"

#define RANGE_B 4096u /* as cover/goldisc.c */

/* `old` without the bytes for which the accesses `now`, of the same thread and later, stand. */
static inline uint64_t
word_left(uint64_t old, uint64_t now)
{
    return old & ~((now & 0xff00) | (now & 0xff) | (now >> 8 & 0xff));
}

void
burl__goldisc_refresh(struct burl_free_thread *f)
{
    struct burl_metric_thread *m = f->metric;
    uint64_t lock = 0;

    m->wide_lock = false;
    if (f->held.n != 0 && f->held.n <= BURL_MAX_HELD) {
        const struct burl_held *h = &f->held.v[f->held.n - 1];

        m->wide_lock = h->taken >= WIDE_LOCK;
        lock = h->taken << 1 | (h->mode == BURL_LOCK_SHARED);
    }
    m->word = f->epoch | (m->wide_lock ? 0 : lock << LOCK_SHIFT);
    m->at_epoch = f->epoch;
}

/* ---- without the lock ----------------------------------------------------------------------- */

/* A new epoch in a cell of this thread's alone. */
bool
burl__goldisc_next_epoch(struct burl_metric_cell *cell, uint64_t a, uint64_t now)
{
    uint64_t left = word_left(a, now);
    uint64_t b;

    if ((left & 0xffff) != 0) {
        b = word_load(&cell->b);
        if ((word_left(word_left(b, a), now) & 0xffff) != 0)
            return false;
        if (!word_swap(&cell->b, b, left))
            return false;
    }
    /* Another thread that comes here between the two finds the old word twice. */
    return word_swap(&cell->a, a, now);
}

/* ---- with the lock -------------------------------------------------------------------------- */

#define LOCK_SHARED (1u << 31)

static bool
lock_is_held(const struct burl_free_thread *f, const struct burl_metric_past *p)
{
    uint32_t lock = p->lock & ~LOCK_SHARED;

    for (uint32_t i = 0; lock != 0 && i < burl_held_known(&f->held); i++) {
        const struct burl_held *h = &f->held.v[i];

        if (h->taken == lock)
            return h->mode == BURL_LOCK_EXCLUSIVE || (p->lock & LOCK_SHARED) == 0;
    }
    return false;
}

static enum state
state_of(const struct burl_free_thread *f, const struct burl_metric_past *p)
{
    uint32_t slot = p->epoch >> 24;
    uint32_t clock = p->epoch & BURL_ENTRY_CLOCK_MAX;

    if (p->tid == f->tid)
        return SCT;
    if (lock_is_held(f, p) || clock <= burl_vc_get(&f->metric->direct, p->tid))
        return SCL;
    return clock <= f->hb[slot] ? LS : E;
}

/* Adds an access, and takes out those of the same thread that it stands for: of an earlier epoch,
 * or of another slot, which the thread had before. */
static void
past_add(struct burl_metric_thread *m, uint32_t *list, const struct burl_metric_past *what)
{
    struct burl_metric_past *empty = NULL;
    uint32_t n;

    if (what->mask == 0)
        return;
    for (n = *list; n != 0; n = burl_metric_node(n)->next) {
        for (uint32_t i = 0; i < BURL_NODE_PASTS; i++) {
            struct burl_metric_past *p = &burl_metric_node(n)->pasts[i];

            if (p->mask != 0 && p->tid == what->tid &&
                (p->epoch < what->epoch || (p->epoch ^ what->epoch) >> 24 != 0) &&
                burl_access_stands_for(what->flags, p->flags))
                p->mask &= (uint8_t)~what->mask;
            if (p->mask == 0)
                empty = p;
        }
    }
    if (empty == NULL) {
        n = burl__node_take(m);
        if (n == 0)
            return;
        burl_metric_node(n)->next = *list;
        *list = n;
        empty = &burl_metric_node(n)->pasts[0];
    }
    *empty = *what;
}

static uint32_t
word_lock(uint64_t word)
{
    return ((uint32_t)(word >> (LOCK_SHIFT + 1)) & 0x7fff) |
           ((word >> LOCK_SHIFT & 1) != 0 ? LOCK_SHARED : 0);
}

/* The accesses in a word become part of the list. */
static void
past_add_word(struct burl_metric_thread *m, uint32_t *list, uint16_t tid, uint64_t word)
{
    struct burl_metric_past p = { .tid = tid,
                                  .epoch = (uint32_t)(word >> EPOCH_SHIFT),
                                  .lock = word_lock(word) };

    p.mask = (uint8_t)(word >> 8);
    p.flags = BURL_ACCESS_WRITE;
    past_add(m, list, &p);
    p.mask = (uint8_t)(word & ~(word >> 8)); /* what is written too says the same */
    p.flags = 0;
    past_add(m, list, &p);
}

/* ---- a cell under its lock: the words, sorted by whose they are ------------------------------ */

struct cell {
    struct burl_metric_cell *at;
    uint64_t x;
    uint64_t own;     /* this thread's present word; 0: it was another's turn */
    uint64_t older;   /* and an earlier one */
    uint64_t foreign; /* another thread's; 0: none */
    uint64_t second;  /* and an earlier one of the same thread */
    uint32_t list;
};

static uint16_t
word_tid(uint64_t word)
{
    return burl__slot_tid((uint32_t)(word >> BURL_ENTRY_SLOT_SHIFT), burl_entry_clock(word));
}

static bool
word_is_empty(uint64_t word)
{
    return (word & 0xffff) == 0;
}

/* It is another thread's turn: the words are foreign ones, unless b is an earlier one of this
 * thread. */
static void
take_words(struct burl_free_thread *f, struct cell *c)
{
    /* relaxed: see word_swap() */
    uint64_t a = __atomic_exchange_n(&c->at->a, 0, __ATOMIC_RELAXED);
    uint64_t b = __atomic_exchange_n(&c->at->b, 0, __ATOMIC_RELAXED);

    c->foreign = a;
    if ((c->x & BURL_X_LENT) == 0) {
        b = word_left(b, a); /* of the same thread */
        c->second = word_is_empty(b) ? 0 : b;
    } else if (word_is_own(f, b)) {
        c->older = b;
    } else if (!word_is_empty(b)) {
        past_add_word(f->metric, &c->list, word_tid(b), b);
    }
}

static void
sort_words(struct burl_free_thread *f, struct cell *c)
{
    c->own = word_load(&c->at->a);
    if (c->own == 0)
        return;
    if (!word_is_own(f, c->own)) {
        c->own = 0;
        take_words(f, c);
    } else if ((c->x & BURL_X_LENT) != 0) {
        c->foreign = word_load(&c->at->b);
    } else {
        c->older = word_load(&c->at->b);
    }
}

/* What reads of other bytes of the cell would find, while this thread learns nothing. */
struct outlook {
    uint8_t in_state[4]; /* bytes with such a past access that a read races with */
    uint8_t changes;     /* bytes where a read would replace something */
    bool foreign;
};

static void
outlook_add(struct outlook *o, uint8_t mask, uint8_t flags, enum state s)
{
    if (mask == 0)
        return;
    o->foreign = true;
    if (burl_access_races(flags, 0))
        o->in_state[s] |= mask;
    if (burl_access_stands_for(0, flags) && s != E)
        o->changes |= mask;
}

static uint64_t
outlook_word(const struct outlook *o, const struct burl_metric_thread *m, uint8_t mask)
{
    uint8_t low = (uint8_t)(mask & -mask);
    uint8_t above = 0;
    uint32_t s = E;

    while (s > SCT && (o->in_state[s] & low) == 0)
        above |= o->in_state[s--];
    above |= o->changes;
    /* At SCT: the bytes that are in no other state. */
    return m->stamp | s << STATE_SHIFT | (uint8_t)((s == SCT ? 0xff : o->in_state[s]) & ~above);
}

/* Compares with one past access. Returns the bytes for which it still stands. */
static uint8_t
past_meets(uint8_t past_mask, uint8_t past_flags, enum state s, uint8_t mask, uint8_t flags,
           enum state *worst)
{
    if ((past_mask & mask) != 0 && burl_access_races(past_flags, flags) && s > *worst)
        *worst = s;
    if (burl_access_stands_for(flags, past_flags) && s != E)
        past_mask &= (uint8_t)~mask;
    return past_mask;
}

/* A foreign word: its writes, and what it only read. Returns what is left of it; 0: nothing. */
static uint64_t
foreign_meets(const struct burl_free_thread *f, struct cell *c, uint64_t word, uint8_t mask,
              uint8_t flags, enum state *worst, struct outlook *o)
{
    const struct burl_metric_past p = { .epoch = (uint32_t)(word >> EPOCH_SHIFT),
                                        .lock = word_lock(word),
                                        .tid = word_tid(word) };
    enum state s = state_of(f, &p);
    uint8_t wrote = (uint8_t)(word >> 8);
    uint8_t read = (uint8_t)(word & ~(word >> 8));

    if (p.tid == f->tid) { /* it had another slot */
        if (!word_is_empty(word))
            past_add_word(f->metric, &c->list, p.tid, word);
        return 0;
    }
    wrote = past_meets(wrote, BURL_ACCESS_WRITE, s, mask, flags, worst);
    read = past_meets(read, 0, s, mask, flags, worst);
    outlook_add(o, wrote, BURL_ACCESS_WRITE, s);
    outlook_add(o, read, 0, s);
    return (wrote | read) == 0 ? 0 : (word & ~0xffffull) | (uint64_t)wrote << 8 | read;
}

/* One foreign word has a place in the cell: what a thread has written stays there for all that read
 * it, while of its reads the next one takes the place. */
static void
foreign_meet(struct burl_free_thread *f, struct cell *c, uint8_t mask, uint8_t flags,
             enum state *worst, struct outlook *o)
{
    if (c->foreign != 0)
        c->foreign = foreign_meets(f, c, c->foreign, mask, flags, worst, o);
    if (c->second != 0)
        c->second = foreign_meets(f, c, c->second, mask, flags, worst, o);
    if (c->foreign == 0)
        c->foreign = c->second;
    else if (c->second != 0)
        past_add_word(f->metric, &c->list, word_tid(c->second), c->second);
}

/* Compares with the accesses of the list, and takes out those that this one stands for. */
static void
pasts_meet(const struct burl_free_thread *f, uint32_t *list, uint8_t mask, uint8_t flags,
           enum state *worst, struct outlook *o)
{
    for (uint32_t *at = list; *at != 0;) {
        struct burl_metric_node *node = burl_metric_node(*at);
        uint32_t n = *at;
        bool any = false;

        for (uint32_t i = 0; i < BURL_NODE_PASTS; i++) {
            struct burl_metric_past *p = &node->pasts[i];
            enum state s;

            if (p->mask == 0)
                continue;
            s = state_of(f, p);
            p->mask = past_meets(p->mask, p->flags, s, mask, flags, worst);
            if (p->tid != f->tid)
                outlook_add(o, p->mask, p->flags, s);
            any = any || p->mask != 0;
        }
        if (any) {
            at = &node->next;
            continue;
        }
        *at = node->next;
        burl__node_give(f->metric, n);
    }
}

/* What a word does not hold: an atomic access, or one under a lock whose number is too large. */
static void
remember_apart(struct burl_free_thread *f, struct cell *c, uint8_t mask, uint8_t flags)
{
    const struct burl_held *h =
        f->held.n != 0 && f->held.n <= BURL_MAX_HELD ? &f->held.v[f->held.n - 1] : NULL;
    const struct burl_metric_past p = {
        .epoch = (uint32_t)(f->epoch >> EPOCH_SHIFT),
        .lock = h == NULL                     ? 0
                : h->mode == BURL_LOCK_SHARED ? h->taken | LOCK_SHARED
                                              : h->taken,
        .tid = f->tid,
        .mask = mask,
        .flags = flags,
    };

    past_add(f->metric, &c->list, &p);
    if (c->own == 0)
        c->own = f->epoch; /* whose turn it is */
}

/* This thread's access: into its words, or into the list where they do not hold it. */
static void
remember(struct burl_free_thread *f, struct cell *c, uint8_t mask, uint8_t flags)
{
    uint64_t now = f->metric->word | word_bits(mask, (flags & BURL_ACCESS_WRITE) != 0);

    if ((flags & BURL_ACCESS_ATOMIC) != 0 || f->metric->wide_lock) {
        remember_apart(f, c, mask, flags);
    } else if (c->own == 0 || (c->own ^ now) >> LOCK_SHIFT == 0) {
        c->own |= now;
        c->older = word_left(c->older, c->own);
    } else {
        c->older = word_left(word_left(c->older, c->own), now);
        if (!word_is_empty(c->older))
            past_add_word(f->metric, &c->list, f->tid, c->older);
        c->older = word_left(c->own, now);
        c->own = now;
    }
    /* One place for two. */
    if (c->foreign != 0 && !word_is_empty(c->older)) {
        past_add_word(f->metric, &c->list, f->tid, c->older);
        c->older = 0;
    }
}

static BURL_NOINLINE int
locked_state(struct burl_free_thread *f, uintptr_t addr, uint8_t mask, uint8_t flags)
{
    struct cell c = { .at = burl_metric_cell(addr) };
    struct outlook o = { 0 };
    enum state worst = SCT;

    __builtin_prefetch(burl_metric_node(burl_metric_list(word_load(&c.at->x))));
    c.x = burl__metric_lock(f->metric, &c.at->x);
    c.list = burl_metric_list(c.x);
    if ((c.x & BURL_X_NAMED) == 0) {
        /* A block that is being freed has no origin any more, and need not be looked for. */
        c.x |= (flags & BURL_ACCESS_FREE) != 0 ? BURL_X_NAMED : burl__metric_name(f, addr);
        burl_metric_touch(addr);
    }
    sort_words(f, &c);
    pasts_meet(f, &c.list, mask, flags, &worst, &o);
    foreign_meet(f, &c, mask, flags, &worst, &o);
    remember(f, &c, mask, flags);
    c.x &= ~(BURL_X_FOREIGN | BURL_X_LENT);
    c.x |= (o.foreign ? BURL_X_FOREIGN : 0) | (c.foreign != 0 ? BURL_X_LENT : 0);
    __atomic_store_n(&c.at->b, c.foreign != 0 ? c.foreign : c.older, __ATOMIC_RELAXED);
    __atomic_store_n(&c.at->a, c.own, __ATOMIC_RELAXED);
    if (o.foreign)
        __atomic_store_n(&c.at->v, outlook_word(&o, f->metric, mask), __ATOMIC_RELAXED);
    burl__metric_unlock(f->metric, &c.at->x, burl_metric_with_list(c.x, c.list));
    return burl_metrics.on ? (int)worst : -1;
}

/* ---- accesses ------------------------------------------------------------------------------- */

int
burl__goldisc_slow(struct burl_free_thread *f, uintptr_t addr, uint64_t n, uint8_t flags)
{
    const struct burl_access access = { .addr = addr, .n = n };
    struct burl_piece piece = burl_pieces(&access, RANGE_B);
    bool write = (flags & BURL_ACCESS_WRITE) != 0;
    int worst = SCT;

    if (f->metric->busy)
        return -1;
    while (burl_piece_next(&piece)) {
        uintptr_t at = piece.key * BURL_GRANULE_B;
        int s = (flags & BURL_ACCESS_ATOMIC) != 0
                    ? -1
                    : burl_goldisc_quick(f, burl_metric_cell(at), piece.mask, write);

        if (s < 0)
            s = locked_state(f, at, piece.mask, flags);
        if (s < 0)
            return -1;
        worst = s > worst ? s : worst;
    }
    return worst;
}

/* The first time, or after another site took the place. */
void
burl__goldisc_put(struct burl_metric_thread *m, uint32_t site, int state, uint64_t x)
{
    uint64_t key;
    struct burl_metric_site *s = burl_goldisc_site(m, site, state, x, &key);

    if (s->key != key) {
        s->key = key;
        s->put = 0;
    }
    s->put |= 1ull << (x >> BURL_X_NAME_SHIFT & 63);
    burl__metric_put(m, BURL_METRIC_GOLDISC, site, (uint32_t)state, burl__metric_variable(x),
                     m->name, 0);
}
