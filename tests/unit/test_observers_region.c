/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_observers_region.c - detect/region.c: when a marked region was broken.
 *
 * By hand for each rule, and at random against an oracle: units are regions, and single accesses
 * outside of them; which thread read which value, overwrote what was read, and wrote last
 * of its unit, say which unit comes first. The observer reports when that is a cycle.
 */
#include "observer_rig.h"

static uint64_t x;
static uint64_t y;
static uint64_t z;
static int m;
static struct burl_watch *t0;
static struct burl_watch *t1;
static struct burl_watch *t2;
static struct burl_watch *t3;

static int
start(void **state)
{
    (void)state;
    memset(&rig_ctl, 0, sizeof rig_ctl);
    t0 = rig_begin(BURL_OB(TRIPLE));
    t1 = rig_create(t0);
    t2 = rig_create(t0);
    t3 = rig_create(t0);
    return 0;
}

static uint32_t
finish(void)
{
    rig_end();
    return rig_count(BURL_SUSPECT_REGION);
}

/* p and c of a region of t1 at sites 1 and 3, r of t2 at site 2 in between. */
static bool
broken(uint8_t p, uint8_t r, uint8_t c)
{
    start(NULL);
    burl_ob_region_begin(t1);
    rig_access(t1, &x, 8, 1, p);
    rig_access(t2, &x, 8, 2, r);
    rig_access(t1, &x, 8, 3, c);
    burl_ob_region_end(t1);
    if (finish() == 0)
        return false;
    assert_int_equal(rig_count(BURL_SUSPECT_REGION), 1);
    assert_true(RIG_HAS(BURL_SUSPECT_REGION, 1, 2, 3));
    return true;
}

static void
one_variable_gives_the_four(void **state)
{
    const uint8_t r = 0;
    const uint8_t w = BURL_ACCESS_WRITE;

    (void)state;
    assert_true(broken(r, w, r));
    assert_true(broken(w, w, r));
    assert_true(broken(r, w, w));
    assert_true(broken(w, r, w));
    assert_false(broken(r, r, r));
    assert_false(broken(r, r, w));
    assert_false(broken(w, r, r));
    assert_false(broken(w, w, w));
}

static void
without_a_region_nothing(void **state)
{
    (void)state;
    RD(t1, x, 1);
    WR(t2, x, 2);
    RD(t1, x, 3);
    assert_int_equal(finish(), 0);
}

static void
r_outside_of_the_region_nothing(void **state)
{
    (void)state;
    RD(t1, x, 1);
    burl_ob_region_begin(t1);
    WR(t2, x, 2);
    RD(t1, x, 3);
    burl_ob_region_end(t1);
    WR(t2, x, 4);
    RD(t1, x, 5);
    assert_int_equal(finish(), 0);
}

/* A reader's region over two variables that belong together, and a writer in between. */
static void
two_variables(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    RD(t1, x, 1);
    WR(t2, x, 2);
    WR(t2, y, 4);
    RD(t1, y, 3);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 1);
    assert_true(RIG_HAS(BURL_SUSPECT_REGION, 1, 2, 3));
}

/* The writer did y before the region's p, and x after: both before and after is impossible to tell
 * from "y, region, x". */
static void
two_variables_in_serial_order(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    RD(t1, z, 5);
    WR(t2, y, 4);
    RD(t1, x, 1);
    RD(t1, y, 3);
    WR(t2, x, 2);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 0);
}

static void
a_lock_given_back_within_the_region(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    LOCK(t1, m, 10);
    RD(t1, x, 1);
    UNLOCK(t1, m);
    LOCK(t2, m, 11);
    WR(t2, x, 2);
    UNLOCK(t2, m);
    LOCK(t1, m, 10);
    WR(t1, x, 3);
    UNLOCK(t1, m);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 1);
}

/* The lock goes back and forth, but no thread touches what the region touches. */
static void
locks_alone_are_no_conflict(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    LOCK(t1, m, 10);
    RD(t1, x, 1);
    UNLOCK(t1, m);
    LOCK(t2, m, 11);
    WR(t2, y, 2);
    UNLOCK(t2, m);
    LOCK(t1, m, 10);
    WR(t1, x, 3);
    UNLOCK(t1, m);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 0);
}

/* t2 after the region, t3 before it; only a lock has t3 after t2, and it could be otherwise. */
static void
order_of_others_by_a_lock_does_not_count(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    RD(t1, x, 1);
    LOCK(t2, m, 11);
    WR(t2, x, 2);
    UNLOCK(t2, m);
    LOCK(t3, m, 12);
    WR(t3, y, 4);
    UNLOCK(t3, m);
    RD(t1, y, 3);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 0);
}

