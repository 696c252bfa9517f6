/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_cover.c - `burl cover`: interleaving coverage, and the gaps.
 *
 * Runs in the host. The engine runs the program and reports what each execution covered first
 * (engine/plan/campaign.h); it is added to the store a few times per second, so that Ctrl-C and
 * kill -9 lose next to nothing. A coverage campaign does not search for bugs: a failing execution
 * is reported in one line, with the command that examines it, and makes the exit code 1.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/shellwords.h"
#include "cli/cover_int.h"
#include "cli/interrupt.h"
#include "cli/test_int.h"
#include "engine/schedule/schedfile.h"

/* Interval between writes of new items. A commit waits for the disk, tens of milliseconds at
 * worst. */
#define FLUSH_EVERY_MS 500

/* ---- sessions ---------------------------------------------------------------------- */

enum burl_status
burl__cover_program_path(char **out, const char *program, struct burl_err *err)
{
    char *found;
    enum burl_status st = burl_path_which(&found, program, err);

    *out = NULL;
    if (st != BURL_OK)
        return st;
    /* One file is one program, however it is reached. */
    *out = realpath(found, NULL);
    if (!*out)
        st = burl_path_absolute(out, found, err);
    free(found);
    return st;
}

enum burl_status
burl__cover_open(struct burl_cover_session *s, const char *program, bool writing,
                 struct burl_err *err)
{
    char *db = burl_path_join(s->opts->dir, "burl.db");
    const bool there = burl_fs_exists(db);
    char *path = NULL;
    enum burl_status st = program ? burl__cover_program_path(&path, program, err) : BURL_OK;

    free(db);
    if (st == BURL_OK && !there)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "there is no store in %s; run `burl cover ./prog` first, or give its "
                          "directory with --dir",
                          s->opts->dir);
    if (st == BURL_OK)
        st = writing ? burl_store_open(&s->store, s->opts->dir, err)
                     : burl_store_open_readonly(&s->store, s->opts->dir, err);
    if (st == BURL_OK)
        st = burl_cover_open(&s->cover, s->store, path, err);
    free(path);
    return st;
}

enum burl_status
burl__cover_begin(struct burl_cover_session *s, uint32_t metrics,
                  const struct burl_store_cover_image *image, struct burl_err *err)
{
    const struct burl_store_campaign row = { .command = "cover",
                                             .program = s->argv[0],
                                             .args = s->args_json,
                                             .build_id = s->build_id,
                                             .options = s->options_json,
                                             .engine = s->opts->engine,
                                             .reset = s->opts->reset,
                                             .seed = s->opts->seed };
    const struct burl_store_cover_program p = { .program = s->argv[0],
                                                .args = s->args_json,
                                                .build_id = s->build_id,
                                                .mode = "",
                                                .context = s->opts->context,
                                                .metrics = metrics };
    char *path;
    enum burl_status st = burl__cover_program_path(&path, s->argv[0], err);

    if (st == BURL_OK && !s->store)
        st = burl_store_open(&s->store, s->opts->dir, err);
    if (st == BURL_OK)
        st = burl_store_campaign_begin(s->store, &row, &s->campaign, err);
    if (st == BURL_OK && !s->cover)
        st = burl_cover_open(&s->cover, s->store, path, err);
    if (st == BURL_OK && s->opts->forget)
        st = burl_cover_reset(s->cover, err);
    if (st == BURL_OK)
        st = burl_cover_begin(s->cover, &p, image, err);
    s->flushed_ms = burl_target_now_ms();
    free(path);
    return st;
}

enum burl_status
burl__cover_ready(struct burl_cover_session *s, uint32_t metrics, const struct burl_wire_ctl *ctl,
                  struct burl_err *err)
{
    const struct burl_store_cover_image image = {
        .objects = (struct burl_wire_object *)ctl->objects,
        .n_objects = ctl->n_objects,
        .modules = (struct burl_wire_module_entry *)ctl->modules,
        .n_modules = ctl->n_modules,
    };

    burl_target_build_id(ctl, s->build_id);
    return burl__cover_begin(s, metrics, &image, err);
}

enum burl_status
burl__cover_loaded(struct burl_cover_session *s, const struct burl_campaign_image *loaded,
                   struct burl_err *err)
{
    const struct burl_store_cover_image image = {
        .objects = loaded->objects,
        .n_objects = loaded->n_objects,
        .modules = loaded->modules,
        .n_modules = loaded->n_modules,
    };

    return burl_cover_loaded(s->cover, &image, err);
}

