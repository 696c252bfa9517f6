/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_text.c - the document of a selection as text; contract in regress_doc.h.
 *
 * Runs in the host. A function or variable of a library is in every program that contains it, and
 * is shown once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/regress_doc.h"
#include "cli/test_int.h"

/* Of each list, unless all are asked for. */
#define MAX_SHOWN 10u

typedef const struct burl_json_value *value;

static const char *
str(value v, const char *key)
{
    return burl_json_as_str(burl_json_get(v, key), "");
}

static uint64_t
num(value v, const char *key)
{
    uint64_t n = 0;

    (void)burl_json_as_u64(burl_json_get(v, key), &n);
    return n;
}

/* "1 pair", "2,000 pairs". */
static void
put_count(struct burl_buf *out, uint64_t n, const char *what)
{
    char text[32];

    burl_buf_printf(out, "%s %s%s", burl_number(n, text), what, n == 1 ? "" : "s");
}

/* Is it the first time that these three strings are seen? A hash decides: nothing but the text
 * depends on it. */
static bool
is_first(struct burl_map *seen, const char *a, const char *b, const char *c)
{
    uint64_t h = burl_hash_str(burl_hash_str(burl_hash_str(BURL_HASH_BEGIN, a), b), c);
    uint64_t *at = burl_map_at(seen, burl_hash_end(h));

    return ++*at == 1;
}

/* ---- the summary ------------------------------------------------------------------------- */

static size_t
count_functions(value doc)
{
    struct burl_map seen = { 0 };
    size_t n = 0;
    value programs = burl_json_get(doc, "changed");

    for (size_t i = 0; i < burl_json_count(programs); i++) {
        value list = burl_json_get(burl_json_at(programs, i), "functions");

        for (size_t k = 0; k < burl_json_count(list); k++) {
            value f = burl_json_at(list, k);

            n += strcmp(str(f, "state"), "moved") != 0 &&
                 is_first(&seen, str(f, "file"), str(f, "name"), "");
        }
    }
    burl_map_deinit(&seen);
    return n;
}

static size_t
count_variables(value doc)
{
    struct burl_map seen = { 0 };
    size_t n = 0;
    value programs = burl_json_get(doc, "changed");

    for (size_t i = 0; i < burl_json_count(programs); i++) {
        value list = burl_json_get(burl_json_at(programs, i), "variables");

        for (size_t k = 0; k < burl_json_count(list); k++)
            n += is_first(&seen, str(burl_json_at(list, k), "name"),
                          str(burl_json_at(list, k), "object"), "");
    }
    burl_map_deinit(&seen);
    return n;
}

/* Why nothing was selected. */
static void
put_nothing(struct burl_buf *out, value doc)
{
    if (burl_json_count(burl_json_get(doc, "changed")) == 0)
        burl_buf_str_append(out, "no test can reveal a new bug: no program changed\n");
    else if (num(doc, "n_pairs") == 0)
        burl_buf_str_append(out, "no test can reveal a new bug: nothing impacted\n");
    else
        burl_buf_str_append(out, "no test executes an impacted pair in two threads: the change is "
                                 "not tested\n");
}

static void
put_summary(struct burl_buf *out, value doc)
{
    char text[32];

    burl_buf_printf(out, "%s of ",
                    burl_number(burl_json_count(burl_json_get(doc, "selected")), text));
    put_count(out, num(doc, "n_tests"), "test");
    burl_buf_str_append(out, " selected; ");
    put_count(out, count_functions(doc), "function");
    burl_buf_str_append(out, " changed, ");
    put_count(out, count_variables(doc), "variable");
    burl_buf_str_append(out, " impacted, ");
    put_count(out, num(doc, "n_pairs"), "pair");
    burl_buf_printf(out, " (base %s)\n", str(doc, "base"));
    if (burl_json_count(burl_json_get(doc, "selected")) == 0)
        put_nothing(out, doc);
}

/* ---- tests ------------------------------------------------------------------------------- */

static int
name_width(value list)
{
    size_t width = 0;

    for (size_t i = 0; i < burl_json_count(list); i++) {
        size_t n = strlen(str(burl_json_at(list, i), "name"));

        width = n > width ? n : width;
    }
    return width > 24 ? 24 : (int)width;
}

