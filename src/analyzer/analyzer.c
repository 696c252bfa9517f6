/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyzer/analyzer.c - starts burl-analyze, reads its results, keeps them; contract in analyzer.h.
 *
 * Runs in the host. A result is written beside its place in the cache and renamed when it was read
 * without error: the cache has whole results only.
 */
#include "analyzer/analyzer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/tmpdir.h"

/* In the store. */
#define CACHE_DIR "targets"
/* SQLite takes a minute at most; ten times that is an error. */
#define ANALYZE_MS (10 * 60 * 1000)
#define ANALYZE_OUTPUT_B (64u << 10)

struct args {
    BURL_VEC_OF(char *);
};

/* Where results are, or are written to. */
struct files {
    char *target;
    char *changes; /* NULL: not wanted */
};

static char *
analyzer_path(struct burl_err *err)
{
    struct burl_path_tools tools;
    char *dir;
    char *path;

    if (burl_path_tools(&tools, err) != BURL_OK)
        return NULL;
    dir = burl_path_dirname(tools.instr);
    path = burl_path_join(dir, "burl-analyze");
    free(dir);
    burl_path_tools_deinit(&tools);
    return path;
}

static uint64_t
cache_key(const struct burl_analyzer_request *r, const char *analyzer)
{
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, BURL_SP_VERSION);
    struct stat sb;

    h = burl_hash_str(h, r->program);
    h = burl_hash_u64(h, r->key);
    for (size_t i = 0; i < r->n_with; i++)
        h = burl_hash_str(h, r->with[i]);
    if (r->base) {
        h = burl_hash_u64(h, BURL_CHANGES_VERSION);
        h = burl_hash_u64(h, r->base_key);
    }
    if (stat(analyzer, &sb) == 0) {
        h = burl_hash_u64(h, (uint64_t)sb.st_size);
        h = burl_hash_u64(h, (uint64_t)sb.st_mtim.tv_sec);
        h = burl_hash_u64(h, (uint64_t)sb.st_mtim.tv_nsec);
    }
    return burl_hash_end(h);
}

static void
free_files(struct files *f)
{
    free(f->target);
    free(f->changes);
}

static struct files
make_files(const char *target, bool changes)
{
    return (struct files){ .target = burl_xstrdup(target),
                           .changes = changes ? burl_xasprintf("%s.changes", target) : NULL };
}

/* Can files be put into the cache? Its directory is in a store, where no link is followed. */
static bool
make_cache(const char *store)
{
    struct burl_err ignored;
    char *dir = burl_path_join(store, CACHE_DIR);
    const bool made = burl_fs_mkdir_inside(store, CACHE_DIR, &ignored) == BURL_OK &&
                      access(dir, W_OK | X_OK) == 0;

    free(dir);
    return made;
}

/* Names beside those of the cache, or in the directory for temporary files; `cached` NULL: there is
 * no cache. */
static struct files
temporary_files(const char *cached, uint64_t key, bool changes)
{
    struct files f;
    char *path;

    if (cached)
        path = burl_xasprintf("%s.%d", cached, (int)getpid());
    else
        path = burl_xasprintf("%s/burl-target.%016" PRIx64 ".%d", burl_tmpdir_base(), key,
                              (int)getpid());
    f = make_files(path, changes);
    free(path);
    return f;
}

/* The last line that is not empty. */
static char *
last_line(char *text)
{
    char *end = text + strlen(text);

    while (end > text && (end[-1] == '\n' || end[-1] == ' '))
        *--end = '\0';
    while (end > text && end[-1] != '\n')
        end--;
    return burl_xstrdup(end);
}

/* NULL when the files are there. */
static char *
run_analyzer(char *const *argv, const struct files *out)
{
    const struct burl_proc_opts po = { .argv = (const char *const *)argv,
                                       .in = BURL_PROC_NULL,
                                       .die_with_parent = true };
    struct burl_proc_output o;
    struct burl_err err;
    char *problem = NULL;
    char how[96];

    if (burl_proc_capture(&o, &po, ANALYZE_MS, ANALYZE_OUTPUT_B, &err) != BURL_OK)
        return burl_xasprintf("the static analysis could not be run: %s", err.msg);
    if (o.status.timed_out) {
        problem =
            burl_xasprintf("the static analysis took longer than %d minutes", ANALYZE_MS / 60000);
    } else if (!o.status.exited || o.status.code != 0) {
        char *line = last_line(o.err);

        problem = line[0] != '\0' ? burl_xasprintf("the static analysis failed: %s", line)
                                  : burl_xasprintf("the static analysis %s",
                                                   burl_proc_describe(&o.status, how, sizeof how));
        free(line);
    } else if (!burl_fs_exists(out->target)) {
        problem = burl_xstrdup("the static analysis wrote no target");
    } else if (out->changes && !burl_fs_exists(out->changes)) {
        problem = burl_xstrdup("the static analysis wrote no changes");
    }
    burl_proc_output_deinit(&o);
    return problem;
}

