/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/foreign.c - code in a process that was not instrumented.
 *
 * Runs in the host. What such code does to memory is not seen, so it may make threads depend on
 * one another in ways a search does not know of: a lock of its own, above all. libc is taken to do
 * what its calls say (those that synchronize are known, src/wire/libfn.def); any other
 * library that was not built by burl is a doubt.
 *
 * The C++ library, and functions of libc that get pointers, are in between. Which are trusted is
 * decided where they are called (src/instr/unseen.c), one by one. What that does not see is calls
 * through pointers; so it is looked at here which of their functions and virtual tables the
 * program has pointers to.
 *
 * Objects that another compiler made and that were linked into an instrumented file: linked.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/elf.h"
#include "base/libfn.h"
#include "base/sites.h"
#include "engine/target/foreign.h"

/* Beginnings of names. */
static const char *const trusted[] = {
    "libc.so",   "libc-",      "libm.so",   "libm-",    "libpthread", "libdl",
    "librt.so",  "librt-",     "libresolv", "ld-linux", "ld-",        "libgcc_s",
    "libunwind", "libburl_rt", "libatomic", "libasan",  "libubsan",   "libclang_rt",
};

#define CXX_LIBRARY "libstdc++.so"

/* Virtual tables whose functions keep to the object, which is never changed. */
static const char *const quiet_tables[] = {
    "_ZTVN10__cxxabiv1", "_ZTVNSt6thread6_StateE", "_ZTVNSt13__future_base",
    "_ZTVSt9exception",  "_ZTVSt9type_info",
};

static bool
begins_with_one(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strncmp(name, list[i], strlen(list[i])) == 0)
            return true;
    }
    return false;
}

#define BEGINS_WITH_ONE(name, list) begins_with_one(name, list, sizeof(list) / sizeof(list)[0])

bool
burl__foreign_is_libc(const char *path)
{
    const char *base = strrchr(path, '/');

    return BEGINS_WITH_ONE(base ? base + 1 : path, trusted);
}

static bool
is_instrumented(const struct burl_wire_ctl *ctl, uint32_t object)
{
    for (uint32_t i = 0; i < ctl->n_modules && i < BURL_WIRE_MAX_MODULES; i++) {
        if (ctl->modules[i].object == object)
            return true;
    }
    return false;
}

/* ---- what a file has of the C++ library ------------------------------------------------------ */

static bool
ends_with(const char *name, const char *with)
{
    const size_t n = strlen(name);
    const size_t k = strlen(with);

    return n >= k && strcmp(name + n - k, with) == 0;
}

/* A pointer to a destructor is for the end of an exception or of a thread, what() for an exception
 * that is caught. Exceptions are the only classes of the library whose names end so. */
static bool
is_harmless(const char *name, uint8_t type)
{
    if (strncmp(name, "_ZTV", 4) == 0 || strncmp(name, "_ZTT", 4) == 0)
        return !burl_libfn_is_cxx(name) || BEGINS_WITH_ONE(name, quiet_tables) ||
               ends_with(name, "error") || strstr(name, "bad_") != NULL ||
               ends_with(name, "out_of_range") || ends_with(name, "invalid_argument");
    return type == STT_OBJECT || type == STT_TLS || (burl_libfn(name).is & BURL_FN_POINTER_OK) ||
           (burl_libfn_is_cxx(name) && (ends_with(name, "D0Ev") || ends_with(name, "D1Ev") ||
                                        ends_with(name, "D2Ev") || ends_with(name, "4whatEv")));
}

static bool
file_defines(const char *path, const char *name)
{
    struct burl_elf *e;
    struct burl_err err = { 0 };
    struct burl_elf_symbols t;
    Elf64_Sym s;
    bool found = false;

    if (burl_elf_open(&e, path, &err) != BURL_OK)
        return false;
    if (!burl_elf_symbols(e, false, &t))
        (void)burl_elf_symbols(e, true, &t);
    for (uint64_t i = 0; i < t.n && !found; i++)
        found = strcmp(burl_elf_symbol(&t, i, &s), name) == 0 && s.st_shndx != SHN_UNDEF;
    burl_elf_close(e);
    return found;
}

static bool
program_defines(const struct burl_wire_ctl *ctl, const char *name)
{
    for (uint32_t i = 0; i < ctl->n_objects && i < BURL_WIRE_MAX_OBJECTS; i++) {
        char path[BURL_WIRE_PATH_B];

        snprintf(path, sizeof path, "%.*s", BURL_WIRE_PATH_B - 1, ctl->objects[i].path);
        if (is_instrumented(ctl, i) && file_defines(path, name))
            return true;
    }
    return false;
}

