/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/shadow.c - the shadow of the program's memory: checking an access, remembering it, and
 * forgetting memory whose life is over.
 *
 * A cell (8 bytes of the program) has two entries. When two are not enough and none may be given
 * up without losing a race, the cell is extended: its second word becomes the number of a record
 * with three entries, so that neighbors within the 8 bytes and several readers keep their own
 * entry. When that is full too, entries that happened before the present access go first. Whatever
 * is given up can only hide a race.
 *
 * Which entry may be given up without loss: one of the same thread that the new access covers (its
 * bytes, and a kind at least as strong), or one that happened before the new access and is covered
 * by it. What races with the old one later races with the new one as well.
 *
 * No locks. Each entry is stored whole. An extension is used by readers that may have read its
 * number long ago, while it was given to another cell: it names its cell, and a race found in it
 * counts only if cell and extension still name each other afterwards.
 */
#include <string.h>
#include <sys/mman.h>

#include "free_int.h"

#define PAGE_B 4096u

/* A record of 32 bytes for each; enough for a program whose every word is shared by three. */
#define EXT_N (8u << 20)
#define EXT_ENTRIES 3u

struct ext {
    uint64_t cell; /* number of the cell, and above it a count of its uses */
    uint64_t e[EXT_ENTRIES];
};

/* ---- pages ---------------------------------------------------------------------------------- */

/* Pages come one by one, so that memory of which little is used has little shadow. But the small
 * blocks of a heap lie dense, and are walked through in any order: there a large page saves more
 * time (an entry of the TLB for each 4 KB is most of what a walk costs) than it wastes memory. */
#define DENSE_SHIFT 20u    /* the shadow of a MB is one large page */
#define DENSE_B (1u << 18) /* allocated in it so far: dense */
#define DENSE_DONE UINT32_MAX

static uint32_t *dense; /* bytes allocated, for every MB */

void
burl__make_large(uintptr_t at)
{
    at &= ~(uintptr_t)(BURL_LARGE_PAGE_B - 1);
    /* Failing is fine: there are none to be had, or an older kernel. */
    if (BURL_SYS3(SYS_madvise, at, BURL_LARGE_PAGE_B, MADV_HUGEPAGE) == 0)
        BURL_SYS3(SYS_madvise, at, BURL_LARGE_PAGE_B, 25 /* MADV_COLLAPSE */);
}

void
burl__shadow_dense(uintptr_t addr, size_t n)
{
    uint32_t *d = &dense[(addr & BURL_SHADOW_ADDR) >> DENSE_SHIFT];
    /* relaxed, not even one step: whether it happens a little earlier or later does not matter */
    uint32_t sum = __atomic_load_n(d, __ATOMIC_RELAXED);

    if (sum == DENSE_DONE)
        return;
    __atomic_store_n(d, sum < DENSE_B ? sum + (uint32_t)n : DENSE_DONE, __ATOMIC_RELAXED);
    if (sum < DENSE_B)
        return;
    if (burl_free.race)
        burl__make_large((uintptr_t)burl_shadow_cell(addr));
    if (burl_free.pairs)
        burl__make_large(BURL_PAIRS_BASE + (addr & BURL_SHADOW_ADDR));
    if (burl_free.metrics)
        burl__metrics_dense(addr);
}

static struct ext *exts;
static uint32_t n_exts = 1; /* 0 is none */

bool
burl__shadow_map(void)
{
    if (burl__free_map_at(BURL_SHADOW_BASE, BURL_SHADOW_B) == NULL)
        return false;
    exts = burl__free_map(EXT_N * sizeof *exts);
    dense = burl__free_map(((BURL_SHADOW_ADDR + 1) >> DENSE_SHIFT) * sizeof *dense);
    return exts != NULL && dense != NULL;
}

bool
burl__shadow_map_pairs(void)
{
    return burl__free_map_at(BURL_PAIRS_MAP, BURL_PAIRS_B + PAGE_B) != NULL;
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
    return burl_free_get(&cell->e[1]) == word &&
           (burl_free_get(&ext_of(word)->cell) & 0xffffffffffffull) == cell_number(cell) + 1;
}

