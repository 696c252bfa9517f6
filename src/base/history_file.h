/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/history_file.h - reads what recording processes have left (wire/history.h).
 *
 * Host side. Everything in the files is checked: a damaged one is an error that names it. Sites are
 * resolved with the site tables of the files that were executed, so these must still be there and
 * the same; what cannot be resolved is left out, and the history says that it is partial.
 */
#ifndef BURL_BASE_HISTORY_FILE_H
#define BURL_BASE_HISTORY_FILE_H

#include "base/history.h"

/* One per executable, ascending by program. */
struct burl_histories {
    BURL_VEC_OF(struct burl_history);
    BURL_VEC(char *) notes; /* why one is partial, for people, once each */
};

/* All files of a directory, in the order of their names; those of processes that were killed before
 * they recorded anything are passed over. On failure *out is empty. */
BURL_MUST_CHECK enum burl_status burl_history_load_dir(struct burl_histories *out, const char *dir,
                                                       struct burl_err *err);
void burl_histories_deinit(struct burl_histories *h);

/* ---- one file, for tests -------------------------------------------------------------------- */

/* Records as they are in the file. Strings and bytes point into it; offsets name records. */
struct burl_hist_segment {
    uint32_t off, n_sites;
    uint64_t first;
    const char *path;
};

struct burl_hist_module {
    uint64_t hash, sites;
    uint32_t n_sites, segment; /* segment: index into segments */
    const char *name;
};

struct burl_hist_role {
    uint32_t off, create_site, first_site, ordinal, n_threads, flags;
    uint64_t start, create_module, first_module;
    const char *path;
};

struct burl_hist_overlap {
    uint32_t a, b; /* indices into roles */
};

struct burl_hist_chunk {
    uint32_t role, segment; /* indices */
    bool alone;
    uint32_t n_sites;
    const uint8_t *seen;
};

struct burl_hist_file {
    const char *program;
    uint32_t pid;
    bool partial;
    BURL_VEC(struct burl_hist_segment) segments;
    BURL_VEC(struct burl_hist_module) modules;
    BURL_VEC(struct burl_hist_role) roles;
    BURL_VEC(struct burl_hist_overlap) overlaps;
    BURL_VEC(struct burl_hist_chunk) chunks;
};

/* `bytes` must outlive *out. A file without a head has no roles. */
BURL_MUST_CHECK enum burl_status burl_hist_file_decode(struct burl_hist_file *out,
                                                       const void *bytes, size_t n,
                                                       const char *path, struct burl_err *err);
void burl_hist_file_deinit(struct burl_hist_file *f);

#endif
