/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/symtab.h - the variables of an ELF file by address.
 *
 * Host side. Reads .symtab, or .dynsym of a stripped file, and keeps the objects (variables) with a
 * size. Sites name what the source says (`*p`); the symbol table says what that was.
 */
#ifndef BURL_BASE_SYMTAB_H
#define BURL_BASE_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct burl_symtab; /* opaque */

struct burl_symbol {
    const char *name;    /* as in the source (base/demangle.h); never NULL */
    const char *linkage; /* as the linker knows it */
    uint64_t addr;       /* where it begins, in the process */
    uint64_t size_b;
};

/* A file without symbols gives an empty table and is BURL_OK. */
BURL_MUST_CHECK enum burl_status burl_symtab_open(struct burl_symtab **out, const char *path,
                                                  struct burl_err *err);
/* A table by hand, for tests and stored programs. */
struct burl_symtab *burl_symtab_new(void);
/* Copies the name. Not after the first burl_symtab_find(). */
void burl_symtab_add(struct burl_symtab *t, const char *name, uint64_t addr, uint64_t size_b);
void burl_symtab_free(struct burl_symtab *t);

/* The variable that holds `addr`, an address of the file (without load bias); the one that begins
 * last when several do, then the first by linker name, so that aliases always have the same one. */
bool burl_symtab_find(struct burl_symtab *t, uint64_t addr, struct burl_symbol *out);

#endif
