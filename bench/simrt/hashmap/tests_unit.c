/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests_unit.c - what each function of the hash map does in one thread: normal cases, limits,
 * growth, absent keys.
 */
#include "hashmap.h"

#include <limits.h>

#include "../suite.h"

/* The keys 0 ... n - 1; each value is ten times its key. */
static struct hashmap *
map_of(int n)
{
    struct hashmap *m = hashmap_new(4);

    for (int i = 0; i < n; i++)
        assert(hashmap_put(m, i, 10 * i));
    return m;
}

/* ---- new, put, get -------------------------------------------------------------------------- */

static void
test_new_map_is_empty(void)
{
    struct hashmap *m = hashmap_new(16);

    assert(hashmap_size(m) == 0 && hashmap_sum(m) == 0);
    assert(hashmap_stats(m).grown == 0 && hashmap_stats(m).walks == 1);
    hashmap_free(m);
}

static void
test_new_without_capacity(void)
{
    struct hashmap *m = hashmap_new(0);

    assert(hashmap_put(m, 1, 10) && hashmap_put(m, 2, 20) && hashmap_put(m, 3, 30));
    assert(hashmap_size(m) == 3 && hashmap_get_or(m, 3, 0) == 30);
    hashmap_free(m);
}

static void
test_put_new_key(void)
{
    struct hashmap *m = hashmap_new(4);

    assert(hashmap_put(m, 5, 50));
    assert(hashmap_size(m) == 1 && hashmap_get_or(m, 5, 0) == 50);
    hashmap_free(m);
}

static void
test_put_replaces_value(void)
{
    struct hashmap *m = map_of(3);

    assert(!hashmap_put(m, 1, 11) && !hashmap_put(m, 1, 12));
    assert(hashmap_size(m) == 3 && hashmap_get_or(m, 1, 0) == 12);
    assert(hashmap_get_or(m, 0, -1) == 0 && hashmap_get_or(m, 2, -1) == 20);
    hashmap_free(m);
}

static void
test_put_extreme_keys(void)
{
    const int keys[] = { INT_MIN, -1, 0, 1, INT_MAX };
    struct hashmap *m = hashmap_new(2);

    for (int i = 0; i < 5; i++)
        assert(hashmap_put(m, keys[i], i + 1));
    for (int i = 0; i < 5; i++)
        assert(hashmap_get_or(m, keys[i], 0) == i + 1);
    hashmap_free(m);
}

static void
test_put_grows_and_keeps_all(void)
{
    struct hashmap *m = map_of(200);

    assert(hashmap_size(m) == 200);
    for (int i = 0; i < 200; i++)
        assert(hashmap_get_or(m, i, -1) == 10 * i);
    hashmap_free(m);
}

static void
test_get_present_key(void)
{
    struct hashmap *m = map_of(5);
    int value = -1;

    assert(hashmap_get(m, 4, &value) && value == 40);
    assert(hashmap_get(m, 0, &value) && value == 0);
    hashmap_free(m);
}

static void
test_get_missing_key(void)
{
    struct hashmap *m = map_of(5);
    int value = 77;

    assert(!hashmap_get(m, 5, &value) && !hashmap_get(m, -1, &value));
    assert(value == 77);
    hashmap_free(m);
}

static void
test_get_or_present_key(void)
{
    struct hashmap *m = map_of(2);

    assert(hashmap_get_or(m, 1, 99) == 10 && hashmap_get_or(m, 0, 99) == 0);
    hashmap_free(m);
}

static void
test_get_or_missing_key(void)
{
    struct hashmap *m = map_of(2);

    assert(hashmap_get_or(m, 2, 99) == 99);
    assert(!hashmap_contains_key(m, 2) && hashmap_size(m) == 2);
    hashmap_free(m);
}

/* ---- put_if_absent, merge, replace ---------------------------------------------------------- */

