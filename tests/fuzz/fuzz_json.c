/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/fuzz_json.c - the JSON reader takes any bytes.
 *
 * Beyond not crashing: what it accepts, our writer writes in a form it accepts
 * again, with the same content.
 */
#include "fuzz.h"

#include "base/json.h"

const char *const burl_fuzz_seeds[] = {
    "{\"version\":1,\"findings\":[{\"id\":1,\"kind\":\"deadlock.cycle\",\"sequential\":false}]}",
    "[0,-1.5e+10,true,false,null,\"\\u20ac\\ud83d\\ude00\\n\",{\"a\":{}},[]]",
    "  \"\"  ",
    NULL,
};

const char *const burl_fuzz_words[] = {
    "{",       "}",    "[",    "]",  ",", ":",        "\"", "\\u",
    "\\ud800", "null", "true", "1e", "-", "[[[[[[[[", NULL,
};

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

/* The value written on one line, and its size. */
static char *
rewrite(const char *text, size_t n, size_t *out_n)
{
    struct burl_json_writer w;
    struct burl_json_value *v;
    struct burl_buf b = BURL_BUF_INIT;

    *out_n = 0;
    if (burl_json_parse(&v, text, n, NULL) != BURL_OK)
        return NULL;
    burl_json_writer_init(&w, &b, 0);
    write_value(v, &w);
    burl_json_writer_finish(&w);
    burl_json_free(v);
    return burl_buf_take(&b, out_n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n1;
    size_t n2;
    size_t n3;
    char *first = rewrite((const char *)data, size, &n1);
    char *second;
    char *third;

    if (!first)
        return 0;
    /* A key of bytes that are not UTF-8 is replaced; two such keys may become equal, which the
     * reader refuses. Everything else must be accepted and be stable from then on. */
    second = rewrite(first, n1, &n2);
    if (second) {
        third = rewrite(second, n2, &n3);
        BURL_ASSERT(third && n2 == n3 && memcmp(second, third, n2) == 0);
        free(third);
    }
    free(first);
    free(second);
    return 0;
}
