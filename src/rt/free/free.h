/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/free.h - free mode: the program's threads run on all cores and are watched for data races.
 *
 * What hooks and interposers see. Two pointers per thread: burl_free_me is set for every thread of
 * a program that runs in free mode (function stack, locks held, allocations); burl_free_self only
 * while other threads may be running, because the accesses of a lone thread are ordered with
 * everything that comes later. Both are NULL in the other modes and in children of fork.
 *
 * The shadow: 16 bytes (two entries, entry.h) for every 8 bytes of the program, found by arithmetic
 * on the low 44 bits of the address. That keeps the regions a Linux process uses apart; mapping.c
 * sees to it that mappings elsewhere do not collide with them.
 *
 * Hot path: __burl_read4() and its like compare the two entries; if one of them already says what
 * the access would say, nothing happens. Everything else is shadow.c. Entries are read and written
 * without locks: a lost update may miss a race and never invents one.
 */
#ifndef BURL_RT_FREE_H
#define BURL_RT_FREE_H

#include "copy.h"
#include "entry.h"
#include "rt/core/rt.h"
#include "rt/core/upcalls.h"
#include "rt/detect/observe.h"

#define BURL_SHADOW_BASE 0x200000000000ull /* 32 TB from here: between all regions above */
#define BURL_SHADOW_B 0x200000000000ull
#define BURL_SHADOW_ADDR 0xfffffffffffull /* the low 44 bits of an address decide */

/*
 * Last accesses for location pairs: 32 bits for every 4 bytes of the program, found by the same
 * bits of the address.
 *     31     24   23    22            3  2      0
 *     clock slot|write| place of site  | which bytes of the 4
 * The place of the site is as in burl_free_code(), but shorter. 0 is "none". Which bytes: all, one
 * of the four, one of the halves; of an access to others only the thread counts, so that a pair may
 * be missed and is never made up.
 */
#define BURL_PAIRS_MAP 0x580000000000ull
#define BURL_PAIRS_BASE (BURL_PAIRS_MAP + 0x840)
#define BURL_PAIRS_B 0x100000000000ull
#define BURL_PAIR_SLOT_SHIFT 24
#define BURL_PAIR_WRITE (1u << 23)
#define BURL_PAIR_SITE 0x7ffff8u
#define BURL_PAIR_SITES (1u << 20)
#define BURL_PAIR_BYTES 7u
#define BURL_PAIR_ODD 0u    /* others: overlap with nothing */
#define BURL_PAIR_ALL 1u    /* of the 4 bytes */
#define BURL_PAIR_BYTE_0 2u /* .. 5: one byte */
#define BURL_PAIR_HALF_0 6u /* 7: the other half */

#define BURL_FREE_CLOCKS 256u /* fixed capacity of a thread's clock: no bound check on hot paths */
#define BURL_FREE_DEPTH BURL_WIRE_FRAMES /* live frames kept; deeper ones are counted */
#define BURL_FREE_NESTED 4u
#define BURL_FREE_BIRTHS 16u
#define BURL_FREE_NOTED 32u        /* scopes whose words in the ring are remembered */
#define BURL_FREE_ONCE 8u          /* nested initializers of once and guard variables */
#define BURL_RING_N BURL_WIRE_RING /* per slot: function entries and marks, for past stacks */

struct burl_cell {
    uint64_t e[2];
};

#define BURL_FREE_COPIES 16u /* in a program with more instrumented objects: the cold way */

struct burl_slot;
struct burl_bucket;

struct burl_free_thread {
    /* hot */
    uint64_t same;  /* epoch, all lower bits set; no thread's epoch while `special` */
    uint64_t epoch; /* slot and clock, as in an entry */
    uint64_t *ring; /* of its slot */
    uint32_t ring_at;
    uint32_t depth;     /* may exceed BURL_FREE_DEPTH */
    uint32_t call_site; /* code of the last __burl_call */
    uint32_t slot;
    uint32_t clock;
    bool dirty;         /* some entry carries the present epoch */
    bool changed;       /* hb has grown since the clock last moved */
    bool special;       /* every access takes the long way: more observers, ignore regions */
    bool pairs;         /* location pairs, and not special */
    bool race;          /* races are looked for */
    bool direct;        /* see burl_free_code() */
    uint32_t pair_slot; /* slot, as in a last access; that of no thread when sites have no places */
    bool in_report;
    const struct burl_wire_scope *scope; /* inlined functions above those on the stack */
    struct {
        const struct burl_wire_scope *scope;
        uint32_t clock;
        uint32_t ring_at;
    } noted[BURL_FREE_NOTED]; /* words of scopes in the ring, by address of the record */
    uint32_t hb[BURL_FREE_CLOCKS];
    uint32_t stack[BURL_FREE_DEPTH]; /* codes of FUNC sites, outermost first */
    const uint32_t *words[BURL_FREE_DEPTH]; /* of the same: core/shadow.h */

