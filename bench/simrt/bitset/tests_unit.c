/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests_unit.c - what each function of the bit set does in one thread: the ends of words, growth,
 * empty sets and ranges. bitset_leans_low(), which has threads of its own, is in tests.c.
 */
#include "bitset.h"

#include <stdarg.h>

#include "../suite.h"

/* The set of the numbers up to the first negative one. */
static struct bitset *
set_of(int bit, ...)
{
    struct bitset *b = bitset_new();
    va_list more;

    va_start(more, bit);
    for (; bit >= 0; bit = va_arg(more, int))
        bitset_set(b, (size_t)bit);
    va_end(more);
    return b;
}

/* True if the set has exactly the numbers up to the first negative one, which ascend. */
static bool
has(struct bitset *b, int bit, ...)
{
    long at = bitset_next_set(b, 0);
    va_list more;

    va_start(more, bit);
    while (bit >= 0 && at == bit) {
        at = bitset_next_set(b, (size_t)bit + 1);
        bit = va_arg(more, int);
    }
    va_end(more);
    return bit < 0 && at < 0;
}

/* True if the text of the set is `want`, apart from spaces. */
static bool
text_is(struct bitset *b, const char *want)
{
    for (const char *text = bitset_text(b); *text != '\0'; text++) {
        if (*text != ' ' && *text != *want++)
            return false;
    }
    return *want == '\0';
}

/* ---- one bit -------------------------------------------------------------------------------- */

static void
test_new_set_is_empty(void)
{
    struct bitset *b = bitset_new();

    assert(bitset_cardinality(b) == 0 && bitset_length(b) == 0);
    assert(!bitset_get(b, 0) && bitset_next_set(b, 0) == -1 && bitset_next_unset(b, 0) == 0);
    bitset_free(b);
}

static void
test_set_a_bit(void)
{
    struct bitset *b = bitset_new();

    bitset_set(b, 5);
    bitset_set(b, 5);
    assert(bitset_get(b, 5) && !bitset_get(b, 4) && !bitset_get(b, 6));
    assert(bitset_cardinality(b) == 1);
    bitset_free(b);
}

static void
test_set_ends_of_words(void)
{
    struct bitset *b = set_of(0, 63, 64, 127, 128, -1);

    assert(has(b, 0, 63, 64, 127, 128, -1));
    assert(!bitset_get(b, 1) && !bitset_get(b, 62) && !bitset_get(b, 65) && !bitset_get(b, 129));
    bitset_free(b);
}

static void
test_set_grows_and_keeps_all(void)
{
    struct bitset *b = bitset_new();

    for (size_t bit = 0; bit < 2000; bit += 7)
        bitset_set(b, bit);
    for (size_t bit = 0; bit < 2000; bit++)
        assert(bitset_get(b, bit) == (bit % 7 == 0));
    bitset_free(b);
}

static void
test_unset_a_bit(void)
{
    struct bitset *b = set_of(3, 4, 5, -1);

    bitset_unset(b, 4);
    bitset_unset(b, 4);
    assert(has(b, 3, 5, -1));
    bitset_free(b);
}

static void
test_unset_outside(void)
{
    struct bitset *b = set_of(3, -1);

    bitset_unset(b, 2);
    bitset_unset(b, 1000);
    assert(has(b, 3, -1));
    bitset_free(b);
}

static void
test_flip_on_and_off(void)
{
    struct bitset *b = set_of(3, -1);

    bitset_flip(b, 3);
    bitset_flip(b, 4);
    assert(has(b, 4, -1));
    bitset_flip(b, 4);
    assert(has(b, -1));
    bitset_free(b);
}

static void
test_flip_grows(void)
{
    struct bitset *b = set_of(1, -1);

    bitset_flip(b, 500);
    assert(has(b, 1, 500, -1) && bitset_length(b) == 501);
    bitset_free(b);
}

static void
test_flip_end_of_word(void)
{
    struct bitset *b = set_of(62, 63, 64, -1);

    bitset_flip(b, 63);
    assert(has(b, 62, 64, -1));
    bitset_free(b);
}

static void
test_get_outside(void)
{
    struct bitset *b = set_of(10, -1);

    assert(!bitset_get(b, 63) && !bitset_get(b, 64) && !bitset_get(b, 100000));
    assert(bitset_length(b) == 11);
    bitset_free(b);
}

static void
test_test_and_set_new_bit(void)
{
    struct bitset *b = bitset_new();

    assert(!bitset_test_and_set(b, 70) && bitset_test_and_set(b, 70));
    assert(has(b, 70, -1));
    bitset_free(b);
}

