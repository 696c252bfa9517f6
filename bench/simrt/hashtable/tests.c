/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests.c - the suite of the hash table. Each test uses a few functions, most of them in two
 * threads; the final state does not depend on the schedule.
 */
#include "hashtable.h"

#include "../suite.h"

/* A table with the keys 1, 2, ... n, whose values are the keys. */
static struct hashtable *
numbers(int n)
{
    struct hashtable *t = hashtable_new(3);

    for (int i = 1; i <= n; i++)
        assert(hashtable_put(t, i, i));
    return t;
}

/* ---- without threads ------------------------------------------------------------------------ */

static void
test_put_alone(void)
{
    struct hashtable *t = numbers(9);
    int value = 0;

    assert(!hashtable_put(t, 4, 40) && hashtable_get(t, 4, &value) && value == 40);
    assert(hashtable_contains(t, 40) && !hashtable_contains(t, 4));
    assert(hashtable_remove(t, 4) && !hashtable_contains_key(t, 4) && hashtable_size(t) == 8);
    assert(hashtable_increment(t, 5) == 6 && hashtable_increment(t, 50) == 1);
    assert(hashtable_wait_for(t, 50) == 1);
    hashtable_free(t);
}

static void
test_keys_alone(void)
{
    struct hashtable *t = numbers(5);
    int keys[5];

    hashtable_set_ordered(t, true);
    hashtable_rehash(t);
    assert(hashtable_keys(t, keys, 5) == 5);
    for (int i = 0; i < 5; i++)
        assert(keys[i] == i + 1);
    hashtable_free(t);
}

static void
test_pin_alone(void)
{
    struct hashtable *t = numbers(2);

    hashtable_pin(t, true);
    hashtable_clear(t);
    assert(hashtable_size(t) == 2);
    hashtable_pin(t, false);
    hashtable_clear(t);
    assert(hashtable_size(t) == 0);
    hashtable_free(t);
}

static void
test_equals_alone(void)
{
    struct hashtable *a = numbers(3);
    struct hashtable *b = numbers(3);

    assert(hashtable_equals(a, b) && hashtable_equals(a, a));
    hashtable_put(b, 1, 0);
    assert(!hashtable_equals(a, b));
    hashtable_free(a);
    hashtable_free(b);
}

/* ---- in two threads ------------------------------------------------------------------------- */

static void *
put_seven(void *t)
{
    hashtable_put(t, 7, 7);
    return NULL;
}

static void *
put_eight(void *t)
{
    hashtable_put(t, 8, 8);
    return NULL;
}

static void *
get_one(void *t)
{
    int value = 1;

    hashtable_get(t, 1, &value);
    assert(value == 1);
    return NULL;
}

static void *
remove_one(void *t)
{
    hashtable_remove(t, 1);
    return NULL;
}

static void *
remove_two(void *t)
{
    hashtable_remove(t, 2);
    return NULL;
}

static void *
size_body(void *t)
{
    assert(hashtable_size(t) <= 3);
    return NULL;
}

static void *
has_value(void *t)
{
    hashtable_contains(t, 7);
    return NULL;
}

static void *
has_key(void *t)
{
    hashtable_contains_key(t, 2);
    return NULL;
}

static void *
increment_nine(void *t)
{
    hashtable_increment(t, 9);
    return NULL;
}

static void *
increment_ten(void *t)
{
    hashtable_increment(t, 10);
    return NULL;
}

static void *
keys_body(void *t)
{
    int keys[4];

    assert(hashtable_keys(t, keys, 4) <= 4);
    return NULL;
}

static void *
pin_on(void *t)
{
    hashtable_pin(t, true);
    return NULL;
}

static void *
ordered_on(void *t)
{
    hashtable_set_ordered(t, true);
    return NULL;
}

static void *
clear_all(void *t)
{
    hashtable_clear(t);
    return NULL;
}

static void *
rehash_all(void *t)
{
    hashtable_rehash(t);
    return NULL;
}

static void *
wait_seven(void *t)
{
    assert(hashtable_wait_for(t, 7) == 7);
    return NULL;
}

/* Runs both bodies on a table with 1, 2, 3, which then has `size` keys. */
static void
on_table(void *(*first)(void *), void *(*second)(void *), size_t size)
{
    struct hashtable *t = numbers(3);

    suite_run(first, t, second, t);
    assert(hashtable_size(t) == size);
    hashtable_free(t);
}

static void
test_put_put(void)
{
    on_table(put_seven, put_eight, 5);
}

static void
test_put_get(void)
{
    on_table(put_seven, get_one, 4);
}

static void
test_put_rehash(void)
{
    on_table(put_seven, rehash_all, 4);
}

static void
test_get_rehash(void)
{
    on_table(get_one, rehash_all, 3);
}

static void
test_remove_remove(void)
{
    on_table(remove_one, remove_two, 1);
}

static void
test_remove_put(void)
{
    on_table(remove_one, put_seven, 3);
}

static void
test_remove_size(void)
{
    on_table(remove_one, size_body, 2);
}

static void
test_remove_get(void)
{
    on_table(remove_two, get_one, 2);
}

static void
test_value_put(void)
{
    on_table(has_value, put_seven, 4);
}

static void
test_value_remove(void)
{
    on_table(has_value, remove_two, 2);
}

static void
test_value_rehash(void)
{
    on_table(has_value, rehash_all, 3);
}

static void
test_value_get(void)
{
    on_table(has_value, get_one, 3);
}

static void
test_key_put(void)
{
    on_table(has_key, put_seven, 4);
}

static void
test_increment_same(void)
{
    struct hashtable *t = hashtable_new(2);
    int value = 0;

    suite_run(increment_nine, t, increment_nine, t);
    assert(hashtable_get(t, 9, &value) && value == 2);
    hashtable_free(t);
}

