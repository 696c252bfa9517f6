/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sites.c - site numbers to records and back, and the source text beside them.
 *
 * Runs in the host. Modules are kept sorted by base, so a number is found by
 * bisection; the records of a module are made on its first use from the table of
 * its object and stay where they are, so callers may keep pointers. A fixed
 * resolver (records given by the caller) has a loaded module for each record.
 *
 * Every failure to load is remembered once, as text, and from then on the module
 * answers with unknown records: a report without names is better than none. Source
 * files are bytes from outside too: bounded in size, and allowed to be missing,
 * shorter than the table says, or changed since the build.
 */
#include "base/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sitetab.h"
#include "base/vec.h"

/* Larger than any source a person writes; generated ones beyond it are shown without text. */
#define SOURCE_MAX_B (32u << 20)

#define NO_OBJECT UINT32_MAX

struct site_object {
    char *path;
    bool tried;
    int64_t mtime; /* seconds, 0 unknown */
    uint64_t load_bias;
    uint64_t text_start; /* of its code in the process, */
    uint64_t text_end;   /* and where it ends */
    bool symbols_tried;
    struct burl_symtab *symbols; /* NULL when it could not be read */
};

struct site_module {
    uint64_t hash;
    uint32_t base;
    uint32_t first; /* index of its first site here; 0 except in a fixed resolver */
    uint32_t n_sites;
    uint32_t object; /* NO_OBJECT in a fixed resolver */
    bool tried;
    struct burl_site_info *infos; /* n_sites of them, NULL when not loaded */
};

struct source_file {
    char *path;
    char *text;   /* newlines replaced by NUL; NULL when unreadable */
    char **lines; /* into text */
    size_t n_lines;
    int64_t mtime;
};

struct burl_sites {
    struct burl_sitetab *tab;   /* of all objects read so far; NULL in a fixed resolver */
    struct burl_nametab *names; /* the same; NULL before its first use */
    struct site_object *objects;
    size_t n_objects;
    struct site_module *modules; /* ascending base */
    size_t n_modules;
    BURL_VEC(char *) strings;          /* copies owned by a fixed resolver */
    struct burl_symtab *fixed_symbols; /* NULL: none */
    BURL_VEC(struct source_file) sources;
    char *problem;
};

static const struct burl_site_info unknown_site = {
    .file = "", .dir = "", .func = "", .variable = "", .module = "", .order = BURL_MO_NONE
};

static void BURL_PRINTF(2, 3) note_problem(struct burl_sites *s, const char *fmt, ...)
{
    va_list ap;

    if (s->problem != NULL)
        return;
    va_start(ap, fmt);
    s->problem = burl_xvasprintf(fmt, ap);
    va_end(ap);
}

static int64_t
file_mtime(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? (int64_t)st.st_mtime : 0;
}

static int
compare_modules(const void *a, const void *b)
{
    const struct site_module *x = a;
    const struct site_module *y = b;

    return x->base < y->base ? -1 : x->base > y->base;
}

static enum burl_status
check_modules(const struct burl_sites *s, struct burl_err *err)
{
    uint64_t end = 0;

    for (size_t i = 0; i < s->n_modules; i++) {
        const struct site_module *m = &s->modules[i];

        if (m->object >= s->n_objects)
            return burl_err_set(err, BURL_E_FORMAT, 0,
                                "module %016llx names loaded file %u of %zu: the control block is "
                                "damaged",
                                (unsigned long long)m->hash, m->object, s->n_objects);
        if (m->base < end || (uint64_t)m->base + m->n_sites > UINT32_MAX)
            return burl_err_set(err, BURL_E_FORMAT, 0,
                                "module %016llx has site numbers that belong to another: the "
                                "control block is damaged",
                                (unsigned long long)m->hash);
        end = (uint64_t)m->base + m->n_sites;
    }
    return BURL_OK;
}

