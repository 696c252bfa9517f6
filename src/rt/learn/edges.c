/* SPDX-License-Identifier: Apache-2.0 */
/*
 * learn/edges.c - which write each read of shared memory saw, and which it might have seen.
 *
 * Runs in the target, in executions with LEARN, after an access has had its turn. learn.c has one
 * cell here for each granule; a cell has the sites that touched it in this execution, which
 * bytes, by which thread first, and the last writer of each byte. Edges (wire/profile.h) enter
 * profile_new when a second thread shows that the memory is shared, and then when a read sees
 * something that it has not seen before in this execution; an access that shows nothing new costs
 * a short search among the sites of its cell.
 *
 * Location pairs come from the same cells: the last access to each byte is known, and the next one
 * by another thread makes a pair with it when one of the two writes.
 *
 * Bytes are distinguished, so that neighbors in one word are never taken for one variable.
 *
 * Direction of the error: where a cell has more sites than fit, or there are more granules than
 * cells, edges are missing, and no execution is directed towards them.
 */
#include "learn.h"
#include "rt/core/core.h"
#include "rt/detect/observe.h"

#define CELLS 4096u  /* granules per execution whose edges are followed */
#define ENTRIES 12u  /* sites of one granule; bits of `seen` but for the first */
#define ONE_IN 16u   /* executions of which one is followed, see is_followed() */
#define UNKNOWN 255u /* in `last`: a site that found no room */

enum entry_flag {
    ENTRY_READ = BURL_LEARN_READ,
    ENTRY_WRITE = BURL_LEARN_WRITE,
    ENTRY_SHUT = 1u << 4,    /* a read of what its thread wrote in the same critical section */
    ENTRY_EARLY = 1u << 5,   /* a read that the initial value could still have reached */
    ENTRY_SEVERAL = 1u << 6, /* more than one thread */
    ENTRY_SHARED = 1u << 7   /* a read that is known to be of shared memory */
};

struct entry {
    uint32_t site;
    uint16_t tid; /* first thread */
    uint8_t mask; /* bytes of the granule */
    uint8_t flags;
    uint16_t seen;   /* reads: bit 0 the initial value, bit i the write of entry i - 1, by another
                      thread */
    uint16_t own;    /* the same, by the thread that read */
    uint16_t behind; /* bit i: it was directly behind entry i, of another thread */
    uint16_t after;  /* reads: how many its thread had done elsewhere when it came here first */
};

struct cell {
    uint8_t n;
    uint8_t set;     /* bytes written before there was a second thread */
    uint8_t last[8]; /* by byte: entry + 1 of the last write, 0: none so far */
    uint16_t last_tid[8];
    uint8_t before[8]; /* by byte: entry + 1 of the last access, 0: none so far */
    uint16_t before_tid[8];
    uint32_t last_section[8]; /* critical section of that write, see section_of() */
    uint64_t wrote[8];        /* by byte: threads that have, as bits; not those above 63 */
    struct entry entries[ENTRIES];
};

static struct cell *cells;
static uint32_t n_cells;
static uint16_t reads[BURL_MAX_THREADS]; /* by thread: places it has read from */
static uint32_t n_readers;               /* entries of it that may not be zero */

/* Are edges followed in this execution? Always in orders of few executions; otherwise in one of
 * ONE_IN, because following costs a fifth of an execution that does little else than touch shared
 * memory. The seed decides which. */
static bool
is_followed(void)
{
    const struct burl_wire_order *o = &burl_rt.ctl->order;

    return o->observers != 0 || burl_rt.watches_pair || (o->flags & BURL_ORDER_F_ALL_POINTS) != 0 ||
           o->strategy == BURL_STRATEGY_READS_FROM || burl_rt.exec.draw_seed % ONE_IN == 0;
}

void
burl__edges_reset(void)
{
    if (cells == NULL)
        cells = burl_rt_alloc(CELLS * sizeof *cells);
    n_cells = is_followed() ? 0 : CELLS;
    for (uint32_t i = 0; i < n_readers; i++)
        reads[i] = 0;
    n_readers = 0;
}

uint16_t
burl__edges_cell(void)
{
    struct cell *c;

    if (n_cells == CELLS)
        return 0;
    c = &cells[n_cells++];
    c->n = 0;
    c->set = 0;
    for (uint32_t i = 0; i < 8; i++) {
        c->last[i] = 0;
        c->before[i] = 0;
        c->wrote[i] = 0;
    }
    return (uint16_t)n_cells;
}

