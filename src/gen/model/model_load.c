/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/model_load.c - header and model file to a model: the entry for commands.
 *
 * The file is read before the header: its "include" lines name headers that must come first, its
 * "shared" line the type to test.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "gen/model/model_int.h"

#define MODEL_MAX_B ((size_t)8 << 20)

struct peek {
    char *shared; /* NULL none */
    struct {
        BURL_VEC_OF(char *);
    } includes;
};

/* The text after the statement's word, without comment and blanks at its ends; NULL when the line
 * is another statement. Caller frees. */
static char *
after(const char *line, size_t n, const char *word)
{
    size_t k = strlen(word);
    size_t end;

    if (n <= k || strncmp(line, word, k) != 0 || !isspace((unsigned char)line[k]))
        return NULL;
    for (end = k; end < n && !(line[end] == '#' && isspace((unsigned char)line[end - 1])); end++)
        ;
    while (k < end && isspace((unsigned char)line[k]))
        k++;
    while (end > k && isspace((unsigned char)line[end - 1]))
        end--;
    return burl_xstrndup(line + k, end - k);
}

static enum burl_status
look_into(struct peek *out, const char *path, struct burl_err *err)
{
    enum burl_status st;
    char *text;
    size_t n;

    st = burl_fs_read_file(path, MODEL_MAX_B, &text, &n, err);
    if (st != BURL_OK)
        return st;
    for (const char *p = text; *p;) {
        size_t len = strcspn(p, "\n");
        char *shared = after(p, len, "shared");
        char *include = after(p, len, "include");
        if (shared) {
            free(out->shared);
            out->shared = shared;
        }
        if (include)
            BURL_VEC_PUSH(&out->includes, include);
        p += len;
        p += *p == '\n';
    }
    free(text);
    return BURL_OK;
}

static void
deinit_peek(struct peek *k)
{
    free(k->shared);
    for (size_t i = 0; i < k->includes.n; i++)
        free(k->includes.v[i]);
    BURL_VEC_FREE(&k->includes);
}

enum burl_status
burl_gen_model_load(struct burl_gen_model *out, const struct burl_gen_sources *src,
                    const char *shared, const char *path, struct burl_err *err)
{
    struct peek peek = { 0 };
    enum burl_status st = BURL_OK;

    *out = (struct burl_gen_model){ 0 };
    if (path) {
        st = look_into(&peek, path, err);
        if (st != BURL_OK)
            st = burl_err_set(err, BURL_E_USAGE, 0, "the model file %s cannot be read", path);
    }
    if (st == BURL_OK)
        st = burl__gen_decls_read(&out->decls, src, peek.includes.v, peek.includes.n, err);
    if (st == BURL_OK) {
        out->header = burl_xstrdup(src->header);
        st = burl__gen_guess(out, shared ? shared : peek.shared, err);
    }
    if (st == BURL_OK && path)
        st = burl__gen_model_apply(out, path, shared != NULL, err);
    if (st == BURL_OK)
        burl__gen_add_zeroed(out);
    if (st == BURL_E_FORMAT) {
        /* The user can correct the file. */
        st = BURL_E_USAGE;
        if (err)
            err->code = st;
    }
    deinit_peek(&peek);
    if (st != BURL_OK)
        burl_gen_model_deinit(out);
    return st;
}
