/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/render_cover_html.c - writes the coverage page, and the frame all its pages have.
 *
 * Runs in the host. See cover_html_int.h for the shape of the page. index.html is written last: a
 * page that can be opened is complete. Files are not synced, because they can be made again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/path.h"
#include "report/cover/cover_html_int.h"

void
burl__cover_esc(struct burl_buf *out, const char *s, size_t n)
{
    size_t plain = 0;

    for (size_t i = 0; i < n; i++) {
        const char *as = NULL;

        switch (s[i]) {
        case '&':
            as = "&amp;";
            break;
        case '<':
            as = "&lt;";
            break;
        case '>':
            as = "&gt;";
            break;
        case '"':
            as = "&quot;";
            break;
        case '\'':
            as = "&#39;";
            break;
        case '\0':
            as = "\xef\xbf\xbd"; /* U+FFFD: HTML has no way to write it */
            break;
        default:
            continue;
        }
        burl_buf_append(out, s + plain, i - plain);
        burl_buf_str_append(out, as);
        plain = i + 1;
    }
    burl_buf_append(out, s + plain, n - plain);
}

void
burl__cover_esc_str(struct burl_buf *out, const char *s)
{
    s = burl__cover_str(s);
    burl__cover_esc(out, s, strlen(s));
}

const char *
burl__cover_state_mark(enum burl_cover_state state)
{
    switch (state) {
    case BURL_COVER_COVERED:
        return "\xe2\x97\x8f";
    case BURL_COVER_UNCOVERED:
        return "\xe2\x97\x8b";
    case BURL_COVER_PRUNED:
        return "P";
    case BURL_COVER_PROPOSED:
        return "?";
    case BURL_COVER_IMPOSSIBLE:
        return "\xc3\x97";
    case BURL_COVER_OUTSIDE:
        return "+";
    }
    return " ";
}

static void
put_link(struct burl_buf *out, const char *root, const char *href, const char *text, bool here)
{
    burl_buf_printf(out, "<a href=\"%s%s\"%s>%s</a>", root, href,
                    here ? " aria-current=\"page\"" : "", text);
}

void
burl__cover_html_head(const struct burl__cover_html *h, struct burl_buf *out, const char *title,
                      const char *page, const char *root)
{
    burl_buf_str_append(out,
                        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width, "
                        "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
                        "dark\">\n<title>");
    burl__cover_esc_str(out, title);
    burl_buf_str_append(out, " - burl cover</title>\n");
    burl_buf_printf(out,
                    "<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" "
                    "href=\"%scover.css\">\n</head>\n<body data-page=\"%s\" data-root=\"%s\">\n",
                    root, page, root);
    burl_buf_str_append(out, "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header>"
                             "<span class=\"brand\"><b>burl</b> cover</span><nav "
                             "aria-label=\"Pages\">");
    put_link(out, root, "index.html", "Summary", strcmp(page, "index") == 0);
    put_link(out, root, "pairs.html", "Pairs", strcmp(page, "pairs") == 0);
    put_link(out, root, "variables.html", "Variables", strcmp(page, "variables") == 0);
    put_link(out, root, "index.html#files", "Files", strcmp(page, "file") == 0);
    burl_buf_str_append(out, "</nav><span class=\"prog\" title=\"");
    burl__cover_esc_str(out, h->m->command);
    burl_buf_str_append(out, "\">");
    burl__cover_esc_str(out, h->m->program);
    burl_buf_str_append(out, "</span></header>\n<main id=\"main\" tabindex=\"-1\">\n");
}

void
burl__cover_html_foot(struct burl_buf *out, const char *root, const char *script)
{
    burl_buf_printf(out,
                    "</main>\n<script src=\"%sdata.js\"></script>\n"
                    "<script src=\"%scover.js\"></script>\n",
                    root, root);
    if (script != NULL)
        burl_buf_printf(out, "<script src=\"%s%s\"></script>\n", root, script);
    burl_buf_str_append(out, "</body>\n</html>\n");
}

