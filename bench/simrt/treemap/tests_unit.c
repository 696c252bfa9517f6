/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests_unit.c - what each function of the tree map does in one thread: order, limits, balance,
 * empty maps and ranges.
 */
#include "treemap.h"

#include <limits.h>

#include "../suite.h"

/* The keys 0, 10, 20, ...; each value is the key + 1. */
static struct treemap *
tens(int n)
{
    struct treemap *m = treemap_new();

    for (int i = 0; i < n; i++)
        assert(treemap_put(m, 10 * i, 10 * i + 1));
    return m;
}

static int
value_of(struct treemap *m, int key)
{
    int value = INT_MIN;

    treemap_get(m, key, &value);
    return value;
}

/* Takes all keys out and checks that they ascend. Returns how many there were. */
static size_t
drain_ascending(struct treemap *m)
{
    size_t n = 0;
    int last = 0;
    int key;

    while (treemap_pop_first(m, &key)) {
        assert(n == 0 || key > last);
        last = key;
        n++;
    }
    return n;
}

/* ---- put, get, replace ---------------------------------------------------------------------- */

static void
test_new_map_is_empty(void)
{
    struct treemap *m = treemap_new();
    int key;

    assert(treemap_size(m) == 0 && treemap_count(m, INT_MIN, INT_MAX) == 0);
    assert(!treemap_first(m, &key) && !treemap_last(m, &key) && treemap_searches(m) == 0);
    treemap_free(m);
}

static void
test_put_new_key(void)
{
    struct treemap *m = treemap_new();

    assert(treemap_put(m, 5, 50) && treemap_put(m, 3, 30));
    assert(treemap_size(m) == 2 && value_of(m, 5) == 50 && value_of(m, 3) == 30);
    treemap_free(m);
}

static void
test_put_replaces_value(void)
{
    struct treemap *m = tens(3);

    assert(!treemap_put(m, 10, 99));
    assert(treemap_size(m) == 3 && value_of(m, 10) == 99 && value_of(m, 20) == 21);
    treemap_free(m);
}

static void
test_put_descending_keys(void)
{
    struct treemap *m = treemap_new();

    for (int i = 100; i > 0; i--)
        assert(treemap_put(m, i, -i));
    for (int i = 1; i <= 100; i++)
        assert(value_of(m, i) == -i);
    assert(drain_ascending(m) == 100);
    treemap_free(m);
}

static void
test_put_scattered_keys(void)
{
    struct treemap *m = treemap_new();

    for (int i = 0; i < 101; i++)
        assert(treemap_put(m, i * 37 % 101, i));
    for (int i = 0; i < 101; i++)
        assert(value_of(m, i * 37 % 101) == i);
    assert(treemap_size(m) == 101 && drain_ascending(m) == 101);
    treemap_free(m);
}

static void
test_put_extreme_keys(void)
{
    struct treemap *m = treemap_new();
    int key;

    treemap_put(m, 0, 2);
    treemap_put(m, INT_MAX, 3);
    treemap_put(m, INT_MIN, 1);
    assert(treemap_first(m, &key) && key == INT_MIN && value_of(m, INT_MIN) == 1);
    assert(treemap_last(m, &key) && key == INT_MAX && value_of(m, INT_MAX) == 3);
    treemap_free(m);
}

static void
test_get_present_key(void)
{
    struct treemap *m = tens(10);
    int value = 0;

    assert(treemap_get(m, 90, &value) && value == 91);
    assert(treemap_get(m, 0, &value) && value == 1);
    treemap_free(m);
}

static void
test_get_missing_key(void)
{
    struct treemap *m = tens(3);
    int value = 77;

    assert(!treemap_get(m, 5, &value) && !treemap_get(m, -1, &value));
    assert(!treemap_get(m, 21, &value) && value == 77);
    treemap_free(m);
}

static void
test_replace_present_key(void)
{
    struct treemap *m = tens(5);

    assert(treemap_replace(m, 40, 99) && treemap_replace(m, 40, 98));
    assert(value_of(m, 40) == 98 && value_of(m, 30) == 31 && treemap_size(m) == 5);
    treemap_free(m);
}

static void
test_replace_missing_key(void)
{
    struct treemap *m = tens(5);

    assert(!treemap_replace(m, 45, 99));
    assert(value_of(m, 45) == INT_MIN && treemap_size(m) == 5);
    treemap_free(m);
}

static void
test_replace_in_empty_map(void)
{
    struct treemap *m = treemap_new();

    assert(!treemap_replace(m, 0, 1) && treemap_size(m) == 0);
    treemap_free(m);
}

/* ---- removal -------------------------------------------------------------------------------- */

