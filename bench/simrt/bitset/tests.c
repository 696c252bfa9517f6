/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests.c - the suite of the bit set. Each test uses a few functions, most of them in two
 * threads; the final state does not depend on the schedule.
 */
#include "bitset.h"

#include <stdatomic.h>

#include "../suite.h"

/* {1, 2} */
static struct bitset *
one_two(void)
{
    struct bitset *b = bitset_new();

    bitset_set(b, 1);
    bitset_set(b, 2);
    return b;
}

/* Counts without bitset_cardinality(). */
static size_t
count(struct bitset *b)
{
    size_t n = 0;

    for (long bit = bitset_next_set(b, 0); bit >= 0; bit = bitset_next_set(b, (size_t)bit + 1))
        n++;
    return n;
}

/* ---- without threads ------------------------------------------------------------------------ */

static void
test_bits_alone(void)
{
    struct bitset *b = one_two();

    bitset_flip(b, 2);
    bitset_flip(b, 130);
    assert(bitset_get(b, 1) && !bitset_get(b, 2) && bitset_get(b, 130) && !bitset_get(b, 999));
    assert(bitset_cardinality(b) == 2 && bitset_length(b) == 131);
    bitset_unset(b, 130);
    assert(bitset_length(b) == 2 && bitset_next_set(b, 2) == -1 && bitset_next_unset(b, 1) == 2);
    bitset_clear(b);
    assert(bitset_length(b) == 0);
    bitset_free(b);
}

static void
test_range_alone(void)
{
    struct bitset *b = bitset_new();

    bitset_set_range(b, 3, 3);
    assert(bitset_cardinality(b) == 0);
    bitset_set_range(b, 60, 70);
    assert(bitset_cardinality(b) == 10 && bitset_next_set(b, 0) == 60);
    assert(bitset_next_unset(b, 60) == 70);
    assert(bitset_test_and_set(b, 65) && !bitset_test_and_set(b, 75));
    bitset_free(b);
}

static void
test_pairs_alone(void)
{
    struct bitset *a = one_two();
    struct bitset *b = bitset_new();

    bitset_set(b, 2);
    bitset_set(b, 80);
    assert(bitset_intersects(a, b));
    bitset_or(a, b);
    assert(bitset_cardinality(a) == 3);
    bitset_xor(a, b);
    assert(bitset_cardinality(a) == 1);
    bitset_and(a, b);
    assert(bitset_cardinality(a) == 0 && bitset_made() == 2);
    bitset_free(a);
    bitset_free(b);
}

static void
test_publish_alone(void)
{
    struct bitset *b = one_two();

    assert(!bitset_was_set(b, 1));
    bitset_publish(b);
    bitset_clear(b);
    assert(bitset_was_set(b, 1) && !bitset_was_set(b, 3));
    bitset_publish(b);
    assert(!bitset_was_set(b, 1));
    bitset_free(b);
}

/* Threads only of the set's own. */
static void
test_leans_alone(void)
{
    struct bitset *b = one_two();

    bitset_set(b, 100);
    assert(bitset_leans_low(b));
    bitset_free(b);
}

static void
test_leans_high(void)
{
    struct bitset *b = bitset_new();

    bitset_set_range(b, 70, 73);
    assert(!bitset_leans_low(b));
    bitset_free(b);
}

/* ---- in two threads ------------------------------------------------------------------------- */

static atomic_int n_true;

static void *
set_three(void *b)
{
    bitset_set(b, 3);
    return NULL;
}

static void *
set_far(void *b)
{
    bitset_set(b, 70);
    return NULL;
}

static void *
unset_one(void *b)
{
    bitset_unset(b, 1);
    return NULL;
}

static void *
flip_four(void *b)
{
    bitset_flip(b, 4);
    return NULL;
}

static void *
get_two(void *b)
{
    assert(bitset_get(b, 2));
    return NULL;
}

static void *
set_few(void *b)
{
    bitset_set_range(b, 8, 11);
    return NULL;
}

