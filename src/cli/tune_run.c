/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/tune_run.c - evaluations: the executions of a trial, put together, learned and saved.
 *
 * Runs in the host. An evaluation that the end of the time cuts counts with the executions that it
 * has; one that is interrupted is not learned, and what its executions found is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "cli/interrupt.h"
#include "cli/tune_int.h"
#include "engine/target/target.h"
#include "tune/finals.h"
#include "tune/seeds.h"

/* ---- one execution ----------------------------------------------------------------- */

void
burl__tune_noise(const struct burl_tune_session *t, const struct burl_trial *trial, uint32_t i,
                 struct burl_wire_noise *out)
{
    uint64_t seed = t->search.seed ^ (trial->n * t->executions + i + 1) * 0x9e3779b97f4a7c15ull;

    burl_genes_to_noise(&t->genome, &trial->genes, out);
    /* With the seed of a file the runtime chooses the variable, as it will for `burl run`. */
    if (trial->seed != 0) {
        out->seed = trial->seed;
        return;
    }
    out->seed = burl_rng_splitmix(&seed);
    if (out->shared == BURL_NOISE_SHARED_ONE || out->shared == BURL_NOISE_SHARED_ONE_RANDOM)
        out->variable = burl_marks_variable(&t->marks, out->seed);
}

struct burl_execute
burl__tune_execute(const struct burl_tune_session *t, const struct burl_trial *trial)
{
    struct burl_execute e = t->exec;

    /* Finals decide by errors and time, and the setting is for runs without metrics. */
    if (trial->final && t->fitness.kind == BURL_FITNESS_BURL)
        e.observers = t->free.observers;
    return e;
}

uint32_t
burl__tune_executions(const struct burl_tune_session *t, const struct burl_trial *trial)
{
    return trial->seed != 0 ? 1 : t->executions;
}

/* The output of the first execution that failed the check, for the user. */
static enum burl_status
keep_check(struct burl_tune_session *t, const struct burl_execution *x, struct burl_err *err)
{
    struct burl_buf b = BURL_BUF_INIT;
    char *path;
    enum burl_status st;

    if (!x->checked || x->check_code == 0 || t->check_file)
        return BURL_OK;
    path = burl_path_join(t->opts->dir, "check.txt");
    burl_buf_printf(&b, "$ %s\n", t->exec.check);
    burl_buf_str_append(&b, x->check_output);
    burl_buf_printf(&b, "exit code %d\n\nthe program printed:\n", x->check_code);
    burl_buf_append(&b, x->r.output ? x->r.output : "", x->r.output_b);
    st = burl_fs_write_atomic(path, burl_buf_str(&b), b.n, err);
    burl_buf_deinit(&b);
    t->check_file = path;
    return st;
}

static void
note_killed(struct burl_tune_session *t, const struct burl_free_result *r)
{
    if (r->end != BURL_FREE_END_OUTSIDE || r->status.exited)
        return;
    if (t->n_killed++ == 0)
        t->killed_by = r->status.signal;
}

enum burl_status
burl__tune_take(struct burl_tune_session *t, struct burl_execution *x, char **command,
                const struct burl_wire_noise *noise, struct burl_err *err)
{
    struct burl_free_session *s = &t->free;
    size_t first_new = 0;
    enum burl_status st = burl_target_same_build(&t->build, x->r.start_build, t->argv[0], err);

    /* What an execution shows that lacks its input is no finding. */
    if (st == BURL_OK)
        st = burl_cli_check_late_input(err);
    if (st != BURL_OK)
        return st;
    note_killed(t, &x->r);
    s->argv = command;
    t->taken = x;
    t->under = noise;
    t->command = command;
    free(s->args_json);
    s->args_json = burl__test_args_json(command + 1, s->argc - 1);
    if (x->r.marks)
        burl_marks_learn(&t->marks, x->r.modules, x->r.n_modules, x->r.marks, x->r.n_marks);
    s->counts_later = t->search_id != 0 && noise != NULL;
    st = burl__free_take(s, &x->r, &first_new, err);
    if (st == BURL_OK && s->counts_later && s->kept.n > first_new)
        st = burl__tune_save_findings(t, err);
    s->wall_ms = burl_now_ms() - t->started_ms;
    t->exec.check_works |= x->checked;
    if (x->checked && x->check_ms > t->exec.check_ms)
        t->exec.check_ms = x->check_ms;
    if (st == BURL_OK)
        st = keep_check(t, x, err);
    if (st == BURL_OK)
        burl__tune_print_new(t, first_new);
    s->argv = t->argv;
    return st;
}

enum burl_status
burl__tune_count(struct burl_tune_session *t, struct burl_execution *x, char **command,
                 const struct burl_wire_noise *noise, struct burl_tally *tally,
                 enum burl_tune_error *error, struct burl_err *err)
{
    enum burl_status st = burl_target_same_build(&t->build, x->r.start_build, t->argv[0], err);

