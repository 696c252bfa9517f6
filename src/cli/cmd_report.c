/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_report.c - `burl report`: all findings of the store, or of one campaign, as a document.
 *
 * Runs in the host. Reads only; works while a campaign runs and in a read-only directory. A finding
 * whose finding.json is damaged or missing is reported with what the database has of it, so that
 * one bad file does not hide the others; the exit code tells.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/printable.h"
#include "base/version.h"
#include "cli/report_paths.h"
#include "cli/test_int.h"

static const struct {
    const char *name;
    burl_report_doc_fn *write;
} formats[] = {
    { "line", burl_report_doc_lines },        { "json", burl_report_doc_json },
    { "markdown", burl_report_doc_markdown }, { "html", burl_report_doc_html },
    { "sarif", burl_report_doc_sarif },       { "junit", burl_report_doc_junit },
    { "github", burl_report_doc_github },     { "gitlab", burl_report_doc_gitlab },
};

struct loaded {
    BURL_VEC_OF(struct burl_finding *);
    bool damaged;
    struct {
        BURL_VEC_OF(struct burl_report_program); /* commands are owned */
    } programs;
};

static burl_report_doc_fn *
writer_of(const char *format)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, format) == 0)
            return formats[i].write;
    }
    return NULL;
}

/* The number of --campaign, 0 for all; there is such a campaign. */
static enum burl_status
find_campaign(struct burl_store *store, const char *word, int64_t *id, struct burl_err *err)
{
    int64_t last = 0;
    enum burl_status st = BURL_OK;

    *id = 0;
    if (word == NULL)
        return BURL_OK;
    st = burl_store_campaign_last(store, &last, err);
    if (st != BURL_OK)
        return st;
    *id = strcmp(word, "last") == 0 ? last : burl_cli_finding_number(word);
    if (last == 0)
        return burl_err_set(err, BURL_E_USAGE, 0, "--campaign=%s: %s has no campaigns", word,
                            burl_store_dir(store));
    if (*id == 0)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--campaign=%s is not the number of a campaign; give 1 to %" PRId64
                            " or `last`",
                            word, last);
    if (*id > last)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "there is no campaign %" PRId64 " in %s: the last is %" PRId64, *id,
                            burl_store_dir(store), last);
    return BURL_OK;
}

/* The JSON document has findings as they are; in others files are named from here. */
static enum burl_status
read_finding(const struct burl_store *store, const struct burl_store_finding *row, bool as_it_is,
             const char *json, struct burl_finding **out, struct burl_err *err)
{
    struct burl_report_paths paths;
    const struct burl_report_files files = { .find = burl__report_paths_find, .arg = &paths };
    enum burl_status st;

    if (as_it_is)
        return burl_report_finding_read(out, json, strlen(json), err);
    burl__report_paths_init(&paths, row->program != NULL ? row->program : "",
                            burl_store_dir(store));
    st = burl_report_finding_read_files(out, json, strlen(json), &files, err);
    burl__report_paths_deinit(&paths);
    return st;
}

static struct burl_finding *
load_finding(struct burl_store *store, const struct burl_store_finding *row, bool as_it_is,
             bool *damaged)
{
    struct burl_finding *f = NULL;
    struct burl_err err;
    char *problem;
    char *json = NULL;
    enum burl_status st = burl__show_read(store, row->id, "finding.json", &json, &err);

    if (st == BURL_OK) {
        st = read_finding(store, row, as_it_is, json, &f, &err);
        if (st != BURL_OK)
            st = burl_err_prefix(&err, "%s/findings/%" PRId64 "/finding.json is damaged",
                                 burl_store_dir(store), row->id);
    }
    free(json);
    if (st == BURL_OK) {
        f->number = (uint32_t)row->id;
        return f;
    }
    *damaged = true;
    burl_cli_fail(&err);
    problem = burl_xasprintf("only the kind and the title of this finding are known: %s", err.msg);
    f = burl_report_finding_bare((uint32_t)row->id, row->kind, row->title,
                                 strtoull(row->fingerprint, NULL, 16), problem);
    free(problem);
    return f;
}

static enum burl_status
load_all(struct burl_store *store, int64_t campaign, bool as_it_is, struct loaded *out,
         struct burl_err *err)
{
    struct burl_store_findings list = { 0 };
    const enum burl_status st = burl_store_finding_list(store, campaign, &list, err);

    for (size_t i = 0; st == BURL_OK && i < list.n; i++)
        BURL_VEC_PUSH(out, load_finding(store, &list.v[i], as_it_is, &out->damaged));
    burl_store_findings_deinit(&list);
    return st;
}