void
burl__cover_html_bar(struct burl_buf *out, uint64_t covered, uint64_t target)
{
    uint32_t x = burl__cover_permille(covered, target);

    if (target == 0) {
        burl_buf_str_append(out, "<span class=\"none\">\xe2\x80\x93</span>");
        return;
    }
    burl_buf_printf(out,
                    "<span class=\"bar\"><i style=\"width:%u.%u%%\"></i></span>"
                    "<span class=\"pct\">%u.%u%%</span>",
                    x / 10, x % 10, x / 10, x % 10);
}

/* ---- the directory --------------------------------------------------------------------- */

static enum burl_status
write_file(const char *dir, const char *name, const char *text, size_t n, struct burl_err *err)
{
    char *path = burl_path_join(dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    enum burl_status st;

    if (fd < 0) {
        st = burl_err_set(err, BURL_E_IO, errno, "cannot write %s", path);
        free(path);
        return st;
    }
    st = burl_fs_write_all(fd, text, n, err);
    if (close(fd) != 0 && st == BURL_OK)
        st = burl_err_set(err, BURL_E_IO, errno, "cannot write %s", path);
    free(path);
    return st;
}

/* Also collects the source lines for data.js: one file is in memory at a time. */
static enum burl_status
write_sources(struct burl__cover_html *h, const char *dir, struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    struct burl_buf page;

    burl_buf_init(&page, BURL_BUF_NO_LIMIT);
    for (uint32_t i = 0; i < h->srcs.n && st == BURL_OK; i++) {
        struct burl__cover_text t;

        burl__cover_text_load(&t, h->srcs.v[i].path);
        burl_buf_clear(&page);
        burl__cover_html_file(h, i, &t, &page);
        burl__cover_text_deinit(&t);
        st = write_file(dir, h->srcs.v[i].href, burl_buf_str(&page), page.n, err);
    }
    if (h->lines.n > 0)
        burl_buf_char(&h->lines, '}');
    burl_buf_deinit(&page);
    return st;
}

static enum burl_status
write_page(const struct burl__cover_html *h, const char *dir, const char *name,
           void (*make)(const struct burl__cover_html *h, struct burl_buf *out),
           struct burl_err *err)
{
    enum burl_status st;
    struct burl_buf page;

    burl_buf_init(&page, BURL_BUF_NO_LIMIT);
    make(h, &page);
    st = write_file(dir, name, burl_buf_str(&page), page.n, err);
    burl_buf_deinit(&page);
    return st;
}

static enum burl_status
write_all(struct burl__cover_html *h, const char *dir, struct burl_err *err)
{
    char *files = burl_path_join(dir, "file");
    enum burl_status st = burl_fs_mkdir_p(files, err);

    free(files);
    for (const struct burl__cover_asset *a = burl__cover_assets; a->name && st == BURL_OK; a++)
        st = write_file(dir, a->name, a->text, strlen(a->text), err);
    if (st == BURL_OK)
        st = write_sources(h, dir, err);
    if (st == BURL_OK)
        st = write_page(h, dir, "data.js", burl__cover_html_data, err);
    if (st == BURL_OK)
        st = write_page(h, dir, "pairs.html", burl__cover_html_pairs, err);
    if (st == BURL_OK)
        st = write_page(h, dir, "variables.html", burl__cover_html_variables, err);
    if (st == BURL_OK)
        st = write_page(h, dir, "index.html", burl__cover_html_index, err);
    return st;
}

enum burl_status
burl_report_cover_html(const struct burl_cover_model *m, const char *dir, struct burl_err *err)
{
    struct burl__cover_html h;
    enum burl_status st;

    burl__cover_html_plan(&h, m);
    st = write_all(&h, dir, err);
    burl__cover_html_deinit(&h);
    return st;
}
