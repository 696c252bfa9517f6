/* SPDX-License-Identifier: Apache-2.0 */
/* report/text: formats with conversions of their own, JSON by format. */
#include "report/text/text.h"

#include "unit.h"

static void
put_pair(void *arg, char conversion, va_list *ap, struct burl_buf *out)
{
    const unsigned a = va_arg(*ap, unsigned);

    burl_buf_printf(out, "%s%c(%u,%zu)", (const char *)arg, conversion, a, va_arg(*ap, size_t));
}

static void
format(struct burl_buf *out, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    burl__text_vformat(out, fmt, ap, put_pair, "at");
    va_end(ap);
}

static void
mixes_conversions(void **state)
{
    struct burl_buf out = BURL_BUF_INIT;

    (void)state;
    format(&out, "%s: %u of %zu%c %N|%P|%Q", "x", 3u, (size_t)4, '!', UINT64_MAX, 5u, (size_t)6, 7u,
           SIZE_MAX);
    assert_string_equal(burl_buf_str(&out), "x: 3 of 4! 18,446,744,073,709,551,615|atP(5,6)|"
                                            "atQ(7,18446744073709551615)");
    burl_buf_clear(&out);
    format(&out, "");
    format(&out, "no conversion, but a name: ");
    format(&out, "%s", "%s%u%N");
    assert_string_equal(burl_buf_str(&out), "no conversion, but a name: %s%u%N");
    burl_buf_deinit(&out);
}

static void
put_mark(struct burl_json_writer *w, char type, va_list *ap)
{
    const char text[] = { type, (char)va_arg(*ap, int), '\0' };

    burl_json_str(w, text);
}

static void
put(struct burl_json_writer *w, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    burl__json_vput(w, fmt, ap, put_mark);
    va_end(ap);
}

static void
writes_members_and_values(void **state)
{
    struct burl_json_writer w;
    struct burl_buf out = BURL_BUF_INIT;

    (void)state;
    burl_json_writer_init(&w, &out, 0);
    burl_json_object_begin(&w);
    put(&w, "s:s null:s e:e u:u n:n o:o none:o i:i b:b hash:x mark:M", "a \"b\"", NULL, "", 1u,
        UINT64_MAX, 1, (uint64_t)2, 0, (uint64_t)3, (int64_t)-4, true, (uint64_t)0x1f, 'z');
    burl_json_kv_array(&w, "list");
    burl__json_put_array(&w, "s u", "x", 5u);
    burl_json_array_end(&w);
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
    assert_string_equal(burl_buf_str(&out),
                        "{\"s\":\"a \\\"b\\\"\",\"null\":null,\"e\":null,\"u\":1,"
                        "\"n\":18446744073709551615,\"o\":2,\"none\":null,\"i\":-4,\"b\":true,"
                        "\"hash\":\"0x1f\",\"mark\":\"Mz\",\"list\":[[\"x\",5]]}\n");
    burl_buf_deinit(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixes_conversions),
        cmocka_unit_test(writes_members_and_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
