/* SPDX-License-Identifier: Apache-2.0 */
/* base/map.c: integer keys, keys by content, growth. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static void
keeps_integer_keys(void **state)
{
    struct burl_map m = { 0 };
    uint64_t value = 7;

    (void)state;
    assert_false(burl_map_get(&m, 0, &value));
    for (uint64_t i = 0; i < 5000; i++)
        burl_map_set(&m, i << 32, i);
    burl_map_set(&m, UINT64_MAX, 0);
    burl_map_set(&m, 0, 99);
    for (uint64_t i = 0; i < 5000; i++) {
        assert_true(burl_map_get(&m, i << 32, &value));
        assert_int_equal(value, i == 0 ? 99 : i);
        assert_false(burl_map_get(&m, (i << 32) + 1, &value));
    }
    assert_true(burl_map_get(&m, UINT64_MAX, &value));
    assert_int_equal(value, 0);
    assert_int_equal(m.n, 5001);
    assert_int_equal(*burl_map_at(&m, 1), 0);
    ++*burl_map_at(&m, 1);
    assert_int_equal(*burl_map_at(&m, 1), 1);
    burl_map_deinit(&m);
    assert_false(burl_map_get(&m, 0, &value));
}

static bool
is_word(const void *words, uint64_t i, const void *word)
{
    return strcmp(((const char *const *)words)[i], word) == 0;
}

/* All hashes equal: the content decides. */
static void
tells_colliding_keys_apart(void **state)
{
    static const char *const words[] = { "a", "b", "c", "" };
    struct burl_map m = { 0 };
    uint64_t value;

    (void)state;
    assert_false(burl_map_find(&m, 5, is_word, words, "a", &value));
    for (uint64_t i = 0; i < 4; i++) {
        value = i;
        assert_false(burl_map_find_or_add(&m, 5, is_word, words, words[i], &value));
        assert_int_equal(value, i);
    }
    value = 9;
    assert_true(burl_map_find_or_add(&m, 5, is_word, words, "c", &value));
    assert_int_equal(value, 2);
    assert_true(burl_map_find(&m, 5, is_word, words, "", &value));
    assert_int_equal(value, 3);
    assert_false(burl_map_find(&m, 5, is_word, words, "d", &value));
    assert_false(burl_map_find(&m, 6, is_word, words, "a", &value));
    burl_map_deinit(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_integer_keys),
        cmocka_unit_test(tells_colliding_keys_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
