/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/metrics.h - free mode: the metrics of fitness functions, without the observers' lock.
 *
 * AVIO, GOLDISC, HBPAIRS and SYNCHRO have a form of their own here, since a search for noise runs
 * with them on real threads: an access that only the thread itself has made before costs a few
 * loads and stores. The definitions are those of cover/, and so are the items; what is kept
 * differs:
 *
 *   lanes    AVIO: 32 bits for every byte, its last access (metrics_avio.c)
 *   units    AVIO: a line of the cache for every 8 bytes that threads share: windows, and a log of
 *            what was done since hands changed
 *   cells    GOLDISC: 32 bytes for every 8 bytes, the last accesses of one thread and what is known
 *            of the others' (metrics_goldisc.c)
 *   touched  a byte for every 64: something is known there, for forgetting
 *   objects  sync objects by address, each bucket with its lock (metrics_objects.c)
 *
 * The low 42 bits of an address, less an offset, find the place in a shadow. That keeps apart what
 * burl__metrics_can_watch() allows.
 *
 * Locks, all leaves but for the set of items: that of a unit or cell (a bit of the word with its
 * list and the abstract name of the variable), a bucket's of objects, that of births. A thread
 * holds at most one of them. Its handler of a signal that interrupts it meanwhile reports nothing
 * (`busy`).
 */
#ifndef BURL_RT_FREE_METRICS_H
#define BURL_RT_FREE_METRICS_H

#include <string.h>

#include "free_int.h"
#include "rt/cover/cover.h"

/* ---- shadows -------------------------------------------------------------------------------- */

#define BURL_METRIC_FIRST \
    0x15000000000ull /* of the 42 bits: executables, then mappings, then 0.. */
#define BURL_METRIC_ADDR 0x3ffffffffffull
#define BURL_METRIC_SPAN 0x2f000000000ull
#define BURL_LANES_BASE 0x400000000000ull
#define BURL_CELLS_BASE 0x690000000000ull
#define BURL_UNITS_BASE 0x020000000000ull
#define BURL_STRIPE_SHIFT 6

static inline uintptr_t
burl_metric_place(uintptr_t addr)
{
    return (addr - BURL_METRIC_FIRST) & BURL_METRIC_ADDR;
}

/* One byte's last access: 0 none.
 *     31   22    21    20 19  18    0
 *     thread|shared| kind |  site
 * shared: other threads have been there. */
#define BURL_LANE_TAG_SHIFT 22
#define BURL_LANE_TAG (0x3ffu << BURL_LANE_TAG_SHIFT)
#define BURL_LANE_SHARED (1u << 21)
#define BURL_LANE_WRITES (1u << 20)
#define BURL_LANE_READS (1u << 19)
#define BURL_LANE_SITE 0x7ffffu
#define BURL_LANE_BIG \
    0x3ffu /* the tag of all threads from number 1022 on: they take the long way */

static inline uint32_t *
burl_lanes(uintptr_t addr)
{
    return (uint32_t *)(BURL_LANES_BASE + burl_metric_place(addr) * 4);
}

/* 8 bytes that several threads have accessed. The window is one without accesses between: 63..48
 * thread, 28..27 kind as in a lane, 26..8 site, 7..0 bytes; 0: none. A word of the log: 63..54
 * thread, as in a lane, and two entries (53..27, 26..0), each a site and bytes. */
#define BURL_LOG_N 6u
#define BURL_LOG_TAG_SHIFT 54
#define BURL_LOG_ENTRY_BITS 27
#define BURL_LOG_ENTRY 0x7ffffffull

struct burl_metric_unit {
    uint64_t x; /* list: further windows */
    uint64_t window;
    uint64_t log[BURL_LOG_N];
};

static_assert(sizeof(struct burl_metric_unit) == 64, "a line of the cache");

static inline struct burl_metric_unit *
burl_metric_unit(uintptr_t addr)
{
    return (struct burl_metric_unit *)(BURL_UNITS_BASE + (burl_metric_place(addr) & ~7ull) * 8);
}

/* 8 bytes of the program, for GOLDISC.
 *     a, b  present and earlier accesses of one thread: 63..32 epoch, 31..16 innermost lock, 15..8
 *           bytes written, 7..0 bytes read; or b is of another thread
 *     v     what that thread knows of the others' accesses */
struct burl_metric_cell {
    uint64_t x; /* list: accesses */
    uint64_t a;
    uint64_t b;
    uint64_t v;
};

