/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests_unit.c - what each function of the list does in one thread: order, limits, growth, empty
 * lists. Sums, which have threads of their own, are in tests.c.
 */
#include "arraylist.h"

#include <limits.h>
#include <stdint.h>

#include "../suite.h"

/* Compares with the elements of a braced list. */
#define HAS(list, ...) \
    has(list, (const int[]){ __VA_ARGS__ }, sizeof((int[]){ __VA_ARGS__ }) / sizeof(int))

static bool
has(struct arraylist *l, const int *values, size_t n)
{
    int value;

    for (size_t i = 0; i < n; i++) {
        if (!arraylist_get(l, i, &value) || value != values[i])
            return false;
    }
    return arraylist_size(l) == n;
}

/* 0, 10, 20, ... */
static struct arraylist *
tens(int n)
{
    struct arraylist *l = arraylist_new();

    for (int i = 0; i < n; i++)
        arraylist_add(l, 10 * i);
    return l;
}

/* ---- add, get, set -------------------------------------------------------------------------- */

static void
test_new_list_is_empty(void)
{
    struct arraylist *l = arraylist_new();
    int value;

    assert(arraylist_size(l) == 0 && !arraylist_get(l, 0, &value));
    assert(arraylist_largest_batch(l) == 0 && !arraylist_contains(l, 0));
    arraylist_free(l);
}

static void
test_add_keeps_order_and_duplicates(void)
{
    struct arraylist *l = arraylist_new();

    arraylist_add(l, 3);
    arraylist_add(l, 1);
    arraylist_add(l, 3);
    assert(HAS(l, 3, 1, 3));
    arraylist_free(l);
}

static void
test_add_grows_and_keeps_all(void)
{
    struct arraylist *l = tens(300);
    int value;

    assert(arraylist_size(l) == 300);
    for (int i = 0; i < 300; i++)
        assert(arraylist_get(l, (size_t)i, &value) && value == 10 * i);
    arraylist_free(l);
}

static void
test_add_at_front_middle_end(void)
{
    struct arraylist *l = tens(2);

    assert(arraylist_add_at(l, 0, -1) && arraylist_add_at(l, 2, 5) && arraylist_add_at(l, 4, 99));
    assert(HAS(l, -1, 0, 5, 10, 99));
    arraylist_free(l);
}

static void
test_add_at_past_end(void)
{
    struct arraylist *l = tens(2);

    assert(!arraylist_add_at(l, 3, 1) && !arraylist_add_at(l, SIZE_MAX, 1));
    assert(HAS(l, 0, 10));
    arraylist_free(l);
}

static void
test_add_at_grows(void)
{
    struct arraylist *l = arraylist_new();
    int value;

    for (int i = 0; i < 100; i++)
        assert(arraylist_add_at(l, 0, i));
    for (int i = 0; i < 100; i++)
        assert(arraylist_get(l, (size_t)i, &value) && value == 99 - i);
    arraylist_free(l);
}

static void
test_add_if_absent_new_value(void)
{
    struct arraylist *l = tens(2);

    assert(arraylist_add_if_absent(l, 5) && arraylist_add_if_absent(l, -5));
    assert(HAS(l, 0, 10, 5, -5));
    arraylist_free(l);
}

static void
test_add_if_absent_present_value(void)
{
    struct arraylist *l = tens(3);

    assert(!arraylist_add_if_absent(l, 0) && !arraylist_add_if_absent(l, 20));
    assert(HAS(l, 0, 10, 20));
    arraylist_free(l);
}

static void
test_add_if_absent_after_removal(void)
{
    struct arraylist *l = tens(3);

    assert(arraylist_remove_value(l, 10) && arraylist_add_if_absent(l, 10));
    assert(HAS(l, 0, 20, 10));
    arraylist_free(l);
}

static void
test_add_all_appends_in_order(void)
{
    struct arraylist *l = tens(2);

    arraylist_add_all(l, (const int[]){ 7, 8, 7 }, 3);
    assert(HAS(l, 0, 10, 7, 8, 7));
    arraylist_free(l);
}

static void
test_add_all_of_nothing(void)
{
    const int none = 1;
    struct arraylist *l = tens(2);

    arraylist_add_all(l, &none, 0);
    assert(HAS(l, 0, 10) && arraylist_largest_batch(l) == 0);
    arraylist_free(l);
}

