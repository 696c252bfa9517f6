/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_rng.c - base/rng.h and base/hash.h: the streams are formats.
 */
#include "unit.h"

#include "base/hash.h"
#include "base/rng.h"

/* Published outputs of splitmix64 for seed 1234567. */
static void
splitmix_gives_its_published_values(void **state)
{
    static const uint64_t want[] = { 6457827717110365317u, 3203168211198807973u,
                                     9817491932198370423u, 4593380528125082431u,
                                     16408922859458223821u };
    uint64_t s = 1234567;

    (void)state;
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(burl_rng_splitmix(&s), want[i]);
}

/* xoshiro256** from the state 1, 2, 3, 4: first published outputs. */
static void
xoshiro_gives_its_published_values(void **state)
{
    static const uint64_t want[] = { 11520u, 0u, 1509978240u, 1215971899390074240u };
    struct burl_rng r = { { 1, 2, 3, 4 } };

    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(burl_rng_next(&r), want[i]);
}

static void
same_seed_same_stream(void **state)
{
    struct burl_rng a;
    struct burl_rng b;
    struct burl_rng c;
    int differ = 0;

    (void)state;
    burl_rng_init(&a, 7);
    burl_rng_init(&b, 7);
    burl_rng_init(&c, 8);
    for (int i = 0; i < 1000; i++) {
        uint64_t x = burl_rng_next(&a);

        assert_int_equal(x, burl_rng_next(&b));
        differ += x != burl_rng_next(&c);
    }
    assert_true(differ > 990);
}

/* 7 does not divide 2^64: a biased reduction of small ranges would not show, so the bound is
 * loose; what must hold is range and rough evenness. */
static void
below_stays_in_range_and_is_even(void **state)
{
    uint64_t count[7] = { 0 };
    struct burl_rng r;

    (void)state;
    burl_rng_init(&r, unit_seed());
    for (int i = 0; i < 70000; i++)
        count[burl_rng_below(&r, 7)]++;
    for (int i = 0; i < 7; i++) {
        assert_true(count[i] > 9500);
        assert_true(count[i] < 10500);
    }
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(burl_rng_below(&r, 1), 0);
        assert_true(burl_rng_below(&r, UINT64_MAX) < UINT64_MAX);
    }
}

/* Stored fingerprints depend on these: a change here is a change of format. */
static void
hashes_are_stable(void **state)
{
    uint64_t h = burl_hash_bytes(BURL_HASH_BEGIN, "a", 1);

    (void)state;
    assert_int_equal(h, 0xaf63dc4c8601ec8cu); /* FNV-1a's published value of "a" */
    assert_int_equal(burl_hash("", 0), burl_hash_end(BURL_HASH_BEGIN));
    assert_int_not_equal(burl_hash("ab", 2), burl_hash("ba", 2));
    assert_int_not_equal(burl_hash_str(burl_hash_str(BURL_HASH_BEGIN, "ab"), "c"),
                         burl_hash_str(burl_hash_str(BURL_HASH_BEGIN, "a"), "bc"));
    assert_int_equal(burl_hash_u64(BURL_HASH_BEGIN, 0x0807060504030201u),
                     burl_hash_bytes(BURL_HASH_BEGIN, "\1\2\3\4\5\6\7\10", 8));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splitmix_gives_its_published_values),
        cmocka_unit_test(xoshiro_gives_its_published_values),
        cmocka_unit_test(same_seed_same_stream),
        cmocka_unit_test(below_stays_in_range_and_is_even),
        cmocka_unit_test(hashes_are_stable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
