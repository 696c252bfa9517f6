/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/elf.c - see elf.h. Host side.
 *
 * Rule of the file: nothing is read from the mapping except through range(),
 * which answers NULL for anything that does not lie in the file whole.
 */
#include "base/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

struct burl_elf {
    const uint8_t *map;
    uint64_t size_b;
    Elf64_Ehdr head;
    uint64_t n_sections;
    const char *names; /* section name strings, NULL when damaged */
    uint64_t names_b;
};

static const uint8_t *
range(const struct burl_elf *e, uint64_t offset, uint64_t n)
{
    if (offset > e->size_b || n > e->size_b - offset)
        return NULL;
    return e->map + offset;
}

static bool
read_section_head(const struct burl_elf *e, uint64_t ix, Elf64_Shdr *out)
{
    uint64_t step = e->head.e_shentsize;

    if (ix > UINT32_MAX)
        return false;
    const uint8_t *p = range(e, e->head.e_shoff, 0);
    if (p)
        p = e->head.e_shoff + ix * step >= e->head.e_shoff
                ? range(e, e->head.e_shoff + ix * step, sizeof *out)
                : NULL;
    if (!p)
        return false;
    memcpy(out, p, sizeof *out);
    return true;
}

static enum burl_status
map_file(struct burl_elf *e, const char *path, struct burl_err *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot open %s", path);
    enum burl_status result = BURL_OK;
    void *p = NULL;
    if (fstat(fd, &st) != 0)
        result = burl_err_set(err, BURL_E_IO, errno, "cannot stat %s", path);
    else if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(Elf64_Ehdr))
        result = burl_err_set(err, BURL_E_FORMAT, 0, "%s is not an ELF file", path);
    else
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED)
        result = burl_err_set(err, BURL_E_IO, errno, "cannot map %s", path);
    close(fd);
    if (result != BURL_OK)
        return result;
    e->map = p;
    e->size_b = (uint64_t)st.st_size;
    return BURL_OK;
}

static enum burl_status
check_head(struct burl_elf *e, const char *path, struct burl_err *err)
{
    memcpy(&e->head, e->map, sizeof e->head);
    if (memcmp(e->head.e_ident, ELFMAG, SELFMAG) != 0)
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s is not an ELF file", path);
    if (e->head.e_ident[EI_CLASS] != ELFCLASS64 || e->head.e_ident[EI_DATA] != ELFDATA2LSB)
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s is not a 64-bit little-endian ELF file",
                            path);
    if (e->head.e_shoff &&
        (e->head.e_shentsize < sizeof(Elf64_Shdr) ||
         !range(e, e->head.e_shoff, (uint64_t)e->head.e_shnum * e->head.e_shentsize)))
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s: section headers are damaged", path);
    return BURL_OK;
}

/* Files with very many sections keep the true numbers in section 0. */
static void
find_sections(struct burl_elf *e)
{
    Elf64_Shdr zero, strings;
    uint64_t names_ix = e->head.e_shstrndx;

    e->n_sections = e->head.e_shnum;
    if (!e->head.e_shoff || !read_section_head(e, 0, &zero)) {
        e->n_sections = 0;
        return;
    }
    if (e->n_sections == 0)
        e->n_sections = zero.sh_size;
    if (names_ix == SHN_XINDEX)
        names_ix = zero.sh_link;
    /* No more headers than the file has room for, whatever the count says. */
    uint64_t room = (e->size_b - e->head.e_shoff) / e->head.e_shentsize;
    if (e->n_sections > room)
        e->n_sections = room;
    if (names_ix < e->n_sections && read_section_head(e, names_ix, &strings)) {
        const uint8_t *p = range(e, strings.sh_offset, strings.sh_size);
        if (p && strings.sh_size && p[strings.sh_size - 1] == 0) {
            e->names = (const char *)p;
            e->names_b = strings.sh_size;
        }
    }
}

enum burl_status
burl_elf_open(struct burl_elf **out, const char *path, struct burl_err *err)
{
    struct burl_elf *e = burl_xcalloc(1, sizeof *e);
    enum burl_status st = map_file(e, path, err);

    *out = NULL;
    if (st == BURL_OK)
        st = check_head(e, path, err);
    if (st != BURL_OK) {
        burl_elf_close(e);
        return st;
    }
    find_sections(e);
    *out = e;
    return BURL_OK;
}