static void
test_put_if_absent_stores_new_key(void)
{
    struct hashmap *m = hashmap_new(4);

    assert(hashmap_put_if_absent(m, 1, 10));
    assert(hashmap_get_or(m, 1, 0) == 10 && hashmap_size(m) == 1);
    hashmap_free(m);
}

static void
test_put_if_absent_keeps_old_value(void)
{
    struct hashmap *m = map_of(3);

    assert(!hashmap_put_if_absent(m, 2, 99));
    assert(hashmap_get_or(m, 2, 0) == 20 && hashmap_size(m) == 3);
    hashmap_free(m);
}

static void
test_put_if_absent_after_remove(void)
{
    struct hashmap *m = map_of(3);

    assert(hashmap_remove(m, 2) && hashmap_put_if_absent(m, 2, 99));
    assert(hashmap_get_or(m, 2, 0) == 99 && hashmap_size(m) == 3);
    hashmap_free(m);
}

static void
test_put_if_absent_grows(void)
{
    struct hashmap *m = hashmap_new(2);

    for (int i = 0; i < 50; i++)
        assert(hashmap_put_if_absent(m, i * 7, i));
    for (int i = 0; i < 50; i++)
        assert(hashmap_get_or(m, i * 7, -1) == i);
    assert(hashmap_stats(m).grown > 0);
    hashmap_free(m);
}

static void
test_merge_missing_key_puts_delta(void)
{
    struct hashmap *m = hashmap_new(4);

    assert(hashmap_merge(m, 8, -3) == -3);
    assert(hashmap_size(m) == 1 && hashmap_get_or(m, 8, 0) == -3);
    hashmap_free(m);
}

static void
test_merge_adds_to_value(void)
{
    struct hashmap *m = map_of(3);

    assert(hashmap_merge(m, 2, 5) == 25 && hashmap_merge(m, 2, -4) == 21);
    assert(hashmap_get_or(m, 2, 0) == 21 && hashmap_size(m) == 3);
    hashmap_free(m);
}

static void
test_merge_to_zero_keeps_key(void)
{
    struct hashmap *m = map_of(2);

    assert(hashmap_merge(m, 1, -10) == 0);
    assert(hashmap_contains_key(m, 1) && hashmap_get_or(m, 1, 99) == 0);
    hashmap_free(m);
}

static void
test_merge_grows(void)
{
    struct hashmap *m = hashmap_new(2);

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 40; i++)
            assert(hashmap_merge(m, i, i) == i * (round + 1));
    }
    assert(hashmap_size(m) == 40 && hashmap_sum(m) == 3L * 40 * 39 / 2);
    hashmap_free(m);
}

static void
test_replace_matching_value(void)
{
    struct hashmap *m = map_of(3);

    assert(hashmap_replace(m, 1, 10, 11));
    assert(hashmap_get_or(m, 1, 0) == 11 && hashmap_size(m) == 3);
    hashmap_free(m);
}

static void
test_replace_other_value(void)
{
    struct hashmap *m = map_of(3);

    assert(!hashmap_replace(m, 1, 11, 12));
    assert(hashmap_get_or(m, 1, 0) == 10);
    hashmap_free(m);
}

static void
test_replace_missing_key(void)
{
    struct hashmap *m = map_of(3);

    assert(!hashmap_replace(m, 3, 0, 12));
    assert(!hashmap_contains_key(m, 3) && hashmap_size(m) == 3);
    hashmap_free(m);
}

/* ---- removal -------------------------------------------------------------------------------- */

static void
test_remove_present_key(void)
{
    struct hashmap *m = map_of(3);

    assert(hashmap_remove(m, 1) && !hashmap_contains_key(m, 1));
    assert(hashmap_size(m) == 2 && hashmap_get_or(m, 2, 0) == 20);
    hashmap_free(m);
}

static void
test_remove_missing_key(void)
{
    struct hashmap *m = map_of(3);

    assert(!hashmap_remove(m, 3) && hashmap_size(m) == 3);
    assert(hashmap_remove(m, 0) && !hashmap_remove(m, 0));
    hashmap_free(m);
}

