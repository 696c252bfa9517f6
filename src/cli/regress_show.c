/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_show.c - `burl regress show`: the last selection, out of the store: changed functions
 * with what they impact, impacted variables, pairs, tests.
 *
 * Runs in the host. --json prints the document as it was kept.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/regress_doc.h"
#include "cli/regress_int.h"
#include "store/regress.h"

static enum burl_status
print(const struct burl_options *opts, const char *text, struct burl_err *err)
{
    struct burl_buf out = BURL_BUF_INIT;
    struct burl_json_value *doc = NULL;
    enum burl_status st = burl_json_parse(&doc, text, strlen(text), err);

    if (st != BURL_OK)
        return burl_err_prefix(err, "the selection in %s cannot be read", opts->dir);
    st = burl__regress_put_selection(&out, doc, opts->explain, err);
    if (opts->json) {
        burl_buf_truncate(&out, 0);
        burl_buf_str_append(&out, text);
    }
    if (st == BURL_OK && !opts->json && !opts->explain)
        burl__regress_put_changes(&out, doc, opts->verbose);
    burl_json_free(doc);
    if (st == BURL_OK)
        burl_cli_put(&out, stdout);
    else
        burl_buf_deinit(&out);
    return st;
}

int
burl__regress_show(const struct burl_options *opts)
{
    struct burl_store *store = NULL;
    char *text = NULL;
    struct burl_err err;
    enum burl_status st = burl__regress_open_store(opts, &store, &err);

    if (st == BURL_OK)
        st = burl_store_selection_get(store, &text, &err);
    if (st == BURL_OK && !text)
        st =
            burl_err_set(&err, BURL_E_USAGE, 0,
                         "there is no selection in %s; run `burl regress select` first", opts->dir);
    if (st == BURL_OK)
        st = print(opts, text, &err);
    free(text);
    burl_store_close(store);
    return st == BURL_OK ? BURL_EXIT_CLEAN : burl__regress_fail(opts, "regress show", &err);
}
