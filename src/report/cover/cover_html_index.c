/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/cover_html_index.c - the summary of the coverage page: numbers, curves, files,
 * faults.
 *
 * Runs in the host. Written out in full: nothing on it needs a script. The rows that may be very
 * many (variables, faults of the analysis) are limited here and complete in the lists.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/cover/render_cover_int.h"

#define MAX_GAPS 10
#define MAX_FAULTS 200

static void
put_tile(struct burl_buf *out, const char *value, const char *name)
{
    burl__html_put(out, "<div class=\"tile\"><b>%E</b><span>%E</span></div>\n", value, name);
}

static void
put_tile_n(struct burl_buf *out, uint64_t n, const char *name)
{
    char text[24];

    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    put_tile(out, text, name);
}

static void
put_tiles(const struct burl_cover_model *m, struct burl_buf *out)
{
    const struct burl_cover_metric *lp = burl_report_cover_metric(m, BURL_METRIC_LOCPAIRS);
    char text[64];

    burl__html_put(out, "<div class=\"tiles\">\n");
    if (lp != NULL && burl_report_cover_has_target(m, lp)) {
        uint32_t x = burl_report_cover_permille(m, lp);
        const char *why = burl__cover_why_no_target(m, lp);

        snprintf(text, sizeof text, "%u.%u%%", x / 10, x % 10);
        burl__html_put(out,
                       "<div class=\"tile main\"><b>%s</b><span>location pairs, %N of %N%s%s"
                       "</span><span class=\"bar\"><i style=\"width:%s\"></i></span></div>\n",
                       text, lp->covered, lp->target, *why != '\0' ? ": " : "", why, text);
    } else if (lp != NULL) {
        put_tile_n(out, lp->covered, "location pairs");
    }
    put_tile_n(out, m->executions, m->executions == 1 ? "execution" : "executions");
    put_tile_n(out, m->campaigns, m->campaigns == 1 ? "campaign" : "campaigns");
    snprintf(text, sizeof text, "%lld.%lld s", (long long)(m->wall_ms / 1000),
             (long long)(m->wall_ms % 1000 / 100));
    put_tile(out, text, "time");
    if (*burl__cover_str(m->mode) != '\0')
        put_tile(out, m->mode, "mode");
    if (m->context > 0)
        put_tile_n(out, m->context, "call sites of context");
    burl__html_put(out, "</div>\n");
}

static void
put_states(const struct burl_cover_model *m, struct burl_buf *out)
{
    uint64_t n[BURL__COVER_N_STATES];

    if (m->pairs.n == 0)
        return;
    burl__cover_count(m, n);
    burl__html_put(out, "<p class=\"legend\">");
    for (unsigned i = 0; i < BURL__COVER_N_STATES; i++) {
        const char *name = burl_report_cover_state_name((enum burl_cover_state)i);

        if (n[i] > 0)
            burl__html_put(out,
                           "<a href=\"pairs.html#state=%s\"><b class=\"s%u\">%s</b> %N %s</a> ",
                           name, i, burl__cover_state_mark((enum burl_cover_state)i), n[i], name);
    }
    burl__html_put(out, "</p>\n");
}

static void
put_note(struct burl_buf *out, const char *text)
{
    if (*text != '\0')
        burl__html_put(out, "<p class=\"note\">%E.</p>\n", text);
}

static void
put_notes(const struct burl__cover_html *h, struct burl_buf *out)
{
    const struct burl_cover_model *m = h->m;
    const char *problem = burl__cover_str(m->target_problem);

    if (!m->has_target || *problem != '\0')
        burl__html_put(out, "<p class=\"note\">%s%s%E.%s</p>\n",
                       m->has_target ? "The static target is limited" : "There is no static target",
                       *problem != '\0' ? ": " : "", problem,
                       m->has_target ? ""
                                     : " Covered pairs are counted; the number of possible pairs "
                                       "is unknown.");
    if (m->untyped_pairs > 0)
        burl__html_put(out,
                       "<p class=\"note\">Through untyped memory (char *, memcpy) %N more pairs "
                       "may be possible, of which %N are covered. They are not counted.</p>\n",
                       m->untyped_pairs, m->untyped_covered);
    if (m->lost > 0)
        burl__html_put(out,
                       "<p class=\"note\">%N items could not be counted (table full, or code "
                       "loaded in a different order): the numbers here are too small.</p>\n",
                       m->lost);
    put_note(out, burl__cover_line_note(m));
    put_note(out, burl__cover_block_note(m));
    if (h->pairs.n < m->pairs.n)
        burl__html_put(
            out, "<p class=\"note\">This page lists %zu of %zu pairs; --json lists all.</p>\n",
            h->pairs.n, m->pairs.n);
}

