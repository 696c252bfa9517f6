/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/history_load.c - see history_file.h: from records to blocks. Host side.
 *
 * Tables are read once per file and module, however many processes have executed it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/elf.h"
#include "base/fs.h"
#include "base/history_file.h"
#include "base/path.h"
#include "base/sitetab.h"
#include "wire/history.h"

/* Where the sites of a module belong. */
struct fold {
    uint64_t hash;
    uint32_t n_sites;
    bool late;
    uint32_t *func;  /* index of the FUNC site */
    uint32_t *block; /* index of the BLOCK site */
    uint8_t *kind;
};

/* An executable or shared object. */
struct object {
    char *path;
    struct burl_sitetab *tab; /* NULL: it cannot be read */
    BURL_VEC(struct fold) folds;
};

/* A start routine that was looked up. */
struct start {
    char *path;
    uint64_t addr;
    char *name; /* "" unknown */
    bool known; /* an instrumented function */
};

struct loader {
    struct burl_histories *out;
    BURL_VEC(struct object *) objects;
    BURL_VEC(struct start) starts;
};

/* ---- tables of the files ------------------------------------------------------------------- */

static void
note(struct loader *l, const char *what, const char *why)
{
    char *text = burl_xasprintf("%s%s", what, why);

    for (size_t i = 0; i < l->out->notes.n; i++) {
        if (strcmp(l->out->notes.v[i], text) == 0) {
            free(text);
            return;
        }
    }
    BURL_VEC_PUSH(&l->out->notes, text);
}

static struct object *
object_of(struct loader *l, const char *path)
{
    struct object *o;
    struct burl_err err;

    for (size_t i = 0; i < l->objects.n; i++) {
        if (strcmp(l->objects.v[i]->path, path) == 0)
            return l->objects.v[i];
    }
    o = burl_xcalloc(1, sizeof *o);
    o->path = burl_xstrdup(path);
    o->tab = burl_sitetab_new();
    if (burl_sitetab_add_file(o->tab, path, NULL, &err) != BURL_OK) {
        burl_sitetab_free(o->tab);
        o->tab = NULL;
        note(l, err.msg, "");
    }
    BURL_VEC_PUSH(&l->objects, o);
    return o;
}

static struct fold
read_fold(const struct object *o, uint64_t hash, size_t ix)
{
    const struct burl_sitetab_module m = burl_sitetab_module(o->tab, ix);
    struct fold f = { .hash = hash, .n_sites = m.n_sites };
    struct burl_site_info site;

    f.late = strstr(m.producer, "late") != NULL;
    f.func = burl_xcalloc((size_t)m.n_sites + 1, sizeof *f.func);
    f.block = burl_xcalloc((size_t)m.n_sites + 1, sizeof *f.block);
    f.kind = burl_xcalloc((size_t)m.n_sites + 1, 1);
    for (uint32_t i = 0; i < m.n_sites; i++) {
        (void)burl_sitetab_site(o->tab, hash, i, &site);
        f.func[i] = site.func_id;
        f.block[i] = site.block_ix;
        f.kind[i] = site.kind;
    }
    return f;
}

/* NULL: the file is gone, or was built again since. */
static const struct fold *
fold_of(struct loader *l, struct object *o, const struct burl_hist_module *m)
{
    size_t ix;

    if (!o->tab)
        return NULL;
    for (size_t i = 0; i < o->folds.n; i++) {
        if (o->folds.v[i].hash == m->hash)
            return o->folds.v[i].n_sites == m->n_sites ? &o->folds.v[i] : NULL;
    }
    if (!burl_sitetab_find(o->tab, m->hash, &ix) ||
        burl_sitetab_module(o->tab, ix).n_sites != m->n_sites) {
        note(l, o->path, " was built again since it was executed");
        return NULL;
    }
    BURL_VEC_PUSH(&o->folds, read_fold(o, m->hash, ix));
    return &o->folds.v[o->folds.n - 1];
}

