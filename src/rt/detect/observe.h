/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/observe.h - the event stream of the observers, the same in both modes.
 *
 * Interposers and hooks report what the program does through burl_ob_*(). These functions keep what
 * all observers need (happens-before clocks, create/join clocks, locks held) and notify each
 * observer that the order asks for (struct burl_observer, one file each).
 *
 * Controlled mode: exactly one thread runs, nothing needs a lock, and all of it starts afresh with
 * each execution (memory from burl_ob_alloc). Free mode: the caller holds burl_ob_lock() around
 * every call; the race observer has its own lock-free form there (free/), so that the lock is taken
 * for synchronization only, unless further observers were asked for.
 *
 * An event is reported when it has happened and before anything else can: acquire after the lock is
 * held, release before it is given back, send before the wakeup, receive after it, access before
 * the access itself but when it is this thread's turn.
 */
#ifndef BURL_RT_OBSERVE_H
#define BURL_RT_OBSERVE_H

#include "held.h"
#include "rt/clock/chains.h"
#include "rt/clock/vc.h"
#include "rt/core/event.h"

/* Free mode does not know which thread a signal woke: one of the waiters, if any, or all. */
#define BURL_WOKEN_ONE (UINT32_MAX - 1)
#define BURL_WOKEN_ALL UINT32_MAX

#define BURL_FRAMES 256u /* live functions of a thread that observers see; deeper are counted */

struct burl_frames {
    uint32_t site[BURL_FRAMES];   /* FUNC sites, outermost first */
    uint32_t call[BURL_FRAMES];   /* where it was called from, burl__cover_code(); 0 unknown */
    uintptr_t floor[BURL_FRAMES]; /* the stack ended here when it was entered; 0 unknown */
};

struct burl_assumed;

/* What observers know of one thread. */
struct burl_watch {
    uint16_t tid;
    uint16_t slot;           /* clock slot; in controlled mode the tid */
    uint32_t clock;          /* own component of hb */
    struct burl_vc hb;       /* full happens-before; hb[slot] == clock */
    struct burl_vc cj;       /* create, join and (for waiters) signal only; cj[slot] == cj_clock */
    uint32_t cj_clock;
    struct burl_vc fence_acquire; /* what relaxed loads saw, until an acquire fence takes it */
    struct burl_vc fence_release; /* hb at the last release fence; n == 0: none */
    struct burl_held_list held;
    uint32_t n_taken;
    uint32_t lockset;        /* burl_lockset_of(held), kept current */
    uint32_t ignore_reads;   /* nesting of the user's "ignore" regions */
    uint32_t ignore_writes;
    uint32_t region_depth;   /* BURL_ATOMIC_BEGIN nesting */
    const char *region_name; /* the program's own string, NULL none */
    uint32_t last_site;         /* of its last access that was reported */
    uint8_t last_op;
    uint8_t taking;             /* while a lock's `sink` is reported: 1 + its mode; else 0 */
    uint32_t at;                /* site of the synchronization being reported */
    uintptr_t wakes_by;         /* while it wakes another: the object they met at; 0: none */
    uint32_t call_from;         /* where the function about to be reported was called from */
    uint32_t depth;             /* live functions, if an observer wants BURL_WANT_CALLS */
    struct burl_frames *frames; /* NULL: none yet */
    uintptr_t start;            /* its start routine, 0 unknown or the main thread */
    uint64_t birth;             /* hash of the stack and site that created it */
    uint64_t join_began_at;          /* event number of its last burl_ob_join_begin() */
    uint64_t ended_at;          /* the same of its end, 0 not yet */
    uint32_t thread_name;               /* cover/: its abstract identity, 0 not yet known */
    struct burl_thread *thread; /* controlled mode; NULL in free mode */
    struct burl_assumed *assumed; /* assumed.c; NULL: nothing */
    uintptr_t behind;            /* of the race being reported, see verdict.behind */
    void *own[BURL_OBSERVER__N]; /* each observer's, NULL at first */
};

enum burl_access_flag {
    BURL_ACCESS_WRITE = 1u << 0,
    BURL_ACCESS_ATOMIC = 1u << 1,
    BURL_ACCESS_RMW = 1u << 2,   /* reads and writes in one */
    BURL_ACCESS_FREE = 1u << 3   /* the freeing of [addr, addr + n) */
};