static void *
set_many(void *b)
{
    bitset_set_range(b, 20, 30);
    return NULL;
}

static void *
claim_five(void *b)
{
    if (!bitset_test_and_set(b, 5))
        n_true++;
    return NULL;
}

static void *
claim_six(void *b)
{
    if (!bitset_test_and_set(b, 6))
        n_true++;
    return NULL;
}

static void *
clear_all(void *b)
{
    bitset_clear(b);
    return NULL;
}

static void *
count_body(void *b)
{
    assert(bitset_cardinality(b) <= 3);
    return NULL;
}

static void *
length_body(void *b)
{
    assert(bitset_length(b) <= 71);
    return NULL;
}

static void *
next_body(void *b)
{
    assert(bitset_next_unset(b, 1) >= 1);
    return NULL;
}

static void *
text_body(void *b)
{
    assert(bitset_text(b)[0] == '{');
    return NULL;
}

static void *
leans_body(void *b)
{
    bitset_leans_low(b);
    return NULL;
}

static void *
publish_body(void *b)
{
    bitset_publish(b);
    return NULL;
}

static void *
was_set_body(void *b)
{
    bitset_was_set(b, 1);
    return NULL;
}

/* Runs both bodies on {1, 2}, which then has n numbers. */
static void
on_set(void *(*first)(void *), void *(*second)(void *), size_t n)
{
    struct bitset *b = one_two();

    suite_run(first, b, second, b);
    assert(count(b) == n);
    bitset_free(b);
}

static void
test_set_set(void)
{
    on_set(set_three, set_far, 4);
}

static void
test_set_get(void)
{
    on_set(set_far, get_two, 3);
}

static void
test_set_unset(void)
{
    on_set(set_three, unset_one, 2);
}

static void
test_flip_set(void)
{
    on_set(flip_four, set_three, 4);
}

static void
test_flip_get(void)
{
    on_set(flip_four, get_two, 3);
}

static void
test_flip_flip(void)
{
    on_set(flip_four, flip_four, 2);
}

static void
test_few_set(void)
{
    on_set(set_few, set_three, 6);
}

static void
test_few_few(void)
{
    on_set(set_few, set_few, 5);
}

static void
test_few_many(void)
{
    on_set(set_few, set_many, 15);
}

static void
test_many_get(void)
{
    on_set(set_many, get_two, 12);
}

static void
test_many_many(void)
{
    on_set(set_many, set_many, 12);
}

static void
test_claim_same(void)
{
    on_set(claim_five, claim_five, 3);
    assert(n_true == 1);
}

static void
test_claim_different(void)
{
    on_set(claim_five, claim_six, 4);
    assert(n_true == 2);
}

static void
test_claim_unset(void)
{
    on_set(claim_five, unset_one, 2);
    assert(n_true == 1);
}

static void
test_count_set(void)
{
    on_set(count_body, set_far, 3);
}

/* The set is empty at first. */
static void
test_count_first(void)
{
    struct bitset *b = bitset_new();

    suite_run(count_body, b, set_three, b);
    assert(bitset_length(b) == 4);
    bitset_free(b);
}

static void
test_count_count(void)
{
    on_set(count_body, count_body, 2);
}

static void
test_length_set(void)
{
    on_set(length_body, set_far, 3);
}

static void
test_length_next(void)
{
    on_set(length_body, next_body, 2);
}

static void
test_clear_next(void)
{
    on_set(clear_all, next_body, 0);
}

static void
test_text_text(void)
{
    on_set(text_body, text_body, 2);
}

static void
test_text_set(void)
{
    on_set(text_body, set_three, 3);
}

static void
test_text_main(void)
{
    struct bitset *b = one_two();
    pthread_t t;

    assert(pthread_create(&t, NULL, text_body, b) == 0);
    assert(bitset_text(b)[1] == '1');
    pthread_join(t, NULL);
    bitset_free(b);
}

static void
test_leans_set(void)
{
    on_set(leans_body, set_three, 3);
}

static void
test_publish_read(void)
{
    on_set(publish_body, was_set_body, 2);
}

