/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/statics.c - variables of the library, from the symbols of the program.
 */
#include "synth/statics.h"

#include <elf.h>
#include <stdlib.h>

#include "base/elf.h"

/* Linkers put local symbols behind the name of their file. Files of the driver begin so, and so do
 * those of seeds (gen/exec/exec_seeds.c). */
static bool
is_own_file(const char *file)
{
    return strncmp(file, "burl_", 5) != 0;
}

static bool
is_variable(const Elf64_Sym *s, const char *name)
{
    return ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_size > 0 && s->st_shndx != SHN_UNDEF &&
           strncmp(name, "burl_", 5) != 0 && strncmp(name, "__burl", 6) != 0;
}

static int
by_address(const void *a, const void *b)
{
    const struct burl_synth_static *x = a;
    const struct burl_synth_static *y = b;

    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Aliases and parts of another symbol would make one object two. */
static void
drop_overlaps(struct burl_synth_log *log)
{
    size_t n = 0;

    for (size_t i = 0; i < log->statics.n; i++) {
        const struct burl_synth_static s = log->statics.v[i];
        const struct burl_synth_static *last = n > 0 ? &log->statics.v[n - 1] : NULL;

        if (last != NULL && s.addr < last->addr + last->size_b)
            free(s.name);
        else
            log->statics.v[n++] = s;
    }
    log->statics.n = n;
}

enum burl_status
burl_synth_statics_read(struct burl_synth_log *log, const struct burl_gen_exec *x, uint64_t image,
                        struct burl_err *err)
{
    struct burl_elf_symbols t;
    struct burl_elf *e;
    uint64_t start = 0;
    bool is_ours = true;
    enum burl_status st = burl_elf_open(&e, burl_gen_exec_program(x), err);

    if (st != BURL_OK)
        return st;
    burl_elf_symbols(e, false, &t);
    for (uint64_t i = 0; i < t.n; i++) {
        Elf64_Sym s;
        const char *name = burl_elf_symbol(&t, i, &s);

        if (strcmp(name, "__executable_start") == 0)
            start = s.st_value;
        if (ELF64_ST_TYPE(s.st_info) == STT_FILE)
            is_ours = is_own_file(name);
        else if (is_variable(&s, name) && (is_ours || ELF64_ST_BIND(s.st_info) != STB_LOCAL))
            BURL_VEC_PUSH(&log->statics, (struct burl_synth_static){ .addr = s.st_value + image,
                                                                     .size_b = s.st_size,
                                                                     .name = burl_xstrdup(name) });
    }
    burl_elf_close(e);
    for (size_t i = 0; i < log->statics.n; i++)
        log->statics.v[i].addr -= start;
    qsort(log->statics.v, log->statics.n, sizeof *log->statics.v, by_address);
    drop_overlaps(log);
    return BURL_OK;
}
