/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/needed.c - see needed.h. Host side.
 *
 * Does what the dynamic loader does, as far as bitcode may depend on it: DT_RPATH, then
 * LD_LIBRARY_PATH, then DT_RUNPATH, then the standard directories; the directory of the executable
 * comes last, for programs that are started by a script which sets the path. The loader's cache and
 * hardware-specific directories are not read: what lies there came with the system.
 */
#include "base/needed.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/elf.h"
#include "base/fs.h"
#include "base/path.h"

/* No real program has more; a damaged file might. */
enum { MAX_OBJECTS = 4096 };

static const char *const standard_dirs[] = {
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
};

bool
burl_needed_is_system(const char *path)
{
    for (size_t i = 0; i < sizeof standard_dirs / sizeof *standard_dirs; i++) {
        size_t n = strlen(standard_dirs[i]);
        if (strncmp(path, standard_dirs[i], n) == 0 && path[n] == '/')
            return true;
    }
    return false;
}

/* "$ORIGIN/../lib" of an object in `origin`; caller frees. */
static char *
expand_origin(const char *dir, size_t n, const char *origin)
{
    struct burl_buf b;
    static const char *const words[] = { "$ORIGIN", "${ORIGIN}" };

    burl_buf_init(&b, PATH_MAX);
    for (size_t i = 0; i < n;) {
        size_t skip = 0;
        for (size_t k = 0; k < 2; k++) {
            size_t len = strlen(words[k]);
            if (n - i >= len && strncmp(dir + i, words[k], len) == 0)
                skip = len;
        }
        if (skip)
            burl_buf_str_append(&b, origin);
        else
            burl_buf_char(&b, dir[i]);
        i += skip ? skip : 1;
    }
    return burl_buf_take(&b, NULL);
}

/* The first file `name` in a list of directories with colons; caller frees. */
static char *
find_in_list(const char *list, const char *name, const char *origin)
{
    for (const char *p = list; p && *p;) {
        size_t n = strcspn(p, ":");
        char *dir = expand_origin(p, n, origin);
        char *path = burl_path_join(*dir ? dir : ".", name);
        free(dir);
        if (burl_fs_exists(path) && !burl_fs_is_dir(path))
            return path;
        free(path);
        p += n + (p[n] == ':');
    }
    return NULL;
}

static char *
find_object(const char *name, const char *rpath, const char *runpath, const char *origin,
            const char *exe_dir)
{
    const char *const lists[] = { runpath ? NULL : rpath, getenv("LD_LIBRARY_PATH"), runpath };
    char *path = NULL;

    if (strchr(name, '/'))
        return burl_fs_exists(name) ? burl_xstrdup(name) : NULL;
    for (size_t i = 0; !path && i < sizeof lists / sizeof *lists; i++)
        path = find_in_list(lists[i], name, origin);
    for (size_t i = 0; !path && i < sizeof standard_dirs / sizeof *standard_dirs; i++)
        path = find_in_list(standard_dirs[i], name, origin);
    if (!path)
        path = find_in_list("/usr/local/lib", name, origin);
    return path ? path : find_in_list("$ORIGIN", name, exe_dir);
}

static void
add_path(struct burl_needed *n, char *path_owned)
{
    for (size_t i = 0; i < n->paths.n; i++) {
        if (strcmp(n->paths.v[i], path_owned) == 0) {
            free(path_owned);
            return;
        }
    }
    BURL_VEC_PUSH(&n->paths, path_owned);
}

/* The same file under another name must not count twice. */
static char *
real_path(char *path_owned)
{
    char *real = realpath(path_owned, NULL);

    if (!real)
        return path_owned;
    free(path_owned);
    return real;
}

/* Adds what the object `path` needs. */
static enum burl_status
add_needed(struct burl_needed *n, const char *path, const char *exe_dir, struct burl_err *err)
{
    struct burl_elf *e;
    const char *s, *rpath = NULL, *runpath = NULL;
    Elf64_Dyn d;
    enum burl_status st = burl_elf_open(&e, path, err);

    if (st != BURL_OK)
        return st;
    for (uint64_t i = 0; burl_elf_dynamic(e, i, &d, &s); i++) {
        rpath = d.d_tag == DT_RPATH ? s : rpath;
        runpath = d.d_tag == DT_RUNPATH ? s : runpath;
    }
    char *origin = burl_path_dirname(path);
    for (uint64_t i = 0; burl_elf_dynamic(e, i, &d, &s); i++) {
        if (d.d_tag != DT_NEEDED)
            continue;
        char *found = find_object(s, rpath, runpath, origin, exe_dir);
        if (found)
            add_path(n, real_path(found));
        else
            BURL_VEC_PUSH(&n->missing, burl_xstrdup(s));
    }
    free(origin);
    burl_elf_close(e);
    return BURL_OK;
}

enum burl_status
burl_needed_find(struct burl_needed *n, const char *path, struct burl_err *err)
{
    memset(n, 0, sizeof *n);
    BURL_VEC_PUSH(&n->paths, real_path(burl_xstrdup(path)));
    char *exe_dir = burl_path_dirname(n->paths.v[0]);
    enum burl_status st = add_needed(n, n->paths.v[0], exe_dir, err);
    /* One that cannot be read needs nothing. */
    for (size_t i = 1; st == BURL_OK && i < n->paths.n && i < MAX_OBJECTS; i++)
        (void)add_needed(n, n->paths.v[i], exe_dir, NULL);
    free(exe_dir);
    return st;
}

void
burl_needed_deinit(struct burl_needed *n)
{
    for (size_t i = 0; i < n->paths.n; i++)
        free(n->paths.v[i]);
    for (size_t i = 0; i < n->missing.n; i++)
        free(n->missing.v[i]);
    BURL_VEC_FREE(&n->paths);
    BURL_VEC_FREE(&n->missing);
}
