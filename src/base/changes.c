/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/changes.c - the file of the changes between two versions; contract in changes.h.
 *
 * Runs in the host and in burl-analyze. Text, so that a person can read and compare it
 * (docs/formats/changes.md):
 *
 *     burl-changes 1
 *     program 0123456789abcdef
 *     base fedcba9876543210
 *     function changed 0123456789abcdef 3 "put" "q.c" 10 "lock of q->m removed"
 *     site 0123456789abcdef 5 region exact 0 "lock of q->m removed" fedcba9876543210:4
 *     site 0123456789abcdef 6 - near - - fedcba9876543210:4,fedcba9876543210:9+
 *     cycle 0 1 "a.m and b.m"
 *     dangerous fedcba9876543210 4
 *     note "..."
 *     end 7
 *
 * Kinds come in this order; numbers refer to earlier lines, counted from 0 per kind; an empty list
 * is "-"; a block with "+" is that of a create call whose thread the base version did not have. The
 * number of the last line is that of all lines between the first and it. Everything is checked:
 * changes that were read hold no index out of range and no list out of order.
 */
#include "base/changes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/linereader.h"
#include "base/mem.h"

/* A line for each access of a large program; what is above this is no such file. */
#define FILE_MAX_B ((size_t)1 << 30)

static const struct {
    const char *word; /* in the file */
    const char *name;
} rules[] = {
    { "access", "access" },       { "function", "function" }, { "region", "lock region" },
    { "qualifier", "qualifier" }, { "slice", "dependence" },  { "sync", "synchronization" },
    { "thread", "thread" },       { "data", "data" },
};

enum { N_RULES = sizeof rules / sizeof *rules };

static const char *const states[] = { [BURL_CHANGES_CHANGED] = "changed",
                                      [BURL_CHANGES_ADDED] = "added",
                                      [BURL_CHANGES_REMOVED] = "removed",
                                      [BURL_CHANGES_MOVED] = "moved" };

enum { N_STATES = sizeof states / sizeof *states };

const char *
burl_changes_rule_name(enum burl_changes_rule rule)
{
    for (size_t i = 0; i < N_RULES; i++)
        if ((uint32_t)rule == 1u << i)
            return rules[i].name;
    return "";
}

void
burl_changes_init(struct burl_changes *c)
{
    memset(c, 0, sizeof *c);
}

void
burl_changes_deinit(struct burl_changes *c)
{
    for (size_t i = 0; i < c->functions.n; i++) {
        free(c->functions.v[i].name);
        free(c->functions.v[i].file);
        free(c->functions.v[i].what);
    }
    for (size_t i = 0; i < c->sites.n; i++) {
        free(c->sites.v[i].why);
        BURL_VEC_FREE(&c->sites.v[i].blocks);
    }
    for (size_t i = 0; i < c->cycles.n; i++)
        free(c->cycles.v[i].locks);
    for (size_t i = 0; i < c->notes.n; i++)
        free(c->notes.v[i]);
    BURL_VEC_FREE(&c->functions);
    BURL_VEC_FREE(&c->sites);
    BURL_VEC_FREE(&c->cycles);
    BURL_VEC_FREE(&c->dangerous);
    BURL_VEC_FREE(&c->notes);
    memset(c, 0, sizeof *c);
}

uint32_t
burl_changes_find(const struct burl_changes *c, uint64_t module_hash, uint32_t index)
{
    size_t low = 0, high = c->sites.n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct burl_changes_site *s = &c->sites.v[mid];
        if (s->module_hash == module_hash && s->index == index)
            return (uint32_t)mid;
        if (s->module_hash < module_hash || (s->module_hash == module_hash && s->index < index))
            low = mid + 1;
        else
            high = mid;
    }
    return UINT32_MAX;
}

/* ---- writing ---- */

static void
put_rules(struct burl_buf *out, uint32_t bits)
{
    bool first = true;

    for (size_t i = 0; i < N_RULES; i++) {
        if (!(bits >> i & 1))
            continue;
        burl_buf_printf(out, first ? "%s" : ",%s", rules[i].word);
        first = false;
    }
    if (first)
        burl_buf_char(out, '-');
}

