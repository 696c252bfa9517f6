/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/objects.c - executables and shared objects of a version; contract in objects.h.
 */
#include "regress/objects.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bcrecord.h"
#include "base/fs.h"
#include "base/linereader.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sitetab.h"
#include "regress/version.h"
#include "store/regress.h"

void
burl_objects_init(struct burl_objects *o, const struct burl_suite *suite,
                  const struct burl_store *store)
{
    *o = (struct burl_objects){ .suite = suite, .store = store };
}

static void
free_modules(struct burl_objects_file *f)
{
    for (size_t i = 0; i < f->modules.n; i++)
        free(f->modules.v[i].name);
    BURL_VEC_FREE(&f->modules);
}

void
burl_objects_deinit(struct burl_objects *o)
{
    for (size_t i = 0; i < o->files.n; i++) {
        free(o->files.v[i].key);
        free_modules(&o->files.v[i]);
    }
    BURL_VEC_FREE(&o->files);
}

static struct burl_objects_file *
find_file(struct burl_objects *o, const char *key)
{
    for (size_t i = 0; i < o->files.n; i++)
        if (strcmp(o->files.v[i].key, key) == 0)
            return &o->files.v[i];
    return NULL;
}

/* Inserts in order; a module that is there already stays as it is. */
static void
add_module(struct burl_objects_file *f, uint64_t hash, uint32_t n_sites, const char *name)
{
    size_t i = f->modules.n;

    while (i > 0 && f->modules.v[i - 1].hash > hash)
        i--;
    if (i > 0 && f->modules.v[i - 1].hash == hash)
        return;
    BURL_VEC_RESERVE(&f->modules, 1);
    memmove(&f->modules.v[i + 1], &f->modules.v[i], (f->modules.n - i) * sizeof *f->modules.v);
    f->modules.v[i] = (struct burl_objects_module){ hash, n_sites, burl_xstrdup(name) };
    f->modules.n++;
}

static bool
has_module(const struct burl_objects_file *f, uint64_t hash)
{
    for (size_t i = 0; i < f->modules.n; i++)
        if (f->modules.v[i].hash == hash)
            return true;
    return false;
}

static bool
same_modules(const struct burl_objects_file *a, const struct burl_objects_file *b)
{
    if (a->modules.n != b->modules.n)
        return false;
    for (size_t i = 0; i < a->modules.n; i++)
        if (a->modules.v[i].hash != b->modules.v[i].hash)
            return false;
    return true;
}

void
burl_objects_know(struct burl_objects *o, const struct burl_history *stored)
{
    for (size_t i = 0; i < stored->modules.n; i++) {
        const struct burl_history_module *m = &stored->modules.v[i];
        struct burl_objects_file *f = find_file(o, m->object);

        if (!f) {
            f = BURL_VEC_ADD(&o->files);
            f->key = burl_xstrdup(m->object);
        }
        add_module(f, m->hash, m->n_sites, m->name);
    }
}

/* ---- reading a file ------------------------------------------------------------------ */

struct reader {
    struct burl_objects_file *file;
    const struct burl_sitetab *sites;
    const struct burl_store *store; /* NULL: bitcode is not copied */
    bool store_failed;
};

/* A stored file may be damaged: it is compared, not only looked for. */
static bool
holds_bytes(const char *path, const void *bytes, size_t n)
{
    size_t n_stored = 0;
    char *stored = NULL;
    const bool same = burl_fs_read_file(path, n, &stored, &n_stored, NULL) == BURL_OK &&
                      n_stored == n && memcmp(stored, bytes, n) == 0;

    free(stored);
    return same;
}

static enum burl_status
take_record(void *arg, const struct burl_bcrecord *r, struct burl_err *err)
{
    struct reader *rd = arg;
    enum burl_status st = BURL_OK;
    uint32_t n_sites = 0;
    size_t ix;

    if (burl_sitetab_find(rd->sites, r->hash, &ix))
        n_sites = burl_sitetab_module(rd->sites, ix).n_sites;
    add_module(rd->file, r->hash, n_sites, r->name);
    if (rd->store) {
        char *path = burl_regress_bitcode_path(rd->store, r->hash);

        if (!holds_bytes(path, r->bytes, r->n))
            st = burl_fs_write_atomic(path, r->bytes, r->n, err);
        rd->store_failed = st != BURL_OK;
        free(path);
    }
    return st;
}

/* The modules of the file at `path`. */
static enum burl_status
read_file(const char *path, struct reader *rd, struct burl_err *err)
{
    struct burl_sitetab *sites = burl_sitetab_new();
    enum burl_status st = burl_sitetab_add_file(sites, path, NULL, err);

    rd->sites = sites;
    if (st == BURL_OK)
        st = burl_bcrecord_each(path, take_record, rd, err);
    rd->sites = NULL;
    burl_sitetab_free(sites);
    return st;
}

const char *
burl_objects_changed(struct burl_objects *o)
{
    for (size_t i = 0; i < o->files.n; i++) {
        struct burl_objects_file *f = &o->files.v[i];
        struct burl_objects_file is = { 0 };
        struct reader rd = { .file = &is, .store = o->store };
        char *path = burl_suite_program_path(o->suite, f->key);
        const bool changed = burl_fs_exists(path) &&
                             (read_file(path, &rd, NULL) != BURL_OK || !same_modules(f, &is)) &&
                             !rd.store_failed;

        free(path);
        free_modules(&is);
        if (changed)
            return f->key;
    }
    return NULL;
}

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Reads the file, unless it is the one that was read before. */
static enum burl_status
take_file(struct burl_objects *o, const char *path, const char *key,
          enum burl_objects_result *result, struct burl_err *err)
{
    struct burl_objects_file *f = find_file(o, key);
    struct burl_objects_file is = { 0 };
    struct reader rd = { .file = &is, .store = o->store };
    enum burl_status st;