/* Extensions wait in line before they are used again: a thread that accesses memory that is just
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

    burl_free_put(&x->cell, (burl_free_get(&x->cell) & ~0xffffffffffffull) + (1ull << 48));
    for (uint32_t i = 0; i < EXT_ENTRIES; i++)
        burl_free_put(&x->e[i], 0);
    if (f->n_ext++ == 0)
        f->ext_first = n;
    else
        burl_free_put(&exts[f->ext_last].e[0], n);
    f->ext_last = n;
}

/* Gives the cell an extension that holds `a` and `b`; its second word must still be `second`. */
static bool
cell_extend(struct burl_free_thread *f, struct burl_cell *cell, uint64_t second, uint64_t a,
            uint64_t b)
{
    uint32_t n = ext_take(f);
    uint64_t word = (uint64_t)BURL_ENTRY_EXTENSION << BURL_ENTRY_SLOT_SHIFT | n;
    struct ext *x;

    if (n == 0)
        return false;
    x = &exts[n];
    burl_free_put(&x->e[0], a);
    burl_free_put(&x->e[1], b);
    burl_free_put(&x->e[2], 0);
    burl_free_put(&x->cell,
                  (burl_free_get(&x->cell) & ~0xffffffffffffull) | (cell_number(cell) + 1));
    /* pairs with the acquire in get_words(): publishes the extension's content */
    if (!__atomic_compare_exchange_n(&cell->e[1], &second, word, false, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED)) {
        ext_give(f, n);
        return false; /* another thread was faster; this access is not remembered */
    }
    return true;
}

/* ---- one access ----------------------------------------------------------------------------- */

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
    /* pairs with the release in cell_extend() */
    uint64_t second = __atomic_load_n(&cell->e[1], __ATOMIC_ACQUIRE);

    w->at[0] = &cell->e[0];
    w->was[0] = burl_free_get(w->at[0]);
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
        w->was[1 + i] = burl_free_get(w->at[1 + i]);
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
        uint32_t rank = burl_free_is_own(f, e) || burl_free_happened_before(f, e) ? 0 : 2;

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
        burl_free_put(w->at[i], e | (now & BURL_ENTRY_MASK) | BURL_ENTRY_NEAR);
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
            (burl_free_is_own(f, e) || burl_free_happened_before(f, e))) {
            burl_free_put(w->at[i], now);
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
    if (w->ext == 0 && w->n == 2 && cell_extend(f, cell, w->was[1], w->was[1], now))
        return;
    if (!merge_near(w, now, false))
        burl_free_put(w->at[choose_victim(f, w, now)], now);
}

/* Reports a race with `e`, which is another thread's, if there is one. True: it happened before. */
static inline bool
check_entry(struct burl_free_thread *f, uintptr_t addr, const struct burl_cell *cell, uint64_t ext,
            uint64_t e, uint64_t now, uint32_t flags)
{
    if (burl_free_happened_before(f, e))
        return true;
    if (burl_entry_conflicts(e, now) && burl_free.race && (ext == 0 || ext_valid(cell, ext)))
        burl__report_race(f, addr, e, now, flags);
    return false;
}

/* Checks every word: reports races, and finds a place. False: the place was taken meanwhile. */
static bool
look_and_place(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now,
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
        if (burl_free_is_own(f, e)) {
            if (burl_free_says(e, now))
                return true;
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
            burl_free_put(w.at[i], 0);
    }
    if (place == UINT32_MAX)
        place = empty;
    if (place != UINT32_MAX)
        return burl_free_claim(w.at[place], w.was[place], now);
    make_room(f, cell, &w, now);
    return true;
}

static BURL_NOINLINE void
access_shared(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now,
              uint32_t flags)
{
    while (!look_and_place(f, addr, cell, now, flags))
        ;
}

/* Has this stretch said so already, in a cell that others read too? Whether the extension is still
 * the cell's does not matter: at worst this access is not remembered. */
static inline bool
ext_says(uint64_t word, uint64_t now)
{
    const struct ext *x = ext_of(word);

    return burl_free_says(burl_free_get(&x->e[0]), now) ||
           burl_free_says(burl_free_get(&x->e[1]), now) ||
           burl_free_says(burl_free_get(&x->e[2]), now);
}

static inline __attribute__((always_inline)) void
access_cell(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now,
            uint32_t flags)
{
    uint64_t second;

    if (burl_free_own_cell(f, cell, now) || burl_free_handed_cell(f, cell, now))
        return;
    second = burl_free_get(&cell->e[1]);
    if (burl_free_says(second, now) || (burl_entry_is_extension(second) && ext_says(second, now)))
        return;
    access_shared(f, addr, cell, now, flags);
}

/* ---- location pairs ------------------------------------------------------------------------- */

/* Bytes of the 4, by BURL_PAIR_BYTES. */
static const uint8_t pair_mask[8] = { 0, 0xf, 1, 2, 4, 8, 3, 0xc };

static uint32_t
pair_code(uint32_t last)
{
    return (last & BURL_PAIR_SITE) / 8;
}

static BURL_NOINLINE void
note_shared(uint32_t e, uint32_t now, uintptr_t addr)
{
    burl_noise_shared(burl__pair_site(pair_code(e)), burl__pair_site(pair_code(now)), addr);
}