static void
put_site(struct burl_buf *out, const struct burl_changes_site *s)
{
    burl_buf_printf(out, "site %016" PRIx64 " %" PRIu32 " ", s->module_hash, s->index);
    put_rules(out, s->rules);
    burl_buf_str_append(out, s->exact ? " exact " : " near ");
    if (s->function == UINT32_MAX)
        burl_buf_str_append(out, "- ");
    else
        burl_buf_printf(out, "%" PRIu32 " ", s->function);
    if (s->why)
        burl_linereader_put_string(out, s->why);
    else
        burl_buf_char(out, '-');
    burl_buf_char(out, ' ');
    for (size_t i = 0; i < s->blocks.n; i++)
        burl_buf_printf(out, "%s%016" PRIx64 ":%" PRIu32 "%s", i ? "," : "",
                        s->blocks.v[i].module_hash, s->blocks.v[i].index,
                        s->blocks.v[i].spawned ? "+" : "");
    burl_buf_str_append(out, s->blocks.n ? "\n" : "-\n");
}

static void
put_function(struct burl_buf *out, const struct burl_changes_function *f)
{
    burl_buf_printf(out, "function %s %016" PRIx64 " %" PRIu32 " ",
                    f->state < N_STATES ? states[f->state] : "changed", f->module_hash, f->site);
    burl_linereader_put_string(out, f->name);
    burl_buf_char(out, ' ');
    burl_linereader_put_string(out, f->file);
    burl_buf_printf(out, " %" PRIu32 " ", f->line);
    burl_linereader_put_string(out, f->what);
    burl_buf_char(out, '\n');
}

void
burl_changes_write(const struct burl_changes *c, struct burl_buf *out)
{
    size_t n = 2 + c->functions.n + c->sites.n + c->cycles.n + c->dangerous.n + c->notes.n;

    burl_buf_printf(out, "burl-changes %d\nprogram %016" PRIx64 "\nbase %016" PRIx64 "\n",
                    BURL_CHANGES_VERSION, c->program, c->base);
    for (size_t i = 0; i < c->functions.n; i++)
        put_function(out, &c->functions.v[i]);
    for (size_t i = 0; i < c->sites.n; i++)
        put_site(out, &c->sites.v[i]);
    for (size_t i = 0; i < c->cycles.n; i++) {
        burl_buf_str_append(out, "cycle ");
        for (uint32_t k = 0; k < c->cycles.v[i].n; k++)
            burl_buf_printf(out, "%" PRIu32 " ", c->cycles.v[i].sites[k]);
        burl_linereader_put_string(out, c->cycles.v[i].locks);
        burl_buf_char(out, '\n');
    }
    for (size_t i = 0; i < c->dangerous.n; i++)
        burl_buf_printf(out, "dangerous %016" PRIx64 " %" PRIu32 "\n",
                        c->dangerous.v[i].module_hash, c->dangerous.v[i].index);
    for (size_t i = 0; i < c->notes.n; i++) {
        burl_buf_str_append(out, "note ");
        burl_linereader_put_string(out, c->notes.v[i]);
        burl_buf_char(out, '\n');
    }
    burl_buf_printf(out, "end %zu\n", n);
}

/* ---- reading ---- */

struct reader {
    struct burl_changes *c;
    struct burl_linereader in;
    const char *why; /* first cause of refusal in this line */
    int stage;       /* kinds come in order */
};

static bool
refuse(struct reader *r, const char *why)
{
    if (!r->why)
        r->why = why;
    return false;
}

static bool
read_number(struct reader *r, unsigned base, uint64_t max, uint64_t *out)
{
    return burl_span_number(burl_linereader_word(&r->in), base, max, out) ||
           refuse(r, "a number is missing, malformed or out of range");
}

static bool
read_u32(struct reader *r, uint64_t max, uint32_t *out)
{
    uint64_t x;

    if (!read_number(r, 10, max, &x))
        return false;
    *out = (uint32_t)x;
    return true;
}

static bool
read_index(struct reader *r, size_t below, uint32_t *out)
{
    return below > 0 ? read_u32(r, below - 1, out) : refuse(r, "a number is out of range");
}

static bool
read_string(struct reader *r, char **out)
{
    const struct burl_span w = burl_linereader_word(&r->in);

    if (w.n == 0 || w.p[0] != '"')
        return refuse(r, "a quoted text is missing");
    *out = burl_span_string(w, "n");
    return *out || refuse(r, "a text has no closing quote");
}

/* The text up to the next comma; false at the end. */
static bool
next_item(struct burl_span *left, struct burl_span *item)
{
    const char *comma = left->n ? memchr(left->p, ',', left->n) : NULL;

    if (left->n == 0)
        return false;
    item->p = left->p;
    item->n = comma ? (size_t)(comma - left->p) : left->n;
    left->p += item->n + (comma != NULL);
    left->n -= item->n + (comma != NULL);
    return true;
}