    /* synchronization (clock.c, sync.c, atomic.c) */
    struct {
        struct burl_bucket *bucket; /* taken; NULL: an outer one has it */
        struct burl_sync *sync;     /* NULL: the operation needs none */
    } atomic[BURL_FREE_NESTED];     /* operations under way: handlers may interrupt one another */
    uint32_t n_atomic;
    uint32_t *fence_acquire; /* what relaxed loads saw; NULL or BURL_FREE_CLOCKS long */
    uint32_t *fence_release; /* hb at the last release fence; the same */
    bool has_fence_acquire;
    bool has_fence_release;
    struct burl_held_list held;  /* the object of a lock is the holder's alone */
    struct burl_sync *cache[16]; /* objects met before, by address */
    void (*once)(void);          /* routine that pthread_once is about to run */
    const volatile void *once_flag;
    const volatile void *once_running[BURL_FREE_ONCE]; /* whose initializer this thread runs */
    uint32_t n_once;                                   /* may exceed BURL_FREE_ONCE */
    struct burl_wire_blocked *blocked; /* its record (blocked.c); NULL: there was none left */

    /* life (thread.c) */
    uint16_t tid;
    bool detached;
    bool ended;
    bool observed;        /* its accesses are watched (burl_free_self) */
    uint32_t first_clock; /* in its slot */
    uint64_t handle;      /* pthread_t */
    uint32_t end_rounds;
    void *(*start)(void *);
    int (*start_c11)(void *);
    void *arg;
    uintptr_t stack_lo;
    uintptr_t stack_hi;
    uintptr_t tls_lo;
    uintptr_t tls_hi;
    struct burl_free_thread *next; /* in the table of handles, or in the list of unused ones */

    /* noise (rt/noise), and signal handlers, in which there is none */
    uint64_t role; /* the same in every run: rt/noise/role.c */
    struct {
        uint64_t kind;
        uint32_t n;
    } births[BURL_FREE_BIRTHS]; /* threads that it has created, by kind; the last one: all others */
    uint64_t noise_draws;       /* state of its generator */
    bool noise_seeded;
    bool noise_ended;       /* it ends the process */
    uint32_t handler_floor; /* depth of the outermost handler that it runs, plus one; 0: none */

    /* annotations */
    uint32_t ignore_reads;
    uint32_t ignore_writes;

    /* Of all that follows accesses and functions there are the metrics of metrics.h alone: 1 AVIO
     * and none other of memory, 2 others; 0: no. */
    uint8_t metric_only;
    struct burl_watch *watch; /* further observers, NULL when there are none */
    uint64_t pair_cache[256]; /* locpairs.c: pairs it has just put into the set */
    struct {
        uint64_t hash;
        uint32_t id;
    } stack_cache[64];                         /* memory.c: stacks it allocated from before */
    struct burl_hot *copies[BURL_FREE_COPIES]; /* of its pointers, in the objects of the program */
    uint32_t n_copies;

    bool has_assumed; /* `assumed` is of this thread */

    /* kept when the memory serves another thread */
    struct burl_metric_thread *metric; /* metrics.h; NULL: nothing is measured there */
    struct burl_free_assumed *assumed; /* assumed.c; NULL: none yet */
    uint32_t ext_first;                /* shadow.c: extensions to use again, a queue */
    uint32_t ext_last;
    uint32_t n_ext;
    void *fault_stack; /* signals.c */
};

/* How a site is named within this mode. Sites lie side by side in memory, so the place itself is a
 * name, as long as the arrays of all modules differ in those bits; that saves reading the record,
 * which is not in the cache more often than not. Otherwise it is the site's number. Decoded for
 * reports by burl__site_of(). */
extern bool burl_free_direct;