static void
test_remove_present_key(void)
{
    struct treemap *m = tens(5);

    assert(treemap_remove(m, 20));
    assert(treemap_size(m) == 4 && value_of(m, 20) == INT_MIN && value_of(m, 30) == 31);
    treemap_free(m);
}

static void
test_remove_missing_key(void)
{
    struct treemap *m = tens(5);

    assert(!treemap_remove(m, 25) && treemap_size(m) == 5);
    assert(treemap_remove(m, 20) && !treemap_remove(m, 20) && treemap_size(m) == 4);
    treemap_free(m);
}

static void
test_remove_least_key(void)
{
    struct treemap *m = tens(4);
    int key;

    assert(treemap_remove(m, 0) && treemap_first(m, &key) && key == 10);
    assert(treemap_remove(m, 20) && treemap_first(m, &key) && key == 10);
    assert(treemap_remove(m, 10) && treemap_first(m, &key) && key == 30);
    treemap_free(m);
}

static void
test_remove_keeps_the_others(void)
{
    struct treemap *m = tens(60);

    for (int i = 0; i < 60; i += 3)
        assert(treemap_remove(m, 10 * i));
    for (int i = 0; i < 60; i++)
        assert(value_of(m, 10 * i) == (i % 3 == 0 ? INT_MIN : 10 * i + 1));
    assert(treemap_size(m) == 40 && drain_ascending(m) == 40);
    treemap_free(m);
}

static void
test_remove_last_key_then_put(void)
{
    struct treemap *m = tens(1);
    int key;

    assert(treemap_remove(m, 0) && !treemap_first(m, &key) && !treemap_last(m, &key));
    assert(treemap_put(m, 7, 8) && treemap_first(m, &key) && key == 7);
    treemap_free(m);
}

static void
test_pop_first_ascends(void)
{
    struct treemap *m = tens(20);
    int key;

    for (int i = 0; i < 20; i++)
        assert(treemap_pop_first(m, &key) && key == 10 * i);
    assert(treemap_size(m) == 0);
    treemap_free(m);
}

static void
test_pop_first_of_empty_map(void)
{
    struct treemap *m = tens(1);
    int key;

    assert(treemap_pop_first(m, &key) && !treemap_pop_first(m, &key));
    assert(treemap_size(m) == 0);
    treemap_free(m);
}

static void
test_pop_first_after_smaller_put(void)
{
    struct treemap *m = tens(3);
    int key;

    treemap_put(m, -5, 0);
    assert(treemap_pop_first(m, &key) && key == -5);
    assert(treemap_pop_first(m, &key) && key == 0 && treemap_size(m) == 2);
    treemap_free(m);
}

static void
test_pop_last_descends(void)
{
    struct treemap *m = tens(20);
    int key;

    for (int i = 19; i >= 0; i--)
        assert(treemap_pop_last(m, &key) && key == 10 * i);
    assert(treemap_size(m) == 0);
    treemap_free(m);
}

static void
test_pop_last_of_empty_map(void)
{
    struct treemap *m = treemap_new();
    int key = 77;

    assert(!treemap_pop_last(m, &key) && key == 77);
    treemap_free(m);
}

static void
test_pop_from_both_ends(void)
{
    struct treemap *m = tens(4);
    int low, high;

    assert(treemap_pop_first(m, &low) && treemap_pop_last(m, &high) && low == 0 && high == 30);
    assert(treemap_pop_first(m, &low) && treemap_pop_last(m, &high) && low == 10 && high == 20);
    assert(!treemap_pop_first(m, &low) && !treemap_pop_last(m, &high));
    treemap_free(m);
}

static void
test_clear_drops_all_keys(void)
{
    struct treemap *m = tens(30);

    treemap_clear(m);
    assert(treemap_size(m) == 0 && treemap_count(m, 0, 1000) == 0);
    assert(value_of(m, 0) == INT_MIN && value_of(m, 290) == INT_MIN);
    treemap_free(m);
}

static void
test_clear_then_put(void)
{
    struct treemap *m = tens(3);
    int key;

    treemap_clear(m);
    treemap_clear(m);
    assert(treemap_put(m, 50, 51) && treemap_size(m) == 1);
    assert(treemap_first(m, &key) && key == 50 && treemap_last(m, &key) && key == 50);
    treemap_free(m);
}

/* ---- order ---------------------------------------------------------------------------------- */

static void
test_first_is_least(void)
{
    struct treemap *m = treemap_new();
    int key;

    treemap_put(m, 5, 0);
    assert(treemap_first(m, &key) && key == 5);
    treemap_put(m, 9, 0);
    assert(treemap_first(m, &key) && key == 5);
    treemap_put(m, -2, 0);
    assert(treemap_first(m, &key) && key == -2 && treemap_size(m) == 3);
    treemap_free(m);
}

