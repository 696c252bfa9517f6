/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests.c - the suite of the text utilities. Each test uses a few functions, most of them in two
 * threads; the final state does not depend on the schedule.
 */
#include "text.h"

#include <stdbool.h>
#include <stdlib.h>

#include "../suite.h"

static bool
is_and_free(char *s, const char *expected)
{
    const bool same = strcmp(s, expected) == 0;

    free(s);
    return same;
}

/* ---- without threads ------------------------------------------------------------------------ */

static void
test_plain(void)
{
    assert(text_is_blank(" \t") && !text_is_blank(" a"));
    assert(text_is_numeric("123") && !text_is_numeric("12x"));
    assert(is_and_free(text_strip("  a b "), "a b"));
    assert(is_and_free(text_capitalize("lang"), "Lang"));
    assert(is_and_free(text_reverse("abc"), "cba"));
    assert(is_and_free(text_repeat("ab", 3), "ababab"));
    assert(text_count_matches("abab", "ab") == 2);
}

static void
test_formats_alone(void)
{
    assert(is_and_free(text_format_apply(text_format_get("n={04}!"), 42), "n=0042!"));
    assert(text_format_get("n={04}!") == text_format_get("n={04}!"));
    assert(text_format_count() == 1);
    text_reset();
}

static void
test_builder_alone(void)
{
    struct text_builder *b = text_builder_new();

    text_builder_append(b, "bd");
    text_builder_insert(b, 1, "c");
    text_builder_insert(b, 0, "a");
    text_builder_append_int(b, -17);
    assert(is_and_free(text_builder_string(b), "abcd-17"));
    text_builder_delete(b, 1, 5);
    text_builder_turn(b);
    assert(is_and_free(text_builder_string(b), "71a"));
    text_builder_free(b);
}

static void
test_intern_alone(void)
{
    const char *a = text_intern("alpha");

    assert(text_intern("alpha") == a && text_intern("beta") != a);
    assert(text_intern_count() == 2);
    text_reset();
}

/* ---- character classes ---------------------------------------------------------------------- */

static void *
blank_body(void *arg)
{
    assert(text_is_blank(arg));
    return NULL;
}

static void *
numeric_body(void *arg)
{
    assert(text_is_numeric(arg));
    return NULL;
}

static void *
strip_body(void *arg)
{
    assert(is_and_free(text_strip(arg), "x"));
    return NULL;
}

static void
test_blank_blank(void)
{
    suite_run(blank_body, "  ", blank_body, " \t");
}

static void
test_numeric_strip(void)
{
    suite_run(numeric_body, "42", strip_body, " x ");
}

/* The table exists before the first thread does. */
static void
test_strip_after_plain(void)
{
    test_plain();
    suite_run(strip_body, "x ", strip_body, " x");
}

/* ---- quoting -------------------------------------------------------------------------------- */

static void *
quote_a(void *arg)
{
    (void)arg;
    assert(strcmp(text_quote("a"), "\"a\"") == 0);
    return NULL;
}

static void *
quote_b(void *arg)
{
    (void)arg;
    assert(strcmp(text_quote("b\"c"), "\"b\\\"c\"") == 0);
    return NULL;
}

static void
test_quote_quote(void)
{
    suite_run(quote_a, NULL, quote_b, NULL);
}

static void
test_quote_strip(void)
{
    suite_run(quote_a, NULL, strip_body, "x");
}

static void *
quote_and_intern(void *arg)
{
    assert(text_intern(text_quote(arg))[1] == 'q');
    return NULL;
}

static void
test_quote_intern(void)
{
    suite_run(quote_and_intern, "q", quote_and_intern, "q");
    assert(text_intern_count() == 1);
    text_reset();
}

/* ---- interned strings ----------------------------------------------------------------------- */

static const char *interned[2];

static void *
intern_first(void *arg)
{
    interned[0] = text_intern(arg);
    return NULL;
}

static void *
intern_second(void *arg)
{
    interned[1] = text_intern(arg);
    return NULL;
}

static void *
count_interned(void *arg)
{
    (void)arg;
    assert(text_intern_count() <= 1);
    return NULL;
}

static void
test_intern_equal(void)
{
    suite_run(intern_first, "same", intern_second, "same");
    assert(interned[0] == interned[1] && text_intern_count() == 1);
    text_reset();
}

static void
test_intern_different(void)
{
    suite_run(intern_first, "one", intern_second, "two");
    assert(interned[0] != interned[1] && text_intern_count() == 2);
    text_reset();
}

static void
test_intern_count(void)
{
    suite_run(intern_first, "one", count_interned, NULL);
    assert(text_intern_count() == 1);
    text_reset();
}

static void *
lookups_body(void *arg)
{
    (void)arg;
    assert(text_intern_lookups() <= 1);
    return NULL;
}

static void
test_intern_lookups(void)
{
    suite_run(intern_first, "one", lookups_body, NULL);
    text_reset();
}

/* ---- formats -------------------------------------------------------------------------------- */

static void *
format_body(void *arg)
{
    free(text_format_apply(text_format_get(arg), 7));
    return NULL;
}

static void
test_format_equal(void)
{
    suite_run(format_body, "n={3}", format_body, "n={3}");
    assert(text_format_count() == 1);
    text_reset();
}

static void
test_format_different(void)
{
    suite_run(format_body, "a={}", format_body, "b={}");
    assert(text_format_count() == 2);
    text_reset();
}

static void
test_format_short(void)
{
    suite_run(format_body, "{}", format_body, "{}");
    assert(text_format_count() == 1);
    text_reset();
}

static void
test_format_short_and_long(void)
{
    suite_run(format_body, "{}", format_body, "<{05}>");
    assert(text_format_count() == 2);
    text_reset();
}