static void
loader_deinit(struct loader *l)
{
    for (size_t i = 0; i < l->objects.n; i++) {
        struct object *o = l->objects.v[i];

        for (size_t k = 0; k < o->folds.n; k++) {
            free(o->folds.v[k].func);
            free(o->folds.v[k].block);
            free(o->folds.v[k].kind);
        }
        BURL_VEC_FREE(&o->folds);
        burl_sitetab_free(o->tab);
        free(o->path);
        free(o);
    }
    BURL_VEC_FREE(&l->objects);
    for (size_t i = 0; i < l->starts.n; i++) {
        free(l->starts.v[i].path);
        free(l->starts.v[i].name);
    }
    BURL_VEC_FREE(&l->starts);
}

/* ---- folding ------------------------------------------------------------------------------ */

/* Sets the bits of executed sites, of their functions and blocks. late: a function of which
 * anything was executed counts as a whole, since most of its accesses have no hook. */
static void
fold_bytes(const struct fold *f, const uint8_t *seen, uint8_t *bits)
{
    for (uint32_t i = 0; i < f->n_sites; i++) {
        if (seen[i] == 0)
            continue;
        burl_history_set_bit(bits, i);
        burl_history_set_bit(bits, f->func[i]);
        burl_history_set_bit(bits, f->block[i]);
    }
    for (uint32_t i = 0; f->late && i < f->n_sites; i++) {
        if (f->kind[i] == BURL_SITE_BLOCK && burl_history_bit(bits, f->func[i]))
            burl_history_set_bit(bits, i);
    }
}

static bool
any_seen(const uint8_t *seen, uint32_t n)
{
    return memchr(seen, 1, n) != NULL;
}

static const char *
path_of(const struct burl_hist_file *f, const char *path)
{
    return path[0] != '\0' ? path : f->program;
}

static void
add_chunk(struct loader *l, struct burl_history *h, const struct burl_hist_file *f,
          const struct burl_hist_chunk *c, const uint32_t *roles)
{
    const struct burl_hist_segment *s = &f->segments.v[c->segment];
    struct object *o = object_of(l, path_of(f, s->path));

    for (size_t i = 0; i < f->modules.n; i++) {
        const struct burl_hist_module *m = &f->modules.v[i];
        const uint64_t place = (m->sites - s->first) / 8;
        const struct fold *fold;
        uint32_t module;

        if (m->segment != c->segment)
            continue;
        if (m->sites < s->first || place > c->n_sites || m->n_sites > c->n_sites - place) {
            h->partial = true;
            continue;
        }
        if (!any_seen(c->seen + place, m->n_sites))
            continue;
        fold = fold_of(l, o, m);
        if (!fold) {
            h->partial = true;
            continue;
        }
        module = burl_history_module(h, m->hash, m->n_sites, m->name, o->path);
        fold_bytes(fold, c->seen + place, burl_history_bits(h, roles[c->role], module, c->alone));
    }
}

/* ---- roles -------------------------------------------------------------------------------- */

/* The name of the function that begins at an address of the file, "" unknown: of several, the first
 * by name. */
static char *
symbol_at(const char *path, uint64_t addr)
{
    const char *best = NULL;
    struct burl_elf_symbols all;
    struct burl_elf *e;
    char *name;

    if (burl_elf_open(&e, path, NULL) != BURL_OK)
        return burl_xstrdup("");
    if (burl_elf_symbols(e, false, &all) || burl_elf_symbols(e, true, &all)) {
        for (uint64_t i = 0; i < all.n; i++) {
            Elf64_Sym sym;
            const char *s = burl_elf_symbol(&all, i, &sym);

            if (ELF64_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_shndx != SHN_UNDEF &&
                sym.st_value == addr && s[0] != '\0' && (!best || strcmp(s, best) < 0))
                best = s;
        }
    }
    name = burl_demangle(best ? best : "");
    burl_elf_close(e);
    return name;
}

