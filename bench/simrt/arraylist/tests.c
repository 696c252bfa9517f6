/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests.c - the suite of the array list. Each test uses a few functions, most of them in two
 * threads; the final state does not depend on the schedule.
 */
#include "arraylist.h"

#include <stdatomic.h>

#include "../suite.h"

/* A list with 1, 2, ... n. */
static struct arraylist *
numbers(int n)
{
    struct arraylist *l = arraylist_new();

    for (int i = 1; i <= n; i++)
        arraylist_add(l, i);
    return l;
}

/* ---- without threads ------------------------------------------------------------------------ */

static void
test_add_alone(void)
{
    struct arraylist *l = numbers(9);
    int value = 0;

    assert(arraylist_size(l) == 9 && arraylist_add_at(l, 0, 10) && !arraylist_add_at(l, 20, 1));
    assert(arraylist_get(l, 0, &value) && value == 10 && !arraylist_get(l, 10, &value));
    assert(arraylist_remove_at(l, 1, &value) && value == 1);
    assert(arraylist_remove_value(l, 5) && !arraylist_remove_value(l, 5));
    assert(arraylist_index_of(l, 10) == 0 && arraylist_index_of(l, 11) == -1);
    arraylist_free(l);
}

static void
test_sort_alone(void)
{
    struct arraylist *l = arraylist_new();
    int value = 0;

    arraylist_add_all(l, (const int[]){ 5, 2, 9, 1, 7 }, 5);
    arraylist_sort(l);
    for (size_t i = 0, before = 0; i < 5; i++, before = (size_t)value)
        assert(arraylist_get(l, i, &value) && (size_t)value > before);
    arraylist_reverse(l);
    assert(arraylist_get(l, 0, &value) && value == 9 && arraylist_largest_batch(l) == 5);
    arraylist_free(l);
}

static void
test_absent_alone(void)
{
    struct arraylist *l = numbers(3);

    assert(!arraylist_add_if_absent(l, 2) && arraylist_add_if_absent(l, 4));
    assert(arraylist_contains(l, 4) && arraylist_set(l, 3, 8) && !arraylist_contains(l, 4));
    arraylist_clear(l);
    assert(arraylist_size(l) == 0);
    arraylist_free(l);
}

static void
test_take_alone(void)
{
    struct arraylist *l = numbers(1);
    int value = 0;

    assert(arraylist_take(l, &value) && value == 1);
    arraylist_close(l);
    assert(!arraylist_take(l, &value));
    arraylist_free(l);
}

/* Threads only of the list's own. */
static void
test_sum_alone(void)
{
    struct arraylist *l = numbers(5);

    assert(arraylist_sum(l) == 15);
    arraylist_free(l);
}

static void
test_sum_empty(void)
{
    struct arraylist *l = arraylist_new();

    assert(arraylist_sum(l) == 0);
    arraylist_free(l);
}

/* ---- in two threads ------------------------------------------------------------------------- */

static atomic_int n_true;

static void *
add_nine(void *l)
{
    arraylist_add(l, 9);
    return NULL;
}

static void *
add_first(void *l)
{
    assert(arraylist_add_at(l, 0, 7));
    return NULL;
}

static void *
absent_nine(void *l)
{
    if (arraylist_add_if_absent(l, 9))
        n_true++;
    return NULL;
}

static void *
absent_eight(void *l)
{
    if (arraylist_add_if_absent(l, 8))
        n_true++;
    return NULL;
}

static void *
add_batch(void *l)
{
    arraylist_add_all(l, (const int[]){ 11, 12, 13 }, 3);
    return NULL;
}

static void *
read_batch(void *l)
{
    const size_t n = arraylist_largest_batch(l);

    assert(n == 0 || n == 3);
    return NULL;
}

static void *
set_zero(void *l)
{
    arraylist_set(l, 0, 1);
    return NULL;
}

