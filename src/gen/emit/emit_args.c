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

struct burl__gen_emit_arg
burl__gen_emit_arg_of(const struct burl__gen_emitter *em, unsigned i, size_t k)
{
    struct burl__gen_emit_arg x = { .call = &em->calls.v[i], .k = k };

    x.p = &x.call->f->params.v[k];
    x.a = &x.call->c->args.v[k];
    x.field = burl__gen_emit_field(em, i, (unsigned)k + 1);
    if (x.p->name[0])
        snprintf(x.name, sizeof x.name, "%s_%.48s", x.call->name, x.p->name);
    else
        snprintf(x.name, sizeof x.name, "%s_arg%zu", x.call->name, k + 1);
    if (!burl_gen_pointee(x.p->ctype, x.type, sizeof x.type))
        x.type[0] = '\0';
    return x;
}

static unsigned
element_size(const struct burl_gen_param *p)
{
    return p->size_b > 1 ? p->size_b : 1;
}

/* Bytes that cannot be a literal in the call. */
static bool
needs_array(const struct burl__gen_emit_arg *x)
{
    return x->a->kind == BURL_GEN_ARG_BYTES &&
           (x->p->role == BURL_GEN_ROLE_STRING || x->p->role == BURL_GEN_ROLE_BYTES_IN) &&
           (without_const(x->type) == x->type || element_size(x->p) > 1);
}

/* A pattern that is no number has no literal. */
static bool
is_finite(const struct burl__gen_emit_arg *x)
{
    if (!strstr(x->type, "double") && !strstr(x->type, "float"))
        return true;
    for (size_t i = 0; i < x->a->n_bytes; i++) {
        if ((x->a->bytes[i] & 0x7f) == 0x7f)
            return false;
    }
    return !strstr(x->type, "long");
}

/* The bytes can be an array of their own type. */
static bool
has_elements(const struct burl__gen_emit_arg *x)
{
    const unsigned size_b = element_size(x->p);

    return size_b > 1 && x->a->n_bytes >= size_b && burl_gen_is_arithmetic(x->type) && is_finite(x);
}

/* ---- variables ---------------------------------------------------------------------- */

static void
write_elements(const struct burl__gen_emit_arg *x, struct burl_buf *out)
{
    const unsigned size_b = x->p->size_b;
    const unsigned unused = 64 - 8 * size_b;
    const bool is_unsigned =
        strstr(x->type, "unsigned") || strstr(x->type, "uint") || strstr(x->type, "size_t");

    for (size_t at = 0; at + size_b <= x->a->n_bytes; at += size_b) {
        uint64_t bits = 0;
        double d;
        float f;

        memcpy(&bits, x->a->bytes + at, size_b);
        memcpy(&d, &bits, sizeof d);
        memcpy(&f, &bits, sizeof f);
        burl_buf_str_append(out, at > 0 ? ", " : "");
        if (strstr(x->type, "double") && size_b == 8)
            burl_buf_printf(out, "%a", d);
        else if (strstr(x->type, "float") && size_b == 4)
            burl_buf_printf(out, "%a", (double)f);
        else if (is_unsigned)
            burl_buf_printf(out, "%" PRIu64 "u", bits);
        else
            burl_buf_printf(out, "%" PRId64, (int64_t)(bits << unused) >> unused);
    }
}

static void
write_array(const struct burl__gen_emit_arg *x, struct burl_buf *out)
{
    const struct burl_gen_arg *a = x->a;

    if (has_elements(x) && x->p->size_b <= 8) {
        burl_buf_printf(out, "static %s %s[] = { ", x->type, x->name);
        write_elements(x, out);
        burl_buf_str_append(out, " }");
    } else if (element_size(x->p) > 1) {
        burl_buf_printf(out, "static _Alignas(16) unsigned char %s[%u] = { ", x->name,
                        a->n_bytes > 0 ? a->n_bytes : 1u);
        for (size_t i = 0; i < a->n_bytes; i++)
            burl_buf_printf(out, "%s%u", i > 0 ? ", " : "", (unsigned char)a->bytes[i]);
        burl_buf_printf(out, "%s }", a->n_bytes > 0 ? "" : "0");
    } else {
        burl_buf_printf(out, "static char %s[] = ", x->name);
        burl_gen_literal_print(a->bytes, a->n_bytes, out);
    }
}

