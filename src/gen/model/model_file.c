/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/model_file.c - reads the model file and corrects a guessed model by it.
 *
 * One statement per line; lines that begin with blanks are parameters of the function above. What
 * is said twice holds as said last. A heading ("method f: ...") states the flags of the function
 * as a whole, so that one can be taken back by deleting it; roles that no line names stay as
 * guessed. Every name is looked up: a typing error is refused with the nearest name, since a line
 * that does nothing would be believed.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/path.h"
#include "gen/model/model_int.h"

static bool
is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

bool
burl__gen_line_word(struct burl__gen_line *l)
{
    struct burl_span s = burl_span_trim(l->in.rest);
    size_t n = s.n > 0;

    while (n < s.n && is_word_char(s.p[0]) && is_word_char(s.p[n]))
        n++;
    l->in.rest = (struct burl_span){ s.p + n, s.n - n };
    (void)snprintf(l->word, sizeof l->word, "%.*s", (int)n, s.p);
    return n > 0;
}

bool
burl__gen_line_is(struct burl__gen_line *l, const char *word)
{
    const struct burl_span before = l->in.rest;
    char last[sizeof l->word];

    memcpy(last, l->word, sizeof last);
    if (burl__gen_line_word(l) && strcmp(l->word, word) == 0)
        return true;
    l->in.rest = before;
    memcpy(l->word, last, sizeof last);
    return false;
}

static enum burl_status
expect_end(struct burl__gen_line *l, struct burl_err *err)
{
    if (!burl__gen_line_word(l))
        return BURL_OK;
    return burl__gen_line_fail(l, err, "\"%s\" was not expected", l->word);
}

/* ---- names ----------------------------------------------------------------------------------- */

static enum burl_status
unknown_type(struct burl__gen_line *l, const struct burl_gen_model *m, const char *name,
             struct burl_err *err)
{
    const char *best = NULL;

    for (size_t i = 0; i < m->types.n; i++) {
        const char *t = m->types.v[i].name;
        if (!best || burl__gen_distance(t, name) < burl__gen_distance(best, name))
            best = t;
    }
    return burl__gen_line_fail(l, err, "no function takes or returns a pointer to \"%s\"%s%s%s",
                               name, best ? "; did you mean \"" : "", best ? best : "",
                               best ? "\"?" : "");
}

enum burl_status
burl__gen_line_type(struct burl__gen_line *l, struct burl_gen_model *m, int *type,
                    struct burl_err *err)
{
    const struct burl__gen_ctype *record;
    char name[600];

    if (!burl__gen_line_word(l))
        return burl__gen_line_fail(l, err, "a type is missing here, such as \"struct queue\"");
    (void)snprintf(name, sizeof name, "%s", l->word);
    if (strcmp(name, "struct") == 0 || strcmp(name, "union") == 0) {
        size_t n = strlen(name);
        if (!burl__gen_line_word(l))
            return burl__gen_line_fail(l, err, "\"%s\" needs a name", name);
        (void)snprintf(name + n, sizeof name - n, " %s", l->word);
    }
    while (burl__gen_line_is(l, "*"))
        ;
    *type = burl_gen_model_type(m, name);
    if (*type >= 0)
        return BURL_OK;
    record = m->decls ? burl__gen_named_record(m->decls, name) : NULL;
    if (!record)
        return unknown_type(l, m, name, err);
    *type = burl__gen_type_of(m, record);
    return BURL_OK;
}

static enum burl_status
unknown_fn(struct burl__gen_line *l, const struct burl_gen_model *m, const char *name,
           struct burl_err *err)
{
    const char *best = NULL;

    for (size_t i = 0; i < m->fns.n; i++) {
        const char *f = m->fns.v[i].name;
        if (!best || burl__gen_distance(f, name) < burl__gen_distance(best, name))
            best = f;
    }
    return burl__gen_line_fail(l, err, "%s has no function \"%s\"%s%s%s",
                               burl_path_basename(m->header), name, best ? "; did you mean " : "",
                               best ? best : "", best ? "()?" : "");
}

static enum burl_status
take_fn(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_gen_fn **f,
        struct burl_err *err)
{
    int at;

    *f = NULL;
    if (!burl__gen_line_word(l))
        return burl__gen_line_fail(l, err, "the name of a function is missing here");
    at = burl_gen_model_fn(m, l->word);
    if (at < 0)
        return unknown_fn(l, m, l->word, err);
    *f = &m->fns.v[at];
    (void)burl__gen_line_is(l, "(");
    (void)burl__gen_line_is(l, ")");
    return BURL_OK;
}

/* ---- headings -------------------------------------------------------------------------------- */

static void
replace_note(struct burl_gen_fn *f, const char *note)
{
    free(f->note);
    f->note = note ? burl_xstrdup(note) : NULL;
}