static void
test_test_and_set_keeps_others(void)
{
    struct bitset *b = set_of(1, 2, -1);

    assert(bitset_test_and_set(b, 2) && !bitset_test_and_set(b, 3));
    assert(has(b, 1, 2, 3, -1));
    bitset_free(b);
}

static void
test_test_and_set_after_unset(void)
{
    struct bitset *b = set_of(1, 2, -1);

    bitset_unset(b, 2);
    assert(!bitset_test_and_set(b, 2) && has(b, 1, 2, -1));
    bitset_free(b);
}

/* ---- ranges, clear -------------------------------------------------------------------------- */

static void
test_set_range_within_a_word(void)
{
    struct bitset *b = bitset_new();

    bitset_set_range(b, 5, 9);
    assert(has(b, 5, 6, 7, 8, -1));
    bitset_set_range(b, 8, 15);
    assert(bitset_cardinality(b) == 10 && bitset_length(b) == 15);
    bitset_free(b);
}

static void
test_set_range_of_whole_words(void)
{
    struct bitset *b = bitset_new();

    bitset_set_range(b, 64, 192);
    assert(bitset_cardinality(b) == 128 && bitset_length(b) == 192);
    assert(!bitset_get(b, 63) && bitset_get(b, 64) && bitset_get(b, 191) && !bitset_get(b, 192));
    bitset_free(b);
}

static void
test_set_range_across_words(void)
{
    struct bitset *b = set_of(0, 300, -1);

    bitset_set_range(b, 60, 130);
    assert(bitset_cardinality(b) == 72);
    for (size_t bit = 60; bit < 130; bit++)
        assert(bitset_get(b, bit));
    assert(!bitset_get(b, 59) && !bitset_get(b, 130));
    bitset_free(b);
}

static void
test_set_range_empty(void)
{
    struct bitset *b = set_of(1, -1);

    bitset_set_range(b, 5, 5);
    bitset_set_range(b, 9, 5);
    assert(has(b, 1, -1));
    bitset_free(b);
}

static void
test_clear_drops_all_bits(void)
{
    struct bitset *b = set_of(0, 63, 64, 500, -1);

    bitset_clear(b);
    assert(bitset_cardinality(b) == 0 && bitset_length(b) == 0 && has(b, -1));
    bitset_free(b);
}

static void
test_clear_then_set(void)
{
    struct bitset *b = set_of(0, 500, -1);

    bitset_clear(b);
    bitset_set(b, 7);
    assert(has(b, 7, -1));
    bitset_free(b);
}

/* ---- reading -------------------------------------------------------------------------------- */

static void
test_cardinality_follows_changes(void)
{
    struct bitset *b = set_of(1, 64, 65, -1);

    assert(bitset_cardinality(b) == 3);
    bitset_unset(b, 64);
    bitset_unset(b, 63);
    assert(bitset_cardinality(b) == 2);
    bitset_flip(b, 2);
    assert(bitset_cardinality(b) == 3);
    bitset_free(b);
}

static void
test_cardinality_of_full_words(void)
{
    struct bitset *b = bitset_new();

    bitset_set_range(b, 0, 256);
    assert(bitset_cardinality(b) == 256);
    bitset_free(b);
}

static void
test_length_is_greatest_plus_one(void)
{
    struct bitset *b = bitset_new();

    for (size_t bit = 0; bit < 200; bit++) {
        bitset_set(b, bit);
        assert(bitset_length(b) == bit + 1);
    }
    bitset_free(b);
}

static void
test_length_shrinks(void)
{
    struct bitset *b = set_of(3, 63, 200, -1);

    bitset_unset(b, 200);
    assert(bitset_length(b) == 64);
    bitset_unset(b, 63);
    assert(bitset_length(b) == 4);
    bitset_unset(b, 3);
    assert(bitset_length(b) == 0);
    bitset_free(b);
}

static void
test_next_set_from_a_bit(void)
{
    struct bitset *b = set_of(5, 70, -1);

    assert(bitset_next_set(b, 0) == 5 && bitset_next_set(b, 5) == 5);
    assert(bitset_next_set(b, 6) == 70 && bitset_next_set(b, 70) == 70);
    bitset_free(b);
}

static void
test_next_set_none_left(void)
{
    struct bitset *b = set_of(5, 70, -1);

    assert(bitset_next_set(b, 71) == -1 && bitset_next_set(b, 128) == -1);
    assert(bitset_next_set(b, 100000) == -1);
    bitset_free(b);
}

static void
test_next_unset_in_a_gap(void)
{
    struct bitset *b = set_of(0, 1, 3, -1);

    assert(bitset_next_unset(b, 0) == 2 && bitset_next_unset(b, 2) == 2);
    assert(bitset_next_unset(b, 3) == 4);
    bitset_free(b);
}

