/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/model.c - the basics of a model: its memory, look-ups, properties of functions.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/model/decls_int.h"

static void
deinit_param(struct burl_gen_param *p)
{
    free(p->name);
    free(p->ctype);
    for (size_t i = 0; i < p->values.n; i++)
        free(p->values.v[i].name);
    BURL_VEC_FREE(&p->values);
    free(p->expr);
    free(p->callback);
    free(p->note);
}

static void
deinit_fn(struct burl_gen_fn *f)
{
    free(f->name);
    free(f->ctype);
    free(f->file);
    free(f->result_ctype);
    free(f->note);
    for (size_t i = 0; i < f->params.n; i++)
        deinit_param(&f->params.v[i]);
    BURL_VEC_FREE(&f->params);
}

void
burl_gen_model_deinit(struct burl_gen_model *m)
{
    free(m->header);
    for (size_t i = 0; i < m->types.n; i++)
        free(m->types.v[i].name);
    for (size_t i = 0; i < m->fns.n; i++)
        deinit_fn(&m->fns.v[i]);
    for (size_t i = 0; i < m->notes.n; i++)
        free(m->notes.v[i].text);
    for (size_t i = 0; i < m->includes.n; i++)
        free(m->includes.v[i]);
    for (size_t i = 0; i < m->flags.n; i++)
        free(m->flags.v[i]);
    for (size_t i = 0; i < m->constants.n; i++)
        free(m->constants.v[i].name);
    BURL_VEC_FREE(&m->types);
    BURL_VEC_FREE(&m->fns);
    BURL_VEC_FREE(&m->notes);
    BURL_VEC_FREE(&m->includes);
    BURL_VEC_FREE(&m->flags);
    BURL_VEC_FREE(&m->constants);
    burl__gen_decls_free(m->decls);
    *m = (struct burl_gen_model){ 0 };
}

int
burl_gen_model_fn(const struct burl_gen_model *m, const char *name)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        if (strcmp(m->fns.v[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

int
burl_gen_model_type(const struct burl_gen_model *m, const char *name)
{
    for (size_t i = 0; i < m->types.n; i++) {
        if (strcmp(m->types.v[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

/* ---- functions --------------------------------------------------------------------------- */

bool
burl_gen_fn_has_thunk(const struct burl_gen_fn *f)
{
    if (f->kind == BURL_GEN_SKIP)
        return false;
    for (size_t i = 0; i < f->params.n; i++) {
        if (f->params.v[i].role == BURL_GEN_ROLE_UNKNOWN)
            return false;
    }
    return true;
}

bool
burl_gen_fn_is_dump(const struct burl_gen_fn *f)
{
    return f->dump && burl_gen_fn_has_thunk(f);
}

bool
burl_gen_param_receives(const struct burl_gen_param *p)
{
    return p->role == BURL_GEN_ROLE_STORAGE || p->role == BURL_GEN_ROLE_OUT_OBJECT;
}

int
burl_gen_fn_made_param(const struct burl_gen_fn *f)
{
    for (size_t i = 0; i < f->params.n; i++) {
        if (burl_gen_param_receives(&f->params.v[i]))
            return (int)i;
    }
    return -1;
}

int
burl_gen_fn_made_type(const struct burl_gen_fn *f)
{
    const int param = burl_gen_fn_made_param(f);

    if (f->result == BURL_GEN_RESULT_OBJECT)
        return f->result_type;
    return param >= 0 ? f->params.v[param].type : f->makes;
}

bool
burl_gen_fn_is_weak_bool(const struct burl_gen_fn *f)
{
    return strcmp(f->result_ctype, "bool") == 0 || strcmp(f->result_ctype, "_Bool") == 0;
}
