/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/emit/emit_calls.c - calls of an emitted test as statements, and the variables of its objects.
 *
 * As in the driver: a call whose object was not made, or was consumed, is left out; an object in
 * two variables ends once. Objects of the prefix always exist, so ordinary tests have no
 * conditions.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gen/emit/emit_int.h"

/* ---- objects ------------------------------------------------------------------------ */

int
burl__gen_emit_writer(const struct burl__gen_emitter *em, int slot)
{
    for (size_t i = 0; i < em->calls.n; i++) {
        if (em->calls.v[i].c->slot == slot)
            return (int)i;
    }
    return -1;
}

/* Objects of the type are numbers: variables have handle_of() the number. */
static bool
is_number_of(const struct burl__gen_emitter *em, int type)
{
    return type >= 0 && em->m->types.v[type].is_number;
}

/* The type of the variable, by the call that sets it; "": there is none. */
static struct burl_gen_name
slot_ctype(const struct burl__gen_emitter *em, int slot)
{
    const int writer = burl__gen_emit_writer(em, slot);
    const struct burl_gen_fn *f = writer < 0 ? NULL : em->calls.v[writer].f;
    const int param = f ? burl_gen_fn_made_param(f) : -1;
    struct burl_gen_name type = burl__gen_emit_kept_ctype(em, slot);

    if (f && is_number_of(em, burl_gen_fn_made_type(f)))
        snprintf(type.s, sizeof type.s, "void *");
    else if (f && f->result == BURL_GEN_RESULT_OBJECT)
        snprintf(type.s, sizeof type.s, "%s", f->result_ctype);
    else if (param >= 0 && f->params.v[param].role != BURL_GEN_ROLE_OUT_OBJECT)
        snprintf(type.s, sizeof type.s, "%s", f->params.v[param].ctype);
    else if (param >= 0 && !burl_gen_pointee(f->params.v[param].ctype, type.s, sizeof type.s))
        type.s[0] = '\0';
    return type;
}

/* Consumed by the call; zeroed structs of the test stay. */
static bool
is_gone_after(const struct burl_gen_model *m, const struct burl_gen_param *p)
{
    return p->role == BURL_GEN_ROLE_OBJECT && p->consumes &&
           !(p->type >= 0 && m->types.v[p->type].zeroed);
}

/* Made before the threads start, and never consumed. */
static bool
is_sure(const struct burl__gen_emitter *em, int slot)
{
    const int writer = burl__gen_emit_writer(em, slot);

    if (burl_gen_test_kept(em->t, slot) == NULL &&
        (writer < 0 || em->calls.v[writer].thread != BURL__GEN_IN_PREFIX ||
         em->calls.v[writer].f->kind != BURL_GEN_MAKE))
        return false;
    for (size_t i = 0; i < em->calls.n; i++) {
        const struct burl__gen_emit_call *ec = &em->calls.v[i];

        for (size_t k = 0; k < ec->c->args.n; k++) {
            const struct burl_gen_arg *a = &ec->c->args.v[k];

            if (is_gone_after(em->m, &ec->f->params.v[k]) && a->kind == BURL_GEN_ARG_SLOT &&
                a->i == slot)
                return false;
        }
    }
    return true;
}

static struct burl_gen_name
slot_name(const struct burl__gen_emitter *em, int slot)
{
    return burl_gen_slot_name(em->m, em->t, slot);
}

static void
write_which(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    burl_buf_printf(out,
                    "/* A pointer by what it points to. */\n"
                    "enum { OTHER = -1, NOTHING = 0, PAYLOAD = 1, OBJECT = %d };\n\n"
                    "static int\nwhich(const void *p)\n{\n"
                    "    if (p == NULL)\n"
                    "        return NOTHING;\n",
                    BURL_GEN_PAYLOADS + 1);
    if (em->uses_payload)
        burl_buf_printf(out,
                        "    for (int i = 0; i < %d; i++) {\n"
                        "        if (p == &payload[i])\n"
                        "            return PAYLOAD + i;\n"
                        "    }\n",
                        BURL_GEN_PAYLOADS);
    for (int s = 0; s < em->t->n_slots; s++) {
        if (burl_gen_test_has_slot(em->t, s))
            burl_buf_printf(out, "    if (p == (const void *)%s)\n        return OBJECT + %d;\n",
                            slot_name(em, s).s, s);
    }
    burl_buf_str_append(out, "    return OTHER;\n}\n\n");
}

