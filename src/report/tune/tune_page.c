/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/tune/tune_page.c - the page of a search for noise; contract in tune_page.h.
 *
 * Runs in the host. Drawings are SVG with the words of a title for readers that do not see them.
 */
#include "report/tune/tune_page.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/html/html.h"

#define LEFT 56.0
#define RIGHT 710.0
#define TOP 12.0

static const char style[] =
    "body{margin:2rem;max-width:60rem}h2{margin:1.6rem 0 .3rem}"
    "dl{display:grid;grid-template-columns:max-content auto;gap:.2rem 1rem}dd{margin:0}"
    "svg{width:100%;height:auto;display:block}"
    "text{font:11px system-ui,sans-serif;fill:var(--soft)}"
    ".axis{stroke:var(--rule);fill:none}.one{fill:var(--accent);fill-opacity:.5}"
    ".bad{fill:var(--bad)}.line{stroke:var(--accent);stroke-width:1.6;fill:none}"
    ".mean{stroke:var(--maybe);stroke-width:1.6;fill:none;stroke-dasharray:5 3}"
    ".best{stroke:var(--good);stroke-dasharray:2 3;fill:none}"
    ".words{white-space:pre-line}p.key{color:var(--soft);font-size:13px;margin:.2rem 0}";

/* ---- drawings ---------------------------------------------------------------------- */

struct plot {
    struct burl_buf *out;
    double height;
    double x_max; /* from 0 */
    double y_min, y_max;
};

static double
at_x(const struct plot *p, double x)
{
    return LEFT + (p->x_max > 0 ? x / p->x_max : 0) * (RIGHT - LEFT);
}

static double
at_y(const struct plot *p, double y)
{
    const double span = p->y_max - p->y_min;
    const double bottom = p->height - 22;

    return bottom - (span > 0 ? (y - p->y_min) / span : 0) * (bottom - TOP);
}

static void
begin(const struct plot *p, const char *what, const char *x_label)
{
    const double bottom = p->height - 22;

    burl_buf_printf(p->out, "<svg viewBox=\"0 0 720 %.0f\" role=\"img\"><title>", p->height);
    burl_buf_html(p->out, what);
    burl_buf_printf(p->out,
                    "</title><path class=\"axis\" d=\"M%.0f %.0fV%.0fH%.0f\"/>"
                    "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%g</text>"
                    "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%g</text>"
                    "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%.0f %s</text>\n",
                    LEFT, TOP, bottom, RIGHT, LEFT - 5, TOP + 8, p->y_max, LEFT - 5, bottom,
                    p->y_min, RIGHT, p->height - 6, p->x_max, x_label);
}

static void
end(const struct plot *p)
{
    burl_buf_str_append(p->out, "</svg>\n");
}

static void
dot(const struct plot *p, double x, double y, bool bad)
{
    burl_buf_printf(p->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"/>",
                    bad ? "bad" : "one", at_x(p, x), at_y(p, y), bad ? "2.6" : "2");
}

/* ---- the four of them -------------------------------------------------------------- */

struct generation {
    double best, mean;
    size_t n;
};

/* Those of a generation, from *i on, which moves behind it. */
static struct generation
sum_up(const struct burl_tune_page *p, size_t *i)
{
    struct generation g = { 0 };
    const uint32_t number = p->points[*i].generation;

    for (; *i < p->n_points && p->points[*i].generation == number; ++*i) {
        const double x = p->points[*i].fitness;

        g.best = g.n == 0 || x > g.best ? x : g.best;
        g.mean += x;
        g.n++;
    }
    g.mean /= (double)g.n;
    return g;
}

static void
put_generations(const struct burl_tune_page *p, const struct plot *plot, bool mean)
{
    bool first = true;

    burl_buf_printf(plot->out, "<path class=\"%s\" d=\"", mean ? "mean" : "line");
    for (size_t i = 0; i < p->n_points;) {
        const size_t from = i;
        const struct generation g = sum_up(p, &i);
        const double middle = ((double)from + (double)i - 1) / 2 + 1;

        burl_buf_printf(plot->out, "%s%.1f %.1f", first ? "M" : "L", at_x(plot, middle),
                        at_y(plot, mean ? g.mean : g.best));
        first = false;
    }
    burl_buf_str_append(plot->out, "\"/>\n");
}

