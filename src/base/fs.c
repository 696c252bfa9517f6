/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/fs.c - whole files and directories; contract in fs.h.
 *
 * Runs in the host. Every failure names the path and the call that failed;
 * "no space" and "read-only" keep their errno so that cli/ can advise.
 */
#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"

/* One directory level; a directory that another process has just made is success. */
static int
make_one_dir(const char *path)
{
    struct stat st;

    if (mkdir(path, 0777) == 0)
        return 0;
    if (errno != EEXIST)
        return errno;
    if (stat(path, &st) != 0)
        return errno;
    return S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
}

enum burl_status
burl_fs_mkdir_p(const char *path, struct burl_err *err)
{
    char *copy = burl_xstrdup(path);
    enum burl_status st = BURL_OK;

    for (char *p = copy + (*copy == '/'); st == BURL_OK; p++) {
        char saved = *p;
        int sys;

        if (saved != '/' && saved != '\0')
            continue;
        *p = '\0';
        sys = *copy ? make_one_dir(copy) : 0;
        /* A parent we may not write but that exists is fine; mkdir says EROFS or EACCES. */
        if (sys != 0 && !burl_fs_is_dir(copy))
            st = burl_err_set(err, BURL_E_IO, sys == EEXIST ? ENOTDIR : sys,
                              "cannot create directory %s", copy);
        *p = saved;
        if (saved == '\0')
            break;
    }
    free(copy);
    return st;
}

/* ---- inside a store -------------------------------------------------------------------- */

/* Of burl_fs_guard(), without slashes at its end; NULL: none. */
static char *guarded;

void
burl_fs_guard(const char *dir)
{
    size_t n = strlen(dir);

    while (n > 1 && dir[n - 1] == '/')
        n--;
    free(guarded);
    guarded = n > 0 ? burl_xasprintf("%.*s", (int)n, dir) : NULL;
}

/* The part of the path below the guarded directory; NULL: it is not there. */
static const char *
below_guarded(const char *path)
{
    const size_t n = guarded ? strlen(guarded) : 0;

    if (n == 0 || strncmp(path, guarded, n) != 0 || path[n] != '/')
        return NULL;
    path += n;
    while (*path == '/')
        path++;
    return *path ? path : NULL;
}

static const char *
type_name(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a directory";
    if (S_ISFIFO(mode))
        return "a pipe";
    if (S_ISLNK(mode))
        return "a symbolic link";
    return S_ISSOCK(mode) ? "a socket" : "a device";
}

/* Is the name absolute, or is a part of it ".."? */
static bool
leads_out(const char *name)
{
    if (*name == '/' || *name == '\0')
        return true;
    for (const char *p = name; p; p = strchr(p, '/')) {
        p += *p == '/';
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0'))
            return true;
    }
    return false;
}

/* Looks at every part of the name; with `create` those that are missing become directories. */
static enum burl_status
walk_inside(const char *dir, const char *name, bool create, struct burl_err *err)
{
    char *path;
    char *at;
    enum burl_status st = BURL_OK;

    if (leads_out(name))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "%s names a file outside of %s; the store is damaged or not burl's: "
                            "give another directory with --dir",
                            name, dir);
    path = burl_path_join(dir, name);
    at = path + strlen(dir);
    while (st == BURL_OK && at) {
        char *end = strchr(at + 1, '/');
        const bool is_last = end == NULL;
        struct stat sb;

        if (end)
            *end = '\0';
        if (create && mkdir(path, 0777) != 0 && errno != EEXIST)
            st = burl_err_set(err, BURL_E_IO, errno, "cannot create directory %s", path);
        else if (lstat(path, &sb) == 0 && !S_ISDIR(sb.st_mode) &&
                 !(is_last && !create && S_ISREG(sb.st_mode)))
            st = burl_err_set(err, BURL_E_USAGE, 0,
                              "%s is %s; burl follows no link inside a store: remove it, or give "
                              "another directory with --dir",
                              path, S_ISREG(sb.st_mode) ? "a file" : type_name(sb.st_mode));
        if (end)
            *end = '/';
        at = end;
    }
    free(path);
    return st;
}

enum burl_status
burl_fs_check_inside(const char *dir, const char *name, struct burl_err *err)
{
    return walk_inside(dir, name, false, err);
}

