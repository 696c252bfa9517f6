/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cover_hunt.c - `burl cover hunt`: tries to cover the gaps, pair by pair.
 *
 * Runs in the host. The pairs are the gaps of the model, most valuable first (cover/gaps.h);
 * cover/hunt.h does the work. Covered pairs go into the store, each with a schedule that replays
 * it; uncovered ones are stored with the number of tries.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/cover_int.h"
#include "cli/interrupt.h"
#include "cli/test_int.h"
#include "cover/hunt.h"
#include "engine/schedule/schedfile.h"

/* Default limit of the executions of --exhaustive: half a minute of a small program. */
#define EXHAUSTIVE_RUNS 200000u

struct hunt {
    struct burl_cover_session *s;
    struct burl_cover_model m;
    struct burl_cover_names names;
    BURL_VEC(struct burl_hunt_pair) pairs;
    int64_t started_ms;
    uint64_t executions;          /* so far */
    struct burl_hunt_pair wanted; /* covered on the way: its schedule comes next */
    BURL_VEC(char *) stored_argv; /* when the command line names no program */
};

/* ---- what to hunt ------------------------------------------------------------------ */

/* As it was given then, where that still names it. */
static char *
name_of(const struct burl_store_cover_program *p)
{
    struct burl_err ignored;
    char *path = NULL;
    bool same;

    same = p->program && burl__cover_program_path(&path, p->program, &ignored) == BURL_OK &&
           strcmp(path, p->path) == 0;
    free(path);
    return burl_xstrdup(same ? p->program : p->path);
}

/* Program and arguments of the newest campaign. */
static enum burl_status
take_stored_command(struct hunt *h, struct burl_err *err)
{
    const struct burl_store_cover_program *p = burl_cover_program(h->s->cover);
    struct burl_json_value *args = NULL;
    enum burl_status st = BURL_OK;

    BURL_VEC_PUSH(&h->stored_argv, name_of(p));
    if (p->args)
        st = burl_json_parse(&args, p->args, strlen(p->args), err);
    for (size_t i = 0; st == BURL_OK && i < burl_json_count(args); i++)
        BURL_VEC_PUSH(&h->stored_argv, burl_xstrdup(burl_json_as_str(burl_json_at(args, i), "")));
    burl_json_free(args);
    h->s->argc = (int)h->stored_argv.n;
    BURL_VEC_PUSH(&h->stored_argv, NULL);
    h->s->argv = h->stored_argv.v;
    return st;
}

static const struct burl_cover_model *sorting; /* qsort has no argument of its own */

/* Pairs without a rank, which are only to be proven, come last. */
static int
by_rank(const void *x, const void *y)
{
    const uint32_t i = ((const struct burl_hunt_pair *)x)->ref;
    const uint32_t k = ((const struct burl_hunt_pair *)y)->ref;
    const uint32_t a = sorting->pairs.v[i].rank - 1;
    const uint32_t b = sorting->pairs.v[k].rank - 1;

    if (a != b)
        return a < b ? -1 : 1;
    return i < k ? -1 : i > k;
}

static void
list_pairs(struct hunt *h)
{
    const uint32_t max = h->s->opts->given[BURL_OPT_gaps] ? h->s->opts->gaps : 0;

    for (uint32_t i = 0; i < h->m.pairs.n; i++) {
        const struct burl_cover_pair *p = &h->m.pairs.v[i];
        const struct burl_store_cover_name *a = &h->names.sites[p->a];
        const struct burl_store_cover_name *b = &h->names.sites[p->b];

        if (p->state != BURL_COVER_UNCOVERED &&
            !(p->state == BURL_COVER_PROPOSED && h->s->opts->exhaustive))
            continue;
        BURL_VEC_PUSH(&h->pairs,
                      (struct burl_hunt_pair){
                          .module_a = a->module,
                          .index_a = a->value,
                          .module_b = b->module,
                          .index_b = b->value,
                          .late_a = burl_cover_late_number(h->s->cover, a->module, a->value),
                          .late_b = burl_cover_late_number(h->s->cover, b->module, b->value),
                          .ref = i,
                          .prove_only = p->state == BURL_COVER_PROPOSED });
    }
    sorting = &h->m;
    if (h->pairs.n > 0)
        qsort(h->pairs.v, h->pairs.n, sizeof *h->pairs.v, by_rank);
    if (max > 0 && h->pairs.n > max)
        h->pairs.n = max;
}

/* ---- hooks ------------------------------------------------------------------------- */

static enum burl_status
on_ready(void *arg, const struct burl_wire_ctl *ctl, struct burl_err *err)
{
    const struct hunt *h = arg;

    return burl__cover_ready(h->s, BURL_METRIC_BIT(LOCPAIRS), ctl, err);
}

static enum burl_status
on_loaded(void *arg, const struct burl_campaign_image *loaded, struct burl_err *err)
{
    const struct hunt *h = arg;

    return burl__cover_loaded(h->s, loaded, err);
}

