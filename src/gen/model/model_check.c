/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/model_check.c - is a test possible, and what is left out: in sentences with the line of
 * the model file that helps.
 */
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "gen/model/model_int.h"

/* Limits recursion: a maker may need objects, its own type included. */
#define MAX_DEPTH 8

static bool can_make(const struct burl_gen_model *m, int type, int depth);

/* The first parameter that nothing can be made for; -1 none. */
static int
missing_param(const struct burl_gen_model *m, const struct burl_gen_fn *f, int depth)
{
    for (size_t i = 0; i < f->params.n; i++) {
        const struct burl_gen_param *p = &f->params.v[i];
        if (p->role == BURL_GEN_ROLE_UNKNOWN)
            return (int)i;
        if (p->role == BURL_GEN_ROLE_OBJECT && ((int)i != f->self || p->type != m->shared) &&
            !p->nullable && !can_make(m, p->type, depth + 1))
            return (int)i;
    }
    return -1;
}

static bool
makes_type(const struct burl_gen_fn *f, int type)
{
    if (f->result == BURL_GEN_RESULT_OBJECT && f->result_type == type)
        return true;
    for (size_t i = 0; i < f->params.n; i++) {
        if (burl_gen_param_receives(&f->params.v[i]) && f->params.v[i].type == type)
            return true;
    }
    return false;
}

static bool
can_make(const struct burl_gen_model *m, int type, int depth)
{
    if (type < 0 || depth > MAX_DEPTH)
        return false;
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl_gen_fn *f = &m->fns.v[i];
        /* A method makes things of an object that is there already. */
        if (f->kind == BURL_GEN_SKIP || f->kind == BURL_GEN_DESTROY ||
            (f->kind == BURL_GEN_METHOD && type == m->shared))
            continue;
        if (makes_type(f, type) && missing_param(m, f, depth + 1) < 0)
            return true;
    }
    return false;
}

bool
burl_gen_fn_is_callable(const struct burl_gen_model *m, const struct burl_gen_fn *f)
{
    return f->kind != BURL_GEN_SKIP && missing_param(m, f, 0) < 0;
}

/* "state \"f: fixed stdout\" under \"method queue_print\"" as a sentence. */
static void
explain(const struct burl_gen_model *m, const struct burl_gen_fn *f, struct burl_buf *out)
{
    int k = missing_param(m, f, 0);
    const struct burl_gen_param *p = k >= 0 ? &f->params.v[k] : NULL;
    char name[32];

    if (!p)
        return;
    (void)snprintf(name, sizeof name, "parameter %d", k + 1);
    burl_buf_printf(out, "%s() cannot be called: %s (", f->name, p->name[0] ? p->name : name);
    burl_buf_printf(out, "%s) ", p->ctype);
    if (p->role == BURL_GEN_ROLE_UNKNOWN)
        burl_buf_printf(out, "is unknown: %s", p->note ? p->note : "state its role");
    else
        burl_buf_printf(out, "needs a %s, which nothing can make; state \"make f\"",
                        p->type >= 0 ? m->types.v[p->type].name : "?");
}

void
burl_gen_model_left_out(const struct burl_gen_model *m, struct burl_buf *out)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl_gen_fn *f = &m->fns.v[i];
        if (f->kind == BURL_GEN_SKIP) {
            burl_buf_printf(out, "%s() is not called: it %s", f->name,
                            f->note ? f->note : "is left out");
            /* Names the line of the model file that would change it. */
            if (f->note && (strstr(f->note, "by its name") || strstr(f->note, "by its comment")))
                burl_buf_printf(out, "; \"method %s\" would call it", f->name);
            burl_buf_char(out, '\n');
        } else if (missing_param(m, f, 0) >= 0) {
            explain(m, f, out);
            burl_buf_char(out, '\n');
        }
    }
}

/* Explains the functions of a kind on the shared type; returns how many there are. */
static unsigned
explain_all(const struct burl_gen_model *m, enum burl_gen_kind kind, struct burl_buf *out)
{
    unsigned n = 0;

    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl_gen_fn *f = &m->fns.v[i];
        if (f->kind != kind || (kind == BURL_GEN_MAKE && f->makes != m->shared))
            continue;
        if (n++ > 0)
            burl_buf_str_append(out, "; ");
        explain(m, f, out);
    }
    return n;
}

/* Why the shared type cannot be made: it has no maker, or its makers cannot be called. */
static enum burl_status
cannot_make(const struct burl_gen_model *m, struct burl_err *err)
{
    const struct burl_gen_type *t = &m->types.v[m->shared];
    struct burl_buf b;
    enum burl_status st;

    burl_buf_init(&b, 300);
    if (explain_all(m, BURL_GEN_MAKE, &b) > 0)
        st = burl_err_set(err, BURL_E_USAGE, 0, "nothing can make a %s: %s", t->name,
                          burl_buf_str(&b));
    else
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "no function of %s makes a %s. State one in the model file with \"make "
                          "f\"%s; or write a header with a static inline function that returns a "
                          "ready one, and name it there with \"include\"",
                          burl_path_basename(m->header), t->name,
                          t->complete ? ", which may also fill memory it is given (\"storage\")"
                                      : "");
    burl_buf_deinit(&b);
    return st;
}

static enum burl_status
cannot_call(const struct burl_gen_model *m, struct burl_err *err)
{
    const char *type = m->types.v[m->shared].name;
    struct burl_buf b;
    enum burl_status st;
    unsigned n;

    burl_buf_init(&b, 350);
    n = explain_all(m, BURL_GEN_METHOD, &b);
    if (n > 0)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "none of the %u functions that take a %s can be called. %s%s", n, type,
                          burl_buf_str(&b), b.full ? "..." : "");
    else
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "no function that takes a %s is left to call: all make it, end it or "
                          "are skipped; see burl gen --model, and state \"method f\"",
                          type);
    burl_buf_deinit(&b);
    return st;
}

enum burl_status
burl_gen_model_check(const struct burl_gen_model *m, struct burl_err *err)
{
    if (m->shared >= 0 && !can_make(m, m->shared, 0) && !m->every_type)
        return cannot_make(m, err);
    for (size_t i = 0; i < m->fns.n; i++) {
        if (m->fns.v[i].kind == BURL_GEN_METHOD && burl_gen_fn_is_callable(m, &m->fns.v[i]))
            return BURL_OK;
    }
    return cannot_call(m, err);
}