enum burl_status
burl_fs_mkdir_inside(const char *dir, const char *name, struct burl_err *err)
{
    const enum burl_status st = burl_fs_mkdir_p(dir, err);

    return st == BURL_OK ? walk_inside(dir, name, true, err) : st;
}

static enum burl_status
check_guarded(const char *path, struct burl_err *err)
{
    const char *name = below_guarded(path);

    return name ? walk_inside(guarded, name, false, err) : BURL_OK;
}

/* The directory in which the path is. */
static enum burl_status
check_guarded_parent(const char *path, struct burl_err *err)
{
    const char *name = below_guarded(path);
    char *parent = burl_path_dirname(name ? name : "");
    enum burl_status st = BURL_OK;

    if (name && leads_out(name))
        st = walk_inside(guarded, name, false, err);
    else if (name && strcmp(parent, ".") != 0)
        st = walk_inside(guarded, parent, false, err);
    free(parent);
    return st;
}

/* open() without following a link below the guarded directory: -1 and errno ELOOP or ENOTDIR. */
static int
open_guarded(const char *path, int flags)
{
    const char *name = below_guarded(path);
    char *parts = name ? burl_xstrdup(name) : NULL;
    char *at = parts;
    int fd;
    int sys;

    if (!name)
        return open(path, flags);
    fd = open(guarded, O_PATH | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && at) {
        char *end = strchr(at, '/');
        int next;

        if (end)
            *end++ = '\0';
        while (end && *end == '/')
            end++;
        next = openat(fd, at, (end ? O_PATH | O_DIRECTORY | O_CLOEXEC : flags) | O_NOFOLLOW);
        sys = errno;
        close(fd);
        errno = sys;
        fd = next;
        at = end;
    }
    sys = errno;
    free(parts);
    errno = sys;
    return fd;
}

enum burl_status
burl_fs_check_single(int fd, const char *path, struct burl_err *err)
{
    struct stat sb;

    if (fstat(fd, &sb) != 0 || sb.st_nlink <= 1)
        return BURL_OK;
    return burl_err_set(
        err, BURL_E_USAGE, 0,
        "%s has another name elsewhere (a hard link), and burl would write to both: "
        "remove it, or give another directory with --dir",
        path);
}

enum burl_status
burl_fs_check_tree(const char *dir, struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    DIR *d = opendir(dir);
    struct dirent *e;

    while (d && st == BURL_OK && (e = readdir(d)) != NULL) {
        char *path;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        st = walk_inside(dir, e->d_name, false, err);
        path = burl_path_join(dir, e->d_name);
        if (st == BURL_OK && burl_fs_is_dir(path))
            st = burl_fs_check_tree(path, err);
        free(path);
    }
    if (d)
        closedir(d);
    return st;
}

/* ---- whole files ----------------------------------------------------------------------- */

enum burl_status
burl_fs_write_all(int fd, const void *data, size_t n, struct burl_err *err)
{
    const char *p = data;

    while (n > 0) {
        ssize_t done = write(fd, p, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return burl_err_set(err, BURL_E_IO, errno, "cannot write");
        p += done;
        n -= (size_t)done;
    }
    return BURL_OK;
}

/* Makes the rename durable. Failure is not reported: some file systems refuse to sync a
 * directory, and the content itself is already safe under one of the two names. */
static void
sync_parent_dir(const char *path)
{
    char *dir = burl_path_dirname(path);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(dir);
}

/* ---- files that the user names --------------------------------------------------------- */

/* Links in a row; more is a loop, as for the kernel. */
#define LINKS_MAX 40

/* Where a link leads whose target does not exist yet; NULL: a loop. The caller frees it. */
static char *
follow_dangling(const char *path)
{
    char *at = burl_xstrdup(path);

    for (int i = 0; i < LINKS_MAX; i++) {
        char target[4096];
        const ssize_t n = readlink(at, target, sizeof target - 1);
        char *dir;
        char *next;

        if (n < 0)
            return at;
        target[n] = '\0';
        dir = burl_path_dirname(at);
        next = target[0] == '/' ? burl_xstrdup(target) : burl_path_join(dir, target);
        free(dir);
        free(at);
        at = next;
    }
    free(at);
    return NULL;
}

/* Is it the file that our standard output or error goes to? */
static bool
is_our_output(const struct stat *sb)
{
    for (int fd = 1; fd <= 2; fd++) {
        struct stat ours;

        if (fstat(fd, &ours) == 0 && ours.st_dev == sb->st_dev && ours.st_ino == sb->st_ino)
            return true;
    }
    return false;
}

static enum burl_status
refuse_output(const char *path, const char *what, struct burl_err *err)
{
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "cannot write to %s: it is %s, not a regular file; name another file", path,
                        what);
}

