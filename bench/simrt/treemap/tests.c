/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests.c - the suite of the tree map. Each test uses a few functions, most of them in two
 * threads; the final state does not depend on the schedule.
 */
#include "treemap.h"

#include "../suite.h"

/* A map with the keys 10, 20, ... n * 10, whose values are the keys. */
static struct treemap *
tens(int n)
{
    struct treemap *m = treemap_new();

    for (int i = 1; i <= n; i++)
        assert(treemap_put(m, i * 10, i * 10));
    return m;
}

/* ---- without threads ------------------------------------------------------------------------ */

static void
test_order_alone(void)
{
    struct treemap *m = treemap_new();
    int key = 0;

    for (int i = 0; i < 40; i++)
        assert(treemap_put(m, i * 17 % 40, i));
    for (int i = 0; i < 40; i += 2)
        assert(treemap_remove(m, i));
    assert(treemap_size(m) == 20 && treemap_count(m, 10, 19) == 5);
    assert(treemap_first(m, &key) && key == 1);
    assert(treemap_last(m, &key) && key == 39);
    for (int i = 1; i < 40; i += 2)
        assert(treemap_pop_first(m, &key) && key == i);
    assert(!treemap_pop_first(m, &key) && treemap_size(m) == 0);
    treemap_free(m);
}

static void
test_nearest_alone(void)
{
    struct treemap *m = tens(3);
    int key = 0;

    assert(treemap_floor(m, 25, &key) && key == 20);
    assert(treemap_ceiling(m, 25, &key) && key == 30);
    assert(!treemap_floor(m, 9, &key) && !treemap_ceiling(m, 31, &key));
    assert(treemap_searches(m) == 4);
    treemap_free(m);
}

static void
test_move_alone(void)
{
    struct treemap *a = tens(5);
    struct treemap *b = treemap_new();

    assert(treemap_move(b, a, 15, 40) == 3);
    treemap_put_all(a, b);
    assert(treemap_size(a) == 5 && treemap_size(b) == 3);
    treemap_free(a);
    treemap_free(b);
}

static void
test_replace_alone(void)
{
    struct treemap *m = tens(1);
    int value = 0;

    assert(treemap_replace(m, 10, 5) && !treemap_replace(m, 11, 5));
    assert(treemap_get(m, 10, &value) && value == 5);
    treemap_clear(m);
    assert(treemap_size(m) == 0);
    treemap_free(m);
}

/* ---- in two threads ------------------------------------------------------------------------- */

static int popped[2];

static void *
put_low(void *m)
{
    treemap_put(m, 5, 5);
    return NULL;
}

static void *
put_high(void *m)
{
    treemap_put(m, 95, 95);
    return NULL;
}

static void *
remove_low(void *m)
{
    treemap_remove(m, 10);
    return NULL;
}

static void *
get_middle(void *m)
{
    int value = 20;

    treemap_get(m, 20, &value);
    assert(value == 20 || value == 21);
    return NULL;
}

static void *
replace_middle(void *m)
{
    treemap_replace(m, 20, 21);
    return NULL;
}

static void *
first_key(void *m)
{
    int key = 10;

    if (treemap_first(m, &key))
        assert(key == 10 || key == 5 || key == 20);
    return NULL;
}

static void *
last_key(void *m)
{
    int key = 30;

    if (treemap_last(m, &key))
        assert(key >= 20);
    return NULL;
}

static void *
floor_key(void *m)
{
    int key = 20;

    treemap_floor(m, 25, &key);
    assert(key == 20);
    return NULL;
}

static void *
ceiling_key(void *m)
{
    int key = 30;

    treemap_ceiling(m, 25, &key);
    assert(key == 30);
    return NULL;
}

static void *
pop_a(void *m)
{
    treemap_pop_first(m, &popped[0]);
    return NULL;
}

static void *
pop_b(void *m)
{
    treemap_pop_first(m, &popped[1]);
    return NULL;
}

static void *
pop_high(void *m)
{
    treemap_pop_last(m, &popped[1]);
    return NULL;
}

static void *
clear_all(void *m)
{
    treemap_clear(m);
    return NULL;
}

static void *
count_few(void *m)
{
    assert(treemap_count(m, 18, 22) <= 1);
    return NULL;
}

static void *
count_all(void *m)
{
    assert(treemap_count(m, 0, 100) <= 4);
    return NULL;
}

static void *
read_searches(void *m)
{
    assert(treemap_searches(m) <= 1);
    return NULL;
}

/* Runs both bodies on a map with 10, 20, 30, which then has `size` keys. */
static void
on_map(void *(*first)(void *), void *(*second)(void *), size_t size)
{
    struct treemap *m = tens(3);

    suite_run(first, m, second, m);
    assert(treemap_size(m) == size);
    treemap_free(m);
}

static void
test_put_put(void)
{
    on_map(put_low, put_high, 5);
}

static void
test_put_remove(void)
{
    on_map(put_high, remove_low, 3);
}

static void
test_put_get(void)
{
    on_map(put_low, get_middle, 4);
}

static void
test_replace_get(void)
{
    on_map(replace_middle, get_middle, 3);
}

static void
test_replace_remove(void)
{
    on_map(replace_middle, remove_low, 2);
}

static void
test_replace_replace(void)
{
    on_map(replace_middle, replace_middle, 3);
}

static void
test_first_put(void)
{
    on_map(first_key, put_low, 4);
}

static void
test_first_remove(void)
{
    on_map(first_key, remove_low, 2);
}

