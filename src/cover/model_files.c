/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/model_files.c - lines and files of the model.
 *
 * Runs in the host. A line with code is one that has a site: an access to possibly shared memory, a
 * call, the entry of a function. Lines that only compute in registers have none and are not
 * counted, covered or not. A basic block only counts if it was instrumented (--blocks); system
 * headers never count.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "cover/cover_int.h"

struct line {
    uint32_t file; /* index into m->files */
    uint32_t line;
    bool hit;
};

struct lines {
    BURL_VEC_OF(struct line);
};

char *
burl__cover_source_path(const struct burl_site_info *site)
{
    char *path;

    if (site->file[0] == '\0')
        return burl_xstrdup("");
    path = site->file[0] == '/' || site->dir[0] == '\0' ? burl_xstrdup(site->file)
                                                        : burl_path_join(site->dir, site->file);
    if (burl_fs_exists(path))
        return path;
    free(path);
    return burl_xstrdup(burl_fs_exists(site->file) ? site->file : "");
}

const char *
burl__cover_file_name(const char *file)
{
    while (file[0] == '.' && file[1] == '/') {
        file += 2;
        while (*file == '/')
            file++;
    }
    return file;
}

/* Consecutive sites are usually of one file: the last result is tried first. */
static uint32_t
file_index(struct burl_cover_model *m, const struct burl_site_info *site, uint32_t last)
{
    const char *name = burl__cover_file_name(site->file);
    struct burl_cover_file f = { 0 };

    if (last < m->files.n && strcmp(m->files.v[last].file, name) == 0)
        return last;
    for (uint32_t i = 0; i < m->files.n; i++) {
        if (strcmp(m->files.v[i].file, name) == 0)
            return i;
    }
    f.file = burl_xstrdup(name);
    f.path = burl__cover_source_path(site);
    BURL_VEC_PUSH(&m->files, f);
    return (uint32_t)m->files.n - 1;
}

static bool
has_code(const struct burl_site_info *site)
{
    if (site->line == 0 || site->file[0] == '\0' || burl_site_is_system(site))
        return false;
    return site->kind != BURL_SITE_NONE && site->kind != BURL_SITE_PLACE &&
           (site->kind != BURL_SITE_BLOCK || (site->flags & BURL_SITE_F_TOLD));
}

#define PLACE(e) (e)->file, (e)->line

static int
by_place(const void *x, const void *y)
{
    const struct line *a = x;
    const struct line *b = y;

    return BURL_COMPARE(a, b, PLACE);
}

/* Sorted, one entry per line; hit when one of them was. */
static void
fold_lines(struct lines *l)
{
    size_t n = 0;

    if (l->n > 0)
        qsort(l->v, l->n, sizeof *l->v, by_place);
    for (size_t i = 0; i < l->n; i++) {
        if (n > 0 && by_place(&l->v[n - 1], &l->v[i]) == 0)
            l->v[n - 1].hit |= l->v[i].hit;
        else
            l->v[n++] = l->v[i];
    }
    l->n = n;
}

/* A module is one translation unit, built with --blocks or without. */
static void
collect_found(const struct burl_cover *c, struct burl_cover_model *m, struct lines *l)
{
    uint32_t last = UINT32_MAX;

    m->lines_complete = true;
    for (size_t i = 0; i < c->image.n_modules; i++) {
        const struct burl_wire_module_entry *e = &c->image.modules[i];
        bool any = false;
        bool told = false;

        for (uint32_t k = 0; k < e->n_sites; k++) {
            const struct burl_site_info *site = burl_sites_get(c->sites, e->base + k);

            any |= site->kind == BURL_SITE_BLOCK;
            told |= site->kind == BURL_SITE_BLOCK && (site->flags & BURL_SITE_F_TOLD);
            if (!has_code(site))
                continue;
            last = file_index(m, site, last);
            BURL_VEC_PUSH(l, (struct line){ .file = last, .line = site->line });
        }
        m->has_blocks |= told;
        m->lines_complete &= told || !any;
    }
    m->lines_complete &= m->has_blocks;
}

static void
collect_hit(const struct burl_cover *c, struct burl_cover_model *m, struct lines *l)
{
    uint32_t last = UINT32_MAX;

    for (size_t i = 0; i < c->items.n; i++) {
        const struct burl_cover_entry *e = &c->items.v[i];
        const struct burl_site_info *site;

        if (!e->present || (e->x.metric != BURL_METRIC_LINES && e->x.metric != BURL_METRIC_BLOCKS))
            continue;
        site = burl__cover_site_info(c, e->x.a);
        if (site->line == 0 || burl_site_is_system(site))
            continue;
        last = file_index(m, site, last);
        BURL_VEC_PUSH(l, (struct line){ .file = last, .line = site->line, .hit = true });
    }
}

static int
by_name(const void *x, const void *y)
{
    const struct burl_cover_file *a = x;
    const struct burl_cover_file *b = y;

    return strcmp(a->file, b->file);
}

static void
count_side(struct burl_cover_model *m, uint32_t site, bool target, bool covered)
{
    const struct burl_cover_file key = { .file = m->sites.v[site].file };
    struct burl_cover_file *f =
        m->files.n > 0 ? bsearch(&key, m->files.v, m->files.n, sizeof key, by_name) : NULL;

    if (!f)
        return;
    f->pairs_target += target;
    f->pairs_covered += covered;
}

void
burl__cover_count_files(struct burl_cover_model *m)
{
    for (size_t i = 0; i < m->pairs.n; i++) {
        const struct burl_cover_pair *p = &m->pairs.v[i];
        const bool covered = p->state == BURL_COVER_COVERED;
        const bool target = m->has_target && (covered || p->state == BURL_COVER_UNCOVERED ||
                                              p->state == BURL_COVER_PROPOSED);

        if (!burl__cover_is_counted(m, p))
            continue;
        count_side(m, p->a, target, covered);
        if (strcmp(m->sites.v[p->a].file, m->sites.v[p->b].file) != 0)
            count_side(m, p->b, target, covered);
    }
}

void
burl__cover_fill_files(const struct burl_cover *c, struct burl_cover_model *m)
{
    struct lines l = { 0 };

    collect_found(c, m, &l);
    collect_hit(c, m, &l);
    fold_lines(&l);
    /* Not measured is not missed. */
    for (size_t i = 0; (c->program.metrics & BURL_METRIC_BIT(LINES)) != 0 && i < l.n; i++) {
        struct burl_cover_file *f = &m->files.v[l.v[i].file];

        f->lines_found++;
        f->lines_hit += l.v[i].hit;
        if (l.v[i].hit)
            BURL_VEC_PUSH(&f->hit, l.v[i].line);
        else
            BURL_VEC_PUSH(&f->missed, l.v[i].line);
    }
    BURL_VEC_FREE(&l);
    if (m->files.n > 0)
        qsort(m->files.v, m->files.n, sizeof *m->files.v, by_name);
}