/* Makes the function the destructor of its type, in place of the former one. */
static enum burl_status
set_destroy(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_gen_fn *f, int type,
            struct burl_err *err)
{
    int at = (int)(f - m->fns.v);
    int before;

    if (f->params.n != 1)
        return burl__gen_line_fail(l, err,
                                   "%s() takes %zu parameters; an object is ended by a function "
                                   "that takes it alone",
                                   f->name, f->params.n);
    if (type < 0)
        type = f->params.v[0].type;
    if (type < 0)
        return burl__gen_line_fail(l, err,
                                   "the parameter of %s() is not an object; state \"type T: "
                                   "destroy %s\"",
                                   f->name, f->name);
    before = m->types.v[type].destroy;
    if (before >= 0 && before != at) {
        m->fns.v[before].kind = BURL_GEN_SKIP;
        free(m->fns.v[before].note);
        m->fns.v[before].note = burl_xasprintf("%s() ends the object", f->name);
    }
    m->types.v[type].destroy = at;
    f->kind = BURL_GEN_DESTROY;
    f->makes = -1;
    f->self = 0;
    f->params.v[0].role = BURL_GEN_ROLE_OBJECT;
    f->params.v[0].type = type;
    return BURL_OK;
}

static void
set_kind(struct burl_gen_model *m, struct burl_gen_fn *f, enum burl_gen_kind kind)
{
    int at = (int)(f - m->fns.v);
    enum burl_gen_kind before = f->kind;

    for (size_t i = 0; i < m->types.n && kind != BURL_GEN_DESTROY; i++) {
        if (m->types.v[i].destroy == at)
            m->types.v[i].destroy = -1;
    }
    f->kind = kind;
    if (kind != before)
        replace_note(f, kind == BURL_GEN_SKIP ? "is ruled out by the model file" : NULL);
    if (kind == BURL_GEN_METHOD)
        return;
    if (kind != BURL_GEN_DESTROY)
        f->self = -1;
}

static enum burl_status
take_result(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_gen_fn *f,
            struct burl_err *err)
{
    char word[sizeof l->word];

    if (!burl__gen_line_word(l))
        return burl__gen_line_fail(l, err, "what does %s() return?", f->name);
    memcpy(word, l->word, sizeof word);
    for (int r = 0; r < BURL_GEN_RESULT__N; r++) {
        if (strcmp(word, burl__gen_result_words[r]) != 0)
            continue;
        f->result = (enum burl_gen_result)r;
        f->result_type = -1;
        if (!burl__gen_result_fits(m, f))
            return burl__gen_line_fail(l, err, "%s() returns %s, which cannot be \"%s\"", f->name,
                                       f->result_ctype, word);
        if (f->result == BURL_GEN_RESULT_OBJECT)
            return burl__gen_line_type(l, m, &f->result_type, err);
        return BURL_OK;
    }
    return burl__gen_line_fail(l, err,
                               "\"%s\" is no result; there are nothing, int, real, string, "
                               "own-string, payload, object TYPE and ignored",
                               word);
}

/* After the colon: "returns int, blocks, dump". */
static enum burl_status
take_flags(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_gen_fn *f,
           struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    while (st == BURL_OK && burl__gen_line_word(l)) {
        if (strcmp(l->word, ",") == 0)
            continue;
        if (strcmp(l->word, "returns") == 0)
            st = take_result(l, m, f, err);
        else if (strcmp(l->word, "blocks") == 0)
            f->may_block = true;
        else if (strcmp(l->word, "readonly") == 0)
            f->read_only = true;
        else if (strcmp(l->word, "dump") == 0)
            f->dump = true;
        else if (strcmp(l->word, "weak") == 0)
            f->weak = true;
        else if (strcmp(l->word, "success") == 0 && burl__gen_line_is(l, "zero"))
            f->zero_is_success = true;
        else if (strcmp(l->word, "success") == 0 && burl__gen_line_is(l, "nonzero"))
            f->zero_is_success = false;
        else
            st = burl__gen_line_fail(
                l, err,
                "\"%s\" was not expected; there are returns, blocks, "
                "readonly, dump, weak, \"success zero\" and \"success nonzero\"",
                l->word);
    }
    return st;
}

static enum burl_status
take_heading(struct burl__gen_line *l, struct burl_gen_model *m, enum burl_gen_kind kind,
             struct burl_gen_fn **f, struct burl_err *err)
{
    enum burl_status st = take_fn(l, m, f, err);

