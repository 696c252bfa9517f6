/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_gen.c - `burl gen`: generates concurrent tests of a C API until one fails.
 *
 * Runs in the host. The model has the callable functions, the executor runs tests in one
 * instrumented process, the search chooses them (gen/). A violation becomes a C file and a finding
 * like any other (gen_keep.c). Ctrl-C ends the search cleanly: findings are kept and the summary is
 * printed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "cli/detect.h"
#include "cli/gen_int.h"
#include "cli/interrupt.h"
#include "engine/target/target.h"

/* ---- what was asked for -------------------------------------------------------------------- */

static enum burl_gen_guide
guide_number(const char *name)
{
    static const char *const names[BURL_GEN_GUIDE__N] = {
        [BURL_GEN_GUIDE_COVCON] = "covcon",
        [BURL_GEN_GUIDE_COVCON_CODE] = "covcon-code",
        [BURL_GEN_GUIDE_RANDOM] = "random",
        [BURL_GEN_GUIDE_LEAST_TRIED] = "least-tried",
    };

    for (int i = 0; i < BURL_GEN_GUIDE__N; i++) {
        if (strcmp(names[i], name) == 0)
            return (enum burl_gen_guide)i;
    }
    return BURL_GEN_GUIDE_COVCON;
}

static enum burl_status
make_config(struct burl_gen_run *g, struct burl_err *err)
{
    const struct burl_options *o = g->opts;
    const bool tests_only = o->given[BURL_OPT_tests] && o->tests > 0 && !o->given[BURL_OPT_time];

    if (o->threads < 2 || o->threads > BURL_GEN_MAX_THREADS)
        return burl_err_set(err, BURL_E_USAGE, 0, "--threads=%u: a test has 2 to %d threads",
                            o->threads, BURL_GEN_MAX_THREADS);
    if (o->schedules == 0)
        return burl_err_set(err, BURL_E_USAGE, 0, "--schedules=0: a test needs at least one");
    g->cfg = (struct burl_gen_config){
        .guide = guide_number(o->guide),
        .executor = strcmp(o->executor, "free") == 0 ? BURL_GEN_FREE : BURL_GEN_CONTROLLED,
        .threads = o->threads,
        .schedules = o->schedules,
        .seed = o->seed,
        .tests = o->tests,
        .time_ms = tests_only ? 0 : o->time,
        .compare_results = !o->no_results,
        .keep_going = o->keep_going,
        .max_linear = o->max_linear,
        .interrupt = &burl_cli_interrupts,
    };
    return burl_detect_parse(o->detect, &g->cfg.observers, err);
}

static void
print_model(const struct burl_gen_run *g)
{
    struct burl_buf b = BURL_BUF_INIT;

    burl_gen_model_print(&g->model, &b);
    burl_cli_put(&b, stdout);
}

/* ---- running ------------------------------------------------------------------------------- */

static void
on_kept(void *arg, const struct burl_gen_test *t)
{
    struct burl_gen_run *g = arg;

    BURL_VEC_PUSH(&g->kept, burl_gen_test_copy(t));
}

static void
on_progress(void *arg, const struct burl_gen_stats *s, const struct burl_gen_pairs *p,
            const struct burl_gen_pair *current)
{
    struct burl_gen_run *g = arg;
    struct burl_gen_pair_totals totals;
    char n[BURL_NUMBER_B];
    char rate[BURL_NUMBER_B];
    char found[BURL_COUNT_B];
    char time[48];
    const double sec = (double)(burl_target_now_ms() - g->start_ms) / 1000.0;

    if (!burl_progress_due(&g->progress))
        return;
    totals = burl_gen_pairs_totals(p);
    burl_progress_update(
        &g->progress, "%s, %s/s, %s%s%s%s%s; %zu of %zu pairs covered, %zu tried; %s tests",
        burl_progress_time(burl_target_now_ms() - g->start_ms, g->opts->time, time),
        burl_number(sec > 0.05 ? (uint64_t)((double)s->tests / sec) : 0, rate),
        burl_count(s->violations, "finding", found), current ? ", " : "",
        current ? g->model.fns.v[current->a].name : "", current ? " x " : "",
        current ? g->model.fns.v[current->b].name : "", totals.covered, p->pair.n, totals.tried,
        burl_number(s->tests, n));
}

