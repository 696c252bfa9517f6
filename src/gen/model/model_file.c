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

bool
burl__gen_line_end(struct burl__gen_line *l)
{
    return !burl__gen_line_word(l) || burl__gen_line_fail(l, "\"%s\" was not expected", l->word);
}

/* ---- names ----------------------------------------------------------------------------------- */

bool
burl__gen_line_type(struct burl__gen_line *l, int *type)
{
    const struct burl__gen_ctype *record;
    const char *best = NULL;
    char name[600];

    if (!burl__gen_line_word(l))
        return burl__gen_line_fail(l, "a type is missing here, such as \"struct queue\"");
    (void)snprintf(name, sizeof name, "%s", l->word);
    if (strcmp(name, "struct") == 0 || strcmp(name, "union") == 0) {
        size_t n = strlen(name);
        if (!burl__gen_line_word(l))
            return burl__gen_line_fail(l, "\"%s\" needs a name", name);
        (void)snprintf(name + n, sizeof name - n, " %s", l->word);
    }
    while (burl__gen_line_is(l, "*"))
        ;
    *type = burl_gen_model_type(l->m, name);
    if (*type >= 0)
        return true;
    record = burl__gen_named_record(l->m->decls, name);
    if (record) {
        *type = burl__gen_type_of(l->m, record);
        return true;
    }
    for (size_t i = 0; i < l->m->types.n; i++)
        burl__gen_nearer(&best, l->m->types.v[i].name, name);
    return burl__gen_line_fail(l, "no function takes or returns a pointer to \"%s\"%s%s%s", name,
                               best ? "; did you mean \"" : "", best ? best : "",
                               best ? "\"?" : "");
}

/* The name of a function into l->f. */
static bool
take_fn(struct burl__gen_line *l)
{
    const char *best = NULL;
    int at;

    if (!burl__gen_line_word(l))
        return burl__gen_line_fail(l, "the name of a function is missing here");
    at = burl_gen_model_fn(l->m, l->word);
    if (at < 0) {
        for (size_t i = 0; i < l->m->fns.n; i++)
            burl__gen_nearer(&best, l->m->fns.v[i].name, l->word);
        return burl__gen_line_fail(
            l, "%s has no function \"%s\"%s%s%s", burl_path_basename(l->m->header), l->word,
            best ? "; did you mean " : "", best ? best : "", best ? "()?" : "");
    }
    l->f = &l->m->fns.v[at];
    (void)burl__gen_line_is(l, "(");
    (void)burl__gen_line_is(l, ")");
    return true;
}

/* ---- headings -------------------------------------------------------------------------------- */

#define RULED_OUT "is ruled out by the model file"

static void
rule_out(struct burl_gen_fn *f, const char *why)
{
    f->kind = BURL_GEN_SKIP;
    f->note = why;
}

/* Makes the function the destructor of its type, in place of the former one. */
static bool
set_destroy(struct burl__gen_line *l, int type)
{
    struct burl_gen_fn *f = l->f;
    int at = (int)(f - l->m->fns.v);
    int before;

    if (f->params.n != 1)
        return burl__gen_line_fail(l,
                                   "%s() takes %zu parameters; an object is ended by a function "
                                   "that takes it alone",
                                   f->name, f->params.n);
    if (type < 0)
        type = f->params.v[0].type;
    if (type < 0)
        return burl__gen_line_fail(l,
                                   "the parameter of %s() is not an object; state \"type T: "
                                   "destroy %s\"",
                                   f->name, f->name);
    before = l->m->types.v[type].destroy;
    if (before >= 0 && before != at)
        rule_out(&l->m->fns.v[before], burl__gen_text(l->m, "%s() ends the object", f->name));
    l->m->types.v[type].destroy = at;
    f->kind = BURL_GEN_DESTROY;
    f->makes = -1;
    f->self = 0;
    f->params.v[0].role = BURL_GEN_ROLE_OBJECT;
    f->params.v[0].type = type;
    return true;
}

static void
set_kind(struct burl__gen_line *l, enum burl_gen_kind kind)
{
    int at = (int)(l->f - l->m->fns.v);

    for (size_t i = 0; i < l->m->types.n && kind != BURL_GEN_DESTROY; i++) {
        if (l->m->types.v[i].destroy == at)
            l->m->types.v[i].destroy = -1;
    }
    if (kind != l->f->kind)
        l->f->note = kind == BURL_GEN_SKIP ? RULED_OUT : NULL;
    l->f->kind = kind;
    if (kind != BURL_GEN_METHOD && kind != BURL_GEN_DESTROY)
        l->f->self = -1;
}

