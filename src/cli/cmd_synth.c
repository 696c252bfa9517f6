/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_synth.c - `burl synth`: concurrent tests from sequential ones.
 *
 * Runs in the host. Model, executor, and what becomes of a violation are those of `burl gen`; the
 * tests come from synth/.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/shellwords.h"
#include "cli/gen_int.h"
#include "cli/interrupt.h"
#include "engine/target/target.h"
#include "synth/explain.h"
#include "synth/seedgen.h"
#include "synth/story.h"

struct synth_run {
    struct burl_gen_run g;
    struct burl_synth s;
    struct burl_gen_violations v;
    struct burl_synth_asked asked;   /* --explain */
    size_t at;                       /* test that is run */
    const char *phase;               /* that is under way; NULL: before the first */
    char *args;                      /* of seeds, each with its NUL */
    BURL_VEC(char *) words;          /* with seeds that burl wrote; owned */
    BURL_VEC(const char *) no_seeds; /* sources and flags for emitted tests */
};

/* ---- what was asked for -------------------------------------------------------------------- */

static enum burl_status
add_kind(const char *word, void *arg, struct burl_err *err)
{
    static const char *const names[] = { [BURL_SYNTH_ATOMICITY] = "atomicity",
                                         [BURL_SYNTH_RACE] = "races",
                                         [BURL_SYNTH_DEADLOCK] = "deadlocks",
                                         [BURL_SYNTH_FOR__N] = NULL };
    uint32_t *what = arg;

    for (int i = 0; i < BURL_SYNTH_FOR__N; i++) {
        if (strcmp(names[i], word) == 0) {
            *what |= BURL_SYNTH_FOR(i);
            return BURL_OK;
        }
    }
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "--for expects a list of atomicity, races, deadlocks, not \"%s\"%s", word,
                        burl_options_hint(word, names));
}

/* The arguments of the seeds, each with its NUL. */
static enum burl_status
take_seed_args(struct synth_run *r, struct burl_err *err)
{
    enum { MOST = 64 }; /* as the recorder has room for */
    const char *text = r->g.opts->seed_args ? r->g.opts->seed_args : "";
    struct burl_shellwords words = { 0 };
    struct burl_buf b = BURL_BUF_INIT;
    enum burl_status st = BURL_OK;

    if (!burl_shellwords_split(&words, text))
        st = burl_err_set(err, BURL_E_USAGE, 0, "--seed-args=%s: a quote is not closed", text);
    else if (words.n > MOST)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "--seed-args has %zu arguments; at most %d are "
                          "possible",
                          words.n, (int)MOST);
    for (size_t i = 0; i < words.n; i++)
        burl_buf_append(&b, words.v[i], strlen(words.v[i]) + 1);
    r->args = burl_buf_take(&b, &r->s.cfg.seed_args_b);
    r->s.cfg.seed_args = r->args;
    burl_shellwords_deinit(&words);
    return st;
}

static enum burl_status
make_config(struct synth_run *r, struct burl_err *err)
{
    const struct burl_options *o = r->g.opts;
    enum burl_status st;

    r->s.cfg = (struct burl_synth_config){ .seed = o->seed,
                                           .time_ms = o->time,
                                           .max_linear = o->max_linear,
                                           .interrupt = &burl_cli_interrupts };
    r->g.cfg.max_linear = o->max_linear;
    st = burl_options_each_word(o->for_, add_kind, &r->s.cfg.what, err);
    if ((r->s.cfg.what & BURL_SYNTH_FOR(BURL_SYNTH_RACE)) != 0)
        r->g.cfg.observers = BURL_OB(RACE); /* of the campaigns on findings */
    return st == BURL_OK ? take_seed_args(r, err) : st;
}

/* ---- phases -------------------------------------------------------------------------------- */

static void
say_phase(struct synth_run *r, const char *text)
{
    r->g.progress.next_ms = 0; /* a phase is shown however short the one before was */
    r->phase = text;
    burl_progress_update(&r->g.progress, "%s", text);
}