static void *
get_zero(void *l)
{
    int value = 1;

    arraylist_get(l, 0, &value);
    assert(value > 0);
    return NULL;
}

static void *
remove_first(void *l)
{
    int value;

    arraylist_remove_at(l, 0, &value);
    return NULL;
}

static void *
remove_two(void *l)
{
    if (arraylist_remove_value(l, 2))
        n_true++;
    return NULL;
}

static void *
index_three(void *l)
{
    assert(arraylist_index_of(l, 3) <= 3);
    return NULL;
}

static void *
has_one(void *l)
{
    arraylist_contains(l, 1);
    return NULL;
}

static void *
sort_all(void *l)
{
    arraylist_sort(l);
    return NULL;
}

static void *
reverse_all(void *l)
{
    arraylist_reverse(l);
    return NULL;
}

static void *
clear_all(void *l)
{
    arraylist_clear(l);
    return NULL;
}

static void *
sum_all(void *l)
{
    assert(arraylist_sum(l) >= 6);
    return NULL;
}

static void *
take_one(void *l)
{
    int value = 0;

    if (arraylist_take(l, &value)) {
        assert(value == 9);
        n_true++;
    }
    return NULL;
}

static void *
close_list(void *l)
{
    arraylist_close(l);
    return NULL;
}

static void *
add_and_close(void *l)
{
    arraylist_add(l, 9);
    arraylist_close(l);
    return NULL;
}

/* Runs both bodies on a list with 1, 2, 3, which then has `size` elements. */
static void
on_list(void *(*first)(void *), void *(*second)(void *), size_t size)
{
    struct arraylist *l = numbers(3);

    suite_run(first, l, second, l);
    assert(arraylist_size(l) == size);
    arraylist_free(l);
}

static void
test_add_add(void)
{
    on_list(add_nine, add_nine, 5);
}

static void
test_add_get(void)
{
    on_list(add_nine, get_zero, 4);
}

static void
test_set_get(void)
{
    on_list(set_zero, get_zero, 3);
}

static void
test_add_at_add(void)
{
    on_list(add_first, add_nine, 5);
}

static void
test_add_at_remove(void)
{
    on_list(add_first, remove_two, 3);
    assert(n_true == 1);
}

static void
test_add_at_twice(void)
{
    on_list(add_first, add_first, 5);
}

static void
test_absent_same(void)
{
    on_list(absent_nine, absent_nine, 4);
    assert(n_true == 1);
}

static void
test_absent_different(void)
{
    on_list(absent_nine, absent_eight, 5);
    assert(n_true == 2);
}

static void
test_absent_remove(void)
{
    on_list(absent_nine, remove_first, 3);
}

static void
test_batch_read(void)
{
    on_list(add_batch, read_batch, 6);
}

static void
test_batch_batch(void)
{
    on_list(add_batch, add_batch, 9);
}

static void
test_batch_get(void)
{
    on_list(add_batch, get_zero, 6);
}

static void
test_batch_main(void)
{
    struct arraylist *l = numbers(1);
    pthread_t t;

    assert(pthread_create(&t, NULL, add_batch, l) == 0);
    assert(arraylist_largest_batch(l) <= 3);
    pthread_join(t, NULL);
    assert(arraylist_largest_batch(l) == 3);
    arraylist_free(l);
}

static void
test_remove_remove(void)
{
    on_list(remove_first, remove_two, 1);
    assert(n_true == 1);
}

static void
test_index_add_at(void)
{
    on_list(index_three, add_first, 4);
}

static void
test_index_sort(void)
{
    on_list(index_three, sort_all, 3);
}

static void
test_index_index(void)
{
    on_list(index_three, index_three, 3);
}

static void
test_sort_reverse(void)
{
    on_list(sort_all, reverse_all, 3);
}

static void
test_sort_has(void)
{
    on_list(sort_all, has_one, 3);
}

static void
test_clear_has(void)
{
    on_list(clear_all, has_one, 0);
}

