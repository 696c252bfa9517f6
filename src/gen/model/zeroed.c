/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/zeroed.c - plain structs that belong to the caller: "queue_put(q, job)",
 * "queue_take(q)".
 *
 * No function of the API makes them: the caller defines one and hands it in. A test does the same
 * with zeroed memory, through a function of its own that is added to the model as one that makes
 * objects. The memory stays to the end of the execution, so that a pointer that comes back is known
 * by which object it is.
 *
 * A pool that hands out items of its own looks alike: "pool_get(p)", "pool_put(p, item)". Only
 * words tell the two apart, and where they say nothing the API must be one that things are put into
 * before they are taken out.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/model/decls_int.h"

#define PUT_WORDS                                                                                \
    "put push enqueue add insert append prepend send offer post submit give store register set " \
    "schedule queue unshift link attach write publish emplace enq"
#define POOL_WORDS "pool cache arena slab allocator freelist"
#define LEND_WORDS                                                                              \
    "acquire borrow checkout alloc allocate lease reserve open create new begin connect claim " \
    "obtain lend init"

bool
burl__gen_is_put(const char *fn)
{
    return burl__gen_has_word(fn, PUT_WORDS);
}

static bool
is_pointer_to(const struct burl__gen_ctype *record, const char *tag)
{
    return record && !record->is_const && strcmp(record->tag, tag) == 0;
}

/* The function answers with one, or writes a pointer to one. */
static bool
gives_out(const struct burl__gen_cfn *c, const char *tag)
{
    if (is_pointer_to(burl__gen_handle(&c->result), tag))
        return true;
    for (size_t i = 0; i < c->n_params; i++) {
        if (is_pointer_to(burl__gen_handle_out(&c->params[i].type), tag))
            return true;
    }
    return false;
}

static bool
takes_in(const struct burl__gen_cfn *c, const char *tag)
{
    for (size_t i = 0; i < c->n_params; i++) {
        if (is_pointer_to(burl__gen_handle(&c->params[i].type), tag))
            return burl__gen_is_put(c->name);
    }
    return false;
}

static bool
is_callers(const struct burl_gen_model *m, int type)
{
    const struct burl_gen_type *t = &m->types.v[type];
    bool in = false;
    bool out = false;

    if (type == m->shared || !t->complete || t->destroy >= 0 || t->free_it ||
        (m->shared >= 0 && burl__gen_has_word(m->types.v[m->shared].name, POOL_WORDS)))
        return false;
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl_gen_fn *f = &m->fns.v[i];
        const struct burl__gen_cfn *c = f->decl;
        if (f->kind == BURL_GEN_MAKE && f->makes == type)
            return false;
        if (f->kind != BURL_GEN_METHOD)
            continue;
        if (gives_out(c, t->name)) {
            if (burl__gen_has_word(c->name, LEND_WORDS) ||
                burl__gen_says(c->comment, "a new |gives it back|given back|give back"))
                return false;
            out = true;
        }
        in |= takes_in(c, t->name);
    }
    return in && out;
}

void
burl__gen_guess_zeroed(struct burl_gen_model *m)
{
    for (size_t t = 0; t < m->types.n; t++) {
        m->types.v[t].zeroed = is_callers(m, (int)t);
        if (m->types.v[t].zeroed)
            burl__gen_note(m, "A %s is the caller's: tests hand in zeroed memory, each once.",
                           m->types.v[t].name);
    }
}

/* "struct job" -> "zeroed_job", or more of it when the header has that name. */
static const char *
name_of(struct burl_gen_model *m, const char *type)
{
    const char *space = strrchr(type, ' ');
    const char *name = burl__gen_text(m, "zeroed_%s", space ? space + 1 : type);

    while (burl_gen_model_fn(m, name) >= 0)
        name = burl__gen_text(m, "%s_", name);
    return name;
}

void
burl__gen_add_zeroed(struct burl_gen_model *m)
{
    for (size_t t = 0; t < m->types.n; t++) {
        const char *type = m->types.v[t].name;
        struct burl_gen_fn f = { .kind = BURL_GEN_MAKE,
                                 .result = BURL_GEN_RESULT_OBJECT,
                                 .result_type = (int)t,
                                 .self = -1,
                                 .makes = (int)t,
                                 .is_ours = true };

        if (!m->types.v[t].zeroed)
            continue;
        f.name = name_of(m, type);
        f.ctype = burl__gen_text(m, "%s *(void)", type);
        f.file = m->header;
        f.result_ctype = burl__gen_text(m, "%s *", type);
        BURL_VEC_PUSH(&m->fns, f);
    }
}

void
burl__gen_write_zeroed(const struct burl_gen_model *m, const struct burl_gen_fn *f,
                       struct burl_buf *out)
{
    const char *type = m->types.v[f->makes].name;

    burl_buf_printf(out, "static %s *\n%s(void)\n{\n    return calloc(1, sizeof(%s));\n}\n\n", type,
                    f->name, type);
}