static void
on_seed(void *arg, size_t at, size_t n)
{
    struct synth_run *r = arg;

    r->g.progress.next_ms = 0;
    r->phase = "recording the seeds";
    burl_progress_update(&r->g.progress, "recording seed %zu of %zu: %s", at + 1, n,
                         burl_path_basename(burl_gen_exec_seed_source(r->g.exec, at)));
}

/* With numbers of pairs, --explain runs the tests of these pairs only. */
static bool
is_wanted(const struct synth_run *r, size_t test)
{
    for (size_t i = 0; i < r->asked.pairs.n; i++) {
        if (r->s.planned.v[r->asked.pairs.v[i] - 1].test == test)
            return true;
    }
    return r->asked.pairs.n == 0;
}

static bool
on_test(void *arg, size_t at, size_t n)
{
    struct synth_run *r = arg;
    const struct burl_synth_stats *st = &r->s.stats;
    char executions[32];

    r->at = at;
    if (!is_wanted(r, at))
        return false;
    if (burl_progress_due(&r->g.progress))
        burl_progress_update(
            &r->g.progress,
            "test %zu of %zu; %llu met, %llu harmful, %zu finding%s; %s executions; %s x %s",
            at + 1, n, (unsigned long long)st->n_met, (unsigned long long)st->n_harmful,
            r->g.found.n, r->g.found.n == 1 ? "" : "s", burl_number(st->executions, executions),
            burl_synth_test_fn(&r->s, at, 0), burl_synth_test_fn(&r->s, at, 1));
    return true;
}

/* A violation of the test that is run: its C file tells why the test was written. */
static enum burl_status
keep_violation(void *arg, const struct burl_gen_violation *v, struct burl_gen_oracle *oracle,
               enum burl_gen_fate *fate, struct burl_err *err)
{
    struct synth_run *r = arg;
    struct burl_synth_test *t = &r->s.tests.v[r->at];
    const struct burl_wire_goal goal = v->is_race ? burl_wire_goal_of(&v->race) : v->run.goal;
    struct burl_buf story = BURL_BUF_INIT;
    struct burl_buf origin = BURL_BUF_INIT;
    enum burl_status st;

    burl_synth_story(&r->s, burl_gen_exec_sites(r->g.exec), r->at, &goal, &story);
    burl_buf_printf(&origin, " (test %zu, ", r->at + 1);
    burl_synth_test_pairs(&r->s, r->at, &origin);
    burl_buf_char(&origin, ')');
    r->g.story = burl_buf_str(&story);
    r->g.origin = burl_buf_str(&origin);
    st = burl__gen_keep(&r->g, v, oracle, fate, err);
    for (size_t i = 0; i < r->g.shown.n; i++)
        burl_synth_test_add_finding(t, r->g.shown.v[i]);
    r->g.story = r->g.origin = NULL;
    burl_buf_deinit(&story);
    burl_buf_deinit(&origin);
    return st;
}

/* A seed as a C program, <store>/synth/seed_<n>.c. */
static enum burl_status
write_seed(struct synth_run *r, const struct burl_gen_test *t, size_t number, struct burl_err *err)
{
    struct burl_gen_emit e = { .model = &r->g.model, .test = t, .name = "seed" };
    char *path = burl_xasprintf("%s/seed_%zu.c", r->g.dir, number);
    struct burl_buf b = BURL_BUF_INIT;
    enum burl_status st;

    burl_gen_emit_test(&e, &b);
    st = burl_fs_write_atomic(path, burl_buf_str(&b), b.n, err);
    BURL_VEC_PUSH(&r->words, path);
    burl_buf_deinit(&b);
    return st;
}

static void
say_written(const struct synth_run *r, const struct burl_synth_written *w)
{
    fprintf(stderr, "burl synth: no tests were given; %zu sequential seeds are in %s\n", w->n,
            r->g.dir);
    burl__gen_say_left_out(&r->g);
    for (size_t i = 0; i < w->refused.n; i++)
        fprintf(stderr,
                "burl synth: %s() is called by no seed: each call that was tried fails or blocks\n",
                r->g.model.fns.v[w->refused.v[i]].name);
}

/* No seed could be written: says why. What the type that most functions take lacks is the cause of
 * all; else function by function. */
