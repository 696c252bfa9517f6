/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/nametab.h - how the source names memory: records of `.burl.names` (wire/namefile.h).
 *
 * Host side. As with base/sitetab.h, everything read is checked, and a table never yields a string
 * or an index out of bounds. Strings live as long as the table.
 */
#ifndef BURL_BASE_NAMETAB_H
#define BURL_BASE_NAMETAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "wire/namefile.h"

struct burl_nametab; /* opaque */

/* How an expression of a function reaches memory; see struct burl_wire_place. */
struct burl_place {
    const char *text;
    const char *owner;
    const char *path;
    uint32_t position; /* of an argument: in its call */
    uint32_t offset_b; /* in its owner; BURL_NAME_NONE unknown */
    uint32_t from_b;   /* from the variable or what the parameter points to; the same */
    uint16_t param;    /* BURL_PARAM_NONE: text begins elsewhere */
    uint8_t flags;     /* BURL_PLACE_* */
    uint8_t value;     /* enum burl_wire_value */
};

struct burl_call {
    uint64_t module; /* hash */
    uint32_t site;   /* CALL site, BURL_NAME_NONE none */
    const char *callee; /* symbol, "" unknown */
    uint32_t line;
    uint32_t column;
    uint32_t first;
    uint32_t n;
};

struct burl_nametab *burl_nametab_new(void);
void burl_nametab_free(struct burl_nametab *t);

/* Adds all records of a file; one without the section adds none and is BURL_OK. */
BURL_MUST_CHECK enum burl_status burl_nametab_add_file(struct burl_nametab *t, const char *path,
                                                       struct burl_err *err);
/* Adds the record at the start of `bytes`; *used is its length. A module that is there already is
 * not stored again. */
BURL_MUST_CHECK enum burl_status burl_nametab_add_record(struct burl_nametab *t,
                                                         const uint8_t *bytes, uint64_t n,
                                                         uint64_t *used, const char *path,
                                                         struct burl_err *err);

/* What the site accesses; false when nothing is known. */
bool burl_nametab_access(const struct burl_nametab *t, uint64_t module, uint32_t site,
                         struct burl_place *out);
/* Symbol of the function with this FUNC site, "" unknown. */
const char *burl_nametab_symbol(const struct burl_nametab *t, uint64_t module, uint32_t func);
/* The i-th call that has arguments with names, of the function with this FUNC site. */
bool burl_nametab_call(const struct burl_nametab *t, uint64_t module, uint32_t func, size_t i,
                       struct burl_call *out);
bool burl_nametab_argument(const struct burl_nametab *t, const struct burl_call *call,
                           uint32_t position, struct burl_place *out);

/* Appends the way from a global to the smallest thing with a name that holds `want_b` bytes at an
 * offset (0 bytes: the largest that begins there): ".mutex_", "[1].m", "" for the whole. False,
 * with nothing appended: no table describes a global of this symbol and size, or two disagree. */
bool burl_nametab_member(const struct burl_nametab *t, const char *symbol, uint64_t size_b,
                         uint64_t offset, uint64_t want_b, struct burl_buf *out);

#endif