static bool
read_rules(struct reader *r, uint32_t *bits)
{
    struct burl_span left = burl_linereader_word(&r->in), item;
    const bool comma = left.n > 0 && left.p[left.n - 1] == ',';

    if (burl_span_is(left, "-"))
        return true;
    while (next_item(&left, &item)) {
        size_t i = 0;
        while (i < N_RULES && !burl_span_is(item, rules[i].word))
            i++;
        if (i == N_RULES || *bits >= 1u << i)
            return refuse(r, "a rule is not known or out of order");
        *bits |= 1u << i;
    }
    return (*bits != 0 && !comma) || refuse(r, "the rules are missing");
}

static bool
read_block(struct reader *r, struct burl_span item, struct burl_changes_block *b)
{
    const char *colon = item.n ? memchr(item.p, ':', item.n) : NULL;
    uint64_t index;

    if (!colon)
        return refuse(r, "a block is malformed");
    struct burl_span hash = { item.p, (size_t)(colon - item.p) };
    struct burl_span rest = { colon + 1, item.n - hash.n - 1 };
    b->spawned = rest.n > 0 && rest.p[rest.n - 1] == '+';
    rest.n -= b->spawned;
    if (!burl_span_number(hash, 16, UINT64_MAX, &b->module_hash) ||
        !burl_span_number(rest, 10, UINT32_MAX, &index))
        return refuse(r, "a block is malformed");
    b->index = (uint32_t)index;
    return true;
}

static bool
read_blocks(struct reader *r, struct burl_changes_site *x)
{
    struct burl_span left = burl_linereader_word(&r->in), item;

    if (burl_span_is(left, "-"))
        return true;
    if (left.n == 0 || left.p[left.n - 1] == ',')
        return refuse(r, "the blocks are missing");
    while (next_item(&left, &item)) {
        struct burl_changes_block b = { 0 };
        if (!read_block(r, item, &b))
            return false;
        BURL_VEC_PUSH(&x->blocks, b);
    }
    return true;
}

/* "-" or a quoted text. */
static bool
read_reason(struct reader *r, char **out)
{
    const struct burl_linereader before = r->in;

    if (burl_span_is(burl_linereader_word(&r->in), "-"))
        return true;
    r->in = before;
    return read_string(r, out);
}

static bool
read_place(struct reader *r, size_t n_functions, uint32_t *out)
{
    const struct burl_linereader before = r->in;

    *out = UINT32_MAX;
    if (burl_span_is(burl_linereader_word(&r->in), "-"))
        return true;
    r->in = before;
    return read_index(r, n_functions, out);
}

static bool
read_site(struct reader *r)
{
    struct burl_changes_site *x = BURL_VEC_ADD(&r->c->sites);
    const struct burl_changes_site *last = r->c->sites.n > 1 ? x - 1 : NULL;

    if (!read_number(r, 16, UINT64_MAX, &x->module_hash) ||
        !read_u32(r, UINT32_MAX - 1, &x->index) || !read_rules(r, &x->rules))
        return false;
    const struct burl_span w = burl_linereader_word(&r->in);
    x->exact = burl_span_is(w, "exact");
    if (!x->exact && !burl_span_is(w, "near"))
        return refuse(r, "neither exact nor near");
    if (!read_place(r, r->c->functions.n, &x->function) || !read_reason(r, &x->why) ||
        !read_blocks(r, x))
        return false;
    if ((x->rules != 0) != (x->why != NULL))
        return refuse(r, "an impacted site needs a reason, and no other has one");
    if (last && (last->module_hash > x->module_hash ||
                 (last->module_hash == x->module_hash && last->index >= x->index)))
        return refuse(r, "sites are not in order");
    return true;
}

static bool
read_function(struct reader *r)
{
    struct burl_changes_function *x = BURL_VEC_ADD(&r->c->functions);
    const struct burl_span w = burl_linereader_word(&r->in);

    while (x->state < N_STATES && !burl_span_is(w, states[x->state]))
        x->state++;
    if (x->state == N_STATES)
        return refuse(r, "the state of a function is not known");
    return read_number(r, 16, UINT64_MAX, &x->module_hash) && read_u32(r, UINT32_MAX, &x->site) &&
           read_string(r, &x->name) && read_string(r, &x->file) &&
           read_u32(r, UINT32_MAX, &x->line) && read_string(r, &x->what);
}