static inline uint32_t
burl_free_code(const struct burl_free_thread *f, const struct burl_wire_site *site)
{
    if (BURL_LIKELY(f->direct))
        return (uint32_t)((uintptr_t)site / sizeof *site) & (BURL_ENTRY_SITES - 1);
    return site->id;
}

/* Exported, for hooks/hot.c. */
#define burl_free_self __burl_free_self
#define burl_free_me __burl_free_me

extern BURL_EXPORT __thread struct burl_free_thread *burl_free_self
    __attribute__((tls_model("initial-exec")));
extern BURL_EXPORT __thread struct burl_free_thread *burl_free_me
    __attribute__((tls_model("initial-exec")));

/* Has the program at most one thread? Those that ended and were not joined count. */
bool burl_free_is_alone(void);
/* The calling thread's last call site, as a number. */
uint32_t burl_free_call_site(void);
/* Was the memory last touched by a thread other than f, as far as is known? Only with noise. */
bool burl_free_is_foreign(const struct burl_free_thread *f, uintptr_t addr, uint64_t n);
/* Can no thread but the caller run: are all others blocked in calls that have records? */
bool burl_free_others_blocked(void);

/* Fills an object's copy for the calling thread; NULL is fine. While there is noise only functions
 * and calls take the short way. */
void burl_free_fill_copy(struct burl_hot *copy);

/* ---- life of the mode (start.c) ------------------------------------------------------------ */

/* From the constructor of the runtime, when the control block asks for this mode. */
void burl_free_start(void);
/* Just before main: all modules are known. */
void burl_free_main(void);
/* This process is a child of fork: an ordinary one from here on. */
void burl_free_child(void);
/* The program ends by itself. */
void burl_free_exit(int code);
/* The same by a return from main, whose last call is not the place. */
void burl_free_main_returned(int code);
/* It ends by abort or a failed assertion; text may be NULL. */
void burl_free_abort(const char *text);
void burl_free_non_linearizable(const char *text); /* before the program aborts */

/* Some operation of a thread gave up because of others: cover_events.h. */
extern bool burl_free_contended;

static inline bool
burl_free_gave_up(void)
{
    return __atomic_load_n(&burl_free_contended, __ATOMIC_RELAXED); /* no order follows from it */
}

/* ---- accesses (shadow.c) -------------------------------------------------------------------- */

static inline struct burl_cell *
burl_shadow_cell(uintptr_t addr)
{
    return (struct burl_cell *)(BURL_SHADOW_BASE + ((addr & (BURL_SHADOW_ADDR & ~7ull)) << 1));
}

/* Exported, for hooks/hot.c: the long way for one access within a cell (low: kind and mask), one
 * across two cells (kind: BURL_ENTRY_WRITE and BURL_ENTRY_PLAIN bits). */
BURL_EXPORT void __burl_free_cell(struct burl_free_thread *f, uintptr_t addr,
                                  const struct burl_wire_site *site, uint64_t low,
                                  struct burl_cell *cell);
BURL_EXPORT void __burl_free_across(struct burl_free_thread *f, uintptr_t addr,
                                    const struct burl_wire_site *site, uint32_t n, uint64_t kind);

/* Which bytes of its 4 an access touches that does not cross their border. */
static inline uint32_t
burl_pair_bytes(uintptr_t addr, uint32_t n)
{
    if (n == 1)
        return BURL_PAIR_BYTE_0 + (uint32_t)(addr & 3);
    return n == 2 ? BURL_PAIR_HALF_0 + (uint32_t)(addr >> 1 & 1) : BURL_PAIR_ALL;
}

/* The last accesses to the 4 bytes at addr and those that follow. */
static inline uint32_t *
burl_pair_words(uintptr_t addr)
{
    return (uint32_t *)(BURL_PAIRS_BASE + (addr & BURL_SHADOW_ADDR & ~(uintptr_t)3));
}

/* A last access by f, but for its bytes. */
static inline uint32_t
burl_pair_of(const struct burl_free_thread *f, const struct burl_wire_site *site, uint64_t kind)
{
    return (uint32_t)((uintptr_t)site & BURL_PAIR_SITE) | f->pair_slot |
           ((kind & BURL_ENTRY_WRITE) != 0 ? BURL_PAIR_WRITE : 0);
}

