/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/emit/emit_args.c - arguments of emitted calls as a person would write them.
 *
 * What can stand in the call stands there: numbers, names of enumerators, string literals, NULL.
 * What the API writes to or keeps is a static variable named after call and parameter, because a
 * thread's stack is gone before the objects end. Memory is as long as the driver's, contents are
 * the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gen/emit/emit_int.h"

/* ---- types by their spelling -------------------------------------------------------- */

static const char *
without_const(const char *type)
{
    return strncmp(type, "const ", 6) == 0 ? type + 6 : type;
}

static bool
is_plain(const char *pointee, const char *name)
{
    return strcmp(without_const(pointee), name) == 0;
}

static bool
is_const(const char *pointee)
{
    return strncmp(pointee, "const ", 6) == 0;
}

/* ---- literals ----------------------------------------------------------------------- */

/* A number as the parameter takes it; one that does not fit its type is cast, as compilers warn. */
static void
write_int(const struct burl_gen_model *m, const struct burl_gen_fn *f, size_t k,
          const struct burl_gen_arg *a, struct burl_buf *out)
{
    const struct burl_gen_param *p = &f->params.v[k];
    const unsigned bits = p->size_b > 0 && p->size_b < 8 ? 8u * p->size_b : 64;
    const int64_t hi =
        bits == 64 ? INT64_MAX : ((int64_t)1 << (p->is_unsigned ? bits : bits - 1)) - 1;
    const int64_t lo = p->is_unsigned ? 0 : bits == 64 ? INT64_MIN : -hi - 1;

    if (a->i < lo || a->i > hi)
        burl_buf_printf(out, "(%s)%" PRId64, p->ctype, a->i);
    else if (a->i == INT64_MIN)
        burl_buf_str_append(out, "-9223372036854775807LL - 1");
    else
        burl_gen_arg_print(m, f, k, a, out);
}

/* ---- variables ---------------------------------------------------------------------- */

void
burl__gen_emit_local_name(const struct burl__gen_emitter *em, unsigned i, size_t k, char *out,
                          size_t n)
{
    const struct burl__gen_emit_call *c = &em->calls.v[i];
    const struct burl_gen_param *p = &em->m->fns.v[c->c->fn].params.v[k];

    if (p->name && p->name[0])
        snprintf(out, n, "%s_%.48s", c->name, p->name);
    else
        snprintf(out, n, "%s_arg%zu", c->name, k + 1);
}

static unsigned
element_size(const struct burl_gen_param *p)
{
    return p->size_b > 1 ? p->size_b : 1;
}

static void
write_elements(const struct burl_gen_arg *a, const char *type, unsigned size_b,
               struct burl_buf *out)
{
    const bool is_unsigned =
        strstr(type, "unsigned") || strstr(type, "uint") || strstr(type, "size_t");

    for (size_t at = 0; at + size_b <= a->n_bytes; at += size_b) {
        uint64_t x = 0;
        const unsigned unused = 64 - 8 * (size_b < 8 ? size_b : 8);
        double d;
        float f;

        memcpy(&x, a->bytes + at, size_b < 8 ? size_b : 8);
        burl_buf_str_append(out, at > 0 ? ", " : "");
        if (strstr(type, "double") && size_b == 8) {
            memcpy(&d, &x, sizeof d);
            burl_buf_printf(out, "%a", d);
        } else if (strstr(type, "float") && size_b == 4) {
            memcpy(&f, &x, sizeof f);
            burl_buf_printf(out, "%a", (double)f);
        } else if (is_unsigned) {
            burl_buf_printf(out, "%" PRIu64 "u", x);
        } else {
            burl_buf_printf(out, "%" PRId64, (int64_t)(x << unused) >> unused);
        }
    }
}