    if (st != BURL_OK)
        return st;
    set_kind(m, *f, kind);
    if (kind == BURL_GEN_DESTROY)
        st = set_destroy(l, m, *f, -1, err);
    if (st == BURL_OK && burl__gen_line_is(l, ":")) {
        (*f)->may_block = false;
        (*f)->read_only = false;
        (*f)->dump = false;
        (*f)->weak = false;
        st = take_flags(l, m, *f, err);
    }
    return st == BURL_OK ? expect_end(l, err) : st;
}

/* ---- other statements ------------------------------------------------------------------------ */

static enum burl_status
take_include(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_err *err)
{
    const struct burl_span s = burl_span_trim(l->in.rest);

    if (s.n < 3 ||
        !((s.p[0] == '"' && s.p[s.n - 1] == '"') || (s.p[0] == '<' && s.p[s.n - 1] == '>')))
        return burl__gen_line_fail(l, err, "include wants <name.h> or \"name.h\"");
    for (size_t i = 0; i < m->includes.n; i++) {
        if (burl_span_is(s, m->includes.v[i]))
            return BURL_OK;
    }
    BURL_VEC_PUSH(&m->includes, burl_xstrndup(s.p, s.n));
    return BURL_OK;
}

static enum burl_status
take_header(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_err *err)
{
    const struct burl_span s = burl_span_trim(l->in.rest);
    const char *name = burl_path_basename(m->header);
    enum burl_status st = BURL_OK;
    char *stated;

    if (s.n < 3 || s.p[0] != '"' || s.p[s.n - 1] != '"')
        return burl__gen_line_fail(l, err, "header wants a name in double quotes");
    stated = burl_xstrndup(s.p + 1, s.n - 2);
    if (strcmp(burl_path_basename(stated), name) != 0)
        st = burl__gen_line_fail(l, err, "this model is about %s, not about %s", stated, name);
    free(stated);
    return st;
}

#define TYPE_EXPECTED \
    "after the type \": destroy FUNCTION\" is expected, or \": destroy none\" or \": zeroed\""

/* "type struct queue: destroy queue_free, free" */
static enum burl_status
take_type(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_err *err)
{
    struct burl_gen_fn *f;
    enum burl_status st;
    int type;

    st = burl__gen_line_type(l, m, &type, err);
    if (st != BURL_OK)
        return st;
    if (!burl__gen_line_is(l, ":"))
        return burl__gen_line_fail(l, err, TYPE_EXPECTED);
    if (burl__gen_line_is(l, "zeroed")) {
        if (!m->types.v[type].complete)
            return burl__gen_line_fail(l, err,
                                       "%s has no definition in the header: its size is "
                                       "not known",
                                       m->types.v[type].name);
        m->types.v[type].zeroed = true;
        return expect_end(l, err);
    }
    if (!burl__gen_line_is(l, "destroy"))
        return burl__gen_line_fail(l, err, TYPE_EXPECTED);
    m->types.v[type].zeroed = false;
    if (burl__gen_line_is(l, "none")) {
        int before = m->types.v[type].destroy;
        if (before >= 0) {
            m->fns.v[before].kind = BURL_GEN_SKIP;
            replace_note(&m->fns.v[before], "is ruled out by the model file");
        }
        m->types.v[type].destroy = -1;
    } else if (burl__gen_line_is(l, "free")) {
        m->types.v[type].destroy = -1;
        m->types.v[type].free_it = true;
        return expect_end(l, err);
    } else {
        st = take_fn(l, m, &f, err);
        if (st == BURL_OK) {
            if (f->kind != BURL_GEN_DESTROY)
                replace_note(f, NULL);
            st = set_destroy(l, m, f, type, err);
        }
        if (st != BURL_OK)
            return st;
    }
    m->types.v[type].free_it = burl__gen_line_is(l, ",") && burl__gen_line_is(l, "free");
    return expect_end(l, err);
}

static enum burl_status
take_shared(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_err *err)
{
    enum burl_status st;
    int type;

    st = burl__gen_line_type(l, m, &type, err);
    if (st == BURL_OK)
        st = expect_end(l, err);
    if (st != BURL_OK || type == m->shared || l->keep_shared)
        return st;
    if (!m->decls)
        return burl__gen_line_fail(l, err, "the shared type cannot be changed here");
    /* Kinds and roles depend on it: guesses again. The name is freed with the old model. */
    char *name = burl_xstrdup(m->types.v[type].name);
    st = burl__gen_guess(m, name, err);
    if (st != BURL_OK)
        (void)burl_err_prefix(err, "%s:%u", l->in.name, l->in.line);
    free(name);
    return st;
}

/* "blocks f", "not dump g" */
static enum burl_status
take_mark(struct burl__gen_line *l, struct burl_gen_model *m, bool on, struct burl_err *err)
{
    char what[sizeof l->word];
    struct burl_gen_fn *f;
    enum burl_status st;

    memcpy(what, l->word, sizeof what);
    st = take_fn(l, m, &f, err);
    if (st != BURL_OK)
        return st;
    if (strcmp(what, "blocks") == 0)
        f->may_block = on;
    else if (strcmp(what, "readonly") == 0)
        f->read_only = on;
    else if (strcmp(what, "weak") == 0)
        f->weak = on;
    else
        f->dump = on;
    return expect_end(l, err);
}