/* Bytes that are not UTF-8 become U+FFFD, as in the JSON of a finding. */
static void
put_utf8(struct burl_buf *out, const char *s)
{
    while (*s != '\0') {
        const size_t n = burl_utf8_length((const unsigned char *)s, strlen(s));

        if (n > 0)
            burl_buf_append(out, s, n);
        else
            burl_buf_str_append(out, "\xef\xbf\xbd");
        s += n > 0 ? n : 1;
    }
}

/* The program and its arguments, written as in a finding. */
static char *
command_of(const struct burl_store_command *p)
{
    struct burl_buf out = BURL_BUF_INIT;
    struct burl_json_value *args = NULL;
    struct burl_err ignored;

    put_utf8(&out, p->program);
    if (p->args != NULL && burl_json_parse(&args, p->args, strlen(p->args), &ignored) == BURL_OK) {
        for (size_t i = 0; i < burl_json_count(args); i++)
            burl_buf_printf(&out, " %s", burl_json_as_str(burl_json_at(args, i), ""));
    }
    burl_json_free(args);
    return burl_buf_take(&out, NULL);
}

static enum burl_status
load_programs(struct burl_store *store, int64_t campaign, struct loaded *out, struct burl_err *err)
{
    struct burl_store_commands list = { 0 };
    const enum burl_status st = burl_store_command_list(store, campaign, &list, err);

    for (size_t i = 0; st == BURL_OK && i < list.n; i++)
        *BURL_VEC_ADD(&out->programs) =
            (struct burl_report_program){ .command = command_of(&list.v[i]),
                                          .exit_code = (int)list.v[i].exit_code };
    burl_store_commands_deinit(&list);
    return st;
}

static void
unload(struct loaded *l)
{
    for (size_t i = 0; i < l->n; i++)
        burl_report_finding_free(l->v[i]);
    BURL_VEC_FREE(l);
    for (size_t i = 0; i < l->programs.n; i++)
        free((char *)l->programs.v[i].command);
    BURL_VEC_FREE(&l->programs);
}

static enum burl_status
write_document(const char *file, const struct burl_buf *doc, struct burl_err *err)
{
    if (file != NULL)
        return burl_fs_write_atomic(file, burl_buf_str(doc), doc->n, err);
    fwrite(burl_buf_str(doc), 1, doc->n, stdout);
    return BURL_OK;
}

static enum burl_status
report(const struct burl_options *opts, struct burl_store *store, struct loaded *l,
       struct burl_err *err)
{
    struct burl_buf text = BURL_BUF_INIT;
    struct burl_report_doc doc = { .version = BURL_VERSION };
    const char *format = opts->json ? "json" : opts->format;
    char *cwd = getcwd(NULL, 0);
    enum burl_status st = find_campaign(store, opts->campaign, &doc.campaign, err);

    if (st == BURL_OK)
        st = load_all(store, doc.campaign, strcmp(format, "json") == 0, l, err);
    if (st == BURL_OK)
        st = load_programs(store, doc.campaign, l, err);
    if (st == BURL_OK) {
        doc.v = l->v;
        doc.n = l->n;
        doc.programs = l->programs.v;
        doc.n_programs = l->programs.n;
        doc.damaged = l->damaged;
        doc.cwd = cwd != NULL ? cwd : "";
        writer_of(format)(&doc, &text);
        st = write_document(opts->output, &text, err);
    }
    burl_buf_deinit(&text);
    free(cwd);
    return st;
}

int
burl_cmd_report(const struct burl_options *opts, int argc, char **argv)
{
    struct loaded l = { 0 };
    struct burl_store *store = NULL;
    struct burl_err err;
    enum burl_status st;
    bool damaged;

    if (argc > 0)
        return burl_cli_usage("report", "%s: this command takes options only", argv[0]);
    if (opts->json && opts->given[BURL_OPT_format] && strcmp(opts->format, "json") != 0)
        return burl_cli_usage("report", "--json and --format=%s are two formats; give one",
                              opts->format);
    st = burl_cli_check_outputs(opts, &err);
    if (st == BURL_OK)
        st = burl_store_open_readonly(&store, opts->dir, &err);
    if (st == BURL_OK)
        st = report(opts, store, &l, &err);
    damaged = l.damaged;
    unload(&l);
    burl_store_close(store);
    if (st != BURL_OK)
        return burl_cli_fail(&err);
    return damaged ? BURL_EXIT_FAILURE : BURL_EXIT_CLEAN;
}
