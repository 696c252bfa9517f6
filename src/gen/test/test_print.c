/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/test/test_print.c - calls of a test as a person would write them.
 *
 * For reports and comments. An out-parameter that is not read again is a compound literal, so that
 * the line is complete C. The emitted tests (emit.c) declare variables instead and share only names
 * of slots and literals with this file.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gen/test/test.h"

/* ---- slots ------------------------------------------------------------------------- */

/* The letter of a type: of the last word of its name, "struct queue" and "queue_t" are both q. */
static char
letter_of(const struct burl_gen_model *m, int type)
{
    const char *name = type >= 0 && (size_t)type < m->types.n ? m->types.v[type].name : "object";
    const char *space = strrchr(name, ' ');

    if (space)
        name = space + 1;
    while (*name && !isalpha((unsigned char)*name))
        name++;
    return *name ? (char)tolower((unsigned char)*name) : 'x';
}

struct burl_gen_name
burl_gen_slot_name(const struct burl_gen_model *m, const struct burl_gen_test *t, int slot)
{
    struct burl_gen_name name = { { letter_of(m, burl_gen_test_slot_type(t, m, slot)) } };
    int number = 1;

    for (int i = 0; i < slot; i++)
        number += letter_of(m, burl_gen_test_slot_type(t, m, i)) == name.s[0];
    if (number > 1)
        snprintf(name.s + 1, sizeof name.s - 1, "%d", number);
    return name;
}

/* Is the object in memory that the test provides, so that its variable is no pointer? */
static bool
is_storage(const struct burl_gen_model *m, const struct burl_gen_test *t, int slot)
{
    const struct burl_gen_call *c = burl_gen_test_writer(t, slot);
    const int param = c ? burl_gen_fn_made_param(&m->fns.v[c->fn]) : -1;

    return param >= 0 && m->fns.v[c->fn].params.v[param].role == BURL_GEN_ROLE_STORAGE;
}

/* ---- literals ---------------------------------------------------------------------- */

static void
print_int(const struct burl_gen_param *p, int64_t i, struct burl_buf *out)
{
    for (size_t k = 0; k < p->values.n; k++) {
        if (p->values.v[k].value == i) {
            burl_buf_str_append(out, p->values.v[k].name);
            return;
        }
    }
    if (p->role == BURL_GEN_ROLE_BOOL)
        burl_buf_str_append(out, i != 0 ? "1" : "0");
    else if (strcmp(p->ctype, "char") == 0 && i > ' ' && i < 127 && i != '\'' && i != '\\')
        burl_buf_printf(out, "'%c'", (char)i);
    else if (i == INT64_MIN && !p->is_unsigned)
        burl_buf_str_append(out, "(-9223372036854775807LL - 1)");
    else if (p->is_unsigned && i < 0 && p->size_b >= 8)
        burl_buf_printf(out, "%" PRIu64 "u", (uint64_t)i);
    else
        burl_buf_printf(out, "%" PRId64, i);
}

static void
print_real(double x, struct burl_buf *out)
{
    char text[40];

    if (x != x) {
        burl_buf_str_append(out, "(0.0 / 0.0)");
        return;
    }
    if (x - x != 0) {
        burl_buf_str_append(out, x > 0 ? "(1.0 / 0.0)" : "(-1.0 / 0.0)");
        return;
    }
    /* The shortest form that is the same number. */
    for (int digits = 1; digits <= 17; digits++) {
        double back;

        snprintf(text, sizeof text, "%.*g", digits, x);
        if (sscanf(text, "%lf", &back) == 1 && memcmp(&back, &x, sizeof x) == 0)
            break;
    }
    burl_buf_str_append(out, text);
    if (!strpbrk(text, ".e"))
        burl_buf_str_append(out, ".0");
}

void
burl_gen_literal_print(const char *bytes, size_t n, struct burl_buf *out)
{
    burl_buf_char(out, '"');
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)bytes[i];

        /* Three octal digits always: what follows cannot become part of them. A question mark is
         * one as well, for two of them begin a trigraph. */
        if (c == '"' || c == '\\')
            burl_buf_printf(out, "\\%c", c);
        else if (c == '\n')
            burl_buf_str_append(out, "\\n");
        else if (c < 32 || c > 126 || c == '?')
            burl_buf_printf(out, "\\%03o", c);
        else
            burl_buf_char(out, (char)c);
    }
    burl_buf_char(out, '"');
}

struct burl_gen_name
burl_gen_callback_name(const struct burl_gen_fn *f, size_t param, int64_t variant)
{
    struct burl_gen_name name;

    snprintf(name.s, sizeof name.s, "on_%s_%zu_%d", f->name, param, variant != 0);
    return name;
}

void
burl_gen_arg_print(const struct burl_gen_fn *f, size_t param, const struct burl_gen_arg *a,
                   struct burl_buf *out)
{
    const struct burl_gen_param *p = &f->params.v[param];