/* ---- the table ------------------------------------------------------------------------------ */

static struct burl_profile_edge *
edge_at(uint32_t write, uint32_t read)
{
    struct burl_wire_profile *p = burl_rt.profile_new;
    uint32_t at = burl_profile_slot(write, read, BURL_PROFILE_EDGES);

    for (;; at++) {
        struct burl_profile_edge *e = &p->edges[at & (BURL_PROFILE_EDGES - 1)];

        if (e->read == read && e->write == write)
            return e;
        if (e->read != 0)
            continue;
        if (p->n_edges >= BURL_PROFILE_EDGES_MAX) {
            p->edges_lost++;
            return NULL;
        }
        p->n_edges++;
        *e = (struct burl_profile_edge){
            .write = write, .read = read, .writer = BURL_TID_NONE, .reader = BURL_TID_NONE
        };
        return e;
    }
}

/* Write NULL: the initial value. */
static void
add_edge(const struct entry *write, const struct entry *read, uint32_t flags)
{
    struct burl_profile_edge *e = edge_at(write != NULL ? write->site : 0, read->site);

    if (e == NULL)
        return;
    if ((flags & ~e->flags & BURL_EDGE_F_SEEN) != 0)
        e->seed = burl_rt.exec.seed;
    e->flags |= (uint16_t)flags;
    if (read->after > e->after)
        e->after = read->after;
    /* The least of all: the same in whatever order executions come. */
    if (write != NULL && write->tid < e->writer)
        e->writer = write->tid;
    if (read->tid < e->reader)
        e->reader = read->tid;
}

static uint32_t
seen_flags(const struct entry *read, uint32_t bit)
{
    return BURL_EDGE_F_CANDIDATE | ((read->seen >> bit & 1) != 0 ? BURL_EDGE_F_SEEN : 0u) |
           ((read->own >> bit & 1) != 0 ? BURL_EDGE_F_OWN : 0u) |
           ((read->flags & ENTRY_SHUT) != 0 ? BURL_EDGE_F_SHUT : 0u);
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* May the two be of different threads? */
static bool
are_shared(const struct entry *a, const struct entry *b)
{
    return (a->mask & b->mask) != 0 &&
           (a->tid != b->tid || ((a->flags | b->flags) & ENTRY_SEVERAL) != 0);
}

static void
relate_pair(const struct cell *c, const struct entry *write, struct entry *read)
{
    if ((write->flags & ENTRY_WRITE) == 0 || (read->flags & ENTRY_READ) == 0)
        return;
    add_edge(write, read, seen_flags(read, (uint32_t)(write - c->entries) + 1));
    read->flags |= ENTRY_SHARED;
    if ((read->flags & ENTRY_EARLY) != 0)
        add_edge(NULL, read, seen_flags(read, 0));
}

/* e is new, or does something for the first time: which edges are there now? */
static void
relate(struct cell *c, struct entry *e)
{
    for (uint32_t i = 0; i < c->n; i++) {
        struct entry *o = &c->entries[i];

        if (!are_shared(o, e))
            continue;
        relate_pair(c, o, e);
        if (o != e)
            relate_pair(c, e, o);
        if (((o->flags | e->flags) & ENTRY_WRITE) != 0) {
            burl__pairs_tell(o->site, e->site, 0);
            burl__pairs_tell(e->site, o->site, 0);
        }
    }
}

static struct entry *
entry_at(struct cell *c, uint32_t site, uint8_t mask)
{
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->entries[i].site == site && c->entries[i].mask == mask)
            return &c->entries[i];
    }
    if (c->n == ENTRIES || site == 0)
        return NULL;
    c->entries[c->n] = (struct entry){ .site = site, .tid = BURL_TID_NONE, .mask = mask };
    return &c->entries[c->n++];
}

static void
note_place(const struct burl_thread *t, struct entry *e)
{
    for (; n_readers <= t->tid; n_readers++)
        reads[n_readers] = 0;
    e->after = reads[t->tid];
    if (reads[t->tid] < UINT16_MAX)
        reads[t->tid]++;
}

/* Number of the critical section that t is in; 0: none, or locks are not observed. */
static uint32_t
section_of(const struct burl_thread *t)
{
    return t->watch != NULL && t->watch->held.n != 0 ? t->watch->held.v[0].taken : 0;
}

static uint64_t
bit_of(const struct burl_thread *t)
{
    return t->tid < 64 ? 1ull << t->tid : 0;
}