    if (stat(path, &is.seen) != 0) {
        *result = BURL_OBJECTS_LOST;
        (void)burl_err_set(err, BURL_E_TARGET, errno, "%s vanished after the test ran it", key);
        return BURL_OK;
    }
    if (f && f->is_read && is_same_file(&is.seen, &f->seen))
        return BURL_OK;
    st = read_file(path, &rd, err);
    if (st != BURL_OK && !rd.store_failed) {
        *result = BURL_OBJECTS_LOST;
        st = BURL_OK;
    } else if (st == BURL_OK && is.modules.n == 0) {
        *result = BURL_OBJECTS_LOST;
        (void)burl_err_set(err, BURL_E_TARGET, 0,
                           "%s has no bitcode in it (was it stripped?); build it with `burl-cc`",
                           key);
    } else if (st == BURL_OK && f && !same_modules(f, &is)) {
        *result = BURL_OBJECTS_REBUILT;
    }
    if (st != BURL_OK || *result != BURL_OBJECTS_KEPT) {
        free_modules(&is);
        return st;
    }
    if (!f) {
        f = BURL_VEC_ADD(&o->files);
        f->key = burl_xstrdup(key);
    }
    free_modules(f);
    f->modules.v = is.modules.v;
    f->modules.n = is.modules.n;
    f->modules.cap = is.modules.cap;
    f->seen = is.seen;
    f->is_read = true;
    return BURL_OK;
}

/* ---- histories ----------------------------------------------------------------------- */

/* The version has to know all modules of a file: what is not in the base version counts as new. */
static void
complete_history(struct burl_objects *o, struct burl_history *h)
{
    const size_t n = h->modules.n;

    for (size_t i = 0; i < n; i++) {
        const struct burl_objects_file *f = find_file(o, h->modules.v[i].object);

        for (size_t k = 0; f && k < f->modules.n; k++) {
            const struct burl_objects_module *m = &f->modules.v[k];

            (void)burl_history_module(h, m->hash, m->n_sites, m->name, f->key);
        }
    }
}

static enum burl_status
take_module(struct burl_objects *o, struct burl_history_module *m, enum burl_objects_result *result,
            struct burl_err *err)
{
    char *key = burl_suite_program_key(o->suite, m->object);
    enum burl_status st = take_file(o, m->object, key, result, err);
    const struct burl_objects_file *f = find_file(o, key);

    if (st == BURL_OK && *result == BURL_OBJECTS_KEPT && !has_module(f, m->hash))
        *result = BURL_OBJECTS_REBUILT;
    if (st == BURL_OK && *result == BURL_OBJECTS_REBUILT)
        (void)burl_err_set(err, BURL_E_TARGET, 0,
                           "%s was built again while the version was recorded; run `burl regress "
                           "record` again, which starts over",
                           key);
    free(m->object);
    m->object = key;
    return st;
}

enum burl_status
burl_objects_take(struct burl_objects *o, struct burl_history *h, enum burl_objects_result *result,
                  struct burl_err *err)
{
    char *program = burl_suite_program_key(o->suite, h->program);
    enum burl_status st = BURL_OK;

    *result = BURL_OBJECTS_KEPT;
    free(h->program);
    h->program = program;
    for (size_t i = 0; i < h->modules.n && st == BURL_OK && *result == BURL_OBJECTS_KEPT; i++)
        st = take_module(o, &h->modules.v[i], result, err);
    if (st == BURL_OK && *result == BURL_OBJECTS_KEPT)
        complete_history(o, h);
    return st;
}

/* ---- files that no version needs ----------------------------------------------------- */

static enum burl_status
note_hashes(void *arg, int64_t ix, const char *key, const void *bytes, size_t n,
            struct burl_err *err)
{
    struct burl_history h;
    enum burl_status st;

    (void)ix;
    (void)key;
    burl_history_init(&h);
    st = burl_history_read(&h, bytes, n, err);
    for (size_t i = 0; st == BURL_OK && i < h.modules.n; i++)
        burl_map_set(arg, h.modules.v[i].hash, 1);
    burl_history_deinit(&h);
    return st;
}

static bool
is_bitcode_name(const char *name, uint64_t *hash)
{
    return strlen(name) == 19 && strcmp(name + 16, ".bc") == 0 &&
           burl_span_number((struct burl_span){ name, 16 }, 16, UINT64_MAX, hash);
}

void
burl_objects_sweep(struct burl_store *s)
{
    char *dir = burl_xasprintf("%s/regress", burl_store_dir(s));
    struct burl_map used = { 0 };
    struct dirent *entry;
    uint64_t hash, one;
    DIR *d;

    /* A history that cannot be read may need any of them. */
    if (burl_store_histories_each(s, 0, note_hashes, &used, NULL) == BURL_OK &&
        (d = opendir(dir)) != NULL) {
        while ((entry = readdir(d)) != NULL)
            if (is_bitcode_name(entry->d_name, &hash) && !burl_map_get(&used, hash, &one))
                (void)unlinkat(dirfd(d), entry->d_name, 0);
        closedir(d);
    }
    burl_map_deinit(&used);
    free(dir);
}
