/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/emit/emit_calls.c - calls of an emitted test as statements, and the variables of its objects.
 *
 * As in the driver: a call whose object was not made, or was consumed, is left out; an object in
 * two variables ends once. Objects of the prefix always exist, so ordinary tests have no
 * conditions.
 */
#include <stdio.h>
#include <string.h>

#include "gen/emit/emit_int.h"

#define CTYPE_B 160

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

/* The type of the variable, by the call that sets it; false: there is none. */
static bool
slot_ctype(const struct burl__gen_emitter *em, int slot, char *out, size_t n)
{
    const int writer = burl__gen_emit_writer(em, slot);
    const struct burl_gen_fn *f = writer < 0 ? NULL : &em->m->fns.v[em->calls.v[writer].c->fn];
    const int param = f ? burl_gen_fn_made_param(f) : -1;

    if (f && f->result == BURL_GEN_RESULT_OBJECT) {
        snprintf(out, n, "%s", f->result_ctype);
        return true;
    }
    if (param < 0)
        return false;
    if (f->params.v[param].role == BURL_GEN_ROLE_OUT_OBJECT)
        return burl_gen_pointee(f->params.v[param].ctype, out, n);
    snprintf(out, n, "%s", f->params.v[param].ctype);
    return true;
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

    if (writer < 0 || em->calls.v[writer].thread != BURL__GEN_IN_PREFIX ||
        em->m->fns.v[em->calls.v[writer].c->fn].kind != BURL_GEN_MAKE)
        return false;
    for (size_t i = 0; i < em->calls.n; i++) {
        const struct burl_gen_call *c = em->calls.v[i].c;
        const struct burl_gen_fn *f = &em->m->fns.v[c->fn];

        for (size_t k = 0; k < f->params.n && k < c->args.n; k++) {
            if (is_gone_after(em->m, &f->params.v[k]) && c->args.v[k].kind == BURL_GEN_ARG_SLOT &&
                c->args.v[k].i == slot)
                return false;
        }
    }
    return true;
}

static void
slot_name(const struct burl__gen_emitter *em, int slot, char *out, size_t n)
{
    burl_gen_slot_name(em->m, em->t, slot, out, n);
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
        char name[80];

        if (burl__gen_emit_writer(em, s) < 0)
            continue;
        slot_name(em, s, name, sizeof name);
        burl_buf_printf(out, "    if (p == (const void *)%s)\n        return OBJECT + %d;\n", name,
                        s);
    }
    burl_buf_str_append(out, "    return OTHER;\n}\n\n");
}

void
burl__gen_emit_slots(const struct burl__gen_emitter *em, struct burl_buf *out)
{
    for (int s = 0; s < em->t->n_slots; s++) {
        const int writer = burl__gen_emit_writer(em, s);
        char type[CTYPE_B];
        char name[80];
        char atomic[CTYPE_B + 16];

        if (!slot_ctype(em, s, type, sizeof type))
            continue;
        slot_name(em, s, name, sizeof name);
        burl_buf_str_append(out, "static ");
        /* which() of one thread looks at the objects of the others. */
        snprintf(atomic, sizeof atomic, "_Atomic(%s)", type);
        if (em->uses_which && em->calls.v[writer].thread >= 0)
            burl_buf_printf(out, "%s %s", atomic, name);
        else
            burl_gen_declare(out, type, name);
        burl_buf_str_append(out, ";\n");
    }
    burl_buf_char(out, '\n');
    if (em->uses_which)
        write_which(em, out);
}

/* ---- calls -------------------------------------------------------------------------- */

/* The call itself, without semicolon. */
static void
write_call(struct burl__gen_emitter *em, unsigned i, struct burl_buf *out)
{
    const struct burl_gen_call *c = em->calls.v[i].c;
    const struct burl_gen_fn *f = &em->m->fns.v[c->fn];

    burl_buf_printf(out, "%s(", f->name);
    for (size_t k = 0; k < f->params.n && k < c->args.n; k++) {
        burl_buf_str_append(out, k > 0 ? ", " : "");
        burl__gen_emit_arg(em, i, k, out);
    }
    burl_buf_char(out, ')');
}

