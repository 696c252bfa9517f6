/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/report_paths.c - where the sources of a finding are, seen from the current directory.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "cli/report_paths.h"

static void
add_dir(struct burl_report_paths *p, char *dir)
{
    if (dir != NULL)
        p->dirs[p->n_dirs++] = dir;
}

/* The directory of the program, without links; NULL if it is not there. */
static char *
dir_of(const char *start, const char *program)
{
    char *path = burl_path_join(start, program);
    char *real = realpath(path, NULL);
    char *dir = real != NULL ? burl_path_dirname(real) : NULL;

    free(path);
    free(real);
    return dir;
}

void
burl__report_paths_init(struct burl_report_paths *p, const char *program, const char *store)
{
    char *above = burl_path_join(store, "..");

    *p = (struct burl_report_paths){ .cwd = realpath(".", NULL) };
    if (program[0] != '\0') {
        add_dir(p, dir_of(p->cwd != NULL ? p->cwd : ".", program));
        if (program[0] != '/') /* a store is where burl ran, unless --dir says otherwise */
            add_dir(p, dir_of(above, program));
    }
    add_dir(p, realpath(above, NULL));
    free(above);
}

void
burl__report_paths_deinit(struct burl_report_paths *p)
{
    for (size_t i = 0; i < p->n_dirs; i++)
        free(p->dirs[i]);
    free(p->cwd);
    free(p->found);
}

/* `path` below `dir`, "" if it is that directory; NULL if it is elsewhere. */
static const char *
below(const char *dir, const char *path)
{
    const size_t n = strlen(dir);

    if (strncmp(path, dir, n) != 0 || (path[n] != '/' && path[n] != '\0'))
        return NULL;
    return path[n] == '/' ? path + n + 1 : path + n;
}

/* The file relative to `dir` or to a directory above it that is still below the current one: a
 * program need not be in the directory of the compilation. Allocated; NULL if it is not there. */
static char *
find_from(const struct burl_report_paths *p, const char *dir, const char *file)
{
    char *at = burl_xstrdup(dir);
    char *real = NULL;
    const char *rest = at;

    while (real == NULL && rest != NULL) {
        char *path = burl_path_join(at, file);
        char *above;

        real = realpath(path, NULL);
        free(path);
        above = burl_path_dirname(at);
        free(at);
        at = above;
        rest = below(p->cwd, at);
    }
    free(at);
    return real;
}

/* The name of `real` from here; `file` if that is it too. */
static const char *
name_from_here(struct burl_report_paths *p, const char *file, const char *here, char *real)
{
    const char *name = below(p->cwd, real);

    if (here != NULL && strcmp(here, real) == 0) {
        free(real);
        return file;
    }
    free(p->found);
    p->found = burl_xstrdup(name != NULL && name[0] != '\0' ? name : real);
    free(real);
    return p->found;
}

const char *
burl__report_paths_find(void *paths, const char *file)
{
    struct burl_report_paths *p = paths;
    char *here;
    char *real = NULL;
    const char *name = file;

    if (file[0] == '\0' || file[0] == '/' || p->cwd == NULL)
        return file;
    /* A file that is outside of the current directory may be another one of that name. */
    here = realpath(file, NULL);
    if (here == NULL || below(p->cwd, here) == NULL) {
        for (size_t i = 0; i < p->n_dirs && real == NULL; i++)
            real = find_from(p, p->dirs[i], file);
        if (real != NULL)
            name = name_from_here(p, file, here, real);
    }
    free(here);
    return name;
}
