/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/handles.c - objects behind names for void * and for numbers: "typedef void *queue_t",
 * "typedef int queue_t".
 *
 * Runs in the host, between reading the declarations and the guesses. Such a name is a handle when
 * the functions treat it as one: some function makes one (returns it, or writes it through a
 * pointer, and takes none) and others take it as their first parameter; of a number, one of these
 * must end it, for numbers have names for many reasons. A name for a payload, as gpointer is, is
 * returned by functions that look things up and is made by none. From here on a handle is a pointer
 * to a record of that name, so that every pass knows it.
 */
#include <string.h>

#include "gen/model/decls_int.h"

#define MAKE_WORDS \
    "new create make alloc allocate open init initialize initialise setup start connect"

#define END_WORDS \
    "free destroy delete dispose deinit fini release close end finish stop shutdown disconnect"

static bool
is_alias(const struct burl__gen_ctype *t, const char *name)
{
    if (!t->alias || (name && strcmp(t->alias, name) != 0))
        return false;
    if (t->kind == BURL__GEN_C_INT)
        return t->size_b >= 4 && !t->is_const;
    return t->kind == BURL__GEN_C_POINTER && t->pointee->kind == BURL__GEN_C_VOID;
}

static bool
takes(const struct burl__gen_cfn *f, const char *name)
{
    for (size_t i = 0; i < f->n_params; i++) {
        if (is_alias(&f->params[i].type, name))
            return true;
    }
    return false;
}

static bool
makes(const struct burl__gen_cfn *f, const char *name)
{
    if (takes(f, name) || !burl__gen_has_word(f->name, MAKE_WORDS))
        return false;
    if (is_alias(&f->result, name))
        return true;
    for (size_t i = 0; i < f->n_params; i++) {
        const struct burl__gen_ctype *t = &f->params[i].type;
        if (t->kind == BURL__GEN_C_POINTER && is_alias(t->pointee, name))
            return true;
    }
    return false;
}

static bool
is_number(const struct burl__gen_decls *d, const char *name)
{
    for (size_t i = 0; i < d->fns.n; i++) {
        const struct burl__gen_cfn *f = &d->fns.v[i];

        if (f->n_params > 0 && is_alias(&f->params[0].type, name))
            return f->params[0].type.kind == BURL__GEN_C_INT;
    }
    return false;
}

static bool
is_handle(const struct burl__gen_decls *d, const char *name)
{
    bool made = false;
    bool ended = false;
    unsigned first = 0; /* functions whose first parameter it is */

    for (size_t i = 0; i < d->fns.n; i++) {
        const struct burl__gen_cfn *f = &d->fns.v[i];
        const bool is_first = f->n_params > 0 && is_alias(&f->params[0].type, name);

        made |= makes(f, name);
        first += is_first;
        ended |= is_first && f->n_params == 1 && burl__gen_has_word(f->name, END_WORDS);
    }
    return made && first > 0 && (ended || !is_number(d, name));
}

static void
convert(struct burl__gen_decls *d, struct burl__gen_ctype *t, const char *name)
{
    if (is_alias(t, name)) {
        if (t->kind == BURL__GEN_C_INT) {
            t->pointee = burl_gen_memory_keep(&d->memory, burl_xcalloc(1, sizeof *t->pointee));
            *t->pointee = (struct burl__gen_ctype){ .spelling = t->alias,
                                                    .canonical = t->alias,
                                                    .size_b = -1,
                                                    .elements = -1,
                                                    .nullable = -1,
                                                    .is_number = true };
            t->kind = BURL__GEN_C_POINTER;
        }
        t->pointee->kind = BURL__GEN_C_RECORD;
        t->pointee->tag = t->alias;
        t->pointee->is_alias = true;
        t->pointee->is_own = true;
    } else if (t->kind == BURL__GEN_C_POINTER) {
        convert(d, t->pointee, name);
    }
}

void
burl__gen_find_handles(struct burl__gen_decls *d)
{
    for (size_t i = 0; i < d->fns.n; i++) {
        const struct burl__gen_cfn *f = &d->fns.v[i];
        const char *name =
            f->n_params > 0 && is_alias(&f->params[0].type, NULL) ? f->params[0].type.alias : NULL;

        if (!name || !is_handle(d, name))
            continue;
        for (size_t k = 0; k < d->fns.n; k++) {
            convert(d, &d->fns.v[k].result, name);
            for (size_t j = 0; j < d->fns.v[k].n_params; j++)
                convert(d, &d->fns.v[k].params[j].type, name);
        }
    }
}
