/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite/suite.h - a test suite: names, commands, environments, directories and time limits.
 *
 * Runs in the host. Imported from CTest (`ctest --show-only=json-v1`), from Meson (`meson
 * introspect --tests`), or from a file with one `name: command` per line. Nothing here runs a
 * test.
 */
#ifndef BURL_SUITE_SUITE_H
#define BURL_SUITE_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

enum burl_suite_kind { BURL_SUITE_FILE, BURL_SUITE_CTEST, BURL_SUITE_MESON };

struct burl_suite_test {
    char *name;          /* unique in its suite */
    char **argv;         /* NULL-terminated; argv[0] is absolute or a name without a slash, which is
                          * looked up in PATH; "": the suite has no command (it was not built) */
    char **env;          /* NULL-terminated "NAME=VALUE", added to ours; "NAME" alone removes it
                          * from ours; never NULL */
    char *dir;           /* absolute */
    uint64_t timeout_ms; /* 0: the suite says none */
    bool should_fail;    /* a nonzero exit code is a pass */
    int skip_code;       /* this exit code means skipped; -1 none */
};

struct burl_suite {
    enum burl_suite_kind kind;
    char *source; /* the build directory or the file, absolute */
    char *root;   /* programs below it are named relative to it: the build directory, or the
                   * directory of the file */
    BURL_VEC(struct burl_suite_test) tests; /* as listed by the source */
};

/*
 * Loads a suite. `path` is the build directory or the file. BURL_E_USAGE: it does not exist, has
 * no tests, has two tests of one name, or has a line that is none (file and line are named);
 * BURL_E_TARGET: ctest or meson is not installed or failed.
 */
BURL_MUST_CHECK enum burl_status burl_suite_load(struct burl_suite *s, enum burl_suite_kind kind,
                                                 const char *path, struct burl_err *err);
void burl_suite_deinit(struct burl_suite *s);
/* NULL when there is none. */
const struct burl_suite_test *burl_suite_find(const struct burl_suite *s, const char *name);

/* Our environment with that of the test and `more` (NULL-terminated, may be NULL), for
 * burl_proc_opts.envp. Free it with burl_suite_free_env(). */
char **burl_suite_make_env(const struct burl_suite_test *t, const char *const *more);
void burl_suite_free_env(char **env);

/* The name of a program within its suite: relative to root if below it, else absolute. The caller
 * frees. And the way back. */
char *burl_suite_program_key(const struct burl_suite *s, const char *path);
char *burl_suite_program_path(const struct burl_suite *s, const char *key);

/* What a recorded version is bound to: "file burl.tests", "ctest build". The path is relative where
 * it is below the current directory, so that a tree may be moved with its store. The caller
 * frees. */
char *burl_suite_identity(const struct burl_suite *s);

#endif
