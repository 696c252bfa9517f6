/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_regress_order.c - selection and order agree with the definitions taken literally, on random
 * input; the techniques to compare with, and APFD; large input stays within its time.
 */
#include <math.h>

#include "base/rng.h"
#include "regress/select_int.h"
#include "regress/techniques.h"
#include "regress_rig.h"

#define R BURL_SP_READS
#define W BURL_SP_WRITES

/* ---- additional greedy ------------------------------------------------------------------- */

struct table {
    size_t n_tests, n_elements, words;
    uint64_t *rows;
    uint64_t *weights;
};

static void
make_table(struct table *t, struct burl_rng *rng, size_t n_tests, size_t n_elements,
           unsigned one_in)
{
    t->n_tests = n_tests;
    t->n_elements = n_elements;
    t->words = (n_elements + 63) / 64;
    t->rows = burl_xcalloc(n_tests * t->words + 1, sizeof *t->rows);
    t->weights = burl_xcalloc(n_elements + 1, sizeof *t->weights);
    for (size_t i = 0; i < n_tests; i++)
        for (size_t k = 0; k < n_elements; k++)
            if (burl_rng_below(rng, one_in) == 0)
                t->rows[i * t->words + k / 64] |= (uint64_t)1 << k % 64;
    for (size_t k = 0; k < n_elements; k++)
        t->weights[k] = 1 + burl_rng_below(rng, 4);
}

static void
free_table(struct table *t)
{
    free(t->rows);
    free(t->weights);
}

struct order {
    BURL_VEC(uint32_t) tests;
    BURL_VEC(uint64_t) gains;
};

static void
take(void *arg, uint32_t test, uint64_t n_all, uint64_t n_new, const uint64_t *covered)
{
    struct order *o = arg;

    (void)n_all;
    (void)covered;
    BURL_VEC_PUSH(&o->tests, test);
    BURL_VEC_PUSH(&o->gains, n_new);
}

static uint64_t
gain_of(const struct table *t, size_t test, const uint64_t *covered)
{
    uint64_t n = 0;

    for (size_t k = 0; k < t->n_elements; k++) {
        const uint64_t bit = (uint64_t)1 << k % 64;

        if ((t->rows[test * t->words + k / 64] & bit) && !(covered[k / 64] & bit))
            n += t->weights[k];
    }
    return n;
}

/* Every test of the order adds as much as any that is left, in the sense of PAPERS 4.6. */
static void
check_greedy(const struct table *t, const struct order *o)
{
    uint64_t *covered = burl_xcalloc(t->words + 1, sizeof *covered);
    bool *used = burl_xcalloc(t->n_tests + 1, sizeof *used);

    for (size_t i = 0; i < o->tests.n; i++) {
        uint64_t best = 0;

        for (int again = 0; best == 0 && again < 2; again++) {
            if (again)
                memset(covered, 0, t->words * sizeof *covered);
            for (size_t k = 0; k < t->n_tests; k++) {
                uint64_t g = used[k] ? 0 : gain_of(t, k, covered);

                best = g > best ? g : best;
            }
        }
        assert_int_equal(o->gains.v[i], best);
        assert_int_equal(gain_of(t, o->tests.v[i], covered), best);
        assert_false(used[o->tests.v[i]]);
        used[o->tests.v[i]] = true;
        for (size_t w = 0; w < t->words; w++)
            covered[w] |= t->rows[o->tests.v[i] * t->words + w];
    }
    memset(covered, 0, t->words * sizeof *covered);
    for (size_t k = 0; k < t->n_tests; k++) /* only tests that cover nothing are left out */
        assert_true(used[k] == (gain_of(t, k, covered) > 0));
    free(covered);
    free(used);
}