    switch (a->kind) {
    case BURL_GEN_ARG_INT:
        print_int(p, a->i, out);
        break;
    case BURL_GEN_ARG_REAL:
        print_real(a->real, out);
        break;
    case BURL_GEN_ARG_BYTES:
        burl_gen_literal_print(a->bytes, a->n_bytes, out);
        break;
    case BURL_GEN_ARG_PAYLOAD:
        burl_buf_printf(out, "&payload[%" PRId64 "]", a->i);
        break;
    case BURL_GEN_ARG_CALLBACK:
        burl_buf_str_append(out, burl_gen_callback_name(f, param, a->i).s);
        break;
    case BURL_GEN_ARG_STOPPED:
        burl_buf_printf(out, "burl_stopped_%d.a%zu", (int)a->i + 1, param);
        break;
    default:
        burl_buf_str_append(out, p->role == BURL_GEN_ROLE_FIXED && p->expr ? p->expr : "NULL");
    }
}

/* ---- calls ------------------------------------------------------------------------- */

/* A literal of what the parameter points to. */
static void
print_pointee(const char *ctype, const char *value, struct burl_buf *out)
{
    char type[160];

    if (burl_gen_pointee(ctype, type, sizeof type))
        burl_buf_printf(out, "&(%s){ %s }", type, value);
    else
        burl_buf_str_append(out, "&out");
}

/* Arguments that are not literals; false: it is one. */
static bool
print_by_role(const struct burl_gen_model *m, const struct burl_gen_call *c, size_t k,
              struct burl_buf *out)
{
    const struct burl_gen_param *p = &m->fns.v[c->fn].params.v[k];
    const struct burl_gen_arg *a = &c->args.v[k];
    char text[40];

    if (a->kind == BURL_GEN_ARG_NULL || a->kind == BURL_GEN_ARG_STOPPED)
        return false;
    switch (p->role) {
    case BURL_GEN_ROLE_LENGTH:
        burl_buf_printf(out, "%" PRId64, burl_gen_call_length(m, c, k));
        return true;
    case BURL_GEN_ROLE_BYTES_OUT:
        burl_buf_printf(out, "(char[%" PRId64 "]){ 0 }", a->i > 0 ? a->i : 1);
        return true;
    case BURL_GEN_ROLE_OUT_VALUE:
    case BURL_GEN_ROLE_RECORD:
        print_pointee(p->ctype, "0", out);
        return true;
    case BURL_GEN_ROLE_INOUT_VALUE:
        snprintf(text, sizeof text, "%" PRId64, a->i);
        if (a->kind == BURL_GEN_ARG_REAL)
            snprintf(text, sizeof text, "%.17g", a->real);
        print_pointee(p->ctype, text, out);
        return true;
    case BURL_GEN_ROLE_CONTEXT:
        burl_buf_str_append(out, "&context");
        return true;
    default:
        return false;
    }
}

static void
print_slot(const struct burl_gen_model *m, const struct burl_gen_test *t, int slot, bool address,
           struct burl_buf *out)
{
    burl_buf_printf(out, address || is_storage(m, t, slot) ? "&%s" : "%s",
                    burl_gen_slot_name(m, t, slot).s);
}

static void
print_argument(const struct burl_gen_model *m, const struct burl_gen_test *t,
               const struct burl_gen_call *c, size_t k, struct burl_buf *out)
{
    const struct burl_gen_fn *f = &m->fns.v[c->fn];
    const struct burl_gen_param *p = &f->params.v[k];
    const struct burl_gen_arg *a = &c->args.v[k];

    if (burl_gen_param_receives(p)) {
        if (c->slot >= 0)
            print_slot(m, t, c->slot, true, out);
        else
            burl_buf_str_append(out, "&other");
    } else if (a->kind == BURL_GEN_ARG_SLOT) {
        print_slot(m, t, (int)a->i, false, out);
    } else if (!print_by_role(m, c, k, out)) {
        burl_gen_arg_print(f, k, a, out);
    }
}

/* The variable that the call fills, declared before it: "struct queue *q = ". */
static void
print_variable(const struct burl_gen_model *m, const struct burl_gen_test *t,
               const struct burl_gen_call *c, struct burl_buf *out)
{
    const int type = burl_gen_test_slot_type(t, m, c->slot);
    const char *type_name = type >= 0 ? m->types.v[type].name : "void";
    const char *star = type >= 0 && m->types.v[type].is_pointer ? "" : "*";
    const struct burl_gen_name name = burl_gen_slot_name(m, t, c->slot);

    if (is_storage(m, t, c->slot))
        burl_buf_printf(out, "%s %s; ", type_name, name.s);
    else if (m->fns.v[c->fn].result == BURL_GEN_RESULT_OBJECT)
        burl_buf_printf(out, "%s %s%s = ", type_name, star, name.s);
    else
        burl_buf_printf(out, "%s %s%s; ", type_name, star, name.s);
}

void
burl_gen_call_print(const struct burl_gen_model *m, const struct burl_gen_test *t,
                    const struct burl_gen_call *c, bool var, struct burl_buf *out)
{
    const struct burl_gen_fn *f = &m->fns.v[c->fn];

    if (var && c->slot >= 0)
        print_variable(m, t, c, out);
    burl_buf_printf(out, "%s(", f->name);
    for (size_t k = 0; k < c->args.n && k < f->params.n; k++) {
        burl_buf_str_append(out, k > 0 ? ", " : "");
        print_argument(m, t, c, k, out);
    }
    burl_buf_char(out, ')');
}