static enum burl_status
on_covered(void *arg, const struct burl_wire_cover_item *item, const struct burl_hunt_exec *x,
           bool *keep, struct burl_err *err)
{
    struct hunt *h = arg;

    *keep =
        burl_cover_add(h->s->cover, item, burl_schedfile_strategy_name(x->strategy), x->ordinal) &&
        item->metric == BURL_METRIC_LOCPAIRS;
    if (*keep) {
        const struct burl_sites *sites = burl_cover_sites(h->s->cover);
        const struct burl_site_info *a = burl_sites_get(sites, item->a);
        const struct burl_site_info *b = burl_sites_get(sites, item->b);

        h->wanted = (struct burl_hunt_pair){ .module_a = a->module_hash,
                                             .index_a = a->index,
                                             .module_b = b->module_hash,
                                             .index_b = b->index };
    }
    if (x->ordinal + 1 > h->executions)
        h->executions = x->ordinal + 1;
    return burl__cover_flush_some(h->s, h->executions, burl_target_now_ms() - h->started_ms, 0,
                                  err);
}

static enum burl_status
on_schedule(void *arg, const struct burl_hunt_pair *p, const struct burl_run *run,
            const struct burl_hunt_exec *x, struct burl_err *err)
{
    struct hunt *h = arg;
    const struct burl_cover_kept k = {
        .argv = (const char *const *)h->s->argv,
        .argc = (size_t)h->s->argc,
        .execution = x->ordinal,
        .strategy = x->strategy,
        .param = x->param,
        .seed = x->seed,
        .order_flags = x->order_flags,
        .engine = x->engine,
        .hunted = true,
        .pair = { { .module = p->module_a, .value = p->index_a },
                  { .module = p->module_b, .value = p->index_b } },
        .run = run,
    };

    return burl_cover_keep(h->s->cover, &k, err);
}

static enum burl_status
on_kept(void *arg, const struct burl_run *run, const struct burl_hunt_exec *x, struct burl_err *err)
{
    struct hunt *h = arg;

    return on_schedule(arg, &h->wanted, run, x, err);
}

static enum burl_status
on_outcome(void *arg, const struct burl_hunt_pair *p, enum burl_hunt_outcome outcome,
           uint64_t tries, const char *why, struct burl_err *err)
{
    static const char *const words[] = {
        [BURL_HUNT_UNTRIED] = "untried",
        [BURL_HUNT_COVERED] = "covered",
        [BURL_HUNT_NOT_COVERED] = "not covered",
        [BURL_HUNT_IMPOSSIBLE] = "impossible",
        [BURL_HUNT_GONE] = "gone",
    };
    struct hunt *h = arg;
    const struct burl_cover_pair *pair = &h->m.pairs.v[p->ref];
    const struct burl_store_cover_hunt row = {
        .a = { .module = p->module_a, .value = p->index_a },
        .b = { .module = p->module_b, .value = p->index_b },
        .outcome = (uint32_t)outcome,
        .tries = tries,
        .why = why,
    };

    if (outcome == BURL_HUNT_UNTRIED || outcome == BURL_HUNT_GONE)
        return BURL_OK;
    if (!h->s->opts->json && !h->s->opts->quiet) {
        burl_progress_clear(&h->s->progress);
        printf("%-11s ", words[outcome]);
        burl__cover_print_site(&h->m.sites.v[pair->a]);
        printf(" then ");
        burl__cover_print_site(&h->m.sites.v[pair->b]);
        if (tries == 0 && outcome == BURL_HUNT_COVERED)
            printf(" (covered on the way)");
        else
            printf(" (%llu tr%s)", (unsigned long long)tries, tries == 1 ? "y" : "ies");
        printf("%s%s\n", why[0] ? ": " : "", why);
        fflush(stdout);
    }
    return burl_cover_hunted(h->s->cover, &row, err);
}

static void
on_failed(void *arg, const struct burl_wire_verdict *v, const struct burl_hunt_exec *x)
{
    struct hunt *h = arg;

    (void)x;
    burl__cover_note_failure(h->s, v, 1);
}

static void
on_progress(void *arg, size_t pair, size_t n_pairs, uint64_t executions)
{
    struct hunt *h = arg;
    char execs[32];

    h->executions = executions;
    if (burl_progress_due(&h->s->progress))
        burl_progress_update(&h->s->progress, "pair %zu of %zu, %s executions", pair + 1, n_pairs,
                             burl_number(executions, execs));
}

/* ---- the sub-command --------------------------------------------------------------- */

