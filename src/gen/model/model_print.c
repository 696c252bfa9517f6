/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/model_print.c - a model as a text file: see docs/formats/model.md.
 *
 * What is printed states everything that a reader of the file could want to change, so that the
 * file read back over a fresh guess gives the same model. Notes are comments.
 */
#include <inttypes.h>
#include <string.h>

#include "base/path.h"
#include "gen/model/model_int.h"

const char *const burl__gen_role_words[BURL_GEN_ROLE__N] = {
#define BURL_X(name, text) text,
    BURL_GEN_ROLES(BURL_X)
#undef BURL_X
};

const char *const burl__gen_result_words[BURL_GEN_RESULT__N] = {
#define BURL_X(name, text) text,
    BURL_GEN_RESULTS(BURL_X)
#undef BURL_X
};

const char *const burl__gen_kind_words[BURL__GEN_KINDS] = { "make", "destroy", "method", "helper",
                                                            "skip" };

const struct burl__gen_mark burl__gen_marks[BURL__GEN_MARKS] = {
    { "blocks", offsetof(struct burl_gen_fn, may_block) },
    { "readonly", offsetof(struct burl_gen_fn, read_only) },
    { "dump", offsetof(struct burl_gen_fn, dump) },
    { "weak", offsetof(struct burl_gen_fn, weak) },
    { "strict", offsetof(struct burl_gen_fn, strict) },
};

bool *
burl__gen_marked(const struct burl_gen_fn *f, size_t i)
{
    return (bool *)((uintptr_t)f + burl__gen_marks[i].offset);
}

static const char *
type_name(const struct burl_gen_model *m, int type)
{
    return type >= 0 ? m->types.v[type].name : "?";
}

/* A parameter's name, or its number from 1 when the header gives none. */
static void
print_param_name(struct burl_buf *out, const struct burl_gen_fn *f, int k)
{
    if (f->params.v[k].name[0])
        burl_buf_str_append(out, f->params.v[k].name);
    else
        burl_buf_printf(out, "%d", k + 1);
}

static void
print_values(struct burl_buf *out, const struct burl_gen_param *p)
{
    if (p->values.n > 0) {
        burl_buf_str_append(out, " one of");
        for (size_t i = 0; i < p->values.n; i++)
            burl_buf_printf(out, " %s", p->values.v[i].name);
    } else if (p->ranged) {
        burl_buf_printf(out, " %" PRId64 "..%" PRId64, p->lo, p->hi);
    }
}

static void
print_role(const struct burl_gen_model *m, const struct burl_gen_fn *f, int k, struct burl_buf *out)
{
    const struct burl_gen_param *p = &f->params.v[k];

    burl_buf_str_append(out, burl__gen_role_words[p->role]);
    switch (p->role) {
    case BURL_GEN_ROLE_OBJECT:
    case BURL_GEN_ROLE_STORAGE:
    case BURL_GEN_ROLE_OUT_OBJECT:
        burl_buf_printf(out, " %s%s%s", type_name(m, p->type),
                        f->self == k && p->type == m->shared ? " self" : "",
                        p->consumes ? " consumed" : "");
        break;
    case BURL_GEN_ROLE_INT:
    case BURL_GEN_ROLE_INOUT_VALUE:
        print_values(out, p);
        break;
    case BURL_GEN_ROLE_BYTES_IN:
    case BURL_GEN_ROLE_BYTES_OUT:
        if (p->partner >= 0) {
            burl_buf_str_append(out, " length ");
            print_param_name(out, f, p->partner);
        }
        break;
    case BURL_GEN_ROLE_LENGTH:
        burl_buf_str_append(out, " of ");
        print_param_name(out, f, p->partner);
        break;
    case BURL_GEN_ROLE_OUT_VALUE:
        if (p->is_payload)
            burl_buf_str_append(out, " payload");
        break;
    case BURL_GEN_ROLE_FIXED:
        burl_buf_printf(out, " %s", p->expr ? p->expr : "0");
        break;
    default:
        break;
    }
    if (p->nullable)
        burl_buf_str_append(out, " nullable");
}

static void
print_flags(const struct burl_gen_model *m, const struct burl_gen_fn *f, struct burl_buf *out)
{
    burl_buf_printf(out, ": returns %s", burl__gen_result_words[f->result]);
    if (f->result == BURL_GEN_RESULT_OBJECT)
        burl_buf_printf(out, " %s", type_name(m, f->result_type));
    /* An object made through a parameter: the result tells success from failure. */
    if (burl_gen_fn_made_param(f) >= 0 && f->result == BURL_GEN_RESULT_INT)
        burl_buf_printf(out, ", success %s", f->zero_is_success ? "zero" : "nonzero");
    for (size_t i = 0; i < BURL__GEN_MARKS; i++) {
        if (*burl__gen_marked(f, i))
            burl_buf_printf(out, ", %s", burl__gen_marks[i].word);
    }
}

static void
print_note(const char *note, struct burl_buf *out)
{
    if (note)
        burl_buf_printf(out, "  # %s", note);
    burl_buf_char(out, '\n');
}