    *error = BURL_TUNE_ERROR__N;
    if (st != BURL_OK)
        return st;
    /* One that the end of the time cut says nothing about the setting; what it found is kept. */
    *error = burl_execution_error(x);
    if (!x->unfinished || *error != BURL_TUNE_ERROR__N)
        burl_tally_add(tally, x);
    t->n_executions++;
    if (*error != BURL_TUNE_ERROR__N && t->first_error_ms < 0)
        t->first_error_ms = burl_now_ms() - t->started_ms;
    return burl__tune_take(t, x, command, noise, err);
}

bool
burl__tune_is_over(struct burl_tune_session *t)
{
    if (burl_cli_interrupts != 0) {
        t->interrupted = true;
        t->end = "interrupted";
    } else if (t->budget_ms > 0 && burl_now_ms() - t->started_ms >= (int64_t)t->budget_ms) {
        t->end = "time";
    }
    return t->end != NULL;
}

enum burl_status
burl__tune_no_execution(struct burl_tune_session *t, enum burl_status st, struct burl_err *err)
{
    struct stat now;
    char why[sizeof err->msg];

    /* The last one may have had no time left to start in. */
    if (st == BURL_E_LIMIT && burl__tune_is_over(t))
        return BURL_OK;
    if (stat(t->path, &now) == 0 && now.st_dev == t->file.st_dev && now.st_ino == t->file.st_ino &&
        now.st_size == t->file.st_size && now.st_mtim.tv_sec == t->file.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == t->file.st_mtim.tv_nsec)
        return st;
    snprintf(why, sizeof why, "%s", err->msg);
    return burl_err_set(err, BURL_E_TARGET, 0,
                        "%s was replaced or removed while burl tested it; what it showed before is "
                        "kept (%.300s)",
                        t->argv[0], why);
}

/* One execution that noise makes too slow says it of the setting. */
bool
burl__tune_is_enough(const struct burl_tune_session *t, const struct burl_execution *x,
                     enum burl_tune_error error)
{
    return !t->paper && x->r.noise_stopped && !x->unfinished && error == BURL_TUNE_ERROR__N;
}

bool
burl__tune_is_complete(struct burl_tune_session *t, const struct burl_trial *trial,
                       const struct burl_tally *tally, bool enough)
{
    const uint32_t n = tally->outcome.executions;

    return n > 0 && (n == burl__tune_executions(t, trial) || enough ||
                     (burl__tune_is_over(t) && !t->interrupted));
}

/* ---- one evaluation ---------------------------------------------------------------- */

static enum burl_status
evaluate(struct burl_tune_session *t, const struct burl_trial *trial, struct burl_tally *tally,
         bool *complete, struct burl_err *err)
{
    char **command = burl__tune_command(t, &trial->genes);
    enum burl_status st = BURL_OK;
    uint32_t i = 0;
    bool enough = false;

    while (st == BURL_OK && i < burl__tune_executions(t, trial) && !enough &&
           !burl__tune_is_over(t)) {
        const struct burl_execute how = burl__tune_execute(t, trial);
        struct burl_wire_noise noise;
        struct burl_execution x;
        enum burl_tune_error error;

        burl__tune_noise(t, trial, i, &noise);
        burl__tune_progress(t);
        st = burl_execute(&x, &how, (const char *const *)command, &noise, t->marks.v,
                          t->marks.variables, t->marks.n, (uint64_t)t->run_ms, err);
        if (burl__tune_is_over(t) && t->interrupted) {
            if (st == BURL_OK)
                burl_execution_deinit(&x);
            st = BURL_OK;
            break;
        }
        if (st != BURL_OK) {
            st = burl__tune_no_execution(t, st, err);
            break;
        }
        st = burl__tune_count(t, &x, command, &noise, tally, &error, err);
        enough = burl__tune_is_enough(t, &x, error);
        burl_execution_deinit(&x);
        i++;
    }
    *complete = st == BURL_OK && burl__tune_is_complete(t, trial, tally, enough);
    burl_params_free_command(command);
    return st;
}

static enum burl_status
learn(struct burl_tune_session *t, const struct burl_trial *trial, struct burl_tally *tally,
      struct burl_err *err)
{
    const struct burl_evaluation *e;

    burl_tally_end(tally, &t->seen);
    if (trial->seed != 0)
        e = burl_seeds_learn(&t->tuner, &tally->outcome);
    else if (trial->final)
        e = burl_finals_learn(&t->tuner, &tally->outcome);
    else
        e = burl_tuner_learn(&t->tuner, &tally->outcome);
    return burl__tune_save(t, e, tally, err);
}

