/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/cover_html_plan.c - which files, pairs and lines the coverage page has.
 *
 * Runs in the host. Files are those of the model, in its order, and then those that only sites
 * name. A site belongs to the file with the same path, or the same name where no path is known.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/path.h"
#include "report/cover/render_cover_int.h"

/* ---- files ----------------------------------------------------------------------------- */

/* A site of a file that the model does not list. */
struct named {
    const char *key;
    uint32_t site;
};

static const char *
key_of(const char *file, const char *path)
{
    return *burl__cover_str(path) != '\0' ? path : burl__cover_str(file);
}

static uint64_t
hash_key(const char *key)
{
    return burl_hash_end(burl_hash_str(BURL_HASH_BEGIN, key));
}

#define SITE(e) (e)->site
#define NUMBER(e) *(const uint32_t *)(e)
#define MARK(e) (e)->src, (e)->line, (e)->pair, (e)->later

static int
by_key(const void *a, const void *b)
{
    const struct named *x = a;
    const struct named *y = b;
    int order = strcmp(x->key, y->key);

    return order != 0 ? order : BURL_COMPARE(x, y, SITE);
}

/* The first with that key, or NULL. */
static bool
is_src(const void *srcs, uint64_t i, const void *key)
{
    const struct burl__cover_src *s = (const struct burl__cover_src *)srcs + i;

    return strcmp(key_of(s->name, s->path), key) == 0;
}

/* The index of the file with that key, UINT32_MAX none. */
static uint32_t
find_src(const struct burl__cover_html *h, const struct burl_map *by_name, const char *key)
{
    uint64_t i = UINT32_MAX;

    burl_map_find(by_name, hash_key(key), is_src, h->srcs.v, key, &i);
    return (uint32_t)i;
}

static void
add_src(struct burl__cover_html *h, struct burl_map *by_name, const char *name, const char *path,
        const struct burl_cover_file *f)
{
    struct burl__cover_src s = { .name = burl__cover_str(name), .path = burl__cover_str(path) };
    const char *base = burl_path_basename(s.name);
    const char *key = key_of(name, path);
    uint64_t i = h->srcs.n;
    struct burl_buf href = BURL_BUF_INIT;

    burl_buf_printf(&href, "file/%zu-", h->srcs.n + 1);
    for (size_t k = 0; base[k] != '\0' && k < 60; k++) {
        bool plain = (base[k] >= 'a' && base[k] <= 'z') || (base[k] >= 'A' && base[k] <= 'Z') ||
                     (base[k] >= '0' && base[k] <= '9') || strchr("._-", base[k]) != NULL;

        burl_buf_char(&href, plain ? base[k] : '_');
    }
    burl_buf_str_append(&href, ".html");
    s.href = burl_buf_take(&href, NULL);
    s.f = f;
    burl_map_find_or_add(by_name, hash_key(key), is_src, h->srcs.v, key, &i);
    BURL_VEC_PUSH(&h->srcs, s);
}

static void
plan_files(struct burl__cover_html *h)
{
    const struct burl_cover_model *m = h->m;
    struct burl_map by_name = { 0 }; /* index into srcs */
    struct {
        BURL_VEC_OF(struct named);
    } more = { 0 };

    for (size_t i = 0; i < m->files.n; i++)
        add_src(h, &by_name, m->files.v[i].file, m->files.v[i].path, &m->files.v[i]);
    for (size_t i = 0; i < m->sites.n; i++) {
        const struct named n = { key_of(m->sites.v[i].file, m->sites.v[i].path), (uint32_t)i };

        if (*n.key != '\0' && find_src(h, &by_name, n.key) == UINT32_MAX)
            BURL_VEC_PUSH(&more, n);
    }
    /* Sites sorted by their file, the first of each adds it. */
    if (more.n > 0)
        qsort(more.v, more.n, sizeof *more.v, by_key);
    for (size_t i = 0; i < more.n; i++) {
        const struct burl_cover_site *s = &m->sites.v[more.v[i].site];

        if (i == 0 || strcmp(more.v[i - 1].key, more.v[i].key) != 0)
            add_src(h, &by_name, s->file, s->path, NULL);
    }
    h->site_src = burl_xcalloc(m->sites.n + 1, sizeof *h->site_src);
    for (size_t i = 0; i < m->sites.n; i++) {
        const char *key = key_of(m->sites.v[i].file, m->sites.v[i].path);

        h->site_src[i] = *key != '\0' ? find_src(h, &by_name, key) : UINT32_MAX;
    }
    burl_map_deinit(&by_name);
    BURL_VEC_FREE(&more);
}

