/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests_unit.c - what each text function does in one thread: normal cases, empty strings, limits,
 * growth.
 */
#include "text.h"

#include <limits.h>
#include <stdlib.h>

#include "../suite.h"

/* True if the text, which is freed, is `want`. */
static bool
is(char *text, const char *want)
{
    const bool equal = strcmp(text, want) == 0;

    free(text);
    return equal;
}

/* True if the builder has the text `want`. */
static bool
has(struct text_builder *b, const char *want)
{
    return text_builder_length(b) == strlen(want) && is(text_builder_string(b), want);
}

static struct text_builder *
builder_of(const char *s)
{
    struct text_builder *b = text_builder_new();

    text_builder_append(b, s);
    return b;
}

/* ---- plain functions ------------------------------------------------------------------------ */

static void
test_blank_white_space_only(void)
{
    assert(text_is_blank("") && text_is_blank(" ") && text_is_blank(" \t\n "));
}

static void
test_blank_not_with_a_letter(void)
{
    assert(!text_is_blank("a  ") && !text_is_blank(" a ") && !text_is_blank("  a"));
    assert(!text_is_blank(".") && !text_is_blank("0"));
}

static void
test_numeric_digits_only(void)
{
    assert(text_is_numeric("0") && text_is_numeric("0123456789"));
    assert(!text_is_numeric("12a") && !text_is_numeric("a12") && !text_is_numeric("1 2"));
}

static void
test_numeric_not_empty_or_signed(void)
{
    assert(!text_is_numeric("") && !text_is_numeric(" "));
    assert(!text_is_numeric("-1") && !text_is_numeric("+1") && !text_is_numeric("1.5"));
}

static void
test_non_ascii_is_neither_blank_nor_numeric(void)
{
    assert(!text_is_blank("\xc2\xa0") && !text_is_numeric("\xc2\xb2"));
    assert(is(text_strip(" \xc2\xa0 "), "\xc2\xa0"));
}

static void
test_strip_both_ends(void)
{
    assert(is(text_strip("  a b\t\n"), "a b") && is(text_strip("a"), "a"));
    assert(is(text_strip(" left"), "left") && is(text_strip("right "), "right"));
}

static void
test_strip_blank_gives_empty(void)
{
    assert(is(text_strip(""), "") && is(text_strip(" "), "") && is(text_strip("\t\n \t"), ""));
}

static void
test_capitalize_first_letter_only(void)
{
    assert(is(text_capitalize("abc def"), "Abc def") && is(text_capitalize("z"), "Z"));
    assert(is(text_capitalize("Abc"), "Abc") && is(text_capitalize("aBC"), "ABC"));
}

static void
test_capitalize_without_letter(void)
{
    assert(is(text_capitalize(""), "") && is(text_capitalize("1a"), "1a"));
    assert(is(text_capitalize(" a"), " a") && is(text_capitalize("{a"), "{a"));
}

static void
test_reverse_odd_and_even(void)
{
    assert(is(text_reverse("abc"), "cba") && is(text_reverse("abcd"), "dcba"));
    assert(is(text_reverse(""), "") && is(text_reverse("x"), "x"));
}

static void
test_reverse_twice_is_identity(void)
{
    char *once = text_reverse("stressed ");

    assert(strcmp(once, " desserts") == 0 && is(text_reverse(once), "stressed "));
    free(once);
}

static void
test_repeat_several_times(void)
{
    assert(is(text_repeat("ab", 3), "ababab") && is(text_repeat("ab", 1), "ab"));
}

static void
test_repeat_gives_empty(void)
{
    assert(is(text_repeat("ab", 0), "") && is(text_repeat("", 5), ""));
}

static void
test_count_matches_do_not_overlap(void)
{
    assert(text_count_matches("banana", "an") == 2 && text_count_matches("aaaa", "aa") == 2);
    assert(text_count_matches("aaa", "aa") == 1 && text_count_matches("aaa", "a") == 3);
}

static void
test_count_matches_none(void)
{
    assert(text_count_matches("abc", "d") == 0 && text_count_matches("abc", "abcd") == 0);
    assert(text_count_matches("abc", "") == 0 && text_count_matches("", "a") == 0);
}

static void
test_quote_plain_text(void)
{
    assert(strcmp(text_quote("a b"), "\"a b\"") == 0);
    assert(strcmp(text_quote(""), "\"\"") == 0);
}

