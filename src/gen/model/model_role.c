/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/model_role.c - parameters in the model file, and what follows from what was stated.
 *
 * A role must fit the parameter's type: "int" for a pointer is refused here, where the line can be
 * named, and not by the compiler of the driver.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/model/model_int.h"

/* ---- roles and types ------------------------------------------------------------------------- */

static bool
is_integer(const struct burl__gen_ctype *t)
{
    return t->kind == BURL__GEN_C_INT || t->kind == BURL__GEN_C_CHAR ||
           t->kind == BURL__GEN_C_ENUM || t->kind == BURL__GEN_C_BOOL;
}

/* What a pointer or an array points to; NULL for everything else. */
static const struct burl__gen_ctype *
target_of(const struct burl__gen_ctype *t)
{
    return t->kind == BURL__GEN_C_POINTER || t->kind == BURL__GEN_C_ARRAY ? t->pointee : NULL;
}

static bool
role_fits(const struct burl__gen_ctype *t, enum burl_gen_role role)
{
    const struct burl__gen_ctype *e = target_of(t);
    bool scalar = e && (is_integer(e) || e->kind == BURL__GEN_C_REAL);

    switch (role) {
    case BURL_GEN_ROLE_OBJECT:
    case BURL_GEN_ROLE_STORAGE:
        return e && (e->kind == BURL__GEN_C_RECORD || e->kind == BURL__GEN_C_VOID);
    case BURL_GEN_ROLE_OUT_OBJECT:
        return e && e->kind == BURL__GEN_C_POINTER;
    case BURL_GEN_ROLE_INT:
    case BURL_GEN_ROLE_BOOL:
    case BURL_GEN_ROLE_LENGTH:
        return is_integer(t);
    case BURL_GEN_ROLE_REAL:
        return t->kind == BURL__GEN_C_REAL;
    case BURL_GEN_ROLE_STRING:
        return e && (e->kind == BURL__GEN_C_VOID || (is_integer(e) && e->size_b == 1));
    case BURL_GEN_ROLE_BYTES_IN:
    case BURL_GEN_ROLE_BYTES_OUT:
        return e && (scalar || e->kind == BURL__GEN_C_VOID);
    case BURL_GEN_ROLE_OUT_VALUE:
        return scalar || (e && e->kind == BURL__GEN_C_POINTER);
    case BURL_GEN_ROLE_INOUT_VALUE:
        return scalar;
    case BURL_GEN_ROLE_PAYLOAD:
    case BURL_GEN_ROLE_CONTEXT:
        return e && e->kind != BURL__GEN_C_FUNCTION;
    case BURL_GEN_ROLE_CALLBACK:
        return e && e->kind == BURL__GEN_C_FUNCTION;
    case BURL_GEN_ROLE_RECORD:
        return e && e->kind == BURL__GEN_C_RECORD && e->is_complete;
    default:
        return true;
    }
}

bool
burl__gen_result_fits(const struct burl_gen_model *m, const struct burl_gen_fn *f)
{
    const struct burl__gen_ctype *r;

    if (!m->decls)
        return true;
    r = &m->decls->fns.v[f - m->fns.v].result;
    switch (f->result) {
    case BURL_GEN_RESULT_VOID:
        return r->kind == BURL__GEN_C_VOID;
    case BURL_GEN_RESULT_INT:
        return is_integer(r);
    case BURL_GEN_RESULT_REAL:
        return r->kind == BURL__GEN_C_REAL;
    case BURL_GEN_RESULT_STRING:
    case BURL_GEN_RESULT_OWN_STRING:
        return r->kind == BURL__GEN_C_POINTER &&
               (r->pointee->kind == BURL__GEN_C_VOID || r->pointee->size_b == 1);
    case BURL_GEN_RESULT_PAYLOAD:
    case BURL_GEN_RESULT_OBJECT:
        return r->kind == BURL__GEN_C_POINTER && r->pointee->kind != BURL__GEN_C_FUNCTION;
    default:
        return r->kind != BURL__GEN_C_VOID;
    }
}

