/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_free_shadow.c - the shadow of free mode: entries (free/entry.h), what a cell
 * remembers, which races it shows and which location pairs (free/shadow.c).
 *
 * The source file is included, on top of a shadow in this process; what it asks the rest of the
 * runtime for is written down here. Threads are struct burl_free_thread that never run: their
 * clocks are set by hand.
 */
#include <sys/mman.h>

#include "rt/free/shadow.c"
#include "unit.h"

struct burl_free burl_free;
struct burl_rt burl_rt;
BURL_EXPORT __thread struct burl_free_thread *burl_free_self;
BURL_EXPORT __thread struct burl_free_thread *burl_free_me;

/* What was reported, last first. */
static uint32_t n_races;
static uint32_t race_old;
static uint32_t race_now;
static uint64_t race_entry;
static uint32_t n_pairs;
static uint32_t pair_old;
static uint32_t pair_now;
static uint8_t seen_pairs[64][64];

static void
note_pair(uint32_t earlier, uint32_t later)
{
    assert_in_range(earlier, 0, 63);
    assert_in_range(later, 0, 63);
    n_pairs += !seen_pairs[earlier][later];
    seen_pairs[earlier][later] = 1;
}

static struct burl_wire_site sites[64]; /* their places are their names */

static uint32_t
site_number(uint32_t code, uint32_t n_codes)
{
    return (code - (uint32_t)((uintptr_t)sites / sizeof sites[0])) & (n_codes - 1);
}

void
burl__report_race(struct burl_free_thread *f, uintptr_t cell_addr, uint64_t old, uint64_t now,
                  uint32_t now_flags)
{
    (void)f;
    (void)cell_addr;
    (void)now_flags;
    n_races++;
    race_old = site_number(burl_entry_site(old), BURL_ENTRY_SITES);
    race_now = site_number(burl_entry_site(now), BURL_ENTRY_SITES);
    race_entry = old;
}

void
burl__ring_scope(struct burl_free_thread *f)
{
    (void)f;
}

void
burl__locpairs_add(struct burl_free_thread *f, uint32_t earlier, uint32_t later)
{
    (void)f;
    pair_old = site_number(earlier, BURL_PAIR_SITES);
    pair_now = site_number(later, BURL_PAIR_SITES);
    note_pair(pair_old, pair_now);
}

uint32_t
burl__pair_code(uint32_t code)
{
    return code & (BURL_PAIR_SITES - 1);
}

uint32_t
burl__pair_site(uint32_t code)
{
    return site_number(code, BURL_PAIR_SITES);
}

bool burl_noise_on;
static uint32_t noise_earlier;
static uint32_t noise_later;
static uintptr_t noise_addr;

void
burl_noise_shared(uint32_t earlier, uint32_t later, uintptr_t addr)
{
    noise_earlier = earlier;
    noise_later = later;
    noise_addr = addr;
}

void
burl__free_notify_access(struct burl_free_thread *me, uintptr_t addr, uint64_t n, uint32_t site,
                         uint64_t kind, bool is_free)
{
    (void)me;
    (void)addr;
    (void)n;
    (void)site;
    (void)kind;
    (void)is_free;
}

void
burl__metric_access(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                    const struct burl_wire_site *site, uint64_t kind)
{
    (void)f;
    (void)addr;
    (void)n;
    (void)site;
    (void)kind;
}

void
burl__metrics_dense(uintptr_t addr)
{
    (void)addr;
}

uint32_t
burl__site_of(uint32_t code)
{
    return code;
}

