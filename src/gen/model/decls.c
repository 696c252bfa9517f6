/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/decls.c - runs burl-api and reads its JSON.
 *
 * Runs in the host. The JSON describes a header that is not ours: lengths and numbers are checked,
 * and a missing key reads as "not stated".
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/proc.h"
#include "gen/model/decls_int.h"

/* The largest headers (GLib, 2000 functions) take a second and 20 MB of JSON. */
#define API_MS (2 * 60 * 1000)
#define API_OUTPUT_B ((size_t)512 << 20)

static const char *
string_of(const struct burl_json_value *v, const char *key)
{
    return burl_json_as_str(burl_json_get(v, key), "");
}

static bool
flag_of(const struct burl_json_value *v, const char *key)
{
    return burl_json_as_bool(burl_json_get(v, key), false);
}

static int64_t
number_of(const struct burl_json_value *v, const char *key, int64_t absent)
{
    int64_t x;

    return burl_json_as_i64(burl_json_get(v, key), &x) ? x : absent;
}

static enum burl__gen_ckind
kind_of(const char *text)
{
    static const char *const names[] = { "other", "void",   "bool",    "char",  "int",     "real",
                                         "enum",  "record", "pointer", "array", "function" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0)
            return (enum burl__gen_ckind)i;
    }
    return BURL__GEN_C_OTHER;
}

bool
burl__gen_is_integer(const struct burl__gen_ctype *t)
{
    return t->kind == BURL__GEN_C_INT || t->kind == BURL__GEN_C_CHAR ||
           t->kind == BURL__GEN_C_ENUM || t->kind == BURL__GEN_C_BOOL;
}

bool
burl__gen_is_scalar(const struct burl__gen_ctype *t)
{
    return burl__gen_is_integer(t) || t->kind == BURL__GEN_C_REAL;
}

static void *
new_array(struct burl__gen_decls *d, size_t n, size_t size_b)
{
    return burl_gen_memory_keep(&d->memory, burl_xcalloc(n, size_b));
}

static uint32_t
offset_of(const struct burl_json_value *v)
{
    int64_t x;

    return burl_json_as_i64(v, &x) && x >= 0 && x <= UINT32_MAX ? (uint32_t)x : 0;
}

/* The JSON reader bounds the depth. */
static void
read_type(struct burl__gen_decls *d, struct burl__gen_ctype *t, const struct burl_json_value *v)
{
    const struct burl_json_value *below = burl_json_get(v, "pointee");
    const struct burl_json_value *params = burl_json_get(v, "params");
    const struct burl_json_value *nullable = burl_json_get(v, "nullable");
    const struct burl_json_value *padding = burl_json_get(v, "padding");

    t->kind = kind_of(string_of(v, "kind"));
    t->spelling = string_of(v, "spelling");
    t->canonical = string_of(v, "canonical");
    if (burl_json_get(v, "tag"))
        t->tag = string_of(v, "tag");
    else if (t->kind == BURL__GEN_C_RECORD || t->kind == BURL__GEN_C_ENUM)
        t->kind = BURL__GEN_C_OTHER;
    t->size_b = number_of(v, "size_b", -1);
    t->elements = number_of(v, "elements", -1);
    t->nullable = nullable ? burl_json_as_bool(nullable, false) : -1;
    t->is_const = flag_of(v, "const");
    t->is_unsigned = flag_of(v, "unsigned");
    t->is_system = flag_of(v, "system");
    t->is_unnamed = flag_of(v, "unnamed");
    t->is_own = flag_of(v, "own");
    if (burl_json_get(v, "typedef"))
        t->alias = string_of(v, "typedef");
    t->is_complete = flag_of(v, "complete");
    t->is_plain = t->is_complete && flag_of(v, "plain");
    t->n_padding = burl_json_count(padding) / 2;
    t->padding = new_array(d, t->n_padding, sizeof *t->padding);
    for (size_t i = 0; i < t->n_padding; i++) {
        t->padding[i].at = offset_of(burl_json_at(padding, 2 * i));
        t->padding[i].n = offset_of(burl_json_at(padding, 2 * i + 1));
    }
    t->is_variadic = flag_of(v, "variadic");
    if (!below)
        below = burl_json_get(v, "result");
    if (below) {
        t->pointee = new_array(d, 1, sizeof *t->pointee);
        read_type(d, t->pointee, below);
    } else if (t->kind >= BURL__GEN_C_POINTER) {
        t->kind = BURL__GEN_C_OTHER;
    }
    t->n_params = burl_json_count(params);
    t->params = new_array(d, t->n_params, sizeof *t->params);
    for (size_t i = 0; i < t->n_params; i++)
        read_type(d, &t->params[i], burl_json_at(params, i));
}

