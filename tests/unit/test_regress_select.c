/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_regress_select.c - matching, selection and order: the worked examples of the SimRT paper,
 * and every rule with a case that it decides and the nearest that it must not.
 */
#include "regress_rig.h"

#define R BURL_SP_READS
#define W BURL_SP_WRITES
#define RACES BURL_REGRESS_RACES
#define ATOMICITY BURL_REGRESS_ATOMICITY

/* ---- the worked examples ----------------------------------------------------------------- */

/* containsValue() has sv1 in block 0, sv2 to sv4 in block 1; clear() has sv5 in block 2, sv6 in
 * block 3, sv7 and sv8 in block 4. Site 0 is not used, so that numbers are those of the paper. */
static void
make_hash_map(struct rig *r)
{
    struct burl_regress_subject *x;
    uint32_t table, tab, next, mod_count;

    rig_open(r);
    x = rig_subject(r, 0);
    table = rig_class(x, "table");
    tab = rig_class(x, "tab");
    next = rig_class(x, "next");
    mod_count = rig_class(x, "modCount");
    (void)rig_access(x, rig_class(x, "unused"), R, 9, 0);
    (void)rig_access(x, table, R, 0, 0);
    (void)rig_access(x, table, R, 1, BURL_RULE_REGION);
    (void)rig_access(x, tab, R, 1, BURL_RULE_REGION);
    (void)rig_access(x, next, R, 1, BURL_RULE_REGION);
    (void)rig_access(x, table, R, 2, 0);
    (void)rig_access(x, tab, W, 3, 0);
    (void)rig_access(x, mod_count, R, 4, BURL_RULE_ACCESS);
    (void)rig_access(x, mod_count, W, 4, BURL_RULE_ACCESS);
    for (int i = 0; i < 6; i++)
        (void)rig_history(r, rig_test(r, BURL_TEST_RECORDED), 0, 2, true);
}

static struct burl_history *
history(struct rig *r, uint32_t test)
{
    return &r->v.tests.v[test - 1].histories.v[0];
}

static void
run_hash_map(struct rig *r)
{
    for (uint32_t t = 1; t <= 2; t++) { /* clear() in thread 1, containsValue() in thread 2 */
        rig_ran(history(r, t), 1, 3);
        rig_ran(history(r, t), 1, 4);
        rig_ran(history(r, t), 2, 1);
    }
    for (uint32_t role = 1; role <= 2; role++) /* clear() in both */
        for (uint32_t block = 2; block <= 4; block++)
            rig_ran(history(r, 3), role, block);
    rig_ran(history(r, 4), 1, 4); /* clear() in one, containsValue() unchanged in the other */
    rig_ran(history(r, 4), 2, 0);
    for (uint32_t role = 1; role <= 2; role++) {
        rig_ran(history(r, 5), role, 1);
        rig_ran(history(r, 6), role, 0);
    }
}

static void
worked_example_of_matching(void **state)
{
    struct rig r;

    (void)state;
    make_hash_map(&r);
    rig_expect_pairs(&r, RACES, "(3,6) (7,8) (8,8)");
    rig_close(&r);
}

static void
worked_example_of_selection_and_order(void **state)
{
    struct rig r;
    bool first = false, second = false;

    (void)state;
    make_hash_map(&r);
    run_hash_map(&r);
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct burl_regress_rules rules = { .wanted = RACES, .with_tail = true, .seed = seed };
        char *got;

        rig_select(&r, rules);
        got = rig_order(&r);
        if (strcmp(got, "3 1 2 | 5 4 6") == 0)
            first = true;
        else if (strcmp(got, "3 2 1 | 5 4 6") == 0)
            second = true;
        else
            fail_msg("seed %d: %s", (int)seed, got);
        free(got);
        assert_int_equal(r.s.n_selected, 3);
        assert_int_equal(r.s.chosen.v[0].n_pairs, 2);
        assert_int_equal(r.s.chosen.v[1].n_new, 1);
        assert_int_equal(r.s.chosen.v[2].n_new, 1); /* after the reset */
        assert_int_equal(r.s.chosen.v[3].n_pairs, 3);
    }
    /* tc1 and tc2 cover the same: which of them is first is up to the seed. */
    assert_true(first && second);
    rig_close(&r);
}

