/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/gen_summary.c - the summary of `burl gen`: text, JSON, page.
 */
#include <stdlib.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/gen_int.h"
#include "gen/search/matrix.h"

static const char *const stop_words[] = {
    [BURL_GEN_STOP_FOUND] = "found", [BURL_GEN_STOP_TESTS] = "tests",
    [BURL_GEN_STOP_TIME] = "time",   [BURL_GEN_STOP_INTERRUPTED] = "interrupted",
    [BURL_GEN_STOP_STUCK] = "stuck",
};

static void
put_numbers(const struct burl_gen_run *g, struct burl_buf *b)
{
    const struct burl_gen_stats *s = &g->stats;
    const struct burl_gen_pair_totals t = burl_gen_pairs_totals(&g->pairs);
    const double sec = (double)s->wall_ms / 1000.0;
    char n1[BURL_NUMBER_B];
    char c1[BURL_COUNT_B];
    char c2[BURL_COUNT_B];

    burl_buf_printf(b, "\n%s: %s, %zu of %s covered, %zu tried\n",
                    g->model.types.v[g->model.shared].name,
                    burl_count(g->pairs.n_methods, "function", c1), t.covered,
                    burl_count(g->pairs.pair.n, "pair", c2), t.tried);
    burl_buf_printf(b, "  tests      %s, %s in %.1f s, %s/s\n", burl_number(s->tests, n1),
                    burl_count(s->executions, "execution", c1), sec,
                    burl_count(sec > 0 ? (uint64_t)((double)s->tests / sec) : 0, "test", c2));
    if (s->explained > 0)
        burl_buf_printf(b, "  explained  %s that a sequential order of the calls explains\n",
                        burl_count(s->explained, "failing run", c1));
    if (s->not_decided > 0)
        burl_buf_printf(b, "  undecided  %s: %s\n", burl_count(s->not_decided, "run", c1),
                        s->why_not_decided);
    burl__gen_put_set_apart(s->unclean, s->unconfirmed, s->cut, b);
}

/* The remedy when nothing can be called: the lines for the model file. */
static void
put_stuck(const struct burl_gen_run *g, struct burl_buf *b)
{
    const struct burl_gen_stats *s = &g->stats;
    const int fn = s->build.rejected_fn;
    const struct burl_gen_fn *f = fn >= 0 ? &g->model.fns.v[fn] : NULL;

    burl_buf_printf(b, "  stopped    %s\n", s->why);
    if (f == NULL)
        return;
    if (f->params.n == 0) {
        burl_buf_printf(
            b,
            "             %s() takes nothing that a model file could state. If "
            "something must be there or\n"
            "             be called first, write a header with a static inline function "
            "that does it and\n"
            "             returns the object, and state:\n"
            "    include \"more.h\"\n    make more_new\n    skip %s\n",
            f->name, f->name);
        return;
    }
    burl_buf_printf(
        b, "             State what its arguments must be. These lines, corrected (\"fixed "
           "EXPRESSION\", \"int LO..HI\"),\n"
           "             in a file beside the header and named like it with .burl, or given "
           "with --model-file:\n");
    burl_gen_model_print_fn(&g->model, fn, b);
}

/* Functions that were to be called and never were. */
static void
put_never(const struct burl_gen_run *g, struct burl_buf *b)
{
    const struct burl_gen_stats *s = &g->stats;

    for (unsigned i = 0; i < s->build.n_never_called && i < BURL_GEN_NEVER_CALLED; i++)
        burl_buf_printf(b, "  no calls   of %s(): each fails sequentially; the last: %s\n",
                        g->model.fns.v[s->build.never_called[i].fn].name,
                        s->build.never_called[i].why);
    if (s->build.n_never_called > BURL_GEN_NEVER_CALLED)
        burl_buf_printf(b, "             and of %u more\n",
                        s->build.n_never_called - BURL_GEN_NEVER_CALLED);
}

static void
put_end(const struct burl_gen_run *g, struct burl_buf *b)
{
    const struct burl_gen_stats *s = &g->stats;

    if (g->found.n > 0)
        burl_buf_printf(b, "  findings   %zu; the first after %llu test%s, %.1f s\n", g->found.n,
                        (unsigned long long)s->first_tests, s->first_tests == 1 ? "" : "s",
                        (double)s->first_ms / 1000.0);
    else if (s->stop == BURL_GEN_STOP_STUCK)
        put_stuck(g, b);
    else
        burl_buf_printf(b, "  findings   none%s\n",
                        s->stop == BURL_GEN_STOP_INTERRUPTED ? " before the interrupt" : "");
    burl__gen_put_findings(g, b);
    burl__gen_put_files(g, b);
}