static void
greedy_takes_what_adds_most(void **state)
{
    struct burl_rng rng;
    uint32_t all[40];

    (void)state;
    burl_rng_init(&rng, unit_seed());
    for (uint32_t i = 0; i < 40; i++)
        all[i] = i;
    for (int round = 0; round < 200; round++) {
        struct table t;
        struct order o = { 0 };

        make_table(&t, &rng, 1 + burl_rng_below(&rng, 40), burl_rng_below(&rng, 150),
                   2 + (unsigned)burl_rng_below(&rng, 30));
        const struct burl__table b = { t.n_tests, t.n_elements, t.words, t.rows, t.weights };
        const size_t n = burl__order(&b, all, t.n_tests, (uint64_t)round, take, &o);
        assert_int_equal(n, o.tests.n);
        check_greedy(&t, &o);
        BURL_VEC_FREE(&o.tests);
        BURL_VEC_FREE(&o.gains);
        free_table(&t);
    }
}

/* 1,000 tests and 100,000 pairs. The limit is generous: other tests run at the same time. */
static void
a_large_suite_is_ordered_in_seconds(void **state)
{
    enum { TESTS = 1000, PAIRS = 100000 };
    struct burl_rng rng;
    uint32_t *all = burl_xcalloc(TESTS, sizeof *all);
    struct table t;
    struct order o = { 0 };
    int64_t start;

    (void)state;
    burl_rng_init(&rng, unit_seed());
    for (uint32_t i = 0; i < TESTS; i++)
        all[i] = i;
    make_table(&t, &rng, TESTS, PAIRS, 8);
    for (size_t i = 0; i < PAIRS; i++) /* sorted, as selection does */
        t.weights[i] = 1 + i / 1000;
    const struct burl__table b = { t.n_tests, t.n_elements, t.words, t.rows, t.weights };
    start = unit_cpu_ms();
    (void)burl__order(&b, all, TESTS, 1, take, &o);
    assert_int_equal(o.tests.n, TESTS);
    assert_true(unit_cpu_ms() - start < 10000);
    BURL_VEC_FREE(&o.tests);
    BURL_VEC_FREE(&o.gains);
    free_table(&t);
    free(all);
}

/* ---- selection by definition ------------------------------------------------------------- */

/* Any program and history: a few classes, blocks, roles, rules and locks. */
static void
make_random(struct rig *r, struct burl_rng *rng)
{
    struct burl_regress_subject *x;
    uint32_t lock;

    rig_open(r);
    x = rig_subject(r, 0);
    x->target.roots.v[1].many = burl_rng_below(rng, 2) == 0;
    lock = rig_lock(x, false, UINT32_MAX);
    for (uint64_t n = 1 + burl_rng_below(rng, 3); n; n--)
        (void)rig_class(x, "c");
    for (uint64_t n = 1 + burl_rng_below(rng, 8); n; n--) {
        const uint32_t rules[] = { 0, 0, BURL_RULE_ACCESS, BURL_RULE_SYNC, BURL_RULE_REGION };
        const uint8_t flags = (uint8_t)(1 + burl_rng_below(rng, 3)) |
                              (burl_rng_below(rng, 4) == 0 ? BURL_SP_ATOMIC : 0);
        uint32_t s = rig_access(x, (uint32_t)burl_rng_below(rng, x->target.classes.n), flags,
                                (uint32_t)burl_rng_below(rng, 6), rules[burl_rng_below(rng, 5)]);
        uint32_t cls = (uint32_t)burl_rng_below(rng, x->target.classes.n);
        struct burl_sp_class *c = &x->target.classes.v[cls];

        if (c->sites.n == 0 || c->sites.v[c->sites.n - 1] != s)
            if (burl_rng_below(rng, 3) == 0)
                BURL_VEC_PUSH(&c->sites, s);
        if (burl_rng_below(rng, 3) == 0)
            rig_hold(x, s, lock);
        if (burl_rng_below(rng, 3) == 0)
            x->target.sites.v[s].roots.n = 1;
        x->changes.sites.v[s].blocks.v[0].spawned = burl_rng_below(rng, 8) == 0;
    }
    for (int t = 0; t < 6; t++) {
        struct burl_history *h =
            rig_history(r, rig_test(r, BURL_TEST_RECORDED), 0, (uint32_t)burl_rng_below(rng, 3),
                        burl_rng_below(rng, 2) == 0);

        for (uint64_t n = burl_rng_below(rng, 8); n; n--)
            rig_ran_as(h, (uint32_t)burl_rng_below(rng, h->roles.n),
                       (uint32_t)burl_rng_below(rng, 6), burl_rng_below(rng, 3) == 0);
        for (size_t k = 1; k < h->roles.n; k++)
            h->roles.v[k].many = burl_rng_below(rng, 4) == 0;
    }
}