/* relaxed, as for the shadow: a lost update may hide a pair */
static inline uint32_t
burl_pair_load(const uint32_t *last)
{
    return __atomic_load_n(last, __ATOMIC_RELAXED);
}

static inline void
burl_pair_store(uint32_t *last, uint32_t now)
{
    __atomic_store_n(last, now, __ATOMIC_RELAXED);
}

static inline bool
burl_pair_is_foreign(uint32_t e, uint32_t now)
{
    return (e ^ now) >> BURL_PAIR_SLOT_SHIFT != 0;
}

/* Two words that become `now`, unless one is another thread's. or_none: they may be no one's. */
static inline bool
burl_pair_take_two(uint32_t *last, uint32_t now, bool or_none)
{
    uint64_t both = (uint64_t)now << 32 | now;
    uint64_t e = __atomic_load_n((uint64_t *)last, __ATOMIC_RELAXED);

    if (BURL_UNLIKELY(!(or_none && e == 0) && ((e ^ both) & 0xff000000ff000000ull) != 0))
        return false;
    __atomic_store_n((uint64_t *)last, both, __ATOMIC_RELAXED);
    return true;
}

/* Location pairs: the access becomes the last one to its bytes. False: another thread's is there,
 * or something else that is the long way's to do. */
static inline __attribute__((always_inline)) bool
burl_free_last_is_own(const struct burl_free_thread *f, uintptr_t addr, uint32_t n,
                      const struct burl_wire_site *site, uint64_t kind)
{
    uint32_t *last = burl_pair_words(addr);
    uint32_t now = burl_pair_of(f, site, kind) | burl_pair_bytes(addr, n);

    if (n == 8)
        return burl_pair_take_two(last, now, false);
    if (BURL_UNLIKELY(burl_pair_is_foreign(burl_pair_load(last), now)))
        return false;
    burl_pair_store(last, now);
    return true;
}

/* The long way of burl_free_last_is_own(), for any n. Exported, for hooks/hot.c. */
BURL_EXPORT void __burl_free_last(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                                  const struct burl_wire_site *site, uint64_t kind);

/* ---- last accesses, for any n: no thread's yet, or this one's ------------------------------ */

/* BURL_PAIR_BYTES of a mask of bytes. */
static const uint8_t burl_pair_mask[16] = { BURL_PAIR_ODD,
                                            BURL_PAIR_BYTE_0,
                                            BURL_PAIR_BYTE_0 + 1,
                                            BURL_PAIR_HALF_0,
                                            BURL_PAIR_BYTE_0 + 2,
                                            [8] = BURL_PAIR_BYTE_0 + 3,
                                            [12] = BURL_PAIR_HALF_0 + 1,
                                            [15] = BURL_PAIR_ALL };

/* 1 to 8 bytes wherever they begin, in words that are all this thread's: most ranges are that
 * short. False: they are not, and nothing was done. */
static inline __attribute__((always_inline)) bool
burl_free_take_short(const struct burl_free_thread *f, uintptr_t addr, uint32_t n,
                     const struct burl_wire_site *site, uint64_t kind)
{
    uint32_t *w = burl_pair_words(addr);
    uint32_t now = burl_pair_of(f, site, kind);
    uint32_t mask = ((1u << n) - 1) << (addr & 3); /* 4 bits for each of up to 3 words */
    uint32_t foreign = burl_pair_load(&w[0]) ^ now;

    if (mask >> 4 != 0)
        foreign |= burl_pair_load(&w[1]) ^ now;
    if (mask >> 8 != 0)
        foreign |= burl_pair_load(&w[2]) ^ now;
    if (BURL_UNLIKELY(foreign >> BURL_PAIR_SLOT_SHIFT != 0))
        return false;
    burl_pair_store(&w[0], now | burl_pair_mask[mask & 15]);
    if (mask >> 4 != 0)
        burl_pair_store(&w[1], now | burl_pair_mask[mask >> 4 & 15]);
    if (mask >> 8 != 0)
        burl_pair_store(&w[2], now | burl_pair_mask[mask >> 8]);
    return true;
}

static inline bool
burl_free_take_word(uint32_t *last, uint32_t now)
{
    uint32_t e = burl_pair_load(last);

    if (e != 0 && burl_pair_is_foreign(e, now))
        return false;
    burl_pair_store(last, now);
    return true;
}

