/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/sitetab.c - see sitetab.h. Host side.
 *
 * Records are copied out of the file once they are checked, so the table does
 * not depend on the file staying as it is (programs are rebuilt while a
 * campaign's results are looked at).
 */
#include "base/sitetab.h"

#include <stdlib.h>
#include <string.h>

#include "base/elf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "wire/sitefile.h"
#include "wire/version.h"

enum { RECORD_STEP = 8 };

struct module {
    struct burl_wire_sitefile_head head;
    struct burl_wire_sitedesc *descs;
    char *strings;
    char *path;
};

struct modules {
    BURL_VEC_OF(struct module);
};

struct burl_sitetab {
    struct modules all;
    size_t *order; /* indices into all, sorted by hash */
    size_t n_order;
};

struct burl_sitetab *
burl_sitetab_new(void)
{
    return burl_xcalloc(1, sizeof(struct burl_sitetab));
}

static void
free_modules(struct modules *m, size_t keep)
{
    for (size_t i = keep; i < m->n; i++) {
        free(m->v[i].descs);
        free(m->v[i].strings);
        free(m->v[i].path);
    }
    m->n = keep;
}

void
burl_sitetab_free(struct burl_sitetab *t)
{
    if (!t)
        return;
    free_modules(&t->all, 0);
    BURL_VEC_FREE(&t->all);
    free(t->order);
    free(t);
}

/* The first position in `order` whose hash is not below `hash`. */
static size_t
lower_bound(const struct burl_sitetab *t, uint64_t hash)
{
    size_t lo = 0, hi = t->n_order;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->all.v[t->order[mid]].head.hash < hash)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool
burl_sitetab_find(const struct burl_sitetab *t, uint64_t hash, size_t *ix)
{
    size_t at = lower_bound(t, hash);

    if (at >= t->n_order || t->all.v[t->order[at]].head.hash != hash)
        return false;
    *ix = t->order[at];
    return true;
}

/* Whether every string offset and index of the record lies in it. */
static bool
check_descs(const struct module *m)
{
    const struct burl_wire_sitefile_head *h = &m->head;

    for (uint32_t i = 0; i < h->n_sites; i++) {
        const struct burl_wire_sitedesc *d = &m->descs[i];
        if (d->file >= h->strings_b || d->func >= h->strings_b || d->variable >= h->strings_b ||
            d->func_ix >= h->n_sites || d->block_ix >= h->n_sites || d->kind >= BURL_SITE__N)
            return false;
    }
    return h->name < h->strings_b && h->dir < h->strings_b && h->producer < h->strings_b;
}

static enum burl_status
read_record(struct module *m, const uint8_t *p, uint64_t n, const char *path, struct burl_err *err)
{
    memset(m, 0, sizeof *m);
    if (n < sizeof m->head)
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s: site record is cut short", path);
    memcpy(&m->head, p, sizeof m->head);
    if (m->head.version != BURL_WIRE_VERSION)
        return burl_err_set(err, BURL_E_FORMAT, 0,
                            "%s was built by another version of burl (format %u, this one reads "
                            "%u); build it again",
                            path, m->head.version, BURL_WIRE_VERSION);
    uint64_t descs_b = (uint64_t)m->head.n_sites * sizeof *m->descs;
    uint64_t need = sizeof m->head + descs_b + m->head.strings_b;
    if (m->head.record_b > n || need > m->head.record_b || m->head.strings_b == 0 ||
        m->head.record_b % RECORD_STEP != 0)
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s: site record has a wrong length", path);
    if (p[sizeof m->head + descs_b] != 0 || p[need - 1] != 0)
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s: site record has damaged strings", path);

    m->descs = burl_xmalloc(descs_b);
    memcpy(m->descs, p + sizeof m->head, descs_b);
    m->strings = burl_xmemdup(p + sizeof m->head + descs_b, m->head.strings_b);
    m->path = burl_xstrdup(path);
    if (!check_descs(m)) {
        struct modules one = { .v = m, .n = 1 };
        free_modules(&one, 0);
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s: site record points outside itself", path);
    }
    return BURL_OK;
}

static enum burl_status
read_section(struct burl_sitetab *t, const struct burl_elf_section *s, size_t *n_modules,
             const char *path, struct burl_err *err)
{
    uint64_t at = 0;

    while (at + RECORD_STEP <= s->size_b) {
        struct module m;
        uint64_t magic;
        size_t known;
        memcpy(&magic, s->bytes + at, sizeof magic);
        if (magic == 0) {
            at += RECORD_STEP;
            continue;
        }
        if (magic != BURL_WIRE_SITES_MAGIC)
            return burl_err_set(err, BURL_E_FORMAT, 0, "%s: section %s is damaged at offset %llu",
                                path, BURL_WIRE_SITES_SECTION, (unsigned long long)at);
        enum burl_status st = read_record(&m, s->bytes + at, s->size_b - at, path, err);
        if (st != BURL_OK)
            return st;
        at += m.head.record_b;
        ++*n_modules;
        if (burl_sitetab_find(t, m.head.hash, &known)) {
            struct modules one = { .v = &m, .n = 1 };
            free_modules(&one, 0);
        } else {
            BURL_VEC_PUSH(&t->all, m);
        }
    }
    return BURL_OK;
}

static int
compare_hash(const void *a, const void *b, void *arg)
{
    const struct module *m = arg;
    uint64_t x = m[*(const size_t *)a].head.hash;
    uint64_t y = m[*(const size_t *)b].head.hash;
    return (x > y) - (x < y);
}

static void
sort_modules(struct burl_sitetab *t)
{
    t->order = burl_xreallocarray(t->order, t->all.n + 1, sizeof *t->order);
    for (size_t i = 0; i < t->all.n; i++)
        t->order[i] = i;
    t->n_order = t->all.n;
    qsort_r(t->order, t->n_order, sizeof *t->order, compare_hash, t->all.v);
}

enum burl_status
burl_sitetab_add_file(struct burl_sitetab *t, const char *path, size_t *n_modules,
                      struct burl_err *err)
{
    struct burl_elf *e;
    struct burl_elf_section s;
    size_t before = t->all.n;
    size_t n = 0;
    enum burl_status st = burl_elf_open(&e, path, err);

    if (n_modules)
        *n_modules = 0;
    if (st != BURL_OK)
        return st;
    for (size_t ix = 0; st == BURL_OK && burl_elf_find(e, BURL_WIRE_SITES_SECTION, &ix, &s); ix++)
        if (s.bytes)
            st = read_section(t, &s, &n, path, err);
    burl_elf_close(e);
    if (st != BURL_OK) {
        free_modules(&t->all, before);
        return st;
    }
    sort_modules(t);
    if (n_modules)
        *n_modules = n;
    return BURL_OK;
}

size_t
burl_sitetab_n_modules(const struct burl_sitetab *t)
{
    return t->all.n;
}

struct burl_sitetab_module
burl_sitetab_module(const struct burl_sitetab *t, size_t ix)
{
    BURL_ASSERT(ix < t->all.n);
    const struct module *m = &t->all.v[ix];
    return (struct burl_sitetab_module){ .hash = m->head.hash,
                                         .n_sites = m->head.n_sites,
                                         .name = m->strings + m->head.name,
                                         .dir = m->strings + m->head.dir,
                                         .producer = m->strings + m->head.producer,
                                         .path = m->path };
}

bool
burl_sitetab_site(const struct burl_sitetab *t, uint64_t hash, uint32_t index,
                  struct burl_site_info *out)
{
    size_t ix;

    *out = (struct burl_site_info){
        .file = "", .dir = "", .func = "", .variable = "", .module = "", .order = BURL_MO_NONE
    };
    if (!burl_sitetab_find(t, hash, &ix) || index >= t->all.v[ix].head.n_sites)
        return false;
    const struct module *m = &t->all.v[ix];
    const struct burl_wire_sitedesc *d = &m->descs[index];
    *out = (struct burl_site_info){ .index = index,
                                    .module_hash = hash,
                                    .file = m->strings + d->file,
                                    .dir = m->strings + m->head.dir,
                                    .func = m->strings + d->func,
                                    .variable = m->strings + d->variable,
                                    .module = m->strings + m->head.name,
                                    .line = d->line,
                                    .column = d->column,
                                    .func_id = d->func_ix,
                                    .block_ix = d->block_ix,
                                    .kind = d->kind,
                                    .size_b = d->size_b,
                                    .order = d->order,
                                    .flags = d->flags };
    return true;
}