static bool
share_class(const struct burl_sp *t, uint32_t a, uint32_t b)
{
    for (size_t c = 0; c < t->classes.n; c++) {
        bool has_a = false, has_b = false;

        for (size_t i = 0; i < t->classes.v[c].sites.n; i++) {
            has_a |= t->classes.v[c].sites.v[i] == a;
            has_b |= t->classes.v[c].sites.v[i] == b;
        }
        if (has_a && has_b)
            return true;
    }
    return false;
}

/* Can the two race? Locks are all the same one here. */
static bool
is_race(const struct burl_regress_subject *x, uint32_t a, uint32_t b)
{
    const struct burl_sp_site *p = &x->target.sites.v[a], *q = &x->target.sites.v[b];

    return (x->changes.sites.v[a].rules | x->changes.sites.v[b].rules) != 0 &&
           share_class(&x->target, a, b) && ((p->flags | q->flags) & W) != 0 &&
           (p->flags & q->flags & BURL_SP_ATOMIC) == 0 && !(p->locks.n && q->locks.n) &&
           burl_sp_parallel(&x->target, a, b);
}

/* Did the role execute the block of the access, alone or not? */
static bool
ran(const struct burl_history *h, const struct burl_changes_block *b, uint32_t role,
    bool with_alone)
{
    for (size_t i = 0; i < h->sets.n; i++)
        if (h->sets.v[i].role == role && (with_alone || !h->sets.v[i].alone) &&
            burl_history_bit(h->sets.v[i].bits, b->index))
            return true;
    return false;
}

static bool
ran_any(const struct burl_history *h, const struct burl_changes_block *b)
{
    for (uint32_t i = 0; i < h->roles.n; i++)
        if (ran(h, b, i, true))
            return true;
    return false;
}

/* PAPERS 4.5 with lifetimes, for one pair and one test. */
static bool
is_covered(const struct burl_regress_subject *x, const struct burl_history *h, uint32_t a,
           uint32_t b)
{
    const struct burl_changes_site *p = &x->changes.sites.v[a], *q = &x->changes.sites.v[b];
    const bool any_time = ((p->rules | q->rules) & (BURL_RULE_SYNC | BURL_RULE_THREAD)) != 0;
    const bool new_p = (p->rules & BURL_RULE_ACCESS) != 0;
    const bool new_q = (q->rules & BURL_RULE_ACCESS) != 0;

    if (!ran_any(h, p->blocks.v) || !ran_any(h, q->blocks.v))
        return false;
    if (p->blocks.v[0].spawned || q->blocks.v[0].spawned)
        return true;
    for (uint32_t r = 0; r < h->roles.n; r++)
        for (uint32_t k = 0; k < h->roles.n; k++)
            if (ran(h, p->blocks.v, r, any_time || new_p) &&
                ran(h, q->blocks.v, k, any_time || new_q) &&
                (any_time ? r != k || h->roles.v[r].many : burl_history_overlaps(h, r, k)))
                return true;
    return false;
}

