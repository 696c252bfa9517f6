/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/bcrecord.h - the bitcode in instrumented files: records of .burl.bc (wire/sitefile.h).
 *
 * Host side and burl-analyze. Everything read is checked: a damaged record is an error that names
 * the file, and never a fault.
 */
#ifndef BURL_BASE_BCRECORD_H
#define BURL_BASE_BCRECORD_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* One module; everything in it lives as long as the call that it is passed to. */
struct burl_bcrecord {
    uint64_t hash;    /* as in .burl.sites and at run time */
    const char *name; /* source file as given to the compiler */
    const void *bytes; /* canonical bitcode */
    size_t n;
};

/* Every record of an executable, shared object or object file, in its order; a status other than
 * BURL_OK stops. A file without the section has none and is BURL_OK. A module that was linked in
 * twice comes twice. */
BURL_MUST_CHECK enum burl_status
burl_bcrecord_each(const char *path,
                   enum burl_status (*each)(void *arg, const struct burl_bcrecord *r,
                                            struct burl_err *err),
                   void *arg, struct burl_err *err);

#endif