static void
test_publish_publish(void)
{
    on_set(publish_body, publish_body, 2);
}

static void
test_publish_set(void)
{
    on_set(publish_body, set_three, 3);
}

/* Published before the threads start. */
static void
test_published_before(void)
{
    struct bitset *b = one_two();

    bitset_publish(b);
    suite_run(was_set_body, b, set_three, b);
    assert(!bitset_was_set(b, 3));
    bitset_free(b);
}

static void
test_publish_main(void)
{
    struct bitset *b = one_two();
    pthread_t t;

    assert(pthread_create(&t, NULL, publish_body, b) == 0);
    bitset_was_set(b, 2);
    pthread_join(t, NULL);
    assert(bitset_was_set(b, 2));
    bitset_free(b);
}

static void *
make_body(void *arg)
{
    (void)arg;
    bitset_free(bitset_new());
    return NULL;
}

static void
test_make_make(void)
{
    suite_run(make_body, NULL, make_body, NULL);
    assert(bitset_made() == 2);
}

/* ---- two sets ------------------------------------------------------------------------------- */

static void *
and_body(void *arg)
{
    struct bitset **b = arg;

    bitset_and(b[0], b[1]);
    return NULL;
}

static void *
or_body(void *arg)
{
    struct bitset **b = arg;

    bitset_or(b[0], b[1]);
    return NULL;
}

/* Runs both bodies on {1, 2} and {2, 3}, the second with the sets exchanged. */
static void
on_sets(void *(*first)(void *), void *(*second)(void *))
{
    struct bitset *b[3] = { one_two(), bitset_new(), NULL };

    b[2] = b[0];
    bitset_set(b[1], 2);
    bitset_set(b[1], 3);
    suite_run(first, b, second, b + 1);
    assert(bitset_intersects(b[0], b[1]));
    bitset_free(b[0]);
    bitset_free(b[1]);
}

static void
test_or_crossed(void)
{
    on_sets(or_body, or_body);
}

static void
test_and_crossed(void)
{
    on_sets(and_body, and_body);
}

static void
test_and_or(void)
{
    on_sets(and_body, or_body);
}

/* Each thread has its own set. */
static void
test_own_sets(void)
{
    struct bitset *a = one_two();
    struct bitset *b = one_two();

    suite_run(flip_four, a, flip_four, b);
    suite_run(set_few, a, set_few, b);
    suite_run(claim_five, a, publish_body, b);
    assert(count(a) == 7 && count(b) == 6);
    bitset_free(a);
    bitset_free(b);
}

/* The work of main is before the first and after the last thread. */
static void
test_main_around(void)
{
    struct bitset *b = one_two();

    bitset_flip(b, 9);
    bitset_set_range(b, 9, 12);
    suite_run(get_two, b, next_body, b);
    bitset_publish(b);
    assert(bitset_was_set(b, 9) && bitset_text(b)[1] == '1');
    bitset_free(b);
}

static const struct suite_test tests[] = {
    TEST(bits_alone),  TEST(range_alone),      TEST(pairs_alone),     TEST(publish_alone),
    TEST(leans_alone), TEST(leans_high),       TEST(set_set),         TEST(set_get),
    TEST(set_unset),   TEST(flip_set),         TEST(flip_get),        TEST(flip_flip),
    TEST(few_set),     TEST(few_few),          TEST(few_many),        TEST(many_get),
    TEST(many_many),   TEST(claim_same),       TEST(claim_different), TEST(claim_unset),
    TEST(count_set),   TEST(count_first),      TEST(count_count),     TEST(length_set),
    TEST(length_next), TEST(clear_next),       TEST(text_text),       TEST(text_set),
    TEST(text_main),   TEST(leans_set),        TEST(publish_read),    TEST(publish_publish),
    TEST(publish_set), TEST(published_before), TEST(publish_main),    TEST(make_make),
    TEST(or_crossed),  TEST(and_crossed),      TEST(and_or),          TEST(own_sets),
    TEST(main_around),
};

int
main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
