/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/prune_file.c - the prune file as text; grammar in docs/formats/prune.md.
 *
 * Runs in the host. Three lines make an entry, in this order:
 *     first    FILE:LINE[:COLUMN] ACCESS VARIABLE in FUNCTION
 *     then     FILE:LINE[:COLUMN] ACCESS VARIABLE in FUNCTION
 *     because  the reason, to the end of the line
 * ACCESS is read, write or update, with "atomic-" before it for atomics. A word with blanks in it
 * stands in double quotes. Everything from a '#' at the start of a line is a comment. The lines are
 * kept as they are, so that a file which is reviewed like code keeps its comments and its order.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/linereader.h"
#include "base/mem.h"
#include "cover/prune_int.h"

#define MAX_FILE_B (16u << 20)

static const char *const keywords[3] = { "first", "then", "because" };

static enum burl_status
fail_syntax(const struct burl_linereader *r, struct burl_err *err, const char *what)
{
    return burl_linereader_fail(r, BURL_E_FORMAT, err, "%s", what);
}

/* The next word, unquoted; NULL at the end of the line or where a quote does not end. */
static char *
next_word(struct burl_linereader *r)
{
    return burl_span_string(burl_linereader_word(r), NULL);
}

static bool
take_number(char *text, uint32_t *out)
{
    char *colon = strrchr(text, ':');
    char *end;
    unsigned long n;

    if (!colon || !isdigit((unsigned char)colon[1]))
        return false;
    errno = 0;
    n = strtoul(colon + 1, &end, 10);
    if (*end != '\0' || errno != 0 || n > 0x7fffffff)
        return false;
    *out = (uint32_t)n;
    *colon = '\0';
    return true;
}

/* FILE:LINE[:COLUMN]; a file name may have colons of its own. */
static bool
read_place(struct burl_cover_site *s, char *word_owned)
{
    uint32_t last, before;
    bool ok = take_number(word_owned, &last);

    if (ok && take_number(word_owned, &before)) {
        s->line = before;
        s->column = last;
    } else if (ok) {
        s->line = last;
    }
    ok = ok && *word_owned != '\0' && s->line > 0;
    s->file = word_owned;
    return ok;
}

static bool
read_access(struct burl_cover_site *s, const char *w)
{
    if (strncmp(w, "atomic-", 7) == 0) {
        s->atomic = true;
        w += 7;
    }
    s->reads = strcmp(w, "read") == 0 || strcmp(w, "update") == 0;
    s->writes = strcmp(w, "write") == 0 || strcmp(w, "update") == 0;
    return s->reads || s->writes;
}

static enum burl_status
read_site(struct burl_linereader *r, struct burl_cover_site *s, struct burl_err *err)
{
    char *place = next_word(r);
    char *access, *in;
    bool ok;

    if (!place || !read_place(s, place))
        return fail_syntax(r, err, "expected FILE:LINE or FILE:LINE:COLUMN");
    access = next_word(r);
    ok = access && read_access(s, access);
    free(access);
    if (!ok)
        return fail_syntax(r, err,
                           "expected read, write or update, after atomic- for an atomic access");
    s->variable = next_word(r);
    if (!s->variable)
        return fail_syntax(r, err, "expected the name of the variable");
    in = next_word(r);
    ok = in && strcmp(in, "in") == 0;
    free(in);
    s->func = ok ? next_word(r) : NULL;
    if (!s->func)
        return fail_syntax(r, err, "expected 'in' and the name of the function");
    return burl_linereader_at_end(r)
               ? BURL_OK
               : fail_syntax(r, err, "unexpected words after the name of the function");
}

static enum burl_status
read_reason(struct burl_linereader *r, struct burl_prune_entry *e, struct burl_err *err)
{
    struct burl_span reason = burl_span_trim(r->rest);

    if (reason.n == 0)
        return fail_syntax(r, err, "an entry needs a reason: because WHY");
    e->reason = burl_xstrndup(reason.p, reason.n);
    return BURL_OK;
}

static void
deinit_entry(struct burl_prune_entry *e)
{
    for (int i = 0; i < 2; i++) {
        free(e->site[i].file);
        free(e->site[i].variable);
        free(e->site[i].func);
    }
    free(e->reason);
    memset(e, 0, sizeof *e);
}

/* One line that is neither empty nor a comment; `step`: which of the three comes next. */
static enum burl_status
read_line(struct burl_linereader *r, struct burl_prune_entry *e, unsigned step,
          struct burl_err *err)
{
    if (!burl_span_is(burl_linereader_word(r), keywords[step]))
        return burl_linereader_fail(r, BURL_E_FORMAT, err,
                                    "expected a line '%s ...' (an entry is first, then, because)",
                                    keywords[step]);
    e->line[step] = r->line;
    return step < 2 ? read_site(r, &e->site[step], err) : read_reason(r, e, err);
}

static enum burl_status
parse_entries(struct burl_prune *p, struct burl_linereader *r, struct burl_err *err)
{
    struct burl_prune_entry e = { 0 };
    enum burl_status st = BURL_OK;
    unsigned step = 0;

    while (st == BURL_OK && burl_linereader_next(r)) {
        BURL_VEC_PUSH(&p->lines, burl_xstrndup(r->rest.p, r->rest.n));
        if (burl_linereader_at_end(r) || r->rest.p[0] == '#')
            continue;
        st = read_line(r, &e, step, err);
        if (st != BURL_OK || ++step < 3)
            continue;
        BURL_VEC_PUSH(&p->entries, e);
        memset(&e, 0, sizeof e);
        step = 0;
    }
    if (st == BURL_OK && step != 0)
        st = burl_linereader_fail(r, BURL_E_FORMAT, err, "the file ends before the line '%s ...'",
                                  keywords[step]);
    deinit_entry(&e);
    return st;
}