/* The file that a name stands for, which may be a link; the caller frees *out. */
static enum burl_status
resolve_output(char **out, const char *path, struct burl_err *err)
{
    struct stat sb;

    *out = NULL;
    if (stat(path, &sb) != 0)
        *out = follow_dangling(path);
    else if (!S_ISREG(sb.st_mode))
        return refuse_output(path, type_name(sb.st_mode), err);
    else if (is_our_output(&sb))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "cannot write to %s: the output of burl goes there; name another file",
                            path);
    else if (lstat(path, &sb) == 0 && !S_ISLNK(sb.st_mode))
        *out = burl_xstrdup(path);
    else
        *out = realpath(path, NULL);
    return *out ? BURL_OK : burl_err_set(err, BURL_E_USAGE, ELOOP, "cannot write to %s", path);
}

enum burl_status
burl_fs_check_output(const char *path, struct burl_err *err)
{
    char *file;
    char *dir;
    enum burl_status st = resolve_output(&file, path, err);

    if (st != BURL_OK)
        return st;
    dir = burl_path_dirname(file);
    if (access(dir, W_OK | X_OK) != 0 || (access(file, W_OK) != 0 && errno != ENOENT))
        st = burl_err_set(err, BURL_E_USAGE, errno, "cannot write to %s", path);
    free(dir);
    free(file);
    return st;
}

enum burl_status
burl_fs_check_output_in(const char *dir, const char *name, struct burl_err *err)
{
    char *path = burl_path_join(dir, name);
    enum burl_status st = BURL_OK;
    struct stat sb;

    if (lstat(path, &sb) == 0 && !S_ISREG(sb.st_mode))
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "cannot write to %s: it is %s, not a regular file; remove it, or give "
                          "another directory",
                          path, type_name(sb.st_mode));
    free(path);
    return st;
}

static enum burl_status
replace(const char *path, const void *data, size_t n, struct burl_err *err)
{
    enum burl_status st;
    char *tmp;
    mode_t mask;
    int fd;

    tmp = burl_xasprintf("%s.tmp.XXXXXX", path);
    fd = mkostemp(tmp, O_CLOEXEC);
    if (fd < 0) {
        st = burl_err_set(err, BURL_E_IO, errno, "cannot create a file beside %s", path);
        free(tmp);
        return st;
    }
    st = burl_fs_write_all(fd, data, n, err);
    if (st != BURL_OK && err)
        burl_err_prefix(err, "%s", path);
    mask = umask(0);
    umask(mask);
    if (st == BURL_OK && (fchmod(fd, 0666 & ~mask) != 0 || fsync(fd) != 0))
        st = burl_err_set(err, BURL_E_IO, errno, "cannot write %s", path);
    if (close(fd) != 0 && st == BURL_OK)
        st = burl_err_set(err, BURL_E_IO, errno, "cannot write %s", path);
    if (st == BURL_OK && rename(tmp, path) != 0)
        st = burl_err_set(err, BURL_E_IO, errno, "cannot replace %s", path);
    if (st == BURL_OK)
        sync_parent_dir(path);
    else
        unlink(tmp);
    free(tmp);
    return st;
}

/* Below the guarded directory a link is replaced and not followed. */
enum burl_status
burl_fs_write_atomic(const char *path, const void *data, size_t n, struct burl_err *err)
{
    char *file = NULL;
    enum burl_status st;

    if (below_guarded(path)) {
        st = check_guarded_parent(path, err);
        return st == BURL_OK ? replace(path, data, n, err) : st;
    }
    st = resolve_output(&file, path, err);
    if (st == BURL_OK)
        st = replace(file, data, n, err);
    free(file);
    return st;
}

enum burl_status
burl_fs_write_in(const char *dir, const char *name, const void *data, size_t n,
                 struct burl_err *err)
{
    char *path = burl_path_join(dir, name);
    enum burl_status st = BURL_OK;

    if (!below_guarded(path))
        st = burl_fs_check_output_in(dir, name, err);
    if (st == BURL_OK)
        st = burl_fs_write_atomic(path, data, n, err);
    free(path);
    return st;
}