struct burl_access {
    uintptr_t addr;
    uint64_t n;     /* bytes, not 0 */
    uint32_t site;
    uint8_t op;     /* enum burl_wire_op */
    uint8_t flags;  /* BURL_ACCESS_* */
};

static inline bool
burl_mo_acquires(uint8_t order)
{
    return order == BURL_MO_ACQUIRE || order == BURL_MO_CONSUME || order == BURL_MO_ACQ_REL ||
           order == BURL_MO_SEQ_CST;
}

static inline bool
burl_mo_releases(uint8_t order)
{
    return order == BURL_MO_RELEASE || order == BURL_MO_ACQ_REL || order == BURL_MO_SEQ_CST;
}

/* One observer. Every function may be NULL. */
struct burl_observer {
    uint32_t wants; /* BURL_WANT_* */
    /* What it knows of memory, a table by granules.h, and how one node of it is emptied: that of
     * memory whose life is over, and of stack frames that begin a new one if it wants calls. */
    struct burl_chains *granules;
    void (*granule_empty)(struct burl_chain *granule);
    void (*begin)(void);                               /* of an execution; tables are empty */
    void (*end)(void);                                 /* it passed, failed or was cut */
    void (*access)(struct burl_watch *w, const struct burl_access *a);
    /* The lock is already in w->held. */
    void (*acquire)(struct burl_watch *w, const struct burl_held *lock);
    /* Before the request, for those that block: the lock is not yet held. */
    void (*request)(struct burl_watch *w, const struct burl_held *lock);
    void (*release)(struct burl_watch *w, const struct burl_held *lock); /* still in w->held */
    /* Happens-before edges through an object: unlock and lock, signal and wakeup, post and wait,
     * atomic release and acquire, barrier, once. Reported before the clocks move. */
    void (*source)(struct burl_watch *w, uintptr_t object);
    void (*sink)(struct burl_watch *w, uintptr_t object);
    /* What went into the object is gone: its life ended, or a store began a new release sequence
     * (reported before that store's own source). */
    void (*drop)(uintptr_t object);
    /* What went into `from` has gone into `to` as well: a relaxed load, on its way to the fence
     * that acquires it (to: &w->fence_acquire), a relaxed store with what the last release fence
     * covers (from: &w->fence_release). */
    void (*pass)(uintptr_t from, uintptr_t to);
    void (*create)(struct burl_watch *parent, struct burl_watch *child);
    void (*join)(struct burl_watch *w, struct burl_watch *ended);
    /* Memory whose history is over: allocated, freed and past its quarantine, a stack or TLS area
     * given to a new thread. Besides `granules`. */
    void (*forget)(uintptr_t addr, uint64_t n);
    /* Heap memory was allocated, or is about to be freed. */
    void (*memory)(struct burl_watch *w, uintptr_t addr, uint64_t n, bool is_live);
    void (*region_begin)(struct burl_watch *w);
    void (*region_end)(struct burl_watch *w);
    /* cond: a signal or broadcast that woke `woken` threads (or BURL_WOKEN_*); or (is_wait) a
     * thread goes to wait. */
    void (*cond)(struct burl_watch *w, uintptr_t cond, bool is_wait, uint32_t woken, uint32_t site);
    /* BURL_WANT_CALLS. w->frames is current: enter, the function is in it; leave, it is gone. */
    void (*enter)(struct burl_watch *w, uint32_t site);
    void (*leave)(struct burl_watch *w);
    void (*block)(struct burl_watch *w, uint32_t site); /* BURL_WANT_BLOCKS */
    /* BURL_WANT_ACTIONS. An access, a lock, a wait, a signal, a block, create or join; after the
     * event of its own. */
    void (*action)(struct burl_watch *w);
    /* How a synchronization at `site` went, enum burl_wire_synchro, where that does not follow from
     * the other events. */
    void (*outcome)(struct burl_watch *w, uintptr_t object, uint8_t what, uint32_t site);
};

