/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_findings.c - `burl findings`: lists the findings of the store.
 *
 * Runs in the host. Reads only; works while a campaign runs and in a read-only directory.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/shellwords.h"
#include "cli/test_int.h"

/* Columns where there is no terminal to fit: whatever reads it wants the whole title. */
#define UNCUT 100000u

/* A row of the database, which is complete even if the files beside it are gone. */
static struct burl_finding *
load_row(const struct burl_store_finding *row)
{
    struct burl_finding *f = NULL;
    struct burl_err ignored;

    if (!row->json ||
        burl_report_finding_read(&f, row->json, strlen(row->json), &ignored) != BURL_OK)
        f = burl_report_finding_bare((uint32_t)row->id, row->kind, row->title,
                                     strtoull(row->fingerprint, NULL, 16), "");
    f->number = (uint32_t)row->id;
    f->facts.count = row->facts.count;
    return f;
}

/* A schedule of burl test can be replayed, and leads to the cause. What only an execution at full
 * speed shows is run again. */
static void
print_free(const struct burl_store_finding *f)
{
    char *again = burl__keep_again(f);
    char *program = burl_shellwords_quote(f->program ? f->program : "");
    char a[BURL_NUMBER_B];

    printf("     %s: seen %s time%s in free runs, which cannot be replayed; use `burl test "
           "%s`%s%s\n",
           burl_cli_shown(f->program), burl_number(f->facts.count, a),
           f->facts.count == 1 ? "" : "s", program, again ? "\n     run it again: " : "",
           again ? burl_cli_shown(again) : "");
    free(again);
    free(program);
}

static void
print_origin(const struct burl_options *opts, const struct burl_store_finding *f)
{
    char a[BURL_NUMBER_B];
    char *replay;

    if (f->engine && strcmp(f->engine, "free") == 0) {
        print_free(f);
        return;
    }
    printf("     %s: ", burl_cli_shown(f->program));
    if (strcmp(f->kind, BURL_KIND_NOT_REPRODUCIBLE) == 0) {
        printf("seen %s time%s; no replay reproduces it; `burl show %" PRId64
               "` has likely causes\n",
               burl_number(f->facts.count, a), f->facts.count == 1 ? "" : "s", f->id);
        return;
    }
    replay = burl_cli_replay_command(opts, f->id);
    printf("%s execution%s, confirmed %u of %u, found by %s%s; %s\n",
           burl_number(f->facts.count, a), f->facts.count == 1 ? "" : "s", f->facts.confirmed,
           f->facts.confirm_tries, burl_cli_shown(f->strategy ? f->strategy : "?"),
           f->facts.sequential ? ", also without preemption" : "", replay);
    free(replay);
}

/* The table; with -v a line about the origin of a finding follows each of its rows. */
static void
print_table(const struct burl_options *opts, const struct burl_store_findings *l,
            struct burl_finding *const *v)
{
    struct burl_report_style style = burl__test_style(opts, stdout);
    struct burl_buf table = BURL_BUF_INIT;
    const char *p;

    if (style.width == 0)
        style.width = UNCUT;
    burl_report_lines((const struct burl_finding *const *)v, l->n, &style, 0, &table);
    p = burl_buf_str(&table);
    for (size_t i = 0; i < l->n; i++) {
        const size_t length = strcspn(p, "\n");

        printf("%.*s\n", (int)length, p);
        p += length + (p[length] == '\n');
        if (opts->verbose)
            print_origin(opts, &l->v[i]);
    }
    burl_buf_deinit(&table);
}

static void
print_brief(const struct burl_store_findings *l, struct burl_finding *const *v)
{
    for (size_t i = 0; i < l->n; i++) {
        struct burl_buf line = BURL_BUF_INIT;

        burl__keep_brief(v[i], &line);
        burl_buf_char(&line, '\n');
        burl_cli_put(&line, stdout);
    }
}

static void
print_text(const struct burl_options *opts, const struct burl_store_findings *l)
{
    struct burl_finding **v = burl_xcalloc(l->n + 1, sizeof *v);

    for (size_t i = 0; i < l->n; i++)
        v[i] = load_row(&l->v[i]);
    if (opts->brief)
        print_brief(l, v);
    else
        print_table(opts, l, v);
    if (l->n == 0 && !opts->quiet && !opts->brief)
        printf("no findings\n");
    for (size_t i = 0; i < l->n; i++)
        burl_report_finding_free(v[i]);
    free(v);
}

static void
print_json(const struct burl_store_findings *l)
{
    struct burl_cli_json doc;
    struct burl_json_writer *w = burl_cli_json_begin(&doc);

    burl_json_kv_u64(w, "version", 1);
    burl_json_kv_array(w, "findings");
    for (size_t i = 0; i < l->n; i++) {
        const struct burl_store_finding *f = &l->v[i];

        burl_json_object_begin(w);
        burl_json_kv_i64(w, "id", f->id);
        burl_json_kv_str(w, "kind", f->kind);
        burl_json_kv_str(w, "title", f->title);
        burl_json_kv_str(w, "fingerprint", f->fingerprint);
        burl_json_kv_str(w, "program", f->program);
        burl_json_kv_str(w, "build_id", f->build_id);
        burl_json_kv_str(w, "engine", f->engine);
        burl_json_kv_str(w, "reset", f->reset);
        burl_json_kv_str(w, "strategy", f->strategy);
        burl_json_kv_u64(w, "seed", f->facts.seed);
        burl_json_kv_hex(w, "trace_hash", f->trace_hash);
        burl_json_kv_u64(w, "count", f->facts.count);
        burl_json_kv_u64(w, "confirmed", f->facts.confirmed);
        burl_json_kv_u64(w, "confirm_tries", f->facts.confirm_tries);
        burl_json_kv_bool(w, "sequential", f->facts.sequential);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    burl_cli_json_end(&doc, stdout);
}

int
burl_cmd_findings(const struct burl_options *opts, int argc, char **argv)
{
    struct burl_store_findings list = { 0 };
    struct burl_store *store;
    struct burl_err err;
    enum burl_status st;
    int code;

    if (argc > 0)
        return burl_cli_usage("findings", "%s: this command takes options only", argv[0]);
    st = burl_store_open_readonly(&store, opts->dir, &err);
    if (st != BURL_OK)
        return burl_cli_fail(&err);
    st = burl_store_finding_list(store, 0, &list, &err);
    if (st == BURL_OK) {
        if (opts->json)
            print_json(&list);
        else
            print_text(opts, &list);
        code = list.n > 0 ? BURL_EXIT_FINDINGS : BURL_EXIT_CLEAN;
    } else {
        code = burl_cli_fail(&err);
    }
    burl_store_findings_deinit(&list);
    burl_store_close(store);
    return code;
}
