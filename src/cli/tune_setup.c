/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/tune_setup.c - the options of `burl tune` become genes, a search and a fitness.
 *
 * Runs in the host. Everything that can be wrong is refused before the program runs for the first
 * time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/noise.h"
#include "cli/cover_int.h"
#include "cli/interrupt.h"
#include "cli/tune_int.h"

#define POPULATION_MAX 10000u
#define EXECUTIONS_MAX 1000u

/* ---- values ------------------------------------------------------------------------ */

static enum burl_status
read_probability(const char *text, enum burl_opt opt, double *out, struct burl_err *err)
{
    char *end;

    *out = strtod(text, &end);
    if (end == text || *end != '\0' || !(*out >= 0 && *out <= 1))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "%s: %s is no probability; give a number from 0 "
                            "to 1",
                            burl_options_name(opt), text);
    return BURL_OK;
}

static enum burl_status
read_strength(struct burl_tune_session *t, struct burl_err *err)
{
    const char *text = t->opts->strength;
    char *end;
    unsigned long min = strtoul(text, &end, 10);
    unsigned long max = min;
    const bool is_range = end > text && strncmp(end, "..", 2) == 0;

    if (is_range) {
        const char *from = end + 2;

        max = strtoul(from, &end, 10);
        if (end == from)
            min = 0;
    }
    if (end == text || *end != '\0' || min < 1 || max > BURL_NOISE_MAX_STRENGTH || min > max)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--strength: %s is neither a number from 1 to %u nor a range MIN..MAX "
                            "of these",
                            text, BURL_NOISE_MAX_STRENGTH);
    if (is_range && t->paper)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--strength: a range is a gene that the paper does not have; leave out "
                            "--paper");
    t->genome.strength = (uint32_t)min;
    if (is_range)
        burl_genome_add_strength(&t->genome, (uint32_t)min, (uint32_t)max);
    return BURL_OK;
}

static enum burl_status
read_maxima(struct burl_tune_session *t, struct burl_err *err)
{
    const char *text = t->opts->f1_max;
    unsigned a, h, s;
    char rest;

    if (!text)
        return BURL_OK;
    if (text[strspn(text, "0123456789,")] != '\0' ||
        sscanf(text, "%9u,%9u,%9u%c", &a, &h, &s, &rest) != 3 || a == 0 || h == 0 || s == 0)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--f1-max: %s is not three numbers from 1 to 999999999: "
                            "Avio*,HBPair*,Synchro",
                            text);
    if (t->opts->typed[BURL_OPT_f1_max] && (t->paper || strcmp(t->opts->fitness, "f1") != 0))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--f1-max has no effect without --fitness=f1: give both or none");
    t->fitness.fixed = true;
    t->fitness.avio_max = a;
    t->fitness.hbpair_max = h;
    t->fitness.synchro_max = s;
    return BURL_OK;
}

static bool
is_vector(const char *text)
{
    return *text && text[strspn(text, "0123456789,-")] == '\0';
}

/* A vector, or what --noise takes. */
static enum burl_status
read_start(struct burl_tune_session *t, struct burl_err *err)
{
    const char *text = t->opts->start;
    struct burl_wire_noise n;
    struct burl_genes x;
    enum burl_status st;

    if (!text)
        return BURL_OK;
    if (is_vector(text)) {
        st = burl_genes_check(&t->genome, text, err);
        if (st != BURL_OK)
            return burl_err_prefix(err, "--start");
        burl_genes_read(&t->genome, text, &x);
    } else {
        st = burl_noise_read(&n, "--start", text, err);
        if (st != BURL_OK)
            return st;
        burl_genes_from_noise(&t->genome, &n, &x);
    }
    BURL_VEC_PUSH(&t->start, x);
    return BURL_OK;
}

/* ---- the search -------------------------------------------------------------------- */

static uint32_t
newcomers_of(const struct burl_options *o)
{
    const uint32_t fifth = o->population / 5;

    return o->given[BURL_OPT_newcomers] || o->newcomers < fifth ? o->newcomers : fifth;
}