/* Sizes and signs that the role needs, out of the declaration. */
static void
refit(struct burl_gen_param *p, const struct burl__gen_ctype *t)
{
    const struct burl__gen_ctype *e = target_of(t);

    switch (p->role) {
    case BURL_GEN_ROLE_BYTES_IN:
    case BURL_GEN_ROLE_BYTES_OUT:
    case BURL_GEN_ROLE_OUT_VALUE:
    case BURL_GEN_ROLE_INOUT_VALUE:
        p->size_b = e->kind == BURL__GEN_C_VOID ? 1 : (uint8_t)e->size_b;
        p->is_unsigned = e->is_unsigned || e->kind == BURL__GEN_C_POINTER;
        p->is_real = e->kind == BURL__GEN_C_REAL;
        break;
    case BURL_GEN_ROLE_INT:
    case BURL_GEN_ROLE_BOOL:
    case BURL_GEN_ROLE_REAL:
    case BURL_GEN_ROLE_LENGTH:
        p->size_b = (uint8_t)t->size_b;
        p->is_unsigned = t->is_unsigned;
        break;
    case BURL_GEN_ROLE_CALLBACK:
        free(p->callback);
        p->callback = burl_xstrdup(e->canonical);
        break;
    default:
        break;
    }
}

/* ---- one line -------------------------------------------------------------------------------- */

/* By its name, or its number from 1. -1: none. */
static int
find_param(const struct burl_gen_fn *f, const char *word)
{
    char *end;
    unsigned long k;

    for (size_t i = 0; i < f->params.n; i++) {
        if (f->params.v[i].name[0] && strcmp(f->params.v[i].name, word) == 0)
            return (int)i;
    }
    if (!isdigit((unsigned char)word[0]))
        return -1;
    k = strtoul(word, &end, 10);
    return *end == '\0' && k >= 1 && k <= f->params.n ? (int)k - 1 : -1;
}

static enum burl_status
take_param(struct burl__gen_line *l, const struct burl_gen_fn *f, int *k, struct burl_err *err)
{
    const char *best = NULL;

    *k = -1;
    if (!burl__gen_line_word(l))
        return burl__gen_line_fail(l, err, "the name of a parameter is missing here");
    *k = find_param(f, l->word);
    if (*k >= 0)
        return BURL_OK;
    for (size_t i = 0; i < f->params.n; i++) {
        const char *name = f->params.v[i].name;
        if (name[0] &&
            (!best || burl__gen_distance(name, l->word) < burl__gen_distance(best, l->word)))
            best = name;
    }
    return burl__gen_line_fail(l, err, "%s() has no parameter \"%s\"%s%s%s", f->name, l->word,
                               best          ? "; did you mean \""
                               : f->params.n ? "; write its number"
                                             : "",
                               best ? best : "", best ? "\"?" : "");
}

/* "0..100" */
static bool
parse_range(const char *word, int64_t *lo, int64_t *hi)
{
    char *end;

    errno = 0;
    *lo = strtoll(word, &end, 0);
    if (end == word || errno || end[0] != '.' || end[1] != '.')
        return false;
    word = end + 2;
    *hi = strtoll(word, &end, 0);
    return end != word && !errno && !*end && *lo <= *hi;
}

static void
clear_values(struct burl_gen_param *p)
{
    for (size_t i = 0; i < p->values.n; i++)
        free(p->values.v[i].name);
    p->values.n = 0;
}

static enum burl_status
take_value(struct burl__gen_line *l, const struct burl_gen_model *m, struct burl_gen_param *p,
           struct burl_err *err)
{
    const char *best = NULL;
    char *end;
    int64_t x;

    errno = 0;
    x = strtoll(l->word, &end, 0);
    if (end != l->word && !*end && !errno) {
        BURL_VEC_PUSH(&p->values, (struct burl_gen_value_name){ burl_xstrdup(l->word), x });
        return BURL_OK;
    }
    for (size_t i = 0; i < m->constants.n; i++) {
        const char *name = m->constants.v[i].name;
        if (strcmp(name, l->word) == 0) {
            BURL_VEC_PUSH(&p->values, (struct burl_gen_value_name){ burl_xstrdup(name),
                                                                    m->constants.v[i].value });
            return BURL_OK;
        }
        if (!best || burl__gen_distance(name, l->word) < burl__gen_distance(best, l->word))
            best = name;
    }
    return burl__gen_line_fail(l, err,
                               "\"%s\" is no number and no enumerator of the header%s%s%s (a macro "
                               "is written as its number)",
                               l->word, best ? "; did you mean " : "", best ? best : "",
                               best ? "?" : "");
}