static void
one_seed_gives_one_order(void **state)
{
    struct rig r;
    struct burl_regress_rules rules = { .wanted = RACES, .with_tail = true, .seed = 5 };
    char *a, *b;

    (void)state;
    make_hash_map(&r);
    run_hash_map(&r);
    rig_select(&r, rules);
    a = rig_order(&r);
    rig_select(&r, rules);
    b = rig_order(&r);
    assert_string_equal(a, b);
    free(a);
    free(b);
    rig_close(&r);
}

/* ---- matching ---------------------------------------------------------------------------- */

/* Two accesses of one class, the first impacted. */
static struct burl_regress_subject *
make_two(struct rig *r, uint8_t a, uint8_t b)
{
    struct burl_regress_subject *x;
    uint32_t cls;

    rig_open(r);
    x = rig_subject(r, 0);
    cls = rig_class(x, "q->head");
    (void)rig_access(x, cls, a, 0, BURL_RULE_ACCESS);
    (void)rig_access(x, cls, b, 1, 0);
    return x;
}

static void
one_access_of_a_pair_writes(void **state)
{
    struct rig r;

    (void)state;
    (void)make_two(&r, R, R);
    rig_expect_pairs(&r, RACES, "");
    rig_close(&r);
    (void)make_two(&r, R, W);
    rig_expect_pairs(&r, RACES, "(0,1)");
    rig_close(&r);
    (void)make_two(&r, W, R);
    rig_expect_pairs(&r, RACES, "(0,0) (0,1)");
    rig_close(&r);
}

static void
accesses_of_different_classes_are_no_pair(void **state)
{
    struct rig r;
    struct burl_regress_subject *x;

    (void)state;
    rig_open(&r);
    x = rig_subject(&r, 0);
    (void)rig_access(x, rig_class(x, "a"), R, 0, BURL_RULE_ACCESS);
    (void)rig_access(x, rig_class(x, "b"), W, 1, 0);
    rig_expect_pairs(&r, RACES, "");
    rig_close(&r);
}

static void
without_an_impacted_access_there_is_no_pair(void **state)
{
    struct rig r;
    struct burl_regress_subject *x = make_two(&r, W, W);

    (void)state;
    x->changes.sites.v[0].rules = 0;
    rig_expect_pairs(&r, BURL_REGRESS_ALL, "");
    rig_close(&r);
}

static void
assertions_and_accesses_of_one_thread_are_no_pair(void **state)
{
    static const uint8_t out[] = { BURL_SP_ASSERT, BURL_SP_BEFORE, BURL_SP_AFTER };
    struct rig r;
    struct burl_regress_subject *x;

    (void)state;
    for (size_t i = 0; i < sizeof out; i++) {
        (void)make_two(&r, R, (uint8_t)(W | out[i]));
        rig_expect_pairs(&r, BURL_REGRESS_ALL, "");
        rig_close(&r);
    }
    /* Both by main only: one thread. */
    x = make_two(&r, R, W);
    x->target.sites.v[0].roots.n = 1;
    x->target.sites.v[1].roots.n = 1;
    rig_expect_pairs(&r, BURL_REGRESS_ALL, "");
    rig_close(&r);
    /* By worker only, of which there are many. */
    x = make_two(&r, R, W);
    for (int i = 0; i < 2; i++) {
        x->target.sites.v[i].roots.v[0] = 1;
        x->target.sites.v[i].roots.n = 1;
    }
    rig_expect_pairs(&r, RACES, "(0,1)");
    x->target.roots.v[1].many = false;
    rig_expect_pairs(&r, RACES, "");
    rig_close(&r);
}

static void
two_atomics_are_no_race(void **state)
{
    struct rig r;

    (void)state;
    (void)make_two(&r, R | BURL_SP_ATOMIC, W | BURL_SP_ATOMIC);
    rig_expect_pairs(&r, RACES, "");
    rig_close(&r);
    (void)make_two(&r, R | BURL_SP_ATOMIC, W);
    rig_expect_pairs(&r, RACES, "(0,1)");
    rig_close(&r);
}

static void
a_common_lock_is_no_race(void **state)
{
    struct rig r;
    struct burl_regress_subject *x = make_two(&r, R, W);
    uint32_t m = rig_lock(x, false, UINT32_MAX), n = rig_lock(x, false, UINT32_MAX);

    (void)state;
    rig_hold(x, 0, m);
    rig_expect_pairs(&r, RACES, "(0,1)");
    rig_hold(x, 1, n);
    rig_expect_pairs(&r, RACES, "(0,1)");
    rig_hold(x, 1, m);
    rig_expect_pairs(&r, RACES, "");
    rig_close(&r);
}

