/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/cover_html_file.c - one annotated source of the coverage page.
 *
 * Runs in the host. Every line has its number, whether it was executed, how many pairs begin or end
 * there in which state, and its text; the pairs themselves are listed by file.js on demand. Lines
 * come in chunks that the browser lays out when they are scrolled to. Of a very long file only the
 * neighborhood of its pairs is shown: an amalgamation of a quarter of a million lines would
 * otherwise be thirty megabytes of page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/cover/render_cover_int.h"

#define WHOLE_LINES 6000u /* a file of more lines is shown in parts */
#define NEIGHBORS 6u      /* of such a file: lines before and after one with pairs */
#define CHUNK_LINES 100u
#define CONTEXT_LINES 2u /* around a site, for data.js */

struct page {
    struct burl__cover_html *h;
    const struct burl__html_source *t;
    const struct burl__cover_src *src;
    const struct burl__cover_mark *marks;
    size_t n_marks;
    size_t next; /* mark */
    size_t next_hit, next_missed;
    uint32_t n_lines;
    uint32_t in_chunk;
    struct burl_buf *out;
};

static void
put_counts(struct page *g, uint32_t line)
{
    uint32_t n[BURL__COVER_N_STATES] = { 0 };
    struct burl_buf words; /* "2 covered, 1 pruned" */
    struct burl_buf marks; /* the same as shapes */

    for (; g->next < g->n_marks && g->marks[g->next].line == line; g->next++) {
        const struct burl__cover_mark *k = &g->marks[g->next];
        enum burl_cover_state state = g->h->m->pairs.v[g->h->pairs.v[k->pair]].state;

        /* A pair of a line with itself is one pair. */
        if (g->next > 0 && k[-1].line == line && k[-1].pair == k->pair)
            continue;
        if ((unsigned)state < BURL__COVER_N_STATES)
            n[state]++;
    }
    burl_buf_init(&words, BURL_BUF_NO_LIMIT);
    burl_buf_init(&marks, BURL_BUF_NO_LIMIT);
    for (unsigned i = 0; i < BURL__COVER_N_STATES; i++) {
        if (n[i] == 0)
            continue;
        burl__html_put(&marks, "%s<span class=\"s%u\">%s%u</span>", words.n > 0 ? " " : "", i,
                       burl__cover_state_mark((enum burl_cover_state)i), n[i]);
        burl__html_put(&words, "%s%u %s", words.n > 0 ? ", " : "", n[i],
                       burl_report_cover_state_name((enum burl_cover_state)i));
    }
    if (words.n == 0)
        burl__html_put(g->out, "<span class=\"p\"></span>");
    else
        burl__html_put(
            g->out,
            "<button class=\"p\" type=\"button\" aria-expanded=\"false\" aria-label=\"Line "
            "%u, pairs: %s\" title=\"pairs that begin or end here: %s\">%s</button>",
            line, burl_buf_str(&words), burl_buf_str(&words), burl_buf_str(&marks));
    burl_buf_deinit(&words);
    burl_buf_deinit(&marks);
}

/* Both lists are ascending, and lines are visited in order. */
static bool
is_in(const uint32_t *v, size_t n, size_t *next, uint32_t line)
{
    while (*next < n && v[*next] < line)
        (*next)++;
    return *next < n && v[*next] == line;
}

static void
put_line(struct page *g, uint32_t line)
{
    const struct burl_cover_file *f = g->src->f;
    const char *class = "";
    const char *mark = "<span class=\"x\"></span>";
    const char *text;
    size_t n = 0;

    if (f != NULL && is_in(f->hit.v, f->hit.n, &g->next_hit, line)) {
        class = " hit";
        mark = "<span class=\"x\" title=\"executed\">\xe2\x9c\x93</span>";
    } else if (f != NULL && is_in(f->missed.v, f->missed.n, &g->next_missed, line)) {
        class = " miss";
        mark = "<span class=\"x\" title=\"not executed\">\xe2\x9c\x97</span>";
    }
    if (g->in_chunk == 0)
        burl_buf_str_append(g->out, "<div class=\"chunk\">\n");
    burl_buf_printf(g->out,
                    "<div class=\"l%s\" id=\"L%u\"><a class=\"n\" href=\"#L%u\" "
                    "tabindex=\"-1\">%u</a>%s",
                    class, line, line, line, mark);
    put_counts(g, line);
    burl_buf_str_append(g->out, "<code>");
    text = burl__html_source_line(g->t, line, &n);
    if (text != NULL)
        burl_buf_html_n(g->out, text, n);
    burl_buf_str_append(g->out, "</code></div>\n");
    if (++g->in_chunk == CHUNK_LINES) {
        burl_buf_str_append(g->out, "</div>\n");
        g->in_chunk = 0;
    }
}

static void
end_chunk(struct page *g)
{
    if (g->in_chunk > 0)
        burl_buf_str_append(g->out, "</div>\n");
    g->in_chunk = 0;
}

static void
put_fold(struct page *g, uint32_t n)
{
    if (n == 0)
        return;
    end_chunk(g);
    burl_buf_printf(g->out, "<div class=\"fold\">%u line%s without pairs</div>\n", n,
                    n == 1 ? "" : "s");
}