static void
test_add_all_grows_at_once(void)
{
    struct arraylist *l = tens(3);
    int values[200];
    int value;

    for (int i = 0; i < 200; i++)
        values[i] = -i;
    arraylist_add_all(l, values, 200);
    assert(arraylist_size(l) == 203 && arraylist_get(l, 2, &value) && value == 20);
    assert(arraylist_get(l, 3, &value) && value == 0);
    assert(arraylist_get(l, 202, &value) && value == -199);
    arraylist_free(l);
}

static void
test_get_past_end(void)
{
    struct arraylist *l = tens(3);
    int value = 77;

    assert(!arraylist_get(l, 3, &value) && !arraylist_get(l, SIZE_MAX, &value) && value == 77);
    assert(arraylist_get(l, 2, &value) && value == 20);
    arraylist_free(l);
}

static void
test_set_present_index(void)
{
    struct arraylist *l = tens(3);

    assert(arraylist_set(l, 0, 5) && arraylist_set(l, 2, 6));
    assert(HAS(l, 5, 10, 6));
    arraylist_free(l);
}

static void
test_set_past_end(void)
{
    struct arraylist *l = tens(3);

    assert(!arraylist_set(l, 3, 5) && !arraylist_set(l, SIZE_MAX, 5));
    assert(HAS(l, 0, 10, 20));
    arraylist_free(l);
}

/* ---- removal -------------------------------------------------------------------------------- */

static void
test_remove_at_front_middle_end(void)
{
    struct arraylist *l = tens(5);
    int value;

    assert(arraylist_remove_at(l, 0, &value) && value == 0);
    assert(arraylist_remove_at(l, 1, &value) && value == 20);
    assert(arraylist_remove_at(l, 2, &value) && value == 40);
    assert(HAS(l, 10, 30));
    arraylist_free(l);
}

static void
test_remove_at_past_end(void)
{
    struct arraylist *l = tens(2);
    int value = 77;

    assert(!arraylist_remove_at(l, 2, &value) && value == 77 && arraylist_size(l) == 2);
    arraylist_free(l);
}

static void
test_remove_value_first_of_several(void)
{
    struct arraylist *l = tens(2);

    arraylist_add(l, 0);
    assert(arraylist_remove_value(l, 0) && HAS(l, 10, 0));
    assert(arraylist_remove_value(l, 0) && HAS(l, 10));
    arraylist_free(l);
}

static void
test_remove_value_missing(void)
{
    struct arraylist *l = tens(3);

    assert(!arraylist_remove_value(l, 5) && arraylist_size(l) == 3);
    assert(arraylist_remove_value(l, 20) && !arraylist_remove_value(l, 20));
    arraylist_free(l);
}

static void
test_clear_drops_all(void)
{
    struct arraylist *l = tens(50);
    int value;

    arraylist_clear(l);
    assert(arraylist_size(l) == 0 && !arraylist_get(l, 0, &value) && !arraylist_contains(l, 10));
    arraylist_free(l);
}

static void
test_clear_then_add(void)
{
    struct arraylist *l = tens(5);

    arraylist_clear(l);
    arraylist_clear(l);
    arraylist_add(l, 3);
    assert(HAS(l, 3));
    arraylist_free(l);
}

/* ---- order ---------------------------------------------------------------------------------- */

static void
test_sort_ascending(void)
{
    struct arraylist *l = arraylist_new();

    arraylist_add_all(l, (const int[]){ 5, -1, INT_MAX, 3, INT_MIN, 0 }, 6);
    arraylist_sort(l);
    assert(HAS(l, INT_MIN, -1, 0, 3, 5, INT_MAX));
    arraylist_free(l);
}

static void
test_sort_keeps_duplicates(void)
{
    struct arraylist *l = arraylist_new();

    arraylist_add_all(l, (const int[]){ 2, 1, 2, 1, 2 }, 5);
    arraylist_sort(l);
    assert(HAS(l, 1, 1, 2, 2, 2));
    arraylist_free(l);
}

static void
test_sort_empty_and_single(void)
{
    struct arraylist *l = arraylist_new();

    arraylist_sort(l);
    assert(arraylist_size(l) == 0);
    arraylist_add(l, 4);
    arraylist_sort(l);
    assert(HAS(l, 4));
    arraylist_free(l);
}

static void
test_sort_scattered_values(void)
{
    struct arraylist *l = arraylist_new();
    int value;

    for (int i = 0; i < 101; i++)
        arraylist_add(l, i * 37 % 101);
    arraylist_sort(l);
    for (int i = 0; i < 101; i++)
        assert(arraylist_get(l, (size_t)i, &value) && value == i);
    arraylist_free(l);
}