extern const struct burl_observer burl_observer_race;
extern const struct burl_observer burl_observer_lockset;
extern const struct burl_observer burl_observer_triple;
extern const struct burl_observer burl_observer_lockorder;
extern const struct burl_observer burl_observer_signals;
extern const struct burl_observer burl_observer_record;
/* Coverage, cover/. */
extern const struct burl_observer burl_observer_goldisc;
extern const struct burl_observer burl_observer_locpairs;
extern const struct burl_observer burl_observer_defuse;
extern const struct burl_observer burl_observer_accesspairs;
extern const struct burl_observer burl_observer_methodpairs;
extern const struct burl_observer burl_observer_concmethods;
extern const struct burl_observer burl_observer_synchro;
extern const struct burl_observer burl_observer_hbpairs;
extern const struct burl_observer burl_observer_avio;
extern const struct burl_observer burl_observer_pinv;
extern const struct burl_observer burl_observer_blocks;
extern const struct burl_observer burl_observer_lines;

/* ---- what the rest of the runtime calls -------------------------------------------------- */

void burl_ob_begin(uint32_t mask); /* of an execution (controlled) or of the process (free) */
void burl_ob_end(void);
struct burl_watch *burl_ob_thread_new(uint16_t tid, struct burl_watch *parent);

void burl_ob_access(struct burl_watch *w, const struct burl_access *a);
/* Controlled mode: a plain access, and an operation that may pass through the kernel. */
void burl__observe_access(struct burl_thread *t, const struct burl_op *op);
void burl__observe_channel(struct burl_thread *t, const struct burl_op *op);
/* An atomic operation on addr has happened; stored: it wrote. */
void burl_ob_atomic_post(struct burl_watch *w, uintptr_t addr, const struct burl_wire_site *site,
                         bool stored);
void burl_ob_fence(struct burl_watch *w, uint8_t order);
/* A volatile access of this thread has happened. */
void burl_ob_volatile(struct burl_watch *w, uintptr_t addr, bool write);

void burl_ob_request(struct burl_watch *w, const volatile void *lock, uint32_t site, uint8_t mode);
void burl_ob_acquire(struct burl_watch *w, const volatile void *lock, uint32_t site, uint8_t mode,
                     bool by_try);
void burl_ob_release(struct burl_watch *w, const volatile void *lock);
/* `owner` does not hold the lock any more, without having released it itself: another thread
 * unlocked it, or it was initialized again. */
void burl_ob_lost(struct burl_watch *owner, const volatile void *lock);
void burl_ob_send(struct burl_watch *w, const volatile void *object);
void burl_ob_receive(struct burl_watch *w, const volatile void *object);
/* The object of the user's annotations. It often is the very flag that the program uses: what they
 * say of it must not be mixed with, nor undone by, what its atomic operations mean. */
static inline const void *
burl_ob_user_object(const volatile void *object)
{
    return (const void *)((uintptr_t)object | (uintptr_t)1 << 63);
}
/* The same for objects whose edges hold in every schedule (barrier, once): create/join clocks
 * too. */
void burl_ob_send_order(struct burl_watch *w, const volatile void *object);
void burl_ob_receive_order(struct burl_watch *w, const volatile void *object);
/* `woken` goes on because `w` signaled: an edge from one to the other, create/join clocks too. */
void burl_ob_wake(struct burl_watch *w, struct burl_watch *woken);
void burl_ob_cond(struct burl_watch *w, const volatile void *cond, bool is_wait, uint32_t woken,
                  uint32_t site);
void burl_ob_thread_end(struct burl_watch *w);
void burl_ob_join(struct burl_watch *w, struct burl_watch *ended);
void burl_ob_forget(uintptr_t addr, uint64_t n);
void burl_ob_memory(struct burl_watch *w, uintptr_t addr, uint64_t n, bool is_live);
/* A sync object that begins a new life. */
void burl_ob_forget_object(const volatile void *object);
/* The user says that races on this memory do not matter. From any thread if alloc() is. */
void burl_ob_benign(uintptr_t addr, uint64_t n, void *(*alloc)(size_t n));
/* Does [lo, hi) touch such memory? */
bool burl_ob_is_benign(uintptr_t lo, uintptr_t hi);
/* A function begins, `depth` others of the thread are live; sp: near its lowest address on the
 * stack, 0 unknown. */
void burl_ob_enter(struct burl_watch *w, uint32_t depth, uint32_t site, uintptr_t sp);
/* One or more functions ended; `depth` are live. */
void burl_ob_leave(struct burl_watch *w, uint32_t depth);
void burl_ob_block(struct burl_watch *w, uint32_t site);
void burl_ob_outcome(struct burl_watch *w, const volatile void *object, enum burl_wire_synchro what,
                     uint32_t site);
