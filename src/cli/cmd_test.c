/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_test.c - `burl test`: explores schedules, reports each distinct bug once.
 *
 * Runs in the host. The engine does the work (engine/plan/campaign.h); this file turns options into
 * a configuration, stores and prints findings as they come, and prints the summary. Ctrl-C ends the
 * campaign cleanly: running executions are abandoned, failures so far are confirmed and kept. A
 * second Ctrl-C exits at once; the store stays consistent.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/detect.h"
#include "cli/free_int.h"
#include "cli/interrupt.h"
#include "cli/test_int.h"
#include "engine/schedule/schedfile.h"

/* ---- configuration ----------------------------------------------------------------- */

static int
strategy_number(const char *name)
{
    for (uint32_t i = 0; i < BURL_STRATEGY__N; i++) {
        const char *n = burl_schedfile_strategy_name(i);

        if (n && strcmp(n, name) == 0)
            return (int)i;
    }
    return BURL_CAMPAIGN_AUTO; /* "mix" */
}

/* One execution that does not terminate must not use many times the whole budget. On a busy machine
 * even a short execution may take a second or so. */
#define LEAST_EXEC_TIMEOUT_MS 2000u

uint32_t
burl__test_exec_timeout_ms(const struct burl_options *o)
{
    uint64_t ms = o->exec_timeout;

    if (!o->given[BURL_OPT_exec_timeout] && o->given[BURL_OPT_time] && o->time > 0 && o->time < ms)
        ms = o->time > LEAST_EXEC_TIMEOUT_MS ? o->time : LEAST_EXEC_TIMEOUT_MS;
    return (uint32_t)(ms < UINT32_MAX ? ms : UINT32_MAX);
}

uint64_t
burl__test_time_ms(const struct burl_options *o)
{
    const bool only_runs = o->given[BURL_OPT_runs] && o->runs > 0 && !o->given[BURL_OPT_time];

    return only_runs ? 0 : o->time;
}

struct burl_campaign_config
burl__test_config(const struct burl_options *o, uint32_t observers, char **argv)
{
    struct burl_campaign_config c = {
        .argv = (const char *const *)argv,
        .strategy = strategy_number(o->strategy),
        .engine = BURL_CAMPAIGN_AUTO,
        .reset = BURL_CAMPAIGN_AUTO,
        .pct_depth = o->pct_depth,
        .jobs = o->jobs,
        .runs = o->runs,
        .time_ms = burl__test_time_ms(o),
        .seed = o->seed,
        .max_steps = o->max_steps,
        .adapt_steps = !o->given[BURL_OPT_max_steps],
        .exec_timeout_ms = burl__test_exec_timeout_ms(o),
        .stop_at_first = o->stop_at_first,
        .stop_at_failure = o->stop_at_failure,
        .stop_at_misuse = o->stop_at_misuse,
        .volatile_atomic = strcmp(o->volatile_, "atomic") == 0,
        .check_determinism = o->check_determinism,
        .no_minimize = o->no_minimize,
        .observers = observers,
        .confirm_tries = o->confirm_tries,
        .look_ahead = true,
        .interrupt = &burl_cli_interrupts,
    };

    if (strcmp(o->engine, "fibers") == 0)
        c.engine = BURL_ENGINE_FIBERS;
    else if (strcmp(o->engine, "threads") == 0)
        c.engine = BURL_ENGINE_THREADS;
    if (strcmp(o->reset, "snapshot") == 0)
        c.reset = BURL_RESET_SNAPSHOT;
    else if (strcmp(o->reset, "fork") == 0)
        c.reset = BURL_RESET_FORK;
    return c;
}

/* ---- hooks ------------------------------------------------------------------------- */