enum burl_status
burl__prune_decode(struct burl_prune **out, const char *text, size_t n, const char *path,
                   struct burl_err *err)
{
    struct burl_prune *p = burl_xcalloc(1, sizeof *p);
    struct burl_linereader r;
    enum burl_status st = burl_linereader_open(&r, path, text, n, BURL_E_FORMAT, err);

    *out = NULL;
    p->path = burl_xstrdup(path);
    if (st == BURL_OK)
        st = parse_entries(p, &r, err);
    if (st != BURL_OK)
        burl_prune_free(p);
    else
        *out = p;
    return st;
}

enum burl_status
burl_prune_read(struct burl_prune **out, const char *path, struct burl_err *err)
{
    char *text = NULL;
    size_t n = 0;
    enum burl_status st = BURL_OK;

    *out = NULL;
    if (burl_fs_exists(path))
        st = burl_fs_read_file(path, MAX_FILE_B, &text, &n, err);
    if (st == BURL_OK)
        st = burl__prune_decode(out, text, n, path, err);
    free(text);
    return st;
}

enum burl_status
burl_prune_write(const struct burl_prune *p, const char *path, struct burl_err *err)
{
    struct burl_buf b = BURL_BUF_INIT;
    enum burl_status st;

    for (size_t i = 0; i < p->lines.n; i++)
        burl_buf_printf(&b, "%s\n", p->lines.v[i]);
    st = burl_fs_write_atomic(path, burl_buf_str(&b), b.n, err);
    burl_buf_deinit(&b);
    return st;
}

void
burl_prune_free(struct burl_prune *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->lines.n; i++)
        free(p->lines.v[i]);
    for (size_t i = 0; i < p->entries.n; i++)
        deinit_entry(&p->entries.v[i]);
    BURL_VEC_FREE(&p->lines);
    BURL_VEC_FREE(&p->entries);
    free(p->path);
    free(p);
}

/* ---- writing ----------------------------------------------------------------------- */

static void
put_word(struct burl_buf *out, const char *w)
{
    if (*w != '\0' && !strpbrk(w, " \t\"\\")) {
        burl_buf_str_append(out, w);
        return;
    }
    burl_buf_char(out, '"');
    for (; *w != '\0'; w++) {
        if (*w == '"' || *w == '\\')
            burl_buf_char(out, '\\');
        burl_buf_char(out, *w);
    }
    burl_buf_char(out, '"');
}

void
burl__prune_put_site(struct burl_buf *out, const struct burl_cover_site *s)
{
    char *place = s->column > 0 ? burl_xasprintf("%s:%u:%u", s->file, s->line, s->column)
                                : burl_xasprintf("%s:%u", s->file, s->line);

    put_word(out, place);
    burl_buf_printf(out, " %s%s ", s->atomic ? "atomic-" : "", burl__prune_access(s));
    put_word(out, s->variable);
    burl_buf_str_append(out, " in ");
    put_word(out, s->func);
    free(place);
}

static uint32_t
add_line(struct burl_prune *p, struct burl_buf *b)
{
    BURL_VEC_PUSH(&p->lines, burl_buf_take(b, NULL));
    return (uint32_t)p->lines.n;
}

void
burl__prune_append(struct burl_prune *p, struct burl_prune_entry *e_owned)
{
    struct burl_buf b = BURL_BUF_INIT;

    if (p->lines.n > 0 && p->lines.v[p->lines.n - 1][0] != '\0')
        add_line(p, &b);
    for (int i = 0; i < 2; i++) {
        burl_buf_printf(&b, "%-8s ", keywords[i]);
        burl__prune_put_site(&b, &e_owned->site[i]);
        e_owned->line[i] = add_line(p, &b);
    }
    burl_buf_printf(&b, "%-8s %s", keywords[2], e_owned->reason);
    e_owned->line[2] = add_line(p, &b);
    burl_buf_deinit(&b);
    BURL_VEC_PUSH(&p->entries, *e_owned);
    memset(e_owned, 0, sizeof *e_owned);
}

static void
delete_line(struct burl_prune *p, uint32_t line)
{
    free(p->lines.v[line - 1]);
    memmove(&p->lines.v[line - 1], &p->lines.v[line], (p->lines.n - line) * sizeof *p->lines.v);
    p->lines.n--;
    for (size_t i = 0; i < p->entries.n; i++) {
        for (int k = 0; k < 3; k++)
            p->entries.v[i].line[k] -= p->entries.v[i].line[k] > line;
    }
}

void
burl__prune_delete(struct burl_prune *p, size_t i)
{
    const struct burl_prune_entry e = p->entries.v[i];

    for (int k = 2; k >= 0; k--)
        delete_line(p, e.line[k]);
    deinit_entry(&p->entries.v[i]);
    memmove(&p->entries.v[i], &p->entries.v[i + 1], (p->entries.n - i - 1) * sizeof *p->entries.v);
    p->entries.n--;
}
