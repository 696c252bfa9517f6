/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/program.c - a look at an ELF file; contract in program.h.
 *
 * Runs in the host. Only headers, section names and the dynamic section are
 * read. An executable without our section may still be worth testing, because
 * its shared libraries may be instrumented: being linked against the runtime
 * is enough.
 */
#include "engine/target/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/libfn.h"
#include "wire/sitefile.h"

#define RUNTIME_SONAME "libburl_rt.so"

struct image {
    const uint8_t *p;
    size_t n;
};

/* `n` bytes at `off`, or NULL when they are not all in the file. */
static const void *
slice(const struct image *im, uint64_t off, uint64_t n)
{
    if (off > im->n || n > im->n - off)
        return NULL;
    return im->p + off;
}

/* The string at `off` of a string table section, or NULL when it is not terminated inside. */
static const char *
string_at(const struct image *im, const Elf64_Shdr *strtab, uint64_t off)
{
    const char *base = slice(im, strtab->sh_offset, strtab->sh_size);

    if (!base || off >= strtab->sh_size)
        return NULL;
    if (!memchr(base + off, '\0', strtab->sh_size - off))
        return NULL;
    return base + off;
}

/* Is the runtime among the libraries the dynamic section names? */
static bool
needs_runtime(const struct image *im, const Elf64_Shdr *sections, uint32_t n_sections,
              const Elf64_Shdr *dynamic)
{
    const Elf64_Dyn *d = slice(im, dynamic->sh_offset, dynamic->sh_size);

    if (!d || dynamic->sh_link >= n_sections || dynamic->sh_offset % 8 != 0)
        return false;
    for (uint64_t i = 0; i < dynamic->sh_size / sizeof *d && d[i].d_tag != DT_NULL; i++) {
        const char *name;

        if (d[i].d_tag != DT_NEEDED)
            continue;
        name = string_at(im, &sections[dynamic->sh_link], d[i].d_un.d_val);
        if (name && strstr(name, RUNTIME_SONAME))
            return true;
    }
    return false;
}

/* Does it import dlopen? */
static bool
imports_dlopen(const struct image *im, const Elf64_Shdr *sections, uint32_t n_sections,
               const Elf64_Shdr *symtab)
{
    const Elf64_Sym *s = slice(im, symtab->sh_offset, symtab->sh_size);

    if (!s || symtab->sh_link >= n_sections || symtab->sh_offset % 8 != 0)
        return false;
    for (uint64_t i = 0; i < symtab->sh_size / sizeof *s; i++) {
        const char *name;

        if (s[i].st_shndx != SHN_UNDEF)
            continue;
        name = string_at(im, &sections[symtab->sh_link], s[i].st_name);
        if (name && (burl_libfn(name).is & BURL_FN_LOADS))
            return true;
    }
    return false;
}

static enum burl_status
inspect_image(const struct image *im, const char *path, struct burl_program_info *out,
              struct burl_err *err)
{
    const Elf64_Ehdr *eh = slice(im, 0, sizeof *eh);
    const Elf64_Shdr *sh;

    if (!slice(im, 0, SELFMAG) || memcmp(im->p, ELFMAG, SELFMAG) != 0)
        return BURL_OK;
    out->elf = true;
    if (!eh)
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s is a truncated ELF file", path);
    if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_machine != EM_X86_64) {
        out->other_machine = true;
        return BURL_OK;
    }
    out->is_static = true;
    if (eh->e_shnum == 0)
        return BURL_OK;
    sh = slice(im, eh->e_shoff, (uint64_t)eh->e_shnum * sizeof *sh);
    if (!sh || eh->e_shentsize != sizeof *sh || eh->e_shstrndx >= eh->e_shnum ||
        eh->e_shoff % 8 != 0)
        return burl_err_set(err, BURL_E_FORMAT, 0, "the section table of %s is damaged", path);
    for (uint32_t i = 0; i < eh->e_shnum; i++) {
        const char *name = string_at(im, &sh[eh->e_shstrndx], sh[i].sh_name);

        if (name && strcmp(name, BURL_WIRE_SITES_SECTION) == 0)
            out->sites = true;
        if (sh[i].sh_type == SHT_DYNAMIC) {
            out->is_static = false;
            out->runtime = needs_runtime(im, sh, eh->e_shnum, &sh[i]);
        }
        if (sh[i].sh_type == SHT_DYNSYM)
            out->loads = imports_dlopen(im, sh, eh->e_shnum, &sh[i]);
    }
    return BURL_OK;
}

enum burl_status
burl_program_inspect(const char *path, struct burl_program_info *out, struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    struct image im = { 0 };
    struct stat sb;
    void *map;
    int fd;

    memset(out, 0, sizeof *out);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot read %s", path);
    if (fstat(fd, &sb) != 0) {
        st = burl_err_set(err, BURL_E_IO, errno, "cannot read %s", path);
        goto done;
    }
    if (!S_ISREG(sb.st_mode) || sb.st_size == 0)
        goto done;
    map = mmap(NULL, (size_t)sb.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) {
        st = burl_err_set(err, BURL_E_IO, errno, "cannot read %s", path);
        goto done;
    }
    im.p = map;
    im.n = (size_t)sb.st_size;
    st = inspect_image(&im, path, out, err);
    munmap(map, (size_t)sb.st_size);
done:
    close(fd);
    return st;
}

enum burl_status
burl_program_check(const char *path, const char *name, struct burl_err *err)
{
    struct burl_program_info info;
    struct burl_err ignored;

    /* A file we may execute but not read is started blindly; the hand-shake will tell. */
    if (burl_program_inspect(path, &info, &ignored) != BURL_OK)
        return BURL_OK;
    if (!info.elf || info.runtime)
        return BURL_OK;
    if (info.other_machine)
        return burl_err_set(err, BURL_E_TARGET, 0,
                            "%s is not a program for this machine; burl tests x86-64 programs",
                            name);
    if (info.is_static)
        return burl_err_set(err, BURL_E_TARGET, 0,
                            "%s is %sstatically linked, so the runtime of burl cannot be in it; "
                            "link it with `burl cc` and without -static",
                            name, info.sites ? "instrumented but " : "");
    if (info.sites)
        return burl_err_set(err, BURL_E_TARGET, 0,
                            "%s has instrumented objects but was linked without the runtime of "
                            "burl; link it with `burl cc` (or `burl c++`) too",
                            name);
    return burl_err_set(err, BURL_E_TARGET, 0,
                        "%s is not an instrumented program; build it with `burl cc` "
                        "(for a makefile: make clean, then CC=\"burl cc\" make)",
                        name);
}