/* /dev/null is the usual way to say "an empty file". */
static bool
is_null_device(const struct stat *sb)
{
    struct stat null;

    return S_ISCHR(sb->st_mode) && stat("/dev/null", &null) == 0 && sb->st_rdev == null.st_rdev;
}

enum burl_status
burl_fs_open_input(int *fd, const char *path, struct burl_err *err)
{
    struct stat sb = { 0 };

    *fd = open_guarded(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0 && errno != ENXIO) {
        const int sys = errno;

        /* Says which part of the path is a link, if one is. */
        if (check_guarded(path, err) != BURL_OK)
            return BURL_E_USAGE;
        return burl_err_set(err, BURL_E_IO, sys, "cannot open %s", path);
    }
    if (*fd >= 0 && fstat(*fd, &sb) == 0 && (S_ISREG(sb.st_mode) || is_null_device(&sb)))
        return BURL_OK;
    if (*fd >= 0)
        close(*fd);
    sb.st_mode = *fd >= 0 ? sb.st_mode : S_IFSOCK;
    *fd = -1;
    return burl_err_set(err, BURL_E_USAGE, 0, "%s is %s, not a regular file; give a file", path,
                        type_name(sb.st_mode));
}

/* Reads the descriptor to its end and closes it. */
static enum burl_status
read_all(int fd, const char *path, size_t max_b, char **out, size_t *n, struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    struct burl_buf b;

    burl_buf_init(&b, max_b);
    for (;;) {
        char chunk[16384];
        ssize_t got = read(fd, chunk, sizeof chunk);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            st = burl_err_set(err, BURL_E_IO, errno, "cannot read %s", path);
            break;
        }
        if (got == 0)
            break;
        burl_buf_append(&b, chunk, (size_t)got);
        if (b.full) {
            st = burl_buf_status(&b, path, err);
            break;
        }
    }
    close(fd);
    if (st == BURL_OK)
        *out = burl_buf_take(&b, n);
    burl_buf_deinit(&b);
    return st;
}

enum burl_status
burl_fs_read_file(const char *path, size_t max_b, char **out, size_t *n, struct burl_err *err)
{
    enum burl_status st;
    int fd;

    *out = NULL;
    if (n)
        *n = 0;
    st = burl_fs_open_input(&fd, path, err);
    return st == BURL_OK ? read_all(fd, path, max_b, out, n, err) : st;
}

enum burl_status
burl_fs_read_stream(const char *path, size_t max_b, char **out, size_t *n, struct burl_err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);

    *out = NULL;
    if (n)
        *n = 0;
    if (fd < 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot open %s", path);
    return read_all(fd, path, max_b, out, n, err);
}

bool
burl_fs_exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0;
}

bool
burl_fs_is_dir(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static enum burl_status remove_dir_content(const char *path, struct burl_err *err);

enum burl_status
burl_fs_remove_tree(const char *path, struct burl_err *err)
{
    struct stat st;
    enum burl_status rc = check_guarded_parent(path, err);

    if (rc != BURL_OK)
        return rc;
    if (lstat(path, &st) != 0) {
        if (errno == ENOENT)
            return BURL_OK;
        return burl_err_set(err, BURL_E_IO, errno, "cannot examine %s", path);
    }
    if (!S_ISDIR(st.st_mode)) {
        if (unlink(path) == 0)
            return BURL_OK;
        return burl_err_set(err, BURL_E_IO, errno, "cannot remove %s", path);
    }
    rc = remove_dir_content(path, err);
    if (rc != BURL_OK)
        return rc;
    if (rmdir(path) != 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot remove %s", path);
    return BURL_OK;
}

static enum burl_status
remove_dir_content(const char *path, struct burl_err *err)
{
    enum burl_status rc = BURL_OK;
    DIR *d = opendir(path);

    if (!d)
        return burl_err_set(err, BURL_E_IO, errno, "cannot list %s", path);
    while (rc == BURL_OK) {
        struct dirent *e = readdir(d);
        char *child;

        if (!e)
            break;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        child = burl_path_join(path, e->d_name);
        rc = burl_fs_remove_tree(child, err);
        free(child);
    }
    closedir(d);
    return rc;
}

long long
burl_fs_free_b(const char *path)
{
    struct statvfs v;

    if (statvfs(path, &v) != 0)
        return -1;
    return (long long)v.f_bavail * (long long)v.f_frsize;
}