static void
a_lock_held_for_reading_excludes_writers_only(void **state)
{
    struct rig r;
    struct burl_regress_subject *x = make_two(&r, R, W);
    uint32_t m = rig_lock(x, false, UINT32_MAX), shared = rig_lock(x, true, m);

    (void)state;
    rig_hold(x, 0, shared);
    rig_hold(x, 1, shared);
    rig_expect_pairs(&r, RACES, "(0,1)");
    x->target.sites.v[1].locks.v[0] = m;
    rig_expect_pairs(&r, RACES, "");
    rig_close(&r);
}

/* A lock around each access does not make two of them atomic. */
static void
a_locked_pair_is_kept_for_atomicity_if_there_is_a_triple(void **state)
{
    struct rig r;
    struct burl_regress_subject *x = make_two(&r, R, W);
    uint32_t m = rig_lock(x, false, UINT32_MAX);

    (void)state;
    rig_hold(x, 0, m);
    rig_hold(x, 1, m);
    /* The reader and the writer are the only accesses of their threads. */
    x->target.sites.v[0].roots.n = 1;    /* main */
    x->target.sites.v[1].roots.v[0] = 1; /* worker */
    x->target.sites.v[1].roots.n = 1;
    rig_expect_pairs(&r, ATOMICITY, "");
    /* main reads once more: R-W-R. */
    (void)rig_access(x, 0, R, 2, 0);
    x->target.sites.v[2].roots.n = 1;
    rig_hold(x, 2, m);
    rig_expect_pairs(&r, ATOMICITY, "(0,1)");
    rig_expect_pairs(&r, RACES, "");
    /* A changed initializer splits nothing. */
    x->changes.sites.v[0].rules = BURL_RULE_DATA;
    rig_expect_pairs(&r, ATOMICITY, "");
    rig_close(&r);
}

static void
three_writes_are_no_triple(void **state)
{
    struct rig r;
    struct burl_regress_subject *x = make_two(&r, W, W);

    (void)state;
    (void)rig_access(x, 0, W, 2, 0);
    rig_expect_pairs(&r, ATOMICITY, "");
    rig_close(&r);
}

static void
untyped_classes_count_unless_a_typed_one_has_the_pair(void **state)
{
    struct rig r;
    struct burl_regress_subject *x = make_two(&r, R, W);
    uint32_t bytes;

    (void)state;
    x->target.classes.v[0].untyped = true;
    rig_expect_pairs(&r, RACES, "(0,1)");
    bytes = 0;
    (void)rig_class(x, "typed");
    for (uint32_t i = 0; i < 2; i++)
        BURL_VEC_PUSH(&x->target.classes.v[1].sites, i);
    rig_expect_pairs(&r, RACES, "(0,1)");
    assert_int_not_equal(r.s.pairs.v[0].class, bytes);
    rig_close(&r);
}

static void
many_equal_accesses_are_one_pair_that_counts_all(void **state)
{
    enum { N = 600 };
    struct rig r;
    struct burl_regress_subject *x;
    uint32_t cls;

    (void)state;
    rig_open(&r);
    x = rig_subject(&r, 0);
    cls = rig_class(x, "counter");
    for (uint32_t i = 0; i < N; i++)
        (void)rig_access(x, cls, W, 0, BURL_RULE_SLICE);
    for (uint32_t i = 0; i < N; i++)
        (void)rig_access(x, cls, R, 1, 0);
    rig_select(&r, rig_rules(RACES));
    assert_int_equal(r.s.pairs.n, 2);
    assert_int_equal(r.s.n_pairs, N * (N + 1) / 2 + N * N);
    rig_close(&r);
}

/* ---- selection --------------------------------------------------------------------------- */

/* make_two() and one test with main and a worker. */
static struct burl_history *
make_test(struct rig *r, bool overlap)
{
    (void)make_two(r, R, W);
    return rig_history(r, rig_test(r, BURL_TEST_RECORDED), 0, 1, overlap);
}