static void
selection_is_what_the_definition_says(void **state)
{
    struct burl_rng rng;
    size_t n_selected = 0, n_left = 0;

    (void)state;
    burl_rng_init(&rng, unit_seed());
    for (int round = 0; round < 2000; round++) {
        struct rig r;
        uint64_t n_pairs = 0;

        make_random(&r, &rng);
        rig_select(&r, rig_rules(BURL_REGRESS_RACES));
        const struct burl_regress_subject *x = &r.s.subjects.v[0];
        for (uint32_t t = 0; t < r.v.tests.n; t++) {
            uint64_t want = 0, got = 0;

            n_pairs = 0;
            for (uint32_t a = 0; a < x->target.sites.n; a++)
                for (uint32_t b = a; b < x->target.sites.n; b++)
                    if (is_race(x, a, b)) {
                        n_pairs++;
                        want += is_covered(x, &r.v.tests.v[t].histories.v[0], a, b);
                    }
            for (size_t i = 0; i < r.s.n_selected; i++)
                if (r.s.chosen.v[i].test == t)
                    got = r.s.chosen.v[i].n_pairs;
            assert_int_equal(got, want);
            n_selected += want > 0;
            n_left += want == 0;
        }
        assert_int_equal(r.s.n_pairs, n_pairs);
        assert_int_equal(r.s.pairs.n, n_pairs);
        rig_close(&r);
    }
    /* The random input is worth something. */
    assert_true(n_selected > 1000 && n_left > 1000);
}

/* 1,000 tests with five threads each, 100,000 pairs that the history tells apart. */
static void
a_large_suite_is_selected_in_seconds(void **state)
{
    enum { TESTS = 1000, ACCESSES = 450 };
    struct burl_rng rng;
    struct rig r;
    struct burl_regress_subject *x;
    uint32_t cls;
    int64_t start;

    (void)state;
    burl_rng_init(&rng, unit_seed());
    rig_open(&r);
    x = rig_subject(&r, 0);
    cls = rig_class(x, "x");
    for (uint32_t i = 0; i < ACCESSES; i++)
        (void)rig_access(x, cls, W, i, BURL_RULE_ACCESS);
    for (int t = 0; t < TESTS; t++) {
        struct burl_history *h = rig_history(&r, rig_test(&r, BURL_TEST_RECORDED), 0, 4, true);

        for (uint32_t role = 0; role < 5; role++)
            for (int i = 0; i < 40; i++)
                rig_ran(h, role, (uint32_t)burl_rng_below(&rng, ACCESSES));
    }
    start = unit_cpu_ms();
    rig_select(&r, rig_rules(BURL_REGRESS_RACES));
    assert_int_equal(r.s.n_pairs, ACCESSES * (ACCESSES + 1) / 2);
    assert_int_equal(r.s.n_selected, TESTS);
    assert_true(unit_cpu_ms() - start < 20000);
    rig_close(&r);
}

/* ---- techniques -------------------------------------------------------------------------- */

static void
expect_order(struct rig *r, enum burl_regress_technique t, const char *want)
{
    const struct burl_regress_rules rules = { .wanted = BURL_REGRESS_RACES, .seed = 3 };
    struct burl_regress_order o;
    struct burl_buf b = BURL_BUF_INIT;

    burl_regress_technique_order(&r->s, &rules, t, &o);
    for (size_t i = 0; i < o.n; i++)
        burl_buf_printf(&b, "%s%u", i ? " " : "", o.v[i] + 1);
    assert_string_equal(burl_buf_str(&b), want);
    burl_buf_deinit(&b);
    BURL_VEC_FREE(&o);
}

/* Access 0, impacted and dangerous, is in block 0; access 1 in block 1. Test 1 executes neither;
 * test 2 block 0 alone; test 3 both in two threads; test 4 is not instrumented; test 5 is new;
 * test 6 both in one thread. */
