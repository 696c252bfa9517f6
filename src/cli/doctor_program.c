/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/doctor_program.c - which parts of a program are instrumented, and which are not.
 *
 * Runs in the host. Instrumented sources come from `.burl.sites`; all sources come from the symbol
 * table, where every compiler leaves the name of the file it compiled. The difference is
 * uninstrumented: assembly, foreign objects, static libraries. A stripped program has no such
 * names, and assembly often leaves none: the check reports this instead of guessing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/elf.h"
#include "base/linereader.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/sitetab.h"
#include "cli/doctor_int.h"
#include "engine/target/program.h"
#include "wire/sitefile.h"

#define LDD_TIMEOUT_MS 20000
/* Longer lists of names are not useful. */
#define MAX_SHOWN 8

struct names {
    BURL_VEC_OF(const char *);
};

static bool
has_name(const struct names *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++) {
        if (strcmp(l->v[i], name) == 0)
            return true;
    }
    return false;
}

/* Files of the C runtime, the linker's own and burl's driver of generated tests. */
static bool
is_toolchain_file(const char *name)
{
    return burl_word_in(
        name, "crtstuff.c crt1.o Scrt1.o crti.o crtn.o init.c ld-temp.o crt1.c burl_driver.c", ' ');
}

/* burl's hooks, part of every program (burl_hot.o): the user may have a hot.c as well, so its first
 * local symbol decides, which comes next. */
static bool
is_hooks_file(const struct burl_elf_symbols *t, uint64_t file, const char *name)
{
    Elf64_Sym sym;
    const char *next = "";

    if (strcmp(name, "hot.c") != 0)
        return false;
    for (uint64_t i = file + 1; i < t->n && *next == '\0'; i++) {
        next = burl_elf_symbol(t, i, &sym);
        if (ELF64_ST_TYPE(sym.st_info) == STT_FILE)
            return false;
    }
    return strncmp(next, "burl_", 5) == 0 || strncmp(next, "__burl_", 7) == 0;
}

/* Collects the STT_FILE names of the symbol table; false when the program is stripped. They
 * point into `e`. */
static bool
read_file_symbols(const struct burl_elf *e, struct names *out)
{
    struct burl_elf_symbols t;

    if (!burl_elf_symbols(e, false, &t))
        return false;
    for (uint64_t i = 0; i < t.n; i++) {
        Elf64_Sym sym;
        const char *name = burl_path_basename(burl_elf_symbol(&t, i, &sym));

        if (ELF64_ST_TYPE(sym.st_info) == STT_FILE && *name && !is_toolchain_file(name) &&
            !is_hooks_file(&t, i, name) && !has_name(out, name))
            BURL_VEC_PUSH(out, name);
    }
    return true;
}

static void
report_foreign(struct burl_doctor *d, const struct names *files, const struct names *ours)
{
    struct burl_buf b;
    size_t n = 0;

    burl_buf_init(&b, 4096);
    for (size_t i = 0; i < files->n; i++) {
        if (has_name(ours, files->v[i]))
            continue;
        if (n++ < MAX_SHOWN)
            burl_buf_printf(&b, "%s%s", n > 1 ? ", " : "", files->v[i]);
    }
    if (n > MAX_SHOWN)
        burl_buf_str_append(&b, ", ...");
    if (n > 0)
        burl__doctor_add(d, "plain objects", BURL_DOCTOR_NOTE,
                         "also build them with burl-cc, if their source is available",
                         "%zu of %zu object files are not instrumented (%s): accesses in them are "
                         "not seen",
                         n, files->n, burl_buf_str(&b));
    else
        burl__doctor_add(d, "plain objects", BURL_DOCTOR_OK, NULL,
                         "every named object file is instrumented");
    burl_buf_deinit(&b);
}

/* Instrumented modules and sites; fills the base names of their sources, which point into `t`. */
static void
report_sites(struct burl_doctor *d, const struct burl_sitetab *t, struct names *ours)
{
    char modules[BURL_COUNT_B];
    char sites[BURL_COUNT_B];
    size_t n_sites = 0;

    for (size_t i = 0; i < burl_sitetab_n_modules(t); i++) {
        struct burl_sitetab_module m = burl_sitetab_module(t, i);
        const char *name = burl_path_basename(m.name);

        n_sites += m.n_sites;
        if (!has_name(ours, name))
            BURL_VEC_PUSH(ours, name);
    }
    if (burl_sitetab_n_modules(t) > 0)
        burl__doctor_add(d, "instrumented", BURL_DOCTOR_OK, NULL, "%s, %s; %s",
                         burl_count(burl_sitetab_n_modules(t), "module", modules),
                         burl_count(n_sites, "site", sites), burl_sitetab_module(t, 0).producer);
}