static void
test_increment_thrice(void)
{
    struct hashtable *t = hashtable_new(2);
    int value = 0;

    hashtable_increment(t, 9);
    suite_run(increment_nine, t, increment_nine, t);
    assert(hashtable_get(t, 9, &value) && value == 3);
    hashtable_free(t);
}

static void
test_increment_different(void)
{
    on_table(increment_nine, increment_ten, 5);
}

static void
test_keys_put(void)
{
    on_table(keys_body, put_seven, 4);
}

static void
test_keys_rehash(void)
{
    on_table(keys_body, rehash_all, 3);
}

static void
test_keys_keys(void)
{
    on_table(keys_body, keys_body, 3);
}

static void
test_keys_ordered(void)
{
    on_table(keys_body, ordered_on, 3);
}

static void
test_pin_ordered(void)
{
    struct hashtable *t = numbers(2);

    suite_run(pin_on, t, ordered_on, t);
    hashtable_clear(t);
    assert(hashtable_size(t) == 2);
    hashtable_free(t);
}

static void
test_pin_keys(void)
{
    on_table(pin_on, keys_body, 3);
}

static void
test_pin_pin(void)
{
    on_table(pin_on, pin_on, 3);
}

static void
test_clear_ordered(void)
{
    on_table(clear_all, ordered_on, 0);
}

static void
test_clear_get(void)
{
    on_table(clear_all, get_one, 0);
}

static void
test_wait_put(void)
{
    on_table(wait_seven, put_seven, 4);
}

static void
test_wait_wait(void)
{
    struct hashtable *t = numbers(1);
    pthread_t p;

    assert(pthread_create(&p, NULL, put_seven, t) == 0);
    suite_run(wait_seven, t, wait_seven, t);
    pthread_join(p, NULL);
    hashtable_free(t);
}

/* ---- two tables ----------------------------------------------------------------------------- */

static void *
equals_body(void *arg)
{
    struct hashtable **t = arg;

    assert(hashtable_equals(t[0], t[1]));
    return NULL;
}

static void
test_equals_crossed(void)
{
    struct hashtable *t[3] = { numbers(1), numbers(1), NULL };

    t[2] = t[0];
    suite_run(equals_body, t, equals_body, t + 1);
    hashtable_free(t[0]);
    hashtable_free(t[1]);
}

static void
test_equals_straight(void)
{
    struct hashtable *t[2] = { numbers(1), numbers(1) };

    suite_run(equals_body, t, equals_body, t);
    hashtable_free(t[0]);
    hashtable_free(t[1]);
}

/* ---- loaders -------------------------------------------------------------------------------- */

static void
test_load(void)
{
    const int keys[] = { 1, 2, 2 };
    struct hashtable *t = hashtable_new(4);

    assert(hashtable_load_finish(hashtable_load(t, keys, 3)) == 2);
    assert(hashtable_size(t) == 2);
    hashtable_free(t);
}

static void
test_load_two(void)
{
    const int keys[] = { 1, 2 };
    struct hashtable *t = hashtable_new(4);
    struct hashtable_loader *a = hashtable_load(t, keys, 2);
    struct hashtable_loader *b = hashtable_load(t, keys, 2);
    const size_t n = hashtable_load_finish(a);

    assert(n + hashtable_load_finish(b) == 2);
    hashtable_free(t);
}

static void
test_load_and_wait(void)
{
    const int keys[] = { 5, 7 };
    struct hashtable *t = hashtable_new(4);
    struct hashtable_loader *l = hashtable_load(t, keys, 2);

    assert(hashtable_wait_for(t, 7) == 7);
    hashtable_load_finish(l);
    assert(hashtable_size(t) == 2);
    hashtable_free(t);
}

/* Each thread has its own table. */
static void
test_own_tables(void)
{
    struct hashtable *a = numbers(3);
    struct hashtable *b = numbers(3);

    suite_run(has_value, a, put_seven, b);
    suite_run(remove_one, a, keys_body, b);
    suite_run(increment_nine, a, increment_nine, b);
    assert(hashtable_size(a) == 3 && hashtable_size(b) == 5);
    hashtable_free(a);
    hashtable_free(b);
}

/* The work of main is before the first and after the last thread. */
static void
test_main_around(void)
{
    struct hashtable *t = numbers(3);

    hashtable_remove(t, 3);
    hashtable_pin(t, true);
    suite_run(get_one, t, has_key, t);
    hashtable_set_ordered(t, true);
    assert(hashtable_contains(t, 2) && !hashtable_contains(t, 3));
    hashtable_free(t);
}

static const struct suite_test tests[] = {
    TEST(put_alone),       TEST(keys_alone),     TEST(pin_alone),        TEST(equals_alone),
    TEST(put_put),         TEST(put_get),        TEST(put_rehash),       TEST(get_rehash),
    TEST(remove_remove),   TEST(remove_put),     TEST(remove_size),      TEST(remove_get),
    TEST(value_put),       TEST(value_remove),   TEST(value_rehash),     TEST(value_get),
    TEST(key_put),         TEST(increment_same), TEST(increment_thrice), TEST(increment_different),
    TEST(keys_put),        TEST(keys_rehash),    TEST(keys_keys),        TEST(keys_ordered),
    TEST(pin_ordered),     TEST(pin_keys),       TEST(pin_pin),          TEST(clear_ordered),
    TEST(clear_get),       TEST(wait_put),       TEST(wait_wait),        TEST(equals_crossed),
    TEST(equals_straight), TEST(load),           TEST(load_two),         TEST(load_and_wait),
    TEST(own_tables),      TEST(main_around),
};

int
main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
