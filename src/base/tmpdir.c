/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/tmpdir.c - temporary directories that do not stay; contract in tmpdir.h.
 *
 * Runs in the host. The lock is an flock on the directory itself: the kernel drops it with the
 * process, and it works between containers that share the file system, where process ids do not.
 */
#include "base/tmpdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"

/* Between its making and its locking a directory is not locked yet. */
#define YOUNG_S 60

static void
remove_if_left(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat sb;

    if (fd < 0)
        return;
    /* Best effort: what cannot be removed stays. */
    if (fstat(fd, &sb) == 0 && sb.st_uid == geteuid() && sb.st_mtime + YOUNG_S < time(NULL) &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)!burl_fs_remove_tree(path, NULL);
    close(fd);
}

static void
sweep(const char *base, const char *prefix)
{
    const size_t n = strlen(prefix);
    DIR *d = opendir(base);
    struct dirent *e;

    while (d && (e = readdir(d)) != NULL) {
        /* Exactly what mkdtemp() makes. */
        if (strncmp(e->d_name, prefix, n) == 0 && e->d_name[n] == '-' &&
            strlen(e->d_name) == n + 7) {
            char *path = burl_path_join(base, e->d_name);

            remove_if_left(path);
            free(path);
        }
    }
    if (d)
        closedir(d);
}

const char *
burl_tmpdir_base(void)
{
    const char *tmp = getenv("TMPDIR");

    return tmp && *tmp ? tmp : "/tmp";
}

enum burl_status
burl_tmpdir_fail(const char *what, int sys, struct burl_err *err)
{
    const char *tmp = getenv("TMPDIR");

    return burl_err_set(
        err, BURL_E_IO, sys,
        "cannot create %s in %s (%s); set TMPDIR to a directory that exists, can be "
        "written and has room",
        what, burl_tmpdir_base(), tmp && *tmp ? "$TMPDIR" : "TMPDIR is not set");
}

enum burl_status
burl_tmpdir_new(char **out, const char *prefix, struct burl_err *err)
{
    const char *base = burl_tmpdir_base();
    int fd;

    *out = burl_xasprintf("%s/%s-XXXXXX", base, prefix);
    if (!mkdtemp(*out)) {
        (void)burl_tmpdir_fail("a temporary directory", errno, err);
        free(*out);
        *out = NULL;
        return BURL_E_IO;
    }
    /* Held until we end; a failure only means that it may be removed when it is old. */
    fd = open(*out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0)
        close(fd);
    sweep(base, prefix);
    return BURL_OK;
}
