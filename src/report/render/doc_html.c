/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_html.c - all findings as an HTML page in one file.
 *
 * Runs in the host. The page needs nothing but itself: style and script are inside, and its policy
 * admits no others. Without scripts everything is there and unfolded; the script (report.js) folds,
 * filters and adds keys.
 */
#include <stdlib.h>
#include <string.h>

#include "report/finding/kinds.h"
#include "report/render/page_int.h"

static char *
title_of(const struct burl_report_doc *d)
{
    struct burl_buf out = BURL_BUF_INIT;

    if (d->n == 0)
        burl_buf_str_append(&out, "No findings");
    else
        burl__report_put_count(&out, d->n, "finding");
    if (d->campaign != 0)
        burl_buf_printf(&out, " of campaign %llu", (unsigned long long)d->campaign);
    return burl_buf_take(&out, NULL);
}

static size_t
count_kind(const struct burl_report_doc *d, const char *kind)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++)
        n += strcmp(d->v[i]->kind, kind) == 0;
    return n;
}

static bool
is_first_of_kind(const struct burl_report_doc *d, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (strcmp(d->v[k]->kind, d->v[i]->kind) == 0)
            return false;
    }
    return true;
}

/* The header; what needs the script is hidden until it runs. */
static void
put_header(struct burl__page *p)
{
    burl__html_put(p->out,
                   "<a class=\"skip\" href=\"#main\">Skip to the findings</a>\n<header>"
                   "<span class=\"brand\"><b>burl</b> report</span>\n"
                   "<form id=\"filter\" role=\"search\" hidden><input id=\"q\" type=\"search\" "
                   "placeholder=\"Filter (press /)\" aria-label=\"Filter findings\" "
                   "autocomplete=\"off\" spellcheck=\"false\">"
                   "<select id=\"kind\" aria-label=\"Kind\"><option value=\"\">all kinds</option>");
    for (size_t i = 0; i < p->d->n; i++) {
        if (is_first_of_kind(p->d, i))
            burl__html_put(p->out, "<option value=\"%E\">%E (%zu)</option>", p->d->v[i]->kind,
                           p->d->v[i]->kind, count_kind(p->d, p->d->v[i]->kind));
    }
    burl__html_put(p->out,
                   "</select> <output id=\"count\" aria-live=\"polite\"></output></form>\n"
                   "<span class=\"tools\" hidden><button type=\"button\" id=\"fold\">Unfold all"
                   "</button><button type=\"button\" id=\"theme\" aria-label=\"Dark or light\">"
                   "Theme</button><button type=\"button\" id=\"keys\" aria-label=\"Keys\">?"
                   "</button></span></header>\n");
}

static void
put_kinds(struct burl__page *p)
{
    burl__html_put(p->out, "<ul class=\"kinds\">");
    for (size_t i = 0; i < p->d->n; i++) {
        const struct burl__report_kind *k = burl__report_kind(p->d->v[i]->kind);

        if (is_first_of_kind(p->d, i))
            burl__html_put(p->out, "<li><b>%zu</b> <span title=\"%E\">%E</span></li>",
                           count_kind(p->d, p->d->v[i]->kind), k->what, k->title);
    }
    burl__html_put(p->out, "</ul>\n");
}

static void
put_help(struct burl__page *p)
{
    burl__html_put(
        p->out,
        "<dialog id=\"help\" aria-label=\"Keys\"><h2>Keys</h2><dl>"
        "<dt><kbd>j</kbd> <kbd>k</kbd> or arrows</dt><dd>next, previous finding</dd>"
        "<dt><kbd>Enter</kbd> or <kbd>o</kbd></dt><dd>fold or unfold it</dd>"
        "<dt><kbd>a</kbd></dt><dd>fold or unfold all</dd>"
        "<dt><kbd>/</kbd></dt><dd>to the filter; Escape clears it</dd>"
        "<dt><kbd>c</kbd></dt><dd>copy the command that replays the finding</dd>"
        "<dt><kbd>t</kbd></dt><dd>dark or light</dd><dt><kbd>?</kbd></dt><dd>this list</dd></dl>"
        "<form method=\"dialog\"><button>Close</button></form></dialog>\n");
}

void
burl_report_doc_html(const struct burl_report_doc *d, struct burl_buf *out)
{
    struct burl__page p = { .d = d, .out = out, .words = BURL_BUF_INIT };
    const char *script = burl__html_asset("report.js");
    char *styles =
        burl_xasprintf("%s%s", burl__html_asset("theme.css"), burl__html_asset("report.css"));
    char *title = title_of(d);
    char *full = burl_xasprintf("%s - burl report", title);

    burl__html_head(out, full);
    burl__html_head_inline(out, styles, script);
    burl__html_put(out, "</head>\n<body>\n");
    put_header(&p);
    burl__html_put(out, "<main id=\"main\" tabindex=\"-1\">\n<h1>%E</h1>\n", title);
    if (d->n > 0)
        put_kinds(&p);
    for (size_t i = 0; i < d->n; i++)
        burl__page_put_finding(&p, d->v[i]);
    burl__html_put(out,
                   "<p id=\"none\" hidden>No finding matches the filter.</p>\n"
                   "<footer>Written by burl %E.</footer>\n</main>\n",
                   d->version);
    put_help(&p);
    burl_buf_printf(out, "<script>%s</script>\n</body>\n</html>\n", script);
    burl__page_deinit(&p);
    free(styles);
    free(title);
    free(full);
}
