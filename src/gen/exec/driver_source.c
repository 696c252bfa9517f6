/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/driver_source.c - writes the generated part of the driver: a thunk for each function of
 * the API, two callbacks for each callback parameter.
 *
 * Runs in the host. Arguments are passed as void pointers, 64-bit integers and doubles, which the
 * prototypes in the user's header convert; results are taken with __auto_type. So hardly any type
 * has to be spelled, and macros and typedefs of the header do not matter. The driver is compiled by
 * clang, which `burl cc` is.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "gen/exec/exec_int.h"

static bool
is_pointer(const char *ctype)
{
    return strchr(ctype, '*') || strchr(ctype, '[');
}

/* ---- callbacks --------------------------------------------------------------------- */

/* The parameters with names; returns how many. */
static unsigned
write_params(const char *list, struct burl_buf *out)
{
    const char *type;
    unsigned n = 0;
    size_t len;

    while ((list = burl_gen_next_param(list, &type, &len)) != NULL) {
        burl_buf_str_append(out, n > 0 ? ", " : "");
        if (strncmp(type, "...", 3) == 0) {
            burl_buf_str_append(out, "...");
            return n;
        }
        burl_buf_printf(out, "__typeof__(%.*s) a%u", (int)len, type, n++);
    }
    if (n == 0)
        burl_buf_str_append(out, "void");
    return n;
}

static void
write_return(const char *ret, size_t len, unsigned variant, struct burl_buf *out)
{
    char text[256];

    snprintf(text, sizeof text, "%.*s", (int)len, ret);
    while (len > 0 && len < sizeof text && isspace((unsigned char)text[len - 1]))
        text[--len] = '\0';
    if (strcmp(text, "void") == 0)
        return;
    burl_buf_printf(out, "    __typeof__(%s) r;\n    __builtin_memset((void *)&r, 0, sizeof r);\n",
                    text);
    if (variant == 1 && strchr(text, '*'))
        burl_buf_str_append(out, "    *(void **)(void *)&r = &burl_d_payloads[0];\n");
    else if (variant == 1 && (strstr(text, "double") || strstr(text, "float")))
        burl_buf_str_append(out, "    r = 1;\n");
    else if (variant == 1)
        burl_buf_str_append(out, "    *(char *)(void *)&r = 1;\n");
    burl_buf_str_append(out, "    return r;\n");
}

static void
write_callback(const struct burl_gen_param *p, size_t fn, size_t arg, unsigned variant,
               struct burl_buf *out)
{
    const char *list = p->callback ? burl_gen_function_params(p->callback) : NULL;
    unsigned n;

    if (!list)
        return;
    burl_buf_printf(out, "static __typeof__(%.*s)\nburl_d_cb_%zu_%zu_%u(",
                    (int)(list - p->callback), p->callback, fn, arg, variant);
    n = write_params(list + 1, out);
    burl_buf_printf(out, ")\n{\n    uint64_t *h = burl_d_called(%zu, %zu);\n", fn, arg);
    for (unsigned i = 0; i < n; i++)
        burl_buf_printf(out, "    BURL_D_SEE(h, a%u);\n", i);
    burl_buf_str_append(out, "    (void)h;\n");
    write_return(p->callback, (size_t)(list - p->callback), variant, out);
    burl_buf_str_append(out, "}\n\n");
}

/* ---- arguments --------------------------------------------------------------------- */

/* The call writes to a variable of the thunk. */
static bool
is_out(enum burl_gen_role role)
{
    return role == BURL_GEN_ROLE_OUT_VALUE || role == BURL_GEN_ROLE_INOUT_VALUE;
}

static int
scalar_size(const struct burl_gen_param *p)
{
    return p->size_b != 0 ? p->size_b : 8;
}

/* Objects of the type are numbers: a slot has the number plus 1, so that none is NULL. */
static bool
is_number_of(const struct burl_gen_model *m, int type)
{
    return type >= 0 && m->types.v[type].is_number;
}

/* The length, in elements of the partner. */
static void
write_length(const struct burl_gen_fn *f, const struct burl_gen_param *p, struct burl_buf *out)
{
    unsigned size_b = 1;

    if (p->partner < 0 || (size_t)p->partner >= f->params.n) {
        burl_buf_str_append(out, "0");
        return;
    }
    if (f->params.v[p->partner].size_b > 1)
        size_b = f->params.v[p->partner].size_b;
    burl_buf_printf(out, "burl_d_length(c, %d) / %u", p->partner, size_b);
}

/* Locals of the thunk for one parameter, before the call. */
static void
write_local(const struct burl_gen_model *m, const struct burl_gen_fn *f, size_t k,
            struct burl_buf *out)
{
    const struct burl_gen_param *p = &f->params.v[k];