static inline struct burl_metric_cell *
burl_metric_cell(uintptr_t addr)
{
    return (struct burl_metric_cell *)(BURL_CELLS_BASE + (burl_metric_place(addr) & ~7ull) * 4);
}

/* The word with the lock, of both: 63..32 list (number of its first node), 30 named, 29..8 name. */
#define BURL_X_LOCKED 1ull
#define BURL_X_FOREIGN 2ull /* GOLDISC: there are accesses of other threads than that of a */
#define BURL_X_LENT 4ull    /* GOLDISC: b is of another thread */
#define BURL_X_NAMED (1ull << 30)
#define BURL_X_NAME_SHIFT 8
#define BURL_X_LIST_SHIFT 32

static inline uint32_t
burl_metric_list(uint64_t x)
{
    return (uint32_t)(x >> BURL_X_LIST_SHIFT);
}

static inline uint64_t
burl_metric_with_list(uint64_t x, uint32_t list)
{
    return (x & 0xffffffff) | (uint64_t)list << BURL_X_LIST_SHIFT;
}

/* ---- a thread's ----------------------------------------------------------------------------- */

#define BURL_METRIC_SITES 1024u
#define BURL_METRIC_ITEMS 1024u
#define BURL_METRIC_FLOORS 256u /* as BURL_FRAMES */

/* HBPAIRS: where a thread gave something out. */
struct burl_metric_source {
    uint32_t site;
    uint32_t object;      /* abstract name */
    uint32_t thread_name; /* abstract name */
    uint32_t number;      /* in order of its object; 0: none */
    uint16_t tid;
};

/* GOLDISC: items that a thread has put, of one site, origin of variables and state; bits: places in
 * the variable. */
struct burl_metric_site {
    uint64_t key;
    uint64_t put;
};

struct burl_metric_thread {
    /* kept when the memory serves another thread */
    uint32_t nodes; /* unused nodes of its own, a list */
    uint32_t n_nodes;
    struct burl_vc direct; /* GOLDISC: acquired without others' help; by thread number */
    struct burl_vc passed; /* for a moment: what passes from object to object */

    bool busy;         /* holds one of the locks */
    bool wide_lock;    /* its innermost lock does not fit into a word of a cell */
    uint32_t lane;     /* its tag, as in a lane */
    uint64_t at_epoch; /* for which `word` holds; 0: look again */
    uint64_t word;     /* epoch and lock, as in a and b of a cell */
    uint64_t stamp;    /* thread and version, as in v of a cell */
    uint32_t version;  /* of its knowledge: locks held and clocks */
    uint32_t name;     /* abstract name of the thread */
    uint64_t birth;    /* hash of the stack and site that created it */
    struct {
        uintptr_t lo;
        uintptr_t hi;
        uint32_t gone; /* blocks freed when it was found */
        uint32_t site;
    } block;                        /* of the heap, found last */
    struct burl_metric_source born; /* where it was created */
    uint32_t root;                  /* its outermost function */
    /* SYNCHRO */
    uintptr_t requested;
    uint32_t requested_taken;
    bool requested_held;
    bool waits;
    uint32_t wait_site;
    uintptr_t wait_cond;
    uint32_t wait_gave;
    uint32_t wait_signals;
    uint32_t n_gave;
    uint64_t join_began;
    uint64_t ended;
    uint64_t items[BURL_METRIC_ITEMS]; /* hashes of items it has put */
    uint64_t triples[4096];            /* the same, of AVIO */
    struct burl_metric_site sites[BURL_METRIC_SITES];
    /* The stack ended here when the function of this depth, less 1, was entered; the first is 0. */
    uintptr_t floor[BURL_METRIC_FLOORS + 1];
    char fence_acquire;                  /* the addresses of these two name the objects of fences */
    char fence_release;
};

/* ---- which, and when (metrics.c) ------------------------------------------------------------ */

struct burl_metrics {
    bool on;
    bool avio;
    bool goldisc;
    bool hbpairs;
    bool synchro;
};

extern struct burl_metrics burl_metrics;

/* Room has run out: nothing is measured any more, and the result says so. */
void burl__metrics_full(const char *what);

void burl__metric_thread_new(struct burl_free_thread *me, struct burl_free_thread *child);
void burl__metric_thread_begin(struct burl_free_thread *f);
void burl__metric_thread_end(struct burl_free_thread *f);
void burl__metric_join_begin(struct burl_free_thread *f);
void burl__metric_join(struct burl_free_thread *f, struct burl_free_thread *ended);
void burl__metric_enter(struct burl_free_thread *f, uint32_t depth, uint32_t site, uintptr_t sp);