/* The access becomes the last one, word by word, as long as no other thread's is there. Returns how
 * many of its bytes were done. Memory that was just allocated is no thread's: in programs that
 * allocate much that is twenty times as frequent as another thread's. */
static inline uint64_t
burl_free_take(uintptr_t addr, uint64_t n, uint32_t now)
{
    uint64_t left = n;

    while (left > 0) {
        uint32_t *w = burl_pair_words(addr);
        uint32_t from = addr & 3;
        uint64_t k = 4 - from < left ? 4 - from : left;

        if (from == 0 && left >= 8 && burl_pair_take_two(w, now | BURL_PAIR_ALL, true))
            k = 8;
        else if (!burl_free_take_word(w, now | burl_pair_mask[((1u << k) - 1) << from]))
            break;
        addr += k;
        left -= k;
    }
    return n - left;
}

/* ---- one cell that only this thread uses, as a rule ----------------------------------------- */

static inline bool
burl_free_is_own(const struct burl_free_thread *f, uint64_t e)
{
    return ((e ^ f->epoch) >> BURL_ENTRY_SLOT_SHIFT) == 0;
}

/* The same stretch of this thread has said all of it. */
static inline bool
burl_free_says(uint64_t e, uint64_t now)
{
    return burl_entry_says(e, now | 0xffffffffull, now & (BURL_ENTRY_KIND | BURL_ENTRY_MASK));
}

/* relaxed: entries are whole, and which of two stores came first does not matter */
static inline uint64_t
burl_free_get(const uint64_t *e)
{
    return __atomic_load_n(e, __ATOMIC_RELAXED);
}

static inline void
burl_free_put(uint64_t *e, uint64_t value)
{
    __atomic_store_n(e, value, __ATOMIC_RELAXED);
}

/* Puts `now` where `was` is, unless something else came there meanwhile: two threads that both find
 * a cell empty must not both believe so, or their race is lost. One instruction, so that neither a
 * page fault (the first touch of a page of the shadow, most often) nor a preemption comes between
 * the look and the store. Without the lock prefix: another processor still can, for a cycle or two,
 * and that costs less than the prefix at every first touch. */
static inline bool
burl_free_claim(uint64_t *e, uint64_t was, uint64_t now)
{
    bool done;

    __asm__ volatile("cmpxchgq %3, %1" : "=@ccz"(done), "+m"(*e), "+a"(was) : "r"(now) : "memory");
    return done;
}

/* Both entries are this thread's. No extension for memory that only one thread uses: what does not
 * fit is joined to an entry of the same stretch, or replaces an older one. */
static inline void
burl_free_own_both(struct burl_cell *cell, uint64_t e, uint64_t second, uint64_t now)
{
    if (burl_free_says(second, now) || burl_free_says(e, now))
        return;
    if (burl_entry_covers(now, e)) {
        burl_free_put(&cell->e[0], now);
        if (burl_entry_covers(now, second))
            burl_free_put(&cell->e[1], 0);
    } else if (burl_entry_covers(now, second)) {
        burl_free_put(&cell->e[1], now);
    } else if (burl_entry_near(e, now)) {
        burl_free_put(&cell->e[0], burl_entry_joined(e, now));
    } else if (burl_entry_near(second, now)) {
        burl_free_put(&cell->e[1], burl_entry_joined(second, now));
    } else if (burl_entry_near(e, second)) {
        /* Two fields written, published, and one of them read again: the writes must stay known. */
        burl_free_put(&cell->e[1], burl_entry_joined(second, e));
        burl_free_put(&cell->e[0], now);
    } else if ((e & BURL_ENTRY_WRITE) < (second & BURL_ENTRY_WRITE) ||
               ((e ^ second) & BURL_ENTRY_WRITE) == 0) {
        burl_free_put(&cell->e[0], now);
    } else {
        burl_free_put(&cell->e[1], now);
    }
}

/* Remembers the access `now` if the cell has no entry of another thread. False: it has. */
static inline __attribute__((always_inline)) bool
burl_free_own_cell(struct burl_free_thread *f, struct burl_cell *cell, uint64_t now)
{
    uint64_t e = burl_free_get(&cell->e[0]);
    uint64_t second = burl_free_get(&cell->e[1]);

    f->dirty = true;
    if (e != 0 && !burl_free_is_own(f, e))
        return false;
    if (second != 0) {
        if (!burl_free_is_own(f, second))
            return false;
        burl_free_own_both(cell, e, second, now);
        return true;
    }
    if (e == 0)
        return burl_free_claim(&cell->e[0], 0, now);
    if (burl_entry_covers(now, e)) {
        burl_free_put(&cell->e[0], now);
    } else if (burl_entry_mergeable(e, now)) {
        burl_free_put(&cell->e[0], e | now);
    } else if (!burl_free_says(e, now)) {
        burl_free_put(&cell->e[1], e);
        burl_free_put(&cell->e[0], now); /* the one that will be looked at first */
    }
    return true;
}

