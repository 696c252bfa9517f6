/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/shadow.c - the shadow of the program's memory: checking an access, remembering it, and
 * forgetting memory whose life is over.
 *
 * A cell (8 bytes of the program) has two entries. When two are not enough and none may be given
 * up without losing a race, the cell is extended: its second word becomes the number of a record
 * with three entries, so that neighbours within the 8 bytes and several readers keep their own
 * entry. When that is full too, entries that happened before the present access go first. Whatever
 * is given up can only hide a race.
 *
 * Which entry may be given up without loss: one of the same thread that the new access covers (its
 * bytes, and a kind at least as strong), or one that happened before the new access and is covered
 * by it. Whoever races with the old one later races with the new one as well.
 *
 * No locks. Each entry is stored whole. An extension is used by readers who may have read its
 * number long ago, while it was given to another cell: it names its cell, and a race found in it
 * counts only if cell and extension still name each other afterwards.
 */
#include <string.h>
#include <sys/mman.h>

#include "free_int.h"

/* A record of 32 bytes for each; enough for a program whose every word is shared by three. */
#define EXT_N (8u << 20)
#define EXT_ENTRIES 3u

struct ext {
    uint64_t cell; /* number of the cell, and above it a count of its uses */
    uint64_t e[EXT_ENTRIES];
};

static struct ext *exts;
static uint32_t n_exts = 1; /* 0 is none */