static enum burl_status
search(struct burl_gen_run *g, struct burl_err *err)
{
    const struct burl_gen_hooks hooks = {
        .arg = g,
        .violation = burl__gen_keep,
        .kept = g->opts->emit_suite ? on_kept : NULL,
        .progress = on_progress,
    };
    enum burl_status st;

    burl_progress_init(&g->progress, !g->opts->quiet && !g->opts->json);
    g->start_ms = burl_target_now_ms();
    st = burl_gen_search(g->exec, &g->cfg, &hooks, &g->pairs, &g->curve, &g->stats, err);
    burl_progress_clear(&g->progress);
    return st;
}

static int
exit_code_of(const struct burl_gen_run *g)
{
    if (g->found.n > 0)
        return BURL_EXIT_FINDINGS;
    if (g->stats.stop == BURL_GEN_STOP_STUCK)
        return BURL_EXIT_USAGE;
    return g->stats.stop == BURL_GEN_STOP_INTERRUPTED ? BURL_EXIT_PROMISE : BURL_EXIT_CLEAN;
}

/* What the linker found out: the header declares more than was given. */
static void
say_undefined(const struct burl_gen_run *g)
{
    for (size_t i = 0; i < g->model.fns.n; i++) {
        const struct burl_gen_fn *f = &g->model.fns.v[i];

        if (f->is_undefined)
            fprintf(stderr, "burl gen: %s() is not called: it %s\n", f->name, f->note);
    }
}

/* Everything after the model; *code is the exit code when all succeeded. */
static enum burl_status
run_search(struct burl_gen_run *g, int *code, struct burl_err *err)
{
    enum burl_status st = burl_gen_model_check(&g->model, err);

    if (st == BURL_OK && !g->opts->quiet && !g->opts->json)
        burl__gen_say_left_out(g);
    burl_gen_model_reduce(&g->model);
    if (st == BURL_OK)
        st = burl__gen_open(g, false, err);
    if (st == BURL_OK && !g->opts->quiet && !g->opts->json)
        say_undefined(g);
    if (st == BURL_OK)
        st = search(g, err);
    /* A failure caused by the interrupt is not an error: what was tested before stands. */
    if (st != BURL_OK && burl_cli_interrupts != 0 && g->stats.tests > 0) {
        g->stats.stop = BURL_GEN_STOP_INTERRUPTED;
        st = BURL_OK;
    }
    if (st == BURL_OK && g->opts->emit_suite)
        st = burl__gen_suite(g, err);
    if (st == BURL_OK && g->opts->html)
        st = burl__gen_write_html(g, err);
    if (st == BURL_OK)
        *code = exit_code_of(g);
    return st;
}

int
burl_cmd_gen(const struct burl_options *opts, int argc, char **argv)
{
    struct burl_gen_run g = { .opts = opts, .command = "gen", .lock = -1 };
    struct burl_err err = { 0 };
    int code = BURL_EXIT_CLEAN;
    enum burl_status st;

    if (argc < 1)
        return burl_cli_usage("gen", "which header? Give the header of the API to test, then its "
                                     "sources: burl gen queue.h -- queue.c");
    g.sources.header = argv[0];
    g.sources.words = (const char *const *)argv + 1;
    g.sources.n_words = (size_t)argc - 1;
    g.sources.compile_commands = opts->compile_commands;
    g.dir = burl_path_join(opts->dir, "gen");
    burl_cli_catch_signals();
    st = make_config(&g, &err);
    if (st == BURL_OK)
        st = burl_cli_check_outputs(opts, &err);
    if (st == BURL_OK)
        st = burl__gen_find_tools(&g, &err);
    if (st == BURL_OK)
        st = burl__gen_make_model(&g, &err);
    if (st == BURL_OK && opts->model) {
        burl_gen_model_reduce(&g.model);
        print_model(&g);
        burl__gen_deinit(&g);
        return BURL_EXIT_CLEAN;
    }
    if (st == BURL_OK)
        st = run_search(&g, &code, &err);
    if (st != BURL_OK && burl_cli_interrupts != 0)
        burl_err_set(&err, st, 0, "interrupted before the first test completed; nothing found");
    if (st != BURL_OK)
        code = burl_cli_interrupts != 0 ? BURL_EXIT_PROMISE : burl_err_exit_code(st);
    if (opts->json)
        burl__gen_print_json(&g, code, st == BURL_OK ? NULL : &err);
    else if (st == BURL_OK)
        burl__gen_print_summary(&g);
    if (st != BURL_OK)
        burl_cli_fail(&err);
    burl__gen_deinit(&g);
    return code;
}
