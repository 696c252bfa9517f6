/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/tune_state.c - a search in the store: recalled, recorded, saved after each evaluation.
 *
 * Runs in the host.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/tune_int.h"
#include "report/finding/finding.h"
#include "store/tune.h"
#include "tune/finals.h"
#include "tune/seeds.h"

/* ---- between structs --------------------------------------------------------------- */

static struct burl_store_evaluation
to_row(const struct burl_evaluation *e, const char *genes, const char *fitness)
{
    const struct burl_tune_outcome *o = &e->outcome;

    return (struct burl_store_evaluation){
        .n = (int64_t)e->trial.n,
        .generation = e->trial.generation,
        /* The seed of a seed trial, 1 to BURL_SEEDS, and else a place in the population. */
        .slot = e->trial.seed != 0 ? (uint32_t)e->trial.seed : e->trial.slot,
        .elite = e->trial.elite,
        .genes = genes,
        .fitness = fitness,
        .executions = o->executions,
        .cut = o->cut,
        .crashes = o->errors[BURL_TUNE_ERROR_CRASH],
        .exits = o->errors[BURL_TUNE_ERROR_EXIT],
        .deadlocks = o->errors[BURL_TUNE_ERROR_DEADLOCK],
        .hangs = o->errors[BURL_TUNE_ERROR_HANG],
        .checks = o->errors[BURL_TUNE_ERROR_CHECK],
        .warnings = o->warnings,
        .avio = o->avio,
        .hbpair = o->hbpair,
        .synchro = o->synchro,
        .goldi = o->goldi,
        .goldi_weight = o->goldi_weight,
        .fresh = o->fresh,
        .wall_ms = o->wall_ms,
        .cost_ms = o->cost_ms,
        .places = o->noise.places,
        .injected = o->noise.injected,
        .halted = o->noise.halted,
        .tampered = o->noise.tampered,
    };
}

static struct burl_tune_outcome
from_row(const struct burl_store_evaluation *x)
{
    return (struct burl_tune_outcome){
        .executions = x->executions,
        .cut = x->cut,
        .errors = { [BURL_TUNE_ERROR_CRASH] = x->crashes,
                    [BURL_TUNE_ERROR_EXIT] = x->exits,
                    [BURL_TUNE_ERROR_DEADLOCK] = x->deadlocks,
                    [BURL_TUNE_ERROR_HANG] = x->hangs,
                    [BURL_TUNE_ERROR_CHECK] = x->checks },
        .warnings = x->warnings,
        .avio = x->avio,
        .hbpair = x->hbpair,
        .synchro = x->synchro,
        .goldi = x->goldi,
        .goldi_weight = x->goldi_weight,
        .fresh = x->fresh,
        .wall_ms = x->wall_ms,
        .cost_ms = x->cost_ms,
        .noise = { x->places, x->injected, x->halted, x->tampered },
    };
}

/* ---- recalling --------------------------------------------------------------------- */

static struct burl_store_search
key_of(const struct burl_tune_session *t, const char *args)
{
    return (struct burl_store_search){
        .path = t->path, .args = args, .build_id = t->free.build_id, .options = t->key_json
    };
}

static void
on_name(void *arg, const struct burl_store_tune_name *x)
{
    struct burl_tune_session *t = arg;

    burl_tune_seen_add(&t->seen, &(struct burl_tune_name){ x->name, x->weight, x->warning });
}

static void
on_mark(void *arg, const struct burl_store_tune_mark *x)
{
    struct burl_tune_session *t = arg;

    burl_marks_add(&t->marks, x->module, x->ix, x->marks);
}

static void
on_finding(void *arg, const struct burl_store_tune_finding *x)
{
    struct burl_tune_session *t = arg;

    BURL_VEC_PUSH(&t->earlier, (struct burl_tune_earlier){ x->finding, x->shown });
}

static enum burl_status
read_shape(struct burl_tune_session *t, const char *json, struct burl_err *err)
{
    struct burl_json_value *v;
    const enum burl_status st = burl_json_parse(&v, json, strlen(json), err);

    if (st != BURL_OK)
        return burl_err_prefix(err, "the stored search is damaged; begin anew with --restart");
    t->no_shared = !burl_json_as_bool(burl_json_get(v, "shared"), true);
    t->has_suspects = burl_json_as_bool(burl_json_get(v, "suspects"), false);
    t->has_pairs = burl_json_as_bool(burl_json_get(v, "pairs"), false);
    burl_json_free(v);
    return BURL_OK;
}

static enum burl_status
take_row(struct burl_tune_session *t, const struct burl_store_search *x, struct burl_err *err)
{
    enum burl_status st = read_shape(t, x->genome, err);

    t->search_id = x->id;
    t->plain.n = (uint32_t)x->plain_n;
    t->plain.failed = (uint32_t)x->plain_failed;
    t->plain.slowest_ms = x->plain_ms;
    t->plain.floor_ms = x->floor_ms;
    t->run_ms = x->run_ms;
    if (st == BURL_OK)
        st = burl_store_tune_names(t->free.store, x->id, on_name, t, err);
    if (st == BURL_OK)
        st = burl_store_tune_marks(t->free.store, x->id, on_mark, t, err);
    if (st == BURL_OK)
        st = burl_store_tune_findings(t->free.store, x->id, on_finding, t, err);
    return st;
}

