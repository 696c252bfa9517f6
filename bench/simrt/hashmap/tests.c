/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests.c - the suite of the hash map. Each test uses a few functions, most of them in two
 * threads; the final state does not depend on the schedule.
 */
#include "hashmap.h"

#include <stdatomic.h>

#include "../suite.h"

/* ---- without threads ------------------------------------------------------------------------ */

static void
test_put_get_alone(void)
{
    struct hashmap *m = hashmap_new(2);
    int value = 0;

    for (int i = 0; i < 10; i++)
        assert(hashmap_put(m, i, i * i));
    assert(!hashmap_put(m, 3, 9) && hashmap_size(m) == 10);
    assert(hashmap_get(m, 7, &value) && value == 49 && !hashmap_get(m, 10, &value));
    assert(hashmap_stats(m).grown > 0);
    hashmap_free(m);
}

static void
test_remove_alone(void)
{
    struct hashmap *m = hashmap_new(4);

    for (int i = 0; i < 6; i++)
        hashmap_put(m, i, 0);
    assert(hashmap_remove(m, 1) && !hashmap_remove(m, 1));
    assert(hashmap_remove_all(m, (const int[]){ 1, 2, 3 }, 3) == 2);
    assert(hashmap_remove_value(m, 4, 0) && !hashmap_remove_value(m, 5, 1));
    assert(hashmap_size(m) == 2);
    hashmap_free(m);
}

static void
test_walk_alone(void)
{
    struct hashmap *m = hashmap_new(4);
    int keys[4];

    hashmap_put(m, 5, 50);
    hashmap_put(m, 6, 60);
    assert(hashmap_keys(m, keys, 4) == 2 && keys[0] + keys[1] == 11);
    assert(hashmap_sum(m) == 110 && hashmap_stats(m).walks == 2);
    assert(hashmap_contains_value(m, 60) && !hashmap_contains_value(m, 61));
    hashmap_free(m);
}

static void
test_merge_alone(void)
{
    struct hashmap *m = hashmap_new(4);

    assert(hashmap_merge(m, 1, 5) == 5 && hashmap_merge(m, 1, 6) == 11);
    assert(hashmap_put_if_absent(m, 2, 7) && !hashmap_put_if_absent(m, 2, 8));
    assert(hashmap_replace(m, 2, 7, 9) && hashmap_get_or(m, 2, 0) == 9);
    hashmap_free(m);
}

/* ---- in two threads ------------------------------------------------------------------------- */

static atomic_int n_true;

static void *
put_one(void *m)
{
    hashmap_put(m, 1, 1);
    return NULL;
}

static void *
put_two(void *m)
{
    hashmap_put(m, 2, 2);
    return NULL;
}

static void *
put_many(void *m)
{
    for (int i = 10; i < 14; i++)
        hashmap_put(m, i, 1);
    return NULL;
}

static void *
get_one(void *m)
{
    const int value = hashmap_get_or(m, 1, 1);

    assert(value == 1);
    return NULL;
}

static void *
remove_one(void *m)
{
    hashmap_remove(m, 1);
    return NULL;
}

static void *
absent_one(void *m)
{
    if (hashmap_put_if_absent(m, 1, 1))
        n_true++;
    return NULL;
}

static void *
absent_two(void *m)
{
    if (hashmap_put_if_absent(m, 2, 2))
        n_true++;
    return NULL;
}

static void *
merge_one(void *m)
{
    hashmap_merge(m, 1, 5);
    return NULL;
}

static void *
merge_two(void *m)
{
    hashmap_merge(m, 2, 5);
    return NULL;
}

static void *
replace_one(void *m)
{
    if (hashmap_replace(m, 1, 1, 2))
        n_true++;
    return NULL;
}

static void *
remove_zero(void *m)
{
    if (hashmap_remove_value(m, 3, 0))
        n_true++;
    return NULL;
}

static void *
remove_value_one(void *m)
{
    if (hashmap_remove_value(m, 1, 1))
        n_true++;
    return NULL;
}

static void *
remove_some(void *m)
{
    const int keys[] = { 1, 3 };

    hashmap_remove_all(m, keys, 2);
    return NULL;
}

static void *
has_value(void *m)
{
    hashmap_contains_value(m, 2);
    return NULL;
}

static void *
has_key(void *m)
{
    hashmap_contains_key(m, 3);
    return NULL;
}

static void *
walk_keys(void *m)
{
    int keys[4];

    assert(hashmap_keys(m, keys, 4) <= 4);
    return NULL;
}

static void *
walk_sum(void *m)
{
    assert(hashmap_sum(m) >= 0);
    return NULL;
}

static void *
read_stats(void *m)
{
    assert(hashmap_stats(m).walks <= 1);
    return NULL;
}

static void *
clear_all(void *m)
{
    hashmap_clear(m);
    return NULL;
}

/* Runs both bodies on a map with {1: 1, 3: 0}, which then has `size` entries. */
static struct hashmap *
on_map(void *(*first)(void *), void *(*second)(void *), size_t size)
{
    struct hashmap *m = hashmap_new(4);

    hashmap_put(m, 1, 1);
    hashmap_put(m, 3, 0);
    suite_run(first, m, second, m);
    assert(hashmap_size(m) == size);
    return m;
}

static void
test_put_put(void)
{
    hashmap_free(on_map(put_two, put_one, 3));
}

static void
test_put_get(void)
{
    hashmap_free(on_map(put_one, get_one, 2));
}

static void
test_put_grow(void)
{
    hashmap_free(on_map(put_many, put_two, 7));
}

static void
test_grow_get(void)
{
    hashmap_free(on_map(put_many, get_one, 6));
}

static void
test_put_remove(void)
{
    hashmap_free(on_map(put_two, remove_one, 2));
}

