/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/synth_json.c - the document of `burl synth --json`: docs/formats/synth-json.md.
 */
#include <stdlib.h>

#include "cli/gen_int.h"
#include "cli/interrupt.h"
#include "synth/explain.h"

static void
json_phases(struct burl_json_writer *w, const struct burl_synth *s)
{
    uint64_t by_result[BURL_SYNTH_HARMFUL + 1] = { 0 };

    for (size_t i = 0; i < s->tests.n; i++)
        by_result[s->tests.v[i].result]++;
    burl_json_kv_object(w, "phases");
    burl_json_kv_u64(w, "functions", s->m != NULL ? burl__synth_n_functions(s) : 0);
    burl_json_kv_u64(w, "seeds", s->x != NULL ? burl_gen_exec_n_seeds(s->x) : 0);
    burl_json_kv_u64(w, "calls", s->stats.calls);
    burl_json_kv_u64(w, "accesses", s->table.n_accesses);
    burl_json_kv_u64(w, "dependencies", s->table.deps.n);
    burl_json_kv_u64(w, "raw_pairs", s->stats.raw);
    burl_json_kv_u64(w, "raw_pairs_left_out", s->pairs.n_left_out);
    burl_json_kv_u64(w, "unique_pairs", s->stats.unique);
    burl_json_kv_u64(w, "feasible_pairs", s->stats.feasible);
    burl_json_kv_u64(w, "lock_pairs", s->lock_pairs.n);
    burl_json_kv_u64(w, "tests", s->tests.n);
    burl_json_kv_u64(w, "tests_run", s->stats.n_run);
    burl_json_kv_u64(w, "executions", s->stats.executions);
    burl_json_kv_u64(w, "met", s->stats.n_met);
    burl_json_kv_u64(w, "harmful", by_result[BURL_SYNTH_HARMFUL]);
    burl_json_kv_u64(w, "benign", by_result[BURL_SYNTH_BENIGN]);
    burl_json_kv_u64(w, "not_met", by_result[BURL_SYNTH_NOT_MET]);
    burl_json_kv_u64(w, "undecided", by_result[BURL_SYNTH_NOT_DECIDED]);
    burl_json_kv_i64(w, "wall_ms", s->stats.wall_ms);
    burl_json_object_end(w);
}