/* An atomic access has happened; when it stored, within the bucket of its address. */
void burl__metric_atomic(struct burl_free_thread *f, uintptr_t addr,
                         const struct burl_wire_site *site, bool stored);
void burl__metric_fence(struct burl_free_thread *f, uint8_t order, uint32_t site);

/* burl_free_thread.metric of a thread that is measured and not busy; else NULL. */
static inline struct burl_metric_thread *
burl_metric_of(const struct burl_free_thread *f)
{
    struct burl_metric_thread *m = f->metric;

    return burl_metrics.on && m != NULL && !m->busy ? m : NULL;
}

/* What the thread knows or holds has changed. */
static inline void
burl_metric_changed(struct burl_metric_thread *m)
{
    m->version++;
    m->stamp = (m->stamp & ~0xffffffff0000ull) | (uint64_t)m->version << 16;
    m->at_epoch = 0;
}

/* ---- shadows and nodes (metrics_cells.c) ----------------------------------------------------- */

/* What lists are made of: a line of the cache with several of one kind, found by number; 0 is none.
 * One whose mask is 0 is free. */
struct burl_metric_mark {
    uint32_t site;
    uint16_t tid;
    uint8_t mask;  /* bytes for which it stands */
    uint8_t flags; /* BURL_ACCESS_* */
};

/* One of a thread's windows on the 8 bytes, the head, has the accesses between for all of them. */
struct burl_metric_window {
    struct burl_metric_mark first;
    uint32_t between; /* list: marks */
    uint16_t n_between;
    uint8_t all; /* bytes of all windows of this thread; 0: not the head */
    uint8_t pad;
};

struct burl_metric_past {
    uint32_t epoch;
    uint32_t lock; /* 31 shared, 30..0 number; 0: none */
    uint16_t tid;
    uint8_t mask;
    uint8_t flags;
};

#define BURL_NODE_MARKS 7u
#define BURL_NODE_WINDOWS 3u
#define BURL_NODE_PASTS 5u

struct burl_metric_node {
    uint32_t next;
    union {
        struct burl_metric_mark marks[BURL_NODE_MARKS];       /* AVIO: accesses between */
        struct burl_metric_window windows[BURL_NODE_WINDOWS]; /* AVIO: last accesses */
        struct burl_metric_past pasts[BURL_NODE_PASTS];       /* GOLDISC */
        uint32_t run; /* of an unused one: metrics_cells.c */
    };
};

static_assert(sizeof(struct burl_metric_node) == 64, "a line of the cache");

extern struct burl_metric_node *burl_metric_nodes;

static inline struct burl_metric_node *
burl_metric_node(uint32_t n)
{
    return &burl_metric_nodes[n];
}

bool burl__cells_map(void);
/* Never 0 but when there is no room; then measuring has ended. Content: zero. */
uint32_t burl__node_take(struct burl_metric_thread *m);
void burl__node_give(struct burl_metric_thread *m, uint32_t n);
/* Takes the lock in x, and sets `busy`; returns x without it. unlock: with the new x. */
uint64_t burl__metric_lock(struct burl_metric_thread *m, uint64_t *x);
void burl__metric_unlock(struct burl_metric_thread *m, uint64_t *x, uint64_t now);
/* Forgets what is known of [addr, addr + n), in whole cells. */
void burl__metrics_forget(struct burl_free_thread *f, uintptr_t addr, size_t n);

extern uint8_t *burl_metric_touched;

