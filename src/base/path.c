/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/path.c - path arithmetic, and where our own parts lie; contract in path.h.
 *
 * Runs in the host. Nothing here resolves links except the name of the running
 * executable, whose directory is what the other parts are found from.
 */
#include "base/path.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"

char *
burl_path_join(const char *dir, const char *name)
{
    size_t n = strlen(dir);

    if (n == 0 || name[0] == '/')
        return burl_xstrdup(name);
    return burl_xasprintf("%s%s%s", dir, dir[n - 1] == '/' ? "" : "/", name);
}

char *
burl_path_dirname(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return burl_xstrdup(".");
    while (slash > path && slash[-1] == '/')
        slash--;
    if (slash == path)
        return burl_xstrdup("/");
    return burl_xstrndup(path, (size_t)(slash - path));
}

const char *
burl_path_basename(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

enum burl_status
burl_path_absolute(char **out, const char *path, struct burl_err *err)
{
    char *cwd;

    *out = NULL;
    if (path[0] == '/') {
        *out = burl_xstrdup(path);
        return BURL_OK;
    }
    cwd = getcwd(NULL, 0);
    if (!cwd)
        return burl_err_set(err, BURL_E_IO, errno, "cannot determine the current directory");
    *out = burl_path_join(cwd, path);
    free(cwd);
    return BURL_OK;
}

static bool
is_executable_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static enum burl_status
fail_to_run(const char *name, int sys, const char *hint, struct burl_err *err)
{
    burl_err_set(err, BURL_E_USAGE, 0, "cannot run %s: %s; %s", name, strerror(sys), hint);
    if (err)
        err->sys = sys;
    return BURL_E_USAGE;
}

static enum burl_status
check_path(const char *name, struct burl_err *err)
{
    struct stat st;

    if (stat(name, &st) != 0)
        return fail_to_run(name, errno, "check the path, or build the program first", err);
    if (S_ISDIR(st.st_mode))
        return fail_to_run(name, EISDIR, "give a program in it", err);
    if (!is_executable_file(name))
        return fail_to_run(name, EACCES,
                           S_ISREG(st.st_mode)
                               ? "if it is a program, make it executable with chmod +x"
                               : "give a program",
                           err);
    return BURL_OK;
}

enum burl_status
burl_path_which(char **out, const char *name, struct burl_err *err)
{
    const char *dirs = getenv("PATH");

    *out = NULL;
    if (!*name)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "the name of the program is empty; is a variable in the command not "
                            "set?");
    if (strchr(name, '/')) {
        if (check_path(name, err) != BURL_OK)
            return BURL_E_USAGE;
        *out = burl_xstrdup(name);
        return BURL_OK;
    }
    if (!dirs || !*dirs)
        dirs = "/usr/local/bin:/usr/bin:/bin";
    for (const char *p = dirs; *name; p++) {
        size_t n = strcspn(p, ":");
        /* An empty element means the current directory, as in a shell. */
        char *dir = n ? burl_xstrndup(p, n) : burl_xstrdup(".");
        char *full = burl_path_join(dir, name);

        free(dir);
        if (is_executable_file(full)) {
            *out = full;
            return BURL_OK;
        }
        free(full);
        p += n;
        if (!*p)
            break;
    }
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "cannot find a program named \"%s\" in PATH (for one in this directory "
                        "write ./%s)",
                        name, name);
}

static char *
read_self_exe(struct burl_err *err)
{
    char target[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", target, sizeof target - 1);

    if (n < 0) {
        burl_err_set(err, BURL_E_IO, errno, "cannot read /proc/self/exe (is /proc mounted?)");
        return NULL;
    }
    return burl_xstrndup(target, (size_t)n);
}

enum burl_status
burl_path_tools(struct burl_path_tools *out, struct burl_err *err)
{
    char *dir;
    char *up;
    char *beside;

    *out = (struct burl_path_tools){ 0 };
    out->exe = read_self_exe(err);
    if (!out->exe)
        return BURL_E_IO;
    dir = burl_path_dirname(out->exe);
    up = burl_path_dirname(dir);
    beside = burl_path_join(dir, "libburl_rt.so");
    /* burl-instr itself runs from PREFIX/lib/burl: there the runtime is beside it too, and
     * that is the same test. */
    out->installed = strcmp(burl_path_basename(dir), "bin") == 0 && !burl_fs_exists(beside);
    free(beside);
    out->lib_dir = out->installed ? burl_path_join(up, "lib/burl") : burl_xstrdup(dir);
    out->include_dir = burl_path_join(up, "include");
    out->instr = burl_path_join(out->lib_dir, "burl-instr");
    out->rt = burl_path_join(out->lib_dir, "libburl_rt.so");
    out->complete = is_executable_file(out->instr) && burl_fs_exists(out->rt);
    free(dir);
    free(up);
    return BURL_OK;
}

void
burl_path_tools_deinit(struct burl_path_tools *t)
{
    free(t->exe);
    free(t->instr);
    free(t->rt);
    free(t->lib_dir);
    free(t->include_dir);
    *t = (struct burl_path_tools){ 0 };
}

bool
burl_path_is_system(const char *source)
{
    static const char *const prefixes[] = { "/usr/include/", "/usr/lib/", "/usr/local/include/",
                                            "/usr/bin/../", "/lib/" };

    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(source, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    }
    return false;
}
