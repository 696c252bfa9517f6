/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/sp_file.c - the file of a static target; contract in sp.h.
 *
 * Runs in the host and in burl-analyze. Text, so that a person can read and compare it:
 *
 *     burl-target 2
 *     program 0123456789abcdef
 *     cost MS KB
 *     root "main" 0 0 one
 *     root "worker" 0123456789abcdef 17 many
 *     lock "queue.lock" exclusive
 *     lock "queue.lock" shared 0
 *     site 0123456789abcdef 5 r roots 0,1 locks 0
 *     class "struct queue.head" "heap q.c:12" typed 0,3,9
 *     fact never-last 3 witness 9 lock 0
 *     unknown "getaddrinfo"
 *     end 9
 *
 * Kinds come in this order; numbers refer to earlier lines, counted from 0 per kind; an empty list
 * is "-", and so is a witness that is not the same on all ways, the lock of a fact that needs none,
 * and the number behind a lock that is held for reading (it is that of the lock held alone) when
 * there is none; effects are r, w, rw, with "a" behind for atomic, "t" for the test's own
 * assertions, "b" for before all other threads and "e" for after them.
 * The number of the last line is that of all lines between the first and it, so a file that lost a
 * line is not mistaken for a smaller program. Everything is checked: a target that was read holds
 * no index out of range and no list out of order.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/linereader.h"
#include "base/mem.h"
#include "base/sp.h"

/* SQLite's has some ten megabytes; what is above this is not a target. */
#define FILE_MAX_B ((size_t)1 << 30)

static void
put_list(struct burl_buf *out, const uint32_t *v, size_t n)
{
    if (n == 0)
        burl_buf_char(out, '-');
    for (size_t i = 0; i < n; i++)
        burl_buf_printf(out, i ? ",%" PRIu32 : "%" PRIu32, v[i]);
}

/* A number, "-" for UINT32_MAX. */
static void
put_number_or_none(struct burl_buf *out, uint32_t x)
{
    put_list(out, &x, x != UINT32_MAX);
}

/* By the bits of enum burl_sp_site_flag. */
static const char flag_letters[] = "rwatbe";

static void
put_site(struct burl_buf *out, const struct burl_sp_site *s)
{
    burl_buf_printf(out, "site %016" PRIx64 " %" PRIu32 " ", s->module_hash, s->index);
    for (size_t i = 0; flag_letters[i]; i++)
        if (s->flags >> i & 1)
            burl_buf_char(out, flag_letters[i]);
    burl_buf_str_append(out, " roots ");
    put_list(out, s->roots.v, s->roots.n);
    burl_buf_str_append(out, " locks ");
    put_list(out, s->locks.v, s->locks.n);
    burl_buf_char(out, '\n');
}

static void
put_class(struct burl_buf *out, const struct burl_sp_class *c)
{
    burl_buf_str_append(out, "class ");
    burl_linereader_put_string(out, c->name);
    burl_buf_char(out, ' ');
    burl_linereader_put_string(out, c->object);
    burl_buf_str_append(out, c->untyped ? " untyped " : " typed ");
    put_list(out, c->sites.v, c->sites.n);
    burl_buf_char(out, '\n');
}

static void
put_roots_and_locks(struct burl_buf *out, const struct burl_sp *t)
{
    for (size_t i = 0; i < t->roots.n; i++) {
        const struct burl_sp_root *r = &t->roots.v[i];
        burl_buf_str_append(out, "root ");
        burl_linereader_put_string(out, r->function);
        burl_buf_printf(out, " %016" PRIx64 " %" PRIu32 " %s\n", r->module_hash, r->site,
                        r->many ? "many" : "one");
    }
    for (size_t i = 0; i < t->locks.n; i++) {
        burl_buf_str_append(out, "lock ");
        burl_linereader_put_string(out, t->locks.v[i].name);
        burl_buf_str_append(out, t->locks.v[i].shared ? " shared " : " exclusive");
        if (t->locks.v[i].shared)
            put_number_or_none(out, t->locks.v[i].exclusive);
        burl_buf_char(out, '\n');
    }
}

void
burl_sp_write(const struct burl_sp *t, struct burl_buf *out)
{
    size_t n = 2 + t->roots.n + t->locks.n + t->sites.n + t->classes.n + t->facts.n + t->unknown.n;

    burl_buf_printf(out, "burl-target %d\nprogram %016" PRIx64 "\ncost %" PRIu64 " %" PRIu64 "\n",
                    BURL_SP_VERSION, t->program, t->analysis_ms, t->analysis_kb);
    put_roots_and_locks(out, t);
    for (size_t i = 0; i < t->sites.n; i++)
        put_site(out, &t->sites.v[i]);
    for (size_t i = 0; i < t->classes.n; i++)
        put_class(out, &t->classes.v[i]);
    for (size_t i = 0; i < t->facts.n; i++) {
        const struct burl_sp_fact *f = &t->facts.v[i];
        burl_buf_printf(out, "fact %s %" PRIu32 " witness ",
                        f->kind == BURL_SP_NEVER_LAST ? "never-last" : "never-first", f->site);
        put_number_or_none(out, f->witness);
        burl_buf_str_append(out, " lock ");
        put_number_or_none(out, f->lock);
        burl_buf_char(out, '\n');
    }
    for (size_t i = 0; i < t->unknown.n; i++) {
        burl_buf_str_append(out, "unknown ");
        burl_linereader_put_string(out, t->unknown.v[i]);
        burl_buf_char(out, '\n');
    }
    burl_buf_printf(out, "end %zu\n", n);
}