void *
burl__free_map_at(uintptr_t addr, size_t n)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *p = mmap((void *)addr, n, PROT_READ | PROT_WRITE,
                   flags | (addr != 0 ? MAP_FIXED_NOREPLACE : 0), -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

void *
burl__free_map(size_t n)
{
    return burl__free_map_at(0, n);
}

/* ---- the rig ------------------------------------------------------------------------------- */

static struct burl_free_thread threads[6];
static _Alignas(64) char memory[4096];
static bool mapped;

static void
set_clock(struct burl_free_thread *f, uint32_t clock)
{
    f->clock = clock;
    f->hb[f->slot] = clock;
    f->epoch = burl_entry_epoch(f->slot, clock);
    f->pairs = burl_free.pairs;
    f->race = burl_free.race;
    f->direct = true;
    f->pair_slot = f->slot << BURL_PAIR_SLOT_SHIFT;
    f->same = f->special ? UINT64_MAX : f->epoch | 0xffffffffull;
}

static int
start(void **state)
{
    (void)state;
    if (!mapped && (!burl__shadow_map() || !burl__shadow_map_pairs()))
        return -1;
    mapped = true;
    n_races = 0;
    n_pairs = 0;
    memset(seen_pairs, 0, sizeof seen_pairs);
    burl_free.race = true;
    burl_free.pairs = true; /* so that both are cleared */
    memset(threads, 0, sizeof threads);
    for (uint32_t i = 0; i < 6; i++) {
        threads[i].slot = i + 1;
        set_clock(&threads[i], 5);
    }
    burl_free_me = &threads[0];
    burl__shadow_clear((uintptr_t)memory, sizeof memory);
    burl_free.pairs = false;
    for (uint32_t i = 0; i < 6; i++)
        set_clock(&threads[i], 5);
    return 0;
}

static int
start_pairs(void **state)
{
    start(state);
    burl_free.pairs = true;
    for (uint32_t i = 0; i < 6; i++)
        set_clock(&threads[i], 5);
    return 0;
}

#define T1 (&threads[0])
#define T2 (&threads[1])
#define T3 (&threads[2])
#define T4 (&threads[3])

/* As the hooks do it. */
static void
access_at(struct burl_free_thread *f, size_t at, uint32_t n, uint32_t site, uint64_t kind)
{
    if (f->pairs)
        burl_free_pairs_access(f, (uintptr_t)memory + at, n, &sites[site], kind);
    else
        burl_free_access(f, (uintptr_t)memory + at, n, &sites[site], kind);
}

static void
range_at(struct burl_free_thread *f, size_t at, uint64_t n, uint32_t site, uint64_t kind)
{
    if (f->pairs)
        burl_free_pairs_range(f, (uintptr_t)memory + at, n, &sites[site], kind);
    else
        burl_free_known_range(f, (uintptr_t)memory + at, n, &sites[site], kind);
}

#define READ(t, at, n, site) access_at(t, at, n, site, BURL_ENTRY_PLAIN)
#define WRITE(t, at, n, site) access_at(t, at, n, site, BURL_ENTRY_KIND)
#define ATOMIC_READ(t, at, n, site) access_at(t, at, n, site, 0)
#define ATOMIC_WRITE(t, at, n, site) access_at(t, at, n, site, BURL_ENTRY_WRITE)

/* All that `from` did so far happens before what `to` does next. */
static void
order(struct burl_free_thread *from, struct burl_free_thread *to)
{
    for (uint32_t i = 0; i < BURL_FREE_CLOCKS; i++) {
        if (from->hb[i] > to->hb[i])
            to->hb[i] = from->hb[i];
    }
    set_clock(from, from->clock + 1);
}

/* ---- entries -------------------------------------------------------------------------------- */

static void
fields_come_back_as_they_went_in(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 10000; i++) {
        uint32_t slot, clock, site;
        uint64_t e, kind, mask;

        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        slot = (uint32_t)(seed >> 56) % BURL_ENTRY_SLOTS;
        clock = (uint32_t)(seed >> 20) & BURL_ENTRY_CLOCK_MAX;
        site = (uint32_t)(seed >> 30) % BURL_ENTRY_SITES;
        kind = seed & BURL_ENTRY_KIND;
        mask = (seed >> 40 & 0xff) | 1;
        e = burl_entry_epoch(slot, clock) | burl_entry_low(site, kind, mask);
        assert_int_equal(burl_entry_slot(e), slot);
        assert_int_equal(burl_entry_clock(e), clock);
        assert_int_equal(burl_entry_site(e), site);
        assert_int_equal(e & BURL_ENTRY_KIND, kind);
        assert_int_equal(e & BURL_ENTRY_MASK, mask);
        assert_false(burl_entry_is_extension(e));
    }
    assert_int_equal(burl_entry_site(burl_entry_low(BURL_ENTRY_SITES, 0, 1)), 0);
}

