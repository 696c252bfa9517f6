/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/kept_list.c - the findings of a command as a list: one line for each cause.
 *
 * Runs in the host. What another finding explains is listed below it, and kept and counted like any
 * other: data behind a volatile flag, the race of a freeing with what it frees too early, further
 * uses of a block that was freed too early, other members of an object that the same two functions
 * access without a lock.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/test_int.h"

static const struct burl_kept *
find_flag(const struct burl_kept_list *l, size_t i)
{
    for (size_t j = 0; j < l->n && l->v[i].behind != 0; j++) {
        if (j != i && l->v[j].addr == l->v[i].behind)
            return &l->v[j];
    }
    return NULL;
}

static bool
is_race(const struct burl_kept *k)
{
    return k->addr != 0;
}

/* The double free or use after free whose block race `i` frees: the same cause. Blocks from one
 * place may be freed in several; a use after free names the one. */
static const struct burl_kept *
find_freed(const struct burl_kept_list *l, size_t i)
{
    const struct burl_kept *k = &l->v[i];

    for (size_t j = 0; j < l->n && k->block != 0 && is_race(k); j++) {
        const struct burl_kept *o = &l->v[j];
        const bool any = strcmp(o->kind, burl_verdict_name(BURL_VERDICT_DOUBLE_FREE)) == 0;

        if (!is_race(o) && o->block == k->block &&
            (any || o->freed[0] == k->freed[0] || o->freed[0] == k->freed[1]))
            return o;
    }
    return NULL;
}

/* The next frame of the user's own from frame *at on; NULL none. */
static const struct burl_finding_frame *
own_frame(const struct burl_finding_stack *s, size_t *at)
{
    while (*at < s->n) {
        const struct burl_finding_frame *fr = &s->frames[(*at)++];

        if (!fr->system)
            return fr;
    }
    return NULL;
}

/* Are both the same calls of the user's own functions, whatever the library does below them? */
static bool
is_same_path(const struct burl_finding_stack *a, const struct burl_finding_stack *b)
{
    size_t at_a = 0;
    size_t at_b = 0;

    for (size_t n = 0;; n++) {
        const struct burl_finding_frame *x = own_frame(a, &at_a);
        const struct burl_finding_frame *y = own_frame(b, &at_b);

        if (x == NULL || y == NULL)
            return x == y && n > 0;
        if (x->loc.line != y->loc.line || x->loc.column != y->loc.column ||
            strcmp(x->loc.func, y->loc.func) != 0 || strcmp(x->loc.file, y->loc.file) != 0)
            return false;
    }
}

static const struct burl_finding_block *
early_block(const struct burl_kept *k)
{
    return k->block != 0 && !is_race(k) && k->finding != NULL && k->finding->block.known
               ? &k->finding->block
               : NULL;
}

/* The first use of a block that was allocated and freed as the one of finding `i`. In C++ the call
 * that allocates is often in the library, so that these findings have no fingerprint in common. */
static const struct burl_kept *
find_use(const struct burl_kept_list *l, size_t i)
{
    const struct burl_finding_block *b = early_block(&l->v[i]);

    for (size_t j = 0; j < i && b != NULL; j++) {
        const struct burl_finding_block *o = early_block(&l->v[j]);

        if (o != NULL && is_same_path(&b->alloc_stack, &o->alloc_stack) &&
            is_same_path(&b->free_stack, &o->free_stack))
            return &l->v[j];
    }
    return NULL;
}

/* The first finding whose cause is that of race `i`. */
static const struct burl_kept *
find_same(const struct burl_kept_list *l, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (burl_cause_is_same(&l->v[j].cause, &l->v[i].cause))
            return &l->v[j];
    }
    return NULL;
}

/* The finding that l->v[i] is a consequence of; NULL none. */
static const struct burl_kept *
find_next(const struct burl_kept_list *l, size_t i)
{
    const struct burl_kept *found = find_freed(l, i);

    if (found == NULL)
        found = find_flag(l, i);
    if (found == NULL)
        found = find_use(l, i);
    return found != NULL ? found : find_same(l, i);
}

/* Flags may be behind other flags. Those in a cycle are findings by themselves. */
const struct burl_kept *
burl__kept_root(const struct burl_kept_list *l, size_t i)
{
    const struct burl_kept *root = NULL;
    const struct burl_kept *next = find_next(l, i);

    for (size_t n = 0; next != NULL; n++) {
        if (n > l->n || next == &l->v[i])
            return NULL;
        root = next;
        next = find_next(l, (size_t)(next - l->v));
    }
    return root;
}