static inline bool
burl_free_happened_before(const struct burl_free_thread *f, uint64_t e)
{
    return burl_entry_clock(e) <= f->hb[burl_entry_slot(e)];
}

/* The next common case: one entry of another thread, which happened before, and none or one of this
 * thread that `now` makes superfluous. False: it is another one, and nothing was done. */
static inline bool
burl_free_handed_cell(struct burl_free_thread *f, struct burl_cell *cell, uint64_t now)
{
    uint64_t e = burl_free_get(&cell->e[0]);
    uint64_t second = burl_free_get(&cell->e[1]);
    bool first_is_own = burl_free_is_own(f, e);
    uint64_t own = first_is_own ? e : second;
    uint64_t other = first_is_own ? second : e;

    if ((own != 0 && !burl_free_is_own(f, own)) || burl_entry_is_extension(other) ||
        !burl_free_happened_before(f, other))
        return false;
    if (!burl_entry_covers(now, own)) { /* other bytes of a buffer that is read in odd steps */
        if (!burl_entry_near(own, now))
            return false;
        burl_free_put(&cell->e[first_is_own ? 0 : 1], burl_entry_joined(own, now));
        return true;
    }
    if (!burl_entry_covers(now, other))
        return burl_free_claim(&cell->e[first_is_own ? 0 : 1], own, now);
    if (!burl_free_claim(&cell->e[0], e, now))
        return false;
    burl_free_put(&cell->e[1], 0);
    return true;
}

/* The low half of an entry. */
static inline uint64_t
burl_free_low(const struct burl_free_thread *f, const struct burl_wire_site *site, uint64_t low)
{
    return low | (uint64_t)burl_free_code(f, site) << BURL_ENTRY_SITE_SHIFT;
}

#define burl_free_range __burl_free_rest

/* Does the ring say of this epoch that the thread was in its present scope? It must before an
 * access is remembered: the stack may be asked for later. See stack.c. */
static inline bool
burl_free_scope_is_noted(const struct burl_free_thread *f)
{
    const struct burl_wire_scope *s = f->scope;
    uint32_t at = ((uintptr_t)s / sizeof *s) % BURL_FREE_NOTED;

    return s == NULL || (f->noted[at].scope == s && f->noted[at].clock == f->clock &&
                         f->ring_at - f->noted[at].ring_at < BURL_RING_N / 2);
}

#ifdef BURL_HOT_OBJECT
/* In the program's object too: a call into the library goes through a pointer. */
static __attribute__((noinline)) void
burl_free_cell(struct burl_free_thread *f, uintptr_t addr, const struct burl_wire_site *site,
               uint64_t low, struct burl_cell *cell)
{
    uint64_t now = f->epoch | burl_free_low(f, site, low);

    if (f->special || !burl_free_scope_is_noted(f) ||
        (!burl_free_own_cell(f, cell, now) && !burl_free_handed_cell(f, cell, now)))
        __burl_free_cell(f, addr, site, low, cell);
}
#else
#define burl_free_cell __burl_free_cell
#endif

/* One access of n <= 8 bytes, as far as races go. */
static inline __attribute__((always_inline)) void
burl_free_access(struct burl_free_thread *f, uintptr_t addr, uint32_t n,
                 const struct burl_wire_site *site, uint64_t kind)
{
    uint64_t mask = burl_entry_bytes(addr, n);
    struct burl_cell *cell = burl_shadow_cell(addr);
    /* relaxed: an entry is whole by itself, and an old one only hides a race */
    uint64_t e = burl_free_get(&cell->e[0]);

    if (n > 1 && BURL_UNLIKELY(mask > BURL_ENTRY_MASK)) {
        __burl_free_across(f, addr, site, n, kind);
        return;
    }
    if (BURL_LIKELY(burl_entry_says(e, f->same, kind | mask)))
        return;
    if (BURL_LIKELY(burl_entry_says(burl_free_get(&cell->e[1]), f->same, kind | mask)))
        return;
    burl_free_cell(f, addr, site, kind | mask, cell);
}