/* A variable that the call writes: as the parameter points to, or as long as it may be. */
static void
write_out_variable(const struct burl__gen_emit_arg *x, struct burl_buf *out)
{
    const struct burl_gen_param *p = x->p;
    const bool is_in = p->role == BURL_GEN_ROLE_INOUT_VALUE;

    if (x->type[0] && !is_plain(x->type, "void"))
        burl_gen_declare(out, without_const(x->type), x->name);
    else
        burl_buf_printf(out, "%s %s",
                        p->is_payload ? "void *"
                        : p->is_real  ? "double"
                                      : "long long",
                        x->name);
    if (is_in && p->is_real)
        burl_buf_printf(out, " = %.17g", x->a->real);
    else if (is_in && x->a->kind == BURL_GEN_ARG_INT && !p->is_payload)
        burl_buf_printf(out, " = (%s)%" PRId64, x->type[0] ? without_const(x->type) : "long long",
                        x->a->i);
    else
        burl_buf_str_append(out, p->is_payload ? " = NULL" : " = 0");
}

static void
write_buffer(const struct burl__gen_emit_arg *x, struct burl_buf *out)
{
    const unsigned size_b = element_size(x->p);
    const int64_t n_bytes = burl_gen_buffer_b(x->a);

    if (burl_gen_is_arithmetic(x->type) && n_bytes >= (int64_t)size_b)
        burl_buf_printf(out, "static %s %s[%" PRId64 "]", without_const(x->type), x->name,
                        n_bytes / size_b);
    else
        burl_buf_printf(out, "static _Alignas(16) unsigned char %s[%" PRId64 "]", x->name,
                        n_bytes > 0 ? n_bytes : 1);
}

void
burl__gen_emit_local(struct burl__gen_emitter *em, const struct burl__gen_emit_arg *x)
{
    struct burl_buf *out = &em->body;
    const size_t before = out->n;

    burl_buf_str_append(out, em->indent);
    if (x->a->kind == BURL_GEN_ARG_NULL || x->a->kind == BURL_GEN_ARG_STOPPED) {
        burl_buf_truncate(out, before);
        return;
    }
    if (needs_array(x)) {
        write_array(x, out);
    } else if (x->p->role == BURL_GEN_ROLE_OUT_VALUE || x->p->role == BURL_GEN_ROLE_INOUT_VALUE) {
        write_out_variable(x, out);
    } else if (x->p->role == BURL_GEN_ROLE_BYTES_OUT) {
        write_buffer(x, out);
    } else if (x->p->role == BURL_GEN_ROLE_RECORD && x->type[0]) {
        burl_buf_str_append(out, "static ");
        burl_gen_declare(out, without_const(x->type), x->name);
    } else if (x->p->role == BURL_GEN_ROLE_LENGTH && x->type[0]) {
        burl_buf_printf(out, "%s %s = %" PRId64, without_const(x->type), x->name,
                        burl_gen_call_length(em->m, x->call->c, x->k));
    } else {
        burl_buf_truncate(out, before);
        return;
    }
    burl_buf_str_append(out, ";\n");
}

/* ---- expressions -------------------------------------------------------------------- */

/* A number as the parameter takes it; one that does not fit its type is cast, as compilers warn. */
static void
write_int(const struct burl__gen_emit_arg *x, struct burl_buf *out)
{
    const struct burl_gen_param *p = x->p;
    const unsigned bits = p->size_b > 0 && p->size_b < 8 ? 8u * p->size_b : 64;
    const int64_t hi =
        bits == 64 ? INT64_MAX : ((int64_t)1 << (p->is_unsigned ? bits : bits - 1)) - 1;
    const int64_t lo = p->is_unsigned ? 0 : bits == 64 ? INT64_MIN : -hi - 1;

    if (x->a->i < lo || x->a->i > hi)
        burl_buf_printf(out, "(%s)%" PRId64, p->ctype, x->a->i);
    else if (x->a->i == INT64_MIN)
        burl_buf_str_append(out, "-9223372036854775807LL - 1");
    else
        burl_gen_arg_print(x->call->f, x->k, x->a, out);
}

