/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/tmpdir.h - temporary directories that do not stay when their process is killed.
 */
#ifndef BURL_BASE_TMPDIR_H
#define BURL_BASE_TMPDIR_H

#include "base/err.h"

/*
 * Makes a directory <prefix>-XXXXXX in $TMPDIR or /tmp; the caller removes it. It is locked for as
 * long as we live; directories of the same prefix that no process has locked any more were left
 * behind by one that was killed, and are removed. Those of other users, and young ones, are left
 * alone.
 */
BURL_MUST_CHECK enum burl_status burl_tmpdir_new(char **out, const char *prefix,
                                                 struct burl_err *err);

/* $TMPDIR or /tmp. */
const char *burl_tmpdir_base(void);
/* Sets the error of a file or directory that cannot be made there; sys: errno. */
enum burl_status burl_tmpdir_fail(const char *what, int sys, struct burl_err *err);

#endif
