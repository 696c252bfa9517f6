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

#include <string.h>

#include "base/elf.h"
#include "base/libfn.h"
#include "wire/sitefile.h"

#define RUNTIME_SONAME "libburl_rt.so"

/* Is the runtime among the libraries the dynamic section names? */
static bool
needs_runtime(const struct burl_elf *e)
{
    const char *name;
    Elf64_Dyn d;

    for (uint64_t i = 0; burl_elf_dynamic(e, i, &d, &name); i++) {
        if (d.d_tag == DT_NEEDED && strstr(name, RUNTIME_SONAME))
            return true;
    }
    return false;
}

static bool
imports_dlopen(const struct burl_elf *e)
{
    struct burl_elf_symbols all;

    (void)burl_elf_symbols(e, true, &all);
    for (uint64_t i = 0; i < all.n; i++) {
        Elf64_Sym s;
        const char *name = burl_elf_symbol(&all, i, &s);

        if (s.st_shndx == SHN_UNDEF && (burl_libfn(name).is & BURL_FN_LOADS))
            return true;
    }
    return false;
}

static bool
has_section(const struct burl_elf *e, const char *name)
{
    struct burl_elf_section s;
    size_t ix = 0;

    return burl_elf_find(e, name, &ix, &s);
}

enum burl_status
burl_program_inspect(const char *path, struct burl_program_info *out, struct burl_err *err)
{
    enum burl_elf_kind kind;
    struct burl_elf *e;
    enum burl_status st = burl_elf_kind(path, &kind, err);

    memset(out, 0, sizeof *out);
    out->elf = kind != BURL_ELF_NONE;
    out->other_machine = kind == BURL_ELF_OTHER;
    if (kind == BURL_ELF_X86_64)
        st = burl_elf_open(&e, path, err);
    if (st != BURL_OK || kind != BURL_ELF_X86_64)
        return st;
    out->sites = has_section(e, BURL_WIRE_SITES_SECTION);
    out->is_static = !has_section(e, ".dynamic");
    out->runtime = needs_runtime(e);
    out->loads = imports_dlopen(e);
    burl_elf_close(e);
    return BURL_OK;
}

enum burl_status
burl_program_check(const char *path, const char *name, struct burl_err *err)
{
    struct burl_program_info info;
    struct burl_err ignored;

    /* A file that can be executed but not read is started unchecked: the handshake will show. */
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
                            "%s is %sstatically linked, so it cannot contain the burl runtime; "
                            "link it with `burl-cc` and without -static",
                            name, info.sites ? "instrumented but " : "");
    if (info.sites)
        return burl_err_set(err, BURL_E_TARGET, 0,
                            "%s has instrumented objects but was linked without the burl runtime; "
                            "link it with `burl-cc` (or `burl-c++`) too",
                            name);
    return burl_err_set(err, BURL_E_TARGET, 0,
                        "%s is not an instrumented program; build it with `burl-cc` "
                        "(for a makefile: make clean, then CC=burl-cc make)",
                        name);
}