/* if (...), when an object may be missing; true: a block was opened. */
static bool
write_guard(struct burl__gen_emitter *em, unsigned i, struct burl_buf *out)
{
    const struct burl_gen_call *c = em->calls.v[i].c;
    const struct burl_gen_fn *f = &em->m->fns.v[c->fn];
    const char *and = "    if (";
    bool any = false;

    for (size_t k = 0; k < f->params.n && k < c->args.n; k++) {
        const struct burl_gen_arg *a = &c->args.v[k];
        char name[80];

        if (f->params.v[k].role != BURL_GEN_ROLE_OBJECT || a->kind != BURL_GEN_ARG_SLOT ||
            is_sure(em, (int)a->i))
            continue;
        slot_name(em, (int)a->i, name, sizeof name);
        burl_buf_printf(out, "%s%s != NULL", and, name);
        and = " && ";
        any = true;
    }
    if (any)
        burl_buf_str_append(out, ") {\n");
    return any;
}

/* Variables and memory that the call needs. */
static void
write_before(struct burl__gen_emitter *em, unsigned i, const char *indent, struct burl_buf *out)
{
    const struct burl__gen_emit_call *ec = &em->calls.v[i];
    const struct burl_gen_fn *f = &em->m->fns.v[ec->c->fn];
    char name[80];

    burl__gen_emit_locals(em, i, indent, out);
    for (size_t k = 0; k < f->params.n && k < ec->c->args.n; k++) {
        const struct burl_gen_param *p = &f->params.v[k];
        const struct burl__gen_field *field = burl__gen_emit_field(em, i, (unsigned)k + 1);
        char type[CTYPE_B];

        if (p->role == BURL_GEN_ROLE_STORAGE) {
            slot_name(em, ec->c->slot, name, sizeof name);
            burl_buf_printf(out,
                            "%s%s = calloc(1, sizeof *%s);\n%sif (%s == NULL)\n%s    abort();\n",
                            indent, name, name, indent, name, indent);
        } else if (p->role == BURL_GEN_ROLE_OUT_OBJECT &&
                   burl_gen_pointee(p->ctype, type, sizeof type)) {
            char object[40];

            snprintf(object, sizeof object, "%s_object", ec->name);
            burl_buf_str_append(out, indent);
            burl_gen_declare(out, type, object);
            burl_buf_str_append(out, " = NULL;\n");
        } else if (p->role == BURL_GEN_ROLE_CALLBACK && field) {
            burl_buf_printf(out, "%sseen_%s_%zu = &got.%s;\n", indent, f->name, k, field->name);
        }
    }
}

static void
write_object_result(struct burl__gen_emitter *em, unsigned i, const char *indent,
                    const struct burl__gen_field *field, struct burl_buf *out)
{
    const struct burl_gen_call *c = em->calls.v[i].c;
    char name[80];

    em->uses_which |= field != NULL;
    if (c->slot < 0) {
        burl_buf_printf(out, "%sgot.%s = which(", indent, field->name);
        write_call(em, i, out);
        burl_buf_str_append(out, ");\n");
        return;
    }
    slot_name(em, c->slot, name, sizeof name);
    burl_buf_printf(out, "%s%s = ", indent, name);
    write_call(em, i, out);
    burl_buf_str_append(out, ";\n");
    if (field)
        burl_buf_printf(out, "%sgot.%s = which(%s);\n", indent, field->name, name);
}

/* The call, and where its result goes. */
static void
write_statement(struct burl__gen_emitter *em, unsigned i, const char *indent, struct burl_buf *out)
{
    const struct burl_gen_call *c = em->calls.v[i].c;
    const struct burl_gen_fn *f = &em->m->fns.v[c->fn];
    const struct burl__gen_field *field = burl__gen_emit_field(em, i, 0);
    const bool frees = !field && f->result == BURL_GEN_RESULT_OWN_STRING;

    if (f->result == BURL_GEN_RESULT_OBJECT && (field || c->slot >= 0)) {
        write_object_result(em, i, indent, field, out);
        return;
    }
    burl_buf_str_append(out, indent);
    if (!field) {
        burl_buf_str_append(out, frees ? "free((void *)" : "");
        write_call(em, i, out);
        burl_buf_str_append(out, frees ? ");\n" : ";\n");
        return;
    }
    switch (field->kind) {
    case BURL__GEN_FIELD_TEXT:
        em->uses_string = true;
        if (f->result == BURL_GEN_RESULT_OWN_STRING) {
            burl_buf_printf(out, "char *%s_text = (char *)", field->name);
            write_call(em, i, out);
            burl_buf_printf(out, ";\n%skeep_string(&got.%s, %s_text);\n%sfree(%s_text);\n", indent,
                            field->name, field->name, indent, field->name);
            return;
        }
        burl_buf_printf(out, "keep_string(&got.%s, (const char *)", field->name);
        write_call(em, i, out);
        burl_buf_str_append(out, ");\n");
        break;
    case BURL__GEN_FIELD_POINTER:
        em->uses_which = true;
        burl_buf_printf(out, "got.%s = which(%s", field->name,
                        strchr(f->result_ctype, '*') ? "" : "(const void *)(uintptr_t)");
        write_call(em, i, out);
        burl_buf_str_append(out, ");\n");
        break;
    default:
        burl_buf_printf(out, "got.%s = %s", field->name,
                        field->kind == BURL__GEN_FIELD_REAL ? "(double)" : "");
        write_call(em, i, out);
        burl_buf_str_append(out, ";\n");
    }
}

