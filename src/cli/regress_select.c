/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_select.c - `burl regress select`: the tests that can reveal a bug that the change
 * brought, in order, with reasons.
 *
 * Runs in the host. The selection is kept in the store, for `burl regress show`. Selecting nothing
 * is a result like any other: exit code 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/regress_doc.h"
#include "cli/regress_int.h"
#include "cli/regress_run_int.h"

static void
on_analyzing(void *arg, const char *program, size_t i, size_t n)
{
    burl_progress_update(arg, "analyzing program %zu of %zu: %s", i + 1, n, program);
}

enum burl_status
burl__regress_open_store(const struct burl_options *opts, struct burl_store **store,
                         struct burl_err *err)
{
    char *db = burl_path_join(opts->dir, "burl.db");
    bool exists = burl_fs_exists(db);

    free(db);
    *store = NULL;
    if (!exists)
        return burl_err_set(
            err, BURL_E_USAGE, 0,
            "there is no store in %s, and no recorded version; run `burl regress record` "
            "first, with a build of the version to compare with",
            opts->dir);
    return burl_store_open(store, opts->dir, err);
}

void
burl__regress_quit_on_signals(const struct burl_options *opts, const char *command)
{
    static char document[256];

    snprintf(document, sizeof document,
             "{\n  \"schema\": 1,\n  \"command\": \"%s\",\n  \"exit_code\": %d,\n"
             "  \"error\": \"interrupted; nothing was selected\"\n}\n",
             command, BURL_EXIT_PROMISE);
    /* On a terminal there may be a line of progress. */
    burl_cli_quit_on_signals(isatty(STDERR_FILENO) ? "\nburl: interrupted; nothing was selected\n"
                                                   : "burl: interrupted; nothing was selected\n",
                             opts->json ? document : NULL);
}

/* Prints the document, and keeps it. One that cannot be kept is printed all the same. */
static enum burl_status
deliver(const struct burl_options *opts, struct burl_store *store,
        const struct burl_regress_plan *plan, const char *text, struct burl_err *err)
{
    struct burl_json_value *doc = NULL;
    struct burl_buf out = BURL_BUF_INIT;
    enum burl_status st;

    /* Also for --json, which has all reasons: --explain may name a test that does not exist. */
    st = burl_json_parse(&doc, text, strlen(text), err);
    if (st == BURL_OK)
        st = burl__regress_put_selection(&out, doc, opts->explain, err);
    if (st == BURL_OK && opts->verbose)
        burl__regress_put_changes(&out, doc, false);
    burl_json_free(doc);
    if (st == BURL_OK && opts->json) {
        burl_buf_truncate(&out, 0);
        burl_buf_str_append(&out, text);
    }
    if (st == BURL_OK)
        burl_cli_put(&out, stdout);
    else
        burl_buf_deinit(&out);
    return st == BURL_OK ? burl_store_selection_put(store, plan->base.id, text, err) : st;
}

int
burl__regress_select(const struct burl_options *opts)
{
    struct burl_regress_plan_opts po = { .base = opts->base,
                                         .only = opts->only,
                                         .rules = { .same_thread = opts->same_thread,
                                                    .any_lifetime = opts->any_lifetime,
                                                    .with_tail = opts->all_tests,
                                                    .seed = opts->seed },
                                         .analyzing = on_analyzing };
    struct burl_regress_plan plan = { 0 };
    struct burl_suite suite = { 0 };
    struct burl_progress progress;
    struct burl_err err;
    enum burl_status st = burl__regress_parse_for(opts->for_, &po.rules.wanted, &err);

    burl__regress_quit_on_signals(opts, "regress select");
    burl_progress_init(&progress, !opts->quiet && !opts->json);
    po.suite = &suite;
    po.arg = &progress;
    if (st == BURL_OK)
        st = burl__regress_open_store(opts, &po.store, &err);
    if (st == BURL_OK)
        st = burl__regress_suite(opts, &suite, &err);
    if (st == BURL_OK)
        st = burl_regress_plan(&plan, &po, &err);
    burl_progress_clear(&progress);
    if (st == BURL_OK) {
        char *text = burl__regress_doc(&plan, &po.rules);

        burl_cli_catch_signals(); /* half a document would be worse than a late end */
        st = deliver(opts, po.store, &plan, text, &err);
        free(text);
    }
    burl_regress_plan_deinit(&plan);
    burl_suite_deinit(&suite);
    burl_store_close(po.store);
    return st == BURL_OK ? BURL_EXIT_CLEAN : burl__regress_fail(opts, "regress select", &err);
}