/* One line in lower case; stars and slashes at the beginnings of lines go. */
static char *
plain_comment(const char *raw)
{
    struct burl_buf b = BURL_BUF_INIT;
    bool begin = true;

    for (const char *p = raw; *p; p++) {
        if (*p == '\n') {
            begin = true;
            burl_buf_char(&b, ' ');
        } else if (begin && (isspace((unsigned char)*p) || *p == '*' || *p == '/' || *p == '!')) {
            continue;
        } else if (p[0] == '*' && p[1] == '/') {
            begin = true;
            p++;
        } else {
            begin = false;
            burl_buf_char(&b, (char)tolower((unsigned char)*p));
        }
    }
    return burl_buf_take(&b, NULL);
}

/* "nonnull" means all pointers, "nonnull(1, 3)" these; several attributes add up. */
static void
read_nonnull(struct burl__gen_cfn *f, const char *text)
{
    const char *p = strchr(text, '(');

    if (!p) {
        for (size_t i = 0; i < f->n_params; i++)
            f->params[i].nonnull = 1;
        return;
    }
    for (size_t i = 0; i < f->n_params; i++) {
        if (f->params[i].nonnull < 0)
            f->params[i].nonnull = 0;
    }
    while (*p) {
        char *end;
        unsigned long k = strtoul(p, &end, 10);
        if (end == p) {
            p++;
            continue;
        }
        if (k >= 1 && k <= f->n_params)
            f->params[k - 1].nonnull = 1;
        p = end;
    }
}

static void
read_attributes(struct burl__gen_cfn *f, const struct burl_json_value *list)
{
    for (size_t i = 0; i < burl_json_count(list); i++) {
        const char *a = burl_json_as_str(burl_json_at(list, i), "");
        if (strncmp(a, "nonnull", 7) == 0)
            read_nonnull(f, a);
        else if (strncmp(a, "noreturn", 8) == 0)
            f->is_noreturn = true;
        else if (strcmp(a, "pure") == 0 || strcmp(a, "const") == 0)
            f->is_pure = true;
    }
}

static void
read_fn(struct burl__gen_decls *d, struct burl__gen_cfn *f, const struct burl_json_value *v)
{
    const struct burl_json_value *params = burl_json_get(v, "params");

    f->name = string_of(v, "name");
    f->file = string_of(v, "file");
    f->line = (unsigned)number_of(v, "line", 0);
    f->type = string_of(v, "type");
    f->declaration = string_of(v, "declaration");
    f->is_own = flag_of(v, "own");
    f->comment = burl_gen_memory_keep(&d->memory, plain_comment(string_of(v, "comment")));
    f->is_static = flag_of(v, "static");
    f->is_defined = flag_of(v, "defined");
    f->is_variadic = flag_of(v, "variadic");
    read_type(d, &f->result, burl_json_get(v, "result"));
    f->n_params = burl_json_count(params);
    f->params = new_array(d, f->n_params, sizeof *f->params);
    for (size_t i = 0; i < f->n_params; i++) {
        const struct burl_json_value *p = burl_json_at(params, i);
        f->params[i].name = string_of(p, "name");
        f->params[i].nonnull = -1;
        read_type(d, &f->params[i].type, burl_json_get(p, "type"));
    }
    read_attributes(f, burl_json_get(v, "attributes"));
}

static void
read_enum(struct burl__gen_decls *d, struct burl__gen_cenum *e, const struct burl_json_value *v)
{
    const struct burl_json_value *list = burl_json_get(v, "constants");

    e->tag = string_of(v, "tag");
    e->n_constants = burl_json_count(list);
    e->constants = new_array(d, e->n_constants, sizeof *e->constants);
    for (size_t i = 0; i < e->n_constants; i++) {
        e->constants[i].name = string_of(burl_json_at(list, i), "name");
        e->constants[i].value = number_of(burl_json_at(list, i), "value", 0);
    }
}

static void
read_strings(struct burl_gen_strings *out, const struct burl_json_value *list)
{
    for (size_t i = 0; i < burl_json_count(list); i++)
        BURL_VEC_PUSH(out, burl_json_as_str(burl_json_at(list, i), ""));
}

static void
read_left_out(struct burl__gen_decls *d, const struct burl_json_value *v)
{
    const long long n = number_of(v, "functions", 0);

    /* The C library is not part of the API. */
    if (strcmp(string_of(v, "why"), "a system header") == 0)
        return;
    BURL_VEC_PUSH(&d->left_out,
                  burl_gen_memory_keep(
                      &d->memory, burl_xasprintf("%s is left out with %lld function%s: it is %s.",
                                                 burl_json_as_str(burl_json_get(v, "file"), "?"), n,
                                                 n == 1 ? "" : "s", string_of(v, "why"))));
}