static void
test_remove_every_other_key(void)
{
    struct hashmap *m = map_of(100);

    for (int i = 0; i < 100; i += 2)
        assert(hashmap_remove(m, i));
    for (int i = 0; i < 100; i++)
        assert(hashmap_contains_key(m, i) == (i % 2 == 1));
    assert(hashmap_size(m) == 50);
    hashmap_free(m);
}

/* Multiples of a large power of two share a bucket unless the hash mixes high bits in. */
static void
test_remove_within_a_chain(void)
{
    struct hashmap *m = hashmap_new(16);

    for (int i = 0; i < 6; i++)
        hashmap_put(m, i * 4096, i);
    assert(hashmap_remove(m, 2 * 4096) && hashmap_remove(m, 0) && hashmap_remove(m, 5 * 4096));
    assert(hashmap_size(m) == 3 && hashmap_get_or(m, 4096, 0) == 1);
    assert(hashmap_get_or(m, 3 * 4096, 0) == 3 && hashmap_get_or(m, 4 * 4096, 0) == 4);
    hashmap_free(m);
}

static void
test_remove_value_matching(void)
{
    struct hashmap *m = map_of(3);

    assert(hashmap_remove_value(m, 2, 20));
    assert(!hashmap_contains_key(m, 2) && hashmap_size(m) == 2);
    hashmap_free(m);
}

static void
test_remove_value_other_value(void)
{
    struct hashmap *m = map_of(3);

    assert(!hashmap_remove_value(m, 2, 21) && !hashmap_remove_value(m, 9, 90));
    assert(hashmap_get_or(m, 2, 0) == 20 && hashmap_size(m) == 3);
    hashmap_free(m);
}

static void
test_remove_value_of_zero(void)
{
    struct hashmap *m = map_of(3);

    assert(!hashmap_remove_value(m, 1, 0) && !hashmap_remove_value(m, 3, 0));
    assert(hashmap_remove_value(m, 0, 0) && hashmap_size(m) == 2);
    hashmap_free(m);
}

static void
test_remove_all_counts_present_keys(void)
{
    struct hashmap *m = map_of(5);

    assert(hashmap_remove_all(m, (const int[]){ 9, 4, -1, 0 }, 4) == 2);
    assert(hashmap_size(m) == 3 && hashmap_sum(m) == 60);
    hashmap_free(m);
}

static void
test_remove_all_keeps_the_others(void)
{
    struct hashmap *m = map_of(120);
    int keys[40];

    for (int i = 0; i < 40; i++)
        keys[i] = 3 * i;
    assert(hashmap_remove_all(m, keys, 40) == 40 && hashmap_size(m) == 80);
    for (int i = 0; i < 120; i++)
        assert(hashmap_get_or(m, i, -1) == (i % 3 == 0 ? -1 : 10 * i));
    hashmap_free(m);
}

static void
test_remove_all_duplicates_count_once(void)
{
    struct hashmap *m = map_of(3);

    assert(hashmap_remove_all(m, (const int[]){ 1, 1, 1 }, 3) == 1);
    assert(hashmap_size(m) == 2);
    hashmap_free(m);
}

static void
test_remove_all_of_nothing(void)
{
    const int keys[] = { 0, 1 };
    struct hashmap *m = map_of(2);

    assert(hashmap_remove_all(m, keys, 0) == 0 && hashmap_size(m) == 2);
    assert(hashmap_remove_all(m, keys, 2) == 2 && hashmap_remove_all(m, keys, 2) == 0);
    hashmap_free(m);
}

static void
test_clear_drops_all_keys(void)
{
    struct hashmap *m = map_of(20);

    hashmap_clear(m);
    assert(hashmap_size(m) == 0 && hashmap_sum(m) == 0);
    for (int i = 0; i < 20; i++)
        assert(!hashmap_contains_key(m, i));
    hashmap_free(m);
}