/* Around every mark `radius` lines; the rest is folded. A mark beyond the end, in a source that has
 * changed, is a line without text. */
static void
put_parts(struct page *g, uint32_t radius)
{
    uint32_t line = 1;

    for (size_t i = 0; i < g->n_marks;) {
        uint32_t at = g->marks[i].line;
        uint32_t from = at > radius && at <= g->n_lines ? at - radius : at;
        uint32_t to = at;

        if (at <= radius && at <= g->n_lines)
            from = 1;
        if (at < g->n_lines)
            to = g->n_lines - at > radius ? at + radius : g->n_lines;
        if (from > line)
            put_fold(g, from - line);
        for (line = line > from ? line : from; line <= to; line++)
            put_line(g, line);
        while (i < g->n_marks && g->marks[i].line < line)
            i++;
    }
    if (line <= g->n_lines)
        put_fold(g, g->n_lines - line + 1);
    end_chunk(g);
}

static void
put_whole(struct page *g)
{
    for (uint32_t i = 1; i <= g->n_lines; i++)
        put_line(g, i);
    while (g->next < g->n_marks)
        put_line(g, g->marks[g->next].line);
    end_chunk(g);
}

/* "40": "    acct->balance -= n;" for lines near a site, into data.js. */
static void
keep_context(struct page *g, uint32_t src)
{
    struct burl_json_writer w;
    uint32_t line = 1;

    if (g->t->text == NULL || g->n_marks == 0)
        return;
    burl_buf_printf(&g->h->lines, "%s\"%u\":", g->h->lines.n > 0 ? "," : "{", src);
    burl_json_writer_init(&w, &g->h->lines, 0);
    burl_json_object_begin(&w);
    for (size_t i = 0; i < g->n_marks; i++) {
        uint32_t at = g->marks[i].line;
        uint32_t from = at > CONTEXT_LINES ? at - CONTEXT_LINES : 1;

        for (line = line > from ? line : from; line <= at + CONTEXT_LINES; line++) {
            char key[16];
            size_t n;
            const char *text = burl__html_source_line(g->t, line, &n);

            if (text == NULL)
                break;
            snprintf(key, sizeof key, "%u", line);
            burl_json_key(&w, key);
            burl_json_strn(&w, text, n < 400 ? n : 400);
        }
    }
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
}

static void
put_summary(struct page *g)
{
    const struct burl_cover_file *f = g->src->f;
    const bool has_path = *g->src->path != '\0';

    burl__html_put(g->out, "<h1 class=\"path\">%E</h1>\n", g->src->name);
    if (f != NULL) {
        burl__html_put(g->out, "<p class=\"facts\"><span>Lines ");
        burl__cover_html_bar(g->out, f->lines_hit, f->lines_found);
        burl__html_put(g->out, " (%u of %u)</span> <span>Pairs ", f->lines_hit, f->lines_found);
        burl__cover_html_bar(g->out, f->pairs_covered, f->pairs_target);
        burl__html_put(g->out, " (%u of %u)</span></p>\n", f->pairs_covered, f->pairs_target);
    }
    burl__html_put(g->out, "<p class=\"legend\">");
    for (unsigned i = 0; i < BURL__COVER_N_STATES; i++)
        burl__html_put(g->out, "<span><b class=\"s%u\">%s</b> %s</span> ", i,
                       burl__cover_state_mark((enum burl_cover_state)i),
                       burl_report_cover_state_name((enum burl_cover_state)i));
    burl__html_put(g->out,
                   "<span>\xe2\x9c\x93 executed</span> <span>\xe2\x9c\x97 not executed</span>"
                   "</p>\n");
    if (g->t->text == NULL)
        burl__html_put(g->out,
                       "<p class=\"note\">The source was not found%s%E: only the lines that have "
                       "pairs are listed.</p>\n",
                       has_path ? " at " : "", g->src->path);
    else if (g->n_lines > WHOLE_LINES)
        burl__html_put(g->out,
                       "<p class=\"note\">This file has %u lines: only the neighborhood of its "
                       "pairs is shown.</p>\n",
                       g->n_lines);
}

void
burl__cover_html_file(struct burl__cover_html *h, uint32_t src, const struct burl__html_source *t,
                      struct burl_buf *out)
{
    struct page g = { .h = h, .t = t, .src = &h->srcs.v[src], .out = out };

    g.marks = burl__cover_marks(h, src, &g.n_marks);
    g.n_lines = t->at.n > 0 ? (uint32_t)(t->at.n - 1) : 0;
    burl__cover_html_head(h, out, g.src->name, "file", "../");
    put_summary(&g);
    burl_buf_printf(out, "<div class=\"src\" data-file=\"%u\">\n", src);
    if (t->text == NULL)
        put_parts(&g, 0);
    else if (g.n_lines > WHOLE_LINES)
        put_parts(&g, NEIGHBORS);
    else
        put_whole(&g);
    burl_buf_str_append(out, "</div>\n<aside id=\"panel\" aria-live=\"polite\" "
                             "aria-label=\"The pair\" hidden></aside>\n");
    burl__cover_html_foot(out, "../", "file.js");
    keep_context(&g, src);
}
