/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/fuzz_prune.c - the reader of the prune file takes any bytes.
 *
 * Beyond not crashing: a refusal names a line, what is accepted has places and a reason, and
 * written again from its entries it gives the same entries. Taking entries out keeps the rest.
 */
#include "fuzz.h"

#include "cover/prune_int.h"

const char *const burl_fuzz_seeds[] = {
    "# why\nfirst a.c:10:5 read p->x in f\nthen b.c:20 atomic-update p->x in \"operator ()\"\n"
    "because it is so\n\nfirst a.c:1 write \"\" in f\r\nthen \"my dir/c.c:2:3\" read x in g\n"
    "because of this\n",
    "first a:b.c:1:2 write \"q\\\\\\\"\" in f\n\n# x\nthen a.c:1 read y in f\nbecause  z  \n",
    "first a.c:1 read x in f\n",
    NULL,
};

const char *const burl_fuzz_words[] = {
    "first ", "then ", "because ", "read", "write", "update", "atomic-", " in ", ":1",
    "\"",     "\\",    "#",        "\n",   "\r\n",  "\t",     "a.c:7",   NULL,
};

static struct burl_prune *
decode(const char *text, size_t n)
{
    struct burl_prune *p;
    struct burl_err err;

    if (burl__prune_decode(&p, text, n, "prune", &err) == BURL_OK)
        return p;
    BURL_ASSERT(p == NULL && err.code == BURL_E_FORMAT && strncmp(err.msg, "prune:", 6) == 0);
    return NULL;
}

static char *
join(const struct burl_prune *p, size_t *n)
{
    struct burl_buf b = BURL_BUF_INIT;

    for (size_t i = 0; i < p->lines.n; i++)
        burl_buf_printf(&b, "%s\n", p->lines.v[i]);
    return burl_buf_take(&b, n);
}

static void
check_same(const struct burl_prune_entry *x, const struct burl_prune_entry *y)
{
    for (int i = 0; i < 2; i++) {
        const struct burl_cover_site *a = &x->site[i];
        const struct burl_cover_site *b = &y->site[i];

        BURL_ASSERT(strcmp(a->file, b->file) == 0 && a->line == b->line && a->column == b->column);
        BURL_ASSERT(a->reads == b->reads && a->writes == b->writes && a->atomic == b->atomic);
        BURL_ASSERT(strcmp(a->variable, b->variable) == 0 && strcmp(a->func, b->func) == 0);
    }
    BURL_ASSERT(strcmp(x->reason, y->reason) == 0);
}

/* Takes every entry out and writes it anew at the end; the order of entries stays. */
static void
rewrite(struct burl_prune *p)
{
    const size_t n = p->entries.n;

    for (size_t i = 0; i < n; i++) {
        struct burl_prune_entry e = p->entries.v[0];

        memset(e.line, 0, sizeof e.line);
        for (int k = 0; k < 2; k++) {
            e.site[k].file = burl_xstrdup(e.site[k].file);
            e.site[k].variable = burl_xstrdup(e.site[k].variable);
            e.site[k].func = burl_xstrdup(e.site[k].func);
        }
        e.reason = burl_xstrdup(e.reason);
        burl__prune_delete(p, 0);
        burl__prune_append(p, &e);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct burl_prune *p = decode((const char *)data, size);
    struct burl_prune *first, *again;
    char *text;
    size_t n;

    if (p == NULL)
        return 0;
    text = join(p, &n);
    first = decode(text, n);
    free(text);
    BURL_ASSERT(first != NULL && first->entries.n == p->entries.n);
    rewrite(p);
    text = join(p, &n);
    again = decode(text, n);
    free(text);
    BURL_ASSERT(again != NULL && again->entries.n == first->entries.n);
    for (size_t i = 0; i < first->entries.n; i++) {
        BURL_ASSERT(first->entries.v[i].site[0].line > 0 && first->entries.v[i].reason[0] != '\0');
        check_same(&first->entries.v[i], &again->entries.v[i]);
    }
    burl_prune_free(again);
    burl_prune_free(first);
    burl_prune_free(p);
    return 0;
}
