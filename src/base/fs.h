/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/fs.h - whole files and directories.
 *
 * Files others may read while we write them are replaced by rename, so a reader
 * or a kill -9 sees the old or the new content and never a part.
 */
#ifndef BURL_BASE_FS_H
#define BURL_BASE_FS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Creates `path` and its missing parents; an existing directory is success. */
BURL_MUST_CHECK enum burl_status burl_fs_mkdir_p(const char *path, struct burl_err *err);

/* Writes a temporary beside `path`, syncs it, renames it, syncs the directory. On failure
 * the old file is untouched and the temporary is gone. A link stays: the file it leads to is
 * replaced. A device, a FIFO, a socket, a directory and our own standard output are
 * BURL_E_USAGE. */
BURL_MUST_CHECK enum burl_status burl_fs_write_atomic(const char *path, const void *data,
                                                      size_t n, struct burl_err *err);

/* The same for the file `name` in `dir`, which is not followed when it is a link: a directory of
 * pages may come from elsewhere. */
BURL_MUST_CHECK enum burl_status burl_fs_write_in(const char *dir, const char *name,
                                                  const void *data, size_t n, struct burl_err *err);

/* Before long work: would burl_fs_write_atomic() write this file? BURL_E_USAGE: no. */
BURL_MUST_CHECK enum burl_status burl_fs_check_output(const char *path, struct burl_err *err);
/* The same for burl_fs_write_in() and a directory that can be written. */
BURL_MUST_CHECK enum burl_status burl_fs_check_output_in(const char *dir, const char *name,
                                                         struct burl_err *err);

/* Opens a file for reading without waiting. What is not a regular file (a FIFO, a device, a
 * directory) is BURL_E_USAGE: it may block for ever, or have no end. */
BURL_MUST_CHECK enum burl_status burl_fs_open_input(int *fd, const char *path,
                                                    struct burl_err *err);

/* The whole file, NUL-terminated beyond its `n` bytes; caller frees *out. More than `max_b`
 * bytes is BURL_E_LIMIT. `n` may be NULL. Regular files, those of /proc among them. */
BURL_MUST_CHECK enum burl_status burl_fs_read_file(const char *path, size_t max_b, char **out,
                                                   size_t *n, struct burl_err *err);

/* The same for a pipe or a device as well: it may block. */
BURL_MUST_CHECK enum burl_status burl_fs_read_stream(const char *path, size_t max_b, char **out,
                                                     size_t *n, struct burl_err *err);

/*
 * Directories that may come from elsewhere, a checkout for example: no symbolic link is followed
 * below `dir`. `name` is relative, with slashes. A link there, a file of another type, or a name
 * that leads out of `dir` is BURL_E_USAGE; a missing one is fine.
 */
BURL_MUST_CHECK enum burl_status burl_fs_check_inside(const char *dir, const char *name,
                                                      struct burl_err *err);
/* Creates the directory `name` below `dir`, which exists or is created. */
BURL_MUST_CHECK enum burl_status burl_fs_mkdir_inside(const char *dir, const char *name,
                                                      struct burl_err *err);

/*
 * From now on this holds for every path below `dir` that is given to the functions above and to
 * burl_fs_remove_tree(): no caller can forget it. Files are opened part by part, so that a link
 * which is put there meanwhile is not followed either. One directory; links in `dir` itself are
 * the user's.
 */
void burl_fs_guard(const char *dir);

/* Something that we write in place and that may have another name elsewhere: more than one hard
 * link is BURL_E_USAGE. */
BURL_MUST_CHECK enum burl_status burl_fs_check_single(int fd, const char *path,
                                                      struct burl_err *err);

/* No symbolic link is anywhere below `dir`: for directories in which other programs write. */
BURL_MUST_CHECK enum burl_status burl_fs_check_tree(const char *dir, struct burl_err *err);

bool burl_fs_exists(const char *path);
bool burl_fs_is_dir(const char *path);
/* Removes a file or a whole tree, links not followed; a missing path is success. */
BURL_MUST_CHECK enum burl_status burl_fs_remove_tree(const char *path, struct burl_err *err);
/* Writes all of `n` bytes, through short writes and EINTR. */
BURL_MUST_CHECK enum burl_status burl_fs_write_all(int fd, const void *data, size_t n,
                                                   struct burl_err *err);
/* Bytes free for us on the file system of `path`, or -1 when unknown. */
long long burl_fs_free_b(const char *path);

#endif