static void
two_threads_execute_a_pair(void **state)
{
    struct rig r;
    struct burl_history *h = make_test(&r, true);
    struct burl_regress_rules same = { .wanted = RACES, .same_thread = true };

    (void)state;
    rig_ran(h, 1, 0);
    rig_expect(&r, rig_rules(RACES), "");
    rig_ran(h, 1, 1); /* both, in one thread */
    rig_expect(&r, rig_rules(RACES), "");
    rig_expect(&r, same, "1"); /* SimRT-n */
    rig_ran(h, 0, 1);
    rig_expect(&r, rig_rules(RACES), "1");
    assert_int_equal(r.s.chosen.v[0].role_a, 1);
    assert_int_equal(r.s.chosen.v[0].role_b, 0);
    rig_close(&r);
}

static void
one_role_of_many_threads_is_two_threads(void **state)
{
    struct rig r;
    struct burl_history *h = make_test(&r, true);

    (void)state;
    rig_ran(h, 1, 0);
    rig_ran(h, 1, 1);
    rig_expect(&r, rig_rules(RACES), "");
    h->roles.v[1].many = true;
    rig_expect(&r, rig_rules(RACES), "1");
    rig_close(&r);
}

static void
threads_must_be_alive_at_the_same_time(void **state)
{
    struct rig r;
    struct burl_history *h = make_test(&r, false);
    struct burl_regress_rules any = { .wanted = RACES, .any_lifetime = true };

    (void)state;
    rig_ran(h, 0, 0);
    rig_ran(h, 1, 1);
    rig_expect(&r, rig_rules(RACES), "");
    rig_expect(&r, any, "1");
    /* Unless the change is one of lifetimes. */
    r.s.subjects.v[0].changes.sites.v[0].rules = BURL_RULE_SYNC;
    rig_expect(&r, rig_rules(RACES), "1");
    r.s.subjects.v[0].changes.sites.v[0].rules = BURL_RULE_THREAD;
    rig_expect(&r, rig_rules(RACES), "1");
    r.s.subjects.v[0].changes.sites.v[0].rules = BURL_RULE_REGION;
    rig_expect(&r, rig_rules(RACES), "");
    rig_close(&r);
}

static void
what_main_does_alone_is_not_concurrent(void **state)
{
    struct rig r;
    struct burl_history *h = make_test(&r, true);
    struct burl_regress_rules any = { .wanted = RACES, .any_lifetime = true };

    (void)state;
    rig_ran(h, 1, 0);
    rig_ran_as(h, 0, 1, true);
    rig_expect(&r, rig_rules(RACES), "");
    rig_expect(&r, any, "1");
    rig_ran(h, 0, 1); /* also later */
    rig_expect(&r, rig_rules(RACES), "1");
    rig_close(&r);
}

/* It can come after the creation of a thread in the same block. */
static void
a_new_access_in_a_block_that_ran_alone_is_concurrent(void **state)
{
    static const struct {
        uint32_t rules;
        const char *want;
    } rows[] = { { BURL_RULE_ACCESS, "1" }, { BURL_RULE_FUNCTION, "1" }, { BURL_RULE_SLICE, "1" },
                 { BURL_RULE_REGION, "" },  { BURL_RULE_QUALIFIER, "" }, { BURL_RULE_DATA, "" } };
    struct rig r;
    struct burl_history *h = make_test(&r, true);
    struct burl_changes_site *a = &r.s.subjects.v[0].changes.sites.v[0];

    (void)state;
    rig_ran_as(h, 0, 0, true);
    rig_ran(h, 1, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        a->rules = rows[i].rules;
        rig_expect(&r, rig_rules(RACES), rows[i].want);
    }
    a->exact = false;
    rig_expect(&r, rig_rules(RACES), "1");
    /* Unless the target knows better, or the threads never lived at the same time. */
    r.s.subjects.v[0].target.sites.v[0].flags |= BURL_SP_BEFORE;
    rig_expect(&r, rig_rules(RACES), "");
    r.s.subjects.v[0].target.sites.v[0].flags = R;
    h->overlaps.n = 0;
    rig_expect(&r, rig_rules(RACES), "");
    rig_close(&r);
}

/* A library that is not instrumented starts threads: the target does not know of them. */
static void
threads_that_the_target_does_not_know_count(void **state)
{
    struct rig r;
    struct burl_history *h = make_test(&r, true);
    struct burl_regress_subject *x = &r.s.subjects.v[0];

    (void)state;
    rig_ran(h, 0, 0);
    rig_ran(h, 1, 1);
    x->target.sites.v[0].roots.n = 1; /* main */
    x->target.sites.v[1].roots.n = 1;
    rig_expect(&r, rig_rules(RACES), "");
    free(h->roles.v[1].start);
    h->roles.v[1].start = burl_xstrdup("callback");
    rig_expect(&r, rig_rules(RACES), "1");
    rig_close(&r);
}