/* ---- reading ---- */

struct reader {
    struct burl_sp *t;
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
expect_word(struct reader *r, const char *text)
{
    return burl_span_is(burl_linereader_word(&r->in), text) || refuse(r, "a word is missing");
}

static bool
read_number(struct reader *r, unsigned base, uint64_t max, uint64_t *out)
{
    if (!burl_span_number(burl_linereader_word(&r->in), base, max, out))
        return refuse(r, "a number is missing, malformed or too large");
    return true;
}

static bool
read_number32(struct reader *r, size_t below, uint32_t *out)
{
    uint64_t x;

    if (below == 0 || !read_number(r, 10, below - 1, &x))
        return refuse(r, "a number is out of range");
    *out = (uint32_t)x;
    return true;
}

/* The same, or "-" for UINT32_MAX. */
static bool
read_number_or_none(struct reader *r, size_t below, uint32_t *out)
{
    const struct burl_linereader before = r->in;

    *out = UINT32_MAX;
    if (burl_span_is(burl_linereader_word(&r->in), "-"))
        return true;
    r->in = before;
    return read_number32(r, below, out);
}

static bool
read_string(struct reader *r, char **out)
{
    const struct burl_span w = burl_linereader_word(&r->in);

    if (w.n == 0 || w.p[0] != '"')
        return refuse(r, "a quoted name is missing");
    *out = burl_span_string(w, "n");
    return *out || refuse(r, "a name has no closing quote");
}

/* Numbers below `below`, strictly ascending, so that none comes twice. */
static bool
read_list(struct reader *r, size_t below, uint32_t **v, size_t *n, size_t *cap)
{
    struct burl_span left = burl_linereader_word(&r->in);
    uint64_t x;
    BURL_VEC(uint32_t) out = { *v, *n, *cap };
    bool ok = left.n > 0;

    if (burl_span_is(left, "-"))
        left.n = 0;
    while (ok && left.n > 0) {
        const char *comma = memchr(left.p, ',', left.n);
        size_t digits = comma ? (size_t)(comma - left.p) : left.n;
        ok = below > 0 &&
             burl_span_number((struct burl_span){ left.p, digits }, 10, below - 1, &x) &&
             (out.n == 0 || x > out.v[out.n - 1]);
        if (!ok)
            break;
        BURL_VEC_PUSH(&out, (uint32_t)x);
        ok = !comma || digits + 1 < left.n;
        left.p += digits + (comma != NULL);
        left.n -= digits + (comma != NULL);
    }
    *v = out.v;
    *n = out.n;
    *cap = out.cap;
    return ok || refuse(r, "a list is malformed, out of order or out of range");
}

#define LIST(r, below, vec) read_list(r, below, &(vec)->v, &(vec)->n, &(vec)->cap)

static bool
read_program(struct reader *r)
{
    return read_number(r, 16, UINT64_MAX, &r->t->program);
}

static bool
read_cost(struct reader *r)
{
    return read_number(r, 10, UINT64_MAX, &r->t->analysis_ms) &&
           read_number(r, 10, UINT64_MAX, &r->t->analysis_kb);
}

/* One of two words. */
static bool
read_either(struct reader *r, const char *yes, const char *no, bool *out)
{
    const struct burl_span w = burl_linereader_word(&r->in);

    *out = burl_span_is(w, yes);
    return *out || burl_span_is(w, no) || refuse(r, "a word is missing");
}

static bool
read_root(struct reader *r)
{
    struct burl_sp_root *x = BURL_VEC_ADD(&r->t->roots);

    return read_string(r, &x->function) && read_number(r, 16, UINT64_MAX, &x->module_hash) &&
           read_number32(r, UINT32_MAX, &x->site) && read_either(r, "many", "one", &x->many);
}

static bool
read_lock(struct reader *r)
{
    struct burl_sp_lock *x = BURL_VEC_ADD(&r->t->locks);
    const size_t n = r->t->locks.n - 1;

    x->exclusive = UINT32_MAX;
    if (!read_string(r, &x->name) || !read_either(r, "shared", "exclusive", &x->shared))
        return false;
    if (x->shared && !read_number_or_none(r, n, &x->exclusive))
        return false;
    return x->exclusive == UINT32_MAX || !r->t->locks.v[x->exclusive].shared ||
           refuse(r, "this is not the same lock held alone");
}

static bool
read_flags(struct reader *r, uint8_t *out)
{
    const struct burl_span w = burl_linereader_word(&r->in);

    if (w.n == 0)
        return refuse(r, "the effect is missing");
    for (size_t i = 0, next = 0; i < w.n; i++, next++) {
        while (next < 6 && flag_letters[next] != w.p[i])
            next++;
        if (next == 6)
            return refuse(r, "the effect is not r, w or rw");
        *out |= (uint8_t)(1u << next);
    }
    if (!(*out & (BURL_SP_READS | BURL_SP_WRITES)))
        return refuse(r, "the effect is not r, w or rw");
    return true;
}

static bool
read_site(struct reader *r)
{
    struct burl_sp_site *x = BURL_VEC_ADD(&r->t->sites);
    const struct burl_sp_site *last = r->t->sites.n > 1 ? x - 1 : NULL;

    if (!read_number(r, 16, UINT64_MAX, &x->module_hash) ||
        !read_number32(r, UINT32_MAX, &x->index) || !read_flags(r, &x->flags) ||
        !expect_word(r, "roots") || !LIST(r, r->t->roots.n, &x->roots) ||
        !expect_word(r, "locks") || !LIST(r, r->t->locks.n, &x->locks))
        return false;
    if (last && (last->module_hash > x->module_hash ||
                 (last->module_hash == x->module_hash && last->index >= x->index)))
        return refuse(r, "sites are not in order");
    return true;
}

static bool
read_class(struct reader *r)
{
    struct burl_sp_class *x = BURL_VEC_ADD(&r->t->classes);

    return read_string(r, &x->name) && read_string(r, &x->object) &&
           read_either(r, "untyped", "typed", &x->untyped) && LIST(r, r->t->sites.n, &x->sites);
}

static bool
read_fact(struct reader *r)
{
    struct burl_sp_fact *x = BURL_VEC_ADD(&r->t->facts);
    bool last;

    if (!read_either(r, "never-last", "never-first", &last) ||
        !read_number32(r, r->t->sites.n, &x->site) || !expect_word(r, "witness") ||
        !read_number_or_none(r, r->t->sites.n, &x->witness) || !expect_word(r, "lock") ||
        !read_number_or_none(r, r->t->locks.n, &x->lock))
        return false;
    x->kind = last ? BURL_SP_NEVER_LAST : BURL_SP_NEVER_FIRST;
    return true;
}

static bool
read_unknown(struct reader *r)
{
    char *name = NULL;

    if (!read_string(r, &name))
        return false;
    BURL_VEC_PUSH(&r->t->unknown, name);
    return true;
}

static const struct {
    const char *name;
    bool (*read)(struct reader *r);
    bool once;
} kinds[] = {
    { "program", read_program, true }, { "cost", read_cost, true },
    { "root", read_root, false },      { "lock", read_lock, false },
    { "site", read_site, false },      { "class", read_class, false },
    { "fact", read_fact, false },      { "unknown", read_unknown, false },
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
        r->stage = STAGE_END;
        return read_number(r, 10, UINT64_MAX, &count) &&
               (count == n_before || refuse(r, "lines are missing or too many"));
    }
    for (int i = 0; i < N_KINDS; i++) {
        if (!burl_span_is(w, kinds[i].name))
            continue;
        if (i + 1 < r->stage || (i + 1 == r->stage && kinds[i].once))
            return refuse(r, "this line comes too late or twice");
        r->stage = i + 1;
        return kinds[i].read(r);
    }
    return refuse(r, "a line of no known kind");
}