/* Writes the rest, and how threads were run. */
enum burl_status
burl__cover_flush_last(struct burl_cover_session *s, uint64_t executions, int64_t wall_ms,
                       uint64_t lost, uint32_t engine, struct burl_err *err)
{
    char mode[64];
    enum burl_status st = burl_cover_flush(s->cover, executions, (uint64_t)wall_ms, lost, err);

    snprintf(mode, sizeof mode, "controlled, %s", burl_schedfile_engine_name(engine));
    return st == BURL_OK ? burl_cover_set_mode(s->cover, mode, err) : st;
}

int
burl__cover_end(struct burl_cover_session *s, const struct burl_store_totals *totals, int code,
                const char *why_end, enum burl_status st, struct burl_err *err)
{
    struct burl_err late;

    if (st != BURL_OK)
        code = burl_err_exit_code(st);
    if (s->campaign != 0)
        st = burl_err_first(
            st, err, burl_store_campaign_end(s->store, s->campaign, totals, code, why_end, &late),
            &late);
    return st == BURL_OK ? code : burl_cli_fail(err);
}

void
burl__cover_say_failure(const struct burl_cover_session *s)
{
    char *quoted = burl_shellwords_quote(s->argv[0]);

    if (s->n_failed > 0)
        fprintf(stderr, "burl: an execution failed (%s); run `burl test %s` to examine it\n",
                s->failure, quoted);
    free(quoted);
}

enum burl_status
burl__cover_flush_some(struct burl_cover_session *s, uint64_t executions, int64_t wall_ms,
                       uint64_t lost, struct burl_err *err)
{
    const int64_t now = burl_target_now_ms();

    if (now - s->flushed_ms < FLUSH_EVERY_MS)
        return BURL_OK;
    s->flushed_ms = now;
    return burl_cover_flush(s->cover, executions, (uint64_t)wall_ms, lost, err);
}

/* As many words of the text as fit, with an ellipsis if some are omitted. */
static void
put_words(char *out, size_t size, const char *text)
{
    size_t n = strlen(text);

    if (n >= size) {
        n = size - sizeof " ...";
        while (n > size / 2 && text[n] != ' ')
            n--;
        snprintf(out, size, "%.*s ...", (int)n, text);
        return;
    }
    memcpy(out, text, n + 1);
}

void
burl__cover_note_failure(struct burl_cover_session *s, const struct burl_wire_verdict *v,
                         uint64_t count)
{
    if (s->n_failed == 0) {
        const int n = snprintf(s->failure, sizeof s->failure, "%s%s", burl_verdict_name(v->kind),
                               v->text[0] ? ": " : "");

        put_words(s->failure + n, sizeof s->failure - (size_t)n, v->text);
    }
    s->n_failed += count;
}

static void
deinit_session(struct burl_cover_session *s)
{
    burl_cover_free(s->cover);
    burl_store_close(s->store);
    free(s->args_json);
    free(s->options_json);
}

/* ---- a campaign under control ------------------------------------------------------ */

struct controlled {
    struct burl_cover_session *s;
    struct burl_campaign_config cfg;
    struct burl_campaign_stats stats;
    int64_t started_ms;
    struct burl_err flush_err; /* of a write whose error could not be returned at once */
};

static enum burl_status
on_ready(void *arg, const struct burl_wire_ctl *ctl, struct burl_err *err)
{
    const struct controlled *r = arg;

    return burl__cover_ready(r->s, r->s->metrics, ctl, err);
}

static enum burl_status
on_loaded(void *arg, const struct burl_campaign_image *loaded, struct burl_err *err)
{
    const struct controlled *r = arg;

    return burl__cover_loaded(r->s, loaded, err);
}

static enum burl_status
on_finding(void *arg, const struct burl_campaign_finding *f, struct burl_err *err)
{
    struct controlled *r = arg;

    (void)err;
    burl__cover_note_failure(r->s, &f->run->verdict, 0);
    r->s->n_failed++;
    return BURL_OK;
}

static enum burl_status
on_covered(void *arg, const struct burl_wire_cover_item *item,
           const struct burl_campaign_covered *where, bool *keep, struct burl_err *err)
{
    struct controlled *r = arg;
    struct burl_cover_session *s = r->s;
    const bool is_new = burl_cover_add(
        s->cover, item, burl_schedfile_strategy_name(where->strategy), where->execution);

    *keep = is_new && item->metric == BURL_METRIC_LOCPAIRS && burl_cover_wants_schedule(s->cover);
    if (r->flush_err.code != BURL_OK) {
        *err = r->flush_err;
        return err->code;
    }
    return burl__cover_flush_some(s, where->execution + 1, burl_target_now_ms() - r->started_ms,
                                  r->stats.covered_lost, err);
}