/* The store is opened only now: a program that cannot be tested leaves no trace of the attempt. */
static enum burl_status
on_ready(void *arg, const struct burl_wire_ctl *ctl, struct burl_err *err)
{
    struct burl_test *t = arg;
    struct burl_store_campaign row = { .command = t->command, .program = t->argv[0] };
    enum burl_status st;

    burl_target_build_id(ctl, t->build_id);
    st = burl_sites_new(&t->sites, ctl->objects, ctl->n_objects, ctl->modules, ctl->n_modules, err);
    if (st != BURL_OK)
        return st;
    st = burl_store_open(&t->store, t->opts->dir, err);
    if (st != BURL_OK)
        return st;
    row.args = t->args_json;
    row.build_id = t->build_id;
    row.options = t->options_json;
    row.engine = t->opts->engine;
    row.reset = t->opts->reset;
    row.seed = t->opts->seed;
    st = burl_store_campaign_begin(t->store, &row, &t->campaign, err);
    if (st == BURL_OK && t->memory)
        st = burl__memory_ready(t, err);
    return st;
}

static enum burl_status
on_loaded(void *arg, const struct burl_campaign_image *image, struct burl_err *err)
{
    struct burl_test *t = arg;
    struct burl_sites *sites;
    enum burl_status st = burl_sites_new(&sites, image->objects, image->n_objects, image->modules,
                                         image->n_modules, err);

    if (st != BURL_OK)
        return st;
    BURL_VEC_PUSH(&t->older_sites, t->sites);
    t->sites = sites;
    return BURL_OK;
}

static bool
is_unwanted(const struct burl_test *t, const struct burl_wire_verdict *v)
{
    return t->is_unwanted != NULL && t->is_unwanted(t->arg, v);
}

static bool
on_hidden(void *arg, const struct burl_wire_verdict *v)
{
    const struct burl_test *t = arg;
    struct burl_suppress_rule *rule;

    if (is_unwanted(t, v))
        return true;
    rule = t->rules != NULL ? burl_suppress_verdict(t->rules, v, t->sites) : NULL;
    if (rule != NULL)
        burl_suppress_hide_finding(t->rules, rule, burl_fingerprint(v, t->sites, NULL));
    return rule != NULL;
}

static bool
on_hidden_suspect(void *arg, const struct burl_wire_suspect *s)
{
    const struct burl_test *t = arg;

    return t->rules != NULL && burl__test_suspect_hidden(t, s);
}

static enum burl_status
on_finding(void *arg, const struct burl_campaign_finding *f, struct burl_err *err)
{
    struct burl_test *t = arg;
    struct burl_campaign_finding judged = *f;
    struct burl_kept k;
    struct burl_buf name = BURL_BUF_INIT;
    enum burl_status st;

    /* It may have become so since it was met. */
    if (is_unwanted(t, &f->run->verdict))
        return BURL_OK;
    judged.facts.sequential = f->facts.sequential && !t->judged;
    st = burl__test_keep(t, &judged, &k, err);
    if (st != BURL_OK)
        return st;
    if (t->memory) {
        burl__memory_name(t, f, &k, &name);
        st = burl__corpus_keep_finding(t, f, &k, err);
    }
    BURL_VEC_PUSH(&t->kept, k);
    if (t->found != NULL) {
        t->found(t->arg, f, &k);
    } else if (!t->opts->json && (t->is_repeated == NULL || !t->is_repeated(t->arg, k.id))) {
        burl_progress_clear(&t->progress);
        t->kept.v[t->kept.n - 1].withheld = burl__kept_root(&t->kept, t->kept.n - 1) != NULL;
        if (!t->kept.v[t->kept.n - 1].withheld)
            printf("%s%s\n", t->opts->brief ? "" : burl_buf_str(&name), k.text);
        fflush(stdout);
    }
    burl_buf_deinit(&name);
    return st;
}

static enum burl_status
on_final_count(void *arg, uint64_t fingerprint, uint64_t count, struct burl_err *err)
{
    struct burl_test *t = arg;

    for (size_t i = 0; i < t->kept.n; i++) {
        struct burl_kept *k = &t->kept.v[i];

        if (k->facts.fingerprint != fingerprint)
            continue;
        k->facts.count = count;
        return burl__keep_recount(t->store, k, true, err);
    }
    return BURL_OK;
}