static void
test_reverse_odd_and_even(void)
{
    struct arraylist *l = tens(3);

    arraylist_reverse(l);
    assert(HAS(l, 20, 10, 0));
    arraylist_add(l, -1);
    arraylist_reverse(l);
    assert(HAS(l, -1, 0, 10, 20));
    arraylist_free(l);
}

static void
test_reverse_empty_and_single(void)
{
    struct arraylist *l = arraylist_new();

    arraylist_reverse(l);
    assert(arraylist_size(l) == 0);
    arraylist_add(l, 4);
    arraylist_reverse(l);
    assert(HAS(l, 4));
    arraylist_free(l);
}

static void
test_reverse_then_sort(void)
{
    struct arraylist *l = tens(6);

    arraylist_reverse(l);
    arraylist_sort(l);
    assert(HAS(l, 0, 10, 20, 30, 40, 50));
    arraylist_free(l);
}

/* ---- reading -------------------------------------------------------------------------------- */

static void
test_index_of_first_occurrence(void)
{
    struct arraylist *l = tens(3);

    arraylist_add(l, 10);
    assert(arraylist_index_of(l, 0) == 0 && arraylist_index_of(l, 10) == 1);
    assert(arraylist_index_of(l, 20) == 2);
    arraylist_free(l);
}

static void
test_index_of_missing_value(void)
{
    struct arraylist *l = tens(3);

    assert(arraylist_index_of(l, 5) == -1 && arraylist_index_of(l, -1) == -1);
    arraylist_clear(l);
    assert(arraylist_index_of(l, 0) == -1);
    arraylist_free(l);
}

static void
test_index_of_follows_removal(void)
{
    struct arraylist *l = tens(4);
    int value;

    arraylist_remove_at(l, 0, &value);
    assert(arraylist_index_of(l, 0) == -1 && arraylist_index_of(l, 30) == 2);
    arraylist_free(l);
}

static void
test_contains_present_and_missing(void)
{
    struct arraylist *l = tens(3);

    assert(arraylist_contains(l, 0) && arraylist_contains(l, 20));
    assert(!arraylist_contains(l, 30) && !arraylist_contains(l, 1));
    arraylist_free(l);
}

static void
test_contains_follows_set(void)
{
    struct arraylist *l = tens(3);

    arraylist_set(l, 1, 11);
    assert(!arraylist_contains(l, 10) && arraylist_contains(l, 11));
    arraylist_free(l);
}

static void
test_size_follows_changes(void)
{
    struct arraylist *l = tens(3);
    int value;

    arraylist_add_at(l, 1, 5);
    assert(arraylist_size(l) == 4);
    arraylist_add_all(l, (const int[]){ 1, 2 }, 2);
    assert(arraylist_size(l) == 6);
    arraylist_remove_at(l, 5, &value);
    arraylist_set(l, 0, 9);
    assert(arraylist_size(l) == 5);
    arraylist_free(l);
}

static void
test_largest_batch_is_the_maximum(void)
{
    const int values[5] = { 0 };
    struct arraylist *l = arraylist_new();

    arraylist_add_all(l, values, 3);
    assert(arraylist_largest_batch(l) == 3);
    arraylist_add_all(l, values, 2);
    assert(arraylist_largest_batch(l) == 3);
    arraylist_add_all(l, values, 5);
    assert(arraylist_largest_batch(l) == 5);
    arraylist_free(l);
}

static void
test_largest_batch_only_of_add_all(void)
{
    struct arraylist *l = tens(8);
    struct arraylist *from = tens(4);

    arraylist_append(l, from);
    arraylist_add_at(l, 0, 1);
    assert(arraylist_largest_batch(l) == 0);
    arraylist_add_all(l, (const int[]){ 1 }, 1);
    arraylist_clear(l);
    assert(arraylist_largest_batch(l) == 1);
    arraylist_free(l);
    arraylist_free(from);
}

/* ---- take, close ---------------------------------------------------------------------------- */

static void
test_take_removes_the_last(void)
{
    struct arraylist *l = tens(3);
    int value;

    assert(arraylist_take(l, &value) && value == 20);
    arraylist_add(l, 5);
    assert(arraylist_take(l, &value) && value == 5);
    assert(HAS(l, 0, 10));
    arraylist_free(l);
}