static void
test_quote_escapes(void)
{
    assert(strcmp(text_quote("a\"b"), "\"a\\\"b\"") == 0);
    assert(strcmp(text_quote("a\\b"), "\"a\\\\b\"") == 0);
    assert(strcmp(text_quote("\"\""), "\"\\\"\\\"\"") == 0);
}

static void
test_quote_cuts_long_text(void)
{
    char *longer = text_repeat("x", 200);
    const char *quoted = text_quote(longer);
    const size_t n = strlen(quoted);

    assert(n < 64 && quoted[0] == '"' && quoted[n - 1] == '"' && quoted[n - 2] == 'x');
    assert(strcmp(text_quote("y"), "\"y\"") == 0);
    free(longer);
}

/* ---- interned strings ----------------------------------------------------------------------- */

static void
test_intern_equal_strings_share_address(void)
{
    char *copy = text_strip(" key ");
    const char *first = text_intern("key");

    assert(copy != first && text_intern(copy) == first && strcmp(first, "key") == 0);
    assert(text_intern("Key") != first && text_intern("ke") != first);
    free(copy);
}

static void
test_intern_keeps_a_copy(void)
{
    char buffer[] = "abc";
    const char *s = text_intern(buffer);

    buffer[0] = 'x';
    assert(strcmp(s, "abc") == 0 && text_intern("abc") == s && text_intern(buffer) != s);
}

static void
test_intern_many_strings(void)
{
    const char *all[100];
    char name[16];

    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "n%d", i);
        all[i] = text_intern(name);
    }
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "n%d", i);
        assert(text_intern(name) == all[i] && strcmp(all[i], name) == 0);
    }
    assert(text_intern_count() == 100);
}

static void
test_intern_count_ignores_duplicates(void)
{
    assert(text_intern_count() == 0);
    text_intern("a");
    text_intern("b");
    text_intern("a");
    assert(text_intern_count() == 2);
    text_intern("");
    assert(text_intern_count() == 3);
}

static void
test_lookups_start_at_zero(void)
{
    assert(text_intern_lookups() == 0);
    assert(text_intern_count() == 0 && text_format_count() == 0);
    free(text_format_apply(text_format_get("{}"), 1));
    assert(text_intern_lookups() == 0);
}

static void
test_lookups_at_most_one_per_intern(void)
{
    unsigned long before = 0;

    for (unsigned long i = 1; i <= 10; i++) {
        text_intern(i % 2 == 0 ? "even" : "odd");
        assert(text_intern_lookups() >= before && text_intern_lookups() <= i);
        before = text_intern_lookups();
    }
}

/* ---- formats -------------------------------------------------------------------------------- */

static void
test_format_get_same_pattern(void)
{
    const struct text_format *f = text_format_get("a{02}");

    assert(f != NULL && text_format_get("a{02}") == f && text_format_get("a{03}") != f);
    assert(text_format_get("{}") == text_format_get("{}"));
}

static void
test_format_get_beyond_cache(void)
{
    char pattern[16];
    char want[16];

    for (int i = 0; i < 20; i++) {
        snprintf(pattern, sizeof pattern, "p%d-{}", i);
        snprintf(want, sizeof want, "p%d-7", i);
        assert(is(text_format_apply(text_format_get(pattern), 7), want));
    }
    assert(text_format_count() == 8);
}

static void
test_format_count_distinct_patterns(void)
{
    assert(text_format_count() == 0);
    text_format_get("{02}");
    text_format_get("{03}");
    text_format_get("{02}");
    assert(text_format_count() == 2);
}

static void
test_format_apply_fills_with_zeros(void)
{
    assert(is(text_format_apply(text_format_get("{04} of 9"), 7), "0007 of 9"));
    assert(is(text_format_apply(text_format_get("no. {03}"), 45), "no. 045"));
}

static void
test_format_apply_wide_number(void)
{
    const struct text_format *f = text_format_get("<{02}>");

    assert(is(text_format_apply(f, 12), "<12>") && is(text_format_apply(f, 12345), "<12345>"));
    assert(is(text_format_apply(f, INT_MIN), "<-2147483648>"));
}

static void
test_format_apply_without_braces(void)
{
    assert(is(text_format_apply(text_format_get("n="), 7), "n=7"));
    assert(is(text_format_apply(text_format_get("{}"), -7), "-7"));
}