static void
the_bytes_of_an_access_beyond_the_cell_are_in_the_next(void **state)
{
    (void)state;
    assert_int_equal(burl_entry_bytes(0x1000, 8), 0xff);
    assert_int_equal(burl_entry_bytes(0x1004, 4), 0xf0);
    assert_int_equal(burl_entry_bytes(0x1007, 1), 0x80);
    assert_int_equal(burl_entry_bytes(0x1006, 4), 0x3c0);
}

static void
conflicts_need_common_bytes_a_write_and_a_plain_access(void **state)
{
    const uint64_t read = BURL_ENTRY_PLAIN | 0x0f;
    const uint64_t write = BURL_ENTRY_KIND | 0x0f;
    const uint64_t atomic_write = BURL_ENTRY_WRITE | 0x0f;

    (void)state;
    assert_true(burl_entry_conflicts(read, write));
    assert_true(burl_entry_conflicts(write, write));
    assert_true(burl_entry_conflicts(read, atomic_write));
    assert_false(burl_entry_conflicts(read, read));
    assert_false(burl_entry_conflicts(atomic_write, atomic_write));
    assert_false(burl_entry_conflicts(0x0f, atomic_write));
    assert_false(burl_entry_conflicts(write, BURL_ENTRY_KIND | 0xf0));
    assert_true(burl_entry_covers(write, read));
    assert_false(burl_entry_covers(read, write));
    assert_false(burl_entry_covers(atomic_write, read));
}

/* ---- races ----------------------------------------------------------------------------------- */

static void
two_writes_without_order_race(void **state)
{
    (void)state;
    WRITE(T1, 0, 4, 10);
    WRITE(T2, 0, 4, 20);
    assert_int_equal(n_races, 1);
    assert_int_equal(race_old, 10);
    assert_int_equal(race_now, 20);
}

static void
ordered_writes_do_not(void **state)
{
    (void)state;
    WRITE(T1, 0, 4, 10);
    order(T1, T2);
    WRITE(T2, 0, 4, 20);
    READ(T2, 0, 4, 21);
    assert_int_equal(n_races, 0);
}

static void
what_comes_after_the_release_is_not_covered_by_it(void **state)
{
    (void)state;
    order(T1, T2);
    WRITE(T1, 0, 4, 10);
    READ(T2, 0, 4, 20);
    assert_int_equal(n_races, 1);
}

static void
readers_do_not_race_with_each_other_but_with_the_writer(void **state)
{
    (void)state;
    READ(T1, 0, 8, 10);
    READ(T2, 0, 8, 20);
    READ(T3, 0, 8, 30);
    assert_int_equal(n_races, 0);
    WRITE(T4, 0, 8, 40);
    assert_int_equal(n_races, 3);
}

static void
atomics_race_with_plain_accesses_only(void **state)
{
    (void)state;
    ATOMIC_WRITE(T1, 0, 4, 10);
    ATOMIC_WRITE(T2, 0, 4, 20);
    ATOMIC_READ(T3, 0, 4, 30);
    assert_int_equal(n_races, 0);
    READ(T3, 0, 4, 31);
    assert_int_equal(n_races, 2);
}

static void
neighbors_in_eight_bytes_are_apart(void **state)
{
    (void)state;
    WRITE(T1, 0, 4, 10);
    WRITE(T2, 4, 4, 20);
    WRITE(T1, 8, 1, 11);
    WRITE(T2, 9, 1, 21);
    WRITE(T3, 10, 2, 31);
    assert_int_equal(n_races, 0);
    WRITE(T3, 4, 4, 30);
    assert_int_equal(n_races, 1);
    assert_int_equal(race_old, 20);
    WRITE(T3, 8, 1, 32);
    assert_int_equal(n_races, 2);
    assert_int_equal(race_old, 11);
}

