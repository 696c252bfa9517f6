/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/facts.c - what tests/run must know of burl's JSON, one fact a line.
 *
 *     facts hunt FILE KINDS ALSO NEVER SEQUENTIAL    of `burl test --json`
 *     facts replay FILE...                           of `burl replay --json`: the files that are
 *                                                    not as they must be
 *
 * Lists of kinds have '|' between them; SEQUENTIAL is true, false, or null for either. Ends with 1
 * when a file is no JSON document. In place of jq, whose start alone takes longer than most of the
 * hunts, two to three times in each of eight hundred tests; the reader is strict, and the scripts
 * of e2e read the same documents with jq.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"

/* Far above what burl writes about one campaign; a runaway writer fails. */
#define MAX_DOCUMENT_B (256u << 20)

static struct burl_json_value *
read_document(const char *path)
{
    struct burl_json_value *root = NULL;
    struct burl_err err = { 0 };
    char *text = NULL;
    size_t n = 0;

    if (burl_fs_read_file(path, MAX_DOCUMENT_B, &text, &n, &err) != BURL_OK ||
        burl_json_parse(&root, text, n, &err) != BURL_OK) {
        fprintf(stderr, "%s: %s\n", path, err.msg);
        exit(1);
    }
    free(text);
    return root;
}

static uint64_t
number(const struct burl_json_value *v, uint64_t absent)
{
    uint64_t x;

    return burl_json_as_u64(v, &x) ? x : absent;
}

static const char *
text_of(const struct burl_json_value *v)
{
    if (v && v->type == BURL_JSON_BOOL)
        return v->boolean ? "true" : "false";
    return v && (v->type == BURL_JSON_STRING || v->type == BURL_JSON_NUMBER) ? v->str : "null";
}

static bool
among(const char *kind, const char *list)
{
    const size_t n = strlen(kind);

    for (const char *p = list; *p;) {
        const size_t k = strcspn(p, "|");

        if (k == n && memcmp(p, kind, n) == 0)
            return true;
        p += k;
        p += *p == '|';
    }
    return false;
}

/* "5/5": every fresh process showed it again, and there was one. */
static bool
is_confirmed(const char *text)
{
    const char *slash = strchr(text, '/');
    const size_t n = slash ? (size_t)(slash - text) : 0;

    return n > 0 && strcmp(slash + 1, "0") != 0 && strlen(slash + 1) == n &&
           memcmp(text, slash + 1, n) == 0;
}

/* The calls that reached libc, by the counters that have this word in their names. */
static uint64_t
sum_uncontrolled(const struct burl_json_value *counters)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < burl_json_count(counters); i++) {
        if (strcasestr(counters->items[i].key, "uncontrolled"))
            sum += number(&counters->items[i], 1);
    }
    return sum;
}

static void
tell_findings(const struct burl_json_value *findings, const char *const *lists,
              const char *sequential)
{
    size_t wanted = 0, also = 0, never = 0;

    printf("ids");
    for (size_t i = 0; i < burl_json_count(findings); i++)
        printf(" %s", text_of(burl_json_get(burl_json_at(findings, i), "id")));
    printf("\n");
    for (size_t i = 0; i < burl_json_count(findings); i++) {
        const struct burl_json_value *f = burl_json_at(findings, i);
        const char *kind = text_of(burl_json_get(f, "kind"));
        const char *confirmed = text_of(burl_json_get(f, "confirmed"));
        const char *alone = text_of(burl_json_get(f, "sequential"));

        wanted += among(kind, lists[0]) && is_confirmed(confirmed) &&
                  (strcmp(sequential, "null") == 0 || strcmp(sequential, alone) == 0);
        also += among(kind, lists[1]);
        never += among(kind, lists[2]);
        printf("found %s, confirmed %s, sequential %s\n", kind, confirmed, alone);
    }
    printf("wanted %zu\nalso %zu\nnever %zu\n", wanted, also, never);
}

static int
tell_hunt(const char *path, const char *const *lists, const char *sequential)
{
    struct burl_json_value *root = read_document(path);
    const struct burl_json_value *findings = burl_json_get(root, "findings");
    const bool valid = number(burl_json_get(root, "version"), 0) == 1 &&
                       number(burl_json_get(root, "executions"), 0) > 0 && findings &&
                       findings->type == BURL_JSON_ARRAY;

    printf("valid %s\n", valid ? "true" : "false");
    printf("exit %s\n", text_of(burl_json_get(root, "exit")));
    printf("findings %zu\n", burl_json_count(findings));
    tell_findings(findings, lists, sequential);
    printf("uncontrolled %llu\n",
           (unsigned long long)sum_uncontrolled(burl_json_get(root, "counters")));
    burl_json_free(root);
    return 0;
}

static bool
same_value(const struct burl_json_value *a, const struct burl_json_value *b)
{
    return a && b && a->type == b->type && strcmp(text_of(a), text_of(b)) == 0;
}

/* Twenty times the very same steps; from the other engine ("other.*") once the same failure. */
static bool
is_as_it_was(const char *path)
{
    struct burl_json_value *root = read_document(path);
    const uint64_t same = number(burl_json_get(root, "same"), 0);
    bool ok;

    if (strncmp(path, "other", 5) == 0)
        ok = same == 1;
    else
        ok = same == 20 && number(burl_json_get(root, "times"), 0) == 20 &&
             number(burl_json_get(root, "exact"), 0) == 20 &&
             number(burl_json_get(root, "diverged"), 1) == 0 &&
             same_value(burl_json_get(root, "trace_hash"),
                        burl_json_get(root, "expected_trace_hash"));
    burl_json_free(root);
    return ok;
}

int
main(int argc, char **argv)
{
    if (argc == 7 && strcmp(argv[1], "hunt") == 0)
        return tell_hunt(argv[2], (const char *const *)argv + 3, argv[6]);
    if (argc < 3 || strcmp(argv[1], "replay") != 0) {
        fprintf(stderr, "usage: facts hunt FILE KINDS ALSO NEVER SEQUENTIAL | replay FILE...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        if (!is_as_it_was(argv[i]))
            printf("%s\n", argv[i]);
    }
    return 0;
}
