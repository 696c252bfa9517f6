/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/metrics_quick.h - the common case of an access, for the metrics of memory: what lies there
 * is this thread's own, or has been said before. Inline, one function for both metrics; why it may
 * go without a lock is explained in metrics_avio.c and metrics_goldisc.c.
 */
#ifndef BURL_RT_FREE_METRICS_QUICK_H
#define BURL_RT_FREE_METRICS_QUICK_H

#include <emmintrin.h>

#include "metrics.h"

/* ---- AVIO ----------------------------------------------------------------------------------- */

typedef uint64_t __attribute__((may_alias, aligned(4))) two_lanes;

static inline uint32_t
lane_load(const uint32_t *l)
{
    return __atomic_load_n(l, __ATOMIC_RELAXED);
}

static inline void
lane_store(uint32_t *l, uint32_t e)
{
    __atomic_store_n(l, e, __ATOMIC_RELAXED);
}

/* Four lanes at once: a load and a store of 16 bytes, at worst split between lanes. */
static inline __m128i
four_load(const uint32_t *lanes)
{
    __m128i v = _mm_loadu_si128((const __m128i *)lanes);

    __asm__ volatile("" : "+x"(v) : : "memory"); /* now, and once */
    return v;
}

static inline void
four_store(uint32_t *lanes, uint32_t mine)
{
    _mm_storeu_si128((__m128i *)lanes, _mm_set1_epi32((int)mine));
    __asm__ volatile("" : : : "memory");
}

static inline bool
four_are_zero(__m128i v)
{
    return _mm_movemask_epi8(_mm_cmpeq_epi32(v, _mm_setzero_si128())) == 0xffff;
}

/* Are all lanes this thread's, and shared or not as `mine` says? `bits`: what is compared. False
 * too for other n than 1, 2, 4 and 8. */
static inline __attribute__((always_inline)) bool
all_like(const uint32_t *lanes, uint64_t n, uint32_t mine, uint32_t bits)
{
    const __m128i four = _mm_set1_epi32((int)mine);
    __m128i differ;

    if (n == 1)
        return ((lane_load(lanes) ^ mine) & bits) == 0;
    if (n == 2)
        return ((*(const volatile two_lanes *)lanes ^ ((uint64_t)mine << 32 | mine)) &
                ((uint64_t)bits << 32 | bits)) == 0;
    if (n != 4 && n != 8)
        return false;
    differ = _mm_xor_si128(four_load(lanes), four);
    if (n == 8)
        differ = _mm_or_si128(differ, _mm_xor_si128(four_load(lanes + 4), four));
    return four_are_zero(_mm_and_si128(differ, _mm_set1_epi32((int)bits)));
}

static inline __attribute__((always_inline)) bool
all_own(const uint32_t *lanes, uint64_t n, uint32_t mine)
{
    return all_like(lanes, n, mine, BURL_LANE_TAG | BURL_LANE_SHARED);
}

/* Do all lanes say this very access? */
static inline __attribute__((always_inline)) bool
all_same(const uint32_t *lanes, uint64_t n, uint32_t mine)
{
    return all_like(lanes, n, mine, UINT32_MAX);
}

/* n: 1, 2, 4 or 8. */
static inline __attribute__((always_inline)) void
put_all(uint32_t *lanes, uint64_t n, uint32_t mine)
{
    if (n == 1)
        lane_store(lanes, mine);
    else if (n == 2)
        *(volatile two_lanes *)lanes = (uint64_t)mine << 32 | mine;
    else
        four_store(lanes, mine);
    if (n == 8)
        four_store(lanes + 4, mine);
}

/* All lanes are this thread's alone: the access takes their place. */
static inline __attribute__((always_inline)) bool
take_own(uint32_t *lanes, uint64_t n, uint32_t mine)
{
    if (BURL_UNLIKELY(!all_own(lanes, n, mine)))
        return false;
    put_all(lanes, n, mine);
    return true;
}