/* --resume and nothing to go on with: says what the store has instead. */
static enum burl_status
refuse(struct burl_tune_session *t, struct burl_err *err)
{
    struct burl_store_search last;
    bool found;
    enum burl_status st = burl_store_search_last(t->free.store, &found, &last, err);

    if (st != BURL_OK)
        return st;
    if (!found)
        st = burl_err_set(err, BURL_E_USAGE, 0, "--resume: %s has no search to go on with",
                          t->opts->dir);
    else if (strcmp(last.path, t->path) != 0)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "--resume: the last search in %s is of another program, %s", t->opts->dir,
                          last.path);
    else if (strcmp(last.build_id, t->free.build_id) != 0)
        st =
            burl_err_set(err, BURL_E_USAGE, 0,
                         "--resume: %s was rebuilt since the last search in %s; leave out --resume "
                         "to begin a new one",
                         t->argv[0], t->opts->dir);
    else
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "--resume: the last search of %s in %s had other arguments or options: "
                          "%s %.300s",
                          t->argv[0], t->opts->dir, last.args, last.options);
    burl_store_search_deinit(&last);
    return st;
}

enum burl_status
burl__tune_recall(struct burl_tune_session *t, bool *found, struct burl_err *err)
{
    char *args = burl__test_args_json(t->argv + 1, t->argc - 1);
    const struct burl_store_search key = key_of(t, args);
    struct burl_store_search x = { 0 };
    enum burl_status st = BURL_OK;

    *found = false;
    if (!t->opts->restart)
        st = burl_store_search_get(t->free.store, &key, found, &x, err);
    if (st == BURL_OK && *found)
        st = take_row(t, &x, err);
    else if (st == BURL_OK && t->opts->resume)
        st = refuse(t, err);
    burl_store_search_deinit(&x);
    free(args);
    return st;
}

struct replay {
    struct burl_tune_session *t;
    bool refused;
};

static void
on_evaluation(void *arg, const struct burl_store_evaluation *x)
{
    struct replay *r = arg;
    const struct burl_tune_outcome o = from_row(x);
    struct burl_genes genes;

    if (r->refused || !burl_genes_read(&r->t->genome, x->genes, &genes))
        r->refused = true;
    else if ((uint64_t)x->n >= BURL_SEEDS_BASE)
        r->refused = !burl_seeds_recall(&r->t->tuner, &genes, x->slot, &o);
    else if ((uint64_t)x->n >= BURL_FINALS_BASE)
        r->refused = !burl_finals_recall(&r->t->tuner, &genes, &o);
    else
        r->refused = !burl_tuner_recall(&r->t->tuner, &genes, &o);
}

enum burl_status
burl__tune_replay(struct burl_tune_session *t, struct burl_err *err)
{
    struct replay r = { .t = t };
    enum burl_status st =
        burl_store_evaluations(t->free.store, t->search_id, on_evaluation, &r, err);

    t->n_resumed = t->tuner.done.n;
    if (st == BURL_OK && r.refused)
        st = burl_err_set(err, BURL_E_FORMAT, 0,
                          "the stored search cannot be continued: evaluation %zu is not what this "
                          "burl would have tried; begin anew with --restart",
                          t->tuner.done.n);
    return st;
}

/* ---- recording --------------------------------------------------------------------- */

enum burl_status
burl__tune_record(struct burl_tune_session *t, struct burl_err *err)
{
    char *args = burl__test_args_json(t->argv + 1, t->argc - 1);
    struct burl_store_search x = key_of(t, args);
    char genome[128];
    enum burl_status st;

    snprintf(genome, sizeof genome, "{\"shared\": %s, \"suspects\": %s, \"pairs\": %s}",
             t->no_shared ? "false" : "true", t->has_suspects ? "true" : "false",
             t->has_pairs ? "true" : "false");
    x.genome = genome;
    x.plain_n = t->plain.n;
    x.plain_failed = t->plain.failed;
    x.plain_ms = t->plain.slowest_ms;
    x.floor_ms = t->plain.floor_ms;
    x.run_ms = t->run_ms;
    st = burl_store_search_begin(t->free.store, &x, &t->search_id, err);
    free(args);
    return st;
}

struct marks {
    BURL_VEC_OF(struct burl_store_tune_mark);
};

static void
add_mark(void *arg, const struct burl_mark *x)
{
    struct marks *m = arg;

    BURL_VEC_PUSH(m, (struct burl_store_tune_mark){ x->module, x->index, x->marks });
}

uint64_t
burl__tune_shown(const struct burl_tune_session *t, const struct burl_kept *k)
{
    for (size_t i = 0; i < t->earlier.n; i++) {
        if (t->earlier.v[i].id == k->id)
            return t->earlier.v[i].shown + k->shown;
    }
    return k->shown;
}