static bool
take_result(struct burl__gen_line *l)
{
    struct burl_gen_fn *f = l->f;

    if (!burl__gen_line_word(l))
        return burl__gen_line_fail(l, "what does %s() return?", f->name);
    for (int r = 0; r < BURL_GEN_RESULT__N; r++) {
        if (strcmp(l->word, burl__gen_result_words[r]) != 0)
            continue;
        f->result = (enum burl_gen_result)r;
        f->result_type = -1;
        if (!burl__gen_result_fits(f))
            return burl__gen_line_fail(l, "%s() returns %s, which cannot be \"%s\"", f->name,
                                       f->result_ctype, l->word);
        return f->result != BURL_GEN_RESULT_OBJECT || burl__gen_line_type(l, &f->result_type);
    }
    return burl__gen_line_fail(l,
                               "\"%s\" is no result; there are nothing, int, real, string, "
                               "own-string, payload, object TYPE, struct and ignored",
                               l->word);
}

/* BURL__GEN_MARKS: the word is none. */
static size_t
find_mark(const char *word)
{
    size_t i = 0;

    while (i < BURL__GEN_MARKS && strcmp(word, burl__gen_marks[i].word) != 0)
        i++;
    return i;
}

/* After the colon: "returns int, blocks, dump". */
static bool
take_flags(struct burl__gen_line *l)
{
    bool ok = true;

    for (size_t i = 0; i < BURL__GEN_MARKS; i++)
        *burl__gen_marked(l->f, i) = false;
    while (ok && burl__gen_line_word(l)) {
        const size_t mark = find_mark(l->word);
        const bool success = strcmp(l->word, "success") == 0;

        if (mark < BURL__GEN_MARKS)
            *burl__gen_marked(l->f, mark) = true;
        else if (strcmp(l->word, "returns") == 0)
            ok = take_result(l);
        else if (success && burl__gen_line_is(l, "zero"))
            l->f->zero_is_success = true;
        else if (success && burl__gen_line_is(l, "nonzero"))
            l->f->zero_is_success = false;
        else if (strcmp(l->word, ",") != 0)
            ok = burl__gen_line_fail(
                l,
                "\"%s\" was not expected; there are returns, blocks, "
                "readonly, dump, weak, strict, \"success zero\" and \"success nonzero\"",
                l->word);
    }
    return ok;
}

static bool
take_heading(struct burl__gen_line *l)
{
    enum burl_gen_kind kind = BURL_GEN_MAKE;

    while (kind < BURL_GEN_SKIP && strcmp(l->word, burl__gen_kind_words[kind]) != 0)
        kind++; /* "forbid" is "skip" */
    if (!take_fn(l))
        return false;
    set_kind(l, kind);
    return (kind != BURL_GEN_DESTROY || set_destroy(l, -1)) &&
           (!burl__gen_line_is(l, ":") || take_flags(l)) && burl__gen_line_end(l);
}

/* ---- other statements ------------------------------------------------------------------------ */

static bool
take_model(struct burl__gen_line *l)
{
    return burl__gen_line_is(l, "1") ? burl__gen_line_end(l)
                                     : burl__gen_line_fail(l, "this is burl's model 1");
}

static bool
take_include(struct burl__gen_line *l)
{
    const struct burl_span s = burl_span_trim(l->in.rest);

    if (s.n < 3 ||
        !((s.p[0] == '"' && s.p[s.n - 1] == '"') || (s.p[0] == '<' && s.p[s.n - 1] == '>')))
        return burl__gen_line_fail(l, "include wants <name.h> or \"name.h\"");
    for (size_t i = 0; i < l->m->includes.n; i++) {
        if (burl_span_is(s, l->m->includes.v[i]))
            return true;
    }
    BURL_VEC_PUSH(&l->m->includes, burl__gen_text(l->m, "%.*s", (int)s.n, s.p));
    return true;
}

static bool
take_header(struct burl__gen_line *l)
{
    const struct burl_span s = burl_span_trim(l->in.rest);
    const char *name = burl_path_basename(l->m->header);
    const char *stated;

    if (s.n < 3 || s.p[0] != '"' || s.p[s.n - 1] != '"')
        return burl__gen_line_fail(l, "header wants a name in double quotes");
    stated = burl__gen_text(l->m, "%.*s", (int)s.n - 2, s.p + 1);
    return strcmp(burl_path_basename(stated), name) == 0 ||
           burl__gen_line_fail(l, "this model is about %s, not about %s", stated, name);
}

#define TYPE_EXPECTED \
    "after the type \": destroy FUNCTION\" is expected, or \": destroy none\" or \": zeroed\""

