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

/* What the file says about how the header is to be read. */
struct peek {
    const char *shared; /* NULL none */
    struct burl_gen_strings includes;
    struct burl_gen_memory memory;
};

/* The text after the statement's word; NULL when the line is another statement. */
static const char *
text_after(struct peek *k, struct burl_span line, const char *word)
{
    size_t n = strlen(word);

    if (line.n <= n || memcmp(line.p, word, n) != 0 || !isspace((unsigned char)line.p[n]))
        return NULL;
    line = burl_span_trim((struct burl_span){ line.p + n, line.n - n });
    return burl_gen_memory_keep(&k->memory, burl_xstrndup(line.p, line.n));
}

/* What is wrong with the file is said when it is applied. */
static void
peek_into(struct peek *out, const char *path, const char *text, size_t n)
{
    struct burl_linereader r;
    bool is_text = burl_linereader_open(&r, path, text, n, BURL_E_FORMAT, NULL) == BURL_OK;

    while (is_text && burl_linereader_next(&r)) {
        const char *shared, *include;

        burl_linereader_cut_comment(&r, true);
        shared = text_after(out, r.rest, "shared");
        include = text_after(out, r.rest, "include");
        if (shared)
            out->shared = shared;
        if (include)
            BURL_VEC_PUSH(&out->includes, include);
    }
}

enum burl_status
burl_gen_model_load(struct burl_gen_model *out, const struct burl_gen_sources *src,
                    const char *shared, const char *path, struct burl_err *err)
{
    struct peek peek = { 0 };
    enum burl_status st = BURL_OK;
    char *text = NULL;
    size_t n = 0;

    *out = (struct burl_gen_model){ .header = src->header, .every_type = src->every_type };
    if (path) {
        st = burl_fs_read_file(path, MODEL_MAX_B, &text, &n, err);
        if (st != BURL_OK)
            st = burl_err_set(err, BURL_E_USAGE, 0, "the model file %s cannot be read", path);
        else
            peek_into(&peek, path, text, n);
    }
    if (st == BURL_OK)
        st = burl__gen_decls_read(&out->decls, src, &peek.includes, err);
    if (st == BURL_OK)
        st = burl__gen_guess(out, shared ? shared : peek.shared, err);
    if (st == BURL_OK && path)
        st = burl__gen_model_decode(out, text, n, path, shared != NULL, err);
    if (st == BURL_OK)
        burl__gen_add_zeroed(out);
    if (st == BURL_E_FORMAT) {
        /* The user can correct the file. */
        st = BURL_E_USAGE;
        if (err)
            err->code = st;
    }
    BURL_VEC_FREE(&peek.includes);
    burl_gen_memory_release(&peek.memory);
    free(text);
    if (st != BURL_OK)
        burl_gen_model_deinit(out);
    return st;
}
