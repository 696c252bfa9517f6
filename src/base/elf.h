/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/elf.h - read-only view of the sections and symbols of an ELF64 little-endian file.
 *
 * Host side. The file is mapped, and every offset in it is checked before it is
 * followed, so a truncated or hostile file gives an error and never a fault.
 * (A file that shrinks while it is mapped is not defended against.)
 */
#ifndef BURL_BASE_ELF_H
#define BURL_BASE_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct burl_elf; /* opaque */

struct burl_elf_section {
    const char *name;     /* lives as long as the file is open */
    const uint8_t *bytes; /* NULL for sections without bytes in the file (.bss) */
    uint64_t size_b;
    uint64_t addr;
    uint32_t type;  /* SHT_* */
    uint64_t flags; /* SHF_* */
};

/* BURL_E_IO when it cannot be read, BURL_E_FORMAT when it is not such a file. */
BURL_MUST_CHECK enum burl_status burl_elf_open(struct burl_elf **out, const char *path,
                                               struct burl_err *err);
void burl_elf_close(struct burl_elf *e);

size_t burl_elf_n_sections(const struct burl_elf *e);
/* `ix` below burl_elf_n_sections(). A section that does not decode has an empty name, no bytes. */
struct burl_elf_section burl_elf_section(const struct burl_elf *e, size_t ix);
/* The first section of that name at or after *ix; *ix becomes its index. An object file may have
 * several. */
bool burl_elf_find(const struct burl_elf *e, const char *name, size_t *ix,
                   struct burl_elf_section *out);

/* The symbols of a file: .symtab, or .dynsym, which strip leaves. */
struct burl_elf_symbols {
    uint64_t n;
    /* Private. */
    struct burl_elf_section table;
    struct burl_elf_section strings;
};

/* False: there is no such table; *out is empty then. */
bool burl_elf_symbols(const struct burl_elf *e, bool dynamic, struct burl_elf_symbols *out);
/* The name, "" when there is none or `i` is out of range (*out is all 0 then); lives as long as the
 * file is open. */
const char *burl_elf_symbol(const struct burl_elf_symbols *t, uint64_t i, Elf64_Sym *out);
/* Entry `i` of the dynamic section, and the string it names in the case of DT_NEEDED, DT_RPATH and
 * DT_RUNPATH (else ""). False at its end, or when the file has none. */
bool burl_elf_dynamic(const struct burl_elf *e, uint64_t i, Elf64_Dyn *out, const char **string);

enum burl_elf_kind {
    BURL_ELF_NONE = 0, /* not an ELF file */
    BURL_ELF_OTHER,    /* of another machine */
    BURL_ELF_X86_64
};

/* By its first bytes; the rest may be damaged. */
BURL_MUST_CHECK enum burl_status burl_elf_kind(const char *path, enum burl_elf_kind *out,
                                               struct burl_err *err);

#endif