static uint32_t
on_turn(void *arg, const struct burl_wire_suspect *s)
{
    const struct burl_test *t = arg;

    return t->suspect_turn(t->arg, s);
}

/* "3.1/10 s, 398/s, 2 findings, pct 3, 1,234 executions": what matters most comes first, since a
 * narrow terminal shows the beginning. */
static void
on_progress(void *arg, const struct burl_campaign_progress *p)
{
    struct burl_test *t = arg;
    char execs[BURL_NUMBER_B];
    char rate[BURL_NUMBER_B];
    char runs[BURL_NUMBER_B];
    char time[48];
    char depth[16] = "";
    const double s = (double)p->elapsed_ms / 1000.0;

    if (t->on_progress != NULL) {
        t->on_progress(t->arg, p);
        return;
    }
    if (!burl_progress_due(&t->progress))
        return;
    burl_number(p->executions, execs);
    burl_number(s > 0.05 ? (uint64_t)((double)p->executions / s) : 0, rate);
    if (p->strategy == BURL_STRATEGY_PCT)
        snprintf(depth, sizeof depth, " %u", p->param);
    burl_progress_time(p->elapsed_ms, burl__test_time_ms(t->opts), time);
    burl_progress_update(&t->progress, "%s, %s/s, %u finding%s, %s%s, %s%s%s execution%s", time,
                         rate, p->stats->n_findings, p->stats->n_findings == 1 ? "" : "s",
                         burl_schedfile_strategy_name(p->strategy), depth, execs,
                         t->opts->runs > 0 ? " of " : "",
                         t->opts->runs > 0 ? burl_number(t->opts->runs, runs) : "",
                         p->executions == 1 && t->opts->runs == 0 ? "" : "s");
}

/* ---- the end ----------------------------------------------------------------------- */

struct burl_store_totals
burl__test_totals(const struct burl_campaign_totals *t, int64_t wall_ms)
{
    return (struct burl_store_totals){ .executions = t->executions,
                                       .steps = t->steps,
                                       .points = t->points,
                                       .switches = t->switches,
                                       .preemptions = t->preemptions,
                                       .failures = t->failures,
                                       .cut = t->cut,
                                       .wall_ms = (uint64_t)wall_ms };
}

enum burl_status
burl__test_record_end(struct burl_test *t, const struct burl_campaign_stats *s, int exit_code,
                      struct burl_err *err)
{
    const struct burl_store_totals all = burl__test_totals(&s->all, s->wall_ms);
    struct burl_store_strategy used[BURL_STRATEGY__N];
    enum burl_status st;
    size_t n = 0;

    if (t->campaign == 0)
        return BURL_OK;
    for (uint32_t i = 0; i < BURL_STRATEGY__N; i++) {
        if (s->by_strategy[i].executions > 0)
            used[n++] =
                (struct burl_store_strategy){ .name = burl_schedfile_strategy_name(i),
                                              .totals = burl__test_totals(&s->by_strategy[i], 0) };
    }
    st = burl_store_strategies_update(t->store, t->campaign, used, n, err);
    if (st == BURL_OK)
        st = burl_store_campaign_end(t->store, t->campaign, &all, exit_code,
                                     burl_campaign_end_name(s->end), err);
    return st;
}

/* A search or enumeration requested by name that is not complete. With one thread there is nothing
 * to search. */
static bool
is_incomplete(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    const char *strategy = t->opts->strategy;

    if (s->end == BURL_CAMPAIGN_END_ONE_THREAD)
        return false;
    if (strcmp(strategy, "exhaustive") == 0)
        return !s->search.complete;
    if (strcmp(strategy, "delay") == 0)
        return s->delays_complete == 0;
    return strcmp(strategy, "preemption") == 0 && s->preemptions_complete == 0;
}

