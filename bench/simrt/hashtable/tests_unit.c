/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests_unit.c - what each function of the hash table does in one thread: normal cases, limits,
 * growth, settings. Loaders, which have threads of their own, are in tests.c.
 */
#include "hashtable.h"

#include <limits.h>

#include "../suite.h"

/* The keys 0 ... n - 1; each value is ten times its key. */
static struct hashtable *
table_of(int n)
{
    struct hashtable *t = hashtable_new(4);

    for (int i = 0; i < n; i++)
        assert(hashtable_put(t, i, 10 * i));
    return t;
}

static int
value_of(struct hashtable *t, int key)
{
    int value = INT_MIN;

    hashtable_get(t, key, &value);
    return value;
}

/* True if the table has what table_of(n) makes. */
static bool
is_table_of(struct hashtable *t, int n)
{
    for (int i = 0; i < n; i++) {
        if (value_of(t, i) != 10 * i)
            return false;
    }
    return hashtable_size(t) == (size_t)n;
}

/* ---- new, put, get -------------------------------------------------------------------------- */

static void
test_new_table_is_empty(void)
{
    struct hashtable *t = hashtable_new(8);
    int key;

    assert(hashtable_size(t) == 0 && hashtable_keys(t, &key, 1) == 0);
    assert(!hashtable_contains_key(t, 0) && !hashtable_contains(t, 0));
    hashtable_free(t);
}

static void
test_new_without_capacity(void)
{
    struct hashtable *t = hashtable_new(0);

    for (int i = 0; i < 5; i++)
        assert(hashtable_put(t, i, 10 * i));
    assert(is_table_of(t, 5));
    hashtable_free(t);
}

static void
test_put_new_key(void)
{
    struct hashtable *t = hashtable_new(4);

    assert(hashtable_put(t, 7, 70) && hashtable_put(t, 8, 80));
    assert(hashtable_size(t) == 2 && value_of(t, 7) == 70 && value_of(t, 8) == 80);
    hashtable_free(t);
}

static void
test_put_replaces_value(void)
{
    struct hashtable *t = table_of(3);

    assert(!hashtable_put(t, 1, 99));
    assert(hashtable_size(t) == 3 && value_of(t, 1) == 99 && value_of(t, 2) == 20);
    hashtable_free(t);
}

static void
test_put_extreme_keys(void)
{
    const int keys[] = { INT_MIN, -1, 0, 1, INT_MAX };
    struct hashtable *t = hashtable_new(3);

    for (int i = 0; i < 5; i++)
        assert(hashtable_put(t, keys[i], i));
    for (int i = 0; i < 5; i++)
        assert(value_of(t, keys[i]) == i);
    hashtable_free(t);
}

static void
test_put_grows_and_keeps_all(void)
{
    struct hashtable *t = table_of(200);

    assert(is_table_of(t, 200));
    hashtable_free(t);
}

static void
test_put_colliding_keys(void)
{
    struct hashtable *t = hashtable_new(16);

    for (int i = 0; i < 6; i++)
        assert(hashtable_put(t, 16 * i, i));
    for (int i = 0; i < 6; i++)
        assert(value_of(t, 16 * i) == i);
    assert(!hashtable_contains_key(t, 96));
    hashtable_free(t);
}

static void
test_get_present_key(void)
{
    struct hashtable *t = table_of(10);
    int value = -1;

    assert(hashtable_get(t, 9, &value) && value == 90);
    assert(hashtable_get(t, 0, &value) && value == 0);
    hashtable_free(t);
}

static void
test_get_missing_key(void)
{
    struct hashtable *t = table_of(10);
    int value = 77;

    assert(!hashtable_get(t, 10, &value) && !hashtable_get(t, -1, &value) && value == 77);
    assert(hashtable_size(t) == 10);
    hashtable_free(t);
}

static void
test_get_after_replace_and_remove(void)
{
    struct hashtable *t = table_of(2);
    int value;

    hashtable_put(t, 1, 11);
    assert(hashtable_get(t, 1, &value) && value == 11);
    hashtable_remove(t, 1);
    assert(!hashtable_get(t, 1, &value) && value == 11);
    hashtable_free(t);
}

static void
test_wait_for_present_key(void)
{
    struct hashtable *t = table_of(3);

    assert(hashtable_wait_for(t, 2) == 20 && hashtable_wait_for(t, 0) == 0);
    assert(hashtable_size(t) == 3);
    hashtable_free(t);
}

static void
test_wait_for_newest_value(void)
{
    struct hashtable *t = table_of(3);

    hashtable_put(t, 2, 21);
    assert(hashtable_wait_for(t, 2) == 21);
    hashtable_increment(t, 2);
    assert(hashtable_wait_for(t, 2) == 22);
    hashtable_free(t);
}