#define FOREIGN_B 256u /* of a long range only its beginning is looked at */

bool
burl_free_is_foreign(const struct burl_free_thread *f, uintptr_t addr, uint64_t n)
{
    const uint32_t own = f->slot << BURL_PAIR_SLOT_SHIFT;
    const uint32_t *end = burl_pair_words(addr + (n < FOREIGN_B ? n : FOREIGN_B) - 1);

    for (const uint32_t *last = burl_pair_words(addr); burl_free.pairs && last <= end; last++) {
        uint32_t e = burl_pair_load(last);

        if (e != 0 && burl_pair_is_foreign(e, own))
            return true;
    }
    return false;
}

static inline void
note_word(struct burl_free_thread *f, uintptr_t addr, uint32_t now)
{
    uint32_t *last = burl_pair_words(addr);

    uint32_t e = burl_pair_load(last);

    if (e == now)
        return;
    if (BURL_UNLIKELY(burl_noise_on) && e != 0 && burl_pair_is_foreign(e, now))
        note_shared(e, now, addr);
    if (e != 0 && burl_pair_is_foreign(e, now) && ((e | now) & BURL_PAIR_WRITE) != 0 &&
        (pair_mask[e & BURL_PAIR_BYTES] & pair_mask[now & BURL_PAIR_BYTES]) != 0)
        burl__locpairs_add(f, pair_code(e), pair_code(now));
    burl_pair_store(last, now);
}

/* code: as in an entry. */
static void
note_last(struct burl_free_thread *f, uintptr_t addr, uint64_t n, uint32_t code, bool write)
{
    uint32_t now =
        f->slot << BURL_PAIR_SLOT_SHIFT | burl__pair_code(code) * 8 | (write ? BURL_PAIR_WRITE : 0);

    while (n > 0) {
        uint64_t done = burl_free_take(addr, n, now);
        uint32_t from = (addr += done) & 3;
        uint64_t k = 4 - from < n - done ? 4 - from : n - done;

        if (k != 0)
            note_word(f, addr, now | burl_pair_mask[((1u << k) - 1) << from]);
        addr += k;
        n -= done + k;
    }
}

BURL_EXPORT void
__burl_free_last(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                 const struct burl_wire_site *site, uint64_t kind)
{
    note_last(f, addr, n, burl_free_code(f, site), (kind & BURL_ENTRY_WRITE) != 0);
}

/* ---- entry points --------------------------------------------------------------------------- */

static bool
ignored(const struct burl_free_thread *f, uint64_t low)
{
    return (low & BURL_ENTRY_WRITE) != 0 ? f->ignore_writes != 0 : f->ignore_reads != 0;
}

/* Not the plain case: ignore regions, further observers. */
static inline __attribute__((always_inline)) void
access_special(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now,
               uint32_t flags)
{
    if (ignored(f, now))
        return;
    if (burl_free.race && !burl_free_says(burl_free_get(&cell->e[0]), now))
        access_cell(f, addr, cell, now, flags);
}

static BURL_NOINLINE void
observed_access(struct burl_free_thread *f, uintptr_t addr, struct burl_cell *cell, uint64_t now)
{
    uint32_t n = burl_entry_size(now);

    if (burl_free.more && !ignored(f, now))
        burl__free_notify_access(f, addr, n, burl__site_of(burl_entry_site(now)), now, false);
    if (burl_free.pairs && !ignored(f, now))
        note_last(f, addr, n, burl_entry_site(now), (now & BURL_ENTRY_WRITE) != 0);
    access_special(f, addr, cell, now, 0);
}

BURL_EXPORT void
__burl_free_cell(struct burl_free_thread *f, uintptr_t addr, const struct burl_wire_site *site,
                 uint64_t low, struct burl_cell *cell)
{
    uint64_t now = f->epoch | burl_free_low(f, site, low);

    if (BURL_UNLIKELY(!burl_free_scope_is_noted(f)))
        burl__ring_scope(f);
    if (BURL_UNLIKELY(f->special))
        observed_access(f, addr, cell, now);
    else
        access_cell(f, addr, cell, now, 0);
}

/* Out of line: loops stay small. */
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
range_access(struct burl_free_thread *f, uintptr_t addr, uint64_t n, uint64_t now, uint32_t flags)
{
    if (BURL_UNLIKELY(!burl_free_scope_is_noted(f)))
        burl__ring_scope(f);
    while (n > 0) {
        uint64_t done = burl_free_known_cells(f, addr, n, now, !f->special);
        uint32_t off = (addr += done) & 7;
        uint64_t k = 8 - off < n - done ? 8 - off : n - done;

        if (k != 0)
            one_of_range(f, addr - off, burl_shadow_cell(addr),
                         now | burl_entry_bytes(addr, (uint32_t)k), flags);
        addr += k;
        n -= done + k;
    }
}