static int
exit_code_of(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    if (t->kept.n > 0 || burl__test_n_unstable(s) > 0)
        return BURL_EXIT_FINDINGS;
    if (burl__test_is_out_of_time(t, s))
        return BURL_EXIT_FAILURE;
    switch (s->end) {
    case BURL_CAMPAIGN_END_TOO_LONG:
    case BURL_CAMPAIGN_END_UNSUPPORTED:
        return BURL_EXIT_FAILURE;
    case BURL_CAMPAIGN_END_INTERRUPTED:
        return BURL_EXIT_PROMISE;
    default:
        break;
    }
    if (t->opts->strict && burl__test_suspects_open(t, s))
        return BURL_EXIT_FINDINGS;
    if ((t->opts->check_determinism && s->nondeterministic) || is_incomplete(t, s) ||
        burl__test_is_crowd_undecided(s))
        return BURL_EXIT_PROMISE;
    return BURL_EXIT_CLEAN;
}

/* What all pairs of places say of the races: one of which an execution showed that a volatile flag
 * would not have ordered it is one by itself, and functions may share a cause with another race. */
static void
set_apart(struct burl_test *t, const struct burl_campaign_stats *s)
{
    for (size_t i = 0; i < s->n_suspects; i++) {
        const struct burl_campaign_suspect *e = &s->suspects[i];

        for (size_t k = 0; k < t->kept.n; k++) {
            const uint64_t fingerprint = t->kept.v[k].facts.fingerprint;

            if (e->fingerprint != fingerprint && e->race != fingerprint)
                continue;
            if (e->suspect.behind == BURL_BEHIND_NONE)
                t->kept.v[k].behind = 0;
            burl_cause_add(&t->kept.v[k].cause, &e->suspect, 1, t->sites);
        }
    }
    for (size_t k = 0; k < t->kept.n; k++) {
        if (t->kept.v[k].withheld && burl__kept_root(&t->kept, k) == NULL)
            printf("%s\n", t->kept.v[k].text);
    }
}

/* Fewer executions may all have failed by chance. */
#define ALWAYS_LEAST 10u

/* Does every schedule fail in the same way? Only the end of the campaign tells. */
static enum burl_status
note_always(struct burl_test *t, const struct burl_campaign_stats *s, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < t->kept.n && st == BURL_OK; i++) {
        struct burl_kept *k = &t->kept.v[i];

        k->facts.always = k->facts.sequential && s->all.executions >= ALWAYS_LEAST &&
                          k->facts.count == s->all.executions;
        if (k->facts.always)
            st = burl__keep_recount(t->store, k, true, err);
    }
    return st;
}

static int
conclude(struct burl_test *t, struct burl_campaign_stats *s, enum burl_status st,
         struct burl_err *err)
{
    struct burl_err late;
    int code;

    burl_progress_clear(&t->progress);
    set_apart(t, s);
    if (st == BURL_OK)
        st = burl__test_keep_unstable(t, s, err);
    if (st == BURL_OK)
        st = note_always(t, s, err);
    code = st == BURL_OK ? exit_code_of(t, s) : burl_err_exit_code(st);
    if (st == BURL_OK && t->memory) {
        st = burl__memory_end(t, s, err);
        code = st == BURL_OK ? code : burl_err_exit_code(st);
    }
    /* The error that ended the campaign is more important than an error of recording it. */
    st = burl_err_first(st, err, burl__test_record_end(t, s, code, &late), &late);
    if (st != BURL_OK)
        code = burl_err_exit_code(st);
    if (t->opts->json)
        burl__test_print_json(t, s, code, st == BURL_OK ? NULL : err);
    else if (s->all.executions + s->extra_executions > 0 && t->opts->brief && !t->opts->quiet)
        burl__test_print_done(t, s, stderr);
    else if (s->all.executions + s->extra_executions > 0 && !t->opts->quiet)
        burl__test_print_summary(t, s);
    else {
        burl__test_print_unstable(s, stderr);
        burl__test_print_crowd(s, stderr);
        burl__test_print_refusal(t, s, stderr);
    }
    if (st != BURL_OK)
        return burl_cli_fail(err);
    return code;
}