/* Is nothing known of these bytes but accesses of this thread's own? */
static inline __attribute__((always_inline)) bool
all_free(const uint32_t *lanes, uint64_t n, uint32_t mine)
{
    const __m128i bits = _mm_set1_epi32((int)(BURL_LANE_TAG | BURL_LANE_SHARED));
    const __m128i own = _mm_and_si128(_mm_set1_epi32((int)mine), bits);

    if (n == 1) /* it is not its own alone: all_own() */
        return lane_load(lanes) == 0;
    if (n == 2) {
        return (lane_load(lanes) == 0 || all_own(lanes, 1, mine)) &&
               (lane_load(lanes + 1) == 0 || all_own(lanes + 1, 1, mine));
    }
    for (uint32_t i = 0; i < n; i += 4) {
        __m128i v = four_load(lanes + i);
        __m128i fits = _mm_or_si128(_mm_cmpeq_epi32(v, _mm_setzero_si128()),
                                    _mm_cmpeq_epi32(_mm_and_si128(v, bits), own));

        if (_mm_movemask_epi8(fits) != 0xffff)
            return false;
    }
    return true;
}

/* The first accesses to some of the bytes; the others are this thread's alone. */
static inline __attribute__((always_inline)) bool
take_fresh(uintptr_t addr, uint64_t n, uint32_t mine)
{
    uint32_t *lanes = burl_lanes(addr);

    if ((n != 1 && n != 2 && n != 4 && n != 8) || !all_free(lanes, n, mine) ||
        mine >> BURL_LANE_TAG_SHIFT == BURL_LANE_BIG)
        return false;
    put_all(lanes, n, mine);
    burl_metric_touch(addr);
    burl_metric_touch(addr + n - 1);
    return true;
}

/* The long way, for 1, 2, 4, 8 and any number of bytes. `mine`: what goes into the lanes. */
typedef void burl_avio_slow_fn(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                               uint32_t mine, uint8_t flags);
burl_avio_slow_fn burl__avio_slow1;
burl_avio_slow_fn burl__avio_slow2;
burl_avio_slow_fn burl__avio_slow4;
burl_avio_slow_fn burl__avio_slow8;
burl_avio_slow_fn burl__avio_slow;

static inline __attribute__((always_inline)) void
burl_avio_access(struct burl_free_thread *f, uintptr_t addr, uint64_t n, uint32_t site,
                 uint8_t flags)
{
    const bool writes = (flags & BURL_ACCESS_WRITE) != 0;
    const bool reads = !writes || (flags & BURL_ACCESS_RMW) != 0;
    uint32_t mine =
        f->metric->lane | site | (writes ? BURL_LANE_WRITES : 0) | (reads ? BURL_LANE_READS : 0);

    if (BURL_LIKELY(take_own(burl_lanes(addr), n, mine)))
        return;
    if (n == 8)
        burl__avio_slow8(f, addr, n, mine, flags);
    else if (n == 4)
        burl__avio_slow4(f, addr, n, mine, flags);
    else if (n == 1)
        burl__avio_slow1(f, addr, n, mine, flags);
    else if (n == 2)
        burl__avio_slow2(f, addr, n, mine, flags);
    else
        burl__avio_slow(f, addr, n, mine, flags);
}

/* ---- GOLDISC -------------------------------------------------------------------------------- */

enum state { SCT, SCL, LS, E };

#define LOCK_SHIFT 16
#define WIDE_LOCK 0x7fffu /* locks with larger numbers do not fit into a word */
#define EPOCH_SHIFT 32
#define VERSION_SHIFT 16
#define STATE_SHIFT 8

/* ---- words ---------------------------------------------------------------------------------- */

static inline uint64_t
word_load(const uint64_t *w)
{
    return __atomic_load_n(w, __ATOMIC_RELAXED);
}