/* Bytes that cannot be a literal in the call. */
static bool
needs_array(const struct burl_gen_param *p, const struct burl_gen_arg *a)
{
    char type[128];

    if (a->kind != BURL_GEN_ARG_BYTES ||
        (p->role != BURL_GEN_ROLE_STRING && p->role != BURL_GEN_ROLE_BYTES_IN))
        return false;
    return !burl_gen_pointee(p->ctype, type, sizeof type) || !is_const(type) || element_size(p) > 1;
}

static bool
is_finite(const struct burl_gen_arg *a, const char *type)
{
    /* A pattern that is no number has no literal. */
    if (!strstr(type, "double") && !strstr(type, "float"))
        return true;
    for (size_t i = 0; i < a->n_bytes; i++) {
        if ((a->bytes[i] & 0x7f) == 0x7f)
            return false;
    }
    return !strstr(type, "long");
}

static void
write_array(const struct burl_gen_param *p, const struct burl_gen_arg *a, const char *name,
            const char *indent, struct burl_buf *out)
{
    const unsigned size_b = element_size(p);
    char type[128];

    if (burl_gen_pointee(p->ctype, type, sizeof type) && size_b > 1 && size_b <= 8 &&
        a->n_bytes >= size_b && burl_gen_is_arithmetic(type) && is_finite(a, type)) {
        burl_buf_printf(out, "%sstatic %s %s[] = { ", indent, type, name);
        write_elements(a, type, size_b, out);
        burl_buf_str_append(out, " };\n");
        return;
    }
    if (size_b > 1) {
        burl_buf_printf(out, "%sstatic _Alignas(16) unsigned char %s[%u] = { ", indent, name,
                        a->n_bytes > 0 ? a->n_bytes : 1u);
        for (size_t i = 0; i < a->n_bytes; i++)
            burl_buf_printf(out, "%s%u", i > 0 ? ", " : "", (unsigned char)a->bytes[i]);
        burl_buf_printf(out, "%s };\n", a->n_bytes > 0 ? "" : "0");
        return;
    }
    burl_buf_printf(out, "%sstatic char %s[] = ", indent, name);
    burl_gen_literal_print(a->bytes, a->n_bytes, out);
    burl_buf_str_append(out, ";\n");
}

/* A variable that the call writes: as the parameter points to, or as long as it may be. */
static void
write_out_variable(const struct burl_gen_param *p, const struct burl_gen_arg *a, const char *name,
                   const char *indent, struct burl_buf *out)
{
    char type[128] = "";

    burl_buf_str_append(out, indent);
    if (burl_gen_pointee(p->ctype, type, sizeof type) && !is_plain(type, "void"))
        burl_gen_declare(out, without_const(type), name);
    else
        burl_buf_printf(out, "%s %s",
                        p->is_payload ? "void *"
                        : p->is_real  ? "double"
                                      : "long long",
                        name);
    if (p->role == BURL_GEN_ROLE_INOUT_VALUE && p->is_real)
        burl_buf_printf(out, " = %.17g;\n", a->real);
    else if (p->role == BURL_GEN_ROLE_INOUT_VALUE && a->kind == BURL_GEN_ARG_INT && !p->is_payload)
        burl_buf_printf(out, " = (%s)%" PRId64 ";\n", type[0] ? without_const(type) : "long long",
                        a->i);
    else
        burl_buf_str_append(out, p->is_payload ? " = NULL;\n" : " = 0;\n");
}

static void
write_buffer(const struct burl_gen_param *p, const struct burl_gen_arg *a, const char *name,
             const char *indent, struct burl_buf *out)
{
    const unsigned size_b = element_size(p);
    const int64_t n_bytes = a->i > BURL_GEN_MAX_BYTES ? BURL_GEN_MAX_BYTES : a->i > 0 ? a->i : 0;
    char type[128];

    if (burl_gen_pointee(p->ctype, type, sizeof type) && burl_gen_is_arithmetic(type) &&
        n_bytes >= (int64_t)size_b)
        burl_buf_printf(out, "%sstatic %s %s[%" PRId64 "];\n", indent, without_const(type), name,
                        n_bytes / size_b);
    else
        burl_buf_printf(out, "%sstatic _Alignas(16) unsigned char %s[%" PRId64 "];\n", indent, name,
                        n_bytes > 0 ? n_bytes : 1);
}

