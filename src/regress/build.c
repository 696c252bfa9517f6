/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/build.c - programs of the new build; contract in build.h.
 *
 * Runs in the host. A program is what the recorded processes had in them: the executable, what it
 * needs, and what it loaded while it ran. The last is known from the base version only: a shared
 * object that the new version loads for the first time is not seen.
 */
#include "regress/build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/analyzer.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/needed.h"
#include "base/path.h"
#include "base/tmpdir.h"

/* ---- opening ----------------------------------------------------------------------------- */

/* Adds the shared objects that the executable needs. What cannot be read is not ours. */
static enum burl_status
add_needed(struct burl_regress_build *b, struct burl_needed *n, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = 1; i < n->paths.n && st == BURL_OK; i++) {
        if (!burl_needed_is_system(n->paths.v[i]))
            st = burl_sitetab_add_file(b->sites, n->paths.v[i], NULL, err);
    }
    return st;
}

static bool
is_listed(const struct burl_needed *n, const char *path)
{
    char *real = realpath(path, NULL);
    bool found = false;

    for (size_t i = 0; real && i < n->paths.n && !found; i++)
        found = strcmp(n->paths.v[i], real) == 0;
    free(real);
    return found;
}

/* Adds an object of the base version that the executable does not name. */
static enum burl_status
add_loaded(struct burl_regress_build *b, const struct burl_needed *n, char *path_owned,
           struct burl_err *err)
{
    bool known = !burl_fs_exists(path_owned) || is_listed(n, path_owned);
    size_t modules = 0;
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < b->with.n && !known; i++)
        known = strcmp(b->with.v[i], path_owned) == 0;
    if (!known)
        st = burl_sitetab_add_file(b->sites, path_owned, &modules, err);
    if (st == BURL_OK && modules > 0)
        BURL_VEC_PUSH(&b->with, path_owned);
    else
        free(path_owned);
    return st;
}

static enum burl_status
add_objects(struct burl_regress_build *b, const struct burl_suite *suite,
            const struct burl_regress_program *base, struct burl_err *err)
{
    struct burl_needed n;
    size_t own = 0;
    enum burl_status st = burl_needed_find(&n, b->path, err);

    if (st == BURL_OK)
        st = burl_sitetab_add_file(b->sites, b->path, &own, err);
    if (st == BURL_OK)
        st = add_needed(b, &n, err);
    for (size_t i = 0; i < base->modules.n && st == BURL_OK; i++)
        st = add_loaded(b, &n, burl_suite_program_path(suite, base->modules.v[i].object), err);
    burl_needed_deinit(&n);
    return st;
}

enum burl_status
burl_regress_build_open(struct burl_regress_build *b, const struct burl_suite *suite,
                        const struct burl_regress_program *base, struct burl_err *err)
{
    enum burl_status st;

    memset(b, 0, sizeof *b);
    b->path = burl_suite_program_path(suite, base->key);
    b->sites = burl_sitetab_new();
    if (!burl_fs_exists(b->path))
        st = burl_err_set(err, BURL_E_USAGE, 0, "%s does not exist; build it first", b->path);
    else
        st = add_objects(b, suite, base, err);
    for (size_t i = 0; st == BURL_OK && i < burl_sitetab_n_modules(b->sites); i++)
        BURL_VEC_PUSH(&b->hashes, burl_sitetab_module(b->sites, i).hash);
    if (st == BURL_OK && b->hashes.n == 0)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "%s has no instrumented code; build it with burl-cc", b->path);
    if (st != BURL_OK)
        burl_regress_build_close(b);
    return st;
}

void
burl_regress_build_close(struct burl_regress_build *b)
{
    for (size_t i = 0; i < b->with.n; i++)
        free(b->with.v[i]);
    free(b->path);
    burl_sitetab_free(b->sites);
    BURL_VEC_FREE(&b->with);
    BURL_VEC_FREE(&b->hashes);
    memset(b, 0, sizeof *b);
}

bool
burl_regress_is_instrumented(const char *path)
{
    struct burl_sitetab *t = burl_sitetab_new();
    struct burl_err ignored;
    size_t n = 0;
    bool yes = burl_sitetab_add_file(t, path, &n, &ignored) == BURL_OK && n > 0;

    burl_sitetab_free(t);
    return yes;
}

/* ---- comparing --------------------------------------------------------------------------- */

static uint64_t
base_program(const struct burl_regress_program *base)
{
    uint64_t *hashes = burl_xcalloc(base->modules.n + 1, sizeof *hashes);
    uint64_t h;

    for (size_t i = 0; i < base->modules.n; i++)
        hashes[i] = base->modules.v[i].hash;
    h = burl_sp_program(hashes, base->modules.n);
    free(hashes);
    return h;
}

bool
burl_regress_build_is_base(const struct burl_regress_build *b,
                           const struct burl_regress_program *base)
{
    return burl_sp_program(b->hashes.v, b->hashes.n) == base_program(base);
}

/* Why nothing is known if bitcode of the base version is missing in the store; NULL: it is not. */
static char *
find_lost(const struct burl_regress_program *base, const struct burl_store *store)
{
    char *why = NULL;

    for (size_t i = 0; i < base->modules.n && !why; i++) {
        char *bitcode = burl_regress_bitcode_path(store, base->modules.v[i].hash);

        if (!burl_fs_exists(bitcode))
            why = burl_xasprintf("the store has lost %s; build the base version and run `burl "
                                 "regress record` again",
                                 bitcode);
        free(bitcode);
    }
    return why;
}

/* The list of modules of the base version in a temporary file; the caller unlinks and frees it. */
static char *
write_base_list(const struct burl_regress_program *base, const struct burl_store *store,
                struct burl_err *err)
{
    char *path = burl_xasprintf("%s/burl-base.XXXXXX", burl_tmpdir_base());
    struct burl_buf b = BURL_BUF_INIT;
    int fd = mkstemp(path);

    if (fd < 0) {
        (void)burl_tmpdir_fail("a list of modules", errno, err);
        free(path);
        return NULL;
    }
    for (size_t i = 0; i < base->modules.n; i++) {
        const struct burl_regress_module *m = &base->modules.v[i];
        char *bitcode = burl_regress_bitcode_path(store, m->hash);

        burl_buf_printf(&b, "%s\t%016" PRIx64 "\t%s\t%s\n", bitcode, m->hash, m->object, m->name);
        free(bitcode);
    }
    if (burl_fs_write_all(fd, burl_buf_str(&b), b.n, err) != BURL_OK) {
        unlink(path);
        free(path);
        path = NULL;
    }
    close(fd);
    burl_buf_deinit(&b);
    return path;
}

void
burl_regress_build_analyze(const struct burl_regress_build *b,
                           const struct burl_regress_program *base, const struct burl_store *store,
                           struct burl_regress_subject *x)
{
    struct burl_err err;
    char *list = write_base_list(base, store, &err);
    const struct burl_analyzer_request r = {
        .store_dir = burl_store_dir(store),
        .program = b->path,
        .with = (const char *const *)b->with.v,
        .n_with = b->with.n,
        .key = burl_sp_program(b->hashes.v, b->hashes.n),
        .base = list,
        .base_key = base_program(base),
    };

    burl_sp_init(&x->target);
    burl_changes_init(&x->changes);
    if (!list) {
        x->problem = burl_xstrdup(err.msg);
        return;
    }
    x->problem = find_lost(base, store);
    if (!x->problem)
        x->problem = burl_analyzer_run(&r, &x->target, &x->changes);
    unlink(list);
    free(list);
}
