/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/path.h - path arithmetic, and where our own parts lie.
 *
 * The parts are found from the running executable alone (no configured prefix),
 * so a build tree and an installed copy may be moved as a whole:
 *     build tree:  DIR/burl  DIR/burl-instr  DIR/libburl_rt.so
 *     installed:   PREFIX/bin/burl  PREFIX/lib/burl/{burl-instr,libburl_rt.so}
 */
#ifndef BURL_BASE_PATH_H
#define BURL_BASE_PATH_H

#include <stdbool.h>

#include "base/err.h"

/* "dir/name"; `name` alone when it is absolute or `dir` is empty. Caller frees. */
char *burl_path_join(const char *dir, const char *name);
/* The part before the last slash: "." when there is none, "/" for "/x". Caller frees. */
char *burl_path_dirname(const char *path);
/* Points into `path`, after the last slash. */
const char *burl_path_basename(const char *path);
/* Absolute form of `path` against the current directory, links not resolved. Caller frees. */
BURL_MUST_CHECK enum burl_status burl_path_absolute(char **out, const char *path,
                                                    struct burl_err *err);
/* The program a shell would run for `name`: as it is when it has a slash, else by PATH.
 * BURL_E_USAGE when nothing executable is found. Caller frees. */
BURL_MUST_CHECK enum burl_status burl_path_which(char **out, const char *name,
                                                 struct burl_err *err);

/* True for a source file that is not the user's own: one of a system directory. */
bool burl_path_is_system(const char *source);

struct burl_path_tools {
    char *exe;       /* the running executable, links resolved */
    char *instr;     /* burl-instr */
    char *rt;        /* libburl_rt.so */
    char *lib_dir;   /* directory of libburl_rt.so, for -L and rpath */
    char *include_dir; /* directory that holds burl/burl.h */
    bool  installed; /* false: build tree */
    bool  complete;  /* instr and rt exist; when false the paths say where they should be */
};

BURL_MUST_CHECK enum burl_status burl_path_tools(struct burl_path_tools *out,
                                                 struct burl_err *err);
void burl_path_tools_deinit(struct burl_path_tools *t);

#endif