static void
code_that_the_target_takes_for_unreachable_counts(void **state)
{
    struct rig r;
    struct burl_history *h = make_test(&r, true);

    (void)state;
    r.s.subjects.v[0].target.sites.v[1].roots.n = 0;
    rig_ran(h, 0, 0);
    rig_expect_pairs(&r, RACES, "");
    rig_ran(h, 1, 1);
    rig_expect(&r, rig_rules(RACES), "1");
    rig_close(&r);
}

/* The base version has no threads; the change starts one that executes the first access. */
static void
a_new_thread_is_another_thread(void **state)
{
    struct rig r;
    struct burl_history *h;
    struct burl_changes_site *a;

    (void)state;
    (void)make_two(&r, R, W);
    h = rig_history(&r, rig_test(&r, BURL_TEST_RECORDED), 0, 0, false);
    a = &r.s.subjects.v[0].changes.sites.v[0];
    a->blocks.v[0].spawned = true;
    rig_ran_as(h, 0, 1, true);
    rig_expect(&r, rig_rules(RACES), ""); /* it does not execute the block that starts it */
    rig_ran_as(h, 0, 0, true);
    rig_expect(&r, rig_rules(RACES), "1");
    assert_int_equal(r.s.chosen.v[0].role_a, BURL_REGRESS_NEW_THREAD);
    assert_int_equal(r.s.chosen.v[0].role_b, 0);
    a->blocks.v[0].spawned = false;
    rig_expect(&r, rig_rules(RACES), "");
    rig_close(&r);
}

static void
any_of_the_blocks_of_an_access_counts(void **state)
{
    struct rig r;
    struct burl_history *h = make_test(&r, true);
    struct burl_changes_site *a = &r.s.subjects.v[0].changes.sites.v[0];
    struct burl_changes_block other = a->blocks.v[0];

    (void)state;
    rig_ran(h, 0, 7);
    rig_ran(h, 1, 1);
    rig_expect(&r, rig_rules(RACES), "");
    other.index = BLOCKS + 7;
    BURL_VEC_PUSH(&a->blocks, other);
    BURL_VEC_PUSH(&r.s.subjects.v[0].changes.dangerous, other);
    rig_expect(&r, rig_rules(RACES), "1");
    a->blocks.n = 0; /* nothing of the base version leads to it */
    rig_expect(&r, rig_rules(RACES), "");
    rig_close(&r);
}

/* The accesses are impacted by code that only some callers execute. */
static void
a_test_without_changed_code_is_not_selected(void **state)
{
    struct rig r;
    struct burl_history *h = make_test(&r, true);
    struct burl_changes *c = &r.s.subjects.v[0].changes;

    (void)state;
    rig_ran(h, 0, 0);
    rig_ran(h, 1, 1);
    rig_expect(&r, rig_rules(RACES), "1");
    c->dangerous.v[0].index = BLOCKS + 7;
    rig_expect(&r, rig_rules(RACES), "");
    rig_ran(h, 0, 7); /* alone, and in whatever thread */
    rig_expect(&r, rig_rules(RACES), "1");
    rig_close(&r);
}

static void
both_accesses_belong_to_one_program(void **state)
{
    struct rig r;
    struct burl_regress_subject *x;
    uint32_t test;

    (void)state;
    (void)make_two(&r, R, W);
    x = rig_subject(&r, 1);
    (void)rig_access(x, rig_class(x, "q"), R, 0, BURL_RULE_ACCESS);
    (void)rig_access(x, 0, W, 1, 0);
    test = rig_test(&r, BURL_TEST_RECORDED);
    for (uint32_t p = 0; p < 2; p++)
        rig_ran(rig_history(&r, test, p, 1, true), p, p);
    /* Block 0 in one program, block 1 in the other. */
    rig_expect(&r, rig_rules(RACES), "");
    rig_ran(&r.v.tests.v[test].histories.v[1], 0, 0);
    rig_expect(&r, rig_rules(RACES), "1");
    assert_int_equal(r.s.pairs.v[r.s.chosen.v[0].pair].subject, 1);
    rig_close(&r);
}