static void
test_first_follows_removal(void)
{
    struct treemap *m = tens(10);
    int key;

    for (int i = 0; i < 9; i++)
        assert(treemap_remove(m, 10 * i) && treemap_first(m, &key) && key == 10 * (i + 1));
    treemap_free(m);
}

static void
test_last_is_greatest(void)
{
    struct treemap *m = treemap_new();
    int key;

    treemap_put(m, 5, 0);
    treemap_put(m, 2, 0);
    assert(treemap_last(m, &key) && key == 5);
    treemap_put(m, 9, 0);
    assert(treemap_last(m, &key) && key == 9 && treemap_size(m) == 3);
    treemap_free(m);
}

static void
test_last_of_cleared_map(void)
{
    struct treemap *m = tens(3);
    int key = 77;

    treemap_clear(m);
    assert(!treemap_last(m, &key) && key == 77);
    treemap_free(m);
}

static void
test_floor_of_present_key(void)
{
    struct treemap *m = tens(10);
    int found;

    for (int i = 0; i < 10; i++)
        assert(treemap_floor(m, 10 * i, &found) && found == 10 * i);
    treemap_free(m);
}

static void
test_floor_between_keys(void)
{
    struct treemap *m = tens(10);
    int found;

    assert(treemap_floor(m, 59, &found) && found == 50);
    assert(treemap_floor(m, 51, &found) && found == 50);
    assert(treemap_floor(m, INT_MAX, &found) && found == 90);
    treemap_free(m);
}

static void
test_floor_below_all(void)
{
    struct treemap *m = tens(10);
    int found = 77;

    assert(!treemap_floor(m, -1, &found) && found == 77);
    treemap_free(m);
}

static void
test_ceiling_between_keys(void)
{
    struct treemap *m = tens(10);
    int found;

    assert(treemap_ceiling(m, 50, &found) && found == 50);
    assert(treemap_ceiling(m, 51, &found) && found == 60);
    assert(treemap_ceiling(m, INT_MIN, &found) && found == 0);
    treemap_free(m);
}

static void
test_ceiling_above_all(void)
{
    struct treemap *m = tens(10);
    int found = 77;

    assert(!treemap_ceiling(m, 91, &found) && found == 77);
    assert(treemap_remove(m, 90) && !treemap_ceiling(m, 90, &found) && found == 77);
    treemap_free(m);
}

/* ---- counting ------------------------------------------------------------------------------- */

static void
test_size_counts_keys_once(void)
{
    struct treemap *m = treemap_new();

    for (int i = 0; i < 50; i++)
        treemap_put(m, i % 7, i);
    assert(treemap_size(m) == 7);
    treemap_remove(m, 3);
    treemap_remove(m, 3);
    assert(treemap_size(m) == 6);
    treemap_free(m);
}

static void
test_count_includes_both_ends(void)
{
    struct treemap *m = tens(10);

    assert(treemap_count(m, 20, 50) == 4 && treemap_count(m, 21, 49) == 2);
    assert(treemap_count(m, 20, 20) == 1 && treemap_count(m, 21, 29) == 0);
    treemap_free(m);
}

static void
test_count_whole_range(void)
{
    struct treemap *m = tens(40);

    assert(treemap_count(m, INT_MIN, INT_MAX) == 40);
    assert(treemap_count(m, 0, 390) == 40 && treemap_count(m, 1, 389) == 38);
    treemap_free(m);
}

static void
test_count_reversed_range(void)
{
    struct treemap *m = tens(10);

    assert(treemap_count(m, 50, 20) == 0 && treemap_count(m, 21, 20) == 0);
    treemap_free(m);
}

static void
test_searches_count_get_floor_ceiling(void)
{
    struct treemap *m = tens(3);
    int found;

    treemap_get(m, 10, &found);
    treemap_get(m, 11, &found);
    treemap_floor(m, 5, &found);
    treemap_ceiling(m, 5, &found);
    assert(treemap_searches(m) == 4);
    treemap_free(m);
}

static void
test_searches_ignore_changes(void)
{
    struct treemap *m = tens(3);
    int key;

    treemap_remove(m, 10);
    treemap_first(m, &key);
    treemap_last(m, &key);
    treemap_pop_first(m, &key);
    treemap_count(m, 0, 100);
    assert(treemap_searches(m) == 0);
    treemap_free(m);
}

/* ---- two maps ------------------------------------------------------------------------------- */

