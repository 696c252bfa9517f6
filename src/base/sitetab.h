/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/sitetab.h - what site numbers stand for, read from instrumented files.
 *
 * Host side. A table holds the records of `.burl.sites` (wire/sitefile.h) of any
 * number of executables, shared objects and object files, and answers by
 * (module hash, index in the module). Everything read is checked: a damaged
 * record is an error that names the file, and a table that opened never yields
 * a string or index out of bounds.
 */
#ifndef BURL_BASE_SITETAB_H
#define BURL_BASE_SITETAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/site.h"

struct burl_sitetab; /* opaque */

/* One site with everything known about it. Strings are never NULL ("" is unknown) and live as
 * long as the struct they came from. */
struct burl_site_info {
    uint32_t id;          /* process-wide number, 0 unknown (as in a table of files) */
    uint32_t index;       /* in its module */
    uint64_t module_hash; /* 0 unknown */
    const char *file;     /* as the compiler saw it, may be relative to dir */
    const char *dir;      /* directory of the compilation */
    const char *func;     /* source name; mangled only where the compiler left no other */
    const char *variable; /* "q->head"; the callee for calls */
    const char *module;   /* source file given to the compiler */
    uint32_t line;        /* 0 unknown */
    uint32_t column;      /* 0 unknown */
    uint32_t func_id;     /* number of the FUNC site that contains this one: process-wide, 0
                             unknown; in a table of files its index in the module */
    uint32_t block_ix;    /* index in the module of the BLOCK site that contains this one */
    uint8_t  kind;        /* enum burl_wire_site_kind */
    uint8_t  size_b;
    uint8_t  order;       /* enum burl_wire_mo */
    uint8_t  flags;       /* BURL_SITE_F_* */
};

struct burl_sitetab_module {
    uint64_t hash;
    uint32_t n_sites;
    const char *name;     /* source file as given to the compiler */
    const char *dir;      /* directory of the compilation */
    const char *producer; /* compiler and profile */
    const char *path;     /* file the record came from */
};

struct burl_sitetab *burl_sitetab_new(void);
void burl_sitetab_free(struct burl_sitetab *t);

/*
 * Adds all records of a file; *n_modules (may be NULL) says how many there were. A file without
 * the section adds none and is BURL_OK: the caller decides whether that matters. A module that is
 * there already is counted and not stored again. On failure nothing of the file is added.
 */
BURL_MUST_CHECK enum burl_status burl_sitetab_add_file(struct burl_sitetab *t, const char *path,
                                                       size_t *n_modules, struct burl_err *err);

size_t burl_sitetab_n_modules(const struct burl_sitetab *t);
struct burl_sitetab_module burl_sitetab_module(const struct burl_sitetab *t, size_t ix);
/* Finds a module by hash; false when it is not known. */
bool burl_sitetab_find(const struct burl_sitetab *t, uint64_t hash, size_t *ix);
/* False when the module or the index is not known; *out is then an empty site with "" strings. */
bool burl_sitetab_site(const struct burl_sitetab *t, uint64_t hash, uint32_t index,
                       struct burl_site_info *out);

#endif
