/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/needed.h - the shared objects that an executable would load.
 *
 * Host side.
 */
#ifndef BURL_BASE_NEEDED_H
#define BURL_BASE_NEEDED_H

#include <stdbool.h>

#include "base/err.h"
#include "base/vec.h"

struct burl_needed {
    BURL_VEC(char *) paths; /* the executable first, then breadth first, as the loader does */
    BURL_VEC(char *) missing; /* names that were not found */
};

/* Fails only when the executable itself cannot be read. */
BURL_MUST_CHECK enum burl_status burl_needed_find(struct burl_needed *n, const char *path,
                                                  struct burl_err *err);
void burl_needed_deinit(struct burl_needed *n);
/* A system file, which is not expected to have bitcode. */
bool burl_needed_is_system(const char *path);

#endif