void
burl_elf_close(struct burl_elf *e)
{
    if (!e)
        return;
    if (e->map)
        munmap((void *)(uintptr_t)e->map, (size_t)e->size_b);
    free(e);
}

size_t
burl_elf_n_sections(const struct burl_elf *e)
{
    return (size_t)e->n_sections;
}

struct burl_elf_section
burl_elf_section(const struct burl_elf *e, size_t ix)
{
    struct burl_elf_section s = { .name = "" };
    Elf64_Shdr h;

    if (ix >= e->n_sections || !read_section_head(e, ix, &h))
        return s;
    if (e->names && h.sh_name < e->names_b)
        s.name = e->names + h.sh_name;
    s.type = h.sh_type;
    s.flags = h.sh_flags;
    s.addr = h.sh_addr;
    s.size_b = h.sh_size;
    if (h.sh_type != SHT_NOBITS)
        s.bytes = range(e, h.sh_offset, h.sh_size);
    if (!s.bytes)
        s.size_b = 0;
    return s;
}

bool
burl_elf_find(const struct burl_elf *e, const char *name, size_t *ix, struct burl_elf_section *out)
{
    for (; *ix < e->n_sections; ++*ix) {
        *out = burl_elf_section(e, *ix);
        if (strcmp(out->name, name) == 0)
            return true;
    }
    return false;
}

/* A section that is there, with bytes, and whose last string ends inside of it. */
static bool
find_strings(const struct burl_elf *e, const char *name, struct burl_elf_section *out)
{
    size_t ix = 0;

    return burl_elf_find(e, name, &ix, out) && out->size_b > 0 && out->bytes[out->size_b - 1] == 0;
}

static const char *
string_at(const struct burl_elf_section *strings, uint64_t offset)
{
    return offset < strings->size_b ? (const char *)strings->bytes + offset : "";
}

bool
burl_elf_symbols(const struct burl_elf *e, bool dynamic, struct burl_elf_symbols *out)
{
    size_t ix = 0;

    *out = (struct burl_elf_symbols){ 0 };
    if (!burl_elf_find(e, dynamic ? ".dynsym" : ".symtab", &ix, &out->table) || !out->table.bytes ||
        !find_strings(e, dynamic ? ".dynstr" : ".strtab", &out->strings))
        return false;
    out->n = out->table.size_b / sizeof(Elf64_Sym);
    return true;
}

const char *
burl_elf_symbol(const struct burl_elf_symbols *t, uint64_t i, Elf64_Sym *out)
{
    memset(out, 0, sizeof *out);
    if (i >= t->n)
        return "";
    /* Nothing says that a file is aligned. */
    memcpy(out, t->table.bytes + i * sizeof *out, sizeof *out);
    return string_at(&t->strings, out->st_name);
}

bool
burl_elf_dynamic(const struct burl_elf *e, uint64_t i, Elf64_Dyn *out, const char **string)
{
    struct burl_elf_section dynamic, strings;
    size_t ix = 0;

    *string = "";
    if (!burl_elf_find(e, ".dynamic", &ix, &dynamic) || !dynamic.bytes ||
        i >= dynamic.size_b / sizeof *out)
        return false;
    memcpy(out, dynamic.bytes + i * sizeof *out, sizeof *out);
    if ((out->d_tag == DT_NEEDED || out->d_tag == DT_RPATH || out->d_tag == DT_RUNPATH) &&
        find_strings(e, ".dynstr", &strings))
        *string = string_at(&strings, out->d_un.d_val);
    return out->d_tag != DT_NULL;
}

enum burl_status
burl_elf_kind(const char *path, enum burl_elf_kind *out, struct burl_err *err)
{
    Elf64_Ehdr h = { 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    *out = BURL_ELF_NONE;
    if (fd < 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot read %s", path);
    if (read(fd, &h, sizeof h) >= SELFMAG && memcmp(h.e_ident, ELFMAG, SELFMAG) == 0)
        *out = h.e_ident[EI_CLASS] == ELFCLASS64 && h.e_machine == EM_X86_64 ? BURL_ELF_X86_64
                                                                             : BURL_ELF_OTHER;
    close(fd);
    return BURL_OK;
}