    if (is_out(p->role)) {
        burl_buf_printf(out, "    union burl_d_out o%zu;\n    burl_d_set(c, %zu, &o%zu, %d, %d);\n",
                        k, k, k, scalar_size(p), p->is_real);
    } else if (p->role == BURL_GEN_ROLE_STORAGE) {
        burl_buf_printf(out, "    void *o%zu = burl_d_memory(sizeof(%s));\n", k,
                        m->types.v[p->type].name);
    } else if (is_number_of(m, p->type) && p->role == BURL_GEN_ROLE_OUT_OBJECT) {
        burl_buf_printf(out, "    %s o%zu = -1;\n", m->types.v[p->type].name, k);
    } else if (p->role == BURL_GEN_ROLE_OUT_OBJECT) {
        burl_buf_printf(out, "    void *o%zu = 0;\n", k);
    } else if (p->role == BURL_GEN_ROLE_RECORD) {
        burl_buf_printf(out, "    void *o%zu = burl_d_memory(sizeof(*(%s)0));\n", k, p->ctype);
    } else if (p->role == BURL_GEN_ROLE_LENGTH && is_pointer(p->ctype)) {
        burl_buf_printf(out, "    union burl_d_out o%zu = { .i = (int64_t)", k);
        write_length(f, p, out);
        burl_buf_str_append(out, " };\n");
    }
}

/* The expression that is passed, with # for the number of the parameter; NULL: see below. */
static const char *const expressions[BURL_GEN_ROLE__N] = {
    [BURL_GEN_ROLE_OBJECT] = "burl_d_object(c, #)",
    [BURL_GEN_ROLE_STORAGE] = "o#",
    [BURL_GEN_ROLE_OUT_OBJECT] = "(void *)&o#",
    [BURL_GEN_ROLE_INT] = "burl_d_int(c, #)",
    [BURL_GEN_ROLE_BOOL] = "(burl_d_int(c, #) != 0)",
    [BURL_GEN_ROLE_REAL] = "burl_d_real(c, #)",
    [BURL_GEN_ROLE_STRING] = "burl_d_bytes(c, #)",
    [BURL_GEN_ROLE_BYTES_IN] = "burl_d_bytes(c, #)",
    [BURL_GEN_ROLE_BYTES_OUT] = "burl_d_bytes(c, #)",
    [BURL_GEN_ROLE_OUT_VALUE] = "(burl_d_is_null(c, #) ? 0 : (void *)&o#)",
    [BURL_GEN_ROLE_INOUT_VALUE] = "(burl_d_is_null(c, #) ? 0 : (void *)&o#)",
    [BURL_GEN_ROLE_CALLBACK] = "o#",
    [BURL_GEN_ROLE_CONTEXT] = "burl_d_is_null(c, #) ? 0 : (void *)&burl_d_context",
    [BURL_GEN_ROLE_RECORD] = "burl_d_is_null(c, #) ? 0 : o#",
    [BURL_GEN_ROLE_UNKNOWN] = "0",
};

/* What the test says, or what the stopped seed passes. */
static void
write_stopped(const struct burl_gen_param *p, size_t k, struct burl_buf *out)
{
    burl_buf_printf(out, "burl_d_stopped(c, %zu) ? *(__typeof__(%s) *)burl_d_stopped(c, %zu) : ", k,
                    strchr(p->ctype, '[') ? "void *" : p->ctype, k);
}

static void
write_argument(const struct burl_gen_model *m, const struct burl_gen_fn *f, size_t k,
               struct burl_buf *out)
{
    const struct burl_gen_param *p = &f->params.v[k];

    if (p->role == BURL_GEN_ROLE_OBJECT && is_number_of(m, p->type))
        burl_buf_str_append(out, "(intptr_t)-1 + (intptr_t)");

    if (p->role == BURL_GEN_ROLE_FIXED)
        burl_buf_printf(out, "(%s)", p->expr ? p->expr : "0");
    else if (p->role == BURL_GEN_ROLE_PAYLOAD)
        /* A pointer may hide behind a name: gpointer. */
        burl_buf_printf(out, "(%s)(uintptr_t)burl_d_payload(c, %zu)", p->ctype, k);
    else if (p->role == BURL_GEN_ROLE_LENGTH && !is_pointer(p->ctype))
        write_length(f, p, out);
    else if (p->role == BURL_GEN_ROLE_LENGTH)
        burl_buf_printf(out, "(void *)&o%zu", k);
    for (const char *e = expressions[p->role]; e && *e; e++) {
        if (*e == '#')
            burl_buf_printf(out, "%zu", k);
        else
            burl_buf_char(out, *e);
    }
}

