/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/model.c - the basics of a model: its memory, look-ups, C declarations.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/model/decls_int.h"

static void
deinit_param(struct burl_gen_param *p)
{
    free(p->name);
    free(p->ctype);
    for (size_t i = 0; i < p->values.n; i++)
        free(p->values.v[i].name);
    BURL_VEC_FREE(&p->values);
    free(p->expr);
    free(p->callback);
    free(p->note);
}

static void
deinit_fn(struct burl_gen_fn *f)
{
    free(f->name);
    free(f->ctype);
    free(f->file);
    free(f->result_ctype);
    free(f->note);
    for (size_t i = 0; i < f->params.n; i++)
        deinit_param(&f->params.v[i]);
    BURL_VEC_FREE(&f->params);
}

void
burl_gen_model_deinit(struct burl_gen_model *m)
{
    free(m->header);
    for (size_t i = 0; i < m->types.n; i++)
        free(m->types.v[i].name);
    for (size_t i = 0; i < m->fns.n; i++)
        deinit_fn(&m->fns.v[i]);
    for (size_t i = 0; i < m->notes.n; i++)
        free(m->notes.v[i].text);
    for (size_t i = 0; i < m->includes.n; i++)
        free(m->includes.v[i]);
    for (size_t i = 0; i < m->flags.n; i++)
        free(m->flags.v[i]);
    for (size_t i = 0; i < m->constants.n; i++)
        free(m->constants.v[i].name);
    BURL_VEC_FREE(&m->types);
    BURL_VEC_FREE(&m->fns);
    BURL_VEC_FREE(&m->notes);
    BURL_VEC_FREE(&m->includes);
    BURL_VEC_FREE(&m->flags);
    BURL_VEC_FREE(&m->constants);
    burl__gen_decls_free(m->decls);
    *m = (struct burl_gen_model){ 0 };
}

int
burl_gen_model_fn(const struct burl_gen_model *m, const char *name)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        if (strcmp(m->fns.v[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

int
burl_gen_model_type(const struct burl_gen_model *m, const char *name)
{
    for (size_t i = 0; i < m->types.n; i++) {
        if (strcmp(m->types.v[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

/* Where the name goes in a type that has no name: "int (*)(int)", "int[8]", "void (int)". */
static size_t
place_of_name(const char *t)
{
    const char *p = strstr(t, "(*");

    if (!p) {
        size_t n = strcspn(t, "[(");
        while (n > 0 && isspace((unsigned char)t[n - 1]))
            n--;
        return t[n] ? n : strlen(t);
    }
    /* The innermost of "char *(*(*)(int))[3]": the first "(*" that holds no other. */
    for (;;) {
        const char *q = p + 1;
        while (*q == '*' || isspace((unsigned char)*q) || isalpha((unsigned char)*q) || *q == '_')
            q++;
        if (q[0] == '(' && q[1] == '*') {
            p = q;
            continue;
        }
        return (size_t)(q - t);
    }
}

void
burl_gen_declare(struct burl_buf *out, const char *ctype, const char *name)
{
    size_t n = place_of_name(ctype);

    burl_buf_append(out, ctype, n);
    if (name[0] && n > 0 && ctype[n - 1] != '*' && ctype[n - 1] != '(')
        burl_buf_char(out, ' ');
    burl_buf_str_append(out, name);
    while (name[0] && isspace((unsigned char)ctype[n]))
        n++;
    burl_buf_str_append(out, ctype + n);
}
