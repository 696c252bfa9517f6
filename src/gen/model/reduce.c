/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/reduce.c - leaves out of a model what no test of the shared type can need.
 *
 * A large header declares hundreds of functions that have nothing to do with it. Each would be
 * compiled into the driver, where one that cannot be called as guessed would stop everything.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "gen/model/model.h"

/* Marks the types of the function's objects; true when one is new. */
static bool
mark_types(const struct burl_gen_fn *f, bool *needed)
{
    bool is_new = false;

    for (size_t i = 0; i < f->params.n; i++) {
        const struct burl_gen_param *p = &f->params.v[i];

        if (p->role == BURL_GEN_ROLE_OBJECT && p->type >= 0 && !needed[p->type])
            is_new = needed[p->type] = true;
    }
    return is_new;
}

static bool
is_needed(const struct burl_gen_model *m, size_t fn, const bool *needed)
{
    const struct burl_gen_fn *f = &m->fns.v[fn];

    if (f->kind == BURL_GEN_METHOD || f->kind == BURL_GEN_SKIP)
        return true;
    if (f->kind == BURL_GEN_MAKE)
        return f->makes >= 0 && needed[f->makes];
    for (size_t t = 0; t < m->types.n; t++) {
        if (needed[t] && m->types.v[t].destroy == (int)fn)
            return true;
    }
    return false;
}

void
burl_gen_model_reduce(struct burl_gen_model *m)
{
    bool *needed = burl_xcalloc(m->types.n + 1, sizeof *needed);
    bool more = m->shared >= 0;

    if (m->shared >= 0)
        needed[m->shared] = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < m->fns.n; i++) {
            if (m->fns.v[i].kind != BURL_GEN_DESTROY && m->fns.v[i].kind != BURL_GEN_SKIP &&
                is_needed(m, i, needed))
                more = mark_types(&m->fns.v[i], needed) || more;
        }
    }
    for (size_t i = 0; i < m->fns.n; i++) {
        struct burl_gen_fn *f = &m->fns.v[i];

        if (is_needed(m, i, needed))
            continue;
        f->kind = BURL_GEN_SKIP;
        f->unneeded = true;
        if (f->note == NULL)
            f->note = "no test of the shared type needs it";
    }
    free(needed);
}