/* ---- thunks ------------------------------------------------------------------------ */

/* Records the result r; NULL: there is none. */
static const char *const records[BURL_GEN_RESULT__N] = {
    [BURL_GEN_RESULT_INT] = "    burl_d_put_int(c, (int64_t)r);\n",
    [BURL_GEN_RESULT_REAL] = "    burl_d_put_real(c, (double)r);\n",
    [BURL_GEN_RESULT_STRING] = "    burl_d_put_lent(c, (const char *)r);\n",
    [BURL_GEN_RESULT_OWN_STRING] = "    burl_d_put_string(c, (const char *)r);\n"
                                   "    burl_d_free((void *)r);\n",
    [BURL_GEN_RESULT_PAYLOAD] =
        "    burl_d_put_pointer(c, BURL_D_RESULT, (const void *)(uintptr_t)r);\n",
    [BURL_GEN_RESULT_OBJECT] = "    burl_d_made(c, (void *)r);\n"
                               "    burl_d_put_pointer(c, BURL_D_RESULT, (const void *)r);\n",
    [BURL_GEN_RESULT_STRUCT] = "    burl_d_put_struct(c, &r, sizeof r);\n",
};

/* Records the value of one parameter after the call. */
static void
write_out(const struct burl_gen_model *m, const struct burl_gen_fn *f, size_t k,
          struct burl_buf *out)
{
    const struct burl_gen_param *p = &f->params.v[k];
    const char *ok = f->result != BURL_GEN_RESULT_INT ? "1"
                     : f->zero_is_success             ? "r == 0"
                                                      : "r != 0";

    if (is_out(p->role) && p->is_payload)
        burl_buf_printf(out, "    burl_d_put_pointer(c, %zu, o%zu.p);\n", k, k);
    else if (is_out(p->role))
        burl_buf_printf(out, "    burl_d_put_out(c, %zu, &o%zu, %d, %d, %d);\n", k, k,
                        scalar_size(p), p->is_unsigned, p->is_real);
    else if (p->role == BURL_GEN_ROLE_OBJECT && p->consumes && m->types.v[p->type].zeroed)
        return; /* the slot stays valid, so that a returned pointer is recognized */
    else if (p->role == BURL_GEN_ROLE_OBJECT && p->consumes)
        burl_buf_printf(out, "    burl_d_consumed(c, %zu);\n", k);
    else if (p->role == BURL_GEN_ROLE_BYTES_OUT)
        burl_buf_printf(out, "    burl_d_put_buffer(c, %zu);\n", k);
    else if (p->role == BURL_GEN_ROLE_STORAGE && f->result != BURL_GEN_RESULT_OBJECT)
        burl_buf_printf(out, "    burl_d_made(c, %s ? o%zu : 0);\n", ok, k);
    else if (p->role == BURL_GEN_ROLE_OUT_OBJECT) {
        const char *of = is_number_of(m, p->type) ? "BURL_D_NUMBER" : "";

        burl_buf_printf(out,
                        "    burl_d_made(c, %s ? %s(o%zu) : 0);\n"
                        "    burl_d_put_pointer(c, %zu, %s ? %s(o%zu) : 0);\n",
                        ok, of, k, k, ok, of, k);
    }
}