static bool
has_function(const struct object *o, const char *name)
{
    struct burl_site_info site;

    for (size_t i = 0; o->tab && i < burl_sitetab_n_modules(o->tab); i++) {
        const struct burl_sitetab_module m = burl_sitetab_module(o->tab, i);

        for (uint32_t k = 0; k < m.n_sites; k++) {
            if (burl_sitetab_site(o->tab, m.hash, k, &site) && site.kind == BURL_SITE_FUNC &&
                strcmp(site.func, name) == 0)
                return true;
        }
    }
    return false;
}

static const struct start *
start_of(struct loader *l, const char *path, uint64_t addr)
{
    struct start *s;

    for (size_t i = 0; i < l->starts.n; i++) {
        if (l->starts.v[i].addr == addr && strcmp(l->starts.v[i].path, path) == 0)
            return &l->starts.v[i];
    }
    s = BURL_VEC_ADD(&l->starts);
    s->path = burl_xstrdup(path);
    s->addr = addr;
    s->name = addr != 0 ? symbol_at(path, addr) : burl_xstrdup("");
    s->known = s->name[0] != '\0' && has_function(object_of(l, path), s->name);
    return s;
}

/* The first function that the thread entered, "" unknown. */
static const char *
first_of(struct loader *l, const struct burl_hist_file *f, const struct burl_hist_role *r)
{
    struct burl_site_info site;

    for (size_t i = 0; r->first_module != 0 && i < f->modules.n; i++) {
        const struct burl_hist_module *m = &f->modules.v[i];
        struct object *o;

        if (m->hash != r->first_module)
            continue;
        o = object_of(l, path_of(f, f->segments.v[m->segment].path));
        if (o->tab && burl_sitetab_site(o->tab, m->hash, r->first_site, &site))
            return site.func; /* lives as long as the table */
    }
    return "";
}

static uint32_t
add_role(struct loader *l, struct burl_history *h, const struct burl_hist_file *f,
         const struct burl_hist_role *r)
{
    struct burl_history_role role = {
        .create_module = r->create_module,
        .create_site = r->create_site,
        .ordinal = r->ordinal,
        .many = (r->flags & BURL_HIST_ROLE_MANY) != 0,
    };

    if ((r->flags & BURL_HIST_ROLE_MAIN) != 0) {
        role.start = (char *)"main";
    } else {
        const struct start *s = start_of(l, path_of(f, r->path), r->start);
        const char *first = s->known ? "" : first_of(l, f, r);

        role.start = (char *)(first[0] != '\0' ? first : s->name);
    }
    return burl_history_role(h, &role);
}

/* Would a thread that starts in this object have been seen? The threads of std::thread start in the
 * library. */
static bool
is_observed(const struct burl_hist_file *f, const char *path)
{
    for (size_t i = 0; i < f->modules.n; i++) {
        if (strcmp(path_of(f, f->segments.v[f->modules.v[i].segment].path), path) == 0)
            return true;
    }
    return strstr(path, "/libstdc++.so") != NULL;
}

/* A thread that the process did not wait for may have executed nothing when it ended; in another
 * run it does. */
static void
find_idle_roles(struct loader *l, struct burl_history *h, const struct burl_hist_file *f,
                const uint32_t *roles)
{
    for (size_t i = 0; i < f->roles.n; i++) {
        const struct burl_hist_role *r = &f->roles.v[i];
        bool idle = (r->flags & BURL_HIST_ROLE_MAIN) == 0 && is_observed(f, path_of(f, r->path));

        for (size_t k = 0; idle && k < h->sets.n; k++)
            idle = h->sets.v[k].role != roles[i];
        if (!idle)
            continue;
        h->partial = true;
        note(l, f->program, ": it ended before a thread had begun");
        return;
    }
}

/* ---- files -------------------------------------------------------------------------------- */

