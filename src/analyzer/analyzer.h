/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyzer/analyzer.h - runs burl-analyze and keeps its results in the store's cache.
 *
 * Runs in the host. Used by `burl cover` for the static target and by `burl regress` for the
 * target and the changes. The cache is <store>/targets/<hash>, by everything a result depends on;
 * changes lie beside the target as <hash>.changes. If the store is not writable the results are
 * computed for this run only.
 *
 * Calls for different requests may run at the same time.
 */
#ifndef BURL_ANALYZER_ANALYZER_H
#define BURL_ANALYZER_ANALYZER_H

#include <stddef.h>
#include <stdint.h>

#include "base/changes.h"
#include "base/sp.h"

struct burl_analyzer_request {
    const char *store_dir;   /* the cache is below it; NULL: no cache */
    const char *program;     /* executable */
    const char *const *with; /* shared objects loaded while it runs */
    size_t n_with;
    uint64_t key;            /* hash of what the program consists of: the hashes of its modules */
    const char *base;        /* a list of the base version's modules, one line each, with tabs:
                              * path of .bc, hash, object, name; NULL: no changes wanted */
    uint64_t base_key;       /* the same hash of the base version */
};

/* Fills `target` and, with `base`, `changes` (else NULL); returns NULL on success, else a sentence
 * for people that the caller frees. Both are initialized in any case. */
char *burl_analyzer_run(const struct burl_analyzer_request *r, struct burl_sp *target,
                        struct burl_changes *changes);

#endif