static void
make_techniques(struct rig *r)
{
    struct burl_regress_subject *x;
    struct burl_history *h;
    uint32_t cls;

    rig_open(r);
    x = rig_subject(r, 0);
    cls = rig_class(x, "x");
    (void)rig_access(x, cls, R, 0, BURL_RULE_ACCESS);
    (void)rig_access(x, cls, W, 1, 0);
    BURL_VEC_PUSH(&x->changes.dangerous, x->changes.sites.v[0].blocks.v[0]);
    for (int i = 0; i < 6; i++)
        (void)rig_test(r, i == 3   ? BURL_TEST_UNINSTRUMENTED
                          : i == 4 ? BURL_TEST_PENDING
                                   : BURL_TEST_RECORDED);
    rig_ran(rig_history(r, 0, 0, 1, true), 0, 5);
    rig_ran(rig_history(r, 1, 0, 1, true), 0, 0);
    h = rig_history(r, 2, 0, 1, true);
    rig_ran(h, 0, 0);
    rig_ran(h, 1, 1);
    h = rig_history(r, 5, 0, 1, true);
    rig_ran(h, 1, 0);
    rig_ran(h, 1, 1);
    rig_ran(h, 1, 2);
}

static void
techniques_select_as_they_are_defined(void **state)
{
    struct rig r;

    (void)state;
    make_techniques(&r);
    expect_order(&r, BURL_TECHNIQUE_RTA, "1 2 3 5 6");
    expect_order(&r, BURL_TECHNIQUE_DEJAVU, "2 3 5 6");
    expect_order(&r, BURL_TECHNIQUE_SIMRT, "3 5");
    /* Test 6 covers the pair in one thread. */
    {
        const struct burl_regress_rules rules = { .wanted = BURL_REGRESS_RACES };
        struct burl_regress_order o;

        burl_regress_technique_order(&r.s, &rules, BURL_TECHNIQUE_SIMRT_N, &o);
        assert_int_equal(o.n, 3);
        assert_int_equal(o.v[0] + o.v[1], 2 + 5);
        assert_int_equal(o.v[2], 4);
        BURL_VEC_FREE(&o);
    }
    /* Test 6 has three sites, then test 1 adds its own; tests 2 and 3 come after a reset. */
    expect_order(&r, BURL_TECHNIQUE_ABC, "6 1 3 2 5");
    rig_close(&r);
}

static void
all_tests_are_in_the_tail_and_in_random_order(void **state)
{
    static const enum burl_regress_technique all[] = { BURL_TECHNIQUE_SIMRT_A,
                                                       BURL_TECHNIQUE_RANDOM, BURL_TECHNIQUE_ABC };
    struct rig r;
    bool differs = false;

    (void)state;
    make_techniques(&r);
    for (size_t i = 0; i < 3; i++) {
        for (uint64_t seed = 0; seed < 10; seed++) {
            const struct burl_regress_rules rules = { .wanted = BURL_REGRESS_RACES, .seed = seed };
            struct burl_regress_order o;
            uint32_t sum = 0;

            burl_regress_technique_order(&r.s, &rules, all[i], &o);
            assert_int_equal(o.n, 5);
            for (size_t k = 0; k < o.n; k++)
                sum |= 1u << o.v[k];
            assert_int_equal(sum, 0x37); /* without test 4 */
            differs |= all[i] == BURL_TECHNIQUE_RANDOM && o.v[0] != 0;
            if (all[i] == BURL_TECHNIQUE_SIMRT_A)
                assert_int_equal(o.v[0], 2);
            BURL_VEC_FREE(&o);
        }
    }
    assert_true(differs);
    rig_close(&r);
}

static void
techniques_have_names(void **state)
{
    enum burl_regress_technique t;

    (void)state;
    for (int i = 0; i < BURL_TECHNIQUE__N; i++) {
        assert_true(burl_regress_technique_find(
            burl_regress_technique_name((enum burl_regress_technique)i), &t));
        assert_int_equal(t, i);
    }
    assert_false(burl_regress_technique_find("simrt-x", &t));
}

/* ---- APFD -------------------------------------------------------------------------------- */