static void
put_list(struct burl_buf *out, value list, size_t from)
{
    const int width = name_width(list);

    for (size_t i = 0; i < burl_json_count(list); i++) {
        value t = burl_json_at(list, i);

        if (from)
            burl_buf_printf(out, "%4zu  ", from + i);
        else
            burl_buf_str_append(out, "  ");
        burl_buf_printf(out, "%-*s  %s\n", width, str(t, "name"), str(t, "reason"));
    }
}

static void
put_names(struct burl_buf *out, value list)
{
    for (size_t i = 0; i < burl_json_count(list); i++)
        burl_buf_printf(out, "%s%s", i ? ", " : "", burl_json_as_str(burl_json_at(list, i), ""));
    burl_buf_char(out, '\n');
}

/* ---- --explain --------------------------------------------------------------------------- */

struct wanted {
    struct burl_buf *out;
    value doc;
};

static enum burl_status
explain_one(const char *name, void *arg, struct burl_err *err)
{
    static const char *const lists[] = { "selected", "tail", "not_selected" };
    struct wanted *w = arg;
    value plain = burl_json_get(w->doc, "uninstrumented");

    for (size_t i = 0; i < 3; i++) {
        value list = burl_json_get(w->doc, lists[i]);

        for (size_t k = 0; k < burl_json_count(list); k++) {
            if (strcmp(str(burl_json_at(list, k), "name"), name) != 0)
                continue;
            burl_buf_printf(w->out, "  %s: %s%s\n", name, i == 0 ? "selected: " : "",
                            str(burl_json_at(list, k), "reason"));
            return BURL_OK;
        }
    }
    for (size_t k = 0; k < burl_json_count(plain); k++) {
        if (strcmp(burl_json_as_str(burl_json_at(plain, k), ""), name) == 0) {
            burl_buf_printf(w->out, "  %s: runs no instrumented program\n", name);
            return BURL_OK;
        }
    }
    return burl_err_set(err, BURL_E_USAGE, 0, "--explain=%s: the suite has no such test", name);
}

static enum burl_status
put_explained(struct burl_buf *out, value doc, const char *explain, struct burl_err *err)
{
    struct wanted w = { out, doc };
    value left = burl_json_get(doc, "not_selected");

    if (strcmp(explain, BURL_OPTION_ALL) != 0)
        return burl_options_each_word(explain, explain_one, &w, err);
    if (burl_json_count(left) > 0)
        burl_buf_str_append(out, "not selected:\n");
    put_list(out, left, 0);
    return BURL_OK;
}

enum burl_status
burl__regress_put_selection(struct burl_buf *out, const struct burl_json_value *doc,
                            const char *explain, struct burl_err *err)
{
    value selected = burl_json_get(doc, "selected"), tail = burl_json_get(doc, "tail");
    value plain = burl_json_get(doc, "uninstrumented"), notes = burl_json_get(doc, "notes");

    put_summary(out, doc);
    put_list(out, selected, 1);
    if (burl_json_count(tail) > 0)
        burl_buf_str_append(out, "then, not selected:\n");
    put_list(out, tail, burl_json_count(selected) + 1);
    if (burl_json_count(plain) > 0) {
        put_count(out, burl_json_count(plain), "test");
        burl_buf_printf(out, " without instrumented programs: ");
        put_names(out, plain);
    }
    for (size_t i = 0; i < burl_json_count(notes); i++)
        burl_buf_printf(out, "note: %s\n", burl_json_as_str(burl_json_at(notes, i), ""));
    return explain ? put_explained(out, doc, explain, err) : BURL_OK;
}

/* ---- what changed ------------------------------------------------------------------------ */

static void
put_place(struct burl_buf *out, value access)
{
    burl_buf_printf(out, "%s:%llu", burl_path_basename(str(access, "file")),
                    (unsigned long long)num(access, "line"));
}

static void
put_more(struct burl_buf *out, uint64_t n, const char *indent)
{
    char text[32];

    if (n > 0)
        burl_buf_printf(out, "%s... and %s more (-v)\n", indent, burl_number(n, text));
}