static void
put_fitness(const struct burl_tune_page *p, struct burl_buf *out)
{
    struct plot plot = { .out = out, .height = 260, .x_max = (double)p->n_points };

    for (size_t i = 0; i < p->n_points; i++)
        plot.y_max = p->points[i].fitness > plot.y_max ? p->points[i].fitness : plot.y_max;
    burl_buf_str_append(out, "<h2>Fitness over generations</h2><p class=\"key\">a dot is an "
                             "evaluation, red when an execution failed; the line is the best of "
                             "each generation, the dashed one its mean</p>");
    begin(&plot, "fitness of every evaluation", "evaluations");
    for (size_t i = 0; i < p->n_points; i++)
        dot(&plot, (double)i + 1, p->points[i].fitness, p->points[i].errors > 0);
    put_generations(p, &plot, true);
    put_generations(p, &plot, false);
    end(&plot);
}

static void
put_growth(const struct burl_tune_page *p, struct burl_buf *out, bool errors)
{
    struct plot plot = { .out = out, .height = 180, .x_max = (double)p->n_points };
    double sum = 0;

    for (size_t i = 0; i < p->n_points; i++)
        plot.y_max += errors ? p->points[i].errors : (double)p->points[i].fresh;
    burl_buf_str_append(out, errors ? "<h2>Errors so far</h2><p class=\"key\">executions that "
                                      "failed</p>"
                                    : "<h2>Coverage growth</h2><p class=\"key\">weight of all "
                                      "tasks covered so far, warnings included</p>");
    begin(&plot, errors ? "executions that failed so far" : "coverage so far", "evaluations");
    burl_buf_printf(out, "<path class=\"line\" d=\"M%.1f %.1f", at_x(&plot, 0), at_y(&plot, 0));
    for (size_t i = 0; i < p->n_points; i++) {
        sum += errors ? p->points[i].errors : (double)p->points[i].fresh;
        burl_buf_printf(out, "H%.1fV%.1f", at_x(&plot, (double)i + 1), at_y(&plot, sum));
    }
    burl_buf_str_append(out, "\"/>");
    end(&plot);
}

static void
put_gene(const struct burl_tune_page *p, size_t k, struct burl_buf *out)
{
    const struct burl_tune_axis *a = &p->genes[k];
    const struct plot plot = { .out = out,
                               .height = a->max - a->min > 8 ? 150 : 100,
                               .x_max = (double)p->n_points,
                               .y_min = a->min,
                               .y_max = a->max };

    burl_buf_str_append(out, "<h2>");
    burl_buf_html(out, a->name);
    burl_buf_str_append(out, "</h2>");
    begin(&plot, a->name, "evaluations");
    if (p->best)
        burl_buf_printf(out, "<path class=\"best\" d=\"M%.0f %.1fH%.0f\"/>", LEFT,
                        at_y(&plot, p->best[k]), RIGHT);
    for (size_t i = 0; i < p->n_points; i++)
        dot(&plot, (double)i + 1, p->points[i].genes[k], p->points[i].errors > 0);
    end(&plot);
}

/* ---- the page ---------------------------------------------------------------------- */

static void
put_lines(const struct burl_tune_line *v, size_t n, struct burl_buf *out)
{
    burl_buf_str_append(out, "<dl>");
    for (size_t i = 0; i < n; i++) {
        burl_buf_str_append(out, "<dt>");
        burl_buf_html(out, v[i].label);
        burl_buf_str_append(out, "</dt><dd>");
        burl_buf_html(out, v[i].text);
        burl_buf_str_append(out, "</dd>\n");
    }
    burl_buf_str_append(out, "</dl>\n");
}

static void
put_best(const struct burl_tune_page *p, struct burl_buf *out)
{
    if (!p->setting)
        return;
    burl_buf_str_append(out, "<h2>Best setting</h2><p><code>");
    burl_buf_html(out, p->setting);
    burl_buf_str_append(out, "</code></p><p class=\"words\">");
    burl_buf_html(out, p->words);
    burl_buf_str_append(out, "</p>\n");
}

void
burl_tune_page_render(const struct burl_tune_page *p, struct burl_buf *out)
{
    char *styles = burl_xasprintf("%s%s", burl__html_asset("theme.css"), style);

    burl__html_head(out, p->title);
    burl__html_head_inline(out, styles, "");
    free(styles);
    burl__html_put(out, "</head>\n<body>\n<h1>%E</h1>\n", p->title);
    put_lines(p->lines, p->n_lines, out);
    put_best(p, out);
    if (p->n_findings > 0) {
        burl_buf_str_append(out, "<h2>Findings</h2>");
        put_lines(p->findings, p->n_findings, out);
    }
    if (p->n_points > 0) {
        put_fitness(p, out);
        put_growth(p, out, true);
        put_growth(p, out, false);
        burl_buf_str_append(out, "<h2>Genes over time</h2><p class=\"key\">one dot per evaluation, "
                                 "red when an execution failed; the dotted line is the best "
                                 "setting</p>");
        for (size_t k = 0; k < p->n_genes; k++)
            put_gene(p, k, out);
    }
    burl_buf_str_append(out, "</body>\n</html>\n");
}