static void
test_put_all_into_empty(void)
{
    struct treemap *m = treemap_new();
    struct treemap *from = tens(20);

    treemap_put_all(m, from);
    assert(treemap_size(m) == 20 && treemap_size(from) == 20);
    assert(value_of(m, 190) == 191 && drain_ascending(m) == 20);
    treemap_free(m);
    treemap_free(from);
}

static void
test_put_all_replaces_values(void)
{
    struct treemap *m = treemap_new();
    struct treemap *from = tens(3);

    treemap_put(m, 10, 99);
    treemap_put(m, 5, 55);
    treemap_put_all(m, from);
    assert(treemap_size(m) == 4 && value_of(m, 10) == 11 && value_of(m, 5) == 55);
    treemap_free(m);
    treemap_free(from);
}

static void
test_put_all_of_empty_and_itself(void)
{
    struct treemap *m = tens(3);
    struct treemap *empty = treemap_new();

    treemap_put_all(m, empty);
    treemap_put_all(m, m);
    assert(treemap_size(m) == 3 && treemap_size(empty) == 0 && value_of(m, 20) == 21);
    treemap_free(m);
    treemap_free(empty);
}

static void
test_move_a_range(void)
{
    struct treemap *m = treemap_new();
    struct treemap *from = tens(10);
    int key;

    assert(treemap_move(m, from, 20, 45) == 3);
    assert(treemap_size(m) == 3 && treemap_size(from) == 7);
    assert(treemap_first(m, &key) && key == 20 && treemap_last(m, &key) && key == 40);
    assert(value_of(m, 30) == 31 && value_of(from, 30) == INT_MIN && value_of(from, 50) == 51);
    treemap_free(m);
    treemap_free(from);
}

static void
test_move_nothing(void)
{
    struct treemap *m = tens(1);
    struct treemap *from = tens(10);

    assert(treemap_move(m, from, 41, 49) == 0 && treemap_move(m, from, 50, 20) == 0);
    assert(treemap_move(from, from, 0, 90) == 0);
    assert(treemap_size(m) == 1 && treemap_size(from) == 10);
    treemap_free(m);
    treemap_free(from);
}

static void
test_move_there_and_back(void)
{
    struct treemap *m = treemap_new();
    struct treemap *from = tens(30);
    int key;

    assert(treemap_move(m, from, INT_MIN, INT_MAX) == 30 && !treemap_first(from, &key));
    assert(treemap_move(from, m, 0, 290) == 30 && treemap_size(m) == 0);
    for (int i = 0; i < 30; i++)
        assert(value_of(from, 10 * i) == 10 * i + 1);
    treemap_free(m);
    treemap_free(from);
}

static void
test_move_replaces_values(void)
{
    struct treemap *m = treemap_new();
    struct treemap *from = tens(3);

    treemap_put(m, 10, 99);
    assert(treemap_move(m, from, 10, 20) == 2);
    assert(treemap_size(m) == 2 && value_of(m, 10) == 11 && treemap_size(from) == 1);
    treemap_free(m);
    treemap_free(from);
}

static const struct suite_test tests[] = {
    TEST(new_map_is_empty),
    TEST(put_new_key),
    TEST(put_replaces_value),
    TEST(put_descending_keys),
    TEST(put_scattered_keys),
    TEST(put_extreme_keys),
    TEST(get_present_key),
    TEST(get_missing_key),
    TEST(replace_present_key),
    TEST(replace_missing_key),
    TEST(replace_in_empty_map),
    TEST(remove_present_key),
    TEST(remove_missing_key),
    TEST(remove_least_key),
    TEST(remove_keeps_the_others),
    TEST(remove_last_key_then_put),
    TEST(pop_first_ascends),
    TEST(pop_first_of_empty_map),
    TEST(pop_first_after_smaller_put),
    TEST(pop_last_descends),
    TEST(pop_last_of_empty_map),
    TEST(pop_from_both_ends),
    TEST(clear_drops_all_keys),
    TEST(clear_then_put),
    TEST(first_is_least),
    TEST(first_follows_removal),
    TEST(last_is_greatest),
    TEST(last_of_cleared_map),
    TEST(floor_of_present_key),
    TEST(floor_between_keys),
    TEST(floor_below_all),
    TEST(ceiling_between_keys),
    TEST(ceiling_above_all),
    TEST(size_counts_keys_once),
    TEST(count_includes_both_ends),
    TEST(count_whole_range),
    TEST(count_reversed_range),
    TEST(searches_count_get_floor_ceiling),
    TEST(searches_ignore_changes),
    TEST(put_all_into_empty),
    TEST(put_all_replaces_values),
    TEST(put_all_of_empty_and_itself),
    TEST(move_a_range),
    TEST(move_nothing),
    TEST(move_there_and_back),
    TEST(move_replaces_values),
};

int
main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
