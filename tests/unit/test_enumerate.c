/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_enumerate.c - numbers of schedules: each set of places once, whatever the key.
 *
 * Small enumerations are compared with plain counting; large ones are checked at their ends.
 */
#include "unit.h"

#include "wire/enumerate.h"

/* A set of places as one number, so that sets can be counted in a table. */
static uint64_t
digits(const struct burl_enum *e, const struct burl_enum_place *p)
{
    uint64_t x = 0;

    for (uint32_t i = 0; i < e->bound; i++)
        x = (x * e->span + p[i].at) * e->others + p[i].other;
    return x;
}

/* Is it a set that the enumeration should have? */
static bool
is_wanted(const struct burl_enum *e, uint64_t x)
{
    uint64_t above = UINT64_MAX;
    bool late = false;

    for (uint32_t i = 0; i < e->bound; i++) {
        uint64_t at;

        x /= e->others;
        at = x % e->span;
        x /= e->span;
        if (at > above || (at == above && !e->repeats))
            return false;
        late |= at >= e->done;
        above = at;
    }
    return late;
}

static void
check(const struct burl_enum *e)
{
    struct burl_enum_place p[BURL_ENUM_MAX_BOUND];
    uint64_t all = 1, wanted = 0;
    uint8_t *count;

    for (uint32_t i = 0; i < e->bound; i++)
        all *= e->span * e->others;
    count = burl_xcalloc(all, 1);
    for (uint64_t x = 0; x < all; x++)
        wanted += is_wanted(e, x);
    assert_int_equal(burl_enum_total(e), wanted);
    for (uint64_t i = 0; i < wanted; i++) {
        burl_enum_get(e, i, p);
        for (uint32_t k = 0; k < e->bound; k++) {
            assert_true(p[k].at < e->span);
            assert_true(p[k].other < e->others);
        }
        assert_int_equal(count[digits(e, p)]++, 0);
    }
    for (uint64_t x = 0; x < all; x++)
        assert_int_equal(count[x], is_wanted(e, x));
    free(count);
}

static void
small_enumerations_have_every_set_once(void **state)
{
    (void)state;
    for (uint32_t bound = 1; bound <= 4; bound++) {
        for (uint64_t span = 1; span <= (bound < 4 ? 7u : 5u); span++) {
            for (uint32_t others = 1; others <= 3; others++) {
                for (uint64_t done = 0; done <= span; done++) {
                    for (uint32_t repeats = 0; repeats < 2; repeats++) {
                        const struct burl_enum e = { .span = span,
                                                     .done = done,
                                                     .key = unit_seed() + span,
                                                     .bound = bound,
                                                     .others = others,
                                                     .repeats = repeats };

                        check(&e);
                    }
                }
            }
        }
    }
}

/* What was done before and what is left make the whole, in whatever steps the span grows. */
static void
a_span_that_grows_adds_up(void **state)
{
    const uint64_t spans[] = { 0, 3, 4, 10, 1000, 1000000 };

    (void)state;
    for (uint32_t bound = 1; bound <= 3; bound++) {
        struct burl_enum e = { .span = 1000000, .bound = bound, .others = 1, .repeats = 1 };
        const uint64_t whole = burl_enum_total(&e);
        uint64_t sum = 0;

        for (size_t i = 1; i < sizeof spans / sizeof spans[0]; i++) {
            e.done = spans[i - 1];
            e.span = spans[i];
            sum += burl_enum_total(&e);
        }
        assert_int_equal(sum, whole);
    }
}

static void
totals_are_those_of_the_formula(void **state)
{
    struct burl_enum e = { .span = 1000000, .bound = 3, .others = 1 };

    (void)state;
    assert_int_equal(burl_enum_total(&e), 166666166667000000ull);
    e.repeats = 1;
    assert_int_equal(burl_enum_total(&e), 166667166667000000ull);
    e.bound = 2;
    e.others = 9;
    e.repeats = 0;
    assert_int_equal(burl_enum_total(&e), 81ull * 499999500000ull);
    e.bound = 4;
    assert_int_equal(burl_enum_total(&e), BURL_ENUM_MANY);
    e.bound = BURL_ENUM_MAX_BOUND;
    e.others = 4095;
    assert_int_equal(burl_enum_total(&e), BURL_ENUM_MANY);
    e = (struct burl_enum){ .span = 2, .bound = 3, .others = 1 };
    assert_int_equal(burl_enum_total(&e), 0);
    e = (struct burl_enum){ .span = 0, .bound = 1, .others = 1, .repeats = 1 };
    assert_int_equal(burl_enum_total(&e), 0);
    assert_int_equal(burl_enum_choose(62, 16), 273342452889765ull);
}

/* Large ones cannot be gone through: places must be in range, in order, and all over the span. */
static void
large_enumerations_reach_everywhere(void **state)
{
    const struct burl_enum e = { .span = 1000000, .key = 7, .bound = 3, .others = 1 };
    const uint64_t total = burl_enum_total(&e);
    struct burl_enum_place p[BURL_ENUM_MAX_BOUND];
    uint32_t tenth[10] = { 0 };

    (void)state;
    for (uint64_t i = 0; i < 3000; i++) {
        burl_enum_get(&e, i < 1500 ? i : total - 1 - i, p);
        assert_true(p[0].at < p[1].at && p[1].at < p[2].at && p[2].at < e.span);
        for (uint32_t k = 0; k < 3; k++)
            tenth[p[k].at / 100000]++;
    }
    for (uint32_t i = 0; i < 10; i++) {
        assert_true(tenth[i] > 750);
        assert_true(tenth[i] < 1050);
    }
}

static void
the_order_is_a_bijection_and_the_keys_own(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 300; n++) {
        uint8_t count[300] = { 0 };

        for (uint64_t i = 0; i < n; i++)
            count[burl_enum_shuffle(i, n, n * 13)]++;
        for (uint64_t i = 0; i < n; i++)
            assert_int_equal(count[i], 1);
    }
    for (uint64_t i = 0; i < 100; i++)
        assert_true(burl_enum_shuffle(i, BURL_ENUM_MANY, 1) < BURL_ENUM_MANY);
    {
        uint32_t same = 0, ascending = 0;

        for (uint64_t i = 0; i < 1000; i++) {
            same += burl_enum_shuffle(i, 1000, 1) == burl_enum_shuffle(i, 1000, 2);
            ascending += i > 0 && burl_enum_shuffle(i, 1000, 1) > burl_enum_shuffle(i - 1, 1000, 1);
        }
        assert_true(same < 20);
        assert_true(ascending > 400 && ascending < 600);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_enumerations_have_every_set_once),
        cmocka_unit_test(a_span_that_grows_adds_up),
        cmocka_unit_test(totals_are_those_of_the_formula),
        cmocka_unit_test(large_enumerations_reach_everywhere),
        cmocka_unit_test(the_order_is_a_bijection_and_the_keys_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
