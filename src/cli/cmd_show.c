/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_show.c - `burl show N`: prints one finding in full, as it was found.
 *
 * Runs in the host. Nothing is run: the JSON and the text were stored beside the schedule. `burl
 * replay N` prints the same from a new execution.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/path.h"
#include "cli/test_int.h"

/* A report is a few screens; a file larger than this is not ours. */
#define REPORT_MAX_B (64u << 20)

static void
print_indented(const char *text)
{
    putchar('\n');
    for (const char *p = text; *p;) {
        const size_t n = strcspn(p, "\n");

        printf("%s%.*s\n", n > 0 ? "  " : "", (int)n, p);
        p += n + (p[n] == '\n');
    }
}

/* Of a finding of burl gen or burl synth: its C test, and why that was written. */
static void
print_test(struct burl_store *store, int64_t id)
{
    struct burl_err ignored;
    char *story = NULL;
    char *dir = NULL;
    char *path;

    if (burl_store_finding_dir(store, id, false, &dir, &ignored) != BURL_OK)
        return;
    path = burl_path_join(dir, BURL_FILE_TEST);
    if (burl_fs_exists(path)) {
        printf("\n  test:     %s\n", path);
        free(path);
        path = burl_path_join(dir, BURL_FILE_STORY);
        if (burl_fs_exists(path) &&
            burl_fs_read_file(path, REPORT_MAX_B, &story, NULL, &ignored) == BURL_OK)
            print_indented(story);
    }
    free(story);
    free(path);
    free(dir);
}

enum burl_status
burl__show_read(struct burl_store *store, int64_t id, const char *name, char **out,
                struct burl_err *err)
{
    char *dir = NULL;
    char *path;
    enum burl_status st = burl_store_finding_dir(store, id, false, &dir, err);

    if (st != BURL_OK)
        return st;
    path = burl_path_join(dir, name);
    st = burl_fs_read_file(path, REPORT_MAX_B, out, NULL, err);
    if (st != BURL_OK && err->sys == ENOENT)
        st = burl_err_set(err, BURL_E_IO, 0,
                          "%s is missing: the store is not complete; copy it again, or run the "
                          "program of the finding with `burl test`",
                          path);
    free(path);
    free(dir);
    return st;
}

/* finding.json as it is; a damaged one is no document. */
static enum burl_status
read_json(struct burl_store *store, int64_t id, char **text, struct burl_err *err)
{
    struct burl_finding *f = NULL;
    enum burl_status st = burl__show_read(store, id, "finding.json", text, err);

    if (st != BURL_OK)
        return st;
    st = burl_report_finding_read(&f, *text, strlen(*text), err);
    burl_report_finding_free(f);
    return st == BURL_OK ? st
                         : burl_err_prefix(err, "%s/findings/%" PRId64 "/finding.json is damaged",
                                           burl_store_dir(store), id);
}

/* The report for this terminal and these options, made of finding.json; if that is damaged or of
 * another version, the report that was written when the finding was kept. */
static enum burl_status
read_report(const struct burl_options *opts, struct burl_store *store, int64_t id, char **text,
            struct burl_err *err)
{
    const struct burl_report_style style = burl__test_style(opts, stdout);
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_finding *f = NULL;
    struct burl_err ignored;
    char *json = NULL;

    if (burl__show_read(store, id, "finding.json", &json, &ignored) == BURL_OK &&
        burl_report_finding_read(&f, json, strlen(json), &ignored) == BURL_OK) {
        f->number = (uint32_t)id;
        if (opts->brief) {
            burl__keep_brief(f, &b);
            burl_buf_char(&b, '\n');
        } else {
            burl_report_text(f, &style, &b);
        }
        *text = burl_buf_take(&b, NULL);
        burl_report_finding_free(f);
    }
    free(json);
    return *text != NULL ? BURL_OK : burl__show_read(store, id, "report.txt", text, err);
}

int
burl_cmd_show(const struct burl_options *opts, int argc, char **argv)
{
    struct burl_store_finding f = { 0 };
    struct burl_store *store;
    struct burl_err err;
    enum burl_status st;
    char *text = NULL;
    int64_t id;

    if (argc != 1)
        return burl_cli_usage("show", "%s; `burl findings` lists them",
                              argc == 0 ? "which finding? Give its number"
                                        : "give the number of one finding");
    id = burl_cli_finding_number(argv[0]);
    if (id == 0)
        return burl_cli_usage("show", BURL_CLI_NO_NUMBER, argv[0]);
    st = burl_store_open_readonly(&store, opts->dir, &err);
    if (st != BURL_OK)
        return burl_cli_fail(&err);
    st = burl_store_finding_get(store, id, &f, &err);
    if (st == BURL_OK)
        st = opts->json ? read_json(store, id, &text, &err)
                        : read_report(opts, store, id, &text, &err);
    if (st == BURL_OK)
        fputs(text, stdout);
    if (st == BURL_OK && !opts->json && !opts->brief)
        print_test(store, id);
    free(text);
    burl_store_finding_deinit(&f);
    burl_store_close(store);
    return st == BURL_OK ? BURL_EXIT_CLEAN : burl_cli_fail(&err);
}