bool
burl__shadow_map(void)
{
    long p = BURL_SYS6(SYS_mmap, BURL_SHADOW_BASE, BURL_SHADOW_B, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (p != (long)BURL_SHADOW_BASE)
        return false;
    BURL_SYS3(SYS_madvise, p, BURL_SHADOW_B, MADV_DONTDUMP);
    BURL_SYS3(SYS_madvise, p, BURL_SHADOW_B, MADV_NOHUGEPAGE);
    exts = burl__free_map(EXT_N * sizeof *exts);
    return exts != NULL;
}

bool
burl__shadow_map_pairs(void)
{
    long p = BURL_SYS6(SYS_mmap, BURL_PAIRS_BASE, BURL_SHADOW_B, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (p != (long)BURL_PAIRS_BASE)
        return false;
    BURL_SYS3(SYS_madvise, p, BURL_SHADOW_B, MADV_DONTDUMP);
    BURL_SYS3(SYS_madvise, p, BURL_SHADOW_B, MADV_NOHUGEPAGE);
    return true;
}

static uint64_t
load(const uint64_t *e)
{
    /* relaxed: entries are whole, and which of two stores came first does not matter */
    return __atomic_load_n(e, __ATOMIC_RELAXED);
}

static void
store(uint64_t *e, uint64_t value)
{
    __atomic_store_n(e, value, __ATOMIC_RELAXED);
}

/* ---- extensions ----------------------------------------------------------------------------- */

static uint64_t
cell_number(const struct burl_cell *cell)
{
    return ((uintptr_t)cell - BURL_SHADOW_BASE) / sizeof *cell;
}

static struct ext *
ext_of(uint64_t word)
{
    return &exts[(uint32_t)word];
}

/* Does the extension belong to the cell? */
static bool
ext_valid(const struct burl_cell *cell, uint64_t word)
{
    return load(&cell->e[1]) == word &&
           (load(&ext_of(word)->cell) & 0xffffffffffffull) == cell_number(cell) + 1;
}

/* Extensions wait in line before they are used again: somebody who accesses memory that is just
 * being given back (a bug of the program) may still store into one, and must not do so after it
 * went to another cell. */
#define EXT_WAIT 4096u

static uint32_t
ext_take(struct burl_free_thread *f)
{
    uint32_t n = f->ext_first;

    if (f->n_ext > EXT_WAIT && n != 0) {
        f->ext_first = (uint32_t)exts[n].e[0];
        f->n_ext--;
        return n;
    }
    if (__atomic_load_n(&n_exts, __ATOMIC_RELAXED) >= EXT_N)
        return 0;
    n = __atomic_fetch_add(&n_exts, 1, __ATOMIC_RELAXED);
    return n < EXT_N ? n : 0;
}

static void
ext_give(struct burl_free_thread *f, uint32_t n)
{
    struct ext *x = &exts[n];

    store(&x->cell, (load(&x->cell) & ~0xffffffffffffull) + (1ull << 48));
    for (uint32_t i = 0; i < EXT_ENTRIES; i++)
        store(&x->e[i], 0);
    if (f->n_ext++ == 0)
        f->ext_first = n;
    else
        store(&exts[f->ext_last].e[0], n);
    f->ext_last = n;
}

/* Gives the cell an extension that holds `a` and `b`; its second word must still be `second`. */
static bool
extend(struct burl_free_thread *f, struct burl_cell *cell, uint64_t second, uint64_t a, uint64_t b)
{
    uint32_t n = ext_take(f);
    uint64_t word = BURL_ENTRY_EXTENSION << BURL_ENTRY_SLOT_SHIFT | n;
    struct ext *x;

    if (n == 0)
        return false;
    x = &exts[n];
    store(&x->e[0], a);
    store(&x->e[1], b);
    store(&x->e[2], 0);
    store(&x->cell, (load(&x->cell) & ~0xffffffffffffull) | (cell_number(cell) + 1));
    /* pairs with the acquire in get_words(): publishes the extension's content */
    if (!__atomic_compare_exchange_n(&cell->e[1], &second, word, false, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED)) {
        ext_give(f, n);
        return false; /* somebody else was faster; this access is not remembered */
    }
    return true;
}

/* ---- one access ----------------------------------------------------------------------------- */

static bool
is_own(const struct burl_free_thread *f, uint64_t e)
{
    return ((e ^ f->epoch) >> BURL_ENTRY_SLOT_SHIFT) == 0;
}

static bool
happened_before(const struct burl_free_thread *f, uint64_t e)
{
    return burl_entry_clock(e) <= f->hb[burl_entry_slot(e)];
}

/* The same stretch of this thread has said all of it. */
static bool
says(uint64_t e, uint64_t now)
{
    return burl_entry_says(e, now | 0xffffffffull, now & (BURL_ENTRY_KIND | BURL_ENTRY_MASK));
}

/* The words of a cell: where they are and what they were. */
struct words {
    uint64_t *at[1 + EXT_ENTRIES];
    uint64_t was[1 + EXT_ENTRIES];
    uint32_t n;
    uint64_t ext; /* the second word when it names an extension, else 0 */
};

static void
get_words(struct words *w, struct burl_cell *cell)
{
    /* pairs with the release in extend() */
    uint64_t second = __atomic_load_n(&cell->e[1], __ATOMIC_ACQUIRE);

    w->at[0] = &cell->e[0];
    w->was[0] = load(w->at[0]);
    w->at[1] = &cell->e[1];
    w->was[1] = second;
    w->n = 2;
    w->ext = 0;
    if (BURL_LIKELY(!burl_entry_is_extension(second)))
        return;
    if (!ext_valid(cell, second)) {
        w->n = 1; /* it is being taken away: as if there were nothing */
        return;
    }
    w->ext = second;
    w->n = 1 + EXT_ENTRIES;
    for (uint32_t i = 0; i < EXT_ENTRIES; i++) {
        w->at[1 + i] = &ext_of(second)->e[i];
        w->was[1 + i] = load(w->at[1 + i]);
    }
}

/* Word to give up for `now`, when there is no room: the order of preference says what is lost. */
static uint32_t
choose_victim(const struct burl_free_thread *f, const struct words *w, uint64_t now)
{
    uint32_t best = 0;
    uint32_t best_rank = UINT32_MAX;

    for (uint32_t i = 0; i < w->n; i++) {
        uint64_t e = w->was[i];
        uint32_t rank = is_own(f, e) || happened_before(f, e) ? 0 : 2;

        rank = (rank + ((e & BURL_ENTRY_WRITE) != 0)) * 2 + ((e & now & BURL_ENTRY_MASK) == 0);
        if (rank < best_rank) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

/* Joins `now` to an entry of the same epoch and kind at another site. */
static bool
merge_near(const struct words *w, uint64_t now, bool if_overlapping)
{
    for (uint32_t i = 0; i < w->n; i++) {
        uint64_t e = w->was[i];

        if (!burl_entry_near(e, now) || (if_overlapping && (e & now & BURL_ENTRY_MASK) == 0))
            continue;
        store(w->at[i], e | (now & BURL_ENTRY_MASK) | BURL_ENTRY_NEAR);
        return true;
    }
    return false;
}

/* Takes the place of an entry that happened before and overlaps: a buffer in which one thread
 * after the other walks about, in steps of other sizes. What is lost is the past of the bytes that
 * are not touched now, and the walk will come to those; an extension for every cell of such a
 * buffer costs more than the program. */
static bool
replace_past(const struct burl_free_thread *f, const struct words *w, uint64_t now)
{
    for (uint32_t i = 0; i < w->n; i++) {
        uint64_t e = w->was[i];

        if ((e & now & BURL_ENTRY_MASK) != 0 && (e & ~now & BURL_ENTRY_KIND) == 0 &&
            (is_own(f, e) || happened_before(f, e))) {
            store(w->at[i], now);
            return true;
        }
    }
    return false;
}

/* No word is free, none can be given up without loss. Other threads have entries here. */
static void
make_room(struct burl_free_thread *f, struct burl_cell *cell, const struct words *w, uint64_t now)
{
    if (merge_near(w, now, true) || replace_past(f, w, now))
        return;
    if (w->ext == 0 && w->n == 2 && extend(f, cell, w->was[1], w->was[1], now))
        return;
    if (!merge_near(w, now, false))
        store(w->at[choose_victim(f, w, now)], now);
}

/* Reports a race with `e`, which is another thread's, if there is one. True: it happened before. */
static inline bool
check_entry(struct burl_free_thread *f, uintptr_t addr, const struct burl_cell *cell, uint64_t ext,
            uint64_t e, uint64_t now, uint32_t flags)
{
    if (happened_before(f, e))
        return true;
    if (burl_entry_conflicts(e, now) && burl_free.race && (ext == 0 || ext_valid(cell, ext)))
        burl__report_race(f, addr, e, now, flags);
    return false;
}

/* Looks at every word: reports races, and finds a place. */
static BURL_NOINLINE void
access_shared(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now,
              uint32_t flags)
{
    uint32_t place = UINT32_MAX;
    uint32_t empty = UINT32_MAX;
    struct words w;

    get_words(&w, cell);
    for (uint32_t i = 0; i < w.n; i++) {
        uint64_t e = w.was[i];

        if (e == 0) {
            empty = empty == UINT32_MAX ? i : empty;
            continue;
        }
        if (is_own(f, e)) {
            if (says(e, now))
                return;
            if (burl_entry_mergeable(e, now))
                now |= e & (BURL_ENTRY_MASK | BURL_ENTRY_NEAR);
        } else if (!check_entry(f, addr, cell, i > 0 ? w.ext : 0, e, now, flags)) {
            continue;
        }
        if (!burl_entry_covers(now, e))
            continue;
        if (place == UINT32_MAX)
            place = i;
        else
            store(w.at[i], 0);
    }
    if (place == UINT32_MAX)
        place = empty;
    if (place != UINT32_MAX)
        store(w.at[place], now);
    else
        make_room(f, cell, &w, now);
}

/* Both entries are this thread's. No extension for memory that only one thread uses: what does not
 * fit is joined to an entry of the same stretch, or replaces an older one. */
static void
access_own(struct burl_cell *cell, uint64_t e, uint64_t second, uint64_t now)
{
    uint64_t mask = now & BURL_ENTRY_MASK;

    if (says(second, now) || says(e, now))
        return;
    if (burl_entry_covers(now, e)) {
        store(&cell->e[0], now);
        if (burl_entry_covers(now, second))
            store(&cell->e[1], 0);
    } else if (burl_entry_covers(now, second)) {
        store(&cell->e[1], now);
    } else if (burl_entry_near(e, now)) {
        store(&cell->e[0], e | mask | (burl_entry_mergeable(e, now) ? 0 : BURL_ENTRY_NEAR));
    } else if (burl_entry_near(second, now)) {
        store(&cell->e[1],
              second | mask | (burl_entry_mergeable(second, now) ? 0 : BURL_ENTRY_NEAR));
    } else if (burl_entry_near(e, second)) {
        /* Two fields written, published, and one of them read again: the writes must stay known. */
        store(&cell->e[1], second | (e & BURL_ENTRY_MASK) |
                               (burl_entry_mergeable(e, second) ? 0 : BURL_ENTRY_NEAR));
        store(&cell->e[0], now);
    } else if ((e & BURL_ENTRY_WRITE) < (second & BURL_ENTRY_WRITE) ||
               ((e ^ second) & BURL_ENTRY_WRITE) == 0) {
        store(&cell->e[0], now);
    } else {
        store(&cell->e[1], now);
    }
}

/* Has this stretch said so already, in a cell that others read too? Whether the extension is still
 * the cell's does not matter: at worst this access is not remembered. */
static inline bool
ext_says(uint64_t word, uint64_t now)
{
    const struct ext *x = ext_of(word);

    return says(load(&x->e[0]), now) || says(load(&x->e[1]), now) || says(load(&x->e[2]), now);
}

/* The common cases of a cell that only this thread uses come first. */
static inline __attribute__((always_inline)) void
access_cell(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now,
            uint32_t flags)
{
    uint64_t e = load(&cell->e[0]);
    uint64_t second = load(&cell->e[1]);

    f->dirty = true;
    if (e == 0 || is_own(f, e)) {
        if (second == 0) {
            if (burl_entry_covers(now, e))
                store(&cell->e[0], now);
            else if (burl_entry_mergeable(e, now))
                store(&cell->e[0], e | now);
            else if (!says(e, now)) {
                store(&cell->e[1], e);
                store(&cell->e[0], now); /* the one that will be looked at first */
            }
            return;
        }
        if (is_own(f, second)) {
            access_own(cell, e, second, now);
            return;
        }
    }
    if (says(second, now) || (burl_entry_is_extension(second) && ext_says(second, now)))
        return;
    access_shared(f, addr, cell, now, flags);
}

/* ---- location pairs ------------------------------------------------------------------------- */

/* Now to the last access of each half of the cell, kept beside the cells. A half, because two
 * integers in 8 bytes are two variables; below 4 bytes neighbours take each other's place, which
 * can hide a pair and never makes one. The clock is left out: only who, where and how count. */
static inline void
note_last(struct burl_free_thread *f, uint64_t *last, uint64_t now)
{
    uint64_t e = load(last);

    if (e == now)
        return;
    if (e != 0 && !is_own(f, e) && (e & now & BURL_ENTRY_MASK) != 0 &&
        ((e | now) & BURL_ENTRY_WRITE) != 0)
        burl__locpairs_add(f, burl_entry_site(e), burl_entry_site(now));
    store(last, now);
}

static inline void
note_pairs(struct burl_free_thread *f, struct burl_cell *cell, uint64_t now)
{
    struct burl_cell *last =
        (struct burl_cell *)((uintptr_t)cell + BURL_PAIRS_BASE - BURL_SHADOW_BASE);

    now &= ~((uint64_t)BURL_ENTRY_CLOCK_MAX << BURL_ENTRY_EPOCH_SHIFT);
    if ((now & 0x0f) != 0)
        note_last(f, &last->e[0], now & ~0xf0ull);
    if ((now & 0xf0) != 0)
        note_last(f, &last->e[1], now & ~0x0full);
}

/* ---- entry points --------------------------------------------------------------------------- */

static bool
ignored(const struct burl_free_thread *f, uint64_t low)
{
    return (low & BURL_ENTRY_WRITE) != 0 ? f->ignore_writes != 0 : f->ignore_reads != 0;
}

/* Not the plain case: location pairs, ignore regions, further observers. */
static inline __attribute__((always_inline)) void
access_special(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now,
               uint32_t flags)
{
    if (ignored(f, now))
        return;
    if (burl_free.pairs)
        note_pairs(f, cell, now);
    if (burl_free.race && !says(load(&cell->e[0]), now))
        access_cell(f, addr, cell, now, flags);
}

static BURL_NOINLINE void
observed_access(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now)
{
    uint32_t n = burl_entry_size(now);

    if (burl_free.more && !ignored(f, now))
        burl__more_access(f, addr, n, burl__site_of(burl_entry_site(now)), now, false);
    access_special(f, addr, cell, now, 0);
}

BURL_EXPORT void
__burl_free_cell(struct burl_free_thread *f, uintptr_t addr, const struct burl_wire_site *site,
                 uint64_t low, struct burl_cell *cell)
{
    uint64_t now = f->epoch | low | (uint64_t)burl_free_code(f, site) << BURL_ENTRY_SITE_SHIFT;

    if (BURL_UNLIKELY(f->special))
        observed_access(f, addr, cell, now);
    else
        access_cell(f, addr, cell, now, 0);
}

BURL_EXPORT void
__burl_free_across(struct burl_free_thread *f, uintptr_t addr, const struct burl_wire_site *site,
                   uint32_t n, uint64_t kind)
{
    uint64_t now = f->epoch | kind | (uint64_t)burl_free_code(f, site) << BURL_ENTRY_SITE_SHIFT;
    uint64_t mask = burl_entry_bytes(addr, n);
    struct burl_cell *cell = burl_shadow_cell(addr);
    struct burl_cell *next = burl_shadow_cell(addr + 8);

    if (BURL_UNLIKELY(f->special)) {
        burl_free_range(f, addr, n, site, kind);
        return;
    }
    if (!burl_entry_says(load(&cell->e[0]), f->same, kind | (mask & BURL_ENTRY_MASK)))
        access_cell(f, addr, cell, now | (mask & BURL_ENTRY_MASK), 0);
    if (!burl_entry_says(load(&next->e[0]), f->same, kind | mask >> 8))
        access_cell(f, addr + 8, next, now | mask >> 8, 0);
}

/* Out of line: the loop below stays small. */
static BURL_NOINLINE void
one_of_range(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now,
             uint32_t flags)
{
    if (BURL_UNLIKELY(f->special))
        access_special(f, addr, cell, now, flags);
    else
        access_cell(f, addr, cell, now, flags);
}

static inline __attribute__((always_inline)) void
range(struct burl_free_thread *f, uintptr_t addr, uint64_t n, uint64_t now, uint32_t flags)
{
    struct burl_cell *cell = burl_shadow_cell(addr);
    uint64_t same = f->same;
    uint64_t off = addr & 7;
    uint64_t mask = (BURL_ENTRY_MASK << off) & BURL_ENTRY_MASK;

    n += off;
    addr -= off;
    while (n > 0) {
        uint64_t what;

        if (n < 8)
            mask &= (1ull << n) - 1;
        what = (now & BURL_ENTRY_KIND) | mask;
        if (!burl_entry_says(load(&cell->e[0]), same, what) &&
            !burl_entry_says(load(&cell->e[1]), same, what))
            one_of_range(f, addr, cell, now | mask, flags);
        mask = BURL_ENTRY_MASK;
        addr += 8;
        cell++;
        n = n > 8 ? n - 8 : 0;
    }
}

void
burl_free_range(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                const struct burl_wire_site *site, uint64_t kind)
{
    uint64_t now = f->epoch | burl_entry_low(burl_free_code(f, site), kind, 0);

    if (BURL_UNLIKELY(burl_free.more) && !ignored(f, now))
        burl__more_access(f, addr, n, site->id, kind, false);
    range(f, addr, n, now, 0);
}

BURL_EXPORT void
__burl_free_rest(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                 const struct burl_wire_site *site, uint64_t kind)
{
    burl_free_range(f, addr, n, site, kind);
}

void
burl__shadow_free(struct burl_free_thread *f, uintptr_t addr, size_t n, uint32_t site)
{
    uint64_t now = f->epoch | burl_entry_low(site, BURL_ENTRY_KIND, 0);

    if (BURL_UNLIKELY(burl_free.more) && !ignored(f, now))
        burl__more_access(f, addr, n, burl__site_of(site), BURL_ENTRY_KIND, true);
    range(f, addr, n, now, BURL_SIDE_F_FREE);
}

/* ---- forgetting ----------------------------------------------------------------------------- */

static void
clear_cell(struct burl_free_thread *f, struct burl_cell *cell)
{
    uint64_t second = load(&cell->e[1]);

    if (BURL_UNLIKELY(burl_free.pairs)) {
        struct burl_cell *last =
            (struct burl_cell *)((uintptr_t)cell + BURL_PAIRS_BASE - BURL_SHADOW_BASE);

        store(&last->e[0], 0);
        store(&last->e[1], 0);
    }

    store(&cell->e[0], 0);
    if (second == 0)
        return;
    store(&cell->e[1], 0);
    if (burl_entry_is_extension(second) && f != NULL)
        ext_give(f, (uint32_t)second);
}

/* Above this the pages are given back; extensions in them are lost, which the pool can bear. */
#define CLEAR_BY_HAND_B (1u << 20)

/* A cell is cleared wholly if any of its bytes is in the range: memory from the allocator and
 * stacks begin and end at multiples of 8. */
void
burl__shadow_clear(uintptr_t addr, size_t n)
{
    struct burl_free_thread *f = burl_free_me;
    struct burl_cell *cell = burl_shadow_cell(addr);
    struct burl_cell *end = burl_shadow_cell(addr + n + 7);
    uintptr_t lo;
    uintptr_t hi;

    if (n == 0 || end < cell)
        return;
    if (n >= CLEAR_BY_HAND_B) {
        lo = ((uintptr_t)cell + 4095) & ~(uintptr_t)4095;
        hi = (uintptr_t)end & ~(uintptr_t)4095;
        for (; (uintptr_t)cell < lo; cell++)
            clear_cell(f, cell);
        BURL_SYS3(SYS_madvise, lo, hi - lo, MADV_DONTNEED);
        if (burl_free.pairs)
            BURL_SYS3(SYS_madvise, lo + BURL_PAIRS_BASE - BURL_SHADOW_BASE, hi - lo, MADV_DONTNEED);
        cell = (struct burl_cell *)hi;
    }
    for (; cell < end; cell++)
        clear_cell(f, cell);
}