/* Something will be known of this byte. */
static inline void
burl_metric_touch(uintptr_t addr)
{
    uint8_t *t = &burl_metric_touched[burl_metric_place(addr) >> BURL_STRIPE_SHIFT];

    /* relaxed: read by a thread that comes after this one in the program's own order */
    if (__atomic_load_n(t, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(t, 1, __ATOMIC_RELAXED);
}

/* May something be known of [lo, hi)? One look for what is short, as most frames are. */
static inline bool
burl_metric_near(uintptr_t lo, uintptr_t hi)
{
    uint64_t n = ((hi - 1) >> BURL_STRIPE_SHIFT) - (lo >> BURL_STRIPE_SHIFT); /* stripes, less 1 */
    uint64_t any;

    if (BURL_UNLIKELY(n > 7))
        return true;
    memcpy(&any, &burl_metric_touched[burl_metric_place(lo) >> BURL_STRIPE_SHIFT], sizeof any);
    return any << (56 - 8 * n) != 0;
}

/* ---- names and items (metrics_names.c) ------------------------------------------------------ */

bool burl__metric_names_map(void);
/* As in x: origin and place within it. */
uint64_t burl__metric_name(const struct burl_free_thread *f, uintptr_t addr);
/* burl__cover_variable() of a name. */
uint32_t burl__metric_variable(uint64_t name);
uint32_t burl__metric_object_name(const struct burl_free_thread *f, uintptr_t addr);
uint64_t burl__metric_birth(const struct burl_free_thread *me, uint32_t at);
extern uint32_t *burl_metric_thread_names; /* by thread number */
extern uint8_t *burl_metric_ended;         /* the same: it has ended */
/* Puts an item, unless this thread has just done so. */
void burl__metric_put(struct burl_metric_thread *m, enum burl_wire_metric metric, uint32_t a,
                      uint32_t b, uint32_t c, uint32_t d, uint8_t flags);

/* ---- sync objects (metrics_objects.c) ------------------------------------------------------- */

struct burl_metric_object {
    struct burl_metric_object *next;
    uintptr_t addr;
    uint32_t name; /* abstract name, if `named` */
    bool named;
    uint32_t lock;          /* GOLDISC: number of this life as a lock; 0: none yet */
    uint32_t head;          /* atomic: thread + 1 that began the release sequence, 0 none */
    struct burl_vc direct;  /* GOLDISC: what threads released into it themselves; by number */
    struct burl_vc readers; /* the same, by readers of a lock */
    struct burl_metric_source last; /* HBPAIRS: of writers and everything that is no lock */
    struct burl_metric_source reader;
    uint32_t n_sources;
    /* SYNCHRO */
    uint32_t holders;
    uint32_t n_taken;
    uint32_t site; /* where it was taken last */
    uint16_t tid;
    uint32_t waiting;
    uint32_t signals;
};

bool burl__objects_map(void);
/* The object at the address with its bucket locked, and `busy` set. make: NULL only without. */
struct burl_metric_object *burl__object_lock(struct burl_metric_thread *m, uintptr_t addr,
                                             bool make);
void burl__object_unlock(struct burl_metric_thread *m, uintptr_t addr);
/* Objects in [addr, addr + n) begin a new life. */
void burl__metric_objects_forget(struct burl_free_thread *f, uintptr_t addr, size_t n);

/* The memory of `of` serves a new thread, whose fences have said nothing yet; m: the caller's. */
void burl__metric_fences_forget(struct burl_metric_thread *m, const struct burl_metric_thread *of);
/* GOLDISC: this moment of a thread is known directly. */
void burl__direct_set(struct burl_vc *v, uint16_t tid, uint32_t clock);

/* Of the event stream (free/cover_events.h). */
#define BURL_X(event, parameters, arguments, names) \
    void burl__metric_##event(struct burl_free_thread *f, BURL_UNWRAP parameters);
BURL_STREAM_EVENTS(BURL_X)
#undef BURL_X

/* ---- metrics of synchronization (metrics_hbpairs.c, metrics_synchro.c) ---------------------- */

/* In a locked bucket. `at`: the site. taking: 1 + mode of the lock being taken, else 0. */
void burl__hbpairs_source(struct burl_free_thread *f, struct burl_metric_object *o, uint32_t at,
                          bool shared);
void burl__hbpairs_sink(struct burl_free_thread *f, const struct burl_metric_object *o, uint32_t at,
                        uint8_t taking);
void burl__hbpairs_create(struct burl_free_thread *me, struct burl_metric_thread *child,
                          uint32_t at);
void burl__hbpairs_enter(struct burl_free_thread *f, uint32_t site);
void burl__hbpairs_join(struct burl_free_thread *f, const struct burl_free_thread *ended,
                        uint32_t at);
void burl__synchro_put(struct burl_free_thread *f, uint32_t site, enum burl_wire_synchro what);
void burl__synchro_request(struct burl_free_thread *f, const struct burl_metric_object *o);
void burl__synchro_acquire(struct burl_free_thread *f, struct burl_metric_object *o, uint32_t site,
                           bool by_try);
void burl__synchro_release(struct burl_free_thread *f, struct burl_metric_object *o, uint32_t site);
void burl__synchro_cond(struct burl_free_thread *f, struct burl_metric_object *o, bool is_wait,
                        uint32_t woken, uint32_t site);
/* True: it was a wait's end, and o its condition variable. */
void burl__synchro_wait_ends(struct burl_free_thread *f, struct burl_metric_object *o,
                             uint32_t site, uint8_t what);
void burl__synchro_join(struct burl_free_thread *f, const struct burl_free_thread *ended,
                        uint32_t at);

#endif
