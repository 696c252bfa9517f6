/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_gen_linear.c - merges of lists: how many, each once, each in the order of its lists.
 */
#include "unit.h"

#include "gen/oracle/oracle.h"

static int
compare(const struct burl_gen_order *a, const struct burl_gen_order *b)
{
    assert_int_equal(a->n, b->n);
    return memcmp(a->thread, b->thread, a->n);
}

/* Enumerates all of them and checks the laws; how many there were. */
static uint64_t
enumerate(const unsigned *lengths, unsigned n)
{
    struct burl_gen_order o;
    struct burl_gen_order last;
    uint64_t count = 0;
    bool more = burl_gen_merge_first(&o, lengths, n);

    for (; more; more = burl_gen_merge_next(&o)) {
        unsigned seen[BURL_GEN_MAX_THREADS] = { 0 };

        for (unsigned i = 0; i < o.n; i++) {
            assert_true(o.thread[i] < n);
            seen[o.thread[i]]++;
        }
        /* A merge names threads, so that the order within each is kept by itself: it is enough
         * that every thread stands in it as often as it has calls. */
        for (unsigned t = 0; t < n; t++)
            assert_int_equal(seen[t], lengths[t]);
        /* Growing strictly: none comes twice. */
        if (count > 0)
            assert_true(compare(&last, &o) < 0);
        last = o;
        count++;
    }
    return count;
}

static void
merges_have_their_known_numbers(void **state)
{
    const unsigned two[] = { 2, 2 };
    const unsigned five[] = { 5, 5 };
    const unsigned three[] = { 2, 2, 2 };
    const unsigned ten[] = { 10, 10 };
    const unsigned mixed[] = { 3, 0, 1, 2 };
    const unsigned one[] = { 4 };

    (void)state;
    assert_int_equal(burl_gen_merges(two, 2), 6);
    assert_int_equal(burl_gen_merges(five, 2), 252);
    assert_int_equal(burl_gen_merges(three, 3), 90);
    assert_int_equal(burl_gen_merges(ten, 2), 184756);
    assert_int_equal(burl_gen_merges(mixed, 4), 60);
    assert_int_equal(burl_gen_merges(one, 1), 1);
    assert_int_equal(burl_gen_merges(one, 0), 1);
}

static void
a_number_that_does_not_fit_is_the_largest(void **state)
{
    const unsigned big[] = { 100, 100 };
    const unsigned all[] = { 32, 32, 32, 32, 32, 32, 32, 32 };
    const unsigned fits[] = { 33, 33 };   /* 7219428434016265740 */
    const unsigned not_so[] = { 34, 35 }; /* 112186277816662845432 */

    (void)state;
    assert_true(burl_gen_merges(big, 2) == UINT64_MAX);
    assert_true(burl_gen_merges(all, 8) == UINT64_MAX);
    assert_true(burl_gen_merges(fits, 2) == 7219428434016265740ull);
    assert_true(burl_gen_merges(not_so, 2) == UINT64_MAX);
}

static void
each_merge_comes_once(void **state)
{
    const unsigned lists[][4] = { { 2, 2, 0, 0 }, { 5, 5, 0, 0 }, { 2, 2, 2, 0 }, { 3, 0, 1, 2 },
                                  { 1, 0, 0, 0 }, { 0, 0, 0, 4 }, { 0, 0, 0, 0 }, { 1, 6, 1, 1 } };

    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        assert_int_equal(enumerate(lists[i], 4), burl_gen_merges(lists[i], 4));
}

static void
the_first_merge_is_one_thread_after_the_other(void **state)
{
    const unsigned lengths[] = { 2, 1, 2 };
    const uint8_t want[] = { 0, 0, 1, 2, 2 };
    const uint8_t next[] = { 0, 0, 2, 1, 2 };
    struct burl_gen_order o;

    (void)state;
    assert_true(burl_gen_merge_first(&o, lengths, 3));
    assert_int_equal(o.n, 5);
    assert_memory_equal(o.thread, want, sizeof want);
    assert_true(burl_gen_merge_next(&o));
    assert_memory_equal(o.thread, next, sizeof next);
}

static void
more_calls_than_a_test_has_make_no_merge(void **state)
{
    const unsigned most[] = { BURL_GEN_MAX_CALLS - 1, 1 };
    const unsigned more[] = { BURL_GEN_MAX_CALLS, 1 };
    struct burl_gen_order o;

    (void)state;
    assert_true(burl_gen_merge_first(&o, most, 2));
    assert_true(burl_gen_merge_next(&o));
    assert_false(burl_gen_merge_first(&o, more, 2));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_have_their_known_numbers),
        cmocka_unit_test(a_number_that_does_not_fit_is_the_largest),
        cmocka_unit_test(each_merge_comes_once),
        cmocka_unit_test(the_first_merge_is_one_thread_after_the_other),
        cmocka_unit_test(more_calls_than_a_test_has_make_no_merge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