/* The relocations of direct calls are in another section. */
static bool
points_into_library(const struct burl_wire_ctl *ctl, const struct burl_elf *e, char *why,
                    size_t why_b)
{
    struct burl_elf_symbols t;
    struct burl_elf_section r;
    size_t ix = 0;

    if (!burl_elf_symbols(e, true, &t) || !burl_elf_find(e, ".rela.dyn", &ix, &r) || !r.bytes)
        return false;
    for (uint64_t i = 0; i < r.size_b / sizeof(Elf64_Rela); i++) {
        Elf64_Rela rela;
        Elf64_Sym s;
        const char *name;
        char *shown;

        memcpy(&rela, r.bytes + i * sizeof rela, sizeof rela);
        name = burl_elf_symbol(&t, ELF64_R_SYM(rela.r_info), &s);
        if (name[0] == '\0' || s.st_shndx != SHN_UNDEF ||
            is_harmless(name, ELF64_ST_TYPE(s.st_info)) || program_defines(ctl, name))
            continue;
        shown = burl_demangle(name);
        snprintf(why, why_b,
                 "%.79s is called through a pointer, and its memory accesses are not instrumented",
                 shown);
        free(shown);
        return true;
    }
    return false;
}

static bool
has_cxx_inside(const struct burl_elf *e)
{
    struct burl_elf_symbols t;
    Elf64_Sym s;

    if (!burl_elf_symbols(e, false, &t))
        return false;
    for (uint64_t i = 0; i < t.n; i++) {
        if (strcmp(burl_elf_symbol(&t, i, &s), "_ZSt9terminatev") == 0 && s.st_shndx != SHN_UNDEF)
            return true;
    }
    return false;
}

static bool
has_foreign_code(const struct burl_wire_ctl *ctl, const char *path, char *why, size_t why_b)
{
    struct burl_elf *e;
    struct burl_err err = { 0 };
    bool found;

    if (burl_elf_open(&e, path, &err) != BURL_OK) {
        snprintf(why, why_b, "%.100s can no longer be read", path);
        return true;
    }
    found = points_into_library(ctl, e, why, why_b);
    if (!found && has_cxx_inside(e)) {
        snprintf(why, why_b, "the C++ library is linked statically and is not instrumented");
        found = true;
    }
    if (!found)
        found = burl__linked_foreign(e, why, why_b);
    burl_elf_close(e);
    return found;
}

/* ---- the process ----------------------------------------------------------------------------- */

bool
burl__foreign_code(const struct burl_wire_ctl *ctl, char *why, size_t why_b)
{
    for (uint32_t i = 0; i < ctl->n_objects && i < BURL_WIRE_MAX_OBJECTS; i++) {
        char path[BURL_WIRE_PATH_B];
        const char *base;

        snprintf(path, sizeof path, "%.*s", BURL_WIRE_PATH_B - 1, ctl->objects[i].path);
        base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        /* The kernel's own has no file. */
        if (!strchr(path, '/') || BEGINS_WITH_ONE(base, trusted) ||
            strncmp(base, CXX_LIBRARY, strlen(CXX_LIBRARY)) == 0)
            continue;
        if (is_instrumented(ctl, i)) {
            if (has_foreign_code(ctl, path, why, why_b))
                return true;
            continue;
        }
        snprintf(why, why_b, "%.90s was not built by burl and is not instrumented", base);
        return true;
    }
    return false;
}

/* The symbol that is called at a site, "" unknown. */
static void
symbol_of(const struct burl_wire_ctl *ctl, uint32_t site, char *name, size_t name_b)
{
    const uint32_t n_objects =
        ctl->n_objects < BURL_WIRE_MAX_OBJECTS ? ctl->n_objects : BURL_WIRE_MAX_OBJECTS;
    const uint32_t n_modules =
        ctl->n_modules < BURL_WIRE_MAX_MODULES ? ctl->n_modules : BURL_WIRE_MAX_MODULES;
    struct burl_sites *sites;
    struct burl_err err = { 0 };

    name[0] = '\0';
    if (burl_sites_new(&sites, ctl->objects, n_objects, ctl->modules, n_modules, &err) != BURL_OK)
        return;
    snprintf(name, name_b, "%s", burl_sites_get(sites, site)->variable);
    burl_sites_free(sites);
}

bool
burl__foreign_is_own(const struct burl_wire_ctl *ctl, uint32_t site)
{
    char name[1024];

    symbol_of(ctl, site, name, sizeof name);
    return name[0] != '\0' && strlen(name) + 1 < sizeof name && program_defines(ctl, name);
}

void
burl__foreign_callee(const struct burl_wire_ctl *ctl, uint32_t site, char *name, size_t name_b)
{
    char symbol[1024];
    char *shown;

    symbol_of(ctl, site, symbol, sizeof symbol);
    shown = burl_demangle(symbol);
    snprintf(name, name_b, "%s", shown[0] != '\0' ? shown : "a function");
    free(shown);
}
