/* SPDX-License-Identifier: Apache-2.0 */
/* seed.c - calls every function of vector.h once or more, in one thread. */
#include "vector.h"

#undef NDEBUG /* the calls are in assertions */
#include <assert.h>

/* Builds 3 1 4 1 5. */
static struct vector *
digits(void)
{
    struct vector *v = vector_new(2, 3);

    assert(v != NULL);
    assert(vector_add(v, 3) == 1);
    assert(vector_add_element(v, 4) == 2);
    assert(vector_insert_element_at(v, 1, 1) == 0);
    assert(vector_add_at(v, 3, 1) == 0);
    assert(vector_add(v, 5) == 5);
    return v;
}

static void
seed_size(void)
{
    struct vector *v = digits();

    assert(vector_size(v) == 5);
    assert(!vector_is_empty(v));
    assert(vector_ensure_capacity(v, 20) == 0);
    assert(vector_capacity(v) >= 20);
    assert(vector_trim_to_size(v) == 0);
    assert(vector_capacity(v) == 5);
    assert(vector_set_size(v, 6) == 0);
    assert(vector_get(v, 5) == 0);
    assert(vector_set_size(v, -1) == VECTOR_EINDEX);
    vector_clear(v);
    assert(vector_is_empty(v));
    vector_free(v);
}

static void
seed_elements(void)
{
    struct vector *v = digits();

    assert(vector_get(v, 2) == 4);
    assert(vector_element_at(v, 9) == VECTOR_NONE);
    assert(vector_first_element(v) == 3);
    assert(vector_last_element(v) == 5);
    assert(vector_set(v, 0, 7) == 3);
    assert(vector_set_element_at(v, 8, 0) == 0);
    assert(vector_swap(v, 0, 4) == 0);
    assert(vector_remove_at(v, 4) == 8);
    assert(vector_remove_element_at(v, 0) == 0);
    assert(vector_size(v) == 3);
    assert(vector_add_if_absent(v, 9));
    assert(!vector_add_if_absent(v, 9));
    assert(vector_remove(v, 4));
    assert(!vector_remove_element(v, 4));
    assert(vector_size(v) == 3);
    vector_free(v);
}

static void
seed_searches(void)
{
    struct vector *v = digits();

    assert(vector_contains(v, 4));
    assert(vector_index_of(v, 1) == 1);
    assert(vector_index_of_from(v, 1, 2) == 3);
    assert(vector_last_index_of(v, 1) == 3);
    assert(vector_last_index_of_from(v, 1, 2) == 1);
    assert(vector_count_of(v, 1) == 2);
    vector_free(v);
}

static void
seed_whole_vector(void)
{
    struct vector *v = digits();
    int out[3];

    vector_sort(v);
    assert(vector_first_element(v) == 1);
    vector_reverse(v);
    assert(vector_first_element(v) == 5);
    assert(vector_sum(v) == 14);
    assert(vector_hash_code(v) != 0);
    assert(vector_copy_into(v, out, 3) == 3);
    assert(out[0] == 5 && out[1] == 4 && out[2] == 3);
    assert(vector_replace_all(v, 1, 2) == 2);
    assert(vector_remove_range(v, 1, 3) == 0);
    assert(vector_size(v) == 3);
    vector_remove_all_elements(v);
    assert(vector_size(v) == 0);
    vector_free(v);
}

static void
seed_two_vectors(void)
{
    struct vector *v = digits();
    struct vector *other = digits();
    struct vector *from = vector_new_from(other);
    struct vector *clone = vector_clone(other);
    struct vector *part = vector_sub_list(other, 1, 3);

    assert(vector_equals(from, clone));
    assert(vector_size(part) == 2);
    assert(vector_contains_all(v, part));
    assert(vector_add_all(v, other) == 5);
    assert(vector_add_all_at(v, 0, part) == 2);
    assert(vector_size(v) == 12);
    assert(vector_retain_all(v, part) == 4);
    assert(vector_remove_all(v, part) == 8);
    assert(vector_is_empty(v));
    vector_free(part);
    vector_free(clone);
    vector_free(from);
    vector_free(other);
    vector_free(v);
}

int
main(void)
{
    seed_size();
    seed_elements();
    seed_searches();
    seed_whole_vector();
    seed_two_vectors();
    return 0;
}