static enum burl_status
run_hunt(struct hunt *h, struct burl_hunt_stats *stats, struct burl_err *err)
{
    const struct burl_campaign_config cc = burl__test_config(h->s->opts, 0, h->s->argv);
    const struct burl_hunt_config cfg = {
        .argv = cc.argv,
        .engine = cc.engine,
        .reset = cc.reset,
        .jobs = cc.jobs,
        .tries = h->s->opts->tries,
        .exhaustive = h->s->opts->exhaustive,
        .exhaustive_runs = h->s->opts->runs > 0 ? h->s->opts->runs : EXHAUSTIVE_RUNS,
        .seed = cc.seed,
        /* The tries are the budget, unless the user gives a time. */
        .time_ms = h->s->opts->given[BURL_OPT_time] ? cc.time_ms : 0,
        .max_steps = cc.max_steps,
        .exec_timeout_ms = cc.exec_timeout_ms,
        .interrupt = cc.interrupt,
    };
    const struct burl_hunt_hooks hooks = {
        .arg = h,
        .ready = on_ready,
        .loaded = on_loaded,
        .covered = on_covered,
        .kept = on_kept,
        .schedule = on_schedule,
        .outcome = on_outcome,
        .failed = on_failed,
        .progress = on_progress,
    };
    struct burl_err late;
    enum burl_status st;

    h->started_ms = burl_target_now_ms();
    st = burl_cover_hunt(&cfg, h->pairs.v, h->pairs.n, &hooks, stats, err);
    burl_progress_clear(&h->s->progress);
    if (h->s->campaign == 0)
        return st;
    return burl_err_first(
        st, err,
        burl__cover_flush_last(h->s, stats->executions, stats->wall_ms, 0, stats->engine, &late),
        &late);
}

static enum burl_status
prepare_hunt(struct hunt *h, struct burl_err *err)
{
    struct burl_cover_session *s = h->s;
    enum burl_status st = burl__cover_open(s, s->argc > 0 ? s->argv[0] : NULL, true, err);

    if (st == BURL_OK && s->argc == 0)
        st = take_stored_command(h, err);
    if (st == BURL_OK)
        st = burl__cover_model(s, &h->m, &h->names, err);
    if (st != BURL_OK)
        return st;
    if (!h->m.has_target)
        return burl_err_set(err, BURL_E_TARGET, 0, "cannot hunt without a target: %s",
                            h->m.target_problem ? h->m.target_problem : "no location pairs");
    s->args_json = burl__test_args_json(s->argv + 1, s->argc - 1);
    s->options_json = burl__test_options_json(s->opts, BURL_ON_COVER);
    list_pairs(h);
    return BURL_OK;
}

static void
print_sums(const struct hunt *h, const struct burl_hunt_stats *st)
{
    char execs[32];

    if (h->s->opts->json || h->s->opts->quiet)
        return;
    printf("%zu pair%s hunted in %s executions: %llu covered, %llu not covered, %llu impossible, "
           "%llu untried\n",
           h->pairs.n, h->pairs.n == 1 ? "" : "s", burl_number(st->executions, execs),
           (unsigned long long)st->covered, (unsigned long long)st->not_covered,
           (unsigned long long)st->impossible, (unsigned long long)st->untried);
    if (st->search_complete)
        printf("exhaustive search complete: %s\n", burl_number(st->searched, execs));
    else if (st->search_why[0])
        printf("exhaustive search inconclusive: %s\n", st->search_why);
    printf("\n");
}

int
burl__cover_cmd_hunt(struct burl_cover_session *s)
{
    struct hunt h = { .s = s };
    struct burl_hunt_stats stats = { 0 };
    struct burl_store_totals totals = { 0 };
    struct burl_err err = { 0 };
    int code = BURL_EXIT_CLEAN;
    enum burl_status st;

    if (strcmp(s->opts->engine, "free") == 0)
        return burl_cli_usage(
            "cover",
            "burl cover hunt cannot be combined with --engine=free: it controls the threads");
    burl_cover_model_init(&h.m);
    burl_cli_catch_signals();
    st = prepare_hunt(&h, &err);
    if (st == BURL_OK && h.pairs.n > 0)
        st = run_hunt(&h, &stats, &err);
    if (st == BURL_OK) {
        print_sums(&h, &stats);
        burl__cover_say_failure(s);
        if (s->n_failed > 0)
            code = BURL_EXIT_FINDINGS;
        else if (stats.interrupted || (stats.search_why[0] && !stats.search_complete))
            code = BURL_EXIT_PROMISE;
        s->metrics = burl_cover_program(s->cover)->metrics;
        st = burl__cover_show(s, &code, &err);
    }
    totals.executions = stats.executions;
    totals.failures = stats.failures;
    totals.wall_ms = (uint64_t)stats.wall_ms;
    code =
        burl__cover_end(s, &totals, code, stats.interrupted ? "interrupted" : "hunted", st, &err);
    burl_cover_model_deinit(&h.m);
    free(h.names.sites);
    BURL_VEC_FREE(&h.pairs);
    for (size_t i = 0; i < h.stored_argv.n; i++)
        free(h.stored_argv.v[i]);
    BURL_VEC_FREE(&h.stored_argv);
    return code;
}