static void
print_fn(const struct burl_gen_model *m, const struct burl_gen_fn *f, bool notes,
         struct burl_buf *out)
{
    burl_buf_printf(out, "%s %s", burl__gen_kind_words[f->kind], f->name);
    if (f->kind != BURL_GEN_SKIP)
        print_flags(m, f, out);
    print_note(notes ? f->note : NULL, out);
    for (size_t i = 0; i < f->params.n && f->kind != BURL_GEN_SKIP; i++) {
        burl_buf_str_append(out, "    ");
        print_param_name(out, f, (int)i);
        burl_buf_str_append(out, ": ");
        print_role(m, f, (int)i, out);
        print_note(notes ? f->params.v[i].note : NULL, out);
    }
}

void
burl_gen_model_print_fn(const struct burl_gen_model *m, int fn, struct burl_buf *out)
{
    print_fn(m, &m->fns.v[fn], false, out);
}

/* Types that no called function uses are not printed. */
static bool
is_used(const struct burl_gen_model *m, int type)
{
    if (type == m->shared || m->types.v[type].destroy >= 0 || m->types.v[type].free_it)
        return true;
    for (size_t i = 0; i < m->fns.n; i++) {
        const struct burl_gen_fn *f = &m->fns.v[i];
        if (f->kind == BURL_GEN_SKIP)
            continue;
        if (f->result == BURL_GEN_RESULT_OBJECT && f->result_type == type)
            return true;
        for (size_t k = 0; k < f->params.n; k++) {
            if (f->params.v[k].role <= BURL_GEN_ROLE_OUT_OBJECT && f->params.v[k].type == type)
                return true;
        }
    }
    return false;
}

static void
print_types(const struct burl_gen_model *m, struct burl_buf *out)
{
    for (size_t i = 0; i < m->types.n; i++) {
        const struct burl_gen_type *t = &m->types.v[i];
        if (t->zeroed)
            burl_buf_printf(out, "type %s: zeroed\n", t->name);
        else if (is_used(m, (int)i))
            burl_buf_printf(out, "type %s: destroy %s%s\n", t->name,
                            t->destroy >= 0 ? m->fns.v[t->destroy].name : "none",
                            t->free_it ? ", free" : "");
    }
}

/* A large header has thousands. */
static void
print_unneeded(const struct burl_gen_model *m, struct burl_buf *out)
{
    size_t n = 0;

    for (size_t i = 0; i < m->fns.n; i++)
        n += m->fns.v[i].unneeded;
    if (n > 0)
        burl_buf_printf(
            out,
            "\n# %zu other function%s of the header take%s no part: no test of %s needs "
            "%s.\n",
            n, n == 1 ? "" : "s", n == 1 ? "s" : "", type_name(m, m->shared),
            n == 1 ? "it" : "them");
}

/* As the header declares it, with the names of its parameters. */
static void
print_prototype(const struct burl_gen_fn *f, struct burl_buf *out)
{
    const char *list = burl_gen_function_params(f->ctype);

    if (f->decl && f->decl->declaration[0])
        burl_buf_str_append(out, f->decl->declaration);
    else if (list)
        burl_buf_printf(out, "%.*s%s%s", (int)(list - f->ctype), f->ctype, f->name, list);
    else
        burl_gen_declare(out, f->ctype, f->name);
    burl_buf_char(out, '\n');
}

void
burl_gen_model_print(struct burl_gen_model const *m, struct burl_buf *out)
{
    static const char *const titles[BURL__GEN_KINDS] = {
        "Makes objects.", "Ends them, after everything else.", "Called by the threads of a test.",
        "Takes no shared object: only to build arguments.", "Not called."
    };

    burl_buf_printf(out,
                    "# What burl gen understands of %s. Correct it and keep it beside the header;\n"
                    "# what a line states holds, what no line names is guessed again.\n"
                    "# The format: docs/formats/model.md.\n\nmodel 1\nheader \"%s\"\n",
                    burl_path_basename(m->header), burl_path_basename(m->header));
    for (size_t i = 0; i < m->includes.n; i++)
        burl_buf_printf(out, "include %s\n", m->includes.v[i]);
    burl_buf_printf(out, "\nshared %s\n", type_name(m, m->shared));
    print_types(m, out);
    if (m->notes.n > 0)
        burl_buf_str_append(out, "\n# Guesses:\n");
    for (size_t i = 0; i < m->notes.n; i++)
        burl_buf_printf(out, "# - %s\n", m->notes.v[i]);
    for (int k = 0; k < BURL__GEN_KINDS; k++) {
        bool first = true;
        for (size_t i = 0; i < m->fns.n; i++) {
            const struct burl_gen_fn *f = &m->fns.v[i];
            if ((int)f->kind != k || f->is_ours || f->unneeded)
                continue;
            if (first)
                burl_buf_printf(out, "\n# ---- %s\n", titles[k]);
            first = false;
            burl_buf_printf(out, "\n# %s:%u  ", burl_path_basename(f->file), f->line);
            print_prototype(f, out);
            print_fn(m, f, true, out);
        }
    }
    print_unneeded(m, out);
}
