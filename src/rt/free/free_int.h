/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free_int.h - what the files of free mode share among themselves.
 *
 * Locks, in the order in which they may be taken:
 *   bucket locks    a bucket of sync objects (clock.c). Two are never held together.
 *   observers' lock one event at a time (observers.c)
 *   burl_free.lock  threads, slots, the table of handles (thread.c)
 *   report lock     the failures in the control block (report.c)
 * All are spin locks that yield after a while. Handlers of the program do not run in a thread that
 * holds one of the first two, or one of metrics.h and of coverage, or waits for it
 * (core/critical.h): they would take locks against this order. Signals are blocked while one of the
 * last two is held. Only the handler of a fault, and cleanup handlers of a cancellation, may find
 * a lock of their own thread; they go on without locking.
 */
#ifndef BURL_RT_FREE_INT_H
#define BURL_RT_FREE_INT_H

#include "cover_events.h"
#include "rt/core/alias.h"
#include "rt/core/core.h"
#include "rt/core/sys.h"

/* ---- memory of our own (arena.c) ------------------------------------------------------------ */

/* Address space of this mode; pages come when touched. NULL: there is none (at that address). */
void *burl__free_map(size_t n);
void *burl__free_map_at(uintptr_t addr, size_t n);
bool burl__arena_init(void);
/* Zeroed, for ever, without a lock. Never NULL: when it is used up the process ends (R6 cannot be
 * kept here: the callers are in the middle of a lock operation). */
void *burl__arena_alloc(size_t n);

/* ---- clocks (clock.c) -------------------------------------------------------------------- */

/* A clock that others left behind at an object. Its memory stays when the object is reused. */
struct burl_stamp {
    struct burl_vc vc;
    /* Nonzero: c is exactly what the thread knew at that moment of its own (slot << 24 | clock), so
     * a thread that knows the moment knows it all. */
    uint32_t moment;
};

struct burl_sync {
    uint64_t key;           /* 0: not in use */
    struct burl_sync *next; /* in its bucket, or in the list of unused ones */
    struct burl_stamp a;    /* release; of a rwlock: by writers; of a barrier: even rounds */
    struct burl_stamp b;    /* of a rwlock: by readers; of a barrier: odd rounds */
    uint32_t count;         /* barrier: arrivals */
    uint32_t limit;         /* barrier: parties */
    uint32_t head;          /* atomic: slot + 1 of the thread that made the last release store */
    uint32_t reach;         /* atomic: bytes of the largest one that wrote here */
};

struct burl_bucket {
    uint32_t lock; /* burl__owned_lock(); guards the list and, but for locks, the objects on it */
    struct burl_sync *first;
};

/* Objects are distinguished by address and by what they are. */
enum burl_sync_class {
    BURL_SYNC_MEMORY = 0, /* locks, atomics, guards, once: what lies at the address */
    BURL_SYNC_FUTEX,      /* the kernel's queue of an address that is an atomic as well */
    BURL_SYNC_VOLATILE,   /* assumed.c: what a volatile variable would order */
    BURL_SYNC_USER,       /* BURL_HB_BEFORE */
    BURL_SYNC_FD,
    BURL_SYNC_SIGNAL
};

static inline uint64_t
burl__sync_key(const volatile void *addr, enum burl_sync_class cls)
{
    return (burl_alias((uintptr_t)addr) & 0xffffffffffffull) | (uint64_t)cls << 56 | 1ull << 63;
}

bool burl__clock_init(void);
/* Locks the bucket of `key`. NULL: this thread has it already. */
struct burl_bucket *burl__bucket_lock(struct burl_free_thread *f, uint64_t key);
void burl__bucket_unlock(struct burl_bucket *b);
/* Operations of f that a jump out of a handler or a cancellation has ended: their locks. */
void burl__buckets_abandon(const struct burl_free_thread *f);
void burl__report_abandon(const struct burl_free_thread *f);
/* The number by which a thread holds such locks: its slot may change meanwhile. */
static inline uint32_t
burl__holder(const struct burl_free_thread *f)
{
    return f->tid + 1u;
}
/* In a locked bucket. find: NULL when there is none. */
struct burl_sync *burl__sync_find(struct burl_bucket *b, uint64_t key);
struct burl_sync *burl__sync_get(struct burl_bucket *b, uint64_t key);
/* The first object after `after` (NULL: of the bucket) of an atomic at another address that shares
 * bytes with the n bytes of this one. All of 64 bytes are in one bucket. */