static enum burl_status
on_kept(void *arg, const struct burl_campaign_covered *where, const struct burl_run *run,
        struct burl_err *err)
{
    struct controlled *r = arg;
    const struct burl_cover_kept k = {
        .argv = (const char *const *)r->s->argv,
        .argc = (size_t)r->s->argc,
        .execution = where->execution,
        .strategy = where->strategy,
        .param = where->param,
        .seed = where->seed,
        .order_flags = where->order_flags,
        .engine = where->engine,
        .run = run,
    };

    return burl_cover_keep(r->s->cover, &k, err);
}

static bool
on_enough(void *arg, const struct burl_campaign_stats *stats)
{
    const struct controlled *r = arg;

    return burl_cover_saturated(r->s->cover, stats->all.executions, r->s->opts->until_saturated);
}

static void
on_progress(void *arg, const struct burl_campaign_progress *p)
{
    struct controlled *r = arg;
    const double secs = (double)p->elapsed_ms / 1000.0;
    char execs[BURL_NUMBER_B];
    char rate[BURL_NUMBER_B];
    char pairs[BURL_NUMBER_B];
    char time[48];

    if (!r->s->cover)
        return;
    /* Writes the rest after new items stop. */
    if (r->flush_err.code == BURL_OK &&
        burl__cover_flush_some(r->s, p->stats->all.executions, p->elapsed_ms,
                               p->stats->covered_lost, &r->flush_err) == BURL_OK)
        r->flush_err.code = BURL_OK;
    if (!burl_progress_due(&r->s->progress))
        return;
    burl_number(p->executions, execs);
    burl_number(secs > 0.05 ? (uint64_t)((double)p->executions / secs) : 0, rate);
    burl_number(burl_cover_count(r->s->cover, BURL_METRIC_LOCPAIRS), pairs);
    burl_progress_time(p->elapsed_ms, burl__test_time_ms(r->s->opts), time);
    burl_progress_update(&r->s->progress, "%s, %s/s, %s location pairs, %s, %s executions", time,
                         rate, pairs, burl_schedfile_strategy_name(p->strategy), execs);
}

static const char *
end_note(const struct burl_campaign_stats *st)
{
    switch (st->end) {
    case BURL_CAMPAIGN_END_ONE_THREAD:
        return "the program has one thread: there is nothing to interleave";
    case BURL_CAMPAIGN_END_SATURATED:
        return "saturated: nothing new was covered (--until-saturated)";
    case BURL_CAMPAIGN_END_INTERRUPTED:
        return "interrupted: coverage so far is kept";
    default:
        return NULL;
    }
}

static int
exit_code_of(const struct burl_cover_session *s, enum burl_campaign_end end)
{
    if (end == BURL_CAMPAIGN_END_TOO_LONG || end == BURL_CAMPAIGN_END_UNSUPPORTED)
        return BURL_EXIT_FAILURE;
    if (s->n_failed > 0)
        return BURL_EXIT_FINDINGS;
    return s->interrupted ? BURL_EXIT_PROMISE : BURL_EXIT_CLEAN;
}

static enum burl_status
run_controlled(struct burl_cover_session *s, struct burl_store_totals *totals, const char **why_end,
               int *code, struct burl_err *err)
{
    struct controlled r = { .s = s, .started_ms = burl_target_now_ms() };
    const struct burl_campaign_hooks hooks = {
        .arg = &r,
        .ready = on_ready,
        .finding = on_finding,
        .loaded = on_loaded,
        .covered = on_covered,
        .kept = on_kept,
        .enough = s->opts->until_saturated > 0 ? on_enough : NULL,
        .progress = on_progress,
    };
    struct burl_err late;
    enum burl_status st;

    r.cfg = burl__test_config(s->opts, burl__cover_observers(s->metrics), s->argv);
    r.cfg.no_minimize = true;
    r.cfg.context = s->opts->context;
    st = burl_campaign_run(&r.cfg, &hooks, &r.stats, err);
    st = burl_err_first(st, err, r.flush_err.code, &r.flush_err);
    *totals = burl__test_totals(&r.stats.all, r.stats.wall_ms);
    for (size_t i = 0; i < r.stats.n_unstable; i++) {
        if (r.stats.unstable[i].count > 0)
            burl__cover_note_failure(s, &r.stats.unstable[i].verdict, 1);
    }
    *why_end = burl_campaign_end_name(r.stats.end);
    s->interrupted = r.stats.end == BURL_CAMPAIGN_END_INTERRUPTED;
    s->note = end_note(&r.stats);
    *code = exit_code_of(s, r.stats.end);
    if (st == BURL_OK && *code == BURL_EXIT_FAILURE)
        st = burl_err_set(err, BURL_E_TARGET, 0, "%s cannot be covered: %s", s->argv[0],
                          r.stats.end == BURL_CAMPAIGN_END_TOO_LONG
                              ? "no execution completed (--exec-timeout, --max-steps)"
                              : r.stats.why_end);
    if (s->cover)
        st = burl_err_first(st, err,
                            burl__cover_flush_last(s, r.stats.all.executions, r.stats.wall_ms,
                                                   r.stats.covered_lost, r.stats.engine, &late),
                            &late);
    burl_campaign_stats_deinit(&r.stats);
    return st;
}