static void
order_of_others_by_a_signal_does(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    RD(t1, x, 1);
    WR(t2, x, 2);
    burl_ob_wake(t2, t3);
    WR(t3, y, 4);
    RD(t1, y, 3);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 1);
    assert_true(RIG_HAS(BURL_SUSPECT_REGION, 1, 2, 3));
}

static void
a_signal_before_r_does_not(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    RD(t1, x, 1);
    burl_ob_wake(t2, t3);
    WR(t2, x, 2);
    WR(t3, y, 4);
    RD(t1, y, 3);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 0);
}

/* t3 read what t2 wrote after the region's p, and then wrote what the region reads. */
static void
order_of_others_by_data_does(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    RD(t1, x, 1);
    WR(t2, x, 2);
    WR(t2, z, 5);
    RD(t3, z, 6);
    WR(t3, y, 4);
    RD(t1, y, 3);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 1);
}

static void
data_of_before_does_not(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    RD(t1, x, 1);
    WR(t2, z, 5);
    RD(t3, z, 6);
    WR(t2, x, 2);
    WR(t3, y, 4);
    RD(t1, y, 3);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 0);
}

/* x from one, y from the other: no order gives that. */
static void
mixed_blind_writes_at_the_end(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    WR(t1, x, 1);
    WR(t2, x, 2);
    WR(t2, y, 4);
    WR(t1, y, 3);
    assert_int_equal(rig_count(BURL_SUSPECT_REGION), 0);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 1);
    assert_true(RIG_HAS(BURL_SUSPECT_REGION, 1, 2, 3));
}

/* The same, but the region writes x again: then the other came first. */
static void
blind_writes_written_over_are_fine(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    WR(t1, x, 1);
    WR(t2, x, 2);
    WR(t2, y, 4);
    WR(t1, y, 3);
    WR(t1, x, 5);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 0);
}

/* t3 saw what the region wrote first. */
static void
written_over_after_somebody_read_is_not(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    WR(t1, x, 1);
    RD(t3, x, 6);
    WR(t2, x, 2);
    WR(t1, x, 5);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 1);
}

/* Each wrote one and then read the other's: only when both are regions is that a cycle. */
static void
two_regions_against_each_other(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    burl_ob_region_begin(t2);
    WR(t2, y, 4);
    WR(t1, x, 1);
    RD(t2, x, 2);
    RD(t1, y, 3);
    burl_ob_region_end(t2);
    burl_ob_region_end(t1);
    assert_true(finish() >= 1);

    start(state);
    burl_ob_region_begin(t1);
    WR(t2, y, 4);
    WR(t1, x, 1);
    RD(t2, x, 2);
    RD(t1, y, 3);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 0);
}

static void
nested_regions_are_one(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    burl_ob_region_begin(t1);
    RD(t1, x, 1);
    burl_ob_region_end(t1);
    WR(t2, x, 2);
    RD(t1, x, 3);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 1);
}

static void
one_region_after_the_other_is_two(void **state)
{
    (void)state;
    burl_ob_region_begin(t3); /* keeps the past of the others */
    burl_ob_region_begin(t1);
    RD(t1, x, 1);
    burl_ob_region_end(t1);
    WR(t2, x, 2);
    burl_ob_region_begin(t1);
    RD(t1, x, 3);
    burl_ob_region_end(t1);
    burl_ob_region_end(t3);
    assert_int_equal(finish(), 0);
}

static void
recycled_memory_does_not_conflict(void **state)
{
    (void)state;
    burl_ob_region_begin(t1);
    RD(t1, x, 1);
    burl_ob_forget((uintptr_t)&x, 8);
    WR(t2, x, 2);
    RD(t1, x, 3);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 0);
}

static void
neighbors_in_a_word_do_not_conflict(void **state)
{
    char *c = (char *)&x;

    (void)state;
    burl_ob_region_begin(t1);
    rig_access(t1, c, 4, 1, 0);
    rig_access(t2, c + 4, 4, 2, BURL_ACCESS_WRITE);
    rig_access(t1, c, 4, 3, 0);
    burl_ob_region_end(t1);
    assert_int_equal(finish(), 0);
}

