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

#define MAX_LINES 6

/* The declarations are read once: they are what a guess costs most for. */
static struct burl__gen_decls *decls;

static struct burl_gen_model
fresh(void)
{
    struct burl_gen_model m = { 0 };

    if (!decls)
        BURL_ASSERT(burl__gen_decls_parse(&decls, burl_test_queue_json,
                                          strlen(burl_test_queue_json), NULL) == BURL_OK);
    m.decls = decls;
    m.header = "queue.h";
    BURL_ASSERT(burl__gen_guess(&m, NULL, NULL) == BURL_OK);
    return m;
}

static void
drop(struct burl_gen_model *m)
{
    m->decls = NULL;
    burl_gen_model_deinit(m);
}

static char *
print(const struct burl_gen_model *m, size_t *n)
{
    struct burl_buf b = BURL_BUF_INIT;

    burl_gen_model_print(m, &b);
    return burl_buf_take(&b, n);
}

/* What is accepted is printed, and read again over a fresh guess is printed the same. */
static void
check_round_trip(const struct burl_gen_model *m)
{
    struct burl_gen_model again = fresh();
    struct burl_err err = { 0 };
    struct burl_buf out = BURL_BUF_INIT;
    size_t n1;
    size_t n2;
    char *first = print(m, &n1);
    char *second;

    if (burl__gen_model_decode(&again, first, n1, "again", false, &err) != BURL_OK) {
        fprintf(stderr, "%s\n", err.msg);
        BURL_ASSERT(!"what was printed is refused");
    }
    second = print(&again, &n2);
    BURL_ASSERT(n1 == n2 && memcmp(first, second, n1) == 0);
    burl_gen_model_left_out(&again, &out);
    (void)!burl_gen_model_check(&again, NULL);
    burl_buf_deinit(&out);
    free(first);
    free(second);
    drop(&again);
}

static bool
is_accepted(const char *text, size_t n, bool round_trip)
{
    struct burl_gen_model m = fresh();
    struct burl_err err = { 0 };
    enum burl_status st = burl__gen_model_decode(&m, text, n, "m.burl", false, &err);

    if (st == BURL_OK && round_trip)
        check_round_trip(&m);
    if (st != BURL_OK)
        BURL_ASSERT(err.code == BURL_E_FORMAT && strncmp(err.msg, "m.burl:", 7) == 0);
    drop(&m);
    return st == BURL_OK;
}

/* Most mutations break some line: the lines that are refused go, so that the others are tried
 * together. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *p = (const char *)data;
    const char *end = p + size;
    struct burl_buf kept = BURL_BUF_INIT;

    if (is_accepted(p, size, true))
        return 0;
    for (unsigned lines = 0; p < end && lines < MAX_LINES; lines++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t before = kept.n;
        stop = stop ? stop + 1 : end;
        burl_buf_append(&kept, p, (size_t)(stop - p));
        if (!is_accepted(burl_buf_str(&kept), kept.n, false))
            burl_buf_truncate(&kept, before);
        p = stop;
    }
    BURL_ASSERT(is_accepted(burl_buf_str(&kept), kept.n, true));
    burl_buf_deinit(&kept);
    return 0;
}