static void
a_wide_access_meets_each_byte(void **state)
{
    (void)state;
    WRITE(T1, 3, 1, 10);
    WRITE(T2, 0, 8, 20);
    assert_int_equal(n_races, 1);
}

static void
an_access_across_two_cells_is_in_both(void **state)
{
    (void)state;
    WRITE(T1, 6, 4, 10);
    READ(T2, 0, 1, 20);
    assert_int_equal(n_races, 0);
    READ(T2, 7, 1, 21);
    READ(T2, 9, 1, 22);
    assert_int_equal(n_races, 2);
    READ(T2, 10, 1, 23);
    assert_int_equal(n_races, 2);
}

static void
a_range_ends_where_it_ends(void **state)
{
    (void)state;
    range_at(T1, 3, 100, 10, BURL_ENTRY_KIND);
    READ(T2, 2, 1, 20);
    READ(T2, 103, 1, 21);
    assert_int_equal(n_races, 0);
    READ(T2, 3, 1, 22);
    READ(T2, 102, 1, 23);
    READ(T2, 64, 8, 24);
    assert_int_equal(n_races, 3);
    range_at(T1, 3, 100, 11, BURL_ENTRY_KIND); /* says nothing new */
    assert_int_equal(n_races, 3);
}

static void
the_writer_is_remembered_beside_three_readers(void **state)
{
    (void)state;
    WRITE(T1, 0, 8, 10);
    order(T1, T2);
    order(T1, T3);
    READ(T2, 0, 8, 20);
    READ(T3, 0, 8, 30);
    assert_int_equal(n_races, 0);
    READ(T4, 0, 8, 40); /* was not told */
    assert_int_equal(n_races, 1);
    assert_int_equal(race_old, 10);
}

static void
an_older_write_of_the_same_thread_is_not_hidden_by_its_read(void **state)
{
    (void)state;
    WRITE(T1, 0, 4, 10);
    set_clock(T1, 6);
    READ(T1, 0, 4, 11);
    READ(T2, 0, 4, 20);
    assert_int_equal(n_races, 1);
    assert_int_equal(race_old, 10);
}

static void
a_third_site_in_a_cell_of_one_thread_is_marked(void **state)
{
    (void)state;
    WRITE(T1, 0, 1, 10);
    WRITE(T1, 1, 1, 11);
    WRITE(T1, 2, 1, 12);
    WRITE(T1, 3, 1, 13);
    for (uint32_t i = 0; i < 4; i++)
        WRITE(T2, i, 1, 20 + i);
    assert_int_equal(n_races, 4); /* none is lost */
    assert_true((race_entry & BURL_ENTRY_NEAR) != 0 || race_old == 13);
}

static void
cleared_memory_has_no_past(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        READ(&threads[i], 16, 8, 10 + i); /* more than two: an extension */
    burl__shadow_clear((uintptr_t)memory + 16, 8);
    WRITE(&threads[4], 16, 8, 50);
    assert_int_equal(n_races, 0);
}

static void
ignored_accesses_are_neither_seen_nor_remembered(void **state)
{
    (void)state;
    T1->ignore_writes = 1;
    T1->special = true;
    T1->same = UINT64_MAX;
    WRITE(T1, 0, 4, 10);
    WRITE(T2, 0, 4, 20);
    assert_int_equal(n_races, 0);
    READ(T1, 0, 4, 11);
    assert_int_equal(n_races, 1);
}

/* No race may be made up, whatever is given up for lack of room: random accesses to one cell by
 * five threads that are ordered by one lock. */
