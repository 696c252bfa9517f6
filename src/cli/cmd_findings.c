/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_findings.c - `burl findings`: lists the findings of the store.
 *
 * Runs in the host. Reads only; works while a campaign runs and in a read-only directory.
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/shellwords.h"
#include "cli/test_int.h"

/* A schedule of burl test can be replayed, and leads to the cause. What only an execution at full
 * speed shows is run again. */
static void
print_free(const struct burl_store_finding *f)
{
    char *again = burl__keep_again(f);
    char *program = burl_shellwords_quote(f->program ? f->program : "");

    printf("     %s: seen %" PRIu64
           " time%s in free runs, which cannot be replayed; use `burl test "
           "%s`%s%s\n",
           burl_cli_shown(f->program), f->facts.count, f->facts.count == 1 ? "" : "s", program,
           again ? "\n     run it again: " : "", again ? burl_cli_shown(again) : "");
    free(again);
    free(program);
}

static void
print_text(const struct burl_options *opts, const struct burl_store_findings *l)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct burl_store_finding *f = &l->v[i];
        char *replay;

        printf("#%" PRId64 "  %-24s %s%s\n", f->id, burl_cli_shown(f->kind),
               burl_cli_shown(f->title), f->facts.sequential ? " (also without preemption)" : "");
        if (opts->quiet)
            continue;
        if (f->engine && strcmp(f->engine, "free") == 0) {
            print_free(f);
            continue;
        }
        if (strcmp(f->kind, BURL_KIND_NOT_REPRODUCIBLE) == 0) {
            printf("     %s: seen %" PRIu64 " time%s; no replay reproduces it; `burl show %" PRId64
                   "` has likely causes\n",
                   burl_cli_shown(f->program), f->facts.count, f->facts.count == 1 ? "" : "s",
                   f->id);
            continue;
        }
        replay = burl_cli_replay_command(opts, f->id);
        printf("     %s: %" PRIu64 " execution%s, confirmed %u of %u, found by %s; %s\n",
               burl_cli_shown(f->program), f->facts.count, f->facts.count == 1 ? "" : "s",
               f->facts.confirmed, f->facts.confirm_tries,
               burl_cli_shown(f->strategy ? f->strategy : "?"), replay);
        free(replay);
    }
    if (l->n == 0 && !opts->quiet)
        printf("no findings\n");
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
