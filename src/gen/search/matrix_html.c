/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/search/matrix_html.c - the same triangle as a page of its own: no script, no other file.
 *
 * Each cell has its words as a title and as text for readers that do not see colors.
 */
#include "gen/search/matrix.h"

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem;max-width:90rem;color:#222;"
    "background:#fff}"
    "table{border-collapse:collapse;font-size:13px}"
    "th{font-weight:400;text-align:right;padding:1px 6px;white-space:nowrap}"
    "thead th{writing-mode:vertical-rl;text-align:left;padding:6px 1px}"
    "td{width:22px;height:22px;text-align:center;border:1px solid #ddd}"
    ".untried{background:#fafafa;color:#999}.tried{background:#fff3cd}"
    ".covered{background:#d4edda}.violated{background:#c82333;color:#fff;font-weight:700}"
    "dl{display:grid;grid-template-columns:max-content auto;gap:.2rem 1rem}dd{margin:0}"
    "svg{max-width:100%}"
    "@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}td{border-color:#444}"
    ".untried{background:#222}.tried{background:#5c4a00}.covered{background:#1e4d2b}}";

static void
put_cell(const struct burl_gen_page *g, size_t i, size_t j, struct burl_buf *out)
{
    const int a = g->pairs->methods[i];
    const int b = g->pairs->methods[j];
    const struct burl_gen_pair *p = burl_gen_pairs_find(g->pairs, a, b);
    const struct burl_gen_cell *c = burl_gen_cell_of(p);

    burl_buf_printf(out, "<td class=\"%s\" title=\"", c->name);
    burl_buf_html(out, g->model->fns.v[a].name);
    burl_buf_str_append(out, " x ");
    burl_buf_html(out, g->model->fns.v[b].name);
    burl_buf_printf(out, ": %s; tried %llu times, overlapped %llu times\">%c</td>", c->words,
                    (unsigned long long)p->tried, (unsigned long long)p->covered, c->sign);
}

static void
put_table(const struct burl_gen_page *g, struct burl_buf *out)
{
    const size_t n = g->pairs->n_methods;

    burl_buf_str_append(out, "<table><thead><tr><th></th>");
    for (size_t j = 0; j < n; j++) {
        burl_buf_str_append(out, "<th scope=\"col\">");
        burl_buf_html(out, g->model->fns.v[g->pairs->methods[j]].name);
        burl_buf_str_append(out, "</th>");
    }
    burl_buf_str_append(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < n; i++) {
        burl_buf_str_append(out, "<tr><th scope=\"row\">");
        burl_buf_html(out, g->model->fns.v[g->pairs->methods[i]].name);
        burl_buf_str_append(out, "</th>");
        for (size_t j = 0; j <= i; j++)
            put_cell(g, i, j, out);
        burl_buf_str_append(out, "</tr>\n");
    }
    burl_buf_str_append(out, "</tbody></table>\n");
}

/* Pairs covered over tests: straight lines between the points that were taken. */
static void
put_curve(const struct burl_gen_page *g, struct burl_buf *out)
{
    const double w = 640;
    const double h = 160;
    const double last = g->curve->n > 0 ? (double)g->curve->v[g->curve->n - 1].tests : 0;
    const double all = (double)g->pairs->pair.n;

    if (last < 2 || all < 1)
        return;
    burl_buf_printf(out,
                    "<h2>Pairs covered over tests</h2><svg viewBox=\"-40 -10 %g %g\" role=\"img\" "
                    "aria-label=\"%zu of %g pairs after %g tests\"><path fill=\"none\" "
                    "stroke=\"currentColor\" d=\"M0 %g",
                    w + 60, h + 40, g->curve->v[g->curve->n - 1].covered, all, last, h);
    for (size_t i = 0; i < g->curve->n; i++)
        burl_buf_printf(out, " L%.1f %.1f", (double)g->curve->v[i].tests / last * w,
                        h - (double)g->curve->v[i].covered / all * h);
    burl_buf_printf(
        out,
        "\"/><path stroke=\"currentColor\" fill=\"none\" opacity=\".4\" d=\"M0 0V%gH%g\"/>"
        "<g fill=\"currentColor\" font-size=\"11\"><text x=\"-6\" y=\"8\" "
        "text-anchor=\"end\">%g</text><text x=\"%g\" y=\"%g\" "
        "text-anchor=\"end\">%g tests</text></g></svg>\n",
        h, w, all, w, h + 16, last);
}

void
burl_gen_matrix_html(const struct burl_gen_page *g, struct burl_buf *out)
{
    const struct burl_gen_pair_totals t = burl_gen_pairs_totals(g->pairs);
    const char *type = g->model->types.v[g->model->shared].name;

    burl_buf_str_append(out,
                        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">"
                        "<meta name=\"viewport\" content=\"width=device-width\"><title>burl gen: ");
    burl_buf_html(out, type);
    burl_buf_printf(out, "</title><style>%s</style></head><body><h1>Pairs of functions of ", style);
    burl_buf_html(out, type);
    burl_buf_printf(
        out,
        "</h1><dl><dt>pairs</dt><dd>%zu of %zu ran at the same time, %zu tried</dd>"
        "<dt>tests</dt><dd>%llu, %llu executions</dd><dt>findings</dt><dd>%zu</dd></dl>\n",
        t.covered, g->pairs->pair.n, t.tried, (unsigned long long)g->stats->tests,
        (unsigned long long)g->stats->executions, g->n_findings);
    if (g->n_findings > 0) {
        burl_buf_str_append(out, "<ul>");
        for (size_t i = 0; i < g->n_findings; i++) {
            burl_buf_str_append(out, "<li>");
            burl_buf_html(out, g->findings[i]);
            burl_buf_str_append(out, "</li>");
        }
        burl_buf_str_append(out, "</ul>\n");
    }
    put_table(g, out);
    burl_buf_str_append(out, "<p>");
    for (size_t i = 0; i < BURL_GEN_CELLS; i++)
        burl_buf_printf(out, "%c %s. ", burl_gen_cells[i].sign, burl_gen_cells[i].words);
    burl_buf_str_append(out, "</p>\n");
    put_curve(g, out);
    burl_buf_str_append(out, "</body></html>\n");
}