static bool
read_cycle(struct reader *r)
{
    struct burl_changes_cycle *x = BURL_VEC_ADD(&r->c->cycles);

    while (x->n < 2 || (!burl_linereader_at_end(&r->in) && r->in.rest.p[0] != '"')) {
        if (x->n == BURL_CHANGES_MAX_CYCLE)
            return refuse(r, "a cycle of more than four sites");
        if (!read_index(r, r->c->sites.n, &x->sites[x->n++]))
            return false;
    }
    return read_string(r, &x->locks);
}

static bool
read_dangerous(struct reader *r)
{
    struct burl_changes_block *x = BURL_VEC_ADD(&r->c->dangerous);

    return read_number(r, 16, UINT64_MAX, &x->module_hash) && read_u32(r, UINT32_MAX, &x->index);
}

static bool
read_note(struct reader *r)
{
    char *text = NULL;

    if (!read_string(r, &text))
        return false;
    BURL_VEC_PUSH(&r->c->notes, text);
    return true;
}

static bool
read_program(struct reader *r)
{
    return read_number(r, 16, UINT64_MAX, &r->c->program);
}

static bool
read_base(struct reader *r)
{
    return read_number(r, 16, UINT64_MAX, &r->c->base);
}

static const struct {
    const char *name;
    bool (*read)(struct reader *r);
    bool once;
} kinds[] = {
    { "program", read_program, true },    { "base", read_base, true },
    { "function", read_function, false }, { "site", read_site, false },
    { "cycle", read_cycle, false },       { "dangerous", read_dangerous, false },
    { "note", read_note, false },
};

enum { N_KINDS = sizeof kinds / sizeof *kinds, STAGE_END = N_KINDS + 1 };

static bool
read_line(struct reader *r, uint64_t n_before)
{
    const struct burl_span w = burl_linereader_word(&r->in);
    uint64_t count;

    if (w.n == 0)
        return refuse(r, "an empty line");
    if (burl_span_is(w, "end")) {
        if (r->stage < 2)
            return refuse(r, "program and base are missing");
        r->stage = STAGE_END;
        return read_number(r, 10, UINT64_MAX, &count) &&
               (count == n_before || refuse(r, "lines are missing or too many"));
    }
    for (int i = 0; i < N_KINDS; i++) {
        if (!burl_span_is(w, kinds[i].name))
            continue;
        if (i + 1 < r->stage || (i + 1 == r->stage && kinds[i].once))
            return refuse(r, "this line comes too late or twice");
        if (i < 2 ? i != r->stage : r->stage < 2)
            return refuse(r, "program and base are missing");
        r->stage = i + 1;
        return kinds[i].read(r);
    }
    return refuse(r, "a line of no known kind");
}

static bool
read_first(struct reader *r)
{
    uint64_t version;

    if (!burl_span_is(burl_linereader_word(&r->in), "burl-changes"))
        return refuse(r, "this is not a file of changes");
    if (!burl_span_number(burl_linereader_word(&r->in), 10, UINT32_MAX, &version) ||
        version != BURL_CHANGES_VERSION)
        return refuse(r, "the file is of another version");
    return true;
}

enum burl_status
burl_changes_read(struct burl_changes *c, const char *text, size_t n, const char *path,
                  struct burl_err *err)
{
    struct reader r = { .c = c, .in.text = { text, n } };

    burl_changes_init(c);
    while (!r.why && burl_linereader_next(&r.in)) {
        if (r.in.text.p[-1] != '\n')
            refuse(&r, "the file ends in the middle of a line");
        else if (r.stage == STAGE_END)
            refuse(&r, "something follows the end");
        else if ((r.in.line > 1 ? read_line(&r, r.in.line - 2) : read_first(&r)) &&
                 !burl_linereader_at_end(&r.in))
            refuse(&r, "something follows where the line should end");
    }
    if (!r.why && r.stage != STAGE_END)
        r.why = "the file is cut short";
    if (r.why) {
        burl_changes_deinit(c);
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s, line %" PRIu32 ": %s", path, r.in.line,
                            r.why);
    }
    return BURL_OK;
}

enum burl_status
burl_changes_load(struct burl_changes *c, const char *path, struct burl_err *err)
{
    char *text = NULL;
    size_t n = 0;

    burl_changes_init(c);
    enum burl_status st = burl_fs_read_file(path, FILE_MAX_B, &text, &n, err);
    if (st != BURL_OK)
        return st;
    st = burl_changes_read(c, text, n, path, err);
    free(text);
    return st;
}
