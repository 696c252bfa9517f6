/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyzer/analyzer.h - runs burl-analyze and keeps its results in the store's cache.
 *
 * Runs in the host. Used by `burl cover` for the static target and by `burl regress` for the
 * target and the changes. The cache is <store>/targets/<hash>, by everything a result depends on.
 */
#ifndef BURL_ANALYZER_ANALYZER_H
#define BURL_ANALYZER_ANALYZER_H

#include <stddef.h>

#include "base/changes.h"
#include "base/sp.h"

struct burl_analyzer_request {
    const char *store_dir; /* the cache is below it; NULL: no cache */
    const char *program;   /* executable */
    const char *const *with; /* shared objects loaded while it runs */
    size_t n_with;
    uint64_t key;            /* hash of what the program consists of: the hashes of its modules */
    const char *base;        /* a list of the base version's modules, one "path-of-.bc hash object
                              * name" per line; NULL: no changes wanted */
    uint64_t base_key;
};

/* Fills `target` and, with `base`, `changes`; NULL on success, else a sentence for people that the
 * caller frees. */
char *burl_analyzer_run(const struct burl_analyzer_request *r, struct burl_sp *target,
                        struct burl_changes *changes);

#endif