/* Writes a step with the findings as they are now. */
static enum burl_status
save_step(struct burl_tune_session *t, struct burl_store_tune_step *step, struct burl_err *err)
{
    BURL_VEC(struct burl_store_tune_finding) found = { 0 };
    enum burl_status st;

    for (size_t i = 0; i < t->free.kept.n; i++) {
        const struct burl_kept *k = &t->free.kept.v[i];

        BURL_VEC_PUSH(&found, (struct burl_store_tune_finding){ k->id, burl__tune_shown(t, k),
                                                                k->facts.count - k->stored });
    }
    step->findings = found.v;
    step->n_findings = found.n;
    st = burl_store_search_step(t->free.store, t->search_id, step, err);
    for (size_t i = 0; i < t->free.kept.n && st == BURL_OK; i++)
        t->free.kept.v[i].stored = t->free.kept.v[i].facts.count;
    BURL_VEC_FREE(&found);
    return st;
}

enum burl_status
burl__tune_save_findings(struct burl_tune_session *t, struct burl_err *err)
{
    struct burl_store_tune_step step = { 0 };

    return t->search_id != 0 && t->free.store ? save_step(t, &step, err) : BURL_OK;
}

enum burl_status
burl__tune_save(struct burl_tune_session *t, const struct burl_evaluation *e,
                const struct burl_tally *tally, struct burl_err *err)
{
    BURL_VEC(struct burl_store_tune_name) names = { 0 };
    struct marks marks = { 0 };
    char genes[BURL_GENES_MAX * 12];
    char fitness[32];
    struct burl_store_evaluation row;
    struct burl_store_tune_step step = { .evaluation = &row };
    enum burl_status st;

    burl_genes_write(&t->genome, &e->trial.genes, genes, sizeof genes);
    snprintf(fitness, sizeof fitness, "%.17g", e->fitness);
    row = to_row(e, genes, fitness);
    for (size_t i = 0; i < tally->in_order.n; i++)
        BURL_VEC_PUSH(&names, (struct burl_store_tune_name){ tally->in_order.v[i].name,
                                                             tally->in_order.v[i].weight,
                                                             tally->in_order.v[i].warning });
    burl_marks_each(&t->marks, add_mark, &marks);
    step.names = names.v;
    step.n_names = names.n;
    step.marks = marks.v;
    step.n_marks = marks.n;
    st = save_step(t, &step, err);
    BURL_VEC_FREE(&names);
    BURL_VEC_FREE(&marks);
    return st;
}

/* ---- all findings ------------------------------------------------------------------ */

static enum burl_status
add_earlier(struct burl_tune_session *t, const struct burl_tune_earlier *e, struct burl_err *err)
{
    struct burl_store_finding row = { 0 };
    enum burl_status st;

    for (size_t i = 0; i < t->free.kept.n; i++) {
        if (t->free.kept.v[i].id == e->id)
            return BURL_OK;
    }
    st = burl_store_finding_get(t->free.store, e->id, &row, err);
    if (st == BURL_OK)
        BURL_VEC_PUSH(&t->findings, (struct burl_tune_finding){
                                        .id = e->id,
                                        .kind = burl_xstrdup(row.kind),
                                        .title = burl_xstrdup(row.title ? row.title : ""),
                                        .json = burl_xstrdup(row.json ? row.json : "null"),
                                        .shown = e->shown });
    burl_store_finding_deinit(&row);
    return st;
}

static bool
is_earlier(const struct burl_tune_session *t, int64_t id)
{
    bool found = false;

    for (size_t i = 0; i < t->earlier.n; i++)
        found |= t->earlier.v[i].id == id;
    return found;
}

static int
by_number(const void *a, const void *b)
{
    const int64_t x = ((const struct burl_tune_finding *)a)->id;
    const int64_t y = ((const struct burl_tune_finding *)b)->id;

    return x < y ? -1 : x > y;
}

enum burl_status
burl__tune_list_findings(struct burl_tune_session *t, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < t->free.kept.n; i++) {
        const struct burl_kept *k = &t->free.kept.v[i];

        BURL_VEC_PUSH(&t->findings, (struct burl_tune_finding){
                                        .id = k->id,
                                        .kind = burl_xstrdup(k->kind),
                                        .title = burl_xstrdup(k->finding->title),
                                        .json = burl_xstrdup(k->json),
                                        .shown = burl__tune_shown(t, k),
                                        .known_before = k->known_before && !is_earlier(t, k->id) });
    }
    for (size_t i = 0; i < t->earlier.n && st == BURL_OK; i++)
        st = add_earlier(t, &t->earlier.v[i], err);
    if (t->findings.n > 1)
        qsort(t->findings.v, t->findings.n, sizeof *t->findings.v, by_number);
    return st;
}

void
burl__tune_drop_findings(struct burl_tune_session *t)
{
    for (size_t i = 0; i < t->findings.n; i++) {
        free(t->findings.v[i].kind);
        free(t->findings.v[i].title);
        free(t->findings.v[i].json);
    }
    BURL_VEC_FREE(&t->findings);
}