static void
test_format_apply_empty_pattern(void)
{
    const struct text_format *f = text_format_get("");

    assert(is(text_format_apply(f, 0), "0") && is(text_format_apply(f, 120), "120"));
    assert(text_format_get("") == f);
}

static void
test_reset_drops_interned_strings(void)
{
    text_intern("a");
    text_intern("b");
    text_reset();
    assert(text_intern_count() == 0);
    assert(strcmp(text_intern("a"), "a") == 0 && text_intern_count() == 1);
}

static void
test_reset_drops_formats(void)
{
    text_format_get("{02}");
    text_format_get("{03}");
    text_reset();
    assert(text_format_count() == 0);
    assert(is(text_format_apply(text_format_get("{02}"), 5), "05") && text_format_count() == 1);
}

/* ---- builders ------------------------------------------------------------------------------- */

static void
test_builder_starts_empty(void)
{
    struct text_builder *b = text_builder_new();

    assert(has(b, ""));
    text_builder_turn(b);
    text_builder_delete(b, 0, 5);
    text_builder_clear(b);
    assert(has(b, ""));
    text_builder_free(b);
}

static void
test_builder_append_keeps_order(void)
{
    struct text_builder *b = builder_of("one");

    text_builder_append(b, ", two");
    text_builder_append(b, "");
    text_builder_append(b, ", three");
    assert(has(b, "one, two, three"));
    text_builder_free(b);
}

static void
test_builder_append_grows(void)
{
    struct text_builder *b = text_builder_new();
    char *want = text_repeat("abc", 100);

    for (int i = 0; i < 100; i++)
        text_builder_append(b, "abc");
    assert(has(b, want));
    text_builder_append(b, want);
    assert(text_builder_length(b) == 600);
    text_builder_free(b);
    free(want);
}

static void
test_builder_append_int_digits(void)
{
    struct text_builder *b = builder_of("n=");

    text_builder_append_int(b, 0);
    text_builder_append_int(b, 120);
    text_builder_append_int(b, -45);
    assert(has(b, "n=0120-45"));
    text_builder_free(b);
}

static void
test_builder_append_int_limits(void)
{
    struct text_builder *b = text_builder_new();

    text_builder_append_int(b, INT_MAX);
    text_builder_append(b, " ");
    text_builder_append_int(b, INT_MIN);
    assert(has(b, "2147483647 -2147483648"));
    text_builder_free(b);
}

static void
test_builder_insert_front_and_middle(void)
{
    struct text_builder *b = builder_of("ad");

    text_builder_insert(b, 1, "bc");
    text_builder_insert(b, 0, "[");
    text_builder_insert(b, 2, "");
    assert(has(b, "[abcd"));
    text_builder_free(b);
}

static void
test_builder_insert_past_end_appends(void)
{
    struct text_builder *b = text_builder_new();

    text_builder_insert(b, 9, "a");
    text_builder_insert(b, 1, "b");
    text_builder_insert(b, 100, "c");
    assert(has(b, "abc"));
    text_builder_free(b);
}

static void
test_builder_insert_grows(void)
{
    struct text_builder *b = text_builder_new();
    char *want = text_repeat("yx", 50);

    for (int i = 0; i < 50; i++) {
        text_builder_insert(b, 0, "x");
        text_builder_insert(b, 0, "y");
    }
    assert(has(b, want));
    text_builder_free(b);
    free(want);
}

static void
test_builder_delete_middle(void)
{
    struct text_builder *b = builder_of("abcdef");

    text_builder_delete(b, 1, 3);
    assert(has(b, "adef"));
    text_builder_delete(b, 0, 1);
    assert(has(b, "def"));
    text_builder_free(b);
}

static void
test_builder_delete_clips_range(void)
{
    struct text_builder *b = builder_of("abcdef");

    text_builder_delete(b, 2, 2);
    text_builder_delete(b, 5, 3);
    text_builder_delete(b, 6, 9);
    assert(has(b, "abcdef"));
    text_builder_delete(b, 4, 100);
    assert(has(b, "abcd"));
    text_builder_free(b);
}

static void
test_builder_turn_odd_and_even(void)
{
    struct text_builder *b = builder_of("abc");

    text_builder_turn(b);
    assert(has(b, "cba"));
    text_builder_append(b, "x");
    text_builder_turn(b);
    assert(has(b, "xabc"));
    text_builder_free(b);
}

