/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/linked.c - functions in an instrumented file that another compiler or an assembler
 * made.
 *
 * Runs in the host. Objects built by burl carry the symbols of their functions (.burl.funcs,
 * wire/sitefile.h); the symbol table has all that were linked. What is left over, but for the
 * start-up files and helpers every compiler links in, is code whose accesses are not seen.
 *
 * Compared by name and number: two files may have a static function of the same name. A name with
 * a dot is a piece or a variant of the function before the dot.
 *
 * Direction of the error: a file without symbols is a doubt. Missed: a function that has the symbol
 * of one which the optimizer dropped from the files built by burl.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf.h"
#include "base/libfn.h"
#include "base/mem.h"
#include "base/vec.h"
#include "engine/target/foreign.h"
#include "wire/sitefile.h"

struct names {
    BURL_VEC_OF(const char *);
};

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
sort_names(struct names *l)
{
    if (l->n > 1)
        qsort(l->v, l->n, sizeof l->v[0], by_name);
}

/* The first of a sorted list that is not before `name`. */
static size_t
place_of(const struct names *l, const char *name)
{
    size_t low = 0;
    size_t high = l->n;

    while (low < high) {
        const size_t mid = low + (high - low) / 2;

        if (strcmp(l->v[mid], name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* "__udivti3", "__floattidf", "__powidf2": arithmetic on numbers, by the letters of their types. */
static bool
is_arithmetic(const char *name)
{
    size_t n = strlen(name);

    if (strncmp(name, "__", 2) != 0 || n < 6)
        return false;
    if (name[n - 1] >= '2' && name[n - 1] <= '4')
        n--;
    return strchr("qhsdtxo", name[n - 2]) != NULL && strchr("ifc", name[n - 1]) != NULL;
}

/* Start-up files; the part of the C library that is linked in; helpers of compilers, which
 * are hidden and become local. */
static bool
is_toolchain(const char *name, const Elf64_Sym *s)
{
    const uint32_t is = burl_libfn(name).is;

    return (is & BURL_FN_TOOLCHAIN) || ((ELF64_ST_VISIBILITY(s->st_other) == STV_HIDDEN ||
                                         ELF64_ST_BIND(s->st_info) == STB_LOCAL) &&
                                        ((is & BURL_FN_LINKED_IN) || is_arithmetic(name)));
}

static bool
is_code(const struct burl_elf *e, const Elf64_Sym *s)
{
    const uint8_t type = ELF64_ST_TYPE(s->st_info);

    if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
        return false;
    if (s->st_shndx == SHN_UNDEF || s->st_shndx >= burl_elf_n_sections(e))
        return false;
    return (burl_elf_section(e, s->st_shndx).flags & SHF_EXECINSTR) != 0;
}

/* False: there is no table. */
static bool
read_symbols(const struct burl_elf *e, struct names *out)
{
    struct burl_elf_symbols t;

    if (!burl_elf_symbols(e, false, &t))
        return false;
    for (uint64_t i = 0; i < t.n; i++) {
        Elf64_Sym sym;
        const char *name = burl_elf_symbol(&t, i, &sym);

        if (name[0] != '\0' && is_code(e, &sym) && !is_toolchain(name, &sym))
            BURL_VEC_PUSH(out, name);
    }
    return true;
}

static void
read_own(const struct burl_elf *e, struct names *out)
{
    struct burl_elf_section s;

    for (size_t ix = 0; burl_elf_find(e, BURL_WIRE_FUNCS_SECTION, &ix, &s); ix++) {
        const char *at = (const char *)s.bytes;
        const char *end = at + s.size_b;

        if (!at || s.size_b == 0 || end[-1] != '\0')
            continue;
        for (; at < end; at += strlen(at) + 1) {
            if (*at != '\0')
                BURL_VEC_PUSH(out, at);
        }
    }
}

static bool
is_piece_of_own(const struct names *own, const char *name)
{
    char whole[1024];
    const char *dot = strchr(name, '.');
    size_t at;

    if (!dot || dot == name || (size_t)(dot - name) >= sizeof whole)
        return false;
    snprintf(whole, sizeof whole, "%.*s", (int)(dot - name), name);
    at = place_of(own, whole);
    return at < own->n && strcmp(own->v[at], whole) == 0;
}

/* How many symbols are of neither list; *first is one of them. Both lists are sorted. */
static size_t
count_left_over(const struct names *own, const struct names *all, const char **first)
{
    size_t n = 0;
    size_t at = 0;

    for (size_t i = 0; i < all->n; i++) {
        while (at < own->n && strcmp(own->v[at], all->v[i]) < 0)
            at++;
        if (at < own->n && strcmp(own->v[at], all->v[i]) == 0) {
            at++;
            continue;
        }
        if (is_piece_of_own(own, all->v[i]))
            continue;
        if (n++ == 0)
            *first = all->v[i];
    }
    return n;
}

bool
burl__linked_foreign(const struct burl_elf *e, char *why, size_t why_b)
{
    struct names own = { 0 };
    struct names all = { 0 };
    const char *first = "";
    size_t n = 0;
    const bool known = read_symbols(e, &all);

    read_own(e, &own);
    sort_names(&own);
    sort_names(&all);
    if (!known) {
        snprintf(why, why_b, "the program is stripped, so uninstrumented code cannot be named");
    } else {
        n = count_left_over(&own, &all, &first);
        if (n == 1)
            snprintf(why, why_b, "%.60s was not built by burl and is not instrumented", first);
        else if (n > 1)
            snprintf(why, why_b,
                     "%zu functions of the program were not built by burl (%.40s, ...) and are not "
                     "instrumented",
                     n, first);
    }
    BURL_VEC_FREE(&own);
    BURL_VEC_FREE(&all);
    return !known || n > 0;
}
