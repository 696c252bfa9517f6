/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/fuzz_gen_model.c - the reader of the model file takes any bytes.
 *
 * Beyond not crashing: a refusal names the file; what is accepted is printed in a form that read
 * over a fresh guess gives the same model, and the checks of it end.
 */
#include "fuzz.h"

#include "../unit/gen_decls.h"

const char *const burl_fuzz_seeds[] = {
    "model 1\nheader \"queue.h\"\ninclude <stdio.h>\nshared struct queue\n"
    "type struct queue: destroy queue_close, free\nforbid queue_copy\nnot dump queue_size\n"
    "make queue_new: returns object struct queue\n    capacity: int 0..10\n",
    "method queue_push: returns int, blocks, dump\n  q: object struct queue self\n"
    "  value: int one of 1 MODE_READ -3\nblocks queue_pop\nreadonly queue_name\n"
    "destroy queue_close\nhelper queue_free\n",
    "method queue_print\n  f: fixed fopen(\"a # b\", \"r\")  # why\n"
    "method queue_write\n  data: bytes length len\n  len: length of data\n"
    "method queue_name: returns own-string\n  prefix: string nullable\n"
    "method queue_pop: returns int\n  2: inout -1..1 nullable\nskip queue_each\n",
    NULL,
};

const char *const burl_fuzz_words[] = {
    "make ",      "destroy ",  "method ",      "helper ",    "skip ",      "forbid ",
    "type ",      "shared ",   "struct queue", ": ",         "returns ",   "object ",
    "storage ",   "makes ",    "payload",      "callback",   "context",    "record",
    "fixed ",     "unknown",   "buffer",       "bytes",      "length of ", "out",
    "inout ",     "int ",      "one of ",      "0..9",       "nullable",   "self",
    "consumed",   "ignored",   "queue_new",    "queue_free", "queue_push", "queue_write",
    "queue_copy", "queue_pop", "\n  ",         "\n",         "\"",         "#",
    "none",       ", free",    "blocks ",      "dump ",      "not ",       "success zero",
    NULL,
};

static struct burl_gen_model
fresh(void)
{
    struct burl_gen_model m;

    BURL_ASSERT(burl_test_guess(&m, burl_test_queue_json, NULL, NULL) == BURL_OK);
    return m;
}

static char *
print(const struct burl_gen_model *m, size_t *n)
{
    struct burl_buf b;

    burl_buf_init(&b, BURL_BUF_NO_LIMIT);
    burl_gen_model_print(m, &b);
    return burl_buf_take(&b, n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct burl_gen_model a = fresh();
    struct burl_gen_model b;
    struct burl_err err = { 0 };
    struct burl_buf out;
    char *first;
    char *second;
    size_t n1;
    size_t n2;

    if (burl__gen_model_decode(&a, (const char *)data, size, "m.burl", false, &err) != BURL_OK) {
        BURL_ASSERT(err.code == BURL_E_FORMAT && strncmp(err.msg, "m.burl:", 7) == 0);
        burl_gen_model_deinit(&a);
        return 0;
    }
    first = print(&a, &n1);
    b = fresh();
    if (burl__gen_model_decode(&b, first, n1, "again", false, &err) != BURL_OK)
        BURL_ASSERT(!"what was printed is refused");
    second = print(&b, &n2);
    BURL_ASSERT(n1 == n2 && memcmp(first, second, n1) == 0);
    burl_buf_init(&out, BURL_BUF_NO_LIMIT);
    burl_gen_model_left_out(&b, &out);
    (void)!burl_gen_model_check(&b, NULL);
    burl_buf_deinit(&out);
    free(first);
    free(second);
    burl_gen_model_deinit(&a);
    burl_gen_model_deinit(&b);
    return 0;
}
