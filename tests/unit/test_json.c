/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_json.c - base/json.h: what is written reads back, what is wrong is refused.
 */
#include "unit.h"

#include "base/json.h"
#include "base/rng.h"

static void
writer_escapes_and_indents(void **state)
{
    struct burl_json_writer w;
    struct burl_buf b = BURL_BUF_INIT;

    (void)state;
    burl_json_writer_init(&w, &b, 2);
    burl_json_object_begin(&w);
    burl_json_kv_str(&w, "a\"b", "line\nand \\ \x01 \x7f");
    burl_json_key(&w, "list");
    burl_json_array_begin(&w);
    burl_json_u64(&w, UINT64_MAX);
    burl_json_i64(&w, INT64_MIN);
    burl_json_array_end(&w);
    burl_json_key(&w, "empty");
    burl_json_object_begin(&w);
    burl_json_object_end(&w);
    burl_json_kv_hex(&w, "h", 0xdeadbeefcafef00du);
    burl_json_kv_hex(&w, "z", 0);
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
    assert_string_equal(burl_buf_str(&b), "{\n"
                                          "  \"a\\\"b\": \"line\\nand \\\\ \\u0001 \\u007f\",\n"
                                          "  \"list\": [\n"
                                          "    18446744073709551615,\n"
                                          "    -9223372036854775808\n"
                                          "  ],\n"
                                          "  \"empty\": {},\n"
                                          "  \"h\": \"0xdeadbeefcafef00d\",\n"
                                          "  \"z\": \"0x0\"\n"
                                          "}\n");
    burl_buf_deinit(&b);
}

static void
bytes_that_are_not_utf8_are_replaced(void **state)
{
    /* A lone continuation, an overlong slash, a surrogate, a cut sequence, a good one. */
    static const char text[] = "\x80|\xc0\xaf|\xed\xa0\x80|\xe2\x82|\xe2\x82\xac";
    struct burl_json_writer w;
    struct burl_buf b = BURL_BUF_INIT;

    (void)state;
    burl_json_writer_init(&w, &b, 0);
    burl_json_str(&w, text);
    assert_string_equal(burl_buf_str(&b), "\"\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd|"
                                          "\\ufffd\\ufffd|\xe2\x82\xac\"");
    burl_buf_deinit(&b);
}

static void
reader_reads_every_type(void **state)
{
    static const char text[] = " { \"n\" : null , \"t\":true,\"f\":false, \"s\":\"\\u20ac\\ud83d"
                               "\\ude00\\n\", \"a\":[1,-2.5e3,[]], \"big\":18446744073709551615,"
                               " \"hex\":\"0xff\" } \n";
    struct burl_err err = { 0 };
    struct burl_json_value *v;
    uint64_t u;
    int64_t i;

    (void)state;
    EXPECT_OK(burl_json_parse(&v, text, sizeof text - 1, &err), &err);
    assert_int_equal(burl_json_get(v, "n")->type, BURL_JSON_NULL);
    assert_true(burl_json_as_bool(burl_json_get(v, "t"), false));
    assert_false(burl_json_as_bool(burl_json_get(v, "f"), true));
    assert_string_equal(burl_json_as_str(burl_json_get(v, "s"), ""),
                        "\xe2\x82\xac\xf0\x9f\x98\x80\n");
    assert_int_equal(burl_json_count(burl_json_get(v, "a")), 3);
    assert_false(burl_json_as_i64(burl_json_at(burl_json_get(v, "a"), 1), &i));
    assert_true(burl_json_as_u64(burl_json_get(v, "big"), &u));
    assert_int_equal(u, UINT64_MAX);
    assert_false(burl_json_as_i64(burl_json_get(v, "big"), &i));
    assert_true(burl_json_as_u64(burl_json_get(v, "hex"), &u));
    assert_int_equal(u, 255);
    assert_null(burl_json_get(v, "absent"));
    assert_null(burl_json_get(burl_json_get(v, "absent"), "deeper"));
    assert_string_equal(burl_json_as_str(NULL, "dflt"), "dflt");
    burl_json_free(v);
}

static void
reader_refuses_what_the_rfc_refuses(void **state)
{
    static const char *const bad[] = {
        "",
        " ",
        "{",
        "}",
        "[1,]",
        "{\"a\":1,}",
        "[1 2]",
        "01",
        "+1",
        "1.",
        ".5",
        "1e",
        "-",
        "nul",
        "truex",
        "'a'",
        "\"a",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\n\"",
        "{\"a\" 1}",
        "{1:2}",
        "[",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "1 2",
        "[1],",
        "NaN",
        "Infinity",
        "{\"a\":1,\"a\":2}",
        "{\"\\u0000\":1}",
        "\"\\",
        "/* */ 1",
        "[,1]",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct burl_err err = { 0 };
        struct burl_json_value *v;

        if (burl_json_parse(&v, bad[i], strlen(bad[i]), &err) == BURL_OK)
            fail_msg("accepted: %s", bad[i]);
        assert_null(v);
        assert_int_equal(err.code, BURL_E_FORMAT);
        EXPECT_CONTAINS(err.msg, "line 1");
    }
}