/* "int", "int 0..10", "int one of A B 3" */
static enum burl_status
take_values(struct burl__gen_line *l, const struct burl_gen_model *m, struct burl_gen_param *p,
            struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    const struct burl_span before = l->in.rest;

    clear_values(p);
    p->ranged = false;
    p->lo = 0;
    p->hi = 0;
    if (burl__gen_line_is(l, "one")) {
        if (!burl__gen_line_is(l, "of"))
            return burl__gen_line_fail(l, err, "after \"one\" \"of\" is expected");
        while (st == BURL_OK && burl__gen_line_word(l)) {
            if (strcmp(l->word, ",") != 0)
                st = take_value(l, m, p, err);
        }
        if (st == BURL_OK && p->values.n == 0)
            return burl__gen_line_fail(l, err, "after \"one of\" values are expected");
        return st;
    }
    if (!burl__gen_line_word(l))
        return BURL_OK;
    if (strcmp(l->word, "nullable") == 0) {
        l->in.rest = before;
        return BURL_OK;
    }
    if (!parse_range(l->word, &p->lo, &p->hi))
        return burl__gen_line_fail(
            l, err, "\"%s\" is no range; write \"0..10\" or \"one of A B C\"", l->word);
    p->ranged = true;
    return BURL_OK;
}

static enum burl_status
take_object(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_gen_fn *f, int k,
            struct burl_err *err)
{
    struct burl_gen_param *p = &f->params.v[k];
    enum burl_status st;
    int type;

    st = burl__gen_line_type(l, m, &type, err);
    if (st != BURL_OK)
        return st;
    p->type = type;
    p->consumes = false;
    if (p->role == BURL_GEN_ROLE_STORAGE && !m->types.v[type].complete)
        return burl__gen_line_fail(l, err,
                                   "the header does not define %s, so that there can be no memory "
                                   "for one",
                                   m->types.v[type].name);
    if (p->role == BURL_GEN_ROLE_OBJECT && burl__gen_line_is(l, "self")) {
        if (type != m->shared)
            return burl__gen_line_fail(l, err, "the shared object is a %s, not a %s",
                                       m->types.v[m->shared].name, m->types.v[type].name);
        f->self = k;
    }
    if (p->role == BURL_GEN_ROLE_OBJECT && burl__gen_line_is(l, "consumed"))
        p->consumes = true;
    return BURL_OK;
}

/* A comment could not be told from the expression. */
static bool
has_open_quote(const char *s)
{
    char quote = '\0';

    for (; *s; s++) {
        if (*s == '\\' && s[1])
            s++;
        else if (quote ? *s == quote : *s == '"' || *s == '\'')
            quote = quote ? '\0' : *s;
    }
    return quote != '\0';
}

/* "fixed EXPRESSION" */
static enum burl_status
take_fixed(struct burl__gen_line *l, struct burl_gen_param *p, struct burl_err *err)
{
    const struct burl_span s = burl_span_trim(l->in.rest);
    char *expr = burl_xstrndup(s.p, s.n);

    l->in.rest.n = 0;
    if (s.n == 0 || has_open_quote(expr)) {
        free(expr);
        return burl__gen_line_fail(l, err,
                                   s.n == 0 ? "after \"fixed\" a C expression is expected"
                                            : "a quote of the expression is not closed");
    }
    if (p->expr && strcmp(p->expr, expr) != 0) {
        free(p->note);
        p->note = NULL;
    }
    free(p->expr);
    p->expr = expr;
    return BURL_OK;
}

/* The other half of bytes and length, which must be able to be that. */
static enum burl_status
take_partner(struct burl__gen_line *l, const struct burl_gen_model *m, const struct burl_gen_fn *f,
             struct burl_gen_param *p, enum burl_gen_role role, struct burl_err *err)
{
    enum burl_status st;
    int k;

    p->partner = -1;
    st = take_param(l, f, &k, err);
    if (st != BURL_OK)
        return st;
    if (m->decls && !role_fits(&m->decls->fns.v[f - m->fns.v].params[k].type, role))
        return burl__gen_line_fail(l, err, "\"%s\" is a %s, which is no %s", l->word,
                                   f->params.v[k].ctype,
                                   role == BURL_GEN_ROLE_LENGTH ? "length" : "memory");
    p->partner = k;
    return BURL_OK;
}

/* The words after a role. */
static enum burl_status
take_rest(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_gen_fn *f, int k,
          struct burl_err *err)
{
    struct burl_gen_param *p = &f->params.v[k];