static void
apfd_is_the_formula(void **state)
{
    const uint32_t first[] = { 1, 1 }, mixed[] = { 1, 3, 5 }, none[] = { 0 }, late[] = { 2, 0 };
    double x;

    (void)state;
    assert_true(burl_regress_apfd(first, 2, 5, &x));
    assert_true(fabs(x - 0.9) < 1e-9);
    assert_true(burl_regress_apfd(mixed, 3, 5, &x));
    assert_true(fabs(x - (1 - 9.0 / 15 + 0.1)) < 1e-9);
    assert_true(burl_regress_apfd(late, 2, 4, &x)); /* one not revealed: position 5 */
    assert_true(fabs(x - (1 - 7.0 / 8 + 0.125)) < 1e-9);
    assert_true(burl_regress_apfd(none, 1, 4, &x));
    assert_true(x == 0);
    assert_true(burl_regress_apfd(first, 2, 0, &x)); /* an empty order reveals nothing */
    assert_true(x == 0);
    assert_false(burl_regress_apfd(NULL, 0, 4, &x));
}

/* An impacted read and a write, in blocks 0 and 1, and a test with main and `n` workers. */
static struct burl_history *
make_pair(struct rig *r, uint32_t n)
{
    struct burl_regress_subject *x;
    uint32_t cls;

    rig_open(r);
    x = rig_subject(r, 0);
    cls = rig_class(x, "q->head");
    (void)rig_access(x, cls, R, 0, BURL_RULE_ACCESS);
    (void)rig_access(x, cls, W, 1, 0);
    return rig_history(r, rig_test(r, BURL_TEST_RECORDED), 0, n, true);
}

static void
workers_of_one_place_may_take_each_others_jobs(void **state)
{
    struct rig r;
    struct burl_history *h = make_pair(&r, 2);
    const struct burl_regress_rules races = rig_rules(BURL_REGRESS_RACES);

    (void)state;
    rig_ran(h, 1, 0);
    rig_ran(h, 1, 1);
    rig_expect(&r, races, ""); /* the second worker was started elsewhere */
    h->roles.v[2].create_site = h->roles.v[1].create_site;
    rig_expect(&r, races, "1");
    free(h->roles.v[2].start);
    h->roles.v[2].start = burl_xstrdup("another");
    rig_expect(&r, races, "");
    rig_close(&r);
}

/* Main executed the block of the new access alone in the first test, and beside the worker in the
 * second. Both can make it race; the recording of the second shows two threads, whatever breaks
 * ties. */
static void
what_the_recording_shows_comes_first(void **state)
{
    struct rig r;
    struct burl_history *h = make_pair(&r, 1);

    (void)state;
    rig_ran_as(h, 0, 0, true);
    rig_ran(h, 1, 1);
    h = rig_history(&r, rig_test(&r, BURL_TEST_RECORDED), 0, 1, true);
    rig_ran(h, 0, 0);
    rig_ran(h, 1, 1);
    r.s.subjects.v[0].changes.sites.v[0].rules = BURL_RULE_ACCESS;
    for (uint64_t seed = 0; seed < 8; seed++) {
        const struct burl_regress_rules rules = { .wanted = BURL_REGRESS_RACES, .seed = seed };

        rig_expect(&r, rules, "2 1");
    }
    rig_close(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_takes_what_adds_most),
        cmocka_unit_test(a_large_suite_is_ordered_in_seconds),
        cmocka_unit_test(selection_is_what_the_definition_says),
        cmocka_unit_test(a_large_suite_is_selected_in_seconds),
        cmocka_unit_test(techniques_select_as_they_are_defined),
        cmocka_unit_test(all_tests_are_in_the_tail_and_in_random_order),
        cmocka_unit_test(techniques_have_names),
        cmocka_unit_test(apfd_is_the_formula),
        cmocka_unit_test(workers_of_one_place_may_take_each_others_jobs),
        cmocka_unit_test(what_the_recording_shows_comes_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
