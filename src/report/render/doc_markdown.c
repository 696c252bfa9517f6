/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_markdown.c - findings as Markdown, for the summary page of a CI job or a comment.
 *
 * Runs in the host. A table of all findings; below it the whole text of each, folded. Titles and
 * names are escaped so that no part of them is markup, a mention or a cell border; the text is in
 * a fenced block whose fence is longer than any run of backticks in it.
 */
#include <ctype.h>
#include <string.h>

#include "report/render/doc_int.h"
#include "report/render/render_int.h"

/* Text of one line in which nothing is markup. */
static void
put_escaped(struct burl_buf *out, const char *text)
{
    struct burl_buf clean = BURL_BUF_INIT;
    const char *s;

    burl__doc_put_clean(&clean, text);
    s = burl_buf_str(&clean);
    for (size_t i = 0; s[i] != '\0'; i++) {
        const bool in_word = i > 0 && isalnum((unsigned char)s[i - 1]) &&
                             isalnum((unsigned char)s[i + 1]); /* no emphasis there */

        if (s[i] == '&')
            burl_buf_str_append(out, "&amp;");
        else if (s[i] == '<')
            burl_buf_str_append(out, "&lt;");
        else if (s[i] == '@') /* a backslash does not prevent a mention */
            burl_buf_str_append(out, "&#64;");
        else if (strchr("\\`*[]|#~$!", s[i]) != NULL || (s[i] == '_' && !in_word))
            burl_buf_printf(out, "\\%c", s[i]);
        else
            burl_buf_char(out, s[i]);
    }
    burl_buf_deinit(&clean);
}

/* Backticks where the text has nothing to escape; else the element they stand for. */
static void
put_code(struct burl_buf *out, const char *text)
{
    const bool plain = text[0] != '\0' && strspn(text, "abcdefghijklmnopqrstuvwxyz"
                                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                       "0123456789 ./_:+=-,") == strlen(text);

    burl_buf_str_append(out, plain ? "`" : "<code>");
    if (plain)
        burl_buf_str_append(out, text);
    else
        put_escaped(out, text);
    burl_buf_str_append(out, plain ? "`" : "</code>");
}

static void
put_place(const struct burl_report_doc *d, const struct burl_finding *f, struct burl_buf *out)
{
    const struct burl_finding_loc *loc = burl__doc_place(f);
    struct burl_buf place = BURL_BUF_INIT;

    if (loc == NULL)
        return;
    burl_buf_printf(&place, "%s:%u", burl__doc_path(d, loc->file), loc->line);
    put_code(out, burl_buf_str(&place));
    burl_buf_deinit(&place);
}

static void
put_row(const struct burl_report_doc *d, const struct burl_finding *f, struct burl_buf *out)
{
    burl_buf_printf(out, "| %u | ", f->number);
    put_code(out, f->kind);
    burl_buf_str_append(out, " | ");
    put_escaped(out, f->title);
    burl_buf_str_append(out, " | ");
    put_place(d, f, out);
    burl_buf_str_append(out, " | ");
    if (f->command[0] != '\0')
        put_code(out, f->command);
    burl_buf_str_append(out, " | ");
    if (burl__doc_command(f)[0] != '\0')
        put_code(out, burl__doc_command(f));
    burl_buf_str_append(out, " |\n");
}

static size_t
longest_run(const char *s, char c)
{
    size_t longest = 0;
    size_t n = 0;

    for (; *s != '\0'; s++) {
        n = *s == c ? n + 1 : 0;
        longest = n > longest ? n : longest;
    }
    return longest;
}

static void
put_fence(struct burl_buf *out, size_t n)
{
    while (n-- > 0)
        burl_buf_char(out, '`');
}

/* Text of one line inside of an element, where a mention is one all the same. */
static void
put_html(struct burl_buf *out, const char *text)
{
    struct burl_buf clean = BURL_BUF_INIT;

    burl__doc_put_clean(&clean, text);
    for (const char *s = burl_buf_str(&clean); *s != '\0';) {
        const size_t n = strcspn(s, "@");

        burl_buf_html_n(out, s, n);
        if (s[n] == '@')
            burl_buf_str_append(out, "&#64;");
        s += n + (s[n] == '@');
    }
    burl_buf_deinit(&clean);
}

static void
put_text(const struct burl_finding *f, struct burl_buf *out)
{
    struct burl_buf text = BURL_BUF_INIT;
    size_t fence;

    burl__doc_put_report(&text, f);
    fence = longest_run(burl_buf_str(&text), '`') + 1;
    fence = fence < 3 ? 3 : fence;
    burl_buf_printf(out, "\n<details><summary>#%u ", f->number);
    put_html(out, f->kind);
    burl_buf_str_append(out, ": ");
    put_html(out, f->title);
    burl_buf_str_append(out, "</summary>\n\n");
    put_fence(out, fence);
    burl_buf_str_append(out, "text\n");
    burl_buf_str_append(out, burl_buf_str(&text));
    put_fence(out, fence);
    burl_buf_str_append(out, "\n\n</details>\n");
    burl_buf_deinit(&text);
}

void
burl_report_doc_markdown(const struct burl_report_doc *d, struct burl_buf *out)
{
    burl_buf_str_append(out, "# burl: ");
    if (d->n == 0) {
        burl_buf_str_append(out, "no findings\n");
        return;
    }
    burl__report_put_count(out, d->n, "finding");
    burl_buf_str_append(out, "\n\n| # | Kind | Finding | Place | Program | Reproduce with |\n"
                             "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < d->n; i++)
        put_row(d, d->v[i], out);
    for (size_t i = 0; i < d->n; i++)
        put_text(d->v[i], out);
}