static void
test_sum_add(void)
{
    on_list(sum_all, add_nine, 4);
}

static void
test_sum_reverse(void)
{
    on_list(sum_all, reverse_all, 3);
}

/* ---- consumers ------------------------------------------------------------------------------ */

static void
test_take_add(void)
{
    struct arraylist *l = arraylist_new();

    suite_run(take_one, l, add_nine, l);
    assert(n_true == 1 && arraylist_size(l) == 0);
    arraylist_free(l);
}

static void
test_take_close(void)
{
    struct arraylist *l = arraylist_new();

    suite_run(take_one, l, close_list, l);
    assert(n_true == 0);
    arraylist_free(l);
}

static void
test_take_take(void)
{
    struct arraylist *l = arraylist_new();
    pthread_t t;

    assert(pthread_create(&t, NULL, add_and_close, l) == 0);
    suite_run(take_one, l, take_one, l);
    pthread_join(t, NULL);
    assert(n_true == 1 && arraylist_size(l) == 0);
    arraylist_free(l);
}

/* ---- two lists ------------------------------------------------------------------------------ */

static void *
append_body(void *arg)
{
    struct arraylist **l = arg;

    arraylist_append(l[0], l[1]);
    return NULL;
}

static void *
swap_body(void *arg)
{
    struct arraylist **l = arg;

    arraylist_swap(l[0], l[1]);
    return NULL;
}

/* Runs both bodies on two lists of one element, the second with the lists exchanged. */
static void
on_lists(void *(*first)(void *), void *(*second)(void *), size_t least)
{
    struct arraylist *l[3] = { numbers(1), numbers(1), NULL };

    l[2] = l[0];
    suite_run(first, l, second, l + 1);
    assert(arraylist_size(l[0]) + arraylist_size(l[1]) >= least);
    arraylist_free(l[0]);
    arraylist_free(l[1]);
}

static void
test_append_each_other(void)
{
    on_lists(append_body, append_body, 5);
}

static void
test_append_swap(void)
{
    on_lists(append_body, swap_body, 3);
}

static void
test_swap_swap(void)
{
    on_lists(swap_body, swap_body, 2);
}

/* Each thread has its own list. */
static void
test_own_lists(void)
{
    struct arraylist *a = numbers(3);
    struct arraylist *b = numbers(3);

    suite_run(add_first, a, index_three, b);
    suite_run(absent_nine, a, absent_nine, b);
    suite_run(add_batch, a, sort_all, b);
    assert(arraylist_size(a) == 8 && arraylist_size(b) == 4);
    arraylist_free(a);
    arraylist_free(b);
}

/* The work of main is before the first and after the last thread. */
static void
test_main_around(void)
{
    struct arraylist *l = numbers(3);

    arraylist_add_at(l, 1, 4);
    arraylist_add_if_absent(l, 4);
    suite_run(get_zero, l, has_one, l);
    assert(arraylist_index_of(l, 4) == 1);
    arraylist_free(l);
}

static const struct suite_test tests[] = {
    TEST(add_alone),    TEST(sort_alone),       TEST(absent_alone),  TEST(take_alone),
    TEST(sum_alone),    TEST(sum_empty),        TEST(add_add),       TEST(add_get),
    TEST(set_get),      TEST(add_at_add),       TEST(add_at_remove), TEST(add_at_twice),
    TEST(absent_same),  TEST(absent_different), TEST(absent_remove), TEST(batch_read),
    TEST(batch_batch),  TEST(batch_get),        TEST(batch_main),    TEST(remove_remove),
    TEST(index_add_at), TEST(index_sort),       TEST(index_index),   TEST(sort_reverse),
    TEST(sort_has),     TEST(clear_has),        TEST(sum_add),       TEST(sum_reverse),
    TEST(take_add),     TEST(take_close),       TEST(take_take),     TEST(append_each_other),
    TEST(append_swap),  TEST(swap_swap),        TEST(own_lists),     TEST(main_around),
};

int
main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