static void
lock_orders_are_pairs_of_acquisitions(void **state)
{
    struct rig r;
    struct burl_history *h = make_test(&r, true);
    struct burl_regress_subject *x = &r.s.subjects.v[0];
    struct burl_changes_cycle *c;

    (void)state;
    x->changes.sites.v[0].rules = 0;
    (void)rig_change(x, 2, 0);
    (void)rig_change(x, 3, BURL_RULE_ACCESS);
    c = BURL_VEC_ADD(&x->changes.cycles);
    c->sites[c->n++] = 2;
    c->sites[c->n++] = 3;
    c->locks = burl_xstrdup("a.m and b.m");
    rig_ran(h, 0, 2);
    rig_expect(&r, rig_rules(BURL_REGRESS_ALL), "");
    rig_ran(h, 1, 3);
    rig_expect(&r, rig_rules(BURL_REGRESS_ALL), "1");
    assert_int_equal(r.s.pairs.v[0].a, 3); /* the impacted one */
    assert_int_equal(r.s.pairs.v[0].kinds, BURL_REGRESS_DEADLOCKS);
    rig_expect(&r, rig_rules(RACES | ATOMICITY), "");
    (void)rig_change(x, 4, 0);
    c->sites[c->n++] = 4; /* of more than two, two are enough */
    rig_expect(&r, rig_rules(BURL_REGRESS_ALL), "1");
    rig_close(&r);
}

/* ---- tests that cannot be judged --------------------------------------------------------- */

static void
tests_without_a_history_are_selected_after_the_others(void **state)
{
    struct rig r;
    struct burl_history *h;

    (void)state;
    (void)make_two(&r, R, W);
    (void)rig_test(&r, BURL_TEST_PENDING);
    h = rig_history(&r, rig_test(&r, BURL_TEST_RECORDED), 0, 1, true);
    rig_ran(h, 0, 0);
    rig_ran(h, 1, 1);
    (void)rig_test(&r, BURL_TEST_UNSTARTED);
    (void)rig_test(&r, BURL_TEST_UNINSTRUMENTED);
    rig_expect(&r, rig_rules(RACES), "2 1? 3?");
    assert_int_equal(r.s.uninstrumented.n, 1);
    assert_int_equal(r.s.uninstrumented.v[0], 3);
    rig_close(&r);
}

static void
tests_that_failed_are_selected_if_they_could_reach_a_pair(void **state)
{
    static const enum burl_store_test_state states[] = { BURL_TEST_FAILED, BURL_TEST_HUNG,
                                                         BURL_TEST_SKIPPED };
    struct rig r;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        (void)make_two(&r, R, W);
        (void)rig_history(&r, rig_test(&r, states[i]), 0, 1, true);
        (void)rig_history(&r, rig_test(&r, states[i]), 5, 1, true); /* unchanged program */
        (void)rig_history(&r, rig_test(&r, BURL_TEST_RECORDED), 0, 1, true);
        rig_expect(&r, rig_rules(RACES), "1?");
        /* Nothing is impacted: nothing to reach. */
        r.s.subjects.v[0].changes.sites.v[0].rules = 0;
        rig_expect(&r, rig_rules(RACES), "");
        rig_close(&r);
    }
}

static void
a_partial_history_does_not_judge(void **state)
{
    struct rig r;
    struct burl_history *h = make_test(&r, true);

    (void)state;
    rig_expect(&r, rig_rules(RACES), "");
    h->partial = true;
    rig_expect(&r, rig_rules(RACES), "1?");
    rig_close(&r);
}

static void
a_change_that_cannot_be_analyzed_selects_its_tests(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r);
    rig_subject(&r, 0)->problem = burl_xstrdup("the bitcode is damaged");
    (void)rig_history(&r, rig_test(&r, BURL_TEST_RECORDED), 0, 1, true);
    (void)rig_history(&r, rig_test(&r, BURL_TEST_RECORDED), 1, 1, true);
    rig_expect(&r, rig_rules(RACES), "1?");
    EXPECT_CONTAINS(r.s.chosen.v[0].why, "the bitcode is damaged");
    rig_close(&r);
}

static void
an_empty_version_selects_nothing(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r);
    rig_expect(&r, rig_rules(BURL_REGRESS_ALL), "");
    rig_close(&r);
}

/* ---- words ------------------------------------------------------------------------------- */

static void
expect_words(const struct rig *r, const char *want)
{
    struct burl_buf b = BURL_BUF_INIT;

    if (r->s.chosen.n)
        burl_regress_explain(&r->s, &r->s.chosen.v[0], &b);
    else
        burl_regress_explain_not(&r->s, 0, &b);
    assert_string_equal(burl_buf_str(&b), want);
    burl_buf_deinit(&b);
}

