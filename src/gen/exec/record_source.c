/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/record_source.c - writes the generated part of the recorder: a thunk around each public
 * function, and the list of seeds.
 *
 * Runs in the host. Thunks have the types of the functions, so they are written for every function
 * with a prototype of its own that a seed calls, those that no test calls included: what a seed
 * does in them counts. Of the others some may be defined nowhere.
 */
#include <stdio.h>
#include <string.h>

#include "gen/exec/exec_int.h"
#include "wire/record.h"

bool
burl__gen_is_recorded(const struct burl_gen_fn *f)
{
    return !f->is_ours && strstr(f->ctype, "...") == NULL && f->params.n <= BURL_RECORD_MAX_PARAMS;
}

bool
burl_gen_exec_records(const struct burl_gen_fn *f)
{
    return burl__gen_is_recorded(f);
}

static bool
returns_value(const struct burl_gen_fn *f)
{
    return f->result_ctype != NULL && strcmp(f->result_ctype, "void") != 0;
}

/* Size of what a pointer leads to, as an expression. */
static void
write_object_size(const struct burl_gen_model *m, const struct burl_gen_param *p,
                  struct burl_buf *out)
{
    bool is_object = p->role == BURL_GEN_ROLE_OBJECT || p->role == BURL_GEN_ROLE_STORAGE;

    if (is_object && p->type >= 0 && m->types.v[p->type].complete)
        burl_buf_printf(out, "sizeof(%s)", m->types.v[p->type].name);
    else if (p->role == BURL_GEN_ROLE_OUT_OBJECT)
        burl_buf_str_append(out, "sizeof(void *)");
    else if (p->role == BURL_GEN_ROLE_RECORD)
        burl_buf_printf(out, "sizeof(*(%s)0)", p->ctype);
    else
        burl_buf_str_append(out, "0");
}

/* Bytes that a parameter leads to. */
static void
write_contents(const struct burl_gen_fn *f, size_t k, struct burl_buf *out)
{
    const struct burl_gen_param *p = &f->params.v[k];

    if (p->role == BURL_GEN_ROLE_STRING)
        burl_buf_printf(out, "        burl_r_string(%zu, (const char *)a%zu);\n", k, k);
    else if (p->role == BURL_GEN_ROLE_INOUT_VALUE)
        burl_buf_printf(out, "        burl_r_bytes(%zu, (const void *)a%zu, %u);\n", k, k,
                        p->size_b);
    else if (p->role == BURL_GEN_ROLE_RECORD)
        burl_buf_printf(out, "        burl_r_bytes(%zu, (const void *)a%zu, sizeof(*(%s)0));\n", k,
                        k, p->ctype);
    else if (p->role == BURL_GEN_ROLE_BYTES_IN && p->partner >= 0 &&
             strchr(f->params.v[p->partner].ctype, '*') == NULL)
        burl_buf_printf(out, "        burl_r_bytes(%zu, (const void *)a%zu, (size_t)a%d * %u);\n",
                        k, k, p->partner, p->size_b > 1 ? p->size_b : 1);
}

static void
write_before(const struct burl_gen_model *m, size_t fn, struct burl_buf *out)
{
    const struct burl_gen_fn *f = &m->fns.v[fn];

    burl_buf_printf(out, "    int burl_recorded = burl_r_enter(%zu, %zu);\n", fn, f->params.n);
    burl_buf_str_append(out, "    if (burl_recorded) {\n");
    for (size_t k = 0; k < f->params.n; k++) {
        burl_buf_printf(out, "        burl_r_arg(%zu, &a%zu, sizeof a%zu, ", k, k, k);
        write_object_size(m, &f->params.v[k], out);
        burl_buf_str_append(out, ");\n");
    }
    for (size_t k = 0; k < f->params.n; k++)
        write_contents(f, k, out);
    burl_buf_str_append(out, "        burl_r_call();\n    }\n");
}

static void
write_recorder(const struct burl_gen_model *m, size_t fn, struct burl_buf *out)
{
    const struct burl_gen_fn *f = &m->fns.v[fn];
    bool has_value = returns_value(f);
    struct burl_buf head;

    burl_buf_init(&head, BURL_BUF_NO_LIMIT);
    burl_buf_printf(&head, "burl_rec_%s(", f->name);
    for (size_t k = 0; k < f->params.n; k++) {
        char name[24];

        snprintf(name, sizeof name, "a%zu", k);
        burl_buf_str_append(&head, k > 0 ? ", " : "");
        burl_gen_declare(&head, f->params.v[k].ctype, name);
    }
    burl_buf_str_append(&head, f->params.n > 0 ? ")" : "void)");
    burl_gen_declare(out, has_value ? f->result_ctype : "void", burl_buf_str(&head));
    burl_buf_deinit(&head);
    burl_buf_str_append(out, "\n{\n");
    write_before(m, fn, out);
    burl_buf_str_append(out, has_value ? "    __auto_type burl_result = " : "    ");
    /* The recorder has no hooks; an inline function with hooks is behind a pointer. */
    if (f->in_header)
        burl_buf_printf(out, "burl_d_at_%zu(", fn);
    else
        burl_buf_printf(out, "(%s)(", f->name);
    for (size_t k = 0; k < f->params.n; k++)
        burl_buf_printf(out, "%sa%zu", k > 0 ? ", " : "", k);
    burl_buf_str_append(out, ");\n");
    for (size_t k = 0; k < f->params.n; k++) {
        if (f->params.v[k].role == BURL_GEN_ROLE_OUT_OBJECT)
            burl_buf_printf(
                out, "    if (burl_recorded)\n        burl_r_out(%zu, (void *const *)a%zu);\n", k,
                k);
    }
    burl_buf_printf(out, "    burl_r_leave(%zu, burl_recorded, %s);\n", fn,
                    has_value ? "&burl_result, sizeof burl_result" : "0, 0");
    burl_buf_str_append(out, has_value ? "    return burl_result;\n}\n\n" : "}\n\n");
}

void
burl__gen_record_source(const struct burl_gen_model *m, const char *header,
                        const struct burl__gen_seeds *seeds, struct burl_buf *out)
{
    const size_t n_seeds = seeds->n;

    burl__gen_write_includes(m, header, out);
    burl_buf_str_append(out, "#include \"burl_record.h\"\n\n");
    for (size_t i = 0; i < m->fns.n; i++) {
        if (i >= seeds->used.n || !seeds->used.v[i])
            continue;
        if (m->fns.v[i].in_header)
            burl_buf_printf(out, "extern __typeof__(&%s) const burl_d_at_%zu;\n", m->fns.v[i].name,
                            i);
        write_recorder(m, i, out);
    }
    for (size_t i = 0; i < n_seeds; i++)
        burl_buf_printf(out, "extern burl_r_main burl_seed_%zu;\n", i);
    burl_buf_str_append(out, "burl_r_main *const burl_r_seeds[] = {\n");
    for (size_t i = 0; i < n_seeds; i++)
        burl_buf_printf(out, "    burl_seed_%zu,\n", i);
    burl_buf_printf(out, "    0\n};\nconst uint32_t burl_r_n_seeds = %zu;\n", n_seeds);
}