/* The condition, as C, that the call made its object. */
static void
write_success(const struct burl__gen_emitter *em, unsigned i, char *out, size_t n)
{
    const struct burl_gen_fn *f = &em->m->fns.v[em->calls.v[i].c->fn];
    const struct burl__gen_field *field = burl__gen_emit_field(em, i, 0);

    if (f->result == BURL_GEN_RESULT_INT && field)
        snprintf(out, n, "got.%s %s 0", field->name, f->zero_is_success ? "==" : "!=");
    else
        out[0] = '\0';
}

static void
write_made(struct burl__gen_emitter *em, unsigned i, size_t k, const char *indent,
           struct burl_buf *out)
{
    const struct burl__gen_emit_call *ec = &em->calls.v[i];
    const struct burl_gen_fn *f = &em->m->fns.v[ec->c->fn];
    const struct burl_gen_param *p = &f->params.v[k];
    const struct burl__gen_field *field = burl__gen_emit_field(em, i, (unsigned)k + 1);
    char ok[120];
    char name[80] = "";

    write_success(em, i, ok, sizeof ok);
    if (ec->c->slot >= 0)
        slot_name(em, ec->c->slot, name, sizeof name);
    if (p->role == BURL_GEN_ROLE_STORAGE && f->result != BURL_GEN_RESULT_OBJECT && ok[0]) {
        burl_buf_printf(out, "%sif (!(%s))\n%s    %s = NULL;\n", indent, ok, indent, name);
    } else if (p->role == BURL_GEN_ROLE_OUT_OBJECT) {
        if (ok[0])
            burl_buf_printf(out, "%sif (!(%s))\n%s    %s_object = NULL;\n", indent, ok, indent,
                            ec->name);
        if (name[0])
            burl_buf_printf(out, "%s%s = %s_object;\n", indent, name, ec->name);
        if (field) {
            em->uses_which = true;
            burl_buf_printf(out, "%sgot.%s = which(%s_object);\n", indent, field->name, ec->name);
        }
    }
}

/* Records the values of the parameters after the call. */
static void
write_after(struct burl__gen_emitter *em, unsigned i, const char *indent, struct burl_buf *out)
{
    const struct burl__gen_emit_call *ec = &em->calls.v[i];
    const struct burl_gen_fn *f = &em->m->fns.v[ec->c->fn];

    for (size_t k = 0; k < f->params.n && k < ec->c->args.n; k++) {
        const struct burl_gen_param *p = &f->params.v[k];
        const struct burl_gen_arg *a = &ec->c->args.v[k];
        const struct burl__gen_field *field = burl__gen_emit_field(em, i, (unsigned)k + 1);
        char name[80];

        burl__gen_emit_local_name(em, i, k, name, sizeof name);
        if (burl_gen_param_receives(p)) {
            write_made(em, i, k, indent, out);
        } else if (is_gone_after(em->m, p) && a->kind == BURL_GEN_ARG_SLOT &&
                   ec->thread != BURL__GEN_IN_ENDS) {
            slot_name(em, (int)a->i, name, sizeof name);
            burl_buf_printf(out, "%s%s = NULL;\n", indent, name);
        } else if (!field) {
            continue;
        } else if (p->role == BURL_GEN_ROLE_CALLBACK) {
            burl_buf_printf(out, "%sseen_%s_%zu = NULL;\n", indent, f->name, k);
        } else if (field->kind == BURL__GEN_FIELD_TEXT) {
            burl_buf_printf(out, "%skeep_bytes(&got.%s, %s, %lld);\n", indent, field->name, name,
                            (long long)(a->i > BURL_GEN_MAX_BYTES ? BURL_GEN_MAX_BYTES
                                        : a->i > 0                ? a->i
                                                                  : 0));
        } else if (field->kind == BURL__GEN_FIELD_POINTER) {
            em->uses_which = true;
            burl_buf_printf(out, "%sgot.%s = which(%s);\n", indent, field->name, name);
        } else {
            burl_buf_printf(out, "%sgot.%s = %s%s;\n", indent, field->name,
                            field->kind == BURL__GEN_FIELD_REAL ? "(double)" : "", name);
        }
    }
}