/* ---- remove, increment, clear --------------------------------------------------------------- */

static void
test_remove_present_key(void)
{
    struct hashtable *t = table_of(3);

    assert(hashtable_remove(t, 1));
    assert(hashtable_size(t) == 2 && !hashtable_contains_key(t, 1) && value_of(t, 2) == 20);
    hashtable_free(t);
}

static void
test_remove_missing_key(void)
{
    struct hashtable *t = table_of(3);

    assert(!hashtable_remove(t, 3) && !hashtable_remove(t, -3) && is_table_of(t, 3));
    assert(hashtable_remove(t, 2) && !hashtable_remove(t, 2) && is_table_of(t, 2));
    hashtable_free(t);
}

static void
test_remove_within_a_chain(void)
{
    struct hashtable *t = hashtable_new(8);

    for (int i = 0; i < 5; i++)
        hashtable_put(t, 8 * i, i);
    assert(hashtable_remove(t, 16) && hashtable_remove(t, 0) && hashtable_remove(t, 32));
    assert(hashtable_size(t) == 2 && value_of(t, 8) == 1 && value_of(t, 24) == 3);
    hashtable_free(t);
}

static void
test_remove_then_put_again(void)
{
    struct hashtable *t = table_of(3);

    assert(hashtable_remove(t, 2) && hashtable_put(t, 2, 20));
    assert(is_table_of(t, 3));
    hashtable_free(t);
}

static void
test_increment_starts_at_one(void)
{
    struct hashtable *t = hashtable_new(4);

    assert(hashtable_increment(t, 5) == 1);
    assert(hashtable_size(t) == 1 && value_of(t, 5) == 1);
    hashtable_free(t);
}

static void
test_increment_adds_to_value(void)
{
    struct hashtable *t = table_of(3);

    assert(hashtable_increment(t, 2) == 21 && hashtable_increment(t, 2) == 22);
    assert(value_of(t, 2) == 22 && value_of(t, 1) == 10 && hashtable_size(t) == 3);
    hashtable_free(t);
}

static void
test_increment_negative_value(void)
{
    struct hashtable *t = hashtable_new(4);

    hashtable_put(t, 1, -1);
    assert(hashtable_increment(t, 1) == 0 && hashtable_contains_key(t, 1));
    assert(hashtable_increment(t, 1) == 1);
    hashtable_free(t);
}

static void
test_increment_counts_many_keys(void)
{
    struct hashtable *t = hashtable_new(2);

    for (int i = 0; i < 300; i++)
        assert(hashtable_increment(t, i % 30) == i / 30 + 1);
    assert(hashtable_size(t) == 30);
    hashtable_free(t);
}

static void
test_clear_drops_all_keys(void)
{
    struct hashtable *t = table_of(30);

    hashtable_clear(t);
    assert(hashtable_size(t) == 0);
    for (int i = 0; i < 30; i++)
        assert(!hashtable_contains_key(t, i));
    hashtable_free(t);
}

static void
test_clear_then_put(void)
{
    struct hashtable *t = table_of(30);

    hashtable_clear(t);
    hashtable_clear(t);
    assert(hashtable_put(t, 0, 0) && is_table_of(t, 1));
    hashtable_free(t);
}

/* ---- rehash --------------------------------------------------------------------------------- */

static void
test_rehash_keeps_all(void)
{
    struct hashtable *t = table_of(20);

    hashtable_rehash(t);
    assert(is_table_of(t, 20));
    hashtable_rehash(t);
    hashtable_rehash(t);
    assert(is_table_of(t, 20));
    hashtable_free(t);
}

static void
test_rehash_empty_table(void)
{
    struct hashtable *t = hashtable_new(1);

    hashtable_rehash(t);
    assert(hashtable_size(t) == 0 && !hashtable_contains_key(t, 0));
    assert(hashtable_put(t, 0, 0) && is_table_of(t, 1));
    hashtable_free(t);
}

static void
test_rehash_then_remove_and_put(void)
{
    struct hashtable *t = table_of(10);

    hashtable_rehash(t);
    assert(hashtable_remove(t, 9) && !hashtable_put(t, 8, 80) && is_table_of(t, 9));
    assert(hashtable_put(t, 9, 90) && is_table_of(t, 10));
    hashtable_free(t);
}

/* ---- contains, size ------------------------------------------------------------------------- */

static void
test_contains_a_value(void)
{
    struct hashtable *t = table_of(5);

    assert(hashtable_contains(t, 0) && hashtable_contains(t, 40));
    assert(!hashtable_contains(t, 50) && !hashtable_contains(t, 4));
    hashtable_free(t);
}