/* For handles that are numbers; inline, so that a test need not use both. */
static void
write_number_handles(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    bool any = false;

    for (int s = 0; s < em->t->n_slots; s++)
        any |= is_number_of(em, burl_gen_test_slot_type(em->t, em->m, s));
    if (any)
        burl_buf_str_append(
            out, "/* Handles are numbers: kept as pointers, plus 1; a negative one is NULL. */\n"
                 "static inline void *\nhandle_of(intptr_t n)\n{\n"
                 "    return n < 0 ? NULL : (void *)(n + 1);\n}\n\n"
                 "static inline intptr_t\nnumber_of(void *handle)\n{\n"
                 "    return (intptr_t)handle - 1;\n}\n\n");
}

void
burl__gen_emit_slots(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    write_number_handles(em, out);
    for (int s = 0; s < em->t->n_slots; s++) {
        const struct burl_gen_name type = slot_ctype(em, s);

        if (!type.s[0])
            continue;
        burl_buf_str_append(out, "static ");
        /* which() of one thread looks at the objects of the others. */
        if (em->uses_which && burl__gen_emit_writer(em, s) >= 0 &&
            em->calls.v[burl__gen_emit_writer(em, s)].thread >= 0)
            burl_buf_printf(out, "_Atomic(%s) %s", type.s, slot_name(em, s).s);
        else
            burl_gen_declare(out, type.s, slot_name(em, s).s);
        burl_buf_str_append(out, ";\n");
    }
    burl_buf_char(out, '\n');
    if (em->uses_which)
        write_which(em, out);
}

/* ---- calls -------------------------------------------------------------------------- */

/* Adds a condition to an if statement; `n` counts them. */
BURL_PRINTF(3, 4)
static void
add_condition(struct burl_buf *out, unsigned *n, const char *fmt, ...)
{
    va_list ap;

    burl_buf_str_append(out, (*n)++ > 0 ? " && " : "    if (");
    va_start(ap, fmt);
    burl_buf_vprintf(out, fmt, ap);
    va_end(ap);
}

/* Opens a block if there are conditions. */
static void
open_block(struct burl__gen_emitter *em, unsigned n_conditions)
{
    em->indent = n_conditions > 0 ? "        " : "    ";
    if (n_conditions > 0)
        burl_buf_str_append(&em->body, ") {\n");
}

static void
close_block(struct burl__gen_emitter *em, unsigned n_conditions)
{
    if (n_conditions > 0)
        burl_buf_str_append(&em->body, "    }\n");
}

/* if (...), when an object may be missing; returns the number of conditions. */
static unsigned
write_guard(struct burl__gen_emitter *em, unsigned i)
{
    const struct burl__gen_emit_call *ec = &em->calls.v[i];
    unsigned n = 0;

    for (size_t k = 0; k < ec->c->args.n; k++) {
        const struct burl_gen_arg *a = &ec->c->args.v[k];

        if (ec->f->params.v[k].role == BURL_GEN_ROLE_OBJECT && a->kind == BURL_GEN_ARG_SLOT &&
            !is_sure(em, (int)a->i))
            add_condition(&em->body, &n, "%s != NULL", slot_name(em, (int)a->i).s);
    }
    open_block(em, n);
    return n;
}

