/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_gen.c - `burl gen`: generates concurrent tests of a C API until one fails.
 *
 * Runs in the host. The model has the callable functions, the executor runs tests in one
 * instrumented process, the search chooses them (gen/). A violation becomes a C file and a finding
 * like any other (gen_keep.c). Ctrl-C ends the search cleanly: findings are kept and the summary is
 * printed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/fs.h"
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

/* Checked before the search, not after it. */
static enum burl_status
check_outputs(const struct burl_options *o, struct burl_err *err)
{
    const char *const dirs[][2] = { { "--emit-suite", o->emit_suite }, { "--html", o->html } };

    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        const char *dir = dirs[i][1];

        if (dir != NULL && burl_fs_exists(dir) && !burl_fs_is_dir(dir))
            return burl_err_set(err, BURL_E_USAGE, 0,
                                "%s=%s is a file; give a directory, or a new name", dirs[i][0],
                                dir);
    }
    return BURL_OK;
}

static enum burl_status
find_tools(struct burl_gen_run *g, struct burl_err *err)
{
    struct burl_path_tools tools;
    enum burl_status st = burl_path_tools(&tools, err);
    char *dir;

    if (st != BURL_OK)
        return st;
    dir = burl_path_dirname(tools.instr);
    g->api_tool = burl_path_join(dir, "burl-api");
    g->burl = burl_xstrdup(tools.exe);
    free(dir);
    burl_path_tools_deinit(&tools);
    if (!burl_fs_exists(g->api_tool))
        return burl_err_set(err, BURL_E_IO, 0,
                            "%s is missing; it reads headers for burl gen: build it with make, or "
                            "install burl again",
                            g->api_tool);
    g->sources.api_tool = g->api_tool;
    return BURL_OK;
}

/* ---- the model ----------------------------------------------------------------------------- */

/* queue.burl beside queue.h. */
static char *
default_model_file(const char *header)
{
    const char *dot = strrchr(header, '.');
    const char *slash = strrchr(header, '/');
    const size_t stem =
        dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - header) : strlen(header);

    return burl_xasprintf("%.*s.burl", (int)stem, header);
}

static enum burl_status
make_model(struct burl_gen_run *g, struct burl_err *err)
{
    char *file = default_model_file(g->sources.header);
    const char *use = g->opts->model_file;
    enum burl_status st;

    if (use == NULL && burl_fs_exists(file))
        use = file;
    st = burl_gen_model_load(&g->model, &g->sources, g->opts->shared, use, err);
    if (st == BURL_OK && use != NULL && !g->opts->quiet && !g->opts->json && !g->opts->model)
        fprintf(stderr, "burl gen: corrected by %s\n", use);
    free(file);
    return st;
}

static void
print_model(const struct burl_gen_run *g)
{
    struct burl_buf b = BURL_BUF_INIT;

    burl_gen_model_print(&g->model, &b);
    burl_cli_put(&b, stdout);
}

/* ---- running ------------------------------------------------------------------------------- */

/*
 * Two concurrent runs must not mix their objects and programs: the second one works in gen-2. The
 * kernel releases the lock with the process.
 */
static enum burl_status
choose_dir(struct burl_gen_run *g, struct burl_err *err)
{
    enum { MOST = 64 };

    for (unsigned i = 1; i <= MOST; i++) {
        char *name = i == 1 ? burl_xstrdup("gen") : burl_xasprintf("gen-%u", i);
        char *file;
        enum burl_status st;

        free(g->dir);
        g->dir = burl_path_join(g->opts->dir, name);
        free(name);
        st = burl_fs_mkdir_p(g->dir, err);
        if (st != BURL_OK)
            return st;
        file = burl_path_join(g->dir, "lock");
        g->lock = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (g->lock < 0)
            st = burl_err_set(err, BURL_E_IO, errno, "cannot write %s", file);
        free(file);
        if (st != BURL_OK || flock(g->lock, LOCK_EX | LOCK_NB) == 0)
            return st;
        close(g->lock);
        g->lock = -1;
    }
    return burl_err_set(err, BURL_E_USAGE, 0, "%d runs of burl gen are already using %s", (int)MOST,
                        g->opts->dir);
}