static void
test_next_unset_after_full_words(void)
{
    struct bitset *b = bitset_new();

    bitset_set_range(b, 0, 128);
    assert(bitset_next_unset(b, 0) == 128 && bitset_next_unset(b, 127) == 128);
    bitset_unset(b, 100);
    assert(bitset_next_unset(b, 0) == 100 && bitset_next_unset(b, 101) == 128);
    bitset_free(b);
}

static void
test_next_unset_outside(void)
{
    struct bitset *b = set_of(0, -1);

    assert(bitset_next_unset(b, 1000) == 1000 && bitset_next_unset(b, 64) == 64);
    bitset_free(b);
}

static void
test_text_of_few_bits(void)
{
    struct bitset *b = set_of(5, 1, 100, -1);

    assert(text_is(b, "{1,5,100}"));
    bitset_unset(b, 5);
    assert(text_is(b, "{1,100}"));
    bitset_free(b);
}

static void
test_text_of_empty_and_single(void)
{
    struct bitset *b = bitset_new();

    assert(strcmp(bitset_text(b), "{}") == 0);
    bitset_set(b, 0);
    assert(strcmp(bitset_text(b), "{0}") == 0);
    bitset_free(b);
}

static void
test_text_is_cut(void)
{
    struct bitset *b = bitset_new();
    const char *text;

    bitset_set_range(b, 0, 200);
    text = bitset_text(b);
    assert(strlen(text) < 48 && text[0] == '{' && text[strlen(text) - 1] == '}');
    bitset_clear(b);
    assert(text_is(b, "{}"));
    bitset_free(b);
}

/* ---- two sets ------------------------------------------------------------------------------- */

static void
test_and_keeps_common_bits(void)
{
    struct bitset *b = set_of(1, 2, 64, 65, -1);
    struct bitset *other = set_of(2, 3, 65, -1);

    bitset_and(b, other);
    assert(has(b, 2, 65, -1) && has(other, 2, 3, 65, -1));
    bitset_free(b);
    bitset_free(other);
}

static void
test_and_with_shorter_set(void)
{
    struct bitset *b = set_of(1, 500, -1);
    struct bitset *other = set_of(1, -1);
    struct bitset *empty = bitset_new();

    bitset_and(b, other);
    assert(has(b, 1, -1));
    bitset_and(b, empty);
    assert(has(b, -1));
    bitset_free(b);
    bitset_free(other);
    bitset_free(empty);
}

static void
test_or_joins_bits(void)
{
    struct bitset *b = set_of(1, 64, -1);
    struct bitset *other = set_of(1, 2, -1);

    bitset_or(b, other);
    assert(has(b, 1, 2, 64, -1) && has(other, 1, 2, -1));
    bitset_free(b);
    bitset_free(other);
}

static void
test_or_with_longer_set(void)
{
    struct bitset *b = set_of(1, -1);
    struct bitset *other = set_of(500, -1);

    bitset_or(b, other);
    assert(has(b, 1, 500, -1) && bitset_length(b) == 501);
    bitset_free(b);
    bitset_free(other);
}

static void
test_or_with_empty_and_itself(void)
{
    struct bitset *b = set_of(1, 70, -1);
    struct bitset *empty = bitset_new();

    bitset_or(b, empty);
    bitset_or(b, b);
    assert(has(b, 1, 70, -1) && has(empty, -1));
    bitset_free(b);
    bitset_free(empty);
}

static void
test_xor_keeps_differences(void)
{
    struct bitset *b = set_of(1, 2, -1);
    struct bitset *other = set_of(2, 3, 200, -1);

    bitset_xor(b, other);
    assert(has(b, 1, 3, 200, -1) && has(other, 2, 3, 200, -1));
    bitset_free(b);
    bitset_free(other);
}

static void
test_xor_twice_restores(void)
{
    struct bitset *b = set_of(1, 2, 64, -1);
    struct bitset *other = set_of(2, 200, -1);

    bitset_xor(b, other);
    bitset_xor(b, other);
    assert(has(b, 1, 2, 64, -1));
    bitset_free(b);
    bitset_free(other);
}

static void
test_xor_with_itself(void)
{
    struct bitset *b = set_of(1, 2, 64, -1);

    bitset_xor(b, b);
    assert(has(b, -1));
    bitset_free(b);
}