BURL_EXPORT void
__burl_free_across(struct burl_free_thread *f, uintptr_t addr, const struct burl_wire_site *site,
                   uint32_t n, uint64_t kind)
{
    uint64_t now = f->epoch | burl_free_low(f, site, kind);

    if (BURL_UNLIKELY(f->special))
        burl_free_range(f, addr, n, site, kind);
    else
        range_access(f, addr, n, now, 0);
}

BURL_EXPORT void
__burl_free_rest(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                 const struct burl_wire_site *site, uint64_t kind)
{
    uint64_t now = f->epoch | burl_free_low(f, site, kind);

    if (BURL_UNLIKELY(burl_free.metrics) && !ignored(f, now))
        burl__metric_access(f, addr, n, site, kind);
    if (BURL_UNLIKELY(burl_free.more) && !ignored(f, now))
        burl__free_notify_access(f, addr, n, site->id, kind, false);
    if (BURL_UNLIKELY(burl_free.pairs) && !ignored(f, now))
        __burl_free_last(f, addr, n, site, kind);
    if (burl_free.race)
        range_access(f, addr, n, now, 0);
}

BURL_EXPORT void
__burl_free_race_rest(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                      const struct burl_wire_site *site, uint64_t kind)
{
    range_access(f, addr, n, f->epoch | burl_free_low(f, site, kind), 0);
}

void
burl__shadow_free(struct burl_free_thread *f, uintptr_t addr, size_t n, uint32_t site)
{
    uint64_t now = f->epoch | burl_entry_low(site, BURL_ENTRY_KIND, 0);

    if (BURL_UNLIKELY(burl_free.more) && !ignored(f, now))
        burl__free_notify_access(f, addr, n, burl__site_of(site), BURL_ENTRY_KIND, true);
    if (burl_free.race)
        range_access(f, addr, n, now, BURL_SIDE_F_FREE);
}

/* ---- forgetting ----------------------------------------------------------------------------- */

/* Reading first: memory that was never touched has no page for this. */
static inline void
clear_pair(uintptr_t at)
{
    if (burl_free_get((uint64_t *)at) != 0)
        burl_free_put((uint64_t *)at, 0);
}

/* A cell is cleared wholly if any of its bytes is in the range: memory from the allocator and
 * stacks begin and end at multiples of 8. */
static inline void
clear_cell(uintptr_t at)
{
    struct burl_cell *cell = (struct burl_cell *)at;
    uint64_t second = burl_free_get(&cell->e[1]);

    if (burl_free_get(&cell->e[0]) != 0)
        burl_free_put(&cell->e[0], 0);
    if (second == 0)
        return;
    burl_free_put(&cell->e[1], 0);
    if (burl_entry_is_extension(second) && burl_free_me != NULL)
        ext_give(burl_free_me, (uint32_t)second);
}

/* Above this the pages are given back; extensions in them are lost, which the pool can bear. Below,
 * that costs more than it saves: every page comes back by two faults, the first of which only reads
 * and has all processors forget it at the second. */
#define CLEAR_BY_HAND_B (1u << 20)

/* Clears [at, end) of a shadow in steps, for n bytes of the program. */
static inline __attribute__((always_inline)) void
clear_area(uintptr_t at, uintptr_t end, size_t step, size_t n, void (*clear)(uintptr_t at))
{
    uintptr_t lo = end;
    uintptr_t hi = end;

    if (n >= CLEAR_BY_HAND_B) {
        lo = (at + PAGE_B - 1) & ~(uintptr_t)(PAGE_B - 1);
        hi = end & ~(uintptr_t)(PAGE_B - 1);
        BURL_SYS3(SYS_madvise, lo, hi - lo, MADV_DONTNEED);
    }
    for (; at < lo; at += step)
        clear(at);
    for (at = hi; at < end; at += step)
        clear(at);
}

void
burl__shadow_clear(uintptr_t addr, size_t n)
{
    if (n == 0 || ((addr + n + 7) & BURL_SHADOW_ADDR) < (addr & BURL_SHADOW_ADDR))
        return;
    if (burl_free.pairs)
        clear_area(BURL_PAIRS_BASE + (addr & BURL_SHADOW_ADDR & ~7ull),
                   BURL_PAIRS_BASE + ((addr + n + 7) & BURL_SHADOW_ADDR & ~7ull), 8, n, clear_pair);
    if (burl_free.race)
        clear_area((uintptr_t)burl_shadow_cell(addr), (uintptr_t)burl_shadow_cell(addr + n + 7),
                   sizeof(struct burl_cell), n, clear_cell);
}