static void
one_lock_for_all_keeps_silence(void **state)
{
    static struct burl_free_thread lock;
    uint64_t seed = 7;

    (void)state;
    memset(&lock, 0, sizeof lock);
    for (int i = 0; i < 20000; i++) {
        struct burl_free_thread *t;
        uint32_t n, at;

        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        t = &threads[(seed >> 60) % 5];
        for (uint32_t k = 0; k < BURL_FREE_CLOCKS; k++)
            t->hb[k] = lock.hb[k] > t->hb[k] ? lock.hb[k] : t->hb[k];
        n = 1u << (seed >> 50 & 3);
        at = (uint32_t)(seed >> 40 & 7);
        access_at(t, at, n, 10 + (uint32_t)(seed >> 33 & 7),
                  (seed >> 20 & 1) != 0 ? BURL_ENTRY_KIND : BURL_ENTRY_PLAIN);
        memcpy(lock.hb, t->hb, sizeof lock.hb);
        set_clock(t, t->clock + 1);
    }
    assert_int_equal(n_races, 0);
}

/* ---- location pairs ------------------------------------------------------------------------- */

static void
a_pair_is_the_last_access_and_the_next_of_another(void **state)
{
    (void)state;
    WRITE(T1, 0, 4, 10);
    WRITE(T1, 0, 4, 11);
    order(T1, T2);
    READ(T2, 0, 4, 20);
    assert_int_equal(n_pairs, 1);
    assert_int_equal(pair_old, 11);
    assert_int_equal(pair_now, 20);
    order(T2, T1);
    WRITE(T1, 0, 4, 12);
    assert_int_equal(n_pairs, 2);
    assert_int_equal(pair_old, 20);
    assert_int_equal(n_races, 0);
}

static void
an_own_access_in_between_makes_it_none(void **state)
{
    (void)state;
    WRITE(T1, 0, 8, 10);
    order(T1, T2);
    READ(T2, 0, 8, 20);
    assert_int_equal(n_pairs, 1);
    WRITE(T2, 0, 8, 21); /* follows its own read */
    assert_int_equal(n_pairs, 1);
}

static void
two_reads_are_no_pair(void **state)
{
    (void)state;
    READ(T1, 0, 8, 10);
    READ(T2, 0, 8, 20);
    READ(T1, 0, 8, 11);
    assert_int_equal(n_pairs, 0);
}

static void
two_variables_in_eight_bytes_have_their_own(void **state)
{
    (void)state;
    WRITE(T1, 0, 4, 10);
    WRITE(T1, 4, 4, 11);
    order(T1, T2);
    READ(T2, 0, 4, 20);
    assert_int_equal(pair_old, 10);
    READ(T2, 4, 4, 21);
    assert_int_equal(pair_old, 11);
    assert_int_equal(n_pairs, 2);
}

static void
races_are_found_with_pairs_too(void **state)
{
    (void)state;
    WRITE(T1, 0, 4, 10);
    READ(T1, 0, 4, 11); /* the last access, but the write is what races */
    READ(T2, 0, 4, 20);
    assert_int_equal(n_races, 1);
    assert_int_equal(race_old, 10);
    assert_int_equal(n_pairs, 0);
}

static void
parts_of_a_word_have_their_own_pairs(void **state)
{
    (void)state;
    WRITE(T1, 1, 1, 10);
    order(T1, T2);
    READ(T2, 0, 1, 20); /* a neighbor: no pair, but it takes the place */
    assert_int_equal(n_pairs, 0);
    WRITE(T1, 8, 2, 11);
    order(T1, T2);
    READ(T2, 9, 1, 21);
    assert_int_equal(n_pairs, 1);
    WRITE(T1, 16, 1, 12);
    order(T1, T2);
    READ(T2, 16, 8, 22);
    assert_int_equal(n_pairs, 2);
}

/* What the definition says, byte by byte: the access before it, by any thread. */
struct truth {
    uint8_t thread[96]; /* + 1 */
    uint8_t site[96];
    bool write[96];
    uint8_t pairs[64][64];
};

static void
truth_access(struct truth *t, uint32_t thread, uint32_t at, uint32_t n, uint32_t site, bool write)
{
    for (uint32_t i = at; i < at + n; i++) {
        if (t->thread[i] != 0 && t->thread[i] != thread + 1 && (t->write[i] || write))
            t->pairs[t->site[i]][site] = 1;
    }
    for (uint32_t i = at; i < at + n; i++) {
        t->thread[i] = (uint8_t)(thread + 1);
        t->site[i] = (uint8_t)site;
        t->write[i] = write;
    }
}

