/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/target.c - the static target of a build: computed once by burl-analyze, then read from a
 * cache.
 *
 * Runs in the host. The cache is <store>/targets/<hash>, by everything the target depends on: the
 * modules of the build, the executable's path, and the analyzer itself. If the store is not
 * writable the target is computed for this run only.
 *
 * Without a target coverage is still meaningful (saturation), so no problem here is a failure: the
 * model states it.
 */
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
#include "cover/cover_int.h"

/* SQLite takes a minute at most; ten times that is an error. */
#define ANALYZE_MS (10 * 60 * 1000)
#define ANALYZE_OUTPUT_B (64u << 10)

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
cache_key(const struct burl_cover *c, const char *analyzer)
{
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, BURL_SP_VERSION);
    struct stat sb;

    h = burl_hash_str(h, c->program.path);
    for (size_t i = 0; i < c->image.n_modules; i++)
        h = burl_hash_u64(h, c->image.modules[i].hash);
    if (stat(analyzer, &sb) == 0) {
        h = burl_hash_u64(h, (uint64_t)sb.st_size);
        h = burl_hash_u64(h, (uint64_t)sb.st_mtim.tv_sec);
        h = burl_hash_u64(h, (uint64_t)sb.st_mtim.tv_nsec);
    }
    return burl_hash_end(h);
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

struct args {
    BURL_VEC_OF(char *);
};

/* The files that were loaded at run time, which the program itself does not name. */
static void
add_loaded(const struct burl_cover *c, struct args *a)
{
    uint32_t last = UINT32_MAX;

    for (size_t i = 0; i < c->image.n_modules; i++) {
        const struct burl_wire_module_entry *m = &c->image.modules[i];

        if (!m->late || m->object == last || m->object >= c->image.n_objects)
            continue;
        last = m->object;
        if (burl_fs_exists(c->image.objects[last].path))
            BURL_VEC_PUSH(a, burl_xasprintf("--with=%s", c->image.objects[last].path));
    }
}

/* NULL when the file is there. */
static char *
run_analyzer(char *const *argv, const char *out_path)
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
    } else if (!burl_fs_exists(out_path)) {
        problem = burl_xstrdup("the static analysis wrote no target");
    }
    burl_proc_output_deinit(&o);
    return problem;
}

/* A file name beside `path`, or in the directory for temporary files where that cannot be. */
static char *
temporary_path(const char *path)
{
    char *dir = burl_path_dirname(path);
    const char *tmp = getenv("TMPDIR");
    struct burl_err ignored;
    char *out;

    if (burl_fs_mkdir_p(dir, &ignored) == BURL_OK && access(dir, W_OK | X_OK) == 0)
        out = burl_xasprintf("%s.%d", path, (int)getpid());
    else
        out = burl_xasprintf("%s/burl-target.%d", tmp && tmp[0] ? tmp : "/tmp", (int)getpid());
    free(dir);
    return out;
}

/* Computes the target, reads it and caches it if possible. NULL when `t` is filled. */
static char *
make_target(const struct burl_cover *c, const char *analyzer, const char *path, struct burl_sp *t)
{
    char *tmp = temporary_path(path);
    struct args a = { 0 };
    struct burl_err err;
    char *problem;

    BURL_VEC_PUSH(&a, burl_xstrdup(analyzer));
    BURL_VEC_PUSH(&a, burl_xstrdup(c->program.path));
    BURL_VEC_PUSH(&a, burl_xstrdup("-o"));
    BURL_VEC_PUSH(&a, burl_xstrdup(tmp));
    add_loaded(c, &a);
    BURL_VEC_PUSH(&a, NULL);
    problem = run_analyzer(a.v, tmp);
    for (size_t i = 0; i < a.n; i++)
        free(a.v[i]);
    BURL_VEC_FREE(&a);
    if (!problem && burl_sp_load(t, tmp, &err) != BURL_OK)
        problem = burl_xasprintf("the static target cannot be read: %s", err.msg);
    if (problem || rename(tmp, path) != 0)
        unlink(tmp);
    free(tmp);
    return problem;
}

/* Is the program on the disk the one that was run? */
static bool
is_same_program(const struct burl_cover *c, const struct burl_sp *t)
{
    for (size_t i = 0; i < t->sites.n; i++) {
        if (burl__cover_module(c, t->sites.v[i].module_hash))
            return true;
    }
    return t->sites.n == 0;
}

enum burl_status
burl__cover_target(const struct burl_cover *c, struct burl_sp *t, bool *have, char **problem,
                   struct burl_err *err)
{
    char *analyzer = analyzer_path(err);
    char *name;
    char *path;
    struct burl_err why;

    *have = false;
    *problem = NULL;
    burl_sp_init(t);
    if (!analyzer)
        return err->code;
    if (access(analyzer, X_OK) != 0) {
        *problem = burl_xasprintf("%s is missing", analyzer);
        free(analyzer);
        return BURL_OK;
    }
    name = burl_xasprintf("targets/%016" PRIx64, cache_key(c, analyzer));
    path = burl_path_join(burl_store_dir(c->store), name);
    if (burl_sp_load(t, path, &why) != BURL_OK) {
        burl_sp_deinit(t);
        burl_sp_init(t);
        *problem = make_target(c, analyzer, path, t);
    }
    if (!*problem && !is_same_program(c, t))
        *problem = burl_xasprintf("%s was rebuilt since; run `burl cover` again", c->program.path);
    *have = *problem == NULL;
    free(path);
    free(name);
    free(analyzer);
    return BURL_OK;
}