static inline bool
word_swap(uint64_t *w, uint64_t was, uint64_t now)
{
    /* relaxed: a word is whole by itself */
    return __atomic_compare_exchange_n(w, &was, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline bool
word_is_own(const struct burl_free_thread *f, uint64_t a)
{
    return a >> BURL_ENTRY_SLOT_SHIFT == f->slot && burl_entry_clock(a) >= f->first_clock;
}

static inline uint64_t
word_bits(uint8_t mask, bool write)
{
    return write ? (uint64_t)mask << 8 : mask;
}

/* A new epoch in a cell of this thread's alone. False: it takes the long way. */
bool burl__goldisc_next_epoch(struct burl_metric_cell *cell, uint64_t a, uint64_t now);

/* The state of an access in one cell; -1: it takes the long way. */
static inline __attribute__((always_inline)) int
burl_goldisc_quick(const struct burl_free_thread *f, struct burl_metric_cell *cell, uint8_t mask,
                   bool write)
{
    const struct burl_metric_thread *m = f->metric;
    uint64_t a = word_load(&cell->a);
    uint64_t x = word_load(&cell->x);
    uint64_t have = write ? a >> 8 : a | a >> 8;
    int state = SCT;

    if (BURL_UNLIKELY(!word_is_own(f, a) || m->wide_lock))
        return -1;
    if ((x & BURL_X_FOREIGN) != 0) {
        uint64_t v = word_load(&cell->v);

        if (write || (v ^ m->stamp) >> VERSION_SHIFT != 0 || (mask & ~v) != 0)
            return -1;
        state = (int)(v >> STATE_SHIFT & 3);
    }
    if (BURL_LIKELY((a ^ m->word) >> LOCK_SHIFT == 0)) {
        if (BURL_LIKELY((mask & ~have) == 0))
            return state;
        return word_swap(&cell->a, a, a | word_bits(mask, write)) ? state : -1;
    }
    if ((x & BURL_X_FOREIGN) != 0)
        return -1; /* b may be another thread's */
    return burl__goldisc_next_epoch(cell, a, m->word | word_bits(mask, write)) ? state : -1;
}

/* The long way, for any range; -1: nothing is known. */
int burl__goldisc_slow(struct burl_free_thread *f, uintptr_t addr, uint64_t n, uint8_t flags);
/* Sets m->word, for the thread's epoch and locks. */
void burl__goldisc_refresh(struct burl_free_thread *f);

/* The worst state of an access, and x of its first cell. */
static inline __attribute__((always_inline)) int
burl_goldisc_access(struct burl_free_thread *f, uintptr_t addr, uint64_t n, uint8_t flags,
                    uint64_t *x)
{
    struct burl_metric_cell *cell = burl_metric_cell(addr);
    const bool write = (flags & BURL_ACCESS_WRITE) != 0;
    int state = -1;

    f->dirty = true;
    if (BURL_UNLIKELY(f->metric->at_epoch != f->epoch))
        burl__goldisc_refresh(f);
    if (BURL_LIKELY(n <= 8 && (flags & BURL_ACCESS_ATOMIC) == 0)) {
        uint64_t bytes = burl_entry_bytes(addr, (uint32_t)n);

        state = burl_goldisc_quick(f, cell, (uint8_t)bytes, write);
        if (n > 1 && BURL_UNLIKELY(bytes > 0xff) && state >= 0) { /* not aligned */
            int second = burl_goldisc_quick(f, cell + 1, (uint8_t)(bytes >> 8), write);

            state = second < 0 || second > state ? second : state;
        }
    }
    if (BURL_UNLIKELY(state < 0))
        state = burl__goldisc_slow(f, addr, n, flags);
    *x = word_load(&cell->x);
    return state;
}

/* Where this thread remembers the items of a site, an origin of variables and a state: the places
 * within the variable are bits, so that a walk through an array stays in one line of the cache. */
static inline struct burl_metric_site *
burl_goldisc_site(struct burl_metric_thread *m, uint32_t site, int state, uint64_t x, uint64_t *key)
{
    uint64_t origin = x >> (BURL_X_NAME_SHIFT + 6) & 0xffff;

    *key = (uint64_t)site << 32 | origin << 2 | (uint32_t)state | 1ull << 20;
    return &m->sites[(site + (uint32_t)state * 257 + origin * 31) % BURL_METRIC_SITES];
}

void burl__goldisc_put(struct burl_metric_thread *m, uint32_t site, int state, uint64_t x);

static inline __attribute__((always_inline)) void
burl_goldisc_item(struct burl_metric_thread *m, uint32_t site, int state, uint64_t x)
{
    uint64_t key;
    const struct burl_metric_site *s = burl_goldisc_site(m, site, state, x, &key);

    if (BURL_UNLIKELY(s->key != key || (s->put >> (x >> BURL_X_NAME_SHIFT & 63) & 1) == 0))
        burl__goldisc_put(m, site, state, x);
}

/* ---- both ----------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void
burl_metric_memory(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                   const struct burl_wire_site *site, uint8_t flags)
{
    bool is_assert = (site->flags & BURL_SITE_F_ASSERT) != 0;
    uint64_t x;
    int state;

    if (burl_metrics.avio && BURL_LIKELY(!is_assert))
        burl_avio_access(f, addr, n, site->id, flags);
    if (!burl_metrics.goldisc)
        return;
    state = burl_goldisc_access(f, addr, n, flags, &x);
    if (BURL_LIKELY(state >= 0 && !is_assert))
        burl_goldisc_item(f->metric, site->id, state, x);
}

#endif