static bool
at_line_end(struct reader *r)
{
    return burl_linereader_at_end(&r->in) ||
           refuse(r, "something follows where the line should end");
}

enum burl_status
burl_sp_read(struct burl_sp *t, const char *text, size_t n, const char *path, struct burl_err *err)
{
    struct reader r = { .t = t, .in.text = { text, n } };

    burl_sp_init(t);
    while (!r.why && burl_linereader_next(&r.in)) {
        uint64_t version;

        if (r.in.text.p[-1] != '\n')
            refuse(&r, "the file ends in the middle of a line");
        else if (r.stage == STAGE_END)
            refuse(&r, "something follows the end");
        else if (r.in.line > 1)
            (void)(read_line(&r, r.in.line - 2) && at_line_end(&r));
        else if (!expect_word(&r, "burl-target"))
            r.why = "this is not the file of a static target";
        else if (!read_number(&r, 10, UINT32_MAX, &version) || version != BURL_SP_VERSION)
            r.why = "the file is of another version";
        else
            (void)at_line_end(&r);
    }
    if (!r.why && r.stage != STAGE_END)
        r.why = "the file is cut short";
    if (r.why) {
        burl_sp_deinit(t);
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s, line %" PRIu32 ": %s", path, r.in.line,
                            r.why);
    }
    burl_sp_reindex(t);
    return BURL_OK;
}

enum burl_status
burl_sp_load(struct burl_sp *t, const char *path, struct burl_err *err)
{
    char *text = NULL;
    size_t n = 0;

    burl_sp_init(t);
    enum burl_status st = burl_fs_read_file(path, FILE_MAX_B, &text, &n, err);
    if (st != BURL_OK)
        return st;
    st = burl_sp_read(t, text, n, path, err);
    free(text);
    return st;
}