enum burl_status
burl_sites_new(struct burl_sites **out, const struct burl_wire_object *objects, size_t n_objects,
               const struct burl_wire_module_entry *modules, size_t n_modules, struct burl_err *err)
{
    struct burl_sites *s = burl_xcalloc(1, sizeof *s);
    enum burl_status st;

    *out = NULL;
    s->n_objects = n_objects;
    s->objects = burl_xcalloc(n_objects + 1, sizeof *s->objects);
    s->tab = burl_sitetab_new();
    for (size_t i = 0; i < n_objects; i++) {
        s->objects[i].path = burl_xstrndup(objects[i].path, sizeof objects[i].path);
        s->objects[i].mtime = file_mtime(s->objects[i].path);
        s->objects[i].load_bias = objects[i].load_bias;
        s->objects[i].text_start = objects[i].text_start;
        s->objects[i].text_end = objects[i].text_end;
    }

    s->n_modules = n_modules;
    s->modules = burl_xcalloc(n_modules + 1, sizeof *s->modules);
    for (size_t i = 0; i < n_modules; i++)
        s->modules[i] = (struct site_module){ .hash = modules[i].hash,
                                              .base = modules[i].base,
                                              .n_sites = modules[i].n_sites,
                                              .object = modules[i].object };
    qsort(s->modules, n_modules, sizeof *s->modules, compare_modules);

    st = check_modules(s, err);
    if (st != BURL_OK) {
        burl_sites_free(s);
        return st;
    }
    *out = s;
    return BURL_OK;
}

static const char *
own_string(struct burl_sites *s, const char *text)
{
    char *copy;

    if (text == NULL || text[0] == '\0')
        return "";
    copy = burl_xstrdup(text);
    BURL_VEC_PUSH(&s->strings, copy);
    return copy;
}

struct burl_sites *
burl_sites_new_fixed(const struct burl_site_info *infos, size_t n)
{
    struct burl_sites *s = burl_xcalloc(1, sizeof *s);

    s->n_modules = n;
    s->modules = burl_xcalloc(n + 1, sizeof *s->modules);
    for (size_t i = 0; i < n; i++) {
        struct burl_site_info *d = burl_xmemdup(&infos[i], sizeof *d);

        d->file = own_string(s, infos[i].file);
        d->dir = own_string(s, infos[i].dir);
        d->func = own_string(s, infos[i].func);
        d->variable = own_string(s, infos[i].variable);
        d->module = own_string(s, infos[i].module);
        s->modules[i] = (struct site_module){ .hash = d->module_hash,
                                              .base = d->id,
                                              .first = d->index,
                                              .n_sites = 1,
                                              .object = NO_OBJECT,
                                              .tried = true,
                                              .infos = d };
    }
    qsort(s->modules, n, sizeof *s->modules, compare_modules);
    return s;
}

void
burl_sites_free(struct burl_sites *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->n_objects; i++) {
        free(s->objects[i].path);
        burl_symtab_free(s->objects[i].symbols);
    }
    burl_symtab_free(s->fixed_symbols);
    for (size_t i = 0; i < s->n_modules; i++)
        free(s->modules[i].infos);
    for (size_t i = 0; i < s->strings.n; i++)
        free(s->strings.v[i]);
    for (size_t i = 0; i < s->sources.n; i++) {
        free(s->sources.v[i].path);
        free(s->sources.v[i].text);
        free(s->sources.v[i].lines);
    }
    BURL_VEC_FREE(&s->strings);
    BURL_VEC_FREE(&s->sources);
    burl_sitetab_free(s->tab);
    burl_nametab_free(s->names);
    free(s->objects);
    free(s->modules);
    free(s->problem);
    free(s);
}

/* Reads the tables of a loaded file, once. */
static void
load_object(struct burl_sites *s, struct site_object *o)
{
    struct burl_err err;
    size_t n = 0;

    if (o->tried)
        return;
    o->tried = true;
    if (burl_sitetab_add_file(s->tab, o->path, &n, &err) != BURL_OK)
        note_problem(s, "no names for the code of %s: %s", o->path, err.msg);
    else if (n == 0)
        note_problem(s, "no names for the code of %s: it has no site table any more", o->path);
}

/* Makes the records of a module, once. False: nothing is known about it. */
static bool
load_module(struct burl_sites *s, struct site_module *m)
{
    struct burl_sitetab_module tm;
    size_t ix;

    if (m->tried)
        return m->infos != NULL;
    m->tried = true;
    load_object(s, &s->objects[m->object]);
    if (!burl_sitetab_find(s->tab, m->hash, &ix)) {
        note_problem(s, "no names for a part of %s: the file was built again since it was started",
                     s->objects[m->object].path);
        return false;
    }
    tm = burl_sitetab_module(s->tab, ix);
    if (tm.n_sites != m->n_sites) {
        note_problem(s, "no names for the code of %s: its table has %u sites and the program %u",
                     tm.name, tm.n_sites, m->n_sites);
        return false;
    }
    m->infos = burl_xcalloc(m->n_sites + 1u, sizeof *m->infos);
    for (uint32_t i = 0; i < m->n_sites; i++) {
        if (!burl_sitetab_site(s->tab, m->hash, i, &m->infos[i]))
            continue;
        m->infos[i].id = m->base + i;
        m->infos[i].func_id += m->base;
    }
    return true;
}