static enum burl_status
evaluate_batch(struct burl_tune_session *t, const struct burl_trial *batch, size_t n,
               struct burl_err *err)
{
    const struct burl_trial *trials = burl_xmemdup(batch, n * sizeof *batch);
    struct burl_tally *tallies = burl_xcalloc(n, sizeof *tallies);
    enum burl_status st = BURL_OK;
    size_t n_done = 0;

    if (t->jobs > 1) {
        st = burl__tune_jobs(t, trials, n, tallies, &n_done, err);
    } else {
        bool complete = false;

        st = evaluate(t, trials, tallies, &complete, err);
        n_done = complete;
    }
    for (size_t i = 0; i < n_done && st == BURL_OK; i++)
        st = learn(t, &trials[i], &tallies[i], err);
    for (size_t i = 0; i < n; i++)
        burl_tally_deinit(&tallies[i]);
    free(tallies);
    free((void *)trials);
    return st;
}

/* The last fifth of the time is for the finals, once there is something to decide. */
static bool
is_time_for_finals(const struct burl_tune_session *t)
{
    return t->finalists > 1 && t->budget_ms > 0 && burl_tune_errors(&t->tuner.total) > 0 &&
           burl_now_ms() - t->started_ms >= (int64_t)(t->budget_ms - t->budget_ms / 5);
}

static enum burl_status
run_search(struct burl_tune_session *t, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    while (st == BURL_OK && !burl__tune_is_over(t)) {
        size_t n;
        const struct burl_trial *batch;
        const uint64_t most = t->opts->evaluations;

        st = burl_cli_check_late_input(err);
        if (st != BURL_OK)
            break;
        if (most > 0 && t->tuner.done.n >= most) {
            t->end = "evaluations";
            break;
        }
        if (is_time_for_finals(t)) {
            t->end = "time";
            break;
        }
        batch = burl_tuner_batch(&t->tuner, &n);
        if (n == 0) {
            t->end = "generations";
            break;
        }
        if (most > 0 && n > most - t->tuner.done.n)
            n = most - t->tuner.done.n;
        st = evaluate_batch(t, batch, n, err);
    }
    return st;
}

/* Executions that hang cost their time limit each: finals take at most half the time of the search,
 * or so much if that is more. */
#define FINALS_LEAST_MS 4000

static int64_t
finals_limit(const struct burl_tune_session *t)
{
    const int64_t now = burl_now_ms();
    const int64_t budget_ms = (int64_t)t->budget_ms;
    /* Of this process with all that burl does, or of the executions of earlier ones. */
    int64_t limit =
        now - t->started_ms > t->tuner.total.wall_ms ? now - t->started_ms : t->tuner.total.wall_ms;

    limit = limit / 2 > FINALS_LEAST_MS ? limit / 2 : FINALS_LEAST_MS;
    if (budget_ms > 0 && limit > t->started_ms + budget_ms - now)
        limit = t->started_ms + budget_ms - now;
    return limit;
}

/* Evaluations that cannot end in time are left out. */
static enum burl_status
run_setting_finals(struct burl_tune_session *t, int64_t end_ms, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    while (st == BURL_OK && burl_now_ms() < end_ms && !burl__tune_is_over(t)) {
        size_t n;
        const struct burl_trial *batch = burl_finals_batch(&t->tuner, t->finalists, &n);

        if (n == 0)
            break;
        st = evaluate_batch(t, batch, n, err);
    }
    burl_finals_drop(&t->tuner);
    return st;
}

static enum burl_status
run_seed_finals(struct burl_tune_session *t, int64_t end_ms, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    while (st == BURL_OK && burl_now_ms() < end_ms && !burl__tune_is_over(t)) {
        size_t n;
        const struct burl_trial *batch = burl_seeds_batch(&t->tuner, &n);

        if (n == 0)
            break;
        st = evaluate_batch(t, batch, n, err);
    }
    burl_seeds_drop(&t->tuner);
    return st;
}

/* Two thirds of the time are for the settings, the rest is for the seeds of the best one. */
static enum burl_status
run_finals(struct burl_tune_session *t, struct burl_err *err)
{
    const char *why_search_ended = t->end;
    const int64_t now = burl_now_ms();
    const int64_t limit = finals_limit(t);
    enum burl_status st;

    t->end = NULL;
    t->in_finals = true;
    st = run_setting_finals(t, now + 2 * limit / 3, err);
    if (st == BURL_OK && !t->interrupted)
        st = run_seed_finals(t, now + limit, err);
    if (!t->interrupted)
        t->end = why_search_ended;
    return st;
}

enum burl_status
burl__tune_loop(struct burl_tune_session *t, struct burl_err *err)
{
    enum burl_status st = run_search(t, err);

    if (st == BURL_OK && t->finalists > 1 && !t->interrupted)
        st = run_finals(t, err);
    return st;
}
