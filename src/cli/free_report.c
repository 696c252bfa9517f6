/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/free_report.c - the summary of free runs, as text and as JSON.
 *
 * Runs in the host. The program's own output is on the same terminal, so the report comes in one
 * piece after it exits. Suppressed findings are counted with their rule, so that stale rules are
 * noticed.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/detect.h"
#include "cli/free_int.h"
#include "cli/suppressed.h"
#include "cli/test_int.h"
#include "engine/engine.h"

/* ---- suspects ---------------------------------------------------------------------- */

static struct burl_suspect_list
list_suspects(const struct burl_free_session *s)
{
    struct burl_suspect_list l = burl__suspect_list(s->opts, &s->kept, s->suspects.n);

    for (size_t i = 0; i < s->suspects.n; i++)
        l.v[i].suspect = &s->suspects.v[i];
    l.all.n = s->suspects.n;
    return l;
}

static size_t
count_open(const struct burl_free_session *s)
{
    struct burl_suspect_list l;
    size_t n;

    if (s->sites == NULL)
        return 0;
    l = list_suspects(s);
    n = burl_report_suspects_open(&l.all, s->sites);
    burl__suspect_list_deinit(&l);
    return n;
}

int
burl__free_exit_code(const struct burl_free_session *s, bool cut)
{
    if (s->kept.n > 0 || (s->opts->strict && count_open(s) > 0))
        return BURL_EXIT_FINDINGS;
    return cut || s->n_unobserved > 0 ? BURL_EXIT_PROMISE : BURL_EXIT_CLEAN;
}

/* ---- text -------------------------------------------------------------------------- */

static void
print_end(const struct burl_free_session *s, FILE *out)
{
    char how[128];
    struct burl_buf words = BURL_BUF_INIT;

    burl_detect_words(s->observers, &words);
    burl_proc_describe(&s->status, how, sizeof how);
    if (s->n_runs > 1)
        fprintf(out, "%llu free runs of %s in %.1f s", (unsigned long long)s->n_runs,
                burl_cli_shown(s->argv[0]), (double)s->wall_ms / 1000.0);
    else if (s->end == BURL_FREE_END_TIME)
        fprintf(out, "%s was stopped at --time after %.1f s", burl_cli_shown(s->argv[0]),
                (double)s->wall_ms / 1000.0);
    else if (s->end == BURL_FREE_END_DEADLOCK)
        fprintf(out, "%s deadlocked and was stopped after %.1f s", burl_cli_shown(s->argv[0]),
                (double)s->wall_ms / 1000.0);
    else if (s->end == BURL_FREE_END_INTERRUPTED)
        fprintf(out, "%s was interrupted after %.1f s", burl_cli_shown(s->argv[0]),
                (double)s->wall_ms / 1000.0);
    else
        fprintf(out, "%s %s%s after %.1f s", burl_cli_shown(s->argv[0]),
                s->status.exited ? "" : "was ", how, (double)s->wall_ms / 1000.0);
    if (s->max_threads > 0)
        fprintf(out, ", up to %u thread%s", s->max_threads, s->max_threads == 1 ? "" : "s");
    fprintf(out, "; watched for: %s\n", burl_buf_str(&words));
    burl_buf_deinit(&words);
}

/* Of a single run, whose site numbers are those of s->sites. */
static size_t
n_blocked(const struct burl_free_session *s)
{
    return s->n_runs == 1 && s->sites != NULL ? s->n_blocked : 0;
}

static void
print_blocked(const struct burl_free_session *s, FILE *out)
{
    struct burl_buf b = BURL_BUF_INIT;

    burl_report_blocked(s->blocked, n_blocked(s), s->opts->verbose, s->sites, &b);
    burl_cli_put(&b, out);
}

static void
print_losses(const struct burl_free_session *s, FILE *out)
{
    char count[BURL_COUNT_B];
    char n[32];

    if (s->n_unobserved > 0)
        fprintf(out, "not observed to the end: %s%s%s%s\n", s->n_runs > 1 ? "" : s->text,
                s->n_runs > 1 ? burl_number(s->n_unobserved, n) : "",
                s->n_runs > 1 ? " runs: " : "", s->n_runs > 1 ? s->text : "");
    else if (s->text[0] != '\0')
        fprintf(out, "note: %s\n", s->text);
    burl__test_print_counters(s->counters, out);
    if (s->n_runs > 1 && s->n_cut > 0)
        fprintf(out, "note: %s runs were cut: longer than --exec-timeout or the rest of --time\n",
                burl_number(s->n_cut, n));
    if (s->n_runs > 1 && s->n_cut_blocked > 0)
        fprintf(out, "note: %s of these had blocked threads\n", burl_number(s->n_cut_blocked, n));
    if (s->n_other_modules > 0)
        fprintf(out, "note: suspects of %s are not listed: different modules were loaded\n",
                burl_count(s->n_other_modules, "run", count));
}

