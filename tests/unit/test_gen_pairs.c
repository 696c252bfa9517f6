/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_gen_pairs.c - the choice of pairs: the paper's Table I, the authors' own test
 * vector, the pool, Algorithm 1.
 */
#include "unit.h"

#include "gen/search/search.h"

/* A model of n methods; borrowed names are not needed. */
static struct burl_gen_model
methods(size_t n)
{
    struct burl_gen_model m = { 0 };

    for (size_t i = 0; i < n; i++) {
        struct burl_gen_fn f = { .kind = BURL_GEN_METHOD };

        BURL_VEC_PUSH(&m.fns, f);
    }
    return m;
}

static void
table_one(void **state)
{
    /* Rows tried, columns covered, some of PAPERS 1.2. */
    static const uint64_t row[][11] = {
        { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },       { 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9 },
        { 4, 2, 2, 2, 4, 6, 8, 10, 12, 14, 16 },   { 9, 6, 3, 3, 3, 6, 9, 12, 15, 18, 21 },
        { 16, 12, 8, 4, 4, 4, 8, 12, 16, 20, 24 }, { 25, 20, 15, 10, 5, 5, 5, 10, 15, 20, 25 },
    };

    (void)state;
    for (uint64_t r = 0; r < sizeof row / sizeof *row; r++) {
        for (uint64_t c = 0; c <= 10; c++)
            assert_int_equal(burl_gen_score(r, c), row[r][c]);
    }
    assert_int_equal(burl_gen_score(10, 0), 100);
    assert_int_equal(burl_gen_score(9, 8), 9);
}

static void
authors_vector(void **state)
{
    static const uint64_t covered[] = { 11, 8, 10, 11, 1, 0, 10, 9, 7, 10 };
    static const uint64_t tried[] = { 11, 5, 10, 11, 5, 4, 2, 10, 3, 1 };
    static const uint64_t score[] = { 11, 15, 10, 11, 20, 16, 16, 10, 12, 9 };
    struct burl_gen_model m = methods(4); /* ten pairs */
    struct burl_gen_pairs p;
    struct burl_rng rng;

    (void)state;
    burl_gen_pairs_init(&p, &m, BURL_GEN_GUIDE_COVCON);
    assert_int_equal(p.pair.n, 10);
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(burl_gen_score(tried[i], covered[i]), score[i]);
        p.pair.v[i].tried = tried[i];
        p.pair.v[i].covered = covered[i];
    }
    burl_rng_init(&rng, 1);
    assert_ptr_equal(burl_gen_pairs_next(&p, &rng), &p.pair.v[9]);
    assert_int_equal(p.pair.v[9].tried, 2);
    burl_gen_pairs_deinit(&p);
    BURL_VEC_FREE(&m.fns);
}

/* Every pair once before any twice, whatever the guide. */
static void
each_once_first(void **state)
{
    static const enum burl_gen_guide guides[] = { BURL_GEN_GUIDE_COVCON, BURL_GEN_GUIDE_COVCON_CODE,
                                                  BURL_GEN_GUIDE_LEAST_TRIED };

    (void)state;
    for (size_t g = 0; g < 3; g++) {
        struct burl_gen_model m = methods(6);
        struct burl_gen_pairs p;
        struct burl_rng rng;

        burl_gen_pairs_init(&p, &m, guides[g]);
        burl_rng_init(&rng, 7);
        for (size_t i = 0; i < p.pair.n; i++)
            assert_int_equal(burl_gen_pairs_next(&p, &rng)->tried, 1);
        /* A pair that is covered as often as it was tried can wait; one never covered cannot. */
        for (size_t i = 0; i < p.pair.n; i++)
            p.pair.v[i].covered = i == 3 ? 0 : 9;
        if (guides[g] == BURL_GEN_GUIDE_COVCON)
            assert_ptr_equal(burl_gen_pairs_next(&p, &rng), &p.pair.v[3]);
        burl_gen_pairs_deinit(&p);
        BURL_VEC_FREE(&m.fns);
    }
}

static void
finds_every_pair(void **state)
{
    struct burl_gen_model m = methods(5);
    struct burl_gen_pairs p;

    (void)state;
    m.fns.v[2].kind = BURL_GEN_HELPER;
    burl_gen_pairs_init(&p, &m, BURL_GEN_GUIDE_COVCON);
    for (size_t i = 0; i < p.pair.n; i++) {
        assert_ptr_equal(burl_gen_pairs_find(&p, p.pair.v[i].a, p.pair.v[i].b), &p.pair.v[i]);
        assert_ptr_equal(burl_gen_pairs_find(&p, p.pair.v[i].b, p.pair.v[i].a), &p.pair.v[i]);
    }
    assert_null(burl_gen_pairs_find(&p, 2, 1));
    burl_gen_pairs_deinit(&p);
    BURL_VEC_FREE(&m.fns);
}

static uint64_t
covered(struct burl_gen_pairs *p, int a, int b)
{
    return burl_gen_pairs_find(p, a, b)->covered;
}

static void
overlaps(void **state)
{
    /* Thread 0 is in 0, calls 1 from within; thread 1 enters 2 meanwhile, and 2 again after. */
    static const struct burl_gen_event events[] = {
        { .thread = 0, .fn = 0 },
        { .thread = 0, .fn = 1 },
        { .thread = 1, .fn = 2 },
        { .thread = 0, .fn = 1, .leave = 1 },
        { .thread = 1, .fn = 2, .leave = 1 },
        { .thread = 1, .fn = 2 },
        { .thread = 0, .fn = 0, .leave = 1 },
        { .thread = 1, .fn = 2, .leave = 1 },
        { .thread = 1, .fn = 0 }, /* alone by now */
        { .thread = 1, .fn = 0, .leave = 1 },
        { .thread = UINT16_MAX, .fn = 0 },
    };
    struct burl_gen_model m = methods(3);
    struct burl_gen_pairs p;

    (void)state;
    burl_gen_pairs_init(&p, &m, BURL_GEN_GUIDE_COVCON);
    burl_gen_pairs_count(&p, events, sizeof events / sizeof *events, 2);
    assert_int_equal(covered(&p, 0, 2), 2);
    assert_int_equal(covered(&p, 1, 2), 1);
    assert_int_equal(covered(&p, 0, 1), 0); /* same thread */
    assert_int_equal(covered(&p, 0, 0), 0);
    assert_int_equal(covered(&p, 2, 2), 0);
    burl_gen_pairs_deinit(&p);
    BURL_VEC_FREE(&m.fns);
}

/* What a guided search gives its pairs, a random one gives its turns: of 10 pairs each is tried
 * five times with two calls per thread, and then with five. */
static void
random_tests_are_as_long_as_guided_ones(void **state)
{
    (void)state;
    for (uint64_t tried = 1; tried <= 8; tried++) {
        for (uint64_t k = 1; k <= 10; k++)
            assert_int_equal(burl_gen_test_length(0, (tried - 1) * 10 + k, 10),
                             burl_gen_test_length(tried, 1, 10));
    }
    assert_int_equal(burl_gen_test_length(0, 1, 10), 2);
    assert_int_equal(burl_gen_test_length(0, 50, 10), 2);
    assert_int_equal(burl_gen_test_length(0, 51, 10), 5);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_one),
        cmocka_unit_test(authors_vector),
        cmocka_unit_test(each_once_first),
        cmocka_unit_test(finds_every_pair),
        cmocka_unit_test(overlaps),
        cmocka_unit_test(random_tests_are_as_long_as_guided_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
