/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_changes.c - bytes from anywhere into the reader of the changes between two versions.
 *
 * Laws: no crash and no leak, a refusal has a message and leaves nothing behind, what was accepted
 * is written again and read again to the same text.
 */
#include "base/changes.h"
#include "fuzz.h"

#define SITE "site 00000000000000ab "

const char *const burl_fuzz_seeds[] = {
    "burl-changes 1\nprogram 00000000000000ab\nbase 00000000000000cd\n"
    "function changed 00000000000000ab 1 \"put\" \"q.c\" 10 \"lock of q->m removed\"\n"
    "function removed 00000000000000cd 9 \"a \\\"b\\\"\" \"q.c\" 12 \"\"\n" SITE
    "5 access,region exact 0 \"lock\\nremoved\" 00000000000000cd:4\n" SITE
    "6 - near - - 00000000000000cd:4,00000000000000cd:9+\n" SITE "7 - near - - -\n"
    "cycle 0 1 \"a and b\"\ndangerous 00000000000000cd 4\nnote \"x\"\nend 10\n",
    "burl-changes 1\nprogram 1\nbase 2\nend 2\n", NULL
};

const char *const burl_fuzz_words[] = { "\n",       " ",       "-",      ",",      "\"",
                                        "+",        ":",       "exact",  "near",   "4294967295",
                                        "access",   "data",    "end 3",  "site ",  "cycle 0 0",
                                        "function", "note \"", "region", "thread", NULL };

static void
require(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "%s does not hold\n", what);
        abort();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct burl_changes c, d;
    struct burl_err err = { 0 };

    if (burl_changes_read(&c, (const char *)data, size, "x", &err) != BURL_OK) {
        require(err.msg[0] != '\0', "a message");
        require(c.sites.n == 0 && c.functions.n == 0 && !c.sites.v, "nothing is left");
        return 0;
    }
    struct burl_buf a = BURL_BUF_INIT, b = BURL_BUF_INIT;
    burl_changes_write(&c, &a);
    require(burl_changes_read(&d, a.p, a.n, "y", &err) == BURL_OK, "reading what was written");
    burl_changes_write(&d, &b);
    require(a.n == b.n && memcmp(a.p, b.p, a.n) == 0, "the same text");
    for (size_t i = 0; i < c.sites.n; i++)
        require(burl_changes_find(&c, c.sites.v[i].module_hash, c.sites.v[i].index) == i, "find");
    burl_buf_deinit(&a);
    burl_buf_deinit(&b);
    burl_changes_deinit(&c);
    burl_changes_deinit(&d);
    return 0;
}