static enum burl_status
check_ranges(const struct burl_options *o, struct burl_err *err)
{
    const struct {
        enum burl_opt opt;
        uint64_t value, min, max;
    } v[] = {
        { BURL_OPT_population, o->population, 2, POPULATION_MAX },
        { BURL_OPT_executions, o->executions, 1, EXECUTIONS_MAX },
        { BURL_OPT_tournament, o->tournament, 1, POPULATION_MAX },
        { BURL_OPT_elites, o->elites, 0, o->population > 0 ? o->population - 1 : 0 },
        { BURL_OPT_newcomers, newcomers_of(o), 0,
          o->population > o->elites ? o->population - o->elites : 0 },
        { BURL_OPT_finalists, o->finalists, 0, POPULATION_MAX },
        { BURL_OPT_plain_runs, o->plain_runs, 1, 50 },
        { BURL_OPT_jobs, o->jobs, 0, 256 },
    };

    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
        if (v[i].value < v[i].min || v[i].value > v[i].max)
            return burl_err_set(err, BURL_E_USAGE, 0, "%s: %llu is out of range, %llu to %llu",
                                burl_options_name(v[i].opt), (unsigned long long)v[i].value,
                                (unsigned long long)v[i].min, (unsigned long long)v[i].max);
    }
    return BURL_OK;
}

/* --paper fixes what it names; giving such an option too is a contradiction. */
static enum burl_status
check_paper(const struct burl_options *o, struct burl_err *err)
{
    static const enum burl_opt fixed[] = {
        BURL_OPT_population, BURL_OPT_executions, BURL_OPT_tournament, BURL_OPT_elites,
        BURL_OPT_newcomers,  BURL_OPT_crossover,  BURL_OPT_mutation,   BURL_OPT_fitness,
        BURL_OPT_start,      BURL_OPT_finalists,
    };

    for (size_t i = 0; o->paper && i < sizeof fixed / sizeof fixed[0]; i++) {
        if (o->typed[fixed[i]])
            return burl_err_set(err, BURL_E_USAGE, 0,
                                "%s and --paper: --paper fixes it to what the paper has; give one "
                                "of them",
                                burl_options_name(fixed[i]));
    }
    if (o->restart && o->resume)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--restart begins anew and --resume goes on: give one of them");
    return BURL_OK;
}

static enum burl_status
read_search(struct burl_tune_session *t, struct burl_err *err)
{
    const struct burl_options *o = t->opts;
    struct burl_search_config *c = &t->search;
    enum burl_status st = check_paper(o, err);

    if (st == BURL_OK)
        st = check_ranges(o, err);
    *c = (struct burl_search_config){ BURL_SEARCH_PAPER };
    c->genome = &t->genome;
    c->seed = o->seed;
    if (o->typed[BURL_OPT_generations] || !o->paper)
        c->generations = o->generations;
    t->executions = 5;
    if (st != BURL_OK || o->paper)
        return st;
    c->population = o->population;
    c->tournament = o->tournament;
    c->elites = o->elites;
    c->newcomers = newcomers_of(o);
    c->distinct = true;
    t->executions = o->executions;
    t->finalists = o->finalists;
    st = read_probability(o->crossover, BURL_OPT_crossover, &c->crossover, err);
    if (st == BURL_OK)
        st = read_probability(o->mutation, BURL_OPT_mutation, &c->mutation, err);
    return st;
}

static void
read_fitness(struct burl_tune_session *t)
{
    static const uint32_t metrics[] = {
        [BURL_FITNESS_BURL] =
            BURL_OB(AVIO) | BURL_OB(HBPAIRS) | BURL_OB(SYNCHRO) | BURL_OB(GOLDISC),
        [BURL_FITNESS_F1] = BURL_OB(AVIO) | BURL_OB(HBPAIRS) | BURL_OB(SYNCHRO),
        [BURL_FITNESS_F2] = BURL_OB(GOLDISC),
    };
    const char *name = t->opts->fitness;

    if (t->paper || strcmp(name, "f2") == 0)
        t->fitness.kind = BURL_FITNESS_F2;
    else if (strcmp(name, "f1") == 0)
        t->fitness.kind = BURL_FITNESS_F1;
    t->exec.observers = t->free.observers | metrics[t->fitness.kind];
}