static void
reader_bounds_depth(void **state)
{
    char text[2 * BURL_JSON_MAX_DEPTH + 2];
    struct burl_json_value *v;
    struct burl_err err = { 0 };

    (void)state;
    memset(text, '[', BURL_JSON_MAX_DEPTH);
    memset(text + BURL_JSON_MAX_DEPTH, ']', BURL_JSON_MAX_DEPTH);
    EXPECT_OK(burl_json_parse(&v, text, 2 * BURL_JSON_MAX_DEPTH, &err), &err);
    burl_json_free(v);
    memset(text, '[', BURL_JSON_MAX_DEPTH + 1);
    memset(text + BURL_JSON_MAX_DEPTH + 1, ']', BURL_JSON_MAX_DEPTH + 1);
    assert_int_equal(burl_json_parse(&v, text, 2 * BURL_JSON_MAX_DEPTH + 2, &err), BURL_E_FORMAT);
}

/* Writes a random value, depth first. */
static void
write_random(struct burl_rng *r, struct burl_json_writer *w, int depth)
{
    uint64_t what = burl_rng_below(r, depth > 5 ? 5 : 7);
    size_t n = burl_rng_below(r, 6);
    char text[64];
    char key[24];

    switch (what) {
    case 0:
        burl_json_null(w);
        break;
    case 1:
        burl_json_bool(w, burl_rng_below(r, 2));
        break;
    case 2:
        burl_json_u64(w, burl_rng_next(r) >> burl_rng_below(r, 64));
        break;
    case 3:
        burl_json_i64(w, (int64_t)burl_rng_next(r));
        break;
    case 4:
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = (char)burl_rng_next(r);
        burl_json_strn(w, text, burl_rng_below(r, sizeof text));
        break;
    case 5:
        burl_json_array_begin(w);
        for (size_t i = 0; i < n; i++)
            write_random(r, w, depth + 1);
        burl_json_array_end(w);
        break;
    default:
        burl_json_object_begin(w);
        for (size_t i = 0; i < n; i++) {
            snprintf(key, sizeof key, "k%zu", i);
            burl_json_key(w, key);
            write_random(r, w, depth + 1);
        }
        burl_json_object_end(w);
        break;
    }
}

/* Writes a parsed value again. */
static void
write_value(const struct burl_json_value *v, struct burl_json_writer *w)
{
    switch (v->type) {
    case BURL_JSON_NULL:
        burl_json_null(w);
        break;
    case BURL_JSON_BOOL:
        burl_json_bool(w, v->boolean);
        break;
    case BURL_JSON_NUMBER:
        burl_json_raw(w, v->str);
        break;
    case BURL_JSON_STRING:
        burl_json_strn(w, v->str, v->str_n);
        break;
    case BURL_JSON_ARRAY:
        burl_json_array_begin(w);
        for (size_t i = 0; i < v->n; i++)
            write_value(&v->items[i], w);
        burl_json_array_end(w);
        break;
    case BURL_JSON_OBJECT:
        burl_json_object_begin(w);
        for (size_t i = 0; i < v->n; i++) {
            burl_json_key(w, v->items[i].key);
            write_value(&v->items[i], w);
        }
        burl_json_object_end(w);
        break;
    }
}

static void
written_documents_read_back_the_same(void **state)
{
    struct burl_rng r;

    (void)state;
    burl_rng_init(&r, unit_seed());
    for (int round = 0; round < 2000; round++) {
        int indent = (int)burl_rng_below(&r, 3);
        struct burl_err err = { 0 };
        struct burl_json_writer w;
        struct burl_json_value *v;
        struct burl_buf first = BURL_BUF_INIT;
        struct burl_buf second = BURL_BUF_INIT;

        burl_json_writer_init(&w, &first, indent);
        write_random(&r, &w, 0);
        burl_json_writer_finish(&w);
        EXPECT_OK(burl_json_parse(&v, first.p, first.n, &err), &err);
        burl_json_writer_init(&w, &second, indent);
        write_value(v, &w);
        burl_json_writer_finish(&w);
        /* A replaced byte is written as an escape first and as itself later: compare the third
         * writing with the second. */
        burl_json_free(v);
        EXPECT_OK(burl_json_parse(&v, second.p, second.n, &err), &err);
        burl_buf_clear(&first);
        burl_json_writer_init(&w, &first, indent);
        write_value(v, &w);
        burl_json_writer_finish(&w);
        assert_string_equal(burl_buf_str(&first), burl_buf_str(&second));
        burl_json_free(v);
        burl_buf_deinit(&first);
        burl_buf_deinit(&second);
    }
}

/* Any single damage is either refused or still a document: never a crash (run under ASan). */
static void
damaged_documents_do_not_crash(void **state)
{
    static const char good[] = "{\"a\":[1,2.5e-3,\"\\ud83d\\ude00\",{\"b\":null}],\"c\":true}";
    struct burl_rng r;

    (void)state;
    burl_rng_init(&r, unit_seed());
    for (int round = 0; round < 20000; round++) {
        size_t n = sizeof good - 1;
        char *text = burl_xmemdup(good, n);
        struct burl_json_value *v;

        for (uint64_t k = 1 + burl_rng_below(&r, 3); k > 0; k--)
            text[burl_rng_below(&r, n)] = (char)burl_rng_next(&r);
        n = burl_rng_below(&r, n + 1);
        text = burl_xrealloc(text, n);
        if (burl_json_parse(&v, text, n, NULL) == BURL_OK)
            burl_json_free(v);
        free(text);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writer_escapes_and_indents),
        cmocka_unit_test(bytes_that_are_not_utf8_are_replaced),
        cmocka_unit_test(reader_reads_every_type),
        cmocka_unit_test(reader_refuses_what_the_rfc_refuses),
        cmocka_unit_test(reader_bounds_depth),
        cmocka_unit_test(written_documents_read_back_the_same),
        cmocka_unit_test(damaged_documents_do_not_crash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