static bool
is_mark(const char *word)
{
    return strcmp(word, "blocks") == 0 || strcmp(word, "readonly") == 0 ||
           strcmp(word, "dump") == 0 || strcmp(word, "weak") == 0;
}

static enum burl_status
unknown_statement(struct burl__gen_line *l, struct burl_err *err)
{
    static const char *const all[] = { "model",    "header", "include", "shared",
                                       "type",     "make",   "destroy", "method",
                                       "helper",   "skip",   "forbid",  "blocks",
                                       "readonly", "dump",   "weak",    "not" };
    const char *best = all[0];

    for (size_t i = 1; i < sizeof all / sizeof all[0]; i++) {
        if (burl__gen_distance(all[i], l->word) < burl__gen_distance(best, l->word))
            best = all[i];
    }
    return burl__gen_line_fail(l, err, "\"%s\" is no statement; did you mean \"%s\"?", l->word,
                               best);
}

static enum burl_status
take_statement(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_gen_fn **f,
               struct burl_err *err)
{
    *f = NULL;
    if (!burl__gen_line_word(l))
        return BURL_OK;
    for (int k = 0; k < BURL__GEN_KINDS; k++) {
        if (strcmp(l->word, burl__gen_kind_words[k]) == 0)
            return take_heading(l, m, (enum burl_gen_kind)k, f, err);
    }
    if (strcmp(l->word, "forbid") == 0)
        return take_heading(l, m, BURL_GEN_SKIP, f, err);
    if (strcmp(l->word, "model") == 0)
        return burl__gen_line_is(l, "1") ? expect_end(l, err)
                                         : burl__gen_line_fail(l, err, "this is burl's model 1");
    if (strcmp(l->word, "header") == 0)
        return take_header(l, m, err);
    if (strcmp(l->word, "include") == 0)
        return take_include(l, m, err);
    if (strcmp(l->word, "shared") == 0)
        return take_shared(l, m, err);
    if (strcmp(l->word, "type") == 0)
        return take_type(l, m, err);
    if (is_mark(l->word))
        return take_mark(l, m, true, err);
    if (strcmp(l->word, "not") == 0 && burl__gen_line_word(l) && is_mark(l->word))
        return take_mark(l, m, false, err);
    return unknown_statement(l, err);
}

/* ---- the whole file -------------------------------------------------------------------------- */

static enum burl_status
take_line(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_gen_fn **f,
          struct burl_err *err)
{
    burl_linereader_cut_comment(&l->in, true);
    if (l->in.rest.n == 0)
        return BURL_OK;
    if (!isspace((unsigned char)l->in.rest.p[0]))
        return take_statement(l, m, f, err);
    if (!*f)
        return burl__gen_line_fail(l, err,
                                   "this line begins with blanks, as one about a parameter, but "
                                   "there is no function above it");
    return burl__gen_line_param(l, m, *f, err);
}

static bool
is_about_shared(struct burl_span line)
{
    return line.n > 6 && memcmp(line.p, "shared", 6) == 0 && isspace((unsigned char)line.p[6]);
}

enum burl_status
burl__gen_model_decode(struct burl_gen_model *m, const char *text, size_t n, const char *path,
                       bool keep_shared, struct burl_err *err)
{
    struct burl__gen_line l = { .keep_shared = keep_shared };
    struct burl_gen_fn *f = NULL;
    enum burl_status st = BURL_OK;

    /* The shared type first: another one means guessing again. */
    for (int pass = 0; pass < 2 && st == BURL_OK; pass++) {
        st = burl_linereader_open(&l.in, path, text, n, BURL_E_FORMAT, err);
        while (st == BURL_OK && burl_linereader_next(&l.in)) {
            if (pass == 1 || is_about_shared(l.in.rest))
                st = take_line(&l, m, &f, err);
        }
        l.keep_shared = true;
    }
    if (st == BURL_OK)
        st = burl__gen_model_finish(m, path, err);
    return st;
}

enum burl_status
burl__gen_model_apply(struct burl_gen_model *m, const char *path, bool keep_shared,
                      struct burl_err *err)
{
    enum burl_status st;
    char *text;
    size_t n;

    st = burl_fs_read_file(path, BURL__GEN_MODEL_MAX_B, &text, &n, err);
    if (st != BURL_OK)
        return st;
    st = burl__gen_model_decode(m, text, n, path, keep_shared, err);
    free(text);
    return st;
}