static void
test_contains_follows_put(void)
{
    struct hashtable *t = table_of(5);

    hashtable_put(t, 4, 41);
    assert(!hashtable_contains(t, 40) && hashtable_contains(t, 41));
    hashtable_remove(t, 4);
    assert(!hashtable_contains(t, 41));
    hashtable_free(t);
}

static void
test_contains_after_growth(void)
{
    struct hashtable *t = table_of(100);

    for (int i = 0; i < 100; i++)
        assert(hashtable_contains(t, 10 * i) && !hashtable_contains(t, 10 * i + 1));
    hashtable_free(t);
}

static void
test_contains_key_present_and_missing(void)
{
    struct hashtable *t = table_of(5);

    assert(hashtable_contains_key(t, 0) && hashtable_contains_key(t, 4));
    assert(!hashtable_contains_key(t, 5) && !hashtable_contains_key(t, 40));
    hashtable_free(t);
}

static void
test_contains_key_of_same_bucket(void)
{
    struct hashtable *t = hashtable_new(4);

    hashtable_put(t, 3, 1);
    assert(!hashtable_contains_key(t, 7) && !hashtable_contains_key(t, 11));
    hashtable_put(t, 7, 1);
    assert(hashtable_contains_key(t, 7) && !hashtable_contains_key(t, 11));
    hashtable_free(t);
}

static void
test_size_counts_keys_once(void)
{
    struct hashtable *t = hashtable_new(4);

    for (int i = 0; i < 40; i++)
        hashtable_put(t, i % 8, i);
    assert(hashtable_size(t) == 8);
    hashtable_free(t);
}

static void
test_size_after_removal(void)
{
    struct hashtable *t = table_of(20);

    for (int i = 0; i < 20; i++) {
        hashtable_remove(t, i);
        hashtable_remove(t, i);
        assert(hashtable_size(t) == (size_t)(19 - i));
    }
    hashtable_free(t);
}

/* ---- keys, order ---------------------------------------------------------------------------- */

static void
test_keys_has_each_key_once(void)
{
    struct hashtable *t = table_of(25);
    int keys[30];
    int seen[25] = { 0 };

    assert(hashtable_keys(t, keys, 30) == 25);
    for (int i = 0; i < 25; i++)
        seen[keys[i]]++;
    for (int i = 0; i < 25; i++)
        assert(seen[i] == 1);
    hashtable_free(t);
}

static void
test_keys_with_little_room(void)
{
    struct hashtable *t = table_of(6);
    int keys[3] = { -1, -1, -1 };

    assert(hashtable_keys(t, keys, 2) == 6);
    assert(keys[0] != keys[1] && keys[2] == -1);
    assert(hashtable_contains_key(t, keys[0]) && hashtable_contains_key(t, keys[1]));
    hashtable_free(t);
}

static void
test_keys_without_room(void)
{
    struct hashtable *t = table_of(6);
    int key = 77;

    assert(hashtable_keys(t, &key, 0) == 6 && key == 77);
    hashtable_free(t);
}

static void
test_ordered_keys_ascend(void)
{
    struct hashtable *t = hashtable_new(4);
    int keys[50];

    for (int i = 0; i < 50; i++)
        hashtable_put(t, i * 37 % 50 - 20, i);
    hashtable_set_ordered(t, true);
    assert(hashtable_keys(t, keys, 50) == 50);
    for (int i = 0; i < 50; i++)
        assert(keys[i] == i - 20);
    hashtable_free(t);
}

static void
test_ordered_with_little_room(void)
{
    struct hashtable *t = table_of(10);
    int keys[4] = { -1, -1, -1, -1 };

    hashtable_set_ordered(t, true);
    assert(hashtable_keys(t, keys, 3) == 10);
    assert(keys[0] < keys[1] && keys[1] < keys[2] && keys[3] == -1);
    hashtable_free(t);
}

static void
test_ordered_on_and_off(void)
{
    struct hashtable *t = table_of(3);
    int keys[3];

    hashtable_set_ordered(t, true);
    hashtable_set_ordered(t, false);
    assert(hashtable_keys(t, keys, 3) == 3 && keys[0] + keys[1] + keys[2] == 3);
    assert(is_table_of(t, 3));
    hashtable_free(t);
}

/* ---- pin ------------------------------------------------------------------------------------ */

static void
test_pin_prevents_clear(void)
{
    struct hashtable *t = table_of(5);

    hashtable_pin(t, true);
    hashtable_clear(t);
    assert(is_table_of(t, 5));
    hashtable_free(t);
}