/* Memory is given back and allocated anew. */
static void
truth_clear(struct truth *t, uint32_t at, uint32_t n)
{
    memset(&t->thread[at], 0, n);
    burl__shadow_clear((uintptr_t)memory + at, n);
}

static void
random_accesses(struct truth *t, uint64_t seed, bool whole_words)
{
    for (int i = 0; i < 3000; i++) {
        uint32_t thread, n, at, site;
        bool write, range;

        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        thread = (uint32_t)(seed >> 60) % 4;
        n = whole_words ? 4u << (seed >> 50 & 1) : 1u << (seed >> 50 & 3);
        at = (uint32_t)(seed >> 40 & 31);
        at = whole_words ? at & ~3u : at;
        site = 1 + (uint32_t)(seed >> 33) % 63;
        write = (seed >> 20 & 3) == 0;
        range = (seed >> 15 & 7) == 0;
        if (range)
            n = whole_words ? 4 + (uint32_t)(seed >> 22 & 0x1c) : 1 + (uint32_t)(seed >> 22 & 31);
        if ((seed >> 11 & 15) == 0)
            truth_clear(t, (uint32_t)(seed >> 5 & 7) * 8, 8 + (uint32_t)(seed >> 8 & 3) * 8);
        truth_access(t, thread, at, n, site, write);
        if (range)
            range_at(&threads[thread], at, n, site, write ? BURL_ENTRY_KIND : BURL_ENTRY_PLAIN);
        else
            access_at(&threads[thread], at, n, site, write ? BURL_ENTRY_KIND : BURL_ENTRY_PLAIN);
    }
}

static void
no_pair_is_made_up(void **state)
{
    static struct truth t;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        start_pairs(state);
        memset(&t, 0, sizeof t);
        random_accesses(&t, seed, false);
        for (uint32_t i = 0; i < 64 * 64; i++)
            assert_true(seen_pairs[i / 64][i % 64] <= t.pairs[i / 64][i % 64]);
        assert_true(n_pairs > 100);
    }
}

static void
of_whole_words_every_pair_is_found(void **state)
{
    static struct truth t;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        start_pairs(state);
        memset(&t, 0, sizeof t);
        random_accesses(&t, seed, true);
        assert_memory_equal(seen_pairs, t.pairs, sizeof t.pairs);
    }
}

/* Modules fall together in the bits of their places: sites go by number, the long way. */
static void
pairs_are_found_when_places_are_no_names(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        threads[i].pair_slot = BURL_ENTRY_EXTENSION << BURL_PAIR_SLOT_SHIFT;
    WRITE(T1, 0, 4, 10);
    range_at(T1, 8, 24, 11, BURL_ENTRY_KIND);
    READ(T2, 0, 4, 20);
    assert_int_equal(n_pairs, 1);
    assert_int_equal(pair_old, 10);
    range_at(T2, 11, 3, 21, BURL_ENTRY_PLAIN);
    assert_int_equal(n_pairs, 2);
    assert_int_equal(pair_old, 11);
    assert_int_equal(pair_now, 21);
}

/* A range of which some is this thread's, some of no thread and some another's. */
static void
a_range_goes_on_behind_the_words_of_another(void **state)
{
    (void)state;
    WRITE(T1, 8, 8, 10);
    WRITE(T2, 16, 4, 20);
    WRITE(T1, 24, 4, 11);
    burl__shadow_clear((uintptr_t)memory + 24, 8);
    WRITE(T1, 32, 4, 12);
    range_at(T2, 3, 40, 21, BURL_ENTRY_PLAIN);
    assert_int_equal(n_pairs, 2); /* 10 and 12 */
    assert_int_equal(pair_old, 12);
    assert_int_equal(n_races, 2);
    range_at(T3, 0, 4096, 30, BURL_ENTRY_KIND);
    assert_int_equal(n_pairs, 3); /* every word of it was T2's last */
    assert_int_equal(pair_old, 21);
}