    switch (p->role) {
    case BURL_GEN_ROLE_OBJECT:
    case BURL_GEN_ROLE_STORAGE:
    case BURL_GEN_ROLE_OUT_OBJECT:
        return take_object(l, m, f, k, err);
    case BURL_GEN_ROLE_INT:
    case BURL_GEN_ROLE_INOUT_VALUE:
        return take_values(l, m, p, err);
    case BURL_GEN_ROLE_BYTES_IN:
    case BURL_GEN_ROLE_BYTES_OUT:
        p->partner = -1;
        return burl__gen_line_is(l, "length") ? take_partner(l, m, f, p, BURL_GEN_ROLE_LENGTH, err)
                                              : BURL_OK;
    case BURL_GEN_ROLE_LENGTH:
        if (!burl__gen_line_is(l, "of"))
            return burl__gen_line_fail(l, err, "write \"length of\" and the parameter it counts");
        return take_partner(l, m, f, p, BURL_GEN_ROLE_BYTES_IN, err);
    case BURL_GEN_ROLE_OUT_VALUE:
        p->is_payload = burl__gen_line_is(l, "payload");
        return BURL_OK;
    case BURL_GEN_ROLE_FIXED:
        return take_fixed(l, p, err);
    default:
        return BURL_OK;
    }
}

static enum burl_status
take_role(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_gen_fn *f, int k,
          struct burl_err *err)
{
    struct burl_gen_param *p = &f->params.v[k];
    const struct burl__gen_ctype *t =
        m->decls ? &m->decls->fns.v[f - m->fns.v].params[k].type : NULL;

    if (!burl__gen_line_word(l))
        return burl__gen_line_fail(l, err, "what is \"%s\" for? A role is missing after the colon",
                                   p->name);
    for (int r = 0; r < BURL_GEN_ROLE__N; r++) {
        if (strcmp(l->word, burl__gen_role_words[r]) != 0)
            continue;
        if (t && !role_fits(t, (enum burl_gen_role)r))
            return burl__gen_line_fail(l, err, "\"%s\" of %s() is a %s, which cannot be \"%s\"",
                                       p->name, f->name, p->ctype, l->word);
        if (p->role != (enum burl_gen_role)r) {
            free(p->note);
            p->note = NULL;
        }
        p->role = (enum burl_gen_role)r;
        if (f->self == k && p->role != BURL_GEN_ROLE_OBJECT)
            f->self = -1;
        if (t)
            refit(p, t);
        return take_rest(l, m, f, k, err);
    }
    return burl__gen_line_fail(
        l, err,
        "\"%s\" is no role; there are object, storage, makes, int, bool, "
        "real, string, bytes, buffer, length, out, inout, payload, callback, "
        "context, record and fixed",
        l->word);
}

enum burl_status
burl__gen_line_param(struct burl__gen_line *l, struct burl_gen_model *m, struct burl_gen_fn *f,
                     struct burl_err *err)
{
    enum burl_status st;
    int k;

    st = take_param(l, f, &k, err);
    if (st != BURL_OK)
        return st;
    if (!burl__gen_line_is(l, ":"))
        return burl__gen_line_fail(l, err, "after \"%s\" a colon is expected", l->word);
    st = take_role(l, m, f, k, err);
    if (st != BURL_OK)
        return st;
    f->params.v[k].nullable = burl__gen_line_is(l, "nullable");
    if (f->params.v[k].nullable && m->decls &&
        m->decls->fns.v[f - m->fns.v].params[k].type.kind != BURL__GEN_C_POINTER)
        return burl__gen_line_fail(l, err, "\"%s\" is no pointer and cannot be NULL",
                                   f->params.v[k].name);
    if (burl__gen_line_word(l))
        return burl__gen_line_fail(l, err, "\"%s\" was not expected", l->word);
    return BURL_OK;
}

/* ---- consequences ---------------------------------------------------------------------------- */

/* "make f" without a stated way: by its result, or by its first parameter. */
static void
find_what_it_makes(struct burl_gen_model *m, struct burl_gen_fn *f)
{
    const struct burl__gen_cfn *c = m->decls ? &m->decls->fns.v[f - m->fns.v] : NULL;
    const struct burl__gen_ctype *h = c ? burl__gen_handle(&c->result) : NULL;

    f->makes = -1;
    if (f->result == BURL_GEN_RESULT_OBJECT)
        f->makes = f->result_type;
    for (size_t i = 0; i < f->params.n && f->makes < 0; i++) {
        const struct burl_gen_param *p = &f->params.v[i];
        if (burl_gen_param_receives(p))
            f->makes = p->type;
    }
    if (f->makes >= 0)
        return;
    if (h) {
        f->result = BURL_GEN_RESULT_OBJECT;
        f->result_type = burl__gen_type_of(m, h);
        f->makes = f->result_type;
    } else if (f->params.n > 0 && f->params.v[0].type >= 0 &&
               m->types.v[f->params.v[0].type].complete) {
        f->params.v[0].role = BURL_GEN_ROLE_STORAGE;
        f->makes = f->params.v[0].type;
        m->types.v[f->makes].free_it = true;
    }
}

