/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_buf.c - laws of base/buf.h and base/vec.h.
 */
#include "unit.h"

#include "base/buf.h"
#include "base/rng.h"
#include "base/vec.h"

static void
append_keeps_bytes_and_terminates(void **state)
{
    struct burl_buf b = BURL_BUF_INIT;

    (void)state;
    assert_string_equal(burl_buf_str(&b), "");
    burl_buf_append(&b, "a\0b", 3);
    burl_buf_printf(&b, "%d-%s", 42, "x");
    burl_buf_char(&b, '!');
    assert_int_equal(b.n, 8);
    assert_memory_equal(b.p, "a\0b42-x!", 9);
    burl_buf_truncate(&b, 3);
    assert_memory_equal(b.p, "a\0b", 4);
    burl_buf_deinit(&b);
}

static void
limit_drops_whole_appends_and_sticks(void **state)
{
    struct burl_err err;
    struct burl_buf b;

    (void)state;
    burl_buf_init(&b, 5);
    burl_buf_str_append(&b, "abc");
    burl_buf_str_append(&b, "def"); /* does not fit */
    assert_true(b.full);
    burl_buf_char(&b, 'g'); /* would fit, but a hole must not be hidden */
    assert_string_equal(burl_buf_str(&b), "abc");
    assert_int_equal(burl_buf_status(&b, "the thing", &err), BURL_E_LIMIT);
    EXPECT_CONTAINS(err.msg, "the thing");
    burl_buf_clear(&b);
    burl_buf_str_append(&b, "12345"); /* exactly the limit */
    assert_false(b.full);
    assert_string_equal(burl_buf_str(&b), "12345");
    burl_buf_deinit(&b);
}

static void
printf_respects_the_limit(void **state)
{
    struct burl_buf b;

    (void)state;
    burl_buf_init(&b, 4);
    burl_buf_printf(&b, "%d", 12345);
    assert_true(b.full);
    assert_int_equal(b.n, 0);
    burl_buf_deinit(&b);
}

static void
take_moves_out_and_leaves_empty(void **state)
{
    struct burl_buf b;
    size_t n = 99;
    char *p;

    (void)state;
    burl_buf_init(&b, 100);
    p = burl_buf_take(&b, &n);
    assert_string_equal(p, "");
    assert_int_equal(n, 0);
    free(p);
    burl_buf_str_append(&b, "xyz");
    p = burl_buf_take(&b, &n);
    assert_string_equal(p, "xyz");
    assert_int_equal(n, 3);
    assert_null(b.p);
    assert_int_equal(b.n, 0);
    free(p);
    burl_buf_deinit(&b);
}

/* Against a plain array, with random pieces. */
static void
random_appends_equal_a_flat_copy(void **state)
{
    static char flat[20000];
    struct burl_rng r;
    struct burl_buf b;
    size_t n = 0;

    (void)state;
    burl_rng_init(&r, unit_seed());
    burl_buf_init(&b, sizeof flat);
    while (n + 300 < sizeof flat) {
        char piece[300];
        size_t len = burl_rng_below(&r, sizeof piece);

        for (size_t i = 0; i < len; i++)
            piece[i] = (char)burl_rng_next(&r);
        memcpy(flat + n, piece, len);
        n += len;
        burl_buf_append(&b, piece, len);
    }
    assert_int_equal(b.n, n);
    assert_memory_equal(b.p, flat, n);
    burl_buf_deinit(&b);
}

struct pair {
    int x;
    int y;
};

struct pairs {
    BURL_VEC_OF(struct pair);
};

static void
vec_keeps_order_and_zeroes_added(void **state)
{
    struct pairs v = { 0 };

    (void)state;
    for (int i = 0; i < 1000; i++)
        BURL_VEC_PUSH(&v, (struct pair){ i, -i });
    assert_int_equal(BURL_VEC_ADD(&v)->y, 0);
    assert_int_equal(v.n, 1001);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(v.v[i].x, i);
        assert_int_equal(v.v[i].y, -i);
    }
    BURL_VEC_RESERVE(&v, 5000);
    assert_true(v.cap >= 6001);
    assert_int_equal(v.v[999].x, 999);
    BURL_VEC_FREE(&v);
    assert_int_equal(v.n, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(append_keeps_bytes_and_terminates),
        cmocka_unit_test(limit_drops_whole_appends_and_sticks),
        cmocka_unit_test(printf_respects_the_limit),
        cmocka_unit_test(take_moves_out_and_leaves_empty),
        cmocka_unit_test(random_appends_equal_a_flat_copy),
        cmocka_unit_test(vec_keeps_order_and_zeroes_added),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