/* ---- the command ------------------------------------------------------------------- */

static int
cmd_campaign(struct burl_cover_session *s)
{
    struct burl_store_totals totals = { 0 };
    struct burl_err err = { 0 };
    const char *why_end = "";
    int code = BURL_EXIT_CLEAN;
    enum burl_status st;

    if (s->argc < 1)
        return burl_cli_usage("cover",
                              "which program? Give the program to cover and its arguments");
    s->args_json = burl__test_args_json(s->argv + 1, s->argc - 1);
    s->options_json = burl__test_options_json(s->opts, BURL_ON_COVER);
    burl_cli_catch_signals();
    if (strcmp(s->opts->engine, "free") == 0) {
        st = burl__cover_free_runs(s, &totals, &why_end, &err);
        code = exit_code_of(s, BURL_CAMPAIGN_END_RUNS);
    } else {
        st = run_controlled(s, &totals, &why_end, &code, &err);
    }
    burl_progress_clear(&s->progress);
    if (st == BURL_OK)
        burl__cover_say_failure(s);
    if (st == BURL_OK && s->note && !s->opts->quiet)
        fprintf(stderr, "burl: %s\n", s->note);
    if (st == BURL_OK && s->cover)
        st = burl__cover_show(s, &code, &err);
    return burl__cover_end(s, &totals, code, why_end, st, &err);
}

static int
cmd_report(struct burl_cover_session *s)
{
    struct burl_err err = { 0 };
    int code = BURL_EXIT_CLEAN;
    enum burl_status st;

    if (s->argc > 1)
        return burl_cli_usage("cover", "burl cover report takes one program");
    st = burl__cover_open(s, s->argc == 1 ? s->argv[0] : NULL, false, &err);
    /* All metrics ever measured, unless the user selects some. */
    if (st == BURL_OK && !s->opts->given[BURL_OPT_metrics])
        s->metrics = burl_cover_program(s->cover)->metrics;
    if (st == BURL_OK)
        st = burl__cover_show(s, &code, &err);
    return st == BURL_OK ? code : burl_cli_fail(&err);
}

static const struct {
    const char *word;
    int (*run)(struct burl_cover_session *s);
    bool executes; /* the program, many times */
} subs[] = {
    [BURL_COVER_SUB_RUN] = { "", cmd_campaign, true },
    [BURL_COVER_SUB_REPORT] = { "report", cmd_report, false },
    [BURL_COVER_SUB_HUNT] = { "hunt", burl__cover_cmd_hunt, true },
    [BURL_COVER_SUB_PRUNE] = { "prune", burl__cover_cmd_prune, false },
};

int
burl_cmd_cover(const struct burl_options *opts, int argc, char **argv)
{
    struct burl_cover_session s = { .opts = opts, .argc = argc, .argv = argv };
    enum burl_cover_sub sub = BURL_COVER_SUB_PRUNE;
    struct burl_err err;
    int code;

    if (opts->list_metrics) {
        burl__cover_list_metrics(opts);
        return BURL_EXIT_CLEAN;
    }
    while (sub != BURL_COVER_SUB_RUN && (argc == 0 || strcmp(argv[0], subs[sub].word) != 0))
        sub--;
    if (burl__cover_check_options(opts, sub, &err) != BURL_OK ||
        burl__cover_parse_metrics(opts->metrics, &s.metrics, &err) != BURL_OK ||
        (opts->fail_under && burl__cover_parse_floors(&s, opts->fail_under, &err) != BURL_OK) ||
        burl_cli_check_outputs(opts, &err) != BURL_OK)
        return burl_cli_usage("cover", "%s", err.msg);
    burl_progress_init(&s.progress, !opts->quiet && !opts->json);
    if (sub != BURL_COVER_SUB_RUN) {
        s.argc--;
        s.argv++;
    }
    if (subs[sub].executes && burl_cli_check_spared(opts, s.argv[0], &err) != BURL_OK)
        return burl_cli_fail(&err);
    if (subs[sub].executes && burl_cli_keep_input(&err) != BURL_OK)
        return burl_cli_fail(&err);
    code = subs[sub].run(&s);
    if (subs[sub].executes)
        burl_cli_note_late_input(opts);
    deinit_session(&s);
    return code;
}