static void
test_pin_off_allows_clear(void)
{
    struct hashtable *t = table_of(5);

    hashtable_pin(t, true);
    hashtable_pin(t, true);
    hashtable_pin(t, false);
    hashtable_clear(t);
    assert(hashtable_size(t) == 0);
    hashtable_free(t);
}

static void
test_pin_allows_put_and_remove(void)
{
    struct hashtable *t = table_of(5);

    hashtable_pin(t, true);
    assert(hashtable_put(t, 5, 50) && is_table_of(t, 6));
    assert(hashtable_remove(t, 5) && is_table_of(t, 5));
    hashtable_free(t);
}

static void
test_pin_and_order_are_independent(void)
{
    struct hashtable *t = table_of(5);
    int keys[5];

    hashtable_pin(t, true);
    hashtable_set_ordered(t, true);
    hashtable_pin(t, false);
    assert(hashtable_keys(t, keys, 5) == 5 && keys[0] == 0 && keys[4] == 4);
    hashtable_pin(t, true);
    hashtable_set_ordered(t, false);
    hashtable_clear(t);
    assert(hashtable_size(t) == 5);
    hashtable_free(t);
}

/* ---- equals --------------------------------------------------------------------------------- */

static void
test_equals_same_entries(void)
{
    struct hashtable *a = table_of(10);
    struct hashtable *b = hashtable_new(50);

    for (int i = 9; i >= 0; i--)
        hashtable_put(b, i, 10 * i);
    assert(hashtable_equals(a, b) && hashtable_equals(b, a));
    hashtable_free(a);
    hashtable_free(b);
}

static void
test_equals_not_with_other_value(void)
{
    struct hashtable *a = table_of(10);
    struct hashtable *b = table_of(10);

    hashtable_increment(b, 7);
    assert(!hashtable_equals(a, b) && !hashtable_equals(b, a));
    hashtable_free(a);
    hashtable_free(b);
}

static void
test_equals_not_with_other_keys(void)
{
    struct hashtable *a = table_of(3);
    struct hashtable *b = table_of(4);

    assert(!hashtable_equals(a, b) && !hashtable_equals(b, a));
    hashtable_remove(b, 0);
    assert(!hashtable_equals(a, b) && !hashtable_equals(b, a));
    hashtable_free(a);
    hashtable_free(b);
}

static void
test_equals_itself_and_empty(void)
{
    struct hashtable *a = table_of(3);
    struct hashtable *b = hashtable_new(1);
    struct hashtable *c = hashtable_new(9);

    assert(hashtable_equals(a, a) && hashtable_equals(b, b) && hashtable_equals(b, c));
    assert(!hashtable_equals(a, b) && !hashtable_equals(b, a));
    hashtable_free(a);
    hashtable_free(b);
    hashtable_free(c);
}

static const struct suite_test tests[] = {
    TEST(new_table_is_empty),
    TEST(new_without_capacity),
    TEST(put_new_key),
    TEST(put_replaces_value),
    TEST(put_extreme_keys),
    TEST(put_grows_and_keeps_all),
    TEST(put_colliding_keys),
    TEST(get_present_key),
    TEST(get_missing_key),
    TEST(get_after_replace_and_remove),
    TEST(wait_for_present_key),
    TEST(wait_for_newest_value),
    TEST(remove_present_key),
    TEST(remove_missing_key),
    TEST(remove_within_a_chain),
    TEST(remove_then_put_again),
    TEST(increment_starts_at_one),
    TEST(increment_adds_to_value),
    TEST(increment_negative_value),
    TEST(increment_counts_many_keys),
    TEST(clear_drops_all_keys),
    TEST(clear_then_put),
    TEST(rehash_keeps_all),
    TEST(rehash_empty_table),
    TEST(rehash_then_remove_and_put),
    TEST(contains_a_value),
    TEST(contains_follows_put),
    TEST(contains_after_growth),
    TEST(contains_key_present_and_missing),
    TEST(contains_key_of_same_bucket),
    TEST(size_counts_keys_once),
    TEST(size_after_removal),
    TEST(keys_has_each_key_once),
    TEST(keys_with_little_room),
    TEST(keys_without_room),
    TEST(ordered_keys_ascend),
    TEST(ordered_with_little_room),
    TEST(ordered_on_and_off),
    TEST(pin_prevents_clear),
    TEST(pin_off_allows_clear),
    TEST(pin_allows_put_and_remove),
    TEST(pin_and_order_are_independent),
    TEST(equals_same_entries),
    TEST(equals_not_with_other_value),
    TEST(equals_not_with_other_keys),
    TEST(equals_itself_and_empty),
};

int
main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