/* Variables and memory that the call needs. */
static void
write_before(struct burl__gen_emitter *em, unsigned i)
{
    const struct burl__gen_emit_call *ec = &em->calls.v[i];
    struct burl_buf *out = &em->body;
    char name[80];

    for (size_t k = 0; k < ec->c->args.n; k++) {
        const struct burl__gen_emit_arg x = burl__gen_emit_arg_of(em, i, k);

        burl__gen_emit_local(em, &x);
    }
    for (size_t k = 0; k < ec->c->args.n; k++) {
        const struct burl__gen_emit_arg x = burl__gen_emit_arg_of(em, i, k);

        if (x.p->role == BURL_GEN_ROLE_STORAGE) {
            const struct burl_gen_name slot = slot_name(em, ec->c->slot);

            burl_buf_printf(out,
                            "%s%s = calloc(1, sizeof *%s);\n%sif (%s == NULL)\n%s    abort();\n",
                            em->indent, slot.s, slot.s, em->indent, slot.s, em->indent);
        } else if (x.p->role == BURL_GEN_ROLE_OUT_OBJECT && x.type[0]) {
            snprintf(name, sizeof name, "%s_object", ec->name);
            burl_buf_str_append(out, em->indent);
            burl_gen_declare(out, x.type, name);
            burl_buf_str_append(out, is_number_of(em, x.p->type) ? " = -1;\n" : " = NULL;\n");
        } else if (x.p->role == BURL_GEN_ROLE_CALLBACK && x.field) {
            burl_buf_printf(out, "%sseen_%s_%zu = &got.%s;\n", em->indent, ec->f->name, k,
                            x.field->name);
        }
    }
}

/* The call between two texts, as a statement. */
BURL_PRINTF(4, 5)
static void
write_call(struct burl__gen_emitter *em, unsigned i, const char *after, const char *before, ...)
{
    const struct burl__gen_emit_call *ec = &em->calls.v[i];
    struct burl_buf *out = &em->body;
    va_list ap;

    burl_buf_str_append(out, em->indent);
    va_start(ap, before);
    burl_buf_vprintf(out, before, ap);
    va_end(ap);
    burl_buf_printf(out, "%s(", ec->f->name);
    for (size_t k = 0; k < ec->c->args.n; k++) {
        const struct burl__gen_emit_arg x = burl__gen_emit_arg_of(em, i, k);

        burl_buf_str_append(out, k > 0 ? ", " : "");
        burl__gen_emit_arg(em, &x);
    }
    burl_buf_printf(out, ")%s;\n", after);
}

static void
write_which_of(struct burl__gen_emitter *em, const struct burl__gen_field *field,
               const char *prefix, const char *of, const char *suffix)
{
    em->uses_which = true;
    burl_buf_printf(&em->body, "%sgot.%s = which(%s%s%s);\n", em->indent, field->name, prefix, of,
                    suffix);
}

/* A struct of numbers: its bytes without those that belong to none. */
static void
write_struct(struct burl__gen_emitter *em, unsigned i, const char *name)
{
    const struct burl_gen_fn *f = em->calls.v[i].f;

    write_call(em, i, "", "%s %s_value = ", f->result_ctype, name);
    for (size_t k = 0; k < f->n_gaps; k++)
        burl_buf_printf(&em->body, "%smemset((char *)&%s_value + %u, 0, %u); /* padding */\n",
                        em->indent, name, f->gaps[k].at, f->gaps[k].n);
    burl_buf_printf(&em->body, "%skeep_bytes(&got.%s, &%s_value, sizeof %s_value);\n", em->indent,
                    name, name, name);
}