void
burl__gen_print_summary(const struct burl_gen_run *g)
{
    const struct burl_report_style style = burl__test_style(g->opts, stdout);
    struct burl_buf b = BURL_BUF_INIT;

    if (!g->opts->quiet) {
        put_numbers(g, &b);
        if (g->stats.stop != BURL_GEN_STOP_STUCK)
            put_never(g, &b);
    }
    if (!g->opts->quiet && g->stats.tests > 0) {
        burl_gen_matrix_text(&g->model, (struct burl_gen_pairs *)&g->pairs,
                             style.width > 0 ? style.width : 100, style.color, &b);
    }
    if (!g->opts->quiet || g->stats.stop == BURL_GEN_STOP_STUCK)
        put_end(g, &b);
    fwrite(burl_buf_str(&b), 1, b.n, stdout);
    fflush(stdout);
    burl_buf_deinit(&b);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void
json_pairs(struct burl_json_writer *w, const struct burl_gen_run *g)
{
    burl_json_kv_array(w, "pairs");
    for (size_t i = 0; i < g->pairs.pair.n; i++) {
        const struct burl_gen_pair *p = &g->pairs.pair.v[i];

        burl_json_object_begin(w);
        burl_json_kv_str(w, "a", g->model.fns.v[p->a].name);
        burl_json_kv_str(w, "b", g->model.fns.v[p->b].name);
        burl_json_kv_u64(w, "tried", p->tried);
        burl_json_kv_u64(w, "covered", p->covered);
        burl_json_kv_u64(w, "violations", p->violations);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

static void
json_stats(struct burl_json_writer *w, const struct burl_gen_run *g, bool failed)
{
    const struct burl_gen_stats *s = &g->stats;

    burl_json_kv_object(w, "stats");
    burl_json_kv_u64(w, "tests", s->tests);
    burl_json_kv_u64(w, "executions", s->executions);
    burl_json_kv_u64(w, "sequential", g->exec ? burl_gen_exec_n_sequential(g->exec) : 0);
    burl_json_kv_u64(w, "rejected", s->build.rejected);
    burl_json_kv_u64(w, "not_built", s->failed_makes);
    burl_json_kv_u64(w, "explained", s->explained);
    burl_json_kv_u64(w, "not_decided", s->not_decided);
    burl_json_kv_u64(w, "unconfirmed", s->unconfirmed);
    burl_json_kv_u64(w, "cut", s->cut);
    burl_json_kv_u64(w, "set_apart", s->unclean);
    burl_json_kv_u64(w, "kept", s->kept);
    burl_json_kv_i64(w, "wall_ms", s->wall_ms);
    if (s->first_ms >= 0) {
        burl_json_kv_i64(w, "first_ms", s->first_ms);
        burl_json_kv_u64(w, "first_tests", s->first_tests);
    }
    burl_json_kv_str(w, "stop", failed ? "failed" : stop_words[s->stop]);
    if (s->why[0] != '\0')
        burl_json_kv_str(w, "why", s->why);
    burl_json_object_end(w);
}

void
burl__gen_print_json(const struct burl_gen_run *g, int exit_code, const struct burl_err *err)
{
    struct burl_cli_json doc;
    struct burl_json_writer *w = burl_cli_json_begin(&doc);

    burl__gen_json_head(w, g, exit_code, err);
    if (g->model.types.n > 0)
        burl_json_kv_str(w, "shared", g->model.types.v[g->model.shared].name);
    json_stats(w, g, err != NULL);
    burl_json_kv_array(w, "not_called");
    for (unsigned i = 0; i < g->stats.build.n_never_called && i < BURL_GEN_NEVER_CALLED; i++) {
        burl_json_object_begin(w);
        burl_json_kv_str(w, "function", g->model.fns.v[g->stats.build.never_called[i].fn].name);
        burl_json_kv_str(w, "why", g->stats.build.never_called[i].why);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    burl__gen_json_findings(w, g);
    burl_json_kv_array(w, "curve");
    for (size_t i = 0; i < g->curve.n; i++) {
        burl_json_object_begin(w);
        burl_json_kv_u64(w, "tests", g->curve.v[i].tests);
        burl_json_kv_i64(w, "ms", g->curve.v[i].ms);
        burl_json_kv_u64(w, "covered", g->curve.v[i].covered);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    json_pairs(w, g);
    burl_cli_json_end(&doc, stdout);
}

/* ---- page ---------------------------------------------------------------------------------- */

enum burl_status
burl__gen_write_html(const struct burl_gen_run *g, struct burl_err *err)
{
    const char **titles = burl_xcalloc(g->found.n + 1, sizeof *titles);
    const struct burl_gen_page page = { .model = &g->model,
                                        .pairs = (struct burl_gen_pairs *)&g->pairs,
                                        .stats = &g->stats,
                                        .curve = &g->curve,
                                        .findings = titles,
                                        .n_findings = g->found.n };
    struct burl_buf b = BURL_BUF_INIT;
    enum burl_status st;

    for (size_t i = 0; i < g->found.n; i++)
        titles[i] = g->found.v[i].title;
    burl_gen_matrix_html(&page, &b);
    st = burl_fs_mkdir_p(g->opts->html, err);
    if (st == BURL_OK)
        st = burl_fs_write_in(g->opts->html, "index.html", burl_buf_str(&b), b.n, err);
    burl_buf_deinit(&b);
    free(titles);
    return st;
}