/* The parameter that is the shared object; the first when none was named. */
static void
find_self(const struct burl_gen_model *m, struct burl_gen_fn *f)
{
    for (size_t i = 0; i < f->params.n && f->self < 0; i++) {
        const struct burl_gen_param *p = &f->params.v[i];
        if (p->role == BURL_GEN_ROLE_OBJECT && p->type == m->shared)
            f->self = (int)i;
    }
}

static bool
is_bytes(const struct burl_gen_param *p)
{
    return p->role == BURL_GEN_ROLE_BYTES_IN || p->role == BURL_GEN_ROLE_BYTES_OUT;
}

/* Bytes and lengths name each other. A length that lost its bytes is a number again. */
static void
pair_lengths(const struct burl_gen_model *m, struct burl_gen_fn *f)
{
    const struct burl__gen_cfn *c = m->decls ? &m->decls->fns.v[f - m->fns.v] : NULL;

    for (size_t i = 0; i < f->params.n; i++) {
        struct burl_gen_param *p = &f->params.v[i];
        struct burl_gen_param *other = p->partner >= 0 ? &f->params.v[p->partner] : NULL;
        if (is_bytes(p) && other && (int)i != p->partner &&
            (!c || role_fits(&c->params[p->partner].type, BURL_GEN_ROLE_LENGTH))) {
            other->role = BURL_GEN_ROLE_LENGTH;
            other->partner = (int)i;
            if (c)
                refit(other, &c->params[p->partner].type);
        } else if (p->role == BURL_GEN_ROLE_LENGTH && other && is_bytes(other) &&
                   other->partner < 0) {
            other->partner = (int)i;
        }
    }
    for (size_t i = 0; i < f->params.n; i++) {
        struct burl_gen_param *p = &f->params.v[i];
        struct burl_gen_param *other = p->partner >= 0 ? &f->params.v[p->partner] : NULL;
        if (p->role == BURL_GEN_ROLE_LENGTH && !(other && is_bytes(other))) {
            p->role = BURL_GEN_ROLE_INT;
            p->partner = -1;
        } else if (is_bytes(p) && other && other->role != BURL_GEN_ROLE_LENGTH) {
            p->partner = -1;
        } else if (!is_bytes(p) && p->role != BURL_GEN_ROLE_LENGTH) {
            p->partner = -1;
        }
    }
}

/* The driver could not keep to it: the second would be read or written beyond its end. */
static bool
has_shared_length(const struct burl_gen_fn *f)
{
    for (size_t i = 0; i < f->params.n; i++) {
        const struct burl_gen_param *p = &f->params.v[i];
        if (is_bytes(p) && p->partner >= 0 && f->params.v[p->partner].partner != (int)i)
            return true;
    }
    return false;
}

static enum burl_status
unfinished(const char *path, const char *name, const char *what, struct burl_err *err)
{
    return burl_err_set(err, BURL_E_FORMAT, 0, "%s: %s() %s", path, name, what);
}

enum burl_status
burl__gen_model_finish(struct burl_gen_model *m, const char *path, struct burl_err *err)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        struct burl_gen_fn *f = &m->fns.v[i];
        pair_lengths(m, f);
        if (has_shared_length(f))
            return unfinished(path, f->name,
                              "has one length for several parameters; leave it to the largest of "
                              "them, and state \"fixed EXPRESSION\" or \"buffer\" for the others",
                              err);
        if (f->kind == BURL_GEN_MAKE) {
            find_what_it_makes(m, f);
            if (f->makes < 0)
                return unfinished(path, f->name,
                                  "is stated to make an object, but returns none; state \"returns "
                                  "object TYPE\", or a parameter that is \"storage TYPE\" or "
                                  "\"makes TYPE\"",
                                  err);
        } else {
            f->makes = -1;
        }
        if (f->kind != BURL_GEN_METHOD)
            continue;
        find_self(m, f);
        if (f->self < 0)
            return unfinished(path, f->name,
                              "is stated to be a method, but has no parameter that is the shared "
                              "object; state one with \"object TYPE self\", or make it a helper",
                              err);
    }
    return BURL_OK;
}
