/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/fuzz_suppress.c - the reader of suppressions takes any bytes.
 *
 * Beyond not crashing: what it accepts is rules with a pattern, on ascending lines, and written
 * again from them it gives the same rules. Matching terminates.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "report/finding/suppress.h"

const char *const burl_fuzz_seeds[] = {
    "# known\nrace:counter\n\n deadlock : lib*.so # gone soon\r\nany:a#b\n",
    "atomicity:*\nrace:operator[]\n",
    "rase:x\n",
    NULL,
};

const char *const burl_fuzz_words[] = {
    "race", "deadlock", "atomicity", "any", ":", "*", "?", "#", " #", "\n", "\r\n", "\t", NULL,
};

static struct burl_suppress *
parse(const char *text, size_t n)
{
    struct burl_suppress *s;
    struct burl_err err;

    if (burl_suppress_parse(&s, "rules", text, n, &err) == BURL_OK)
        return s;
    BURL_ASSERT(s == NULL && err.code == BURL_E_USAGE && strncmp(err.msg, "rules:", 6) == 0);
    return NULL;
}

static void
check_same(const struct burl_suppress *a, const struct burl_suppress *b)
{
    BURL_ASSERT(burl_suppress_count(a) == burl_suppress_count(b));
    for (size_t i = 0; i < burl_suppress_count(a); i++) {
        const struct burl_suppress_rule *x = burl_suppress_at(a, i);
        const struct burl_suppress_rule *y = burl_suppress_at(b, i);

        BURL_ASSERT(x->about == y->about && strcmp(x->pattern, y->pattern) == 0);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct burl_suppress *s = parse((const char *)data, size);
    struct burl_suppress *again;
    struct burl_buf text = BURL_BUF_INIT;

    if (s == NULL)
        return 0;
    for (size_t i = 0; i < burl_suppress_count(s); i++) {
        const struct burl_suppress_rule *r = burl_suppress_at(s, i);

        BURL_ASSERT(r->pattern[0] != '\0' && r->line > 0);
        BURL_ASSERT(i == 0 || r->line > burl_suppress_at(s, i - 1)->line);
        burl_suppress_glob(r->pattern, "a_function_of_some_length");
        burl_buf_printf(&text, "%s:%s\n", burl_suppress_about_name(r->about), r->pattern);
    }
    again = parse(burl_buf_str(&text), text.n);
    BURL_ASSERT(again != NULL);
    check_same(s, again);
    burl_suppress_free(again);
    burl_suppress_free(s);
    burl_buf_deinit(&text);
    return 0;
}
