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

struct peek {
    char *shared; /* NULL none */
    struct {
        BURL_VEC_OF(char *);
    } includes;
};

/* The text after the statement's word; NULL when the line is another statement. Caller frees. */
static char *
after(struct burl_span line, const char *word)
{
    size_t k = strlen(word);

    if (line.n <= k || memcmp(line.p, word, k) != 0 || !isspace((unsigned char)line.p[k]))
        return NULL;
    line = burl_span_trim((struct burl_span){ line.p + k, line.n - k });
    return burl_xstrndup(line.p, line.n);
}

static enum burl_status
look_into(struct peek *out, const char *path, struct burl_err *err)
{
    struct burl_linereader r;
    enum burl_status st;
    bool is_text;
    char *text;
    size_t n;

    st = burl_fs_read_file(path, BURL__GEN_MODEL_MAX_B, &text, &n, err);
    if (st != BURL_OK)
        return st;
    /* What is wrong with the file is said when it is applied. */
    is_text = burl_linereader_open(&r, path, text, n, BURL_E_FORMAT, NULL) == BURL_OK;
    while (is_text && burl_linereader_next(&r)) {
        char *shared, *include;

        burl_linereader_cut_comment(&r, true);
        shared = after(r.rest, "shared");
        include = after(r.rest, "include");
        if (shared) {
            free(out->shared);
            out->shared = shared;
        }
        if (include)
            BURL_VEC_PUSH(&out->includes, include);
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