static void
the_execution_ends_at_the_key(void **state)
{
    const uint32_t sites[3] = { 1, 2, 3 };

    (void)state;
    rig_ctl.order.stop_key = burl_wire_suspect_key(BURL_SUSPECT_REGION, sites, 3);
    rig_ctl.order.watch.n_sites = 3;
    memcpy(rig_ctl.order.watch.sites, sites, sizeof sites);
    burl_ob_region_begin(t1);
    RD(t1, x, 1);
    WR(t2, x, 2);
    assert_int_equal(rig_n_verdicts, 0);
    RD(t1, x, 3);
    assert_int_equal(rig_n_verdicts, 1);
    assert_int_equal(rig_verdict_kind, BURL_VERDICT_ATOMICITY_REGION);
    assert_int_equal(rig_sides[0].site, 1);
    assert_int_equal(rig_sides[0].stack[0], 4711);
    assert_int_equal(rig_sides[1].site, 2);
    assert_int_equal(rig_sides[1].tid, t2->tid);
    assert_int_equal(rig_sides[1].stack[0], 4711);
    burl_ob_region_end(t1);
    finish();
}

/* Free mode has no key to stop at: each is recorded, and the other's stack is of when it came. */
static void
in_free_mode_each_is_a_verdict(void **state)
{
    (void)state;
    t1->thread = NULL;
    t2->thread = NULL;
    burl_ob_region_begin(t1);
    RD(t1, x, 1);
    WR(t2, x, 2);
    RD(t1, x, 3);
    burl_ob_region_end(t1);
    assert_int_equal(rig_n_verdicts, 1);
    assert_int_equal(rig_verdict_kind, BURL_VERDICT_ATOMICITY_REGION);
    assert_int_equal(rig_sides[0].site, 1);
    assert_int_equal(rig_sides[1].site, 2);
    assert_int_equal(rig_sides[1].stack[0], 4711);
    finish();
}

static void
many_regions_stay_bounded(void **state)
{
    size_t used = 0;

    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        burl_ob_region_begin(t1);
        RD(t1, x, 1);
        WR(t2, x, 2);
        burl_ob_region_end(t1);
        if (i == 1000)
            used = rig_used;
    }
    assert_int_equal(rig_used, used);
    assert_int_equal(finish(), 0);
}

/* ---- random executions against all serial orders ------------------------------------------ */

#define VARS 3u
#define MAX_OPS 12u
#define MAX_UNITS 12u

struct op {
    uint8_t thread;
    uint8_t var;
    uint8_t flags;
    uint8_t unit;   /* region, or a unit of its own */
    uint8_t writer; /* reads: op + 1 whose value it got, 0 the initial one */
};

struct history {
    struct op ops[MAX_OPS];
    uint32_t n;
    uint32_t n_units;
    uint32_t regions;   /* bits of units */
    uint8_t last[VARS]; /* op + 1 that wrote last */
};

static bool
op_reads(const struct op *o)
{
    return (o->flags & BURL_ACCESS_WRITE) == 0 || (o->flags & BURL_ACCESS_RMW) != 0;
}

static bool
op_writes(const struct op *o)
{
    return (o->flags & BURL_ACCESS_WRITE) != 0;
}

/* Does it read what another unit left? */
static bool
reads_others(const struct history *h, uint32_t i)
{
    const struct op *o = &h->ops[i];

    return op_reads(o) && (o->writer == 0 || h->ops[o->writer - 1].unit != o->unit);
}

/* Unit of op i wrote the variable of op k before it: does it write it again, without having looked
 * at it, after k? Then k could as well have come before. */
static bool
writes_over(const struct history *h, uint32_t i, uint32_t k)
{
    for (uint32_t j = k + 1; j < h->n; j++) {
        if (h->ops[j].unit == h->ops[i].unit && h->ops[j].var == h->ops[k].var)
            return !reads_others(h, j) && op_writes(&h->ops[j]);
    }
    return false;
}

/* Must unit of op i come before that of op k, which happened later, as far as `region` can tell? */
static bool
comes_first(const struct history *h, uint32_t i, uint32_t k, uint32_t region)
{
    const struct op *a = &h->ops[i];
    const struct op *b = &h->ops[k];

    if (a->thread == b->thread)
        return true;
    if (a->var != b->var)
        return false;
    if (op_reads(b) && b->writer == i + 1)
        return true;
    if (reads_others(h, i) && op_writes(b))
        return true;
    return op_writes(a) && op_writes(b) && !(a->unit == region && writes_over(h, i, k));
}

