/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/tune_json.c - the document of `burl tune --json`, docs/formats/tune-json.md.
 *
 * Runs in the host.
 */
#include "base/noise.h"
#include "base/proc.h"
#include "cli/suppressed.h"
#include "cli/tune_int.h"
#include "tune/seeds.h"

static void
put_number(struct burl_json_writer *w, const char *key, double x)
{
    char text[40];

    snprintf(text, sizeof text, "%.6g", x);
    burl_json_key(w, key);
    burl_json_raw(w, text);
}

static void
put_outcome(struct burl_json_writer *w, const struct burl_tune_outcome *o)
{
    static const char *const names[] = { "crashes", "exits", "deadlocks", "hangs", "checks" };

    burl_json_kv_u64(w, "executions", o->executions);
    burl_json_kv_u64(w, "errors", burl_tune_errors(o));
    for (int i = 0; i < BURL_TUNE_ERROR__N; i++)
        burl_json_kv_u64(w, names[i], o->errors[i]);
    burl_json_kv_u64(w, "cut", o->cut);
    burl_json_kv_u64(w, "warnings", o->warnings);
    burl_json_kv_u64(w, "avio", o->avio);
    burl_json_kv_u64(w, "hbpair", o->hbpair);
    burl_json_kv_u64(w, "synchro", o->synchro);
    burl_json_kv_u64(w, "goldilocks", o->goldi);
    burl_json_kv_u64(w, "goldilocks_weight", o->goldi_weight);
    burl_json_kv_u64(w, "fresh", o->fresh);
    burl_json_kv_i64(w, "wall_ms", o->wall_ms);
    burl_json_kv_i64(w, "cost_ms", o->cost_ms);
    burl_json_kv_u64(w, "places", o->noise.places);
    burl_json_kv_u64(w, "injected", o->noise.injected);
}

static void
put_genes(const struct burl_tune_session *t, struct burl_json_writer *w, const struct burl_genes *x)
{
    burl_json_kv_array(w, "genes");
    for (size_t i = 0; i < t->genome.n; i++)
        burl_json_i64(w, x->v[i]);
    burl_json_array_end(w);
}

static void
put_setting(const struct burl_tune_session *t, struct burl_json_writer *w,
            const struct burl_setting *best)
{
    struct burl_buf line = BURL_BUF_INIT;
    struct burl_wire_noise noise;
    char **command = burl__tune_command(t, &best->genes);

    burl__tune_best_noise(t, best, &noise);
    burl_noise_write_line(&line, &noise);
    put_genes(t, w, &best->genes);
    burl_json_kv_str(w, "noise", burl_buf_str(&line));
    burl_json_kv_array(w, "command");
    for (size_t i = 0; command[i]; i++)
        burl_json_str(w, command[i]);
    burl_json_array_end(w);
    burl_params_free_command(command);
    burl_buf_deinit(&line);
}

static void
put_seed(struct burl_json_writer *w, const struct burl_seed *s)
{
    burl_json_key(w, "seed");
    if (!s) {
        burl_json_null(w);
        return;
    }
    burl_json_object_begin(w);
    burl_json_kv_u64(w, "seed", s->seed);
    put_outcome(w, &s->outcome);
    burl_json_object_end(w);
}

static void
put_best(const struct burl_tune_session *t, struct burl_json_writer *w)
{
    const struct burl_setting *best = t->has_tuner ? burl_tuner_best(&t->tuner) : NULL;
    struct burl_tune_outcome all;

    burl_json_key(w, "best");
    if (!best) {
        burl_json_null(w);
        return;
    }
    all = burl_tuner_outcome(best);
    burl_json_object_begin(w);
    put_setting(t, w, best);
    put_number(w, "fitness", burl_tuner_value(&t->tuner, best));
    burl_json_kv_u64(w, "first", best->first);
    burl_json_kv_u64(w, "evaluations", best->n);
    burl_json_kv_u64(w, "finals", best->n_final);
    put_seed(w, burl_seeds_best(&t->tuner, &best->genes));
    put_outcome(w, &all);
    burl_json_kv_str(w, "file", t->out_path);
    burl_json_object_end(w);
}

