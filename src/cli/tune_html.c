/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/tune_html.c - `burl tune --html=DIR`: DIR/index.html.
 *
 * Runs in the host.
 */
#include <stdlib.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/noise.h"
#include "cli/tune_int.h"
#include "report/tune/tune_page.h"

struct lines {
    BURL_VEC_OF(struct burl_tune_line); /* texts are owned */
};

static void add(struct lines *l, const char *label, const char *fmt, ...) BURL_PRINTF(3, 4);

static void
add(struct lines *l, const char *label, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    BURL_VEC_PUSH(l, (struct burl_tune_line){ burl_xstrdup(label), burl_xvasprintf(fmt, ap) });
    va_end(ap);
}

static void
drop(struct lines *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free((char *)l->v[i].label);
        free((char *)l->v[i].text);
    }
    BURL_VEC_FREE(l);
}

static void
add_summary(const struct burl_tune_session *t, struct lines *l)
{
    const struct burl_tune_outcome *all = &t->tuner.total;
    struct burl_buf words = BURL_BUF_INIT;
    struct burl_buf command = BURL_BUF_INIT;

    for (int i = 0; i < t->argc; i++)
        burl_buf_printf(&command, "%s%s", i > 0 ? " " : "", t->argv[i]);
    burl__tune_errors_words(all->errors, &words);
    add(l, "program", "%s", burl_buf_str(&command));
    add(l, "search", "%s, seed %llu, %zu evaluations, %u executions", t->opts->search,
        (unsigned long long)t->search.seed, t->tuner.done.n, all->executions);
    add(l, "plain runs", "%u of %u failed, %lld ms each", t->plain.failed, t->plain.n,
        (long long)t->plain.floor_ms);
    add(l, "errors", "%u%s%s", burl_tune_errors(all), words.n > 0 ? ": " : "",
        burl_buf_str(&words));
    add(l, "warnings", "%u", t->seen.n_warnings);
    add(l, "coverage", "%u tasks", t->seen.n_items);
    burl_buf_deinit(&words);
    burl_buf_deinit(&command);
}

static void
add_findings(const struct burl_tune_session *t, struct lines *l)
{
    for (size_t i = 0; i < t->findings.n; i++) {
        const struct burl_tune_finding *f = &t->findings.v[i];
        char label[80];

        snprintf(label, sizeof label, "#%lld %s", (long long)f->id, f->kind);
        add(l, label, "%s; in %llu of %llu executions", f->title, (unsigned long long)f->shown,
            (unsigned long long)(t->n_before + t->n_executions));
    }
}

static void
fill_points(const struct burl_tune_session *t, struct burl_tune_point *points)
{
    for (size_t i = 0; i < t->tuner.done.n; i++) {
        const struct burl_evaluation *e = &t->tuner.done.v[i];

        points[i] = (struct burl_tune_point){ .generation = e->trial.generation,
                                              .elite = e->trial.elite,
                                              .errors = burl_tune_errors(&e->outcome),
                                              .fresh = e->outcome.fresh,
                                              .fitness = e->fitness,
                                              .genes = e->trial.genes.v };
    }
}

static void
render(const struct burl_tune_session *t, struct burl_tune_page *page, struct burl_buf *out)
{
    const struct burl_setting *best = burl_tuner_best(&t->tuner);
    struct burl_tune_axis axes[BURL_GENES_MAX];
    struct burl_buf setting = BURL_BUF_INIT;
    struct burl_buf words = BURL_BUF_INIT;
    struct burl_wire_noise noise;

    for (size_t i = 0; i < t->genome.n; i++)
        axes[i] =
            (struct burl_tune_axis){ t->genome.v[i].name, t->genome.v[i].min, t->genome.v[i].max };
    page->genes = axes;
    page->n_genes = t->genome.n;
    if (best) {
        burl__tune_best_noise(t, best, &noise);
        burl_noise_write_line(&setting, &noise);
        burl_noise_write_words(&words, &noise);
        page->setting = burl_buf_str(&setting);
        page->words = burl_buf_str(&words);
        page->best = best->genes.v;
    }
    burl_tune_page_render(page, out);
    burl_buf_deinit(&setting);
    burl_buf_deinit(&words);
}

enum burl_status
burl__tune_write_html(const struct burl_tune_session *t, struct burl_err *err)
{
    struct burl_tune_point *points = burl_xcalloc(t->tuner.done.n + 1, sizeof *points);
    struct lines summary = { 0 };
    struct lines findings = { 0 };
    struct burl_buf out = BURL_BUF_INIT;
    struct burl_buf title = BURL_BUF_INIT;
    struct burl_tune_page page;
    enum burl_status st;

    add_summary(t, &summary);
    add_findings(t, &findings);
    fill_points(t, points);
    burl_buf_printf(&title, "burl tune %s", t->argv[0]);
    page = (struct burl_tune_page){ .title = burl_buf_str(&title),
                                    .lines = summary.v,
                                    .n_lines = summary.n,
                                    .points = points,
                                    .n_points = t->tuner.done.n,
                                    .findings = findings.v,
                                    .n_findings = findings.n };
    render(t, &page, &out);
    st = burl_fs_mkdir_p(t->opts->html, err);
    if (st == BURL_OK)
        st = burl_fs_write_in(t->opts->html, "index.html", burl_buf_str(&out), out.n, err);
    burl_buf_deinit(&out);
    burl_buf_deinit(&title);
    drop(&summary);
    drop(&findings);
    free(points);
    return st;
}