/* What no schedule can change: memory that was written before there were threads or by the reader
 * itself, or is read when the others have exited, has lost its initial value; and what a thread
 * has just written under a lock it reads back, as long as all others take the lock too. */
static void
note_bounds(const struct cell *c, const struct burl_thread *t, uint32_t byte, struct entry *e)
{
    const bool alone = burl_rt.exec.n_alive == 1 && burl_rt.exec.n_threads > 1;

    if (c->last[byte] == 0 ||
        (!alone && (e->mask & ~c->set) != 0 && (c->wrote[byte] & bit_of(t)) == 0))
        e->flags |= ENTRY_EARLY;
    if (c->last[byte] != 0 && c->last_tid[byte] == t->tid && section_of(t) != 0 &&
        c->last_section[byte] == section_of(t))
        e->flags |= ENTRY_SHUT;
}

static void
note_read(const struct cell *c, const struct burl_thread *t, struct entry *e)
{
    const uint32_t byte = (uint32_t)__builtin_ctz(e->mask);
    const uint32_t last = c->last[byte];
    uint16_t *seen = last != 0 && c->last_tid[byte] == t->tid ? &e->own : &e->seen;

    note_bounds(c, t, byte, e);
    if (last == UNKNOWN || (*seen >> last & 1) != 0)
        return;
    *seen |= (uint16_t)(1u << last);
    if (last == 0 && (e->flags & ENTRY_SHARED) != 0)
        add_edge(NULL, e, seen_flags(e, 0));
    else if (last != 0 && are_shared(&c->entries[last - 1], e))
        add_edge(&c->entries[last - 1], e, seen_flags(e, last));
}

static void
note_write(struct cell *c, const struct burl_thread *t, uint8_t mask, uint8_t last)
{
    if (burl_rt.exec.n_threads <= 1)
        c->set |= mask;
    for (; mask != 0; mask &= (uint8_t)(mask - 1)) {
        const uint32_t byte = (uint32_t)__builtin_ctz(mask);

        c->last[byte] = last;
        c->last_tid[byte] = t->tid;
        c->last_section[byte] = section_of(t);
        c->wrote[byte] |= bit_of(t);
    }
}

/* e, now by t, is the last access to its bytes; NULL: one that found no room. */
static void
note_access(struct cell *c, const struct burl_thread *t, uint8_t mask, struct entry *e)
{
    const uint8_t me = e != NULL ? (uint8_t)(e - c->entries + 1) : UNKNOWN;

    for (; mask != 0; mask &= (uint8_t)(mask - 1)) {
        const uint32_t byte = (uint32_t)__builtin_ctz(mask);
        const uint32_t was = c->before[byte];

        if (was != 0 && c->before_tid[byte] != t->tid && was != UNKNOWN && e != NULL &&
            (e->behind >> (was - 1) & 1) == 0 &&
            ((e->flags | c->entries[was - 1].flags) & ENTRY_WRITE) != 0) {
            e->behind |= (uint16_t)(1u << (was - 1));
            burl__pairs_seen(c->entries[was - 1].site, e->site);
        }
        c->before[byte] = me;
        c->before_tid[byte] = t->tid;
    }
}

void
burl__edges_access(uint16_t cell, const struct burl_thread *t, uint32_t site, uint8_t mask,
                   uint32_t how)
{
    struct cell *c = &cells[cell - 1];
    struct entry *e = entry_at(c, site, mask);
    const uint8_t does = (uint8_t)(how & (BURL_LEARN_READ | BURL_LEARN_WRITE));
    uint8_t before;

    if (e == NULL) {
        note_access(c, t, mask, NULL);
        if ((how & BURL_LEARN_STORES) != 0)
            note_write(c, t, mask, UNKNOWN);
        return;
    }
    before = e->flags;
    e->flags |= does;
    if (e->tid == BURL_TID_NONE)
        e->tid = t->tid;
    else if (e->tid != t->tid)
        e->flags |= ENTRY_SEVERAL;
    note_access(c, t, mask, e);
    if ((does & ~before & ENTRY_READ) != 0)
        note_place(t, e);
    if ((does & ENTRY_READ) != 0)
        note_read(c, t, e);
    if (e->flags != before)
        relate(c, e);
    if ((how & BURL_LEARN_STORES) != 0)
        note_write(c, t, mask, (uint8_t)(e - c->entries + 1));
    if (t->n_locks != 0 && site < burl_rt.points_n &&
        (burl_rt.gates_new[site] == 0 || t->outer_site < burl_rt.gates_new[site]))
        burl_rt.gates_new[site] = t->outer_site;
}