static void
put_genome(const struct burl_tune_session *t, struct burl_json_writer *w)
{
    burl_json_kv_array(w, "genome");
    for (size_t i = 0; i < t->genome.n; i++) {
        burl_json_object_begin(w);
        burl_json_kv_str(w, "name", t->genome.v[i].name);
        burl_json_kv_i64(w, "min", t->genome.v[i].min);
        burl_json_kv_i64(w, "max", t->genome.v[i].max);
        burl_json_kv_bool(w, "ordinal", t->genome.v[i].ordinal);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

static void
put_evaluations(const struct burl_tune_session *t, struct burl_json_writer *w, const char *key,
                const struct burl_evaluation *v, size_t n)
{
    burl_json_kv_array(w, key);
    for (size_t i = 0; i < n; i++) {
        const struct burl_evaluation *e = &v[i];

        burl_json_object_begin(w);
        burl_json_kv_u64(w, "n", e->trial.final ? i : e->trial.n);
        if (!e->trial.final) {
            burl_json_kv_u64(w, "generation", e->trial.generation);
            burl_json_kv_u64(w, "slot", e->trial.slot);
            burl_json_kv_bool(w, "elite", e->trial.elite);
        }
        put_genes(t, w, &e->trial.genes);
        put_number(w, "fitness", e->fitness);
        put_outcome(w, &e->outcome);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

static void
put_findings(const struct burl_tune_session *t, struct burl_json_writer *w)
{
    burl_json_kv_array(w, "findings");
    for (size_t i = 0; i < t->findings.n; i++) {
        const struct burl_tune_finding *f = &t->findings.v[i];

        burl_json_object_begin(w);
        burl_json_kv_i64(w, "id", f->id);
        burl_json_kv_str(w, "kind", f->kind);
        burl_json_kv_u64(w, "shown", f->shown);
        burl_json_kv_u64(w, "of", t->n_before + t->n_executions);
        burl_json_kv_bool(w, "known_before", f->known_before);
        burl_json_key(w, "detail");
        burl_json_raw(w, f->json);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

void
burl__tune_print_json(const struct burl_tune_session *t, int exit_code, const struct burl_err *err,
                      FILE *out)
{
    struct burl_cli_json doc;
    struct burl_json_writer *w = burl_cli_json_begin(&doc);

    burl_json_kv_u64(w, "version", 1);
    burl_json_kv_str(w, "command", "tune");
    burl_json_kv_i64(w, "exit", exit_code);
    burl_json_kv_str(w, "error", err ? err->msg : NULL);
    burl_json_kv_str(w, "program", t->argv[0]);
    burl_json_kv_str(w, "build_id", t->free.build_id);
    burl_json_kv_i64(w, "campaign", t->free.campaign);
    burl_json_kv_str(w, "search", t->opts->search);
    burl_json_kv_str(w, "fitness", t->paper ? "f2" : t->opts->fitness);
    burl_json_kv_u64(w, "seed", t->search.seed);
    burl_json_kv_str(w, "end", t->end);
    burl_json_kv_i64(w, "wall_ms", burl_now_ms() - t->started_ms);
    burl_json_kv_u64(w, "resumed", t->n_resumed);
    burl_json_kv_u64(w, "killed", t->n_killed);
    burl_json_key(w, "first_error_ms");
    if (t->first_error_ms >= 0)
        burl_json_i64(w, t->first_error_ms);
    else
        burl_json_null(w);
    burl_json_kv_object(w, "plain");
    burl_json_kv_u64(w, "executions", t->plain.n);
    burl_json_kv_u64(w, "errors", t->plain.failed);
    burl_json_kv_i64(w, "slowest_ms", t->plain.slowest_ms);
    burl_json_kv_i64(w, "cost_ms", t->plain.floor_ms);
    burl_json_object_end(w);
    burl_json_kv_bool(w, "shared_variables", !t->no_shared);
    burl_json_kv_u64(w, "warnings", t->seen.n_warnings);
    burl_json_kv_u64(w, "tasks", t->seen.n_items);
    burl_json_kv_object(w, "total");
    put_outcome(w, &t->tuner.total);
    burl_json_object_end(w);
    put_best(t, w);
    put_genome(t, w);
    put_evaluations(t, w, "evaluations", t->tuner.done.v, t->tuner.done.n);
    put_evaluations(t, w, "finals", t->tuner.finals.v, t->tuner.finals.n);
    put_findings(t, w);
    burl__json_suppressed(t->free.rules, w);
    burl_cli_json_end(&doc, out);
}