void
burl__kept_json_behind(const struct burl_kept_list *l, size_t i, struct burl_json_writer *w)
{
    const struct burl_kept *root = burl__kept_root(l, i);

    burl_json_key(w, "behind");
    if (root != NULL)
        burl_json_i64(w, root->id);
    else
        burl_json_null(w);
}

/* The findings whose root is `root`, as lines of one table. */
static void
make_table(const struct burl_kept_list *l, const struct burl_kept *root,
           const struct burl_report_style *style, unsigned indent, struct burl_buf *out)
{
    const struct burl_finding **v = burl_xcalloc(l->n + 1, sizeof *v);
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        if (burl__kept_root(l, i) != root)
            continue;
        l->v[i].finding->facts.count = l->v[i].facts.count;
        v[n++] = l->v[i].finding;
    }
    burl_report_lines(v, n, style, indent, out);
    free(v);
}

static size_t
count_behind(const struct burl_kept_list *l, const struct burl_kept *root)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++)
        n += burl__kept_root(l, i) == root;
    return n;
}

/* Those that a volatile flag orders, among the races whose root is `root`. */
static size_t
count_flagged(const struct burl_kept_list *l, const struct burl_kept *root)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++)
        n += burl__kept_root(l, i) == root && find_flag(l, i) != NULL;
    return n;
}

/* Why the `n` findings of the table that follows are no findings by themselves. */
static void
print_why(const struct burl_kept *root, size_t n, size_t n_flagged, FILE *out)
{
    if (!is_race(root))
        fprintf(out, "      the same cause: the freeing of that block is not synchronized\n");
    else if (n_flagged > 0)
        fprintf(out,
                "      the flag that orders them is not atomic: data behind it "
                "(%zu variable%s) is racy too\n",
                n, n == 1 ? "" : "s");
    else
        fprintf(out,
                "      the same cause: these functions race on other members of the object "
                "(%zu more)\n",
                n);
}

static void
print_behind(const struct burl_kept_list *l, const struct burl_kept *root,
             const struct burl_report_style *style, FILE *out)
{
    const size_t n = count_behind(l, root);
    const size_t n_flagged = count_flagged(l, root);
    struct burl_buf table = BURL_BUF_INIT;

    if (n == 0)
        return;
    print_why(root, n, n_flagged, out);
    make_table(l, root, style, 8, &table);
    burl_cli_put(&table, out);
    if (is_race(root) && n_flagged > 0)
        fprintf(out, "      make it atomic, or use --volatile=atomic\n");
}

/* "#1, #3: known from an earlier campaign" */
static void
print_known(const struct burl_kept_list *l, size_t n_known, const char *known, FILE *out)
{
    const char *comma = "    ";

    for (size_t i = 0; i < l->n && n_known < l->n; i++) {
        if (l->v[i].known_before) {
            fprintf(out, "%s#%lld", comma, (long long)l->v[i].id);
            comma = ", ";
        }
    }
    fprintf(out, "%s%s\n", n_known < l->n ? ": " : n_known == 1 ? "    " : "    all ", known);
}

size_t
burl__kept_count(const struct burl_kept_list *l)
{
    return count_behind(l, NULL);
}

void
burl__kept_print(const struct burl_kept_list *l, const struct burl_report_style *style,
                 const char *known, FILE *out)
{
    const size_t n = burl__kept_count(l);
    struct burl_buf table = BURL_BUF_INIT;
    const char *line;
    size_t n_known = 0;

    make_table(l, NULL, style, 2, &table);
    line = burl_buf_str(&table);
    fprintf(out, "%zu finding%s:\n", n, n == 1 ? "" : "s");
    for (size_t i = 0; i < l->n; i++) {
        const size_t length = strcspn(line, "\n");

        n_known += l->v[i].known_before;
        if (burl__kept_root(l, i) != NULL)
            continue;
        fprintf(out, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
        print_behind(l, &l->v[i], style, out);
    }
    if (n_known > 0)
        print_known(l, n_known, known, out);
    burl_buf_deinit(&table);
}

void
burl__kept_deinit(struct burl_kept *k)
{
    burl_report_finding_free(k->finding);
    free(k->text);
    free(k->json);
    free(k->variable);
    burl_cause_deinit(&k->cause);
    *k = (struct burl_kept){ 0 };
}

void
burl__kept_list_deinit(struct burl_kept_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        burl__kept_deinit(&l->v[i]);
    BURL_VEC_FREE(l);
}