struct burl_sync *burl__sync_overlapping(struct burl_bucket *b, uint64_t key, uint32_t n,
                                         struct burl_sync *after);
/* Is there surely no object in the 64 bytes around the address? */
bool burl__sync_none_near(uint64_t key);
/* A lock's object, for the thread that holds the lock; found through the thread's cache. */
struct burl_sync *burl__sync_of_lock(struct burl_free_thread *f, const volatile void *addr);
/* Forgets the objects in [addr, addr + n). */
void burl__sync_forget(struct burl_free_thread *f, uintptr_t addr, size_t n);

/* f learns what is in s; f adds what it knows to s; s becomes what f knows. */
void burl__acquire(struct burl_free_thread *f, const struct burl_stamp *s);
void burl__release_join(struct burl_free_thread *f, struct burl_stamp *s);
void burl__release_copy(struct burl_free_thread *f, struct burl_stamp *s);
/* The same with a clock that is not the thread's. */
void burl__stamp_join(struct burl_stamp *s, const uint32_t *c);
void burl__stamp_clear(struct burl_stamp *s);
/* The last moment of f that has entries, or at which f learned something: what a release now
 * covers of f's own. */
uint32_t burl__own_moment(const struct burl_free_thread *f);
/* After a release: what follows is not part of what was released. */
void burl__tick(struct burl_free_thread *f);
/* The locks held changed: accesses before and after must be distinguished. */
void burl__locks_changed(struct burl_free_thread *f);

/* f exits with locks held: the thread that gets EOWNERDEAD (robust mutexes) comes after it. */
void burl__locks_abandoned(struct burl_free_thread *f);
/* By key, with the bucket's lock: one edge. */
void burl__edge_out(struct burl_free_thread *f, uint64_t key);
void burl__edge_in(struct burl_free_thread *f, uint64_t key);

/* ---- start.c -------------------------------------------------------------------------------- */

/* mapping.c: makes the memory one whose shadow collides with no other; false: it cannot be. */
bool burl__region_claim(uintptr_t addr, size_t n);
/* Does the process lie where it can be watched? Once, at the start. */
bool burl__regions_fit(void);
#define BURL_FORGET_B (1u << 20) /* sync objects are looked for in the first of a large block */

/* ---- slots and threads (thread.c) ---------------------------------------------------------- */

#define BURL_SLOT_PAST 1024u

/* A place in all clocks: one thread's, and after its end another's. */
struct burl_slot {
    uint64_t *ring;
    uint32_t ring_at;               /* while no thread has the slot */
    uint32_t clock;                 /* the same */
    bool used;                      /* a thread has it, or it is spent */
    bool ended;                     /* its last owner has ended */
    uint64_t ended_at;              /* order of endings */
    struct burl_free_thread *owner; /* present or last; its memory stays, its content may not */
    struct {
        uint32_t from; /* first clock of this owner */
        uint16_t tid;
    } *past; /* BURL_SLOT_PAST of them, a ring, newest at n_past - 1 */
    uint32_t n_past;
};

struct burl_free {
    uint32_t lock;
    uint32_t n_slots;    /* slots ever used: components of clocks beyond are zero */
    uint32_t n_threads;  /* ever */
    uint32_t n_unjoined; /* threads that are not known to be over, main among them */
    uint64_t n_ended;
    bool on;         /* accesses are observed */
    bool unwatched;  /* nothing is to be observed: threads are known for deadlocks alone */
    bool ever;       /* there was a second thread */
    bool pairs;      /* last accesses are kept: LOCPAIRS, or noise */
    bool locpairs;   /* LOCPAIRS */
    bool race;       /* RACE */
    bool more;       /* further observers: under the observers' lock */
    bool metrics;    /* metrics.h */
    bool listens;    /* one of these two */
    bool has_fences; /* some module has a standalone fence */
    bool has_flags;  /* a volatile store has happened: assumed.c */
    struct burl_slot slots[BURL_ENTRY_SLOTS];
};

