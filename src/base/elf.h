/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/elf.h - read-only view of the sections of an ELF64 little-endian file.
 *
 * Host side. The file is mapped, and every offset in it is checked before it is
 * followed, so a truncated or hostile file gives an error and never a fault.
 * (A file that shrinks while it is mapped is not defended against.)
 */
#ifndef BURL_BASE_ELF_H
#define BURL_BASE_ELF_H

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
/* ET_REL, ET_EXEC, ET_DYN, ET_CORE. */
unsigned burl_elf_type(const struct burl_elf *e);
/* The GNU build id; *n is 0 when there is none. Points into the file. */
const uint8_t *burl_elf_build_id(const struct burl_elf *e, size_t *n);

#endif