static struct site_module *
module_of(const struct burl_sites *s, uint32_t id)
{
    size_t lo = 0;
    size_t hi = s->n_modules;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        struct site_module *m = &s->modules[mid];

        if (id < m->base)
            hi = mid;
        else if (id - m->base >= m->n_sites)
            lo = mid + 1;
        else
            return m;
    }
    return NULL;
}

const struct burl_site_info *
burl_sites_get(const struct burl_sites *s, uint32_t id)
{
    struct site_module *m;

    if (s == NULL || id == 0)
        return &unknown_site;
    m = module_of(s, id);
    /* The caches are invisible to callers, so the resolver is const for them. */
    if (m == NULL || !load_module((struct burl_sites *)s, m))
        return &unknown_site;
    return &m->infos[id - m->base];
}

static const struct site_object *
object_of(const struct burl_sites *s, uint32_t id)
{
    const struct site_module *m = s != NULL ? module_of(s, id) : NULL;

    return m != NULL && m->object != NO_OBJECT ? &s->objects[m->object] : NULL;
}

uint64_t
burl_sites_address(const struct burl_sites *s, uint32_t id, uint64_t offset)
{
    const struct site_object *o = object_of(s, id);

    return o != NULL && o->load_bias != UINT64_MAX ? o->load_bias + offset : 0;
}

const char *
burl_sites_object(const struct burl_sites *s, uint32_t id)
{
    const struct site_object *o = object_of(s, id);

    return o != NULL ? o->path : "";
}

uint32_t
burl_sites_find_index(const struct burl_sites *s, uint64_t module_hash, uint32_t index)
{
    if (s == NULL)
        return 0;
    for (size_t i = 0; i < s->n_modules; i++) {
        const struct site_module *m = &s->modules[i];

        if (m->hash == module_hash && index >= m->first && index - m->first < m->n_sites)
            return m->base + (index - m->first);
    }
    return 0;
}

/* A memory intrinsic may become a plain access, or the other way, by a change of a type alone. */
static uint8_t
kind_class(uint8_t kind)
{
    if (kind == BURL_SITE_RANGE_READ)
        return BURL_SITE_READ;
    if (kind == BURL_SITE_RANGE_WRITE)
        return BURL_SITE_WRITE;
    return kind;
}

/* The best candidate so far: exact beats moved, then the nearest line, then the lowest number. */
struct best_match {
    const struct burl_site_key *key;
    const char *base_name;
    enum burl_site_match match;
    uint32_t id;
    uint32_t distance;
    size_t n;
};

static void
consider(struct best_match *best, const struct burl_site_info *site)
{
    const struct burl_site_key *key = best->key;
    bool exact;
    uint32_t distance;

    if (kind_class(site->kind) != kind_class(key->kind) || strcmp(site->func, key->func) != 0 ||
        strcmp(site->variable, key->variable) != 0)
        return;
    /* Directories differ between build trees; the name of the file rarely does. */
    if (strcmp(burl_path_basename(site->file), best->base_name) != 0)
        return;
    exact = site->line == key->line && site->column == key->column;
    distance = site->line > key->line ? site->line - key->line : key->line - site->line;
    if (exact ? best->match == BURL_SITE_MATCH_EXACT
              : best->match == BURL_SITE_MATCH_MOVED && distance == best->distance) {
        best->n++;
        return;
    }
    if (!exact && (best->match == BURL_SITE_MATCH_EXACT ||
                   (best->match == BURL_SITE_MATCH_MOVED && distance > best->distance)))
        return;
    best->match = exact ? BURL_SITE_MATCH_EXACT : BURL_SITE_MATCH_MOVED;
    best->id = site->id;
    best->distance = distance;
    best->n = 1;
}

enum burl_site_match
burl_sites_find_key(const struct burl_sites *s, const struct burl_site_key *key, uint32_t *id,
                    size_t *how_many)
{
    struct best_match best = { .key = key, .base_name = burl_path_basename(key->file) };

    for (size_t i = 0; s != NULL && i < s->n_modules; i++) {
        struct site_module *m = &s->modules[i];

        if (!load_module((struct burl_sites *)s, m))
            continue;
        for (uint32_t k = 0; k < m->n_sites; k++)
            consider(&best, &m->infos[k]);
    }
    *id = best.id;
    if (how_many != NULL)
        *how_many = best.n;
    return best.match;
}