/* ---- the key ----------------------------------------------------------------------- */

/* The options that decide what a search does, so that a search with the same goes on. Not among
 * them: when it ends, and what is written where. */
static char *
make_key(const struct burl_tune_session *t)
{
    const struct burl_options *o = t->opts;
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_json_writer w;

    burl_json_writer_init(&w, &b, 0);
    burl_json_object_begin(&w);
    burl_json_kv_str(&w, "search", o->search);
    burl_json_kv_u64(&w, "fitness", t->fitness.kind);
    burl_json_kv_bool(&w, "paper", t->paper);
    burl_json_kv_bool(&w, "distinct", t->search.distinct);
    burl_json_kv_str(&w, "param", o->param);
    burl_json_kv_str(&w, "check", o->check);
    burl_json_kv_u64(&w, "seed", o->seed);
    burl_json_kv_u64(&w, "jobs", t->jobs);
    burl_json_kv_u64(&w, "executions", t->executions);
    burl_json_kv_u64(&w, "population", t->search.population);
    burl_json_kv_u64(&w, "tournament", t->search.tournament);
    burl_json_kv_u64(&w, "elites", t->search.elites);
    burl_json_kv_u64(&w, "newcomers", t->search.newcomers);
    burl_json_kv_str(&w, "crossover", t->paper ? "0.25" : o->crossover);
    burl_json_kv_str(&w, "mutation", t->paper ? "0.01" : o->mutation);
    burl_json_kv_str(&w, "strength", o->strength);
    burl_json_kv_str(&w, "start", o->start);
    burl_json_kv_str(&w, "f1_max", o->f1_max);
    burl_json_kv_u64(&w, "run_time", o->run_time);
    burl_json_kv_bool(&w, "no_known", o->no_known);
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
    return burl_buf_take(&b, NULL);
}

/* ---- all of it --------------------------------------------------------------------- */

/* Without --param braces are the program's own, or a parameter was forgotten. */
static void
note_braces(const char *const *argv)
{
    for (size_t i = 1; argv[i]; i++) {
        size_t n;
        const char *name = burl_params_find_braces(argv[i], &n);

        if (name)
            fprintf(stderr,
                    "burl: note: {%.*s} in the command is no parameter and is passed as it is; "
                    "give it with --param '%.*s=...'\n",
                    (int)n, name, (int)n, name);
    }
}

static enum burl_status
read_genes(struct burl_tune_session *t, struct burl_err *err)
{
    enum burl_status st;

    burl_genome_init(&t->genome);
    st = read_strength(t, err);
    if (st == BURL_OK && t->opts->param)
        st = burl_params_parse(&t->params, t->opts->param, err);
    if (st == BURL_OK)
        st = burl_params_check(&t->params, (const char *const *)t->argv, err);
    if (st == BURL_OK && t->params.n == 0 && !t->opts->quiet)
        note_braces((const char *const *)t->argv);
    if (st == BURL_OK)
        st = burl_params_genes(&t->params, &t->genome, err);
    return st;
}

static uint64_t
budget_of(const struct burl_options *o)
{
    const bool other = o->evaluations > 0 || o->given[BURL_OPT_generations] || o->paper;

    return other && !o->given[BURL_OPT_time] ? 0 : o->time;
}

/* What the search would write in the end can be written: known before it starts. */
static enum burl_status
check_outputs(const struct burl_tune_session *t, struct burl_err *err)
{
    enum burl_status st = burl_cli_check_outputs(t->opts, err);
    char *file;

    if (st != BURL_OK || t->opts->out)
        return st;
    file = burl__tune_out_file(t);
    st = burl_fs_check_output(file, err);
    free(file);
    return st == BURL_OK ? st : burl_err_prefix(err, "the best setting (--out=FILE)");
}