/* ---- metrics of memory alone (metrics.c): f->metric_only ------------------------------------- */

void burl_free_metric_read(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                           const struct burl_wire_site *site);
/* A function begins; as burl_free_enter(), without the ring, which is for reports of races. */
void *burl_free_metric_call(struct burl_free_thread *f, const struct burl_wire_site *site,
                            const uint32_t *word, uintptr_t sp);
void burl_free_metric_write(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                            const struct burl_wire_site *site);

/* ---- ranges --------------------------------------------------------------------------------- */

/* A range, or the rest of one whose cells so far said nothing new: with everything that is asked
 * for, and with races alone. Exported, for hooks/hot.c. */
BURL_EXPORT void __burl_free_rest(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                                  const struct burl_wire_site *site, uint64_t kind);
BURL_EXPORT void __burl_free_race_rest(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                                       const struct burl_wire_site *site, uint64_t kind);

/* A range of n > 0 bytes, as far as races go, up to the first cell that is not only this thread's
 * own; returns how many bytes were done. own: also cells in which there is something to be said. */
static inline __attribute__((always_inline)) uint64_t
burl_free_known_cells(struct burl_free_thread *f, uintptr_t addr, uint64_t n, uint64_t now,
                      bool own)
{
    struct burl_cell *cell = burl_shadow_cell(addr);
    uint64_t kind = now & BURL_ENTRY_KIND;
    uint64_t mask = (BURL_ENTRY_MASK << (addr & 7)) & BURL_ENTRY_MASK;
    uint64_t in_cell = 8 - (addr & 7);
    uint64_t left = n;

    for (;;) {
        if (left < in_cell)
            mask &= (1ull << (left + 8 - in_cell)) - 1;
        if (!burl_entry_says(burl_free_get(&cell->e[0]), f->same, kind | mask) &&
            !burl_entry_says(burl_free_get(&cell->e[1]), f->same, kind | mask) &&
            !(own && burl_free_own_cell(f, cell, now | mask)))
            return n - left;
        if (left <= in_cell)
            return n;
        left -= in_cell;
        in_cell = 8;
        mask = BURL_ENTRY_MASK;
        cell++;
    }
}

/* The cells in which everything is said already are skipped. */
static inline __attribute__((always_inline)) void
burl_free_known_range(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                      const struct burl_wire_site *site, uint64_t kind)
{
    uint64_t done = burl_free_known_cells(f, addr, n, kind, false);

    if (done < n)
        __burl_free_rest(f, addr + done, n - done, site, kind);
}

/* With location pairs, and for single accesses that are not the common case. In pieces, each called
 * last, so that the first does not save registers for the others. */
static __attribute__((noinline, unused)) void
burl_free_race_own(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                   const struct burl_wire_site *site, uint64_t kind)
{
    uint64_t now = f->epoch | burl_free_low(f, site, kind);
    uint64_t done = burl_free_scope_is_noted(f) ? burl_free_known_cells(f, addr, n, now, true) : 0;

    if (BURL_UNLIKELY(done < n))
        __burl_free_race_rest(f, addr + done, n - done, site, kind);
}

static __attribute__((noinline, unused)) void
burl_free_race_range(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                     const struct burl_wire_site *site, uint64_t kind)
{
    uint64_t done = burl_free_known_cells(f, addr, n, kind, false);

    if (done < n)
        burl_free_race_own(f, addr + done, n - done, site, kind);
}

static __attribute__((noinline, unused)) void
burl_free_pairs_rest(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                     const struct burl_wire_site *site, uint64_t kind, uint64_t done)
{
    __burl_free_last(f, addr + done, n - done, site, kind);
    if (f->race)
        burl_free_race_range(f, addr, n, site, kind);
}

static __attribute__((noinline, unused)) void
burl_free_pairs_long(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                     const struct burl_wire_site *site, uint64_t kind)
{
    uint32_t now = burl_pair_of(f, site, kind);
    bool named = now >> BURL_PAIR_SLOT_SHIFT != BURL_ENTRY_EXTENSION; /* places are names */
    uint64_t done = BURL_LIKELY(named) ? burl_free_take(addr, n, now) : 0;

    if (BURL_UNLIKELY(done < n))
        burl_free_pairs_rest(f, addr, n, site, kind, done);
    else if (f->race)
        burl_free_race_range(f, addr, n, site, kind);
}