/* The thread is about to join another. */
void burl_ob_join_begin(struct burl_watch *w);
void burl_ob_region_begin(struct burl_watch *w);
void burl_ob_region_end(struct burl_watch *w);

/* Channels that carry order and have no address of their own. */
extern const char burl_ob_channel_io;     /* pipes, sockets, eventfd: write before read */
extern const char burl_ob_channel_signal; /* kill before handler */

/*
 * The events that interposed functions of both modes report: X(event, parameters, arguments of
 * burl_ob_<event>() behind the watch, names of the parameters). From each row follow
 * burl__notify_<event>(t, parameters) of controlled mode (interpose/interpose_int.h) and
 * burl__free_notify_<event>(me, parameters) of free mode (free/observers.c). BURL_CALL_SITE: the
 * site of the interposed call, by mode.
 */
#define BURL_STREAM_EVENTS(X)                                                                     \
    X(request, (const volatile void *lock, uint8_t mode), (lock, BURL_CALL_SITE, mode),           \
      (lock, mode))                                                                               \
    X(acquire, (const volatile void *lock, uint8_t mode, bool by_try),                            \
      (lock, BURL_CALL_SITE, mode, by_try), (lock, mode, by_try))                                 \
    X(release, (const volatile void *lock), (lock), (lock))                                       \
    X(send, (const volatile void *object), (object), (object))                                    \
    X(receive, (const volatile void *object), (object), (object))                                 \
    X(send_order, (const volatile void *object), (object), (object))                              \
    X(receive_order, (const volatile void *object), (object), (object))                           \
    X(cond, (const volatile void *cond, bool is_wait, uint32_t woken),                            \
      (cond, is_wait, woken, BURL_CALL_SITE), (cond, is_wait, woken))                             \
    X(outcome, (const volatile void *object, enum burl_wire_synchro what),                        \
      (object, what, BURL_CALL_SITE), (object, what))
#define BURL_UNWRAP(...) __VA_ARGS__

/* ---- what observers use --------------------------------------------------------------------- */

/* Steps of this execution (controlled), or events so far (free). */
uint64_t burl_ob_now(void);

/* The observer's own of a thread: size_b bytes, zeroed at first. */
static inline void *
burl_ob_own(struct burl_watch *w, enum burl_wire_observer observer, size_t size_b)
{
    if (w->own[observer] == NULL)
        w->own[observer] = burl_ob_alloc(size_b);
    return w->own[observer];
}

/* Is (slot, clock) known to w, i.e. does that moment happen before what w does now? */
static inline bool
burl_hb_before(uint32_t slot, uint32_t clock, const struct burl_watch *w)
{
    return clock <= burl_vc_get(&w->hb, slot);
}

/* Puts a suspect into the control block, or counts it once more for this execution. sites, ops,
 * tids: n each. rank: see wire/control.h. Returns its key. */
uint64_t burl_ob_suspect(enum burl_wire_suspect_kind kind, enum burl_wire_observer observer,
                         const uint32_t *sites, const uint8_t *ops, const uint16_t *tids,
                         uint32_t n, uintptr_t addr, uint32_t rank);
/* Where the user's code called the library functions at its sites, 0: the first that are told
 * count. */
void burl_ob_places(uint64_t key, const uint32_t *places, uint32_t n);
/* Does the order ask to end at this key? */
bool burl_ob_stops_at(uint64_t key);
/* What is known of the race with this key besides. */
void burl_ob_behind(uint64_t key, enum burl_wire_behind behind);
/* Is there nothing more to say of this memory (struct burl_wire_settled)? `key`: of the suspect, 0
 * not known. */
bool burl_ob_is_settled(enum burl_wire_suspect_kind kind, uintptr_t addr, uint64_t key);
/* Is this site one of the goal or of order.watch? Then observers keep the stack of its accesses. */
bool burl_ob_aims_at(uint32_t site);
/* Fills a side from the thread's present state: stack and locks. */
void burl_ob_fill_side(struct burl_wire_side *side, const struct burl_watch *w,
                       const struct burl_access *a);
/* Ends the execution with the verdict (controlled), or records the failure and goes on (free).
 * sides[0] earlier, sides[1] later. */
void burl_ob_verdict(enum burl_wire_verdict_kind kind, struct burl_watch *w, uintptr_t addr,
                     const struct burl_wire_side sides[2]);

#endif