/* Races that the exact rules do not know are made up: vector clocks for every byte. */
static void
no_race_is_made_up_and_a_lone_pair_is_found(void **state)
{
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint64_t r = seed * 6364136223846793005ull;
        uint32_t n1 = 1u << (r >> 60 & 3);
        uint32_t n2 = 1u << (r >> 57 & 3);
        uint32_t at1 = (uint32_t)(r >> 40 & 15);
        uint32_t at2 = (uint32_t)(r >> 30 & 15);
        bool overlap = at1 < at2 + n2 && at2 < at1 + n1;
        bool ordered = (r >> 20 & 1) != 0;
        bool writes = (r >> 21 & 3) != 0;

        start(state);
        READ(T1, at2, n2, 9);
        access_at(T1, at1, n1, 10, writes ? BURL_ENTRY_KIND : BURL_ENTRY_PLAIN);
        if (ordered)
            order(T1, T2);
        READ(T2, at2, n2, 20);
        assert_int_equal(n_races > 0, overlap && writes && !ordered);
    }
}

static void
one_lock_for_all_keeps_silence_with_pairs(void **state)
{
    one_lock_for_all_keeps_silence(state);
    assert_true(n_pairs > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_come_back_as_they_went_in),
        cmocka_unit_test(the_bytes_of_an_access_beyond_the_cell_are_in_the_next),
        cmocka_unit_test(conflicts_need_common_bytes_a_write_and_a_plain_access),
        cmocka_unit_test_setup(two_writes_without_order_race, start),
        cmocka_unit_test_setup(ordered_writes_do_not, start),
        cmocka_unit_test_setup(what_comes_after_the_release_is_not_covered_by_it, start),
        cmocka_unit_test_setup(readers_do_not_race_with_each_other_but_with_the_writer, start),
        cmocka_unit_test_setup(atomics_race_with_plain_accesses_only, start),
        cmocka_unit_test_setup(neighbors_in_eight_bytes_are_apart, start),
        cmocka_unit_test_setup(a_wide_access_meets_each_byte, start),
        cmocka_unit_test_setup(an_access_across_two_cells_is_in_both, start),
        cmocka_unit_test_setup(a_range_ends_where_it_ends, start),
        cmocka_unit_test_setup(the_writer_is_remembered_beside_three_readers, start),
        cmocka_unit_test_setup(an_older_write_of_the_same_thread_is_not_hidden_by_its_read, start),
        cmocka_unit_test_setup(a_third_site_in_a_cell_of_one_thread_is_marked, start),
        cmocka_unit_test_setup(cleared_memory_has_no_past, start),
        cmocka_unit_test_setup(ignored_accesses_are_neither_seen_nor_remembered, start),
        cmocka_unit_test_setup(one_lock_for_all_keeps_silence, start),
        cmocka_unit_test_setup(a_pair_is_the_last_access_and_the_next_of_another, start_pairs),
        cmocka_unit_test_setup(an_own_access_in_between_makes_it_none, start_pairs),
        cmocka_unit_test_setup(two_reads_are_no_pair, start_pairs),
        cmocka_unit_test_setup(two_variables_in_eight_bytes_have_their_own, start_pairs),
        cmocka_unit_test_setup(races_are_found_with_pairs_too, start_pairs),
        cmocka_unit_test_setup(one_lock_for_all_keeps_silence_with_pairs, start_pairs),
        cmocka_unit_test_setup(parts_of_a_word_have_their_own_pairs, start_pairs),
        cmocka_unit_test_setup(pairs_are_found_when_places_are_no_names, start_pairs),
        cmocka_unit_test_setup(a_range_goes_on_behind_the_words_of_another, start_pairs),
        cmocka_unit_test(no_pair_is_made_up),
        cmocka_unit_test(of_whole_words_every_pair_is_found),
        cmocka_unit_test(no_race_is_made_up_and_a_lone_pair_is_found),
    };

#ifdef __SANITIZE_ADDRESS__
    /* Its allocator lies where the shadow of the last accesses has its place. */
    fputs("not under AddressSanitizer\n", stderr);
    return 77;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