static void
test_intersects_in_any_word(void)
{
    struct bitset *b = set_of(1, 64, 200, -1);
    struct bitset *other = set_of(2, 200, -1);

    assert(bitset_intersects(b, other) && bitset_intersects(other, b) && bitset_intersects(b, b));
    bitset_unset(other, 200);
    assert(!bitset_intersects(b, other) && !bitset_intersects(other, b));
    bitset_free(b);
    bitset_free(other);
}

static void
test_intersects_not_with_empty(void)
{
    struct bitset *b = set_of(1, 64, -1);
    struct bitset *empty = bitset_new();

    assert(!bitset_intersects(b, empty) && !bitset_intersects(empty, b));
    assert(!bitset_intersects(empty, empty));
    bitset_free(b);
    bitset_free(empty);
}

/* ---- published states ----------------------------------------------------------------------- */

static void
test_was_set_before_any_publication(void)
{
    struct bitset *b = set_of(1, -1);

    assert(!bitset_was_set(b, 1) && !bitset_was_set(b, 1000));
    bitset_free(b);
}

static void
test_publish_shows_the_state(void)
{
    struct bitset *b = set_of(1, 64, 200, -1);

    bitset_publish(b);
    assert(bitset_was_set(b, 1) && bitset_was_set(b, 64) && bitset_was_set(b, 200));
    assert(!bitset_was_set(b, 2) && !bitset_was_set(b, 100000));
    bitset_free(b);
}

static void
test_publish_is_a_copy(void)
{
    struct bitset *b = set_of(1, -1);

    bitset_publish(b);
    bitset_unset(b, 1);
    bitset_set(b, 2);
    assert(bitset_was_set(b, 1) && !bitset_was_set(b, 2) && has(b, 2, -1));
    bitset_free(b);
}

static void
test_publish_again_replaces(void)
{
    struct bitset *b = set_of(1, -1);

    bitset_publish(b);
    bitset_clear(b);
    bitset_set(b, 300);
    bitset_publish(b);
    assert(!bitset_was_set(b, 1) && bitset_was_set(b, 300));
    bitset_free(b);
}

static void
test_publish_empty_set(void)
{
    struct bitset *b = bitset_new();

    bitset_publish(b);
    assert(!bitset_was_set(b, 0));
    bitset_set(b, 0);
    assert(!bitset_was_set(b, 0));
    bitset_publish(b);
    assert(bitset_was_set(b, 0));
    bitset_free(b);
}

static void
test_made_counts_new_sets(void)
{
    struct bitset *a;
    struct bitset *b;

    assert(bitset_made() == 0);
    a = bitset_new();
    b = bitset_new();
    assert(bitset_made() == 2);
    bitset_free(a);
    bitset_free(b);
}

static void
test_made_keeps_freed_sets(void)
{
    for (unsigned long i = 1; i <= 5; i++) {
        bitset_free(bitset_new());
        assert(bitset_made() == i);
    }
}

static const struct suite_test tests[] = {
    TEST(new_set_is_empty),
    TEST(set_a_bit),
    TEST(set_ends_of_words),
    TEST(set_grows_and_keeps_all),
    TEST(unset_a_bit),
    TEST(unset_outside),
    TEST(flip_on_and_off),
    TEST(flip_grows),
    TEST(flip_end_of_word),
    TEST(get_outside),
    TEST(test_and_set_new_bit),
    TEST(test_and_set_keeps_others),
    TEST(test_and_set_after_unset),
    TEST(set_range_within_a_word),
    TEST(set_range_of_whole_words),
    TEST(set_range_across_words),
    TEST(set_range_empty),
    TEST(clear_drops_all_bits),
    TEST(clear_then_set),
    TEST(cardinality_follows_changes),
    TEST(cardinality_of_full_words),
    TEST(length_is_greatest_plus_one),
    TEST(length_shrinks),
    TEST(next_set_from_a_bit),
    TEST(next_set_none_left),
    TEST(next_unset_in_a_gap),
    TEST(next_unset_after_full_words),
    TEST(next_unset_outside),
    TEST(text_of_few_bits),
    TEST(text_of_empty_and_single),
    TEST(text_is_cut),
    TEST(and_keeps_common_bits),
    TEST(and_with_shorter_set),
    TEST(or_joins_bits),
    TEST(or_with_longer_set),
    TEST(or_with_empty_and_itself),
    TEST(xor_keeps_differences),
    TEST(xor_twice_restores),
    TEST(xor_with_itself),
    TEST(intersects_in_any_word),
    TEST(intersects_not_with_empty),
    TEST(was_set_before_any_publication),
    TEST(publish_shows_the_state),
    TEST(publish_is_a_copy),
    TEST(publish_again_replaces),
    TEST(publish_empty_set),
    TEST(made_counts_new_sets),
    TEST(made_keeps_freed_sets),
};

int
main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