enum burl_status
burl__tune_setup(struct burl_tune_session *t, struct burl_err *err)
{
    const struct burl_options *o = t->opts;
    enum burl_status st;

    t->paper = o->paper;
    t->jobs = o->typed[BURL_OPT_jobs] ? o->jobs : 1;
    if (t->jobs == 0)
        t->jobs = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    st = read_search(t, err);
    if (st == BURL_OK)
        st = read_genes(t, err);
    if (st == BURL_OK)
        st = read_maxima(t, err);
    if (st == BURL_OK)
        st = read_start(t, err);
    if (st == BURL_OK && o->check)
        st = burl_check_exists(o->check, err);
    if (st == BURL_OK)
        st = check_outputs(t, err);
    if (st == BURL_OK)
        st = burl_cli_keep_input(err);
    if (st == BURL_OK)
        st = burl__cover_program_path(&t->path, t->argv[0], err);
    if (st == BURL_OK && stat(t->path, &t->file) != 0)
        st = burl_err_set(err, BURL_E_USAGE, errno, "cannot examine %s", t->path);
    if (st == BURL_OK)
        st = burl_cli_check_spared(o, t->path, err);
    if (st == BURL_OK)
        st = burl__free_begin(&t->free, err);
    if (st != BURL_OK)
        return st;
    read_fitness(t);
    t->exec.check = o->check;
    t->exec.interrupt = &burl_cli_interrupts;
    t->budget_ms = budget_of(o);
    t->exec.stop_at_ms = t->budget_ms > 0 ? t->started_ms + (int64_t)t->budget_ms : 0;
    t->key_json = make_key(t);
    return BURL_OK;
}

/* A setting that goes where burl knows of something: often enough to matter, and not slow. */
static void
add_known_start(struct burl_tune_session *t, size_t known_at)
{
    for (int32_t v = 1; v <= t->genome.v[known_at].max; v++) {
        struct burl_genes x = { { 0 } };

        burl_genes_clamp(&t->genome, &x);
        x.v[BURL_GENE_FREQ] = 300;
        x.v[BURL_GENE_SEEDING] = BURL_NOISE_SLEEP;
        x.v[known_at] = v;
        BURL_VEC_PUSH(&t->start, x);
    }
}

void
burl__tune_shape(struct burl_tune_session *t)
{
    const bool known = !t->paper && !t->opts->no_known;

    t->no_shared = !burl_marks_any_shared(&t->marks);
    t->has_suspects = known && burl_marks_count(&t->marks, BURL_NOISE_MARK_SUSPECT) > 0;
    t->has_pairs = known && burl_marks_count(&t->marks, BURL_NOISE_MARK_PAIR) > 0;
}

void
burl__tune_begin(struct burl_tune_session *t)
{
    const struct burl_gene *gene;

    if (t->no_shared)
        burl_genome_drop_shared(&t->genome);
    burl_genome_add_known(&t->genome, t->has_suspects, t->has_pairs);
    gene = burl_genome_find(&t->genome, BURL_GENE_KNOWN);
    if (gene)
        add_known_start(t, (size_t)(gene - t->genome.v));
    for (size_t i = 0; i < t->start.n; i++)
        burl_genes_clamp(&t->genome, &t->start.v[i]);
    t->search.start = t->start.v;
    t->search.n_start =
        t->start.n < t->search.population ? t->start.n : (size_t)t->search.population;
    t->fitness.floor_ms = t->plain.floor_ms;
    burl_tuner_init(&t->tuner, burl_search_find(t->opts->search), &t->search, &t->fitness, t->jobs);
    t->has_tuner = true;
}

char **
burl__tune_command(const struct burl_tune_session *t, const struct burl_genes *x)
{
    return burl_params_command(&t->params, &t->genome, x, (const char *const *)t->argv);
}