static enum burl_status
no_seed(const struct synth_run *r, const struct burl_synth_written *w, struct burl_err *err)
{
    const struct burl_gen_model *m = &r->g.model;
    struct burl_gen_model one_type = *m;
    struct burl_err cause = { 0 };
    struct burl_buf why = BURL_BUF_INIT;
    enum burl_status st;

    one_type.every_type = false;
    if (burl_gen_model_check(&one_type, &cause) != BURL_OK) {
        burl_buf_printf(&why, "  %s", cause.msg);
    } else {
        for (size_t i = 0; i < w->refused.n; i++)
            burl_buf_printf(&why, "%s%s()", i > 0 ? ", " : "  every call that was tried fails: ",
                            m->fns.v[w->refused.v[i]].name);
        burl_buf_str_append(&why, why.n > 0 ? "\n" : "");
        burl_gen_model_left_out(m, &why);
    }
    st = burl_err_set(err, BURL_E_USAGE, 0,
                      "no call of the API succeeds sequentially, so no seed can be written; give a "
                      "test with a main(): burl synth %s -- api.c test_api.c\n%s",
                      r->g.sources.header, burl_buf_str(&why));
    burl_buf_deinit(&why);
    return st;
}

/* There are no tests at hand: burl writes some, and the program is built again with them. */
static enum burl_status
write_seeds(struct synth_run *r, struct burl_err *err)
{
    struct burl_gen_sources *s = &r->g.sources;
    struct burl_synth_written w = { 0 };
    enum burl_status st = burl_gen_model_check(&r->g.model, err);

    say_phase(r, "writing sequential seeds");
    if (st == BURL_OK) {
        burl_synth_seeds_write(&w, r->g.exec, r->g.opts->seed);
        st = burl_gen_exec_status(r->g.exec, err);
    }
    if (st == BURL_OK && w.n == 0)
        st = no_seed(r, &w, err);
    for (size_t i = 0; i < s->n_words; i++)
        BURL_VEC_PUSH(&r->words, burl_xstrdup(s->words[i]));
    for (size_t i = 0; st == BURL_OK && i < w.n; i++)
        st = write_seed(r, &w.v[i], i + 1, err);
    if (st == BURL_OK) {
        s->n_words = r->words.n;
        BURL_VEC_PUSH(&r->words, NULL);
        s->words = (const char *const *)r->words.v;
        burl_gen_exec_close(r->g.exec);
        r->g.exec = NULL;
        burl_progress_clear(&r->g.progress);
        if (!r->g.opts->quiet && !r->g.opts->json)
            say_written(r, &w);
        say_phase(r, "compiling the seeds");
        st = burl__gen_reopen(&r->g, err);
    }
    burl_synth_written_deinit(&w);
    return st;
}

/* Emitted tests are built without the seeds. */
static void
leave_out_seeds(struct synth_run *r)
{
    struct burl_gen_sources *s = &r->g.sources;

    for (size_t i = 0; i < s->n_words; i++) {
        if (!burl_gen_exec_is_client(r->g.exec, s->words[i]))
            BURL_VEC_PUSH(&r->no_seeds, s->words[i]);
    }
    s->n_words = r->no_seeds.n;
    BURL_VEC_PUSH(&r->no_seeds, NULL);
    s->words = r->no_seeds.v;
}

/* All tests that were built, each with its story. */
static enum burl_status
write_suite(struct synth_run *r, struct burl_err *err)
{
    for (size_t i = 0; i < r->s.tests.n; i++) {
        struct burl_buf story = BURL_BUF_INIT;

        burl_synth_story(&r->s, burl_gen_exec_sites(r->g.exec), i, NULL, &story);
        BURL_VEC_PUSH(&r->g.stories, burl_buf_take(&story, NULL));
        BURL_VEC_PUSH(&r->g.kept, burl_gen_test_copy(&r->s.tests.v[i].test));
    }
    return burl__gen_suite(&r->g, err);
}

