/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/cover_html_lists.c - the frames of the two pages that a script fills: pairs,
 * variables.
 *
 * Runs in the host. Twenty thousand rows and matrices of hundreds of sites are drawn a page at a
 * time by pairs.js and variables.js; without scripts there is a plain table of the first rows.
 */
#include <stdlib.h>
#include <string.h>

#include "report/cover/render_cover_int.h"

#define PLAIN_ROWS 1000u

static void
put_row(const struct burl__cover_html *h, const struct burl_cover_pair *p, struct burl_buf *out)
{
    burl__html_put(out, "<tr><td>%s %s</td><td>%E</td>", burl__cover_state_mark(p->state),
                   burl_report_cover_state_name(p->state), burl__cover_variable(h->m, p));
    for (int side = 0; side < 2; side++) {
        const uint32_t site = side ? p->b : p->a;

        burl__html_put(out, "<td>%s ", burl__cover_access(burl__cover_site(h->m, site)));
        burl__cover_put_place(h, site, "", out);
        burl__html_put(out, "</td>");
    }
    burl__html_put(out, "</tr>\n");
}

/* Gaps first, as they rank. */
static void
put_plain_pairs(const struct burl__cover_html *h, struct burl_buf *out)
{
    size_t n;
    uint32_t *gaps = burl__cover_gaps(h->m, &n);
    size_t rows = 0;

    burl_buf_str_append(out, "<noscript><p class=\"note\">Filters need JavaScript. These are the "
                             "first pairs.</p><table class=\"list\"><tr><th>State</th><th>Variable"
                             "</th><th>Earlier</th><th>Later</th></tr>\n");
    for (; rows < n && rows < PLAIN_ROWS; rows++)
        put_row(h, &h->m->pairs.v[gaps[rows]], out);
    for (size_t i = 0; i < h->m->pairs.n && rows < PLAIN_ROWS; i++) {
        if (h->m->pairs.v[i].state != BURL_COVER_UNCOVERED) {
            put_row(h, &h->m->pairs.v[i], out);
            rows++;
        }
    }
    burl_buf_str_append(out, "</table></noscript>\n");
    free(gaps);
}

void
burl__cover_html_pairs(const struct burl__cover_html *h, struct burl_buf *out)
{
    burl__cover_html_head(h, out, "Pairs", "pairs", "");
    burl_buf_str_append(
        out,
        "<h1>Location pairs</h1>\n"
        "<form id=\"filters\" class=\"filters\" role=\"search\" hidden>\n"
        "<label>Filter <input id=\"q\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" "
        "placeholder=\"words: variable, function, file:line\" aria-keyshortcuts=\"/\"></label>\n"
        "<label>State <select id=\"state\"></select></label>\n"
        "<label>Variable <select id=\"variable\"></select></label>\n"
        "<label>File <select id=\"file\"></select></label>\n"
        "<button type=\"reset\">Clear</button>\n</form>\n"
        "<p id=\"count\" class=\"count\" role=\"status\"></p>\n"
        "<div class=\"split\"><div class=\"wide\"><table class=\"list\" id=\"pairs\" hidden>"
        "<thead></thead><tbody></tbody></table><p id=\"pager\" class=\"pager\"></p></div>\n"
        "<aside id=\"panel\" aria-live=\"polite\" aria-label=\"The selected pair\" hidden></aside>"
        "</div>\n");
    put_plain_pairs(h, out);
    burl__cover_html_foot(out, "", "pairs.js");
}

void
burl__cover_html_variables(const struct burl__cover_html *h, struct burl_buf *out)
{
    const struct burl_cover_model *m = h->m;

    burl__cover_html_head(h, out, "Variables", "variables", "");
    burl_buf_str_append(
        out, "<h1>Variables</h1>\n"
             "<form id=\"filters\" class=\"filters\" role=\"search\" hidden>\n"
             "<label>Filter <input id=\"q\" type=\"search\" autocomplete=\"off\" "
             "spellcheck=\"false\" placeholder=\"name or object\" aria-keyshortcuts=\"/\">"
             "</label></form>\n<p id=\"count\" class=\"count\" role=\"status\"></p>\n"
             "<div class=\"split vars\"><div class=\"wide\"><table class=\"list\" "
             "id=\"variables\" hidden><thead></thead><tbody></tbody></table>"
             "<p id=\"pager\" class=\"pager\"></p></div>\n"
             "<section id=\"matrix\" aria-label=\"Matrix of sites\"></section></div>\n"
             "<aside id=\"panel\" aria-live=\"polite\" aria-label=\"The selected pair\" "
             "hidden></aside>\n");
    burl_buf_str_append(out, "<noscript><p class=\"note\">The matrices need JavaScript.</p><table "
                             "class=\"list\"><tr><th>Variable</th><th>Covered</th><th>Uncovered"
                             "</th><th>Pruned</th><th>Impossible</th></tr>\n");
    for (size_t i = 0; i < m->variables.n && i < PLAIN_ROWS; i++) {
        const struct burl_cover_variable *v = &m->variables.v[i];

        burl__html_put(out, "<tr><td>%E</td><td>%u</td><td>%u</td><td>%u</td><td>%u</td></tr>\n",
                       v->name, v->covered, v->uncovered, v->pruned, v->impossible);
    }
    burl_buf_str_append(out, "</table></noscript>\n");
    burl__cover_html_foot(out, "", "variables.js");
}