void
burl__gen_emit_call(struct burl__gen_emitter *em, unsigned i)
{
    const struct burl__gen_emit_call ec = em->calls.v[i];
    const struct burl_gen_fn *f = &em->m->fns.v[ec.c->fn];
    struct burl_buf *out = &em->body;
    const bool guarded = write_guard(em, i, out);
    const char *indent = guarded ? "        " : "    ";

    write_before(em, i, indent, out);
    write_statement(em, i, indent, out);
    write_after(em, i, indent, out);
    if (guarded)
        burl_buf_str_append(out, "    }\n");
    if (ec.thread == BURL__GEN_IN_PREFIX && f->kind == BURL_GEN_MAKE && ec.c->slot >= 0) {
        char name[80];

        slot_name(em, ec.c->slot, name, sizeof name);
        burl_buf_printf(out,
                        "    if (%s == NULL) {\n"
                        "        fprintf(stderr, \"%s() made nothing\\n\");\n"
                        "        return 2;\n"
                        "    }\n",
                        name, f->name);
    }
}

/* ---- ends --------------------------------------------------------------------------- */

/* if (q2 != NULL && q2 != q), with only the conditions that are needed. */
static bool
write_end_guard(const struct burl__gen_emitter *em, int slot, const char *type,
                struct burl_buf *out)
{
    const char *and = "    if (";
    bool any = false;
    char name[80];

    slot_name(em, slot, name, sizeof name);
    if (!is_sure(em, slot)) {
        burl_buf_printf(out, "%s%s != NULL", and, name);
        and = " && ";
        any = true;
    }
    for (int s = 0; s < slot; s++) {
        char other[80];
        char other_type[CTYPE_B];

        if (!slot_ctype(em, s, other_type, sizeof other_type) || strcmp(type, other_type) != 0)
            continue;
        slot_name(em, s, other, sizeof other);
        burl_buf_printf(out, "%s%s != %s", and, name, other);
        and = " && ";
        any = true;
    }
    if (any)
        burl_buf_str_append(out, ") {\n");
    return any;
}

void
burl__gen_emit_end(struct burl__gen_emitter *em, int slot)
{
    const int type = burl_gen_test_slot_type(em->t, em->m, slot);
    const int destroy = type >= 0 ? em->m->types.v[type].destroy : -1;
    const bool frees = type >= 0 && em->m->types.v[type].free_it;
    const bool calls = destroy >= 0 && burl_gen_fn_has_thunk(&em->m->fns.v[destroy]);
    struct burl_buf *out = &em->body;
    char ctype[CTYPE_B];
    char name[80];
    bool guarded;

    if (!slot_ctype(em, slot, ctype, sizeof ctype) || (!calls && !frees))
        return;
    slot_name(em, slot, name, sizeof name);
    guarded = write_end_guard(em, slot, ctype, out);
    if (calls) {
        struct burl_gen_call c = burl_gen_call_on(em->m, destroy, slot);
        struct burl__gen_emit_call ec = { .c = &c, .thread = BURL__GEN_IN_ENDS };
        const char *indent = guarded ? "        " : "    ";
        const unsigned i = (unsigned)em->calls.n;

        snprintf(ec.name, sizeof ec.name, "end%d", slot + 1);
        BURL_VEC_PUSH(&em->calls, ec);
        write_before(em, i, indent, out);
        write_statement(em, i, indent, out);
        em->calls.n--;
        burl_gen_call_deinit(&c);
    }
    if (frees)
        burl_buf_printf(out, "%sfree((void *)%s);\n", guarded ? "        " : "    ", name);
    if (guarded)
        burl_buf_str_append(out, "    }\n");
}