static void
split_lines(struct source_file *f, size_t n)
{
    BURL_VEC(char *) lines = { 0 };
    char *p = f->text;
    char *end = f->text + n;

    while (p < end) {
        char *nl = memchr(p, '\n', (size_t)(end - p));
        char *stop = nl != NULL ? nl : end;

        BURL_VEC_PUSH(&lines, p);
        *stop = '\0';
        if (stop > p && stop[-1] == '\r')
            stop[-1] = '\0';
        if (nl == NULL)
            break;
        p = nl + 1;
    }
    f->lines = lines.v;
    f->n_lines = lines.n;
}

static struct source_file *
open_source(struct burl_sites *s, const char *path)
{
    struct source_file *f;
    size_t n = 0;

    for (size_t i = 0; i < s->sources.n; i++) {
        if (strcmp(s->sources.v[i].path, path) == 0)
            return &s->sources.v[i];
    }
    f = BURL_VEC_ADD(&s->sources);
    f->path = burl_xstrdup(path);
    f->mtime = file_mtime(path);
    if (!burl_fs_is_dir(path) &&
        burl_fs_read_file(path, SOURCE_MAX_B, &f->text, &n, NULL) == BURL_OK)
        split_lines(f, n);
    return f;
}

/*
 * A source that was given with its whole path, and lies beside the directory of the compilation (as
 * in every build outside the source tree), the compiler notes relative to what both have in
 * common: so the directories above are tried too.
 */
static struct source_file *
open_relative(struct burl_sites *s, const char *dir, const char *file)
{
    char *base = burl_xstrdup(dir);
    struct source_file *f = NULL;

    for (char *end = base + strlen(base); end != NULL && (f == NULL || f->text == NULL);
         end = strrchr(base, '/')) {
        char *path;

        *end = '\0';
        path = burl_path_join(base[0] != '\0' ? base : "/", file);
        f = open_source(s, path);
        free(path);
    }
    free(base);
    return f;
}

/* The file of a site as it can be opened now, NULL when it cannot. */
static struct source_file *
source_of(const struct burl_sites *s, const struct burl_site_info *site)
{
    struct burl_sites *w = (struct burl_sites *)s;
    struct source_file *f = NULL;

    if (s == NULL || site->file[0] == '\0')
        return NULL;
    if (site->dir[0] != '\0' && site->file[0] != '/')
        f = open_relative(w, site->dir, site->file);
    if (f == NULL || f->text == NULL)
        f = open_source(w, site->file);
    return f->text != NULL ? f : NULL;
}

const char *
burl_sites_source_line(const struct burl_sites *s, const struct burl_site_info *site,
                       uint32_t offset)
{
    const struct source_file *f = source_of(s, site);
    uint64_t line = (uint64_t)site->line + offset;

    if (f == NULL || site->line == 0 || line > f->n_lines)
        return NULL;
    return f->lines[line - 1];
}

bool
burl_sites_source_stale(const struct burl_sites *s, const struct burl_site_info *site)
{
    const struct source_file *f = source_of(s, site);
    const struct site_object *o = f != NULL ? object_of(s, site->id) : NULL;

    return o != NULL && o->mtime != 0 && f->mtime > o->mtime;
}

bool
burl_site_is_system(const struct burl_site_info *site)
{
    /* Where clang ends a program whose exception leaves a noexcept function. */
    static const char terminate[] = "__clang_call_terminate";

    return burl_path_is_system(site->file) ||
           (site->func != NULL && strcmp(site->func, terminate) == 0);
}

bool
burl_site_is_call(const struct burl_site_info *site)
{
    return site->kind == BURL_SITE_CALL || site->kind == BURL_SITE_PLACE;
}

uint32_t
burl_site_function(const struct burl_site_info *site)
{
    return site->kind != BURL_SITE_FUNC && site->func_id != 0 ? site->func_id : site->id;
}

void
burl_sites_fix_symbol(struct burl_sites *s, const char *name, uint64_t addr, uint64_t size_b)
{
    if (s->fixed_symbols == NULL)
        s->fixed_symbols = burl_symtab_new();
    burl_symtab_add(s->fixed_symbols, name, addr, size_b);
}