static void
test_remove_get(void)
{
    hashmap_free(on_map(remove_one, get_one, 1));
}

static void
test_absent_same(void)
{
    struct hashmap *m = hashmap_new(4);

    suite_run(absent_two, m, absent_two, m);
    assert(n_true == 1 && hashmap_size(m) == 1);
    hashmap_free(m);
}

static void
test_absent_different(void)
{
    struct hashmap *m = hashmap_new(4);

    suite_run(absent_one, m, absent_two, m);
    assert(n_true == 2 && hashmap_size(m) == 2);
    hashmap_free(m);
}

static void
test_absent_put(void)
{
    hashmap_free(on_map(absent_two, put_two, 3));
}

static void
test_merge_same(void)
{
    struct hashmap *m = on_map(merge_one, merge_one, 2);

    assert(hashmap_get_or(m, 1, 0) == 11);
    hashmap_free(m);
}

static void
test_merge_new(void)
{
    struct hashmap *m = hashmap_new(4);

    suite_run(merge_one, m, merge_two, m);
    assert(hashmap_sum(m) == 10);
    hashmap_free(m);
}

static void
test_merge_walk(void)
{
    hashmap_free(on_map(merge_one, walk_sum, 2));
}

static void
test_replace_replace(void)
{
    hashmap_free(on_map(replace_one, replace_one, 2));
    assert(n_true == 1);
}

static void
test_replace_remove(void)
{
    hashmap_free(on_map(replace_one, remove_one, 1));
}

static void
test_zero_zero(void)
{
    hashmap_free(on_map(remove_zero, remove_zero, 1));
    assert(n_true == 1);
}

static void
test_zero_key(void)
{
    hashmap_free(on_map(remove_zero, has_key, 1));
}

static void
test_zero_one(void)
{
    hashmap_free(on_map(remove_zero, remove_value_one, 0));
    assert(n_true == 2);
}

static void
test_value_one_one(void)
{
    hashmap_free(on_map(remove_value_one, remove_value_one, 1));
    assert(n_true == 1);
}

static void
test_some_put(void)
{
    hashmap_free(on_map(remove_some, put_two, 1));
}

static void
test_some_walk(void)
{
    hashmap_free(on_map(remove_some, walk_keys, 0));
}

static void
test_some_some(void)
{
    hashmap_free(on_map(remove_some, remove_some, 0));
}

static void
test_value_put(void)
{
    hashmap_free(on_map(has_value, put_two, 3));
}

static void
test_value_clear(void)
{
    hashmap_free(on_map(has_value, clear_all, 0));
}

static void
test_value_value(void)
{
    hashmap_free(on_map(has_value, has_value, 2));
}

static void
test_walk_walk(void)
{
    struct hashmap *m = on_map(walk_keys, walk_sum, 2);

    assert(hashmap_stats(m).walks == 2);
    hashmap_free(m);
}

static void
test_walk_stats(void)
{
    hashmap_free(on_map(walk_sum, read_stats, 2));
}

static void
test_walk_put(void)
{
    hashmap_free(on_map(walk_keys, put_two, 3));
}

static void
test_clear_get(void)
{
    hashmap_free(on_map(clear_all, get_one, 0));
}

struct pair {
    struct hashmap *m, *from;
};

static void *
put_all(void *arg)
{
    struct pair *p = arg;

    hashmap_put_all(p->m, p->from);
    return NULL;
}

static void
test_put_all_both_ways(void)
{
    struct hashmap *a = hashmap_new(2);
    struct hashmap *b = hashmap_new(2);

    hashmap_put(a, 1, 1);
    hashmap_put(b, 2, 2);
    suite_run(put_all, &(struct pair){ a, b }, put_all, &(struct pair){ b, a });
    assert(hashmap_size(a) == 2 && hashmap_size(b) == 2);
    hashmap_free(a);
    hashmap_free(b);
}

/* Each thread has its own map. */
static void
test_own_maps(void)
{
    struct hashmap *a = hashmap_new(2);
    struct hashmap *b = hashmap_new(2);

    suite_run(merge_one, a, merge_one, b);
    suite_run(absent_one, a, remove_some, b);
    suite_run(remove_zero, a, walk_keys, b);
    assert(hashmap_size(a) == 1 && hashmap_size(b) == 0);
    hashmap_free(a);
    hashmap_free(b);
}

/* The work of main is before the first and after the last thread. */
static void
test_main_around(void)
{
    struct hashmap *m = hashmap_new(4);

    hashmap_merge(m, 1, 1);
    hashmap_put_if_absent(m, 3, 0);
    suite_run(get_one, m, has_key, m);
    assert(hashmap_remove_value(m, 3, 0) && hashmap_contains_value(m, 1));
    hashmap_free(m);
}

static const struct suite_test tests[] = {
    TEST(put_get_alone),     TEST(remove_alone),   TEST(walk_alone),  TEST(merge_alone),
    TEST(put_put),           TEST(put_get),        TEST(put_grow),    TEST(grow_get),
    TEST(put_remove),        TEST(remove_get),     TEST(absent_same), TEST(absent_different),
    TEST(absent_put),        TEST(merge_same),     TEST(merge_new),   TEST(merge_walk),
    TEST(replace_replace),   TEST(replace_remove), TEST(zero_zero),   TEST(zero_key),
    TEST(zero_one),          TEST(value_one_one),  TEST(some_put),    TEST(some_walk),
    TEST(some_some),         TEST(value_put),      TEST(value_clear), TEST(value_value),
    TEST(walk_walk),         TEST(walk_stats),     TEST(walk_put),    TEST(clear_get),
    TEST(put_all_both_ways), TEST(own_maps),       TEST(main_around),
};

int
main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