/* ---- pairs ----------------------------------------------------------------------------- */

static int
by_number(const void *a, const void *b)
{
    return BURL_COMPARE(a, b, NUMBER);
}

/* All of them, or the best gaps and then the others in order as far as there is room. */
static void
plan_pairs(struct burl__cover_html *h)
{
    const struct burl_cover_model *m = h->m;
    size_t n_gaps;
    uint32_t *gaps = burl__cover_gaps(m, &n_gaps);
    size_t others = m->pairs.n - n_gaps;
    size_t room = BURL__COVER_HTML_PAIRS;
    size_t keep_others = others < room / 2 || others + n_gaps <= room ? others : room / 2;
    size_t keep_gaps;

    if (n_gaps < room / 2 && others > keep_others)
        keep_others = room - n_gaps < others ? room - n_gaps : others;
    keep_gaps = n_gaps < room - keep_others ? n_gaps : room - keep_others;
    for (size_t i = 0; i < keep_gaps; i++)
        BURL_VEC_PUSH(&h->pairs, gaps[i]);
    for (size_t i = 0; i < m->pairs.n && keep_others > 0; i++) {
        if (m->pairs.v[i].state != BURL_COVER_UNCOVERED) {
            BURL_VEC_PUSH(&h->pairs, (uint32_t)i);
            keep_others--;
        }
    }
    if (h->pairs.n > 0)
        qsort(h->pairs.v, h->pairs.n, sizeof *h->pairs.v, by_number);
    free(gaps);
}

size_t
burl__cover_html_number(const struct burl__cover_html *h, uint32_t i)
{
    const uint32_t *at = NULL;

    if (h->pairs.n > 0)
        at = bsearch(&i, h->pairs.v, h->pairs.n, sizeof *h->pairs.v, by_number);
    return at != NULL ? (size_t)(at - h->pairs.v) : SIZE_MAX;
}

static int
by_line(const void *a, const void *b)
{
    const struct burl__cover_mark *x = a;
    const struct burl__cover_mark *y = b;

    return BURL_COMPARE(x, y, MARK);
}

static void
plan_marks(struct burl__cover_html *h)
{
    const struct burl_cover_model *m = h->m;

    for (size_t i = 0; i < h->pairs.n; i++) {
        const struct burl_cover_pair *p = &m->pairs.v[h->pairs.v[i]];

        for (int side = 0; side < 2; side++) {
            uint32_t s = side ? p->b : p->a;
            struct burl__cover_mark mark = { .pair = (uint32_t)i, .later = side != 0 };

            if (s >= m->sites.n || h->site_src[s] == UINT32_MAX || m->sites.v[s].line == 0)
                continue;
            mark.src = h->site_src[s];
            mark.line = m->sites.v[s].line;
            BURL_VEC_PUSH(&h->marks, mark);
        }
    }
    if (h->marks.n > 0)
        qsort(h->marks.v, h->marks.n, sizeof *h->marks.v, by_line);
}

void
burl__cover_html_plan(struct burl__cover_html *h, const struct burl_cover_model *m)
{
    memset(h, 0, sizeof *h);
    h->m = m;
    burl_buf_init(&h->lines, BURL_BUF_NO_LIMIT);
    plan_files(h);
    plan_pairs(h);
    plan_marks(h);
}

void
burl__cover_html_deinit(struct burl__cover_html *h)
{
    for (size_t i = 0; i < h->srcs.n; i++)
        free(h->srcs.v[i].href);
    BURL_VEC_FREE(&h->srcs);
    free(h->site_src);
    BURL_VEC_FREE(&h->pairs);
    BURL_VEC_FREE(&h->marks);
    burl_buf_deinit(&h->lines);
}

const struct burl__cover_mark *
burl__cover_marks(const struct burl__cover_html *h, uint32_t src, size_t *n)
{
    size_t first = 0;
    size_t end;

    while (first < h->marks.n && h->marks.v[first].src < src)
        first++;
    for (end = first; end < h->marks.n && h->marks.v[end].src == src;)
        end++;
    *n = end - first;
    return *n > 0 ? h->marks.v + first : NULL;
}