static enum burl_status
run_phases(struct synth_run *r, struct burl_err *err)
{
    enum burl_status st;

    say_phase(r, "compiling");
    st = burl__gen_open(&r->g, true, err);
    if (st == BURL_OK && burl_gen_exec_n_seeds(r->g.exec) == 0)
        st = write_seeds(r, err);
    r->s.x = r->v.x = r->g.exec;
    r->s.m = &r->g.model;
    r->s.on_seed = on_seed;
    r->s.on_test = on_test;
    r->s.arg = r;
    if (st == BURL_OK)
        st = burl_synth_record(&r->s, err);
    burl_progress_clear(&r->g.progress);
    if (!r->g.opts->quiet && !r->g.opts->json)
        burl__synth_say_seeds(&r->s);
    if (st != BURL_OK)
        return st;
    leave_out_seeds(r);
    say_phase(r, "analysis: dependencies, pairs, tests");
    burl_synth_plan(&r->s);
    if (r->g.opts->explain != NULL)
        st = burl__synth_parse_pairs(&r->s, r->g.opts->explain, &r->asked, err);
    if (st != BURL_OK)
        return st;
    burl_synth_run(&r->s, &r->v);
    burl_progress_clear(&r->g.progress);
    st = r->v.st != BURL_OK ? r->v.st : burl_gen_exec_status(r->g.exec, err);
    if (st != BURL_OK && burl_cli_interrupts != 0)
        st = BURL_OK; /* what was found before stands */
    if (st == BURL_OK && r->g.opts->emit_suite) {
        say_phase(r, "writing the suite");
        st = write_suite(r, err);
    }
    return st;
}

int
burl_cmd_synth(const struct burl_options *opts, int argc, char **argv)
{
    struct synth_run r = { .g = { .opts = opts, .command = "synth", .lock = -1 } };
    struct burl_err err = { 0 };
    int code = BURL_EXIT_CLEAN;
    enum burl_status st;

    if (argc < 1)
        return burl_cli_usage("synth", "which header? Give the header of the API, its sources and "
                                       "sequential tests: burl synth queue.h -- queue.c test.c");
    r.g.sources = (struct burl_gen_sources){ .header = argv[0],
                                             .words = (const char *const *)argv + 1,
                                             .n_words = (size_t)argc - 1,
                                             .compile_commands = opts->compile_commands,
                                             .every_type = true };
    r.v = (struct burl_gen_violations){ .max_linear = opts->max_linear,
                                        .compare_results = true,
                                        .report = keep_violation,
                                        .arg = &r,
                                        .err = &err };
    burl_cli_catch_signals();
    burl_progress_init(&r.g.progress, !opts->quiet && !opts->json);
    st = make_config(&r, &err);
    if (st == BURL_OK)
        st = burl_cli_check_outputs(opts, &err);
    if (st == BURL_OK)
        st = burl__gen_find_tools(&r.g, &err);
    if (st == BURL_OK)
        st = burl__gen_make_model(&r.g, &err);
    if (st == BURL_OK)
        st = run_phases(&r, &err);
    burl_progress_clear(&r.g.progress);
    if (st != BURL_OK && burl_cli_interrupts != 0)
        burl_err_set(&err, st, 0, "interrupted while %s; no test was run",
                     r.phase ? r.phase : "reading the header");
    if (st == BURL_OK)
        code = r.g.found.n > 0            ? BURL_EXIT_FINDINGS
               : r.v.not_built > 0        ? BURL_EXIT_FAILURE
               : burl_cli_interrupts != 0 ? BURL_EXIT_PROMISE
                                          : BURL_EXIT_CLEAN;
    else
        code = burl_cli_interrupts != 0 ? BURL_EXIT_PROMISE : burl_err_exit_code(st);
    if (opts->json)
        burl__synth_print_json(&r.g, &r.s, &r.v, &r.asked, code, st == BURL_OK ? NULL : &err);
    else if (st == BURL_OK)
        burl__synth_print_summary(&r.g, &r.s, &r.v, &r.asked);
    if (st != BURL_OK)
        burl_cli_fail(&err);
    burl_synth_deinit(&r.s);
    burl_gen_violations_deinit(&r.v);
    burl__gen_deinit(&r.g);
    for (size_t i = 0; i < r.words.n; i++)
        free(r.words.v[i]);
    BURL_VEC_FREE(&r.words);
    BURL_VEC_FREE(&r.asked.pairs);
    BURL_VEC_FREE(&r.no_seeds);
    free(r.args);
    return code;
}