static void
put_function(struct burl_buf *out, value f, bool all)
{
    value list = burl_json_get(f, "impacts");
    const size_t limit = all ? burl_json_count(list) : 3;
    size_t i;

    burl_buf_printf(out, "  %s (%s:%llu) %s", str(f, "name"), burl_path_basename(str(f, "file")),
                    (unsigned long long)num(f, "line"), str(f, "state"));
    if (*str(f, "what"))
        burl_buf_printf(out, ": %s", str(f, "what"));
    burl_buf_char(out, '\n');
    for (i = 0; i < burl_json_count(list) && i < limit; i++) {
        value a = burl_json_at(list, i);

        burl_buf_str_append(out, "    impacts ");
        put_place(out, a);
        burl_buf_printf(out, " %s", str(a, "access"));
        if (strcmp(str(a, "access"), "locks") != 0)
            burl_buf_printf(out, " %s", str(a, "variable"));
        if (*str(a, "why"))
            burl_buf_printf(out, " (%s)", str(a, "why"));
        burl_buf_char(out, '\n');
    }
    put_more(out, num(f, "n_impacts") - i, "    ");
}

static void
put_functions(struct burl_buf *out, value programs, bool all)
{
    struct burl_map seen = { 0 };
    size_t n = 0;

    for (size_t i = 0; i < burl_json_count(programs); i++) {
        value list = burl_json_get(burl_json_at(programs, i), "functions");

        for (size_t k = 0; k < burl_json_count(list); k++) {
            value f = burl_json_at(list, k);

            if (!is_first(&seen, str(f, "file"), str(f, "name"), str(f, "state")))
                continue;
            if (n++ == 0)
                burl_buf_str_append(out, "changed functions:\n");
            if (all || n <= MAX_SHOWN)
                put_function(out, f, all);
        }
    }
    put_more(out, all || n < MAX_SHOWN ? 0 : n - MAX_SHOWN, "  ");
    burl_map_deinit(&seen);
}

static void
put_variables(struct burl_buf *out, value programs, bool all)
{
    struct burl_map seen = { 0 };
    size_t n = 0;

    for (size_t i = 0; i < burl_json_count(programs); i++) {
        value list = burl_json_get(burl_json_at(programs, i), "variables");

        for (size_t k = 0; k < burl_json_count(list); k++) {
            value v = burl_json_at(list, k);

            if (!is_first(&seen, str(v, "name"), str(v, "object"), ""))
                continue;
            if (n++ == 0)
                burl_buf_str_append(out, "impacted variables:\n");
            if (!all && n > MAX_SHOWN)
                continue;
            burl_buf_printf(out, "  %s: ", str(v, "name"));
            burl_buf_printf(out, "%llu of ", (unsigned long long)num(v, "impacted"));
            put_count(out, num(v, "accesses"), "place");
            burl_buf_str_append(out, " impacted, ");
            put_count(out, num(v, "pairs"), "pair");
            burl_buf_char(out, '\n');
        }
    }
    put_more(out, all || n < MAX_SHOWN ? 0 : n - MAX_SHOWN, "  ");
    burl_map_deinit(&seen);
}

static void
put_pair(struct burl_buf *out, value p)
{
    value a = burl_json_get(p, "a"), b = burl_json_get(p, "b");
    value kinds = burl_json_get(p, "for");

    burl_buf_str_append(out, "  ");
    put_place(out, a);
    burl_buf_printf(out, " %s, ", str(a, "access"));
    put_place(out, b);
    burl_buf_printf(out, " %s %s: ", str(b, "access"),
                    *str(p, "locks") ? str(p, "locks") : str(p, "variable"));
    for (size_t i = 0; i < burl_json_count(kinds); i++)
        burl_buf_printf(out, "%s%s", i ? ", " : "", burl_json_as_str(burl_json_at(kinds, i), ""));
    burl_buf_str_append(out, "; ");
    put_count(out, num(p, "tests"), "test");
    if (num(p, "count") > 1) {
        burl_buf_str_append(out, "; stands for ");
        put_count(out, num(p, "count"), "pair");
    }
    burl_buf_char(out, '\n');
}

void
burl__regress_put_changes(struct burl_buf *out, const struct burl_json_value *doc, bool all)
{
    value programs = burl_json_get(doc, "changed"), pairs = burl_json_get(doc, "pairs");
    uint64_t n = 0;
    size_t i;

    put_functions(out, programs, all);
    put_variables(out, programs, all);
    if (burl_json_count(pairs) > 0)
        burl_buf_str_append(out, "pairs:\n");
    for (i = 0; i < burl_json_count(pairs) && (all || i < MAX_SHOWN); i++) {
        put_pair(out, burl_json_at(pairs, i));
        n += num(burl_json_at(pairs, i), "count");
    }
    if (i > 0)
        put_more(out, num(doc, "n_pairs") - n, "  ");
}