static void
put_metric(const struct burl_cover_metric *x, struct burl_buf *out)
{
    burl__html_put(out,
                   "<section class=\"card\"><h3><abbr>%E</abbr> %E</h3><p class=\"num\">"
                   "<b>%N</b>",
                   burl_report_metric_short(x->metric), burl_report_metric_name(x->metric),
                   x->covered);
    if (x->target != 0) {
        burl__html_put(out, " of %N ", x->target);
        burl__cover_html_bar(out, x->covered, x->target);
    }
    if (burl__cover_has_unserial(x->metric))
        burl__html_put(out, " <span>%N unserializable</span>", x->unserial);
    if (burl__cover_has_weight(x->metric))
        burl__html_put(out, " <span>weight %N</span>", x->weighted);
    if (x->window != 0)
        burl__html_put(out, " <span>%s%N in the last %N executions</span>",
                       x->new_last_window != 0 ? "+" : "", x->new_last_window, x->window);
    burl__html_put(out, "</p>");
    burl__cover_html_curve(x, out);
    burl__html_put(out, "<p class=\"def\">%E</p></section>\n",
                   burl_report_metric_definition(x->metric));
}

static void
put_files(const struct burl__cover_html *h, struct burl_buf *out)
{
    burl__html_put(out, "<h2 id=\"files\">Files</h2>\n");
    if (h->srcs.n == 0) {
        burl__html_put(out, "<p class=\"none\">No file is known.</p>\n");
        return;
    }
    burl__html_put(out, "<div class=\"wide\"><table class=\"list\" data-nav data-filter="
                        "\"Filter files\"><thead><tr><th scope=\"col\">File</th><th "
                        "scope=\"col\">Lines</th><th scope=\"col\" class=\"r\">executed</th>"
                        "<th scope=\"col\">Pairs</th><th scope=\"col\" class=\"r\">covered"
                        "</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < h->srcs.n; i++) {
        const struct burl__cover_src *s = &h->srcs.v[i];

        burl__html_put(out, "<tr><td class=\"name\"><a href=\"%s\">%E</a></td>", s->href, s->name);
        if (s->f == NULL) {
            burl__html_put(out, "<td></td><td></td><td></td><td></td></tr>\n");
            continue;
        }
        burl__html_put(out, "<td>");
        burl__cover_html_bar(out, s->f->lines_hit, s->f->lines_found);
        burl__html_put(out, "</td><td class=\"r\">%u / %u</td><td>", s->f->lines_hit,
                       s->f->lines_found);
        burl__cover_html_bar(out, s->f->pairs_covered, s->f->pairs_target);
        burl__html_put(out, "</td><td class=\"r\">%u / %u</td></tr>\n", s->f->pairs_covered,
                       s->f->pairs_target);
    }
    burl__html_put(out, "</tbody></table></div>\n");
}

/* The link goes to the line; cover.js makes it follow the pair. */
static void
put_site(const struct burl__cover_html *h, uint32_t i, size_t pair, char side, struct burl_buf *out)
{
    const struct burl_cover_site *s = burl__cover_site(h->m, i);
    char data[64];

    snprintf(data, sizeof data, " data-pair=\"%zu\" data-side=\"%c\"", pair, side);
    burl__html_put(out, "%s <code>%E</code> ", burl__cover_access(s), s->variable);
    burl__cover_put_place(h, i, data, out);
    if (*burl__cover_str(s->func) != '\0')
        burl__html_put(out, " in <code>%E</code>", s->func);
}