enum burl_status
burl__gen_decls_parse(struct burl__gen_decls **out, const char *json, size_t n,
                      struct burl_err *err)
{
    struct burl_json_value *root = NULL;
    const struct burl_json_value *list;
    struct burl__gen_decls *d;
    enum burl_status st;

    *out = NULL;
    st = burl_json_parse(&root, json, n, err);
    if (st != BURL_OK)
        return st;
    if (number_of(root, "version", 0) != 1) {
        burl_json_free(root);
        return burl_err_set(err, BURL_E_FORMAT, 0, "burl-api is of another version");
    }
    d = burl_xcalloc(1, sizeof *d);
    d->json = root;
    d->header = string_of(root, "header");
    list = burl_json_get(root, "functions");
    for (size_t i = 0; i < burl_json_count(list); i++)
        read_fn(d, BURL_VEC_ADD(&d->fns), burl_json_at(list, i));
    list = burl_json_get(root, "enums");
    for (size_t i = 0; i < burl_json_count(list); i++)
        read_enum(d, BURL_VEC_ADD(&d->enums), burl_json_at(list, i));
    read_strings(&d->flags, burl_json_get(root, "flags"));
    read_strings(&d->includes, burl_json_get(root, "includes"));
    list = burl_json_get(root, "left_out");
    for (size_t i = 0; i < burl_json_count(list); i++)
        read_left_out(d, burl_json_at(list, i));
    burl__gen_find_handles(d);
    *out = d;
    return BURL_OK;
}

void
burl__gen_decls_free(struct burl__gen_decls *d)
{
    if (!d)
        return;
    BURL_VEC_FREE(&d->fns);
    BURL_VEC_FREE(&d->enums);
    BURL_VEC_FREE(&d->flags);
    BURL_VEC_FREE(&d->includes);
    BURL_VEC_FREE(&d->left_out);
    burl_gen_memory_release(&d->memory);
    burl_json_free(d->json);
    free(d);
}

/* The messages of burl-api, without the program's name, as an error. */
static enum burl_status
refused(const struct burl_proc_output *o, const char *header, struct burl_err *err)
{
    char how[128];
    char *text = o->err;
    size_t n = strlen(text);

    while (n > 0 && text[n - 1] == '\n')
        text[--n] = '\0';
    if (o->status.timed_out)
        return burl_err_set(err, BURL_E_USAGE, 0, "reading %s took longer than %d s", header,
                            API_MS / 1000);
    if (o->status.exited && o->status.code == BURL_EXIT_USAGE) {
        char *name = strstr(text, "burl-api: ");
        if (name)
            memmove(name, name + 10, strlen(name + 10) + 1);
        return burl_err_set(err, BURL_E_USAGE, 0, "%s", text);
    }
    return burl_err_set(err, BURL_E_INTERNAL, 0, "burl-api %s on %s: %s",
                        burl_proc_describe(&o->status, how, sizeof how), header, text);
}

enum burl_status
burl__gen_decls_read(struct burl__gen_decls **out, const struct burl_gen_sources *src,
                     const struct burl_gen_strings *includes, struct burl_err *err)
{
    struct burl_proc_output o = { 0 };
    struct burl_proc_opts opts = { .in = BURL_PROC_NULL, .die_with_parent = true };
    struct burl_gen_memory own = { 0 };
    struct burl_gen_strings argv = { 0 };
    enum burl_status st;

    *out = NULL;
    BURL_VEC_PUSH(&argv, src->api_tool);
    if (src->compile_commands)
        BURL_VEC_PUSH(&argv, burl_gen_memory_keep(&own, burl_xasprintf("--compile-commands=%s",
                                                                       src->compile_commands)));
    for (size_t i = 0; i < includes->n; i++)
        BURL_VEC_PUSH(&argv,
                      burl_gen_memory_keep(&own, burl_xasprintf("--include=%s", includes->v[i])));
    BURL_VEC_PUSH(&argv, src->header);
    BURL_VEC_PUSH(&argv, "--");
    for (size_t i = 0; i < src->n_words; i++)
        BURL_VEC_PUSH(&argv, src->words[i]);
    BURL_VEC_PUSH(&argv, NULL);
    opts.argv = argv.v;
    st = burl_proc_capture(&o, &opts, API_MS, API_OUTPUT_B, err);
    if (st != BURL_OK)
        (void)burl_err_prefix(err, "cannot read %s", src->header);
    else if (!o.status.exited || o.status.code != 0)
        st = refused(&o, src->header, err);
    else
        st = burl__gen_decls_parse(out, o.out, o.out_n, err);
    burl_proc_output_deinit(&o);
    burl_gen_memory_release(&own);
    BURL_VEC_FREE(&argv);
    return st;
}