/* Both threads find the format that main parsed. */
static void
test_format_cached(void)
{
    const struct text_format *f = text_format_get("no. {02}");

    suite_run(format_body, "no. {02}", format_body, "no. {02}");
    assert(text_format_get("no. {02}") == f && text_format_count() == 1);
    text_reset();
}

/* ---- builders ------------------------------------------------------------------------------- */

static void *
append_body(void *b)
{
    text_builder_append(b, "ab");
    return NULL;
}

static void *
append_int_body(void *b)
{
    text_builder_append_int(b, 12);
    return NULL;
}

static void *
insert_body(void *b)
{
    text_builder_insert(b, 0, "cd");
    return NULL;
}

static void *
delete_body(void *b)
{
    text_builder_delete(b, 0, 1);
    return NULL;
}

static void *
turn_body(void *b)
{
    text_builder_turn(b);
    return NULL;
}

static void *
length_body(void *b)
{
    const size_t n = text_builder_length(b);

    assert(n == 0 || n == 2);
    return NULL;
}

/* Runs both bodies on one new builder that starts with `start`, which then has n characters. */
static void
on_builder(void *(*first)(void *), void *(*second)(void *), const char *start, size_t n)
{
    struct text_builder *b = text_builder_new();

    text_builder_append(b, start);
    suite_run(first, b, second, b);
    assert(text_builder_length(b) == n);
    text_builder_free(b);
}

static void
test_append_append(void)
{
    on_builder(append_body, append_body, "", 4);
}

static void
test_append_int_twice(void)
{
    on_builder(append_int_body, append_int_body, "", 4);
}

static void
test_append_int_length(void)
{
    on_builder(append_int_body, length_body, "", 2);
}

static void
test_insert_insert(void)
{
    on_builder(insert_body, insert_body, "xy", 6);
}

static void
test_insert_append(void)
{
    on_builder(insert_body, append_body, "xy", 6);
}

static void
test_insert_turn(void)
{
    on_builder(insert_body, turn_body, "xy", 4);
}

static void
test_delete_append(void)
{
    on_builder(delete_body, append_body, "xyz", 4);
}

static void
test_turn_delete(void)
{
    on_builder(turn_body, delete_body, "xyz", 2);
}

/* Each thread has its own builder. */
static void
test_own_builders(void)
{
    struct text_builder *b[2] = { text_builder_new(), text_builder_new() };

    suite_run(append_int_body, b[0], append_int_body, b[1]);
    text_builder_insert(b[0], 1, "-");
    assert(is_and_free(text_builder_string(b[0]), "1-2"));
    text_builder_free(b[0]);
    text_builder_free(b[1]);
}

static void *
equals_body(void *arg)
{
    struct text_builder **b = arg;

    assert(text_builder_equals(b[0], b[1]));
    return NULL;
}

static void *
append_builder_body(void *arg)
{
    struct text_builder **b = arg;

    text_builder_append_builder(b[0], b[1]);
    return NULL;
}

/* Runs both bodies on two builders, the second with the builders exchanged. */
static void
on_builders(void *(*first)(void *), void *(*second)(void *), size_t total)
{
    struct text_builder *b[3] = { text_builder_new(), text_builder_new(), NULL };

    b[2] = b[0];
    text_builder_append(b[0], "p");
    text_builder_append(b[1], "p");
    suite_run(first, b, second, b + 1);
    assert(text_builder_length(b[0]) + text_builder_length(b[1]) == total);
    text_builder_free(b[0]);
    text_builder_free(b[1]);
}

static void
test_equals_equals(void)
{
    on_builders(equals_body, equals_body, 2);
}

static void
test_append_each_other(void)
{
    on_builders(append_builder_body, append_builder_body, 5);
}

/* Both threads append the same builder to their own. */
static void
test_append_one_to_two(void)
{
    struct text_builder *from = text_builder_new();
    struct text_builder *a[2] = { text_builder_new(), from };
    struct text_builder *b[2] = { text_builder_new(), from };

    text_builder_append(from, "shared");
    suite_run(append_builder_body, a, append_builder_body, b);
    assert(text_builder_equals(a[0], b[0]));
    text_builder_free(a[0]);
    text_builder_free(b[0]);
    text_builder_free(from);
}

/* The work of main is before the first and after the last thread. */
static void
test_main_around(void)
{
    struct text_builder *b = text_builder_new();

    text_builder_append_int(b, 1);
    text_builder_insert(b, 0, "<");
    suite_run(append_body, b, append_body, b);
    text_builder_append_int(b, 2);
    assert(is_and_free(text_builder_string(b), "<1abab2"));
    text_builder_free(b);
}

static const struct suite_test tests[] = {
    TEST(plain),
    TEST(formats_alone),
    TEST(builder_alone),
    TEST(intern_alone),
    TEST(blank_blank),
    TEST(numeric_strip),
    TEST(strip_after_plain),
    TEST(quote_quote),
    TEST(quote_strip),
    TEST(quote_intern),
    TEST(intern_equal),
    TEST(intern_different),
    TEST(intern_count),
    TEST(intern_lookups),
    TEST(format_equal),
    TEST(format_different),
    TEST(format_short),
    TEST(format_short_and_long),
    TEST(format_cached),
    TEST(append_append),
    TEST(append_int_twice),
    TEST(append_int_length),
    TEST(insert_insert),
    TEST(insert_append),
    TEST(insert_turn),
    TEST(delete_append),
    TEST(turn_delete),
    TEST(own_builders),
    TEST(equals_equals),
    TEST(append_each_other),
    TEST(append_one_to_two),
    TEST(main_around),
};

int
main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