static void
put_pair(const struct burl__cover_html *h, uint32_t i, struct burl_buf *out)
{
    const struct burl_cover_pair *p = &h->m->pairs.v[i];
    size_t pair = burl__cover_html_number(h, i);

    burl__html_put(out, "<li>");
    put_site(h, p->a, pair, 'a', out);
    burl__html_put(out, "<br>\xe2\x86\x92 ");
    put_site(h, p->b, pair, 'b', out);
    if (*burl__cover_str(p->why) != '\0')
        burl__html_put(out, "<br><span class=\"def\">%E</span>", p->why);
    burl__html_put(out, "</li>\n");
}

static void
put_gaps(const struct burl__cover_html *h, struct burl_buf *out)
{
    size_t n;
    uint32_t *gaps = burl__cover_gaps(h->m, &n);

    if (n > 0) {
        burl__html_put(
            out,
            "<h2>Most valuable gaps</h2>\n"
            "<p>%zu pair%s not covered. <a href=\"pairs.html#state=uncovered\">The list</a></p>\n"
            "<ol class=\"gaps\">\n",
            n, n == 1 ? " is" : "s are");
        for (size_t i = 0; i < n && i < MAX_GAPS; i++)
            put_pair(h, gaps[i], out);
        burl__html_put(out, "</ol>\n");
    }
    free(gaps);
}

static void
put_faults(const struct burl__cover_html *h, struct burl_buf *out)
{
    const struct burl_cover_model *m = h->m;
    uint64_t n[BURL__COVER_N_STATES];
    size_t shown = 0;

    burl__cover_count(m, n);
    if (n[BURL_COVER_OUTSIDE] > 0) {
        burl__html_put(out,
                       "<h2>Gaps of the analysis</h2>\n"
                       "<p>%N covered pair%s missing from the static target.</p>\n"
                       "<ol class=\"gaps\">\n",
                       n[BURL_COVER_OUTSIDE], n[BURL_COVER_OUTSIDE] == 1 ? " is" : "s are");
        for (size_t i = 0; i < m->pairs.n && shown < MAX_FAULTS; i++) {
            if (m->pairs.v[i].state == BURL_COVER_OUTSIDE) {
                put_pair(h, (uint32_t)i, out);
                shown++;
            }
        }
        burl__html_put(out, "</ol>\n");
    }
    if (m->stale.n > 0) {
        burl__html_put(out, "<h2>Stale prunes</h2>\n<p>Entries that match no pair.</p>\n<ul "
                            "class=\"gaps\">\n");
        for (size_t i = 0; i < m->stale.n && i < MAX_FAULTS; i++)
            burl__html_put(out, "<li><code>%E:%u</code> %E</li>\n", m->stale.v[i].file,
                           m->stale.v[i].line, m->stale.v[i].text);
        burl__html_put(out, "</ul>\n");
    }
}

void
burl__cover_html_index(const struct burl__cover_html *h, struct burl_buf *out)
{
    const struct burl_cover_model *m = h->m;
    const char *what = *burl__cover_str(m->command) != '\0' ? m->command : m->program;

    burl__cover_html_head(h, out, burl__cover_str(m->program), "index", "");
    burl__html_put(out, "<h1>Interleaving coverage</h1>\n<p class=\"cmd\"><code>%E</code></p>\n",
                   what);
    put_tiles(m, out);
    put_states(m, out);
    put_notes(h, out);
    put_gaps(h, out);
    burl__html_put(out, "<h2 id=\"metrics\">Metrics</h2>\n%s<div class=\"cards\">\n",
                   m->metrics.n == 0 ? "<p class=\"none\">Nothing was measured.</p>\n" : "");
    for (size_t i = 0; i < m->metrics.n; i++)
        put_metric(&m->metrics.v[i], out);
    burl__html_put(out, "</div>\n");
    put_files(h, out);
    put_faults(h, out);
    burl__cover_html_foot(out, "", NULL);
}
