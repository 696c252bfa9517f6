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

/* What a pointer or an array points to; NULL for everything else. */
static const struct burl__gen_ctype *
target_of(const struct burl__gen_ctype *t)
{
    return t->kind == BURL__GEN_C_POINTER || t->kind == BURL__GEN_C_ARRAY ? t->pointee : NULL;
}

bool
burl__gen_role_fits(const struct burl_gen_param *p, enum burl_gen_role role)
{
    const struct burl__gen_ctype *t = &p->decl->type;
    const struct burl__gen_ctype *e = target_of(t);
    bool scalar = e && burl__gen_is_scalar(e);

    switch (role) {
    case BURL_GEN_ROLE_OBJECT:
    case BURL_GEN_ROLE_STORAGE:
        return e && (e->kind == BURL__GEN_C_RECORD || e->kind == BURL__GEN_C_VOID);
    case BURL_GEN_ROLE_OUT_OBJECT:
        return e && e->kind == BURL__GEN_C_POINTER;
    case BURL_GEN_ROLE_INT:
    case BURL_GEN_ROLE_BOOL:
    case BURL_GEN_ROLE_LENGTH:
        return burl__gen_is_integer(t);
    case BURL_GEN_ROLE_REAL:
        return t->kind == BURL__GEN_C_REAL;
    case BURL_GEN_ROLE_STRING:
        return e && (e->kind == BURL__GEN_C_VOID || (burl__gen_is_integer(e) && e->size_b == 1));
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
burl__gen_result_fits(const struct burl_gen_fn *f)
{
    const struct burl__gen_ctype *r = &f->decl->result;

    switch (f->result) {
    case BURL_GEN_RESULT_VOID:
        return r->kind == BURL__GEN_C_VOID;
    case BURL_GEN_RESULT_INT:
        return burl__gen_is_integer(r);
    case BURL_GEN_RESULT_REAL:
        return r->kind == BURL__GEN_C_REAL;
    case BURL_GEN_RESULT_STRING:
    case BURL_GEN_RESULT_OWN_STRING:
        return r->kind == BURL__GEN_C_POINTER &&
               (r->pointee->kind == BURL__GEN_C_VOID || r->pointee->size_b == 1);
    case BURL_GEN_RESULT_STRUCT:
        return r->is_plain;
    case BURL_GEN_RESULT_PAYLOAD:
    case BURL_GEN_RESULT_OBJECT:
        return r->kind == BURL__GEN_C_POINTER && r->pointee->kind != BURL__GEN_C_FUNCTION;
    default:
        return r->kind != BURL__GEN_C_VOID;
    }
}

void
burl__gen_refit(struct burl_gen_param *p)
{
    const struct burl__gen_ctype *t = &p->decl->type;
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
        p->callback = e->canonical;
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

/* The name of a parameter of l->f. */
static bool
take_param(struct burl__gen_line *l, int *k)
{
    const struct burl_gen_fn *f = l->f;
    const char *best = NULL;

    if (!burl__gen_line_word(l))
        return burl__gen_line_fail(l, "the name of a parameter is missing here");
    *k = find_param(f, l->word);
    if (*k >= 0)
        return true;
    for (size_t i = 0; i < f->params.n; i++) {
        if (f->params.v[i].name[0])
            burl__gen_nearer(&best, f->params.v[i].name, l->word);
    }
    return burl__gen_line_fail(l, "%s() has no parameter \"%s\"%s%s%s", f->name, l->word,
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

static bool
take_value(struct burl__gen_line *l, struct burl_gen_param *p)
{
    const char *best = NULL;
    char *end;
    int64_t x;

    errno = 0;
    x = strtoll(l->word, &end, 0);
    if (end != l->word && !*end && !errno) {
        BURL_VEC_PUSH(&p->values,
                      (struct burl_gen_value_name){ burl__gen_text(l->m, "%s", l->word), x });
        return true;
    }
    for (size_t i = 0; i < l->m->constants.n; i++) {
        if (strcmp(l->m->constants.v[i].name, l->word) == 0) {
            BURL_VEC_PUSH(&p->values, l->m->constants.v[i]);
            return true;
        }
        burl__gen_nearer(&best, l->m->constants.v[i].name, l->word);
    }
    return burl__gen_line_fail(l,
                               "\"%s\" is no number and no enumerator of the header%s%s%s (a macro "
                               "is written as its number)",
                               l->word, best ? "; did you mean " : "", best ? best : "",
                               best ? "?" : "");
}

/* "int", "int 0..10", "int one of A B 3" */
static bool
take_values(struct burl__gen_line *l, struct burl_gen_param *p)
{
    const struct burl_span before = l->in.rest;

    p->values.n = 0;
    p->ranged = false;
    p->lo = 0;
    p->hi = 0;
    if (burl__gen_line_is(l, "one")) {
        if (!burl__gen_line_is(l, "of"))
            return burl__gen_line_fail(l, "after \"one\" \"of\" is expected");
        while (burl__gen_line_word(l)) {
            if (strcmp(l->word, ",") != 0 && !take_value(l, p))
                return false;
        }
        return p->values.n > 0 || burl__gen_line_fail(l, "after \"one of\" values are expected");
    }
    if (!burl__gen_line_word(l))
        return true;
    if (strcmp(l->word, "nullable") == 0) {
        l->in.rest = before;
        return true;
    }
    p->ranged = parse_range(l->word, &p->lo, &p->hi);
    return p->ranged || burl__gen_line_fail(
                            l, "\"%s\" is no range; write \"0..10\" or \"one of A B C\"", l->word);
}

static bool
take_object(struct burl__gen_line *l, struct burl_gen_param *p)
{
    const struct burl_gen_model *m = l->m;
    const bool is_object = p->role == BURL_GEN_ROLE_OBJECT;
    int type;

    if (!burl__gen_line_type(l, &type))
        return false;
    p->type = type;
    if (p->role == BURL_GEN_ROLE_STORAGE && !m->types.v[type].complete)
        return burl__gen_line_fail(l,
                                   "the header does not define %s, so that there can be no memory "
                                   "for one",
                                   m->types.v[type].name);
    if (is_object && burl__gen_line_is(l, "self")) {
        if (type != m->shared && !m->every_type)
            return burl__gen_line_fail(l, "the shared object is a %s, not a %s",
                                       m->types.v[m->shared].name, m->types.v[type].name);
        l->f->self = (int)(p - l->f->params.v);
    }
    p->consumes = is_object && burl__gen_line_is(l, "consumed");
    return true;
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
static bool
take_fixed(struct burl__gen_line *l, struct burl_gen_param *p)
{
    const struct burl_span s = burl_span_trim(l->in.rest);
    const char *expr = burl__gen_text(l->m, "%.*s", (int)s.n, s.p);

    l->in.rest.n = 0;
    if (s.n == 0)
        return burl__gen_line_fail(l, "after \"fixed\" a C expression is expected");
    if (has_open_quote(expr))
        return burl__gen_line_fail(l, "a quote of the expression is not closed");
    if (p->expr && strcmp(p->expr, expr) != 0)
        p->note = NULL;
    p->expr = expr;
    return true;
}

/* The other half of bytes and length, which must be able to be that. */
static bool
take_partner(struct burl__gen_line *l, struct burl_gen_param *p, enum burl_gen_role role)
{
    int k;

    if (!take_param(l, &k))
        return false;
    p->partner = k;
    return burl__gen_role_fits(&l->f->params.v[k], role) ||
           burl__gen_line_fail(l, "\"%s\" is a %s, which is no %s", l->word,
                               l->f->params.v[k].ctype,
                               role == BURL_GEN_ROLE_LENGTH ? "length" : "memory");
}

/* The words after a role. */
static bool
take_rest(struct burl__gen_line *l, struct burl_gen_param *p)
{
    switch (p->role) {
    case BURL_GEN_ROLE_OBJECT:
    case BURL_GEN_ROLE_STORAGE:
    case BURL_GEN_ROLE_OUT_OBJECT:
        return take_object(l, p);
    case BURL_GEN_ROLE_INT:
    case BURL_GEN_ROLE_INOUT_VALUE:
        return take_values(l, p);
    case BURL_GEN_ROLE_BYTES_IN:
    case BURL_GEN_ROLE_BYTES_OUT:
        p->partner = -1;
        return !burl__gen_line_is(l, "length") || take_partner(l, p, BURL_GEN_ROLE_LENGTH);
    case BURL_GEN_ROLE_LENGTH:
        return burl__gen_line_is(l, "of")
                   ? take_partner(l, p, BURL_GEN_ROLE_BYTES_IN)
                   : burl__gen_line_fail(l, "write \"length of\" and the parameter it counts");
    case BURL_GEN_ROLE_OUT_VALUE:
        p->is_payload = burl__gen_line_is(l, "payload");
        return true;
    case BURL_GEN_ROLE_FIXED:
        return take_fixed(l, p);
    default:
        return true;
    }
}

static bool
take_role(struct burl__gen_line *l, struct burl_gen_param *p)
{
    if (!burl__gen_line_word(l))
        return burl__gen_line_fail(l, "what is \"%s\" for? A role is missing after the colon",
                                   p->name);
    for (int r = 0; r < BURL_GEN_ROLE__N; r++) {
        if (strcmp(l->word, burl__gen_role_words[r]) != 0)
            continue;
        if (!burl__gen_role_fits(p, (enum burl_gen_role)r))
            return burl__gen_line_fail(l, "\"%s\" of %s() is a %s, which cannot be \"%s\"", p->name,
                                       l->f->name, p->ctype, l->word);
        if (p->role != (enum burl_gen_role)r)
            burl__gen_set_role(p, (enum burl_gen_role)r, NULL);
        if (l->f->self == p - l->f->params.v && p->role != BURL_GEN_ROLE_OBJECT)
            l->f->self = -1;
        burl__gen_refit(p);
        return take_rest(l, p);
    }
    return burl__gen_line_fail(
        l,
        "\"%s\" is no role; there are object, storage, makes, int, bool, "
        "real, string, bytes, buffer, length, out, inout, payload, callback, "
        "context, record and fixed",
        l->word);
}

bool
burl__gen_line_param(struct burl__gen_line *l)
{
    struct burl_gen_param *p;
    int k;

    if (!take_param(l, &k))
        return false;
    p = &l->f->params.v[k];
    if (!burl__gen_line_is(l, ":"))
        return burl__gen_line_fail(l, "after \"%s\" a colon is expected", l->word);
    if (!take_role(l, p))
        return false;
    p->nullable = burl__gen_line_is(l, "nullable");
    if (p->nullable && p->decl->type.kind != BURL__GEN_C_POINTER)
        return burl__gen_line_fail(l, "\"%s\" is no pointer and cannot be NULL", p->name);
    return burl__gen_line_end(l);
}

/* ---- consequences ---------------------------------------------------------------------------- */

/* "make f" without a stated way: by its result, or by its first parameter. */
static void
find_what_it_makes(struct burl_gen_model *m, struct burl_gen_fn *f)
{
    const struct burl__gen_ctype *h = burl__gen_handle(&f->decl->result);
    struct burl_gen_param *first = f->params.n > 0 ? &f->params.v[0] : NULL;

    f->makes = -1;
    f->makes = burl_gen_fn_made_type(f);
    if (f->makes >= 0)
        return;
    if (h) {
        f->result = BURL_GEN_RESULT_OBJECT;
        f->result_type = burl__gen_type_of(m, h);
        f->makes = f->result_type;
    } else if (first && first->type >= 0 && m->types.v[first->type].complete) {
        first->role = BURL_GEN_ROLE_STORAGE;
        f->makes = first->type;
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

static struct burl_gen_param *
partner_of(struct burl_gen_fn *f, const struct burl_gen_param *p)
{
    return p->partner >= 0 ? &f->params.v[p->partner] : NULL;
}

/* Bytes and lengths name each other. A length that lost its bytes is a number again. */
static void
pair_lengths(struct burl_gen_fn *f)
{
    for (size_t i = 0; i < f->params.n; i++) {
        struct burl_gen_param *p = &f->params.v[i];
        struct burl_gen_param *other = partner_of(f, p);
        if (is_bytes(p) && other && other != p &&
            burl__gen_role_fits(other, BURL_GEN_ROLE_LENGTH)) {
            other->role = BURL_GEN_ROLE_LENGTH;
            other->partner = (int)i;
            burl__gen_refit(other);
        } else if (p->role == BURL_GEN_ROLE_LENGTH && other && is_bytes(other) &&
                   other->partner < 0) {
            other->partner = (int)i;
        }
    }
    for (size_t i = 0; i < f->params.n; i++) {
        struct burl_gen_param *p = &f->params.v[i];
        struct burl_gen_param *other = partner_of(f, p);
        const bool is_length = p->role == BURL_GEN_ROLE_LENGTH;
        if (is_length && !(other && is_bytes(other)))
            p->role = BURL_GEN_ROLE_INT;
        else if (is_bytes(p) ? !other || other->role == BURL_GEN_ROLE_LENGTH : is_length)
            continue;
        p->partner = -1;
    }
}

/* The driver could not keep to it: the second would be read or written beyond its end. */
static bool
has_shared_length(struct burl_gen_fn *f)
{
    for (size_t i = 0; i < f->params.n; i++) {
        const struct burl_gen_param *other = partner_of(f, &f->params.v[i]);
        if (is_bytes(&f->params.v[i]) && other && other->partner != (int)i)
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
        pair_lengths(f);
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
        if (f->self < 0 && !m->every_type)
            return unfinished(path, f->name,
                              "is stated to be a method, but has no parameter that is the shared "
                              "object; state one with \"object TYPE self\", or make it a helper",
                              err);
    }
    return BURL_OK;
}
