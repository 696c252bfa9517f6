/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/model.c - the basics of a model: its memory, look-ups, properties of functions.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/model/decls_int.h"

void *
burl_gen_memory_keep(struct burl_gen_memory *memory, void *block)
{
    BURL_VEC_PUSH(memory, block);
    return block;
}

void
burl_gen_memory_release(struct burl_gen_memory *memory)
{
    for (size_t i = 0; i < memory->n; i++)
        free(memory->v[i]);
    BURL_VEC_FREE(memory);
}

void
burl_gen_model_deinit(struct burl_gen_model *m)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        for (size_t k = 0; k < m->fns.v[i].params.n; k++)
            BURL_VEC_FREE(&m->fns.v[i].params.v[k].values);
        BURL_VEC_FREE(&m->fns.v[i].params);
    }
    BURL_VEC_FREE(&m->types);
    BURL_VEC_FREE(&m->fns);
    BURL_VEC_FREE(&m->notes);
    BURL_VEC_FREE(&m->includes);
    BURL_VEC_FREE(&m->flags);
    BURL_VEC_FREE(&m->constants);
    burl_gen_memory_release(&m->memory);
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

void
burl_gen_model_undefined(struct burl_gen_model *m, int fn)
{
    struct burl_gen_fn *f = &m->fns.v[fn];

    f->kind = BURL_GEN_SKIP;
    f->is_undefined = true;
    f->note = "is declared, but nothing that was given defines it";
    for (size_t t = 0; t < m->types.n; t++) {
        if (m->types.v[t].destroy == fn)
            m->types.v[t].destroy = -1;
    }
}