/* STRING, BYTES_IN, BYTES_OUT. */
static void
write_bytes(const struct burl__gen_emit_arg *x, struct burl_buf *out)
{
    const unsigned size_b = element_size(x->p);
    const bool fits =
        is_plain(x->type, "void") || (is_plain(x->type, "char") && size_b == 1) ||
        (x->a->kind == BURL_GEN_ARG_ROLE && burl_gen_is_arithmetic(x->type) && x->a->i >= size_b) ||
        (needs_array(x) && has_elements(x));

    if (!fits)
        burl_buf_printf(out, "(%s)%s", x->p->ctype, x->type[0] ? "" : "(void *)");
    if (x->a->kind == BURL_GEN_ARG_BYTES && !needs_array(x))
        burl_gen_literal_print(x->a->bytes, x->a->n_bytes, out);
    else
        burl_buf_str_append(out, x->name);
}

/* The address of something, as the type of the parameter unless that is void *. */
static void
write_address(const struct burl__gen_emit_arg *x, const char *of, struct burl_buf *out)
{
    if (!x->type[0])
        burl_buf_printf(out, "(%s)(uintptr_t)", x->p->ctype);
    else if (!is_plain(x->type, "void"))
        burl_buf_printf(out, "(%s)", x->p->ctype);
    burl_buf_printf(out, "&%s", of);
}

/* A handle that is a number. */
static void
write_number(const struct burl__gen_emitter *em, const struct burl__gen_emit_arg *x,
             struct burl_buf *out)
{
    if (x->a->kind == BURL_GEN_ARG_SLOT)
        burl_buf_printf(out, "(%s)number_of(%s)", x->p->ctype,
                        burl_gen_slot_name(em->m, em->t, (int)x->a->i).s);
    else
        burl_buf_str_append(out, "-1");
}

void
burl__gen_emit_arg(struct burl__gen_emitter *em, const struct burl__gen_emit_arg *x)
{
    const struct burl_gen_param *p = x->p;
    const struct burl_gen_arg *a = x->a;
    struct burl_buf *out = &em->body;
    char name[160];

    if (p->role == BURL_GEN_ROLE_FIXED) {
        burl_buf_str_append(out, p->expr ? p->expr : "0");
        return;
    }
    if (p->role == BURL_GEN_ROLE_OBJECT && p->type >= 0 && em->m->types.v[p->type].is_number) {
        write_number(em, x, out);
        return;
    }
    if (a->kind == BURL_GEN_ARG_NULL) {
        burl_buf_str_append(out, strchr(p->ctype, '*') || p->role != BURL_GEN_ROLE_PAYLOAD ? "NULL"
                                                                                           : "0");
        return;
    }
    if (a->kind == BURL_GEN_ARG_STOPPED) {
        burl_gen_arg_print(x->call->f, x->k, a, out);
        return;
    }
    switch (p->role) {
    case BURL_GEN_ROLE_OBJECT:
    case BURL_GEN_ROLE_STORAGE:
        burl_buf_str_append(
            out, burl_gen_slot_name(em->m, em->t,
                                    p->role == BURL_GEN_ROLE_STORAGE ? x->call->c->slot : (int)a->i)
                     .s);
        break;
    case BURL_GEN_ROLE_OUT_OBJECT:
        burl_buf_printf(out, "&%s_object", x->call->name);
        break;
    case BURL_GEN_ROLE_INT:
        write_int(x, out);
        break;
    case BURL_GEN_ROLE_STRING:
    case BURL_GEN_ROLE_BYTES_IN:
    case BURL_GEN_ROLE_BYTES_OUT:
        write_bytes(x, out);
        break;
    case BURL_GEN_ROLE_LENGTH:
        if (x->type[0])
            burl_buf_printf(out, "&%s", x->name);
        else
            burl_buf_printf(out, "%" PRId64, burl_gen_call_length(em->m, x->call->c, x->k));
        break;
    case BURL_GEN_ROLE_OUT_VALUE:
    case BURL_GEN_ROLE_INOUT_VALUE:
    case BURL_GEN_ROLE_RECORD:
        burl_buf_printf(out, "%s&%s", x->type[0] ? "" : "(void *)", x->name);
        break;
    case BURL_GEN_ROLE_PAYLOAD:
        em->uses_payload = true;
        snprintf(name, sizeof name, "payload[%" PRId64 "]", a->i % BURL_GEN_PAYLOADS);
        write_address(x, name, out);
        break;
    case BURL_GEN_ROLE_CONTEXT:
        em->uses_context = true;
        write_address(x, "context", out);
        break;
    default:
        burl_gen_arg_print(x->call->f, x->k, a, out);
    }
}