/* Reads results; NULL on success. On failure both are empty. */
static char *
load(const struct files *f, struct burl_sp *target, struct burl_changes *changes)
{
    struct burl_err err;

    burl_sp_init(target);
    if (changes)
        burl_changes_init(changes);
    if (burl_sp_load(target, f->target, &err) == BURL_OK &&
        (!changes || burl_changes_load(changes, f->changes, &err) == BURL_OK))
        return NULL;
    burl_sp_deinit(target);
    burl_sp_init(target);
    if (changes) {
        burl_changes_deinit(changes);
        burl_changes_init(changes);
    }
    return burl_xasprintf("the result of the static analysis cannot be read: %s", err.msg);
}

static struct args
make_args(const struct burl_analyzer_request *r, const char *analyzer, const struct files *out)
{
    struct args a = { 0 };

    BURL_VEC_PUSH(&a, burl_xstrdup(analyzer));
    BURL_VEC_PUSH(&a, burl_xstrdup(r->program));
    BURL_VEC_PUSH(&a, burl_xstrdup("-o"));
    BURL_VEC_PUSH(&a, burl_xstrdup(out->target));
    if (r->base) {
        BURL_VEC_PUSH(&a, burl_xasprintf("--base=%s", r->base));
        BURL_VEC_PUSH(&a, burl_xasprintf("--changes=%s", out->changes));
    }
    for (size_t i = 0; i < r->n_with; i++)
        BURL_VEC_PUSH(&a, burl_xasprintf("--with=%s", r->with[i]));
    BURL_VEC_PUSH(&a, NULL);
    return a;
}

/* Moves a result to its place; what cannot be kept is removed. */
static void
keep(const char *from, const char *to)
{
    if (from && (!to || rename(from, to) != 0))
        unlink(from);
}

/* Computes the results, reads them and caches them if possible. */
static char *
compute(const struct burl_analyzer_request *r, const char *analyzer, const struct files *cached,
        uint64_t key, struct burl_sp *target, struct burl_changes *changes)
{
    const struct files no_cache = { 0 };
    const struct files *to = r->store_dir && make_cache(r->store_dir) ? cached : &no_cache;
    struct files tmp = temporary_files(to->target, key, changes != NULL);
    struct args a = make_args(r, analyzer, &tmp);
    char *problem = run_analyzer(a.v, &tmp);

    if (!problem)
        problem = load(&tmp, target, changes);
    /* The target last: it is looked for first. */
    keep(tmp.changes, problem ? NULL : to->changes);
    keep(tmp.target, problem ? NULL : to->target);
    for (size_t i = 0; i < a.n; i++)
        free(a.v[i]);
    BURL_VEC_FREE(&a);
    free_files(&tmp);
    return problem;
}

char *
burl_analyzer_run(const struct burl_analyzer_request *r, struct burl_sp *target,
                  struct burl_changes *changes)
{
    struct burl_err err;
    char *analyzer = analyzer_path(&err);
    struct files cached = { 0 };
    char *problem = NULL;
    uint64_t key;

    burl_sp_init(target);
    if (changes)
        burl_changes_init(changes);
    if (!analyzer)
        return burl_xasprintf("burl-analyze cannot be found: %s", err.msg);
    if (access(analyzer, X_OK) != 0) {
        problem = burl_xasprintf("%s is missing", analyzer);
        free(analyzer);
        return problem;
    }
    key = cache_key(r, analyzer);
    if (r->store_dir) {
        char *path = burl_xasprintf("%s/" CACHE_DIR "/%016" PRIx64, r->store_dir, key);

        cached = make_files(path, changes != NULL);
        free(path);
        problem = load(&cached, target, changes);
    }
    if (!r->store_dir || problem) {
        free(problem);
        problem = compute(r, analyzer, &cached, key, target, changes);
    }
    free_files(&cached);
    free(analyzer);
    return problem;
}