extern struct burl_free burl_free;

/* burl_free.lock. */
static inline void
burl__free_lock(uint64_t *mask)
{
    burl__signal_lock(&burl_free.lock, mask);
}

static inline void
burl__free_unlock(uint64_t mask)
{
    burl__signal_unlock(&burl_free.lock, mask);
}

/* Thread number of the access with this epoch. */
uint16_t burl__slot_tid(uint32_t slot, uint32_t clock);
/* The thread's slot is spent: takes another one. False: there is none, and observation is over. */
bool burl__slot_renew(struct burl_free_thread *f);
/* Stops observing: text goes into the result. */
void burl__free_stop(enum burl_wire_counter counter, const char *text);
/* The same, and the program may fail because of burl: how it ends is not judged. */
void burl__free_disturbed(const char *text);
void burl__thread_init_main(void);
/* Sets the calling thread's pointers and all their copies. */
void burl__thread_become(struct burl_free_thread *self, struct burl_free_thread *me);
void burl__thread_set_observed(struct burl_free_thread *f, bool on);

/* ---- shadow.c ------------------------------------------------------------------------------- */

bool burl__shadow_map(void);
bool burl__shadow_map_pairs(void);
/* A small block was allocated: where there are many, the shadow gets large pages. */
void burl__shadow_dense(uintptr_t addr, size_t n);
#define BURL_LARGE_PAGE_B (2u << 20)
/* A large page for what lies at that address. */
void burl__make_large(uintptr_t at);
/* Forgets what happened in [addr, addr + n). */
void burl__shadow_clear(uintptr_t addr, size_t n);
/* A write by f to all of [addr, addr + n), checked and remembered: freeing. */
void burl__shadow_free(struct burl_free_thread *f, uintptr_t addr, size_t n, uint32_t site);

/* ---- codes of sites (codes.c): see burl_free_code() ----------------------------------------- */

void burl__codes_changed(void); /* modules were added */
/* Location pairs have shorter ones: that of a code, and the site of one. And what a thread's last
 * accesses begin with, or what none begins with while the places of sites are no names. */
uint32_t burl__pair_code(uint32_t code);
uint32_t burl__pair_site(uint32_t code);
uint32_t burl__pair_slot(const struct burl_free_thread *f);

/* ---- stack.c -------------------------------------------------------------------------------- */

/* Writes the beginning of a new epoch, with the locks held, into the ring. */
void burl__ring_mark(struct burl_free_thread *f);
/* The scope of the thread, which the ring does not have of this epoch. */
void burl__ring_scope(struct burl_free_thread *f);
/* The stack and the locks of an access of the past. */
void burl__stack_past(struct burl_wire_side *side, uint32_t slot, uint32_t clock, uint32_t site);
/* Where the innermost function is, or was last, in a call. */
uint32_t burl__top_now(const struct burl_free_thread *f);
/* Those of f now. frames: the functions alone. */
void burl__frames_now(uint32_t stack[BURL_WIRE_MAX_STACK], uint32_t site,
                      const struct burl_free_thread *f);
void burl__stack_now(struct burl_wire_side *side, const struct burl_free_thread *f);
/* Hash of the site and of the functions on the stack, at most `max` outermost ones. */
/* The code of the call that the function at this depth is in; that of the function itself if its
 * calls are not known. */
uint32_t burl__frame_code(const struct burl_free_thread *f, uint32_t depth);
/* The code of the call that the user's own code is in: that of the library which made f's call, if
 * it was a library. */
uint32_t burl__user_code(const struct burl_free_thread *f);
uint64_t burl__stack_hash(const struct burl_free_thread *f, uint32_t site, uint32_t max);

/* ---- memory.c ------------------------------------------------------------------------------- */

bool burl__memory_init(void);
/* The block of the heap that addr is in, and where it was allocated. */
bool burl__memory_block(uintptr_t addr, uint64_t *start, uint32_t *site);
size_t burl__memory_size(uintptr_t addr);
/* Grows with every block that is freed, while there are metrics. */
uint32_t burl__memory_gone(void);
void burl__memory_origin(uintptr_t addr, struct burl_wire_origin *out);