bool
burl_sites_symbol(const struct burl_sites *s, uint64_t addr, struct burl_symbol *out)
{
    if (s == NULL)
        return false;
    if (s->fixed_symbols != NULL && burl_symtab_find(s->fixed_symbols, addr, out))
        return true;
    for (size_t i = 0; i < s->n_objects; i++) {
        struct site_object *o = &s->objects[i];

        /* A file without symbols costs names only: not an error. */
        if (!o->symbols_tried && burl_symtab_open(&o->symbols, o->path, NULL) != BURL_OK)
            o->symbols = NULL;
        o->symbols_tried = true;
        if (o->symbols != NULL && addr >= o->load_bias &&
            burl_symtab_find(o->symbols, addr - o->load_bias, out)) {
            out->addr += o->load_bias;
            return true;
        }
    }
    return false;
}

bool
burl_sites_code(const struct burl_sites *s, uint64_t pc, const char **path, uint64_t *addr,
                bool *own)
{
    for (size_t i = 0; s != NULL && i < s->n_objects; i++) {
        const struct site_object *o = &s->objects[i];

        /* An object of another execution has no place in this one. */
        if (o->load_bias == UINT64_MAX || pc < o->text_start || pc >= o->text_end)
            continue;
        *path = o->path;
        *addr = pc - o->load_bias;
        *own = false;
        for (size_t k = 0; k < s->n_modules; k++)
            *own = *own || s->modules[k].object == i;
        return true;
    }
    return false;
}

/* ---- names ------------------------------------------------------------------------- */

/* The names of all objects. One that has none, or a damaged table, costs names only. */
static struct burl_nametab *
load_names(const struct burl_sites *s)
{
    struct burl_sites *cache = (struct burl_sites *)s;

    if (s == NULL)
        return NULL;
    if (s->names == NULL) {
        cache->names = burl_nametab_new();
        for (size_t i = 0; i < s->n_objects; i++) {
            bool used = false;

            for (size_t k = 0; k < s->n_modules && !used; k++)
                used = s->modules[k].object == i;
            if (used && burl_nametab_add_file(cache->names, s->objects[i].path, NULL) != BURL_OK)
                continue;
        }
    }
    return s->names;
}

bool
burl_sites_place(const struct burl_sites *s, uint32_t id, struct burl_place *out)
{
    const struct burl_nametab *names = load_names(s);
    const struct site_module *m = names != NULL ? module_of(s, id) : NULL;

    return m != NULL && burl_nametab_access(names, m->hash, m->first + (id - m->base), out);
}

const char *
burl_sites_function(const struct burl_sites *s, uint32_t func)
{
    const struct burl_nametab *names = load_names(s);
    const struct site_module *m = names != NULL ? module_of(s, func) : NULL;

    return m != NULL ? burl_nametab_symbol(names, m->hash, m->first + (func - m->base)) : "";
}

bool
burl_sites_call(const struct burl_sites *s, uint32_t func, size_t i, struct burl_call *out)
{
    const struct burl_nametab *names = load_names(s);
    const struct site_module *m = names != NULL ? module_of(s, func) : NULL;

    if (m == NULL || !burl_nametab_call(names, m->hash, m->first + (func - m->base), i, out))
        return false;
    out->site = out->site >= m->first && out->site - m->first < m->n_sites
                    ? m->base + (out->site - m->first)
                    : 0;
    return true;
}

bool
burl_sites_argument(const struct burl_sites *s, const struct burl_call *call, uint32_t position,
                    struct burl_place *out)
{
    const struct burl_nametab *names = load_names(s);

    return names != NULL && burl_nametab_argument(names, call, position, out);
}

bool
burl_sites_member(const struct burl_sites *s, uint64_t addr, uint64_t want_b, struct burl_buf *out)
{
    static const char unnamed[] = "(anonymous)::";
    const struct burl_nametab *names = load_names(s);
    struct burl_buf path = BURL_BUF_INIT;
    struct burl_symbol sym;
    /* What a library keeps for itself says nothing about the user's objects. */
    bool found =
        names != NULL && burl_sites_symbol(s, addr, &sym) && strncmp(sym.name, "std::", 5) != 0 &&
        strncmp(sym.name, "__", 2) != 0 &&
        burl_nametab_member(names, sym.linkage, sym.size_b, addr - sym.addr, want_b, &path);

    if (found) {
        const char *name = sym.name;
        const char *tag = strstr(name, "[abi:");

        for (const char *p; (p = strstr(name, unnamed)) != NULL;)
            name = p + strlen(unnamed);
        burl_buf_printf(out, "%.*s%s", tag != NULL ? (int)(tag - name) : (int)strlen(name), name,
                        burl_buf_str(&path));
    }
    burl_buf_deinit(&path);
    return found;
}

const char *
burl_sites_problem(const struct burl_sites *s)
{
    return s != NULL ? s->problem : NULL;
}
