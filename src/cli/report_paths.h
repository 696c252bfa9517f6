/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/report_paths.h - where the sources of a finding are, seen from the current directory.
 *
 * Runs in the host. A compiler notes the names that it is given: relative ones are relative to the
 * directory of the compilation, which is the build directory with Meson and the directory of the
 * makefile with `make -C`. A document for a CI system or an editor needs names that are relative to
 * the directory of the report.
 */
#ifndef BURL_CLI_REPORT_PATHS_H
#define BURL_CLI_REPORT_PATHS_H

#include <stddef.h>

#include "report/report.h"

struct burl_report_paths {
    char *cwd;     /* of the report, without links */
    char *dirs[3]; /* where compilations may have run, the likeliest first */
    size_t n_dirs;
    char *found; /* the last result */
};

/* Of a finding of this program, as its command line names it, in this store. */
void burl__report_paths_init(struct burl_report_paths *p, const char *program, const char *store);
void burl__report_paths_deinit(struct burl_report_paths *p);
/* `file` itself if it is found as it is or nowhere. */
const char *burl__report_paths_find(void *paths, const char *file);

#endif