/* ---- report.c ------------------------------------------------------------------------------- */

/* `old` (an entry) and the access of f now being made. size_b: of the latter. */
void burl__report_race(struct burl_free_thread *f, uintptr_t cell_addr, uint64_t old, uint64_t now,
                       uint32_t now_flags);
void burl__report_crash(enum burl_wire_verdict_kind kind, int code, uintptr_t addr, uintptr_t pc,
                        const char *text);

/* ---- metrics.c: coverage without the observers' lock ----------------------------------------- */

/* Which of the observers asked for are measured there. */
uint32_t burl__metrics_begin(uint32_t mask);
/* burl_free_thread.metric_only. */
uint8_t burl__metrics_alone(const struct burl_free_thread *f);
/* Modules were added. */
void burl__metrics_modules(void);
bool burl__metrics_can_watch(uintptr_t addr, size_t n);
/* Small blocks lie dense in the MB around the address. */
void burl__metrics_dense(uintptr_t addr);
/* A plain access that is not ignored. */
void burl__metric_access(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                         const struct burl_wire_site *site, uint64_t kind);
/* A block is about to go back. */
void burl__metric_freed(struct burl_free_thread *f, uintptr_t addr, uint64_t n);

/* ---- observers.c ----------------------------------------------------------------------------- */

void burl__observers_begin(uint32_t mask);
void burl__observers_finish(void);

/* ---- blocked.c ------------------------------------------------------------------------------ */

/* thread_new: with burl_free.lock held. begin, end: by the thread itself. */
void burl__blocked_thread_new(struct burl_free_thread *f);
void burl__blocked_thread_begin(struct burl_free_thread *f);
void burl__blocked_thread_end(struct burl_free_thread *f);
/* While a handler of the program runs in a blocked thread. hide returns false, and there is nothing
 * to restore, if the thread was not blocked. */
bool burl__blocked_hide(struct burl_free_thread *f, struct burl_wire_blocked *copy);
void burl__blocked_restore(struct burl_free_thread *f, const struct burl_wire_blocked *copy);

/* ---- late.c: core/critical.h ---------------------------------------------------------------- */

/* In a handler of the kernel's: the signal must wait. The handler returns at once. */
bool burl__late_signal(int sig, const void *info, void *context);
/* sync.c: is the call that this thread is in one that sends a signal? */
bool burl__signal_is_sent(void);
/* In the handler of a fault that a thread with a waiting signal met: it waits no more. False: there
 * is none. mask: that of the thread without the waiting. */
bool burl__late_before_fault(void *context, uint64_t *mask);

/* ---- atomic.c ------------------------------------------------------------------------------- */

/* Operations under way, while the handler of a fault runs that one of them met. */
struct burl_atomics {
    uint64_t key[BURL_FREE_NESTED]; /* 0: needs no object */
    uint32_t n;
};
void burl__atomics_suspend(struct burl_free_thread *f, struct burl_atomics *a);
void burl__atomics_resume(struct burl_free_thread *f, const struct burl_atomics *a);

/* ---- assumed.c ------------------------------------------------------------------------------ */

/* An atomic operation on a variable that was stored to as a volatile one, if it was. */
void burl__assumed_atomic(struct burl_free_thread *f, uintptr_t addr, uint8_t order, bool update,
                          bool wrote);
/* The variable that would order the access of an entry before what f does now; 0: none. */
uintptr_t burl__assumed_behind(const struct burl_free_thread *f, uint64_t e);

/* ---- signals.c ------------------------------------------------------------------------------ */


void burl__free_signals_init(void);
/* A stack for the handlers of faults, for the calling thread. */
void burl__free_signals_thread(struct burl_free_thread *f);
void burl__free_signals_child(void);

/* ---- locpairs.c ----------------------------------------------------------------------------- */

/* `later` follows `earlier`, of another thread, and one of the two writes. Codes of pairs. */
void burl__locpairs_add(struct burl_free_thread *f, uint32_t earlier, uint32_t later);

#endif