/* "type struct queue: destroy queue_free, free" */
static bool
take_type(struct burl__gen_line *l)
{
    struct burl_gen_type *t;
    int type;

    if (!burl__gen_line_type(l, &type))
        return false;
    t = &l->m->types.v[type];
    if (!burl__gen_line_is(l, ":"))
        return burl__gen_line_fail(l, TYPE_EXPECTED);
    if (burl__gen_line_is(l, "zeroed")) {
        t->zeroed = true;
        return t->complete ? burl__gen_line_end(l)
                           : burl__gen_line_fail(l,
                                                 "%s has no definition in the header: its size is "
                                                 "not known",
                                                 t->name);
    }
    if (!burl__gen_line_is(l, "destroy"))
        return burl__gen_line_fail(l, TYPE_EXPECTED);
    t->zeroed = false;
    if (burl__gen_line_is(l, "none")) {
        if (t->destroy >= 0)
            rule_out(&l->m->fns.v[t->destroy], RULED_OUT);
        t->destroy = -1;
    } else if (burl__gen_line_is(l, "free")) {
        t->destroy = -1;
        t->free_it = true;
        return burl__gen_line_end(l);
    } else {
        if (!take_fn(l))
            return false;
        if (l->f->kind != BURL_GEN_DESTROY)
            l->f->note = NULL;
        if (!set_destroy(l, type))
            return false;
    }
    t->free_it = burl__gen_line_is(l, ",") && burl__gen_line_is(l, "free");
    return burl__gen_line_end(l);
}

static bool
take_shared(struct burl__gen_line *l)
{
    int type;

    if (!burl__gen_line_type(l, &type) || !burl__gen_line_end(l))
        return false;
    if (type == l->m->shared || l->keep_shared)
        return true;
    /* Kinds and roles depend on it: guesses again. */
    l->st = burl__gen_guess(l->m, l->m->types.v[type].name, l->err);
    if (l->st != BURL_OK)
        (void)burl_err_prefix(l->err, "%s:%u", l->in.name, l->in.line);
    return l->st == BURL_OK;
}

static bool unknown_statement(struct burl__gen_line *l);

/* "blocks f", "not dump g" */
static bool
take_mark(struct burl__gen_line *l)
{
    const bool on = strcmp(l->word, "not") != 0;
    size_t mark;

    if (!on)
        (void)burl__gen_line_word(l);
    mark = find_mark(l->word);
    if (mark == BURL__GEN_MARKS)
        return unknown_statement(l);
    if (!take_fn(l))
        return false;
    *burl__gen_marked(l->f, mark) = on;
    if (strcmp(burl__gen_marks[mark].word, "weak") == 0)
        l->f->strict = !on;
    else if (strcmp(burl__gen_marks[mark].word, "strict") == 0 && on)
        l->f->weak = false;
    return burl__gen_line_end(l);
}

/* ---- the whole file -------------------------------------------------------------------------- */

static const struct {
    const char *word;
    bool (*take)(struct burl__gen_line *l);
    bool is_heading; /* lines with parameters may follow */
} statements[] = {
    { "model", take_model, false },     { "header", take_header, false },
    { "include", take_include, false }, { "shared", take_shared, false },
    { "type", take_type, false },       { "make", take_heading, true },
    { "destroy", take_heading, true },  { "method", take_heading, true },
    { "helper", take_heading, true },   { "skip", take_heading, true },
    { "forbid", take_heading, true },   { "blocks", take_mark, false },
    { "readonly", take_mark, false },   { "dump", take_mark, false },
    { "weak", take_mark, false },       { "strict", take_mark, false },
    { "not", take_mark, false },
};

#define N_STATEMENTS (sizeof statements / sizeof statements[0])

static bool
unknown_statement(struct burl__gen_line *l)
{
    const char *best = NULL;

    for (size_t i = 0; i < N_STATEMENTS; i++)
        burl__gen_nearer(&best, statements[i].word, l->word);
    return burl__gen_line_fail(l, "\"%s\" is no statement; did you mean \"%s\"?", l->word, best);
}

static bool
take_statement(struct burl__gen_line *l)
{
    for (size_t i = 0; i < N_STATEMENTS; i++) {
        bool ok;

        if (strcmp(l->word, statements[i].word) != 0)
            continue;
        ok = statements[i].take(l);
        if (!statements[i].is_heading)
            l->f = NULL;
        return ok;
    }
    return unknown_statement(l);
}

static bool
take_line(struct burl__gen_line *l)
{
    burl_linereader_cut_comment(&l->in, true);
    if (l->in.rest.n == 0)
        return true;
    if (!isspace((unsigned char)l->in.rest.p[0])) {
        (void)burl__gen_line_word(l);
        return take_statement(l);
    }
    return l->f ? burl__gen_line_param(l)
                : burl__gen_line_fail(l,
                                      "this line begins with blanks, as one about a parameter, but "
                                      "there is no function above it");
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
    struct burl__gen_line l = { .m = m, .keep_shared = keep_shared, .err = err };

    /* The shared type first: another one means guessing again. */
    for (int pass = 0; pass < 2 && l.st == BURL_OK; pass++) {
        l.st = burl_linereader_open(&l.in, path, text, n, BURL_E_FORMAT, err);
        while (l.st == BURL_OK && burl_linereader_next(&l.in)) {
            if (pass == 1 || is_about_shared(l.in.rest))
                (void)take_line(&l);
        }
        l.keep_shared = true;
    }
    return l.st == BURL_OK ? burl__gen_model_finish(m, path, err) : l.st;
}
