/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/code.c - see code.h. Host side.
 *
 * Looked at when a program has crashed: the file is read anew each time and nothing is kept.
 */
#include "base/code.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/demangle.h"
#include "base/elf.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/path.h"

/* The function of a table that holds the address; *name is not touched when there is none. A
 * symbol without a size, as assemblers leave them, holds what is up to the next one: not used. */
static bool
find_function(const struct burl_elf *e, bool dynamic, uint64_t addr, const char **name)
{
    struct burl_elf_symbols all;
    bool found = false;

    (void)burl_elf_symbols(e, dynamic, &all);
    for (uint64_t i = 0; i < all.n; i++) {
        Elf64_Sym s;
        const char *text = burl_elf_symbol(&all, i, &s);
        const unsigned type = ELF64_ST_TYPE(s.st_info);

        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || s.st_shndx == SHN_UNDEF ||
            text[0] == '\0' || addr < s.st_value || addr - s.st_value >= s.st_size)
            continue;
        /* Of aliases the first by name that is no internal one, so that it is always the same. */
        if (!found || (text[0] != '_' && **name == '_'))
            *name = text;
        found = true;
    }
    return found;
}

static void
take_section(const struct burl_elf *e, const char *name, const uint8_t **bytes, size_t *n)
{
    struct burl_elf_section s;
    size_t ix = 0;

    if (!burl_elf_find(e, name, &ix, &s) || s.bytes == NULL || (s.flags & SHF_COMPRESSED) != 0)
        return;
    *bytes = s.bytes;
    *n = s.size_b;
}

static void
find_line(struct burl_code *out, const struct burl_elf *e, uint64_t addr)
{
    struct burl_lines_input in = { 0 };
    struct burl_line_place place;

    take_section(e, ".debug_line", &in.line, &in.line_b);
    take_section(e, ".debug_line_str", &in.line_str, &in.line_str_b);
    take_section(e, ".debug_str", &in.str, &in.str_b);
    if (!burl_lines_find(&in, addr, &place))
        return;
    out->line = place.line;
    out->column = place.column;
    out->guessed = place.guessed;
    free(out->file);
    out->file = place.dir[0] != '\0' && place.file[0] != '/' ? burl_path_join(place.dir, place.file)
                                                             : burl_xstrdup(place.file);
}

void
burl_code_look(struct burl_code *out, const char *path, uint64_t addr)
{
    struct burl_elf *e = NULL;
    struct burl_err ignored;
    const char *name = "";

    *out = (struct burl_code){ .object = burl_xstrdup(burl_path_basename(path)),
                               .offset = addr,
                               .file = burl_xstrdup("") };
    if (burl_elf_open(&e, path, &ignored) == BURL_OK) {
        if (!find_function(e, false, addr, &name))
            (void)find_function(e, true, addr, &name);
        find_line(out, e, addr);
    }
    out->function = burl_demangle(name);
    burl_elf_close(e);
}

void
burl_code_deinit(struct burl_code *c)
{
    free(c->object);
    free(c->function);
    free(c->file);
    *c = (struct burl_code){ 0 };
}