static void
print_suspects(const struct burl_free_session *s, FILE *out)
{
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_suspect_list l;

    if (s->sites == NULL || s->suspects.n == 0)
        return;
    l = list_suspects(s);
    burl_report_suspects(&l.all, s->sites, &s->style, &b);
    burl_cli_put(&b, out);
    burl__suspect_list_deinit(&l);
}

static void
print_findings(const struct burl_free_session *s, FILE *out)
{
    bool replayable = true;

    if (s->kept.n == 0) {
        fprintf(out, "nothing found%s\n",
                s->end == BURL_FREE_END_OUTSIDE || s->end == BURL_FREE_END_INTERRUPTED ? " so far"
                                                                                       : "");
        return;
    }
    if (s->kept.n > 1)
        burl__kept_print(&s->kept, &s->style, "known from an earlier run", out);
    else
        fprintf(out, "1 finding%s\n",
                s->kept.v[0].known_before ? ", known from an earlier run" : "");
    for (size_t i = 0; i < s->kept.n; i++)
        replayable = replayable && s->kept.v[i].replayable;
    if (!replayable)
        burl_cli_say_no_replay(out, s->argv[0]);
}

void
burl__free_print_summary(const struct burl_free_session *s, FILE *out)
{
    print_end(s, out);
    burl__free_noise_print(s, out);
    burl__free_marks_print(s, out);
    print_losses(s, out);
    print_suspects(s, out);
    burl__print_suppressed(s->rules, s->opts->verbose, out);
    print_blocked(s, out);
    print_findings(s, out);
}

/* ---- JSON -------------------------------------------------------------------------- */

static void
json_end(const struct burl_free_session *s, struct burl_json_writer *w)
{
    burl_json_kv_str(w, "end", s->why_end ? s->why_end : burl_free_end_name(s->end));
    burl_json_key(w, "exit_code");
    if (s->n_runs > 0 && s->status.exited)
        burl_json_i64(w, s->status.code);
    else
        burl_json_null(w);
    burl_json_key(w, "signal");
    if (s->n_runs > 0 && !s->status.exited)
        burl_json_i64(w, s->status.signal);
    else
        burl_json_null(w);
}

static void
json_findings(const struct burl_free_session *s, struct burl_json_writer *w)
{
    burl_json_kv_array(w, "findings");
    for (size_t i = 0; i < s->kept.n; i++) {
        const struct burl_kept *k = &s->kept.v[i];

        burl_json_object_begin(w);
        burl_json_kv_i64(w, "id", k->id);
        burl_json_kv_str(w, "kind", k->kind);
        burl_json_kv_hex(w, "fingerprint", k->facts.fingerprint);
        burl_json_kv_u64(w, "count", k->facts.count);
        burl_json_kv_bool(w, "known_before", k->known_before);
        burl_json_kv_bool(w, "replayable", k->replayable);
        burl__kept_json_behind(&s->kept, i, w);
        burl_json_key(w, "detail");
        burl_json_raw(w, k->json);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

static void
json_suspects(const struct burl_free_session *s, struct burl_json_writer *w)
{
    struct burl_suspect_list l;

    if (s->sites == NULL) {
        burl_json_kv_array(w, "suspects");
        burl_json_array_end(w);
        return;
    }
    l = list_suspects(s);
    burl_report_suspects_json(&l.all, s->sites, w);
    burl__suspect_list_deinit(&l);
}

void
burl__free_print_json(const struct burl_free_session *s, int exit_code, const struct burl_err *err,
                      FILE *out)
{
    struct burl_cli_json doc;
    struct burl_json_writer *w = burl_cli_json_begin(&doc);
    struct burl_buf words = BURL_BUF_INIT;

    burl_detect_words(s->observers, &words);
    burl_json_kv_u64(w, "version", 1);
    burl_json_kv_str(w, "command", s->command);
    burl_json_kv_i64(w, "exit", exit_code);
    burl_json_kv_str(w, "error", err ? err->msg : NULL);
    burl_json_kv_str(w, "program", s->argv[0]);
    burl_json_kv_str(w, "build_id", s->build_id);
    burl_json_kv_i64(w, "campaign", s->campaign);
    burl_json_kv_str(w, "engine", "free");
    burl_json_kv_str(w, "detect", burl_buf_str(&words));
    json_end(s, w);
    burl_json_kv_u64(w, "executions", s->n_runs);
    burl_json_kv_u64(w, "failures", s->n_failed);
    burl_json_kv_u64(w, "cut", s->n_cut);
    burl_json_kv_i64(w, "wall_ms", s->wall_ms);
    burl_json_kv_u64(w, "max_threads", s->max_threads);
    burl_json_kv_u64(w, "not_observed", s->n_unobserved);
    burl_json_kv_str(w, "note", s->text[0] ? s->text : NULL);
    burl__free_noise_json(s, w);
    burl__test_json_counters(s->counters, w);
    burl_json_key(w, "blocked");
    burl_report_blocked_json(s->blocked, n_blocked(s), s->sites, w);
    json_findings(s, w);
    json_suspects(s, w);
    burl__json_suppressed(s->rules, w);
    burl_cli_json_end(&doc, out);
    burl_buf_deinit(&words);
}