/* The call, and where its result goes. */
static void
write_statement(struct burl__gen_emitter *em, unsigned i)
{
    const struct burl__gen_emit_call *ec = &em->calls.v[i];
    const enum burl_gen_result result = ec->f->result;
    const struct burl__gen_field *field = burl__gen_emit_field(em, i, 0);
    const char *name = field ? field->name : NULL;

    const bool is_number = result == BURL_GEN_RESULT_OBJECT && is_number_of(em, ec->f->result_type);

    if (result == BURL_GEN_RESULT_OBJECT && ec->c->slot >= 0) {
        write_call(em, i, is_number ? ")" : "", "%s = %s", slot_name(em, ec->c->slot).s,
                   is_number ? "handle_of(" : "");
        if (field)
            write_which_of(em, field, "", slot_name(em, ec->c->slot).s, "");
    } else if (!field && result == BURL_GEN_RESULT_OWN_STRING) {
        write_call(em, i, ")", "free((void *)");
    } else if (!field) {
        write_call(em, i, "", "%s", "");
    } else if (result == BURL_GEN_RESULT_OWN_STRING) {
        em->uses_string = true;
        write_call(em, i, "", "char *%s_text = (char *)", name);
        burl_buf_printf(&em->body, "%skeep_string(&got.%s, %s_text);\n%sfree(%s_text);\n",
                        em->indent, name, name, em->indent, name);
    } else if (result == BURL_GEN_RESULT_STRUCT) {
        write_struct(em, i, name);
    } else if (field->kind == BURL__GEN_FIELD_TEXT) {
        em->uses_string = true;
        em->uses_lent |= field->is_lent;
        write_call(em, i, ")", "keep_string(&got.%s, %s%s(const char *)", name,
                   field->is_lent ? name : "", field->is_lent ? "_lent = " : "");
    } else if (field->kind == BURL__GEN_FIELD_POINTER) {
        em->uses_which = true;
        write_call(em, i, is_number ? "))" : ")", "got.%s = which(%s", name,
                   is_number ? "handle_of("
                   : result == BURL_GEN_RESULT_OBJECT || strchr(ec->f->result_ctype, '*')
                       ? ""
                       : "(const void *)(uintptr_t)");
    } else {
        write_call(em, i, "", "got.%s = %s", name,
                   field->kind == BURL__GEN_FIELD_REAL ? "(double)" : "");
    }
}

/* The object that a parameter receives, unless the result says that none was made. */
static void
write_made(struct burl__gen_emitter *em, unsigned i, const struct burl__gen_emit_arg *x)
{
    const struct burl__gen_emit_call *ec = x->call;
    const struct burl__gen_field *result = burl__gen_emit_field(em, i, 0);
    const bool is_storage = x->p->role == BURL_GEN_ROLE_STORAGE;
    const bool is_number = is_number_of(em, x->p->type);
    struct burl_buf *out = &em->body;
    const struct burl_gen_name slot =
        ec->c->slot >= 0 ? slot_name(em, ec->c->slot) : (struct burl_gen_name){ "" };

    if (ec->f->result == BURL_GEN_RESULT_INT && result)
        burl_buf_printf(out, "%sif (!(got.%s %s 0))\n%s    %s%s = %s;\n", em->indent, result->name,
                        ec->f->zero_is_success ? "==" : "!=", em->indent,
                        is_storage ? slot.s : ec->name, is_storage ? "" : "_object",
                        is_number ? "-1" : "NULL");
    if (is_storage)
        return;
    if (slot.s[0])
        burl_buf_printf(out, "%s%s = %s%s_object%s;\n", em->indent, slot.s,
                        is_number ? "handle_of(" : "", ec->name, is_number ? ")" : "");
    if (x->field)
        write_which_of(em, x->field, is_number ? "handle_of(" : "", ec->name,
                       is_number ? "_object)" : "_object");
}