/* Is the unit in a cycle? */
static bool
is_broken(const struct history *h, uint32_t region)
{
    uint32_t after[MAX_UNITS] = { 0 }; /* bits of units */

    for (uint32_t i = 0; i < h->n; i++) {
        for (uint32_t k = i + 1; k < h->n; k++) {
            if (h->ops[i].unit != h->ops[k].unit && comes_first(h, i, k, region))
                after[h->ops[i].unit] |= 1u << h->ops[k].unit;
        }
    }
    for (uint32_t via = 0; via < MAX_UNITS; via++) {
        for (uint32_t u = 0; u < MAX_UNITS; u++) {
            if ((after[u] >> via & 1) != 0)
                after[u] |= after[via];
        }
    }
    return (after[region] >> region & 1) != 0;
}

/* Can every region be taken for one moment? */
static bool
serializable(const struct history *h)
{
    for (uint32_t u = 0; u < h->n_units; u++) {
        if ((h->regions >> u & 1) != 0 && is_broken(h, u))
            return false;
    }
    return true;
}

static bool
one_history(uint64_t seed, bool *reported)
{
    static const uint8_t kinds[] = { 0, 0, BURL_ACCESS_WRITE, BURL_ACCESS_WRITE,
                                     BURL_ACCESS_ATOMIC | BURL_ACCESS_WRITE | BURL_ACCESS_RMW };
    static uint64_t vars[VARS];
    struct history h = { .n = 0 };
    int open[3] = { -1, -1, -1 };
    struct burl_watch *w[3];
    uint64_t rng = seed;

    start(NULL);
    w[0] = t1;
    w[1] = t2;
    w[2] = t3;
    while (h.n < MAX_OPS && h.n_units < MAX_UNITS - 1) {
        uint32_t t = rig_random(&rng, 3);
        uint32_t what = rig_random(&rng, 8);
        struct op *o = &h.ops[h.n];

        if (what == 0 && open[t] < 0 && t < 2) {
            open[t] = (int)h.n_units;
            h.regions |= 1u << h.n_units++;
            burl_ob_region_begin(w[t]);
        } else if (what == 1 && open[t] >= 0) {
            open[t] = -1;
            burl_ob_region_end(w[t]);
        } else if (what > 1) {
            o->thread = (uint8_t)t;
            o->var = (uint8_t)rig_random(&rng, VARS);
            o->flags = kinds[rig_random(&rng, sizeof kinds)];
            o->writer = h.last[o->var];
            o->unit = (uint8_t)(open[t] < 0 ? h.n_units++ : (uint32_t)open[t]);
            h.n++;
            if ((o->flags & BURL_ACCESS_WRITE) != 0)
                h.last[o->var] = (uint8_t)h.n;
            rig_access(w[t], &vars[o->var], 8, h.n, o->flags);
        }
    }
    for (uint32_t t = 0; t < 3; t++) {
        if (open[t] >= 0)
            burl_ob_region_end(w[t]);
    }
    *reported = finish() != 0;
    return serializable(&h);
}

static void
what_is_reported_has_no_serial_order(void **state)
{
    uint32_t n_broken = 0;
    uint32_t n_found = 0;
    uint32_t n_false = 0;
    uint64_t first_false = 0;

    (void)state;
    for (uint64_t seed = unit_seed(); seed < unit_seed() + 20000; seed++) {
        bool reported;
        bool fine = one_history(seed, &reported);

        n_broken += !fine;
        n_found += !fine && reported;
        if (fine && reported && n_false++ == 0)
            first_false = seed;
    }
    if (n_false != 0)
        fail_msg("%u reports of serializable executions, first seed %llu; %u of %u found", n_false,
                 (unsigned long long)first_false, n_found, n_broken);
    assert_true(n_broken > 2000);
    assert_true(n_found >= n_broken - n_broken / 100);
}

#define T(f) cmocka_unit_test_setup(f, start)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(one_variable_gives_the_four),
        T(without_a_region_nothing),
        T(r_outside_of_the_region_nothing),
        T(two_variables),
        T(two_variables_in_serial_order),
        T(a_lock_given_back_within_the_region),
        T(locks_alone_are_no_conflict),
        T(order_of_others_by_a_lock_does_not_count),
        T(order_of_others_by_a_signal_does),
        T(a_signal_before_r_does_not),
        T(order_of_others_by_data_does),
        T(data_of_before_does_not),
        T(mixed_blind_writes_at_the_end),
        T(blind_writes_written_over_are_fine),
        T(written_over_after_somebody_read_is_not),
        T(two_regions_against_each_other),
        T(nested_regions_are_one),
        T(one_region_after_the_other_is_two),
        T(recycled_memory_does_not_conflict),
        T(neighbors_in_a_word_do_not_conflict),
        T(the_execution_ends_at_the_key),
        T(in_free_mode_each_is_a_verdict),
        T(many_regions_stay_bounded),
        T(what_is_reported_has_no_serial_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