static void
test_builder_clear_then_append(void)
{
    struct text_builder *b = builder_of("something long enough to grow");

    text_builder_clear(b);
    assert(has(b, ""));
    text_builder_append(b, "new");
    assert(has(b, "new"));
    text_builder_free(b);
}

static void
test_builder_string_is_a_copy(void)
{
    struct text_builder *b = builder_of("abc");
    char *s = text_builder_string(b);

    text_builder_turn(b);
    s[1] = 'X';
    assert(has(b, "cba") && is(s, "aXc"));
    text_builder_free(b);
}

static void
test_builder_equals_same_text(void)
{
    struct text_builder *a = builder_of("12");
    struct text_builder *b = builder_of("xxxxxxxxxxxxxxxxxxxx");

    text_builder_clear(b);
    text_builder_append_int(b, 12);
    assert(text_builder_equals(a, b) && text_builder_equals(b, a) && text_builder_equals(a, a));
    text_builder_free(a);
    text_builder_free(b);
}

static void
test_builder_equals_prefix_is_not(void)
{
    struct text_builder *a = builder_of("abc");
    struct text_builder *b = builder_of("ab");

    assert(!text_builder_equals(a, b) && !text_builder_equals(b, a));
    text_builder_append(b, "d");
    assert(!text_builder_equals(a, b) && !text_builder_equals(b, a));
    text_builder_free(a);
    text_builder_free(b);
}

static void
test_builder_append_builder_joins(void)
{
    struct text_builder *to = builder_of("one ");
    struct text_builder *from = builder_of("two, which makes it grow");

    text_builder_append_builder(to, from);
    assert(has(to, "one two, which makes it grow") && has(from, "two, which makes it grow"));
    text_builder_clear(from);
    text_builder_append_builder(to, from);
    assert(text_builder_length(to) == 28);
    text_builder_free(to);
    text_builder_free(from);
}

static void
test_builder_append_builder_to_itself(void)
{
    struct text_builder *b = builder_of("abcd");

    text_builder_append_builder(b, b);
    text_builder_append_builder(b, b);
    assert(has(b, "abcdabcdabcdabcd"));
    text_builder_free(b);
}

static const struct suite_test tests[] = {
    TEST(blank_white_space_only),
    TEST(blank_not_with_a_letter),
    TEST(numeric_digits_only),
    TEST(numeric_not_empty_or_signed),
    TEST(non_ascii_is_neither_blank_nor_numeric),
    TEST(strip_both_ends),
    TEST(strip_blank_gives_empty),
    TEST(capitalize_first_letter_only),
    TEST(capitalize_without_letter),
    TEST(reverse_odd_and_even),
    TEST(reverse_twice_is_identity),
    TEST(repeat_several_times),
    TEST(repeat_gives_empty),
    TEST(count_matches_do_not_overlap),
    TEST(count_matches_none),
    TEST(quote_plain_text),
    TEST(quote_escapes),
    TEST(quote_cuts_long_text),
    TEST(intern_equal_strings_share_address),
    TEST(intern_keeps_a_copy),
    TEST(intern_many_strings),
    TEST(intern_count_ignores_duplicates),
    TEST(lookups_start_at_zero),
    TEST(lookups_at_most_one_per_intern),
    TEST(format_get_same_pattern),
    TEST(format_get_beyond_cache),
    TEST(format_count_distinct_patterns),
    TEST(format_apply_fills_with_zeros),
    TEST(format_apply_wide_number),
    TEST(format_apply_without_braces),
    TEST(format_apply_empty_pattern),
    TEST(reset_drops_interned_strings),
    TEST(reset_drops_formats),
    TEST(builder_starts_empty),
    TEST(builder_append_keeps_order),
    TEST(builder_append_grows),
    TEST(builder_append_int_digits),
    TEST(builder_append_int_limits),
    TEST(builder_insert_front_and_middle),
    TEST(builder_insert_past_end_appends),
    TEST(builder_insert_grows),
    TEST(builder_delete_middle),
    TEST(builder_delete_clips_range),
    TEST(builder_turn_odd_and_even),
    TEST(builder_clear_then_append),
    TEST(builder_string_is_a_copy),
    TEST(builder_equals_same_text),
    TEST(builder_equals_prefix_is_not),
    TEST(builder_append_builder_joins),
    TEST(builder_append_builder_to_itself),
};

int
main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