static enum burl_status
open_exec(struct burl_gen_run *g, struct burl_err *err)
{
    enum burl_status st = choose_dir(g, err);
    const struct burl_gen_exec_opts x = {
        .model = &g->model,
        .sources = g->sources,
        .dir = g->dir,
        .burl = g->burl,
        .cc_flags = "",
        .max_steps = g->opts->max_steps,
        .exec_timeout_ms = burl__test_exec_timeout_ms(g->opts),
        .verbose = g->opts->verbose,
        .interrupt = &burl_cli_interrupts,
    };

    return st == BURL_OK ? burl_gen_exec_open(&g->exec, &x, err) : st;
}

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
    char n[32];
    char rate[32];
    const double sec = (double)(burl_target_now_ms() - g->start_ms) / 1000.0;

    if (!burl_progress_due(&g->progress))
        return;
    totals = burl_gen_pairs_totals(p);
    burl_progress_update(
        &g->progress, "pairs %zu covered, %zu tried of %zu; %s tests, %s/s; %llu findings%s%s%s%s",
        totals.covered, totals.tried, p->pair.n, burl__test_number(s->tests, n),
        burl__test_number(sec > 0.05 ? (uint64_t)((double)s->tests / sec) : 0, rate),
        (unsigned long long)s->violations, current ? "; " : "",
        current ? g->model.fns.v[current->a].name : "", current ? " x " : "",
        current ? g->model.fns.v[current->b].name : "");
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

static void
run_deinit(struct burl_gen_run *g)
{
    for (size_t i = 0; i < g->found.n; i++) {
        free(g->found.v[i].title);
        free(g->found.v[i].test);
        free(g->found.v[i].json);
    }
    for (size_t i = 0; i < g->kept.n; i++)
        burl_gen_test_deinit(&g->kept.v[i]);
    BURL_VEC_FREE(&g->found);
    BURL_VEC_FREE(&g->kept);
    BURL_VEC_FREE(&g->curve);
    burl_gen_pairs_deinit(&g->pairs);
    burl_gen_exec_close(g->exec);
    burl_gen_model_deinit(&g->model);
    if (g->lock >= 0)
        close(g->lock);
    free(g->burl);
    free(g->api_tool);
    free(g->dir);
}

/* Functions that no test calls, and why: nothing is skipped silently. */
static void
say_left_out(const struct burl_gen_run *g)
{
    enum { SHOWN = 8 };
    struct burl_buf b = BURL_BUF_INIT;
    unsigned n = 0;

    burl_gen_model_left_out(&g->model, &b);
    for (const char *p = burl_buf_str(&b); *p; n++) {
        const size_t len = strcspn(p, "\n");
        if (n < SHOWN)
            fprintf(stderr, "burl gen: %.*s\n", (int)len, p);
        p += len + (p[len] == '\n');
    }
    if (n > SHOWN)
        fprintf(stderr, "burl gen: and %u more functions; burl gen --model lists them all\n",
                n - SHOWN);
    burl_buf_deinit(&b);
}

/* Everything after the model; *code is the exit code when all went well. */
static enum burl_status
run_search(struct burl_gen_run *g, int *code, struct burl_err *err)
{
    enum burl_status st = burl_gen_model_check(&g->model, err);

    if (st == BURL_OK && !g->opts->quiet && !g->opts->json)
        say_left_out(g);
    burl_gen_model_reduce(&g->model);
    if (st == BURL_OK)
        st = open_exec(g, err);
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
    struct burl_gen_run g = { .opts = opts, .lock = -1 };
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
        st = check_outputs(opts, &err);
    if (st == BURL_OK)
        st = find_tools(&g, &err);
    if (st == BURL_OK)
        st = make_model(&g, &err);
    if (st == BURL_OK && opts->model) {
        burl_gen_model_reduce(&g.model);
        print_model(&g);
        run_deinit(&g);
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
    run_deinit(&g);
    return code;
}