static void
json_seeds(struct burl_json_writer *w, const struct burl_synth *s)
{
    burl_json_kv_array(w, "seeds");
    for (size_t i = 0; s->x != NULL && i < burl_gen_exec_n_seeds(s->x); i++) {
        uint64_t n = 0;

        for (size_t k = 0; k < s->log.calls.n; k++)
            n += (size_t)s->log.calls.v[k].seed == i;
        burl_json_object_begin(w);
        burl_json_kv_str(w, "source", burl_gen_exec_seed_source(s->x, i));
        burl_json_kv_u64(w, "calls", n);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

/* How many pairs were kept or dropped, and why. */
static void
json_fates(struct burl_json_writer *w, const struct burl_synth *s)
{
    uint64_t by_fate[BURL_SYNTH_NO_SETTER + 1] = { 0 };

    for (size_t i = 0; i < s->pairs.n; i++)
        by_fate[s->pairs.v[i].fate]++;
    burl_json_kv_object(w, "pairs");
    for (int i = 0; i <= BURL_SYNTH_NO_SETTER; i++)
        burl_json_kv_u64(w, burl_synth_fate_name((enum burl_synth_fate)i), by_fate[i]);
    burl_json_kv_object(w, "no_test");
    for (int i = BURL_SYNTH_UNWRITTEN; i <= BURL_SYNTH_TOO_LONG; i++)
        burl_json_kv_u64(w, burl_synth_built_name((enum burl_synth_built)i), s->stats.by_built[i]);
    burl_json_object_end(w);
    burl_json_object_end(w);
}

static void
json_calls(struct burl_json_writer *w, const struct burl_synth *s, const struct burl_gen_test *t,
           const struct burl_gen_calls *calls)
{
    burl_json_array_begin(w);
    for (size_t i = 0; i < calls->n; i++) {
        struct burl_buf b = BURL_BUF_INIT;

        burl_gen_call_print(s->m, t, &calls->v[i], calls->v[i].slot >= 0, &b);
        burl_json_str(w, burl_buf_str(&b));
        burl_buf_deinit(&b);
    }
    burl_json_array_end(w);
}

static void
json_test(struct burl_json_writer *w, const struct burl_synth *s, size_t at)
{
    const struct burl_synth_test *t = &s->tests.v[at];

    burl_json_object_begin(w);
    burl_json_kv_u64(w, "number", at + 1);
    burl_json_kv_str(w, "for", burl_synth_for_name(t->what));
    burl_json_key(w, "first");
    json_calls(w, s, &t->test, &t->test.prefix);
    burl_json_kv_array(w, "threads");
    for (unsigned k = 0; k < t->test.n_threads; k++)
        json_calls(w, s, &t->test, &t->test.threads[k]);
    burl_json_array_end(w);
    burl_json_kv_array(w, "pairs");
    for (size_t i = 0; i < burl_synth_test_n_pairs(s, at); i++)
        burl_json_u64(w, burl_synth_test_pair(s, at, i));
    burl_json_array_end(w);
    burl_json_kv_u64(w, "met", t->met);
    burl_json_kv_str(w, "result", burl_synth_result_name(t->result));
    if (t->why[0])
        burl_json_kv_str(w, "why", t->why);
    burl_json_kv_array(w, "findings");
    for (size_t i = 0; i < t->findings.n; i++)
        burl_json_i64(w, t->findings.v[i]);
    burl_json_array_end(w);
    burl_json_object_end(w);
}

/* --explain: the text of each pair. */
static void
json_explained(struct burl_json_writer *w, const struct burl_synth *s,
               const struct burl_synth_asked *asked)
{
    const size_t n = asked->all ? burl_synth_n_pairs(s) : asked->pairs.n;

    burl_json_kv_array(w, "explained");
    for (size_t i = 0; i < n; i++) {
        const size_t number = asked->all ? i + 1 : asked->pairs.v[i];
        const bool is_row = number <= s->pairs.n;
        const struct burl_synth_planned *planned = &s->planned.v[number - 1];
        struct burl_buf b = BURL_BUF_INIT;

        burl_synth_explain(s, burl_gen_exec_sites(s->x), number, &b);
        burl_json_object_begin(w);
        burl_json_kv_u64(w, "number", number);
        burl_json_kv_str(
            w, "for",
            burl_synth_for_name(is_row ? s->pairs.v[number - 1].what : BURL_SYNTH_DEADLOCK));
        burl_json_kv_str(
            w, "fate",
            burl_synth_fate_name(is_row ? s->pairs.v[number - 1].fate : BURL_SYNTH_KEPT));
        if (planned->test != BURL_SYNTH_NO_TEST)
            burl_json_kv_u64(w, "test", planned->test + 1);
        burl_json_kv_str(w, "text", burl_buf_str(&b));
        burl_json_object_end(w);
        burl_buf_deinit(&b);
    }
    burl_json_array_end(w);
}

void
burl__synth_print_json(const struct burl_gen_run *g, const struct burl_synth *s,
                       const struct burl_gen_violations *v, const struct burl_synth_asked *asked,
                       int exit_code, const struct burl_err *err)
{
    struct burl_cli_json doc;
    struct burl_json_writer *w = burl_cli_json_begin(&doc);

    burl__gen_json_head(w, g, exit_code, err);
    burl_json_kv_str(w, "stop",
                     err != NULL                ? "failed"
                     : burl_cli_interrupts != 0 ? "interrupted"
                     : s->stats.is_cut          ? "time"
                                                : "done");
    json_phases(w, s);
    json_seeds(w, s);
    json_fates(w, s);
    burl_json_kv_u64(w, "set_apart", v->unclean);
    burl_json_kv_u64(w, "unconfirmed", v->unconfirmed);
    burl_json_kv_u64(w, "not_built", v->not_built);
    burl_json_kv_u64(w, "cut", v->cut);
    burl_json_kv_array(w, "tests");
    for (size_t i = 0; i < s->tests.n; i++)
        json_test(w, s, i);
    burl_json_array_end(w);
    json_explained(w, s, asked);
    burl__gen_json_findings(w, g);
    burl_cli_json_end(&doc, stdout);
}