static void
test_clear_then_put(void)
{
    struct hashmap *m = map_of(20);

    hashmap_clear(m);
    hashmap_clear(m);
    assert(hashmap_put(m, 3, 33) && hashmap_size(m) == 1 && hashmap_get_or(m, 3, 0) == 33);
    hashmap_free(m);
}

/* ---- put_all -------------------------------------------------------------------------------- */

static void
test_put_all_into_empty(void)
{
    struct hashmap *m = hashmap_new(2);
    struct hashmap *from = map_of(10);

    hashmap_put_all(m, from);
    assert(hashmap_size(m) == 10 && hashmap_sum(m) == 450);
    assert(hashmap_size(from) == 10 && hashmap_sum(from) == 450);
    hashmap_free(m);
    hashmap_free(from);
}

static void
test_put_all_replaces_values(void)
{
    struct hashmap *m = hashmap_new(4);
    struct hashmap *from = map_of(3);

    hashmap_put(m, 2, 99);
    hashmap_put(m, 7, 70);
    hashmap_put_all(m, from);
    assert(hashmap_size(m) == 4);
    assert(hashmap_get_or(m, 2, 0) == 20 && hashmap_get_or(m, 7, 0) == 70);
    hashmap_free(m);
    hashmap_free(from);
}

static void
test_put_all_of_empty_and_itself(void)
{
    struct hashmap *m = map_of(3);
    struct hashmap *empty = hashmap_new(2);

    hashmap_put_all(m, empty);
    hashmap_put_all(m, m);
    assert(hashmap_size(m) == 3 && hashmap_sum(m) == 30 && hashmap_size(empty) == 0);
    hashmap_free(m);
    hashmap_free(empty);
}

/* ---- reading -------------------------------------------------------------------------------- */

static void
test_contains_key_present_and_missing(void)
{
    struct hashmap *m = map_of(3);

    assert(hashmap_contains_key(m, 0) && hashmap_contains_key(m, 2));
    assert(!hashmap_contains_key(m, 3) && !hashmap_contains_key(m, 20));
    hashmap_free(m);
}

static void
test_contains_value_of_empty_map(void)
{
    struct hashmap *m = hashmap_new(4);

    assert(!hashmap_contains_value(m, 0));
    hashmap_put(m, 1, 0);
    assert(hashmap_contains_value(m, 0) && !hashmap_contains_value(m, 1));
    hashmap_free(m);
}

static void
test_contains_value_follows_replace(void)
{
    struct hashmap *m = map_of(3);

    hashmap_put(m, 1, 15);
    assert(!hashmap_contains_value(m, 10) && hashmap_contains_value(m, 15));
    hashmap_free(m);
}

static void
test_contains_value_of_two_keys(void)
{
    struct hashmap *m = hashmap_new(4);

    hashmap_put(m, 1, 5);
    hashmap_put(m, 2, 5);
    assert(hashmap_remove(m, 1) && hashmap_contains_value(m, 5));
    assert(hashmap_remove(m, 2) && !hashmap_contains_value(m, 5));
    hashmap_free(m);
}

static void
test_size_counts_keys_once(void)
{
    struct hashmap *m = hashmap_new(4);

    for (int i = 0; i < 30; i++)
        hashmap_put(m, i % 10, i);
    assert(hashmap_size(m) == 10);
    hashmap_remove(m, 0);
    assert(hashmap_size(m) == 9);
    hashmap_free(m);
}

static void
test_keys_has_each_key_once(void)
{
    struct hashmap *m = map_of(30);
    int keys[40];
    int seen[30] = { 0 };

    assert(hashmap_keys(m, keys, 40) == 30);
    for (int i = 0; i < 30; i++)
        seen[keys[i]]++;
    for (int i = 0; i < 30; i++)
        assert(seen[i] == 1);
    hashmap_free(m);
}