static void
inspect_objects(struct burl_doctor *d, const char *path)
{
    struct burl_sitetab *t = burl_sitetab_new();
    struct burl_elf *e = NULL;
    struct names files = { 0 };
    struct names ours = { 0 };
    struct burl_elf_section bc;
    struct burl_err err;
    size_t ix = 0;

    if (burl_sitetab_add_file(t, path, NULL, &err) != BURL_OK ||
        burl_elf_open(&e, path, &err) != BURL_OK) {
        burl__doctor_add(d, "instrumented", BURL_DOCTOR_MISSING, "build the program again", "%s",
                         err.msg);
        goto out;
    }
    report_sites(d, t, &ours);
    if (ours.n > 0 && !burl_elf_find(e, BURL_WIRE_BC_SECTION, &ix, &bc))
        burl__doctor_add(d, "bitcode", BURL_DOCTOR_NOTE, "do not strip non-loaded sections",
                         "no %s section: static analysis of this program is not possible",
                         BURL_WIRE_BC_SECTION);
    if (read_file_symbols(e, &files))
        report_foreign(d, &files, &ours);
    else
        burl__doctor_add(d, "plain objects", BURL_DOCTOR_NOTE,
                         "check the program before it is stripped",
                         "the program is stripped: objects that are not instrumented cannot be "
                         "named");
out:
    BURL_VEC_FREE(&files);
    BURL_VEC_FREE(&ours);
    burl_elf_close(e);
    burl_sitetab_free(t);
}

/* System libraries are interposed where it matters and never instrumented: not reported. */
static bool
is_system_library(const char *path)
{
    return strncmp(path, "/lib/", 5) == 0 || strncmp(path, "/usr/lib/", 9) == 0 ||
           strncmp(path, "/lib64/", 7) == 0 || strstr(path, "libburl_rt.so") != NULL;
}

static void
inspect_library(struct burl_doctor *d, const char *path)
{
    struct burl_program_info info;
    struct burl_err err;

    if (burl_program_inspect(path, &info, &err) != BURL_OK)
        burl__doctor_add(d, "shared library", BURL_DOCTOR_NOTE, NULL, "%s", err.msg);
    else if (info.sites)
        burl__doctor_add(d, "shared library", BURL_DOCTOR_OK, NULL, "%s is instrumented", path);
    else
        burl__doctor_add(d, "shared library", BURL_DOCTOR_NOTE,
                         "also build it with burl-cc, if its source is available",
                         "%s is not instrumented: accesses in it are not seen", path);
}

/* Cuts " (0x...)", the address that ends a line of ldd. Names may contain anything else. */
static void
cut_address(char *line)
{
    char *last = NULL;

    for (char *p = strstr(line, " (0x"); p; p = strstr(p + 1, " (0x"))
        last = p;
    if (last)
        *last = '\0';
}

/* A line is "name => path (...)", "name => not found" or, for a name with a slash, "path (...)". */
static void
inspect_line(struct burl_doctor *d, char *line)
{
    char *name = line + strspn(line, "\t");
    char *arrow = strstr(name, " => ");
    char *path = arrow ? arrow + 4 : name;

    if (arrow && strncmp(path, "not found", 9) == 0) {
        *arrow = '\0';
        burl__doctor_add(d, "shared library", BURL_DOCTOR_MISSING,
                         "set LD_LIBRARY_PATH, or link with -Wl,-rpath", "%s was not found", name);
        return;
    }
    cut_address(path);
    if ((arrow || strchr(path, '/')) && !is_system_library(path))
        inspect_library(d, path);
}

/* Uses the dynamic loader, which knows all search rules. */
static void
inspect_libraries(struct burl_doctor *d, const char *path)
{
    const char *const argv[] = { "ldd", path, NULL };
    struct burl_proc_opts opts = { .argv = argv, .in = BURL_PROC_NULL };
    struct burl_proc_output out;
    struct burl_err err;
    char *rest;
    char *line;

    if (burl_proc_capture(&out, &opts, LDD_TIMEOUT_MS, 1 << 20, &err) != BURL_OK)
        return; /* no ldd: skip this check */
    rest = out.out;
    for (line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        if (line[0] == '\t')
            inspect_line(d, line);
    }
    burl_proc_output_deinit(&out);
}

/* burl runs scripts too; what counts is the program that one becomes by exec. */
static void
check_script(struct burl_doctor *d, const char *path)
{
    FILE *f = fopen(path, "re");
    char head[2] = { 0 };

    if (f && fread(head, 1, sizeof head, f) == sizeof head && memcmp(head, "#!", 2) == 0)
        burl__doctor_add(d, "program", BURL_DOCTOR_NOTE, "give the program that it starts",
                         "%s is a script; the program that it starts was not examined", path);
    else
        burl__doctor_add(d, "program", BURL_DOCTOR_MISSING,
                         "give a program that was built with burl-cc",
                         "%s is neither a program nor a script that begins with #!", path);
    if (f)
        fclose(f);
}

void
burl__doctor_program(struct burl_doctor *d, const char *name)
{
    struct burl_program_info info = { 0 };
    struct burl_err err;
    char *path;

    if (burl_path_which(&path, name, &err) != BURL_OK) {
        burl__doctor_add(d, "program", BURL_DOCTOR_MISSING, "check the path", "%s", err.msg);
        return;
    }
    if (burl_program_inspect(path, &info, &err) != BURL_OK) {
        burl__doctor_add(d, "program", BURL_DOCTOR_MISSING, "build the program again", "%s",
                         err.msg);
    } else if (!info.elf) {
        check_script(d, path);
    } else if (burl_program_check(path, name, &err) != BURL_OK) {
        burl__doctor_add(d, "program", BURL_DOCTOR_MISSING,
                         "build it with CC=burl-cc (CXX=burl-c++)", "%s", err.msg);
    } else {
        burl__doctor_add(d, "program", BURL_DOCTOR_OK, NULL, "%s, linked against the runtime",
                         path);
    }
    if (info.elf && !info.other_machine) {
        if (info.sites)
            inspect_objects(d, path);
        if (!info.is_static)
            inspect_libraries(d, path);
    }
    free(path);
}