static void
reasons_name_accesses_change_and_threads(void **state)
{
    struct rig r;
    struct burl_history *h = make_test(&r, true);

    (void)state;
    rig_select(&r, rig_rules(RACES));
    expect_words(&r, "executes no code that changed");
    rig_ran(h, 1, 0);
    rig_select(&r, rig_rules(RACES));
    expect_words(&r, "executes impacted accesses, but none that conflicts with them");
    rig_ran(h, 1, 1);
    rig_select(&r, rig_rules(RACES));
    expect_words(&r, "only one thread (worker) executes site 0 and site 1 (q->head)");
    rig_ran_as(h, 0, 1, true);
    rig_select(&r, rig_rules(RACES));
    expect_words(&r, "site 0 and site 1 (q->head) run in worker and main, not at the same time");
    rig_ran(h, 0, 1);
    rig_select(&r, rig_rules(RACES));
    expect_words(&r,
                 "site 0 reads q->head (changed: lock of m removed) in worker; site 1 writes it "
                 "in main");
    r.s.subjects.v[0].changes.sites.v[0].rules = 0;
    rig_select(&r, rig_rules(RACES));
    expect_words(&r, "the change of bin/p0 impacts nothing that threads share");
    rig_close(&r);
}

static void
reasons_tell_threads_of_one_role_apart(void **state)
{
    struct rig r;
    struct burl_history *h;

    (void)state;
    (void)make_two(&r, W, R);
    h = rig_history(&r, rig_test(&r, BURL_TEST_RECORDED), 0, 2, true);
    rig_ran(h, 1, 0);
    rig_ran(h, 2, 0);
    rig_select(&r, rig_rules(RACES));
    expect_words(&r, "site 0 writes q->head (changed: lock of m removed) in worker and in another "
                     "worker");
    rig_close(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example_of_matching),
        cmocka_unit_test(worked_example_of_selection_and_order),
        cmocka_unit_test(one_seed_gives_one_order),
        cmocka_unit_test(one_access_of_a_pair_writes),
        cmocka_unit_test(accesses_of_different_classes_are_no_pair),
        cmocka_unit_test(without_an_impacted_access_there_is_no_pair),
        cmocka_unit_test(assertions_and_accesses_of_one_thread_are_no_pair),
        cmocka_unit_test(two_atomics_are_no_race),
        cmocka_unit_test(a_common_lock_is_no_race),
        cmocka_unit_test(a_lock_held_for_reading_excludes_writers_only),
        cmocka_unit_test(a_locked_pair_is_kept_for_atomicity_if_there_is_a_triple),
        cmocka_unit_test(three_writes_are_no_triple),
        cmocka_unit_test(untyped_classes_count_unless_a_typed_one_has_the_pair),
        cmocka_unit_test(many_equal_accesses_are_one_pair_that_counts_all),
        cmocka_unit_test(two_threads_execute_a_pair),
        cmocka_unit_test(one_role_of_many_threads_is_two_threads),
        cmocka_unit_test(threads_must_be_alive_at_the_same_time),
        cmocka_unit_test(what_main_does_alone_is_not_concurrent),
        cmocka_unit_test(a_new_access_in_a_block_that_ran_alone_is_concurrent),
        cmocka_unit_test(threads_that_the_target_does_not_know_count),
        cmocka_unit_test(code_that_the_target_takes_for_unreachable_counts),
        cmocka_unit_test(a_new_thread_is_another_thread),
        cmocka_unit_test(any_of_the_blocks_of_an_access_counts),
        cmocka_unit_test(a_test_without_changed_code_is_not_selected),
        cmocka_unit_test(both_accesses_belong_to_one_program),
        cmocka_unit_test(lock_orders_are_pairs_of_acquisitions),
        cmocka_unit_test(tests_without_a_history_are_selected_after_the_others),
        cmocka_unit_test(tests_that_failed_are_selected_if_they_could_reach_a_pair),
        cmocka_unit_test(a_partial_history_does_not_judge),
        cmocka_unit_test(a_change_that_cannot_be_analyzed_selects_its_tests),
        cmocka_unit_test(an_empty_version_selects_nothing),
        cmocka_unit_test(reasons_name_accesses_change_and_threads),
        cmocka_unit_test(reasons_tell_threads_of_one_role_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