static void
write_length(const struct burl_gen_fn *f, const struct burl_gen_call *c, size_t k,
             struct burl_buf *out)
{
    const int partner = f->params.v[k].partner;
    int64_t n = 0;

    if (partner >= 0 && (size_t)partner < c->args.n) {
        const struct burl_gen_arg *a = &c->args.v[partner];

        if (a->kind == BURL_GEN_ARG_BYTES)
            n = a->n_bytes;
        else if (a->kind == BURL_GEN_ARG_ROLE)
            n = a->i > BURL_GEN_MAX_BYTES ? BURL_GEN_MAX_BYTES : a->i;
        n /= element_size(&f->params.v[partner]);
    }
    burl_buf_printf(out, "%" PRId64, n);
}

static void
write_record(const struct burl_gen_param *p, const char *name, const char *indent,
             struct burl_buf *out)
{
    char type[128];

    if (!burl_gen_pointee(p->ctype, type, sizeof type))
        return;
    burl_buf_printf(out, "%sstatic ", indent);
    burl_gen_declare(out, without_const(type), name);
    burl_buf_str_append(out, ";\n");
}

void
burl__gen_emit_locals(struct burl__gen_emitter *em, unsigned i, const char *indent,
                      struct burl_buf *out)
{
    const struct burl_gen_call *c = em->calls.v[i].c;
    const struct burl_gen_fn *f = &em->m->fns.v[c->fn];

    for (size_t k = 0; k < f->params.n && k < c->args.n; k++) {
        const struct burl_gen_param *p = &f->params.v[k];
        const struct burl_gen_arg *a = &c->args.v[k];
        char name[80];

        burl__gen_emit_local_name(em, i, k, name, sizeof name);
        if (a->kind == BURL_GEN_ARG_NULL)
            continue;
        if (needs_array(p, a)) {
            write_array(p, a, name, indent, out);
        } else if (p->role == BURL_GEN_ROLE_OUT_VALUE || p->role == BURL_GEN_ROLE_INOUT_VALUE) {
            write_out_variable(p, a, name, indent, out);
        } else if (p->role == BURL_GEN_ROLE_BYTES_OUT) {
            write_buffer(p, a, name, indent, out);
        } else if (p->role == BURL_GEN_ROLE_RECORD) {
            write_record(p, name, indent, out);
        } else if (p->role == BURL_GEN_ROLE_LENGTH) {
            char type[128];

            if (!burl_gen_pointee(p->ctype, type, sizeof type))
                continue;
            burl_buf_printf(out, "%s%s %s = ", indent, without_const(type), name);
            write_length(f, c, k, out);
            burl_buf_str_append(out, ";\n");
        }
    }
}

/* ---- expressions -------------------------------------------------------------------- */

/* STRING, BYTES_IN, BYTES_OUT. */
static void
write_bytes(const struct burl_gen_param *p, const struct burl_gen_arg *a, const char *name,
            struct burl_buf *out)
{
    char type[128] = "";
    bool fits = burl_gen_pointee(p->ctype, type, sizeof type) &&
                (is_plain(type, "void") || (is_plain(type, "char") && element_size(p) == 1));

    if (a->kind == BURL_GEN_ARG_ROLE && burl_gen_is_arithmetic(type) && a->i >= element_size(p))
        fits = true;
    if (a->kind == BURL_GEN_ARG_BYTES && needs_array(p, a) && element_size(p) > 1 &&
        burl_gen_is_arithmetic(type) && a->n_bytes >= element_size(p) && is_finite(a, type))
        fits = true;
    if (!fits)
        burl_buf_printf(out, "(%s)%s", p->ctype, type[0] ? "" : "(void *)");
    if (a->kind == BURL_GEN_ARG_BYTES && !needs_array(p, a))
        burl_gen_literal_print(a->bytes, a->n_bytes, out);
    else
        burl_buf_str_append(out, name);
}