static void
test_take_all_of_closed_list(void)
{
    struct arraylist *l = tens(2);
    int value;

    arraylist_close(l);
    assert(arraylist_take(l, &value) && value == 10 && arraylist_take(l, &value) && value == 0);
    assert(!arraylist_take(l, &value) && !arraylist_take(l, &value) && value == 0);
    arraylist_free(l);
}

static void
test_close_empty_list(void)
{
    struct arraylist *l = arraylist_new();
    int value = 77;

    arraylist_close(l);
    arraylist_close(l);
    assert(!arraylist_take(l, &value) && value == 77);
    arraylist_free(l);
}

static void
test_close_keeps_elements(void)
{
    struct arraylist *l = tens(2);

    arraylist_close(l);
    arraylist_add(l, 5);
    assert(HAS(l, 0, 10, 5));
    arraylist_free(l);
}

/* ---- two lists ------------------------------------------------------------------------------ */

static void
test_append_in_order(void)
{
    struct arraylist *l = tens(2);
    struct arraylist *from = tens(3);

    arraylist_append(l, from);
    assert(HAS(l, 0, 10, 0, 10, 20) && HAS(from, 0, 10, 20));
    arraylist_free(l);
    arraylist_free(from);
}

static void
test_append_empty_list(void)
{
    struct arraylist *l = tens(2);
    struct arraylist *empty = arraylist_new();

    arraylist_append(l, empty);
    assert(HAS(l, 0, 10) && arraylist_size(empty) == 0);
    arraylist_append(empty, l);
    assert(HAS(empty, 0, 10));
    arraylist_free(l);
    arraylist_free(empty);
}

static void
test_append_to_itself(void)
{
    struct arraylist *l = tens(3);

    arraylist_append(l, l);
    assert(HAS(l, 0, 10, 20, 0, 10, 20));
    arraylist_free(l);
}

static void
test_swap_exchanges_elements(void)
{
    struct arraylist *a = tens(2);
    struct arraylist *b = tens(60);

    arraylist_swap(a, b);
    assert(arraylist_size(a) == 60 && HAS(b, 0, 10));
    arraylist_add(a, 1);
    arraylist_add(b, 2);
    assert(arraylist_index_of(a, 1) == 60 && HAS(b, 0, 10, 2));
    arraylist_free(a);
    arraylist_free(b);
}

static void
test_swap_with_empty_and_itself(void)
{
    struct arraylist *a = tens(2);
    struct arraylist *b = arraylist_new();

    arraylist_swap(a, a);
    assert(HAS(a, 0, 10));
    arraylist_swap(a, b);
    assert(arraylist_size(a) == 0 && HAS(b, 0, 10));
    arraylist_free(a);
    arraylist_free(b);
}

static const struct suite_test tests[] = {
    TEST(new_list_is_empty),
    TEST(add_keeps_order_and_duplicates),
    TEST(add_grows_and_keeps_all),
    TEST(add_at_front_middle_end),
    TEST(add_at_past_end),
    TEST(add_at_grows),
    TEST(add_if_absent_new_value),
    TEST(add_if_absent_present_value),
    TEST(add_if_absent_after_removal),
    TEST(add_all_appends_in_order),
    TEST(add_all_of_nothing),
    TEST(add_all_grows_at_once),
    TEST(get_past_end),
    TEST(set_present_index),
    TEST(set_past_end),
    TEST(remove_at_front_middle_end),
    TEST(remove_at_past_end),
    TEST(remove_value_first_of_several),
    TEST(remove_value_missing),
    TEST(clear_drops_all),
    TEST(clear_then_add),
    TEST(sort_ascending),
    TEST(sort_keeps_duplicates),
    TEST(sort_empty_and_single),
    TEST(sort_scattered_values),
    TEST(reverse_odd_and_even),
    TEST(reverse_empty_and_single),
    TEST(reverse_then_sort),
    TEST(index_of_first_occurrence),
    TEST(index_of_missing_value),
    TEST(index_of_follows_removal),
    TEST(contains_present_and_missing),
    TEST(contains_follows_set),
    TEST(size_follows_changes),
    TEST(largest_batch_is_the_maximum),
    TEST(largest_batch_only_of_add_all),
    TEST(take_removes_the_last),
    TEST(take_all_of_closed_list),
    TEST(close_empty_list),
    TEST(close_keeps_elements),
    TEST(append_in_order),
    TEST(append_empty_list),
    TEST(append_to_itself),
    TEST(swap_exchanges_elements),
    TEST(swap_with_empty_and_itself),
};

int
main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