static __attribute__((noinline, unused)) void
burl_free_pairs_range(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                      const struct burl_wire_site *site, uint64_t kind)
{
    if (n > 8 || !burl_free_take_short(f, addr, (uint32_t)n, site, kind))
        burl_free_pairs_long(f, addr, n, site, kind);
    else if (f->race)
        burl_free_race_range(f, addr, n, site, kind);
}

/* ---- one access with location pairs --------------------------------------------------------- */

/* Not aligned: out of the way of the others. */
static __attribute__((noinline, unused)) void
burl_free_odd_access(struct burl_free_thread *f, uintptr_t addr, uint32_t n,
                     const struct burl_wire_site *site, uint64_t kind)
{
    if (BURL_UNLIKELY(!burl_free_take_short(f, addr, n, site, kind)))
        burl_free_pairs_long(f, addr, n, site, kind);
    else if (f->race)
        burl_free_access(f, addr, n, site, kind);
}

/* No branch is taken on the common way: the branches of hooks crowd out what the processor
 * remembers of the program's own (measured: a fifth of SQLite's time). */
static inline __attribute__((always_inline)) void
burl_free_pairs_access(struct burl_free_thread *f, uintptr_t addr, uint32_t n,
                       const struct burl_wire_site *site, uint64_t kind)
{
    if (BURL_UNLIKELY((addr & (n < 4 ? n - 1 : 3)) != 0)) {
        burl_free_odd_access(f, addr, n, site, kind);
        return;
    }
    if (BURL_UNLIKELY(!burl_free_last_is_own(f, addr, n, site, kind))) {
        burl_free_pairs_range(f, addr, n, site, kind);
        return;
    }
    if (f->race)
        burl_free_access(f, addr, n, site, kind);
}

/* ---- atomics and fences (atomic.c) ----------------------------------------------------------- */

void burl_free_atomic_pre(struct burl_free_thread *f, uintptr_t addr,
                          const struct burl_wire_site *site);
void burl_free_atomic_post(struct burl_free_thread *f, uintptr_t addr,
                           const struct burl_wire_site *site, bool stored);
void burl_free_fence(struct burl_free_thread *f, const struct burl_wire_site *site);
/* A volatile store is about to happen; a volatile load has happened (assumed.c). */
void burl_free_volatile_store(struct burl_free_thread *f, uintptr_t addr);
void burl_free_volatile_load(struct burl_free_thread *f, uintptr_t addr);
/* There will be fences, although no module has one. */
void burl_free_has_fences(void);
/* A longjmp has left the signal handlers that f ran, and what they interrupted. */
void burl_free_handler_left(struct burl_free_thread *f);

/* The function stack is in frames.h. */

/* codes.c: the site of a code, see burl_free_code() */
uint32_t burl__site_of(uint32_t code);

/* ---- memory (memory.c) ---------------------------------------------------------------------- */

/* A block came from the allocator. */
void burl_free_allocated(void *p, size_t n);
/* A block is about to go back. */
void burl_free_freeing(void *p);
void burl_free_unmapping(uintptr_t addr, size_t n);

/* ---- annotations ---------------------------------------------------------------------------- */

void burl_free_hb_before(const void *obj, bool lasting); /* every schedule has it */
void burl_free_hb_after(const void *obj, bool lasting);
void burl_free_benign(uintptr_t addr, size_t n);
void burl_free_region(bool begin, const char *name);
/* The user's ignore regions changed in f->ignore_*. */
void burl_free_special_changed(struct burl_free_thread *f);

/* ---- instead of the libc originals (sync.c, life.c, signals.c): the original and its edges -- */

/* Edges by a process-wide object behind a descriptor. */
void burl_free_fd_out(int fd);
void burl_free_fd_in(int fd);
/* A signal is about to be sent. */
void burl_free_signal_send(int sig);
/* The kernel, or a child, may send signals because of what happens now. */
void burl_free_signal_cause(void);
/* From now on signals arrive by descriptors as well. */
void burl_free_signalfd(void);
/* sigwait and the like took one. */
void burl_free_signal_taken(int sig);

#endif