static void
write_slot(const struct burl__gen_emitter *em, int64_t slot, struct burl_buf *out)
{
    char name[80];

    burl_gen_slot_name(em->m, em->t, (int)slot, name, sizeof name);
    burl_buf_str_append(out, name);
}

static void
write_pointer_to(const struct burl_gen_param *p, const char *name, struct burl_buf *out)
{
    char type[128];

    if (!burl_gen_pointee(p->ctype, type, sizeof type))
        burl_buf_str_append(out, "(void *)");
    burl_buf_printf(out, "&%s", name);
}

/* A cast to the type of the parameter, unless it is void *. */
static void
write_cast(const struct burl_gen_param *p, struct burl_buf *out)
{
    char type[128];

    if (!burl_gen_pointee(p->ctype, type, sizeof type))
        burl_buf_printf(out, "(%s)(uintptr_t)", p->ctype);
    else if (!is_plain(type, "void"))
        burl_buf_printf(out, "(%s)", p->ctype);
}

void
burl__gen_emit_arg(struct burl__gen_emitter *em, unsigned i, size_t k, struct burl_buf *out)
{
    const struct burl_gen_call *c = em->calls.v[i].c;
    const struct burl_gen_fn *f = &em->m->fns.v[c->fn];
    const struct burl_gen_param *p = &f->params.v[k];
    const struct burl_gen_arg *a = &c->args.v[k];
    char name[160];

    burl__gen_emit_local_name(em, i, k, name, sizeof name);
    if (p->role == BURL_GEN_ROLE_FIXED) {
        burl_buf_str_append(out, p->expr ? p->expr : "0");
        return;
    }
    if (a->kind == BURL_GEN_ARG_NULL) {
        burl_buf_str_append(out, strchr(p->ctype, '*') || p->role != BURL_GEN_ROLE_PAYLOAD ? "NULL"
                                                                                           : "0");
        return;
    }
    switch (p->role) {
    case BURL_GEN_ROLE_OBJECT:
    case BURL_GEN_ROLE_STORAGE:
        write_slot(em, p->role == BURL_GEN_ROLE_STORAGE ? c->slot : a->i, out);
        break;
    case BURL_GEN_ROLE_OUT_OBJECT:
        burl_buf_printf(out, "&%s_object", em->calls.v[i].name);
        break;
    case BURL_GEN_ROLE_INT:
        write_int(em->m, f, k, a, out);
        break;
    case BURL_GEN_ROLE_STRING:
    case BURL_GEN_ROLE_BYTES_IN:
    case BURL_GEN_ROLE_BYTES_OUT:
        write_bytes(p, a, name, out);
        break;
    case BURL_GEN_ROLE_LENGTH: {
        char type[128];

        if (burl_gen_pointee(p->ctype, type, sizeof type))
            burl_buf_printf(out, "&%s", name);
        else
            write_length(f, c, k, out);
        break;
    }
    case BURL_GEN_ROLE_OUT_VALUE:
    case BURL_GEN_ROLE_INOUT_VALUE:
    case BURL_GEN_ROLE_RECORD:
        write_pointer_to(p, name, out);
        break;
    case BURL_GEN_ROLE_PAYLOAD:
        em->uses_payload = true;
        write_cast(p, out);
        burl_buf_printf(out, "&payload[%" PRId64 "]", a->i % BURL_GEN_PAYLOADS);
        break;
    case BURL_GEN_ROLE_CALLBACK:
        burl_gen_callback_name(f, k, a->i != 0, name, sizeof name);
        burl_buf_str_append(out, name);
        break;
    case BURL_GEN_ROLE_CONTEXT:
        em->uses_context = true;
        write_cast(p, out);
        burl_buf_str_append(out, "&context");
        break;
    default:
        burl_gen_arg_print(em->m, f, k, a, out);
    }
}
