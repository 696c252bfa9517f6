/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/render_cover_html.c - writes the coverage page, and the frame all its pages have.
 *
 * Runs in the host. See render_cover_int.h for the shape of the page. index.html is written last: a
 * page that can be opened is complete. Files are not synced, because they can be made again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/path.h"
#include "report/cover/render_cover_int.h"

void
burl__cover_put_place(const struct burl__cover_html *h, uint32_t i, const char *data,
                      struct burl_buf *out)
{
    const struct burl_cover_site *s = burl__cover_site(h->m, i);
    const bool linked = i < h->m->sites.n && h->site_src[i] != UINT32_MAX && s->line != 0;

    if (linked)
        burl__html_put(out, "<a href=\"%s#L%u\"%s>", h->srcs.v[h->site_src[i]].href, s->line, data);
    burl__html_put(out, "%E:%u%s", *burl__cover_str(s->file) != '\0' ? s->file : "?", s->line,
                   linked ? "</a>" : "");
}

const char *
burl__cover_state_mark(enum burl_cover_state state)
{
    static const char *const marks[BURL__COVER_N_STATES] = {
        [BURL_COVER_COVERED] = "\xe2\x97\x8f",
        [BURL_COVER_UNCOVERED] = "\xe2\x97\x8b",
        [BURL_COVER_PRUNED] = "P",
        [BURL_COVER_PROPOSED] = "?",
        [BURL_COVER_IMPOSSIBLE] = "\xc3\x97",
        [BURL_COVER_OUTSIDE] = "+",
    };

    return (unsigned)state < BURL__COVER_N_STATES ? marks[state] : " ";
}

void
burl__cover_html_head(const struct burl__cover_html *h, struct burl_buf *out, const char *title,
                      const char *page, const char *root)
{
    static const struct {
        const char *page;
        const char *href;
        const char *text;
    } links[] = {
        { "index", "index.html", "Summary" },
        { "pairs", "pairs.html", "Pairs" },
        { "variables", "variables.html", "Variables" },
        { "file", "index.html#files", "Files" },
    };

    char *full = burl_xasprintf("%s - burl cover", title);

    burl__html_head(out, full);
    free(full);
    burl__html_put(out,
                   "<link rel=\"stylesheet\" href=\"%stheme.css\">\n"
                   "<link rel=\"stylesheet\" href=\"%scover.css\">\n</head>\n"
                   "<body data-page=\"%s\" data-root=\"%s\">\n"
                   "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header>"
                   "<span class=\"brand\"><b>burl</b> cover</span><nav aria-label=\"Pages\">",
                   root, root, page, root);
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        burl__html_put(out, "<a href=\"%s%s\"%s>%s</a>", root, links[i].href,
                       strcmp(page, links[i].page) == 0 ? " aria-current=\"page\"" : "",
                       links[i].text);
    burl__html_put(out,
                   "</nav><span class=\"prog\" title=\"%E\">%E</span></header>\n"
                   "<main id=\"main\" tabindex=\"-1\">\n",
                   h->m->command, h->m->program);
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
    enum burl_status st = burl_fs_check_output_in(dir, name, err);
    int fd = -1;

    if (st != BURL_OK) {
        free(path);
        return st;
    }
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (fd >= 0)
        st = burl_fs_write_all(fd, text, n, err);
    if (st == BURL_OK && (fd < 0 || close(fd) != 0))
        st = burl_err_set(err, BURL_E_IO, errno, "cannot write %s", path);
    else if (st != BURL_OK)
        close(fd);
    free(path);
    return st;
}

/* Also collects the source lines for data.js: one file is in memory at a time. */
static enum burl_status
write_sources(struct burl__cover_html *h, const char *dir, struct burl_buf *page,
              struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (uint32_t i = 0; i < h->srcs.n && st == BURL_OK; i++) {
        struct burl__html_source t;

        burl__html_source_load(&t, h->srcs.v[i].path);
        burl_buf_clear(page);
        burl__cover_html_file(h, i, &t, page);
        burl__html_source_deinit(&t);
        st = write_file(dir, h->srcs.v[i].href, burl_buf_str(page), page->n, err);
    }
    if (h->lines.n > 0)
        burl_buf_char(&h->lines, '}');
    return st;
}

static enum burl_status
write_all(struct burl__cover_html *h, const char *dir, struct burl_err *err)
{
    static const struct {
        const char *name;
        void (*make)(const struct burl__cover_html *h, struct burl_buf *out);
    } pages[] = {
        { "data.js", burl__cover_html_data },
        { "pairs.html", burl__cover_html_pairs },
        { "variables.html", burl__cover_html_variables },
        { "index.html", burl__cover_html_index },
    };
    char *files = burl_path_join(dir, "file");
    enum burl_status st = burl_fs_mkdir_p(files, err);
    struct burl_buf page = BURL_BUF_INIT;
    const char *theme = burl__html_asset("theme.css");

    free(files);
    if (st == BURL_OK)
        st = write_file(dir, "theme.css", theme, strlen(theme), err);
    for (const struct burl__cover_asset *a = burl__cover_assets; a->name && st == BURL_OK; a++)
        st = write_file(dir, a->name, a->text, strlen(a->text), err);
    if (st == BURL_OK)
        st = write_sources(h, dir, &page, err);
    for (size_t i = 0; i < sizeof pages / sizeof pages[0] && st == BURL_OK; i++) {
        burl_buf_clear(&page);
        pages[i].make(h, &page);
        st = write_file(dir, pages[i].name, burl_buf_str(&page), page.n, err);
    }
    burl_buf_deinit(&page);
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