/* Records the values of the parameters after the call. */
static void
write_after(struct burl__gen_emitter *em, unsigned i)
{
    struct burl_buf *out = &em->body;

    for (size_t k = 0; k < em->calls.v[i].c->args.n; k++) {
        const struct burl__gen_emit_arg x = burl__gen_emit_arg_of(em, i, k);

        if (burl_gen_param_receives(x.p)) {
            write_made(em, i, &x);
        } else if (is_gone_after(em->m, x.p) && x.a->kind == BURL_GEN_ARG_SLOT) {
            burl_buf_printf(out, "%s%s = NULL;\n", em->indent, slot_name(em, (int)x.a->i).s);
        } else if (!x.field) {
            continue;
        } else if (x.p->role == BURL_GEN_ROLE_CALLBACK) {
            burl_buf_printf(out, "%sseen_%s_%zu = NULL;\n", em->indent, x.call->f->name, k);
        } else if (x.field->kind == BURL__GEN_FIELD_TEXT) {
            burl_buf_printf(out, "%skeep_bytes(&got.%s, %s, %lld);\n", em->indent, x.field->name,
                            x.name, (long long)burl_gen_buffer_b(x.a));
        } else if (x.field->kind == BURL__GEN_FIELD_POINTER) {
            write_which_of(em, x.field, "", x.name, "");
        } else {
            burl_buf_printf(out, "%sgot.%s = %s%s;\n", em->indent, x.field->name,
                            x.field->kind == BURL__GEN_FIELD_REAL ? "(double)" : "", x.name);
        }
    }
}

void
burl__gen_emit_call(struct burl__gen_emitter *em, unsigned i)
{
    const struct burl__gen_emit_call ec = em->calls.v[i];
    const unsigned n_conditions = write_guard(em, i);

    write_before(em, i);
    write_statement(em, i);
    write_after(em, i);
    close_block(em, n_conditions);
    if (ec.thread == BURL__GEN_IN_PREFIX && ec.f->kind == BURL_GEN_MAKE && ec.c->slot >= 0)
        burl_buf_printf(&em->body,
                        "    if (%s == NULL) {\n"
                        "        fprintf(stderr, \"%s() made nothing\\n\");\n"
                        "        return 2;\n"
                        "    }\n",
                        slot_name(em, ec.c->slot).s, ec.f->name);
}

/* ---- ends --------------------------------------------------------------------------- */

/* if (q2 != NULL && q2 != q), with only the conditions that are needed. */
static unsigned
write_end_guard(struct burl__gen_emitter *em, int slot, const char *type)
{
    unsigned n = 0;

    if (!is_sure(em, slot))
        add_condition(&em->body, &n, "%s != NULL", slot_name(em, slot).s);
    for (int s = 0; s < slot; s++) {
        if (strcmp(type, slot_ctype(em, s).s) == 0)
            add_condition(&em->body, &n, "%s != %s", slot_name(em, slot).s, slot_name(em, s).s);
    }
    open_block(em, n);
    return n;
}

void
burl__gen_emit_end(struct burl__gen_emitter *em, int slot)
{
    const int type = burl_gen_test_slot_type(em->t, em->m, slot);
    const int destroy = type >= 0 ? em->m->types.v[type].destroy : -1;
    const bool frees = type >= 0 && em->m->types.v[type].free_it;
    const bool calls = destroy >= 0 && burl_gen_fn_has_thunk(&em->m->fns.v[destroy]);
    const struct burl_gen_name ctype = slot_ctype(em, slot);
    unsigned n_conditions;

    if (!ctype.s[0] || (!calls && !frees) || !burl_gen_test_ends(em->t, slot))
        return;
    n_conditions = write_end_guard(em, slot, ctype.s);
    if (calls) {
        struct burl_gen_call c = burl_gen_call_on(em->m, destroy, slot);
        struct burl__gen_emit_call ec = { .c = &c,
                                          .f = &em->m->fns.v[destroy],
                                          .thread = BURL__GEN_IN_ENDS };

        snprintf(ec.name, sizeof ec.name, "end%d", slot + 1);
        BURL_VEC_PUSH(&em->calls, ec);
        write_before(em, (unsigned)em->calls.n - 1);
        write_statement(em, (unsigned)em->calls.n - 1);
        em->calls.n--;
        burl_gen_call_deinit(&c);
    }
    if (frees)
        burl_buf_printf(&em->body, "%sfree((void *)%s);\n", em->indent, slot_name(em, slot).s);
    close_block(em, n_conditions);
}