static void
add_file(struct loader *l, struct burl_history *h, const struct burl_hist_file *f)
{
    uint32_t *roles = burl_xcalloc(f->roles.n + 1, sizeof *roles);

    h->program = burl_xstrdup(f->program);
    h->partial = f->partial;
    if (f->partial)
        note(l, f->program, ": not everything that was executed could be recorded");
    for (size_t i = 0; i < f->roles.n; i++)
        roles[i] = add_role(l, h, f, &f->roles.v[i]);
    for (size_t i = 0; i < f->overlaps.n; i++)
        burl_history_add_overlap(h, roles[f->overlaps.v[i].a], roles[f->overlaps.v[i].b]);
    for (size_t i = 0; i < f->chunks.n; i++)
        add_chunk(l, h, f, &f->chunks.v[i], roles);
    find_idle_roles(l, h, f, roles);
    /* Also modules of which nothing was executed: the base version consists of them, too. */
    for (size_t i = 0; i < f->modules.n; i++) {
        const struct burl_hist_module *m = &f->modules.v[i];

        (void)burl_history_module(h, m->hash, m->n_sites, m->name,
                                  path_of(f, f->segments.v[m->segment].path));
    }
    free(roles);
}

static struct burl_history *
history_of(struct burl_histories *out, const char *program)
{
    struct burl_history *h;

    for (size_t i = 0; i < out->n; i++) {
        if (strcmp(out->v[i].program, program) == 0)
            return &out->v[i];
    }
    h = BURL_VEC_ADD(out);
    burl_history_init(h);
    h->program = burl_xstrdup(program);
    return h;
}

static enum burl_status
load_file(struct loader *l, const char *path, struct burl_err *err)
{
    struct burl_hist_file f;
    struct burl_history h;
    char *bytes = NULL;
    size_t n = 0;
    enum burl_status st = burl_fs_read_file(path, BURL_WIRE_HIST_MAX_B + 1, &bytes, &n, err);

    if (st == BURL_OK)
        st = burl_hist_file_decode(&f, bytes, n, path, err);
    if (st != BURL_OK) {
        free(bytes);
        return st;
    }
    if (f.roles.n > 0) {
        burl_history_init(&h);
        add_file(l, &h, &f);
        burl_history_merge(history_of(l->out, h.program), &h);
        burl_history_deinit(&h);
    }
    burl_hist_file_deinit(&f);
    free(bytes);
    return BURL_OK;
}

static int
has_suffix(const struct dirent *e)
{
    const size_t n = strlen(e->d_name);
    const size_t suffix = sizeof BURL_WIRE_HIST_SUFFIX - 1;

    return n > suffix && strcmp(e->d_name + n - suffix, BURL_WIRE_HIST_SUFFIX) == 0;
}

static int
compare_programs(const void *a, const void *b)
{
    return strcmp(((const struct burl_history *)a)->program,
                  ((const struct burl_history *)b)->program);
}

enum burl_status
burl_history_load_dir(struct burl_histories *out, const char *dir, struct burl_err *err)
{
    struct loader l = { .out = out };
    struct dirent **names = NULL;
    enum burl_status st = BURL_OK;
    int n;

    memset(out, 0, sizeof *out);
    n = scandir(dir, &names, has_suffix, versionsort);
    if (n < 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot read the directory %s", dir);
    for (int i = 0; i < n; i++) {
        char *path = burl_path_join(dir, names[i]->d_name);

        if (st == BURL_OK)
            st = load_file(&l, path, err);
        free(path);
        free(names[i]);
    }
    free(names);
    loader_deinit(&l);
    if (st != BURL_OK)
        burl_histories_deinit(out);
    else if (out->n > 0)
        qsort(out->v, out->n, sizeof *out->v, compare_programs);
    return st;
}

void
burl_histories_deinit(struct burl_histories *h)
{
    for (size_t i = 0; i < h->n; i++)
        burl_history_deinit(&h->v[i]);
    BURL_VEC_FREE(h);
    for (size_t i = 0; i < h->notes.n; i++)
        free(h->notes.v[i]);
    BURL_VEC_FREE(&h->notes);
}