static void
write_thunk(const struct burl_gen_model *m, size_t fn, bool stops, struct burl_buf *out)
{
    const struct burl_gen_fn *f = &m->fns.v[fn];

    for (size_t k = 0; k < f->params.n; k++) {
        for (unsigned v = 0; f->params.v[k].role == BURL_GEN_ROLE_CALLBACK && v < 2; v++)
            write_callback(&f->params.v[k], fn, k, v, out);
    }
    burl_buf_printf(out, "static void\nburl_d_thunk_%zu(struct burl_d_call *c)\n{\n", fn);
    for (size_t k = 0; k < f->params.n; k++)
        write_local(m, f, k, out);
    for (size_t k = 0; k < f->params.n; k++) {
        if (f->params.v[k].role == BURL_GEN_ROLE_CALLBACK)
            burl_buf_printf(out,
                            "    void *o%zu = burl_d_variant(c, %zu) < 0 ? 0\n"
                            "        : burl_d_variant(c, %zu) ? (void *)burl_d_cb_%zu_%zu_1\n"
                            "        : (void *)burl_d_cb_%zu_%zu_0;\n",
                            k, k, k, fn, k, fn, k);
    }
    burl_buf_str_append(out, "    burl_d_begin(c);\n    ");
    if (f->result == BURL_GEN_RESULT_STRUCT)
        burl_buf_str_append(out, "burl_d_fill_stack();\n    ");
    if (records[f->result])
        burl_buf_str_append(out, "__auto_type r = ");
    if (f->in_header)
        burl_buf_printf(out, "burl_d_at_%zu(", fn);
    else
        burl_buf_printf(out, "(%s)(", f->name);
    for (size_t k = 0; k < f->params.n; k++) {
        burl_buf_str_append(out, k > 0 ? ", " : "");
        if (stops && f->params.v[k].role != BURL_GEN_ROLE_FIXED)
            write_stopped(&f->params.v[k], k, out);
        write_argument(m, f, k, out);
    }
    burl_buf_str_append(out, ");\n    burl_d_end(c);\n");
    for (size_t k = 0; k < f->params.n; k++)
        write_out(m, f, k, out);
    for (size_t i = 0; f->result == BURL_GEN_RESULT_STRUCT && i < f->n_gaps; i++)
        burl_buf_printf(out, "    __builtin_memset((char *)&r + %u, 0, %u);\n", f->gaps[i].at,
                        f->gaps[i].n);
    if (f->result == BURL_GEN_RESULT_OBJECT && is_number_of(m, f->result_type))
        burl_buf_str_append(out, "    burl_d_made(c, BURL_D_NUMBER(r));\n"
                                 "    burl_d_put_pointer(c, BURL_D_RESULT, BURL_D_NUMBER(r));\n");
    else
        burl_buf_str_append(out, records[f->result] ? records[f->result] : "");
    burl_buf_str_append(out, "}\n\n");
}

void
burl__gen_write_includes(const struct burl_gen_model *m, const char *header, struct burl_buf *out)
{
    burl_buf_str_append(out, "/* Written by burl gen. */\n");
    for (size_t i = 0; i < m->includes.n; i++)
        burl_buf_printf(out, "#include %s\n", m->includes.v[i]);
    burl_buf_printf(out, "#include \"%s\"\n", header);
}

static bool
is_inline(const struct burl_gen_fn *f)
{
    return f->in_header && (burl_gen_fn_has_thunk(f) || burl__gen_is_recorded(f));
}

/* The driver has no hooks, and an inline function compiled into it would have none either: it is
 * called through its address, taken in a file with hooks. */
bool
burl__gen_inline_source(const struct burl_gen_model *m, const char *header, struct burl_buf *out)
{
    bool any = false;

    burl__gen_write_includes(m, header, out);
    for (size_t i = 0; i < m->fns.n; i++) {
        if (!is_inline(&m->fns.v[i]))
            continue;
        burl_buf_printf(out, "extern __typeof__(&%s) const burl_d_at_%zu;\n", m->fns.v[i].name, i);
        burl_buf_printf(out, "__typeof__(&%s) const burl_d_at_%zu = %s;\n", m->fns.v[i].name, i,
                        m->fns.v[i].name);
        any = true;
    }
    return any;
}

void
burl__gen_driver_source(const struct burl_gen_model *m, const char *header, bool stops,
                        struct burl_buf *out)
{
    burl__gen_write_includes(m, header, out);
    burl_buf_str_append(out, "#include \"burl_driver.h\"\n#include <stdlib.h>\n\n");
    for (size_t i = 0; i < m->fns.n; i++) {
        if (is_inline(&m->fns.v[i]))
            burl_buf_printf(out, "extern __typeof__(&%s) const burl_d_at_%zu;\n", m->fns.v[i].name,
                            i);
    }
    /* The only names of the driver that a header could define as macros. */
    burl_buf_str_append(out,
                        "#undef c\n#undef h\n#undef r\n\n"
                        "#define BURL_D_NUMBER(n) \\\n"
                        "    ((intptr_t)(n) < 0 ? (void *)0 : (void *)((intptr_t)(n) + 1))\n\n");
    for (size_t i = 0; i < m->fns.n; i++) {
        if (m->fns.v[i].is_ours)
            burl__gen_write_zeroed(m, &m->fns.v[i], out);
        if (burl_gen_fn_has_thunk(&m->fns.v[i]))
            write_thunk(m, i, stops, out);
    }
    burl_buf_str_append(out, "burl_d_thunk *const burl_d_thunks[] = {\n");
    for (size_t i = 0; i < m->fns.n; i++) {
        if (burl_gen_fn_has_thunk(&m->fns.v[i]))
            burl_buf_printf(out, "    burl_d_thunk_%zu,\n", i);
        else
            burl_buf_str_append(out, "    0,\n");
    }
    burl_buf_printf(out, "    0\n};\n\nconst uint32_t burl_d_n_thunks = %zu;\n", m->fns.n);
}