void
burl__test_deinit(struct burl_test *t)
{
    burl__kept_list_deinit(&t->kept);
    burl_sites_free(t->sites);
    for (size_t i = 0; i < t->older_sites.n; i++)
        burl_sites_free(t->older_sites.v[i]);
    BURL_VEC_FREE(&t->older_sites);
    burl_suppress_free(t->rules);
    burl_store_close(t->store);
    free(t->args_json);
    free(t->options_json);
}

char *
burl__test_options_json(const struct burl_options *o, unsigned on)
{
    struct burl_json_writer w;
    struct burl_buf b = BURL_BUF_INIT;

    burl_json_writer_init(&w, &b, 0);
    burl_options_record(o, on, &w);
    burl_json_writer_finish(&w);
    return burl_buf_take(&b, NULL);
}

enum burl_status
burl__test_campaign(struct burl_test *t, const struct burl_campaign_config *cfg,
                    struct burl_campaign_stats *stats, struct burl_err *err)
{
    const struct burl_campaign_hooks hooks = {
        .arg = t,
        .ready = on_ready,
        .loaded = on_loaded,
        .hidden = t->rules || t->is_unwanted ? on_hidden : NULL,
        .hidden_suspect = t->rules || t->is_unwanted ? on_hidden_suspect : NULL,
        .suspect_turn = t->suspect_turn ? on_turn : NULL,
        .finding = on_finding,
        .final_count = on_final_count,
        .reran = burl__memory_reran,
        .kept_edges = t->memory ? burl__corpus_keep_edges : NULL,
        .progress = on_progress,
    };

    return burl_campaign_run(cfg, &hooks, stats, err);
}

int
burl_cmd_test(const struct burl_options *opts, int argc, char **argv)
{
    struct burl_memory memory = { 0 };
    struct burl_test t = {
        .opts = opts, .command = "test", .argc = argc, .argv = argv, .memory = &memory
    };
    struct burl_campaign_stats stats = { 0 };
    struct burl_campaign_config cfg;
    struct burl_err err = { 0 };
    uint32_t observers = 0;
    uint32_t inject = 0;
    enum burl_status st;
    int code;

    if (argc < 1)
        return burl_cli_usage("test", "which program? Give the program to test and its arguments");
    if (opts->corpus)
        return burl__corpus_list(opts, argc, argv);
    if (burl_cli_keep_input(&err) != BURL_OK)
        return burl_cli_fail(&err);
    if (strcmp(opts->engine, "free") == 0) {
        burl_cli_catch_signals();
        return burl__test_free(opts, argc, argv);
    }
    st = burl_detect_parse(opts->detect, &observers, &err);
    if (st == BURL_OK)
        st = burl_faults_parse(opts, &inject, &err);
    if (st != BURL_OK)
        return burl_cli_fail(&err);
    if (opts->suppressions) {
        st = burl_suppress_read(&t.rules, opts->suppressions, &err);
        if (st != BURL_OK)
            return burl_cli_fail(&err);
    }
    cfg = burl__test_config(opts, observers, argv);
    cfg.inject = inject;
    cfg.reruns = opts->fresh ? NULL : &memory.reruns;
    cfg.recall = opts->fresh ? NULL : &memory.recall;
    cfg.remember = true;
    t.style = burl__test_style(opts, stdout);
    t.args_json = burl__test_args_json(argv + 1, argc - 1);
    t.options_json = burl__test_options_json(opts, BURL_ON_TEST);
    burl_progress_init(&t.progress, !opts->quiet && !opts->json);
    burl_cli_catch_signals();
    st = burl__test_campaign(&t, &cfg, &stats, &err);
    burl_cli_note_late_input(opts);
    code = conclude(&t, &stats, st, &err);
    burl_campaign_stats_deinit(&stats);
    burl__memory_deinit(&memory);
    burl__test_deinit(&t);
    return code;
}