static void
test_first_first(void)
{
    on_map(first_key, first_key, 3);
}

static void
test_last_put(void)
{
    on_map(last_key, put_high, 4);
}

static void
test_last_remove(void)
{
    on_map(last_key, remove_low, 2);
}

static void
test_last_pop(void)
{
    on_map(last_key, pop_high, 2);
}

static void
test_floor_ceiling(void)
{
    on_map(floor_key, ceiling_key, 3);
}

static void
test_floor_put(void)
{
    on_map(floor_key, put_low, 4);
}

static void
test_pop_pop(void)
{
    on_map(pop_a, pop_b, 1);
    assert(popped[0] + popped[1] == 30);
}

static void
test_pop_both_ends(void)
{
    on_map(pop_a, pop_high, 1);
    assert(popped[0] == 10 && popped[1] == 30);
}

static void
test_pop_put(void)
{
    on_map(pop_a, put_high, 3);
    assert(popped[0] == 10);
}

static void
test_clear_get(void)
{
    on_map(clear_all, get_middle, 0);
}

static void
test_clear_clear(void)
{
    on_map(clear_all, clear_all, 0);
}

static void
test_count_few_put(void)
{
    on_map(count_few, put_low, 4);
}

static void
test_count_few_remove(void)
{
    on_map(count_few, remove_low, 2);
}

static void
test_count_all_put(void)
{
    on_map(count_all, put_high, 4);
}

static void
test_count_all_few(void)
{
    on_map(count_all, count_few, 3);
}

static void
test_searches_get(void)
{
    on_map(read_searches, get_middle, 3);
}

static void
test_searches_floor(void)
{
    on_map(read_searches, floor_key, 3);
}

struct two {
    struct treemap *m, *from;
};

static void *
move_body(void *arg)
{
    struct two *t = arg;

    treemap_move(t->m, t->from, 10, 20);
    return NULL;
}

static void *
put_all_body(void *arg)
{
    struct two *t = arg;

    treemap_put_all(t->m, t->from);
    return NULL;
}

static void
test_move_both_ways(void)
{
    struct treemap *a = tens(1);
    struct treemap *b = treemap_new();

    treemap_put(b, 20, 20);
    suite_run(move_body, &(struct two){ a, b }, move_body, &(struct two){ b, a });
    assert(treemap_size(a) + treemap_size(b) == 2);
    treemap_free(a);
    treemap_free(b);
}

static void
test_move_and_put_all(void)
{
    struct treemap *a = tens(2);
    struct treemap *b = treemap_new();

    treemap_put(b, 70, 70);
    suite_run(move_body, &(struct two){ b, a }, put_all_body, &(struct two){ a, b });
    assert(treemap_count(b, 0, 100) == 3);
    treemap_free(a);
    treemap_free(b);
}

/* Two sources, one target: no cycle whatever the order of locks. */
static void
test_move_into_one(void)
{
    struct treemap *a = tens(2);
    struct treemap *b = tens(2);
    struct treemap *into = treemap_new();

    suite_run(move_body, &(struct two){ into, a }, move_body, &(struct two){ into, b });
    assert(treemap_size(into) == 2 && treemap_size(a) == 0);
    treemap_free(a);
    treemap_free(b);
    treemap_free(into);
}

static void
test_put_all_both_ways(void)
{
    struct treemap *a = tens(1);
    struct treemap *b = tens(2);

    suite_run(put_all_body, &(struct two){ a, b }, put_all_body, &(struct two){ b, a });
    assert(treemap_size(a) == 2 && treemap_size(b) == 2);
    treemap_free(a);
    treemap_free(b);
}

/* Each thread has its own map. */
static void
test_own_maps(void)
{
    struct treemap *a = tens(3);
    struct treemap *b = tens(3);

    suite_run(clear_all, a, replace_middle, b);
    suite_run(last_key, a, pop_b, b);
    suite_run(first_key, a, count_few, b);
    assert(treemap_size(a) == 0 && treemap_size(b) == 2);
    treemap_free(a);
    treemap_free(b);
}

/* The work of main is before the first and after the last thread. */
static void
test_main_around(void)
{
    struct treemap *m = tens(3);
    int key = 0;

    assert(treemap_last(m, &key) && treemap_replace(m, 20, 21));
    suite_run(floor_key, m, get_middle, m);
    assert(treemap_count(m, 10, 12) == 1 && treemap_pop_first(m, &key));
    treemap_clear(m);
    treemap_free(m);
}

static const struct suite_test tests[] = {
    TEST(order_alone),       TEST(nearest_alone),   TEST(move_alone),       TEST(replace_alone),
    TEST(put_put),           TEST(put_remove),      TEST(put_get),          TEST(replace_get),
    TEST(replace_remove),    TEST(replace_replace), TEST(first_put),        TEST(first_remove),
    TEST(first_first),       TEST(last_put),        TEST(last_remove),      TEST(last_pop),
    TEST(floor_ceiling),     TEST(floor_put),       TEST(pop_pop),          TEST(pop_both_ends),
    TEST(pop_put),           TEST(clear_get),       TEST(clear_clear),      TEST(count_few_put),
    TEST(count_few_remove),  TEST(count_all_put),   TEST(count_all_few),    TEST(searches_get),
    TEST(searches_floor),    TEST(move_both_ways),  TEST(move_and_put_all), TEST(move_into_one),
    TEST(put_all_both_ways), TEST(own_maps),        TEST(main_around),
};

int
main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
