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

/* ---- extensions ------------------------------------------------------------------------------- */

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
 * being given back (a bug of the program) may still store into one, and must not do so after it went
 * to another cell. */
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

/* ---- one access ---------------------------------------------------------------------------------- */

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
    w->n = 2;
    w->ext = 0;
    w->at[1] = &cell->e[1];
    if (burl_entry_is_extension(second) && ext_valid(cell, second)) {
        w->ext = second;
        w->n = 1 + EXT_ENTRIES;
        for (uint32_t i = 0; i < EXT_ENTRIES; i++)
            w->at[1 + i] = &ext_of(second)->e[i];
    }
    w->was[0] = load(w->at[0]);
    for (uint32_t i = 1; i < w->n; i++)
        w->was[i] = w->ext != 0 ? load(w->at[i]) : second;
    /* An extension that is being taken away: as if there were nothing. */
    if (w->ext == 0 && burl_entry_is_extension(w->was[1]))
        w->n = 1;
}

static bool
happened_before(const struct burl_free_thread *f, uint64_t e)
{
    return burl_entry_clock(e) <= f->hb[burl_entry_slot(e)];
}

/* Word to give up for `now`, when there is no room: the order of preference says what is lost. */
static uint32_t
choose_victim(const struct burl_free_thread *f, const struct words *w, uint64_t now)
{
    uint32_t best = 0;
    uint32_t best_rank = UINT32_MAX;

    for (uint32_t i = 0; i < w->n; i++) {
        uint64_t e = w->was[i];
        bool own = burl_entry_slot(e) == f->slot;
        uint32_t rank;

        if (own || happened_before(f, e))
            rank = (e & BURL_ENTRY_WRITE) == 0 ? 0 : 1;
        else
            rank = (e & BURL_ENTRY_WRITE) == 0 ? 2 : 3;
        rank = rank * 2 + ((e & now & BURL_ENTRY_MASK) == 0);
        if (rank < best_rank) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

/* Joins `now` to an entry of the same epoch and kind at another site. */
static bool
merge_near(const struct words *w, uint64_t now)
{
    for (uint32_t i = 0; i < w->n; i++) {
        if (burl_entry_near(w->was[i], now)) {
            store(w->at[i], w->was[i] | (now & BURL_ENTRY_MASK) | BURL_ENTRY_NEAR);
            return true;
        }
    }
    return false;
}

static bool
overlaps_near(const struct words *w, uint64_t now)
{
    for (uint32_t i = 0; i < w->n; i++) {
        if (burl_entry_near(w->was[i], now) && (w->was[i] & now & BURL_ENTRY_MASK) != 0)
            return true;
    }
    return false;
}

/* No word is free, none can be given up without loss. */
static void
make_room(struct burl_free_thread *f, struct burl_cell *cell, const struct words *w, uint64_t now)
{
    /* Overlapping accesses of one stretch of one thread, at different sites: a byte buffer that is
     * walked over. An extension for each such cell would cost more memory than it is worth. */
    if (overlaps_near(w, now) && merge_near(w, now))
        return;
    if (w->ext == 0 && w->n == 2 && extend(f, cell, w->was[1], w->was[1], now))
        return;
    if (merge_near(w, now))
        return;
    if (w->n > 0)
        store(w->at[choose_victim(f, w, now)], now);
}

/* Looks at every word: reports races, and finds a place. True: nothing needs to be stored. */
static bool
check_words(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, struct words *w,
            uint64_t *now, uint32_t flags)
{
    uint64_t epoch = f->epoch;
    uint32_t place = UINT32_MAX;
    uint32_t empty = UINT32_MAX;

    for (uint32_t i = 0; i < w->n; i++) {
        uint64_t e = w->was[i];
        bool ordered;

        if (e == 0) {
            empty = empty == UINT32_MAX ? i : empty;
            continue;
        }
        ordered = burl_entry_slot(e) == f->slot;
        if (ordered && (e & BURL_ENTRY_EPOCH) == epoch) {
            if (burl_entry_covers(e, *now))
                return true;
            if (burl_entry_mergeable(e, *now))
                *now |= e & (BURL_ENTRY_MASK | BURL_ENTRY_NEAR);
        }
        if (!ordered) {
            ordered = happened_before(f, e);
            if (!ordered && burl_free.race && burl_entry_conflicts(e, *now) &&
                (w->ext == 0 || i == 0 || ext_valid(cell, w->ext)))
                burl__report_race(f, addr, e, *now, flags);
        }
        if (!ordered || !burl_entry_covers(*now, e))
            continue;
        if (place == UINT32_MAX)
            place = i;
        else
            store(w->at[i], 0);
    }
    if (place == UINT32_MAX)
        place = empty;
    if (place != UINT32_MAX) {
        store(w->at[place], *now);
        return true;
    }
    return false;
}

static BURL_NOINLINE void
access_full(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now,
            uint32_t flags)
{
    struct words w;

    get_words(&w, cell);
    if (!check_words(f, addr, cell, &w, &now, flags))
        make_room(f, cell, &w, now);
}

/* The common cases of a cell that only this thread uses. */
static inline __attribute__((always_inline)) void
access_cell(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now,
            uint32_t flags)
{
    uint64_t e = load(&cell->e[0]);
    uint64_t second = load(&cell->e[1]);

    f->dirty = true;
    if (second == 0) {
        if (e == 0 || (burl_entry_slot(e) == f->slot && burl_entry_covers(now, e))) {
            store(&cell->e[0], now);
            return;
        }
        if (burl_entry_mergeable(e, now)) {
            store(&cell->e[0], e | (now & BURL_ENTRY_MASK));
            return;
        }
        if (burl_entry_slot(e) == f->slot) {
            if (!burl_entry_says(e, f->epoch | 0xffffffff, now & (BURL_ENTRY_KIND | BURL_ENTRY_MASK)))
                store(&cell->e[1], now);
            return;
        }
    } else if (burl_entry_says(second, f->epoch | 0xffffffff,
                               now & (BURL_ENTRY_KIND | BURL_ENTRY_MASK))) {
        return;
    }
    access_full(f, addr, cell, now, flags);
}

/* ---- location pairs ---------------------------------------------------------------------------------- */

/* With location pairs the words are in order of time, the latest first: the first that overlaps is
 * the access that the present one follows (PAPERS 2.2). */
static BURL_NOINLINE void
access_pairs(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now,
             uint32_t flags)
{
    uint64_t keep[1 + EXT_ENTRIES];
    struct words w;
    uint32_t n = 0;
    bool first = true;

    f->dirty = true;
    get_words(&w, cell);
    for (uint32_t i = 0; i < w.n; i++) {
        uint64_t e = w.was[i];
        bool ordered;

        if (e == 0)
            continue;
        ordered = burl_entry_slot(e) == f->slot;
        if (first && (e & now & BURL_ENTRY_MASK) != 0) {
            first = false;
            if (!ordered && ((e | now) & BURL_ENTRY_WRITE) != 0)
                burl__locpairs_add(f, burl_entry_site(e), burl_entry_site(now));
        }
        if (!ordered) {
            ordered = happened_before(f, e);
            if (!ordered && burl_free.race && burl_entry_conflicts(e, now) &&
                (w.ext == 0 || i == 0 || ext_valid(cell, w.ext)))
                burl__report_race(f, addr, e, now, flags);
        }
        if (ordered && burl_entry_covers(now, e))
            continue;
        if (burl_entry_mergeable(e, now)) {
            now |= e & BURL_ENTRY_MASK;
            continue;
        }
        keep[n++] = e;
    }
    if (n == 2 && w.ext == 0 && w.n == 2 && extend(f, cell, w.was[1], keep[0], keep[1])) {
        store(&cell->e[0], now);
        return;
    }
    store(w.at[0], now);
    for (uint32_t i = 1; i < w.n; i++)
        store(w.at[i], i - 1 < n ? keep[i - 1] : 0);
}

/* ---- entry points --------------------------------------------------------------------------------------- */

static bool
ignored(const struct burl_free_thread *f, uint64_t low)
{
    return (low & BURL_ENTRY_WRITE) != 0 ? f->ignore_writes != 0 : f->ignore_reads != 0;
}

/* Not the plain case: location pairs, ignore regions. */
static void
access_special(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now,
               uint32_t flags)
{
    if (ignored(f, now))
        return;
    if (burl_free.pairs) {
        uint64_t e = load(&cell->e[0]);

        if (e == now)
            return;
        /* Another site of the same stretch does just the same: nothing new about races. */
        if (((e ^ now) & ~BURL_ENTRY_SITE) == 0) {
            store(&cell->e[0], now);
            return;
        }
        access_pairs(f, addr, cell, now, flags);
        return;
    }
    access_cell(f, addr, cell, now, flags);
}

void
burl_free_cell_slow(struct burl_free_thread *f, uintptr_t addr, const struct burl_wire_site *site,
                    uint64_t low, struct burl_cell *cell)
{
    uint64_t now = f->epoch | low | burl_entry_low(site->id, 0, 0);

    if (BURL_UNLIKELY(f->special)) {
        if (burl_free.more && !ignored(f, now))
            burl__more_access(f, addr, (uint32_t)__builtin_popcountll(low & BURL_ENTRY_MASK),
                              site->id, low, false);
        access_special(f, addr, cell, now, 0);
        return;
    }
    access_cell(f, addr, cell, now, 0);
}

/* Across two or three cells. */
void
burl_free_access_slow(struct burl_free_thread *f, uintptr_t addr, const struct burl_wire_site *site,
                      uint32_t n, uint64_t kind)
{
    burl_free_range(f, addr, n, site->id, kind);
}

static void
one_of_range(struct burl_free_thread *f, uintptr_t addr, uint64_t now, uint32_t flags)
{
    struct burl_cell *cell = burl_shadow_cell(addr);

    if (burl_entry_says(load(&cell->e[0]), f->same, now & (BURL_ENTRY_KIND | BURL_ENTRY_MASK)))
        return;
    if (BURL_UNLIKELY(f->special))
        access_special(f, addr, cell, now, flags);
    else
        access_cell(f, addr, cell, now, flags);
}

static void
range(struct burl_free_thread *f, uintptr_t addr, uint64_t n, uint64_t now, uint32_t flags)
{
    uintptr_t end = addr + n;

    if ((addr & 7) != 0) {
        uint64_t part = 8 - (addr & 7);

        part = part < n ? part : n;
        one_of_range(f, addr, now | burl_entry_bytes(addr, (uint32_t)part), flags);
        addr += part;
    }
    for (; addr + 8 <= end; addr += 8)
        one_of_range(f, addr, now | BURL_ENTRY_MASK, flags);
    if (addr < end)
        one_of_range(f, addr, now | burl_entry_bytes(addr, (uint32_t)(end - addr)), flags);
}

void
burl_free_range(struct burl_free_thread *f, uintptr_t addr, uint64_t n, uint32_t site,
                uint64_t kind)
{
    uint64_t now = f->epoch | burl_entry_low(site, kind, 0);

    if (BURL_UNLIKELY(burl_free.more) && !ignored(f, now))
        burl__more_access(f, addr, n, site, kind, false);
    range(f, addr, n, now, 0);
}

void
burl__shadow_free(struct burl_free_thread *f, uintptr_t addr, size_t n, uint32_t site)
{
    uint64_t now = f->epoch | burl_entry_low(site, BURL_ENTRY_KIND, 0);

    if (BURL_UNLIKELY(burl_free.more) && !ignored(f, now))
        burl__more_access(f, addr, n, site, BURL_ENTRY_KIND, true);
    range(f, addr, n, now, BURL_SIDE_F_FREE);
}

/* ---- forgetting --------------------------------------------------------------------------------------------- */

static void
clear_cell(struct burl_free_thread *f, struct burl_cell *cell)
{
    uint64_t second = load(&cell->e[1]);

    store(&cell->e[0], 0);
    if (second == 0)
        return;
    store(&cell->e[1], 0);
    if (burl_entry_is_extension(second) && f != NULL)
        ext_give(f, (uint32_t)second);
}

/* Above this the pages are given back; extensions in them are lost, which the pool can bear. */
#define CLEAR_BY_HAND_B (64u << 10)

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
        cell = (struct burl_cell *)hi;
    }
    for (; cell < end; cell++)
        clear_cell(f, cell);
}