static void
test_keys_with_little_room(void)
{
    struct hashmap *m = map_of(6);
    int keys[3] = { -1, -1, -1 };

    assert(hashmap_keys(m, keys, 2) == 6);
    assert(hashmap_contains_key(m, keys[0]) && hashmap_contains_key(m, keys[1]));
    assert(keys[0] != keys[1] && keys[2] == -1);
    hashmap_free(m);
}

static void
test_keys_of_empty_map(void)
{
    struct hashmap *m = map_of(2);
    int key = 77;

    hashmap_clear(m);
    assert(hashmap_keys(m, &key, 1) == 0 && key == 77);
    hashmap_free(m);
}

static void
test_sum_with_negative_values(void)
{
    struct hashmap *m = map_of(4);

    hashmap_put(m, -1, -100);
    assert(hashmap_sum(m) == -40);
    hashmap_free(m);
}

static void
test_sum_exceeds_int(void)
{
    struct hashmap *m = hashmap_new(4);

    hashmap_put(m, 1, INT_MAX);
    hashmap_put(m, 2, INT_MAX);
    assert(hashmap_sum(m) == 2L * INT_MAX);
    hashmap_free(m);
}

static void
test_stats_without_growth(void)
{
    struct hashmap *m = hashmap_new(64);

    for (int i = 0; i < 10; i++)
        hashmap_put(m, i, i);
    for (int i = 0; i < 100; i++)
        hashmap_put(m, 3, i);
    assert(hashmap_stats(m).grown == 0);
    hashmap_free(m);
}

static void
test_stats_count_growth_and_walks(void)
{
    struct hashmap *m = map_of(100);
    int key;

    assert(hashmap_stats(m).grown >= 5 && hashmap_stats(m).walks == 0);
    hashmap_sum(m);
    hashmap_keys(m, &key, 1);
    hashmap_contains_value(m, 3);
    assert(hashmap_stats(m).walks == 2);
    hashmap_free(m);
}

static const struct suite_test tests[] = {
    TEST(new_map_is_empty),
    TEST(new_without_capacity),
    TEST(put_new_key),
    TEST(put_replaces_value),
    TEST(put_extreme_keys),
    TEST(put_grows_and_keeps_all),
    TEST(get_present_key),
    TEST(get_missing_key),
    TEST(get_or_present_key),
    TEST(get_or_missing_key),
    TEST(put_if_absent_stores_new_key),
    TEST(put_if_absent_keeps_old_value),
    TEST(put_if_absent_after_remove),
    TEST(put_if_absent_grows),
    TEST(merge_missing_key_puts_delta),
    TEST(merge_adds_to_value),
    TEST(merge_to_zero_keeps_key),
    TEST(merge_grows),
    TEST(replace_matching_value),
    TEST(replace_other_value),
    TEST(replace_missing_key),
    TEST(remove_present_key),
    TEST(remove_missing_key),
    TEST(remove_every_other_key),
    TEST(remove_within_a_chain),
    TEST(remove_value_matching),
    TEST(remove_value_other_value),
    TEST(remove_value_of_zero),
    TEST(remove_all_counts_present_keys),
    TEST(remove_all_keeps_the_others),
    TEST(remove_all_duplicates_count_once),
    TEST(remove_all_of_nothing),
    TEST(clear_drops_all_keys),
    TEST(clear_then_put),
    TEST(put_all_into_empty),
    TEST(put_all_replaces_values),
    TEST(put_all_of_empty_and_itself),
    TEST(contains_key_present_and_missing),
    TEST(contains_value_of_empty_map),
    TEST(contains_value_follows_replace),
    TEST(contains_value_of_two_keys),
    TEST(size_counts_keys_once),
    TEST(keys_has_each_key_once),
    TEST(keys_with_little_room),
    TEST(keys_of_empty_map),
    TEST(sum_with_negative_values),
    TEST(sum_exceeds_int),
    TEST(stats_without_growth),
    TEST(stats_count_growth_and_walks),
};

int
main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
