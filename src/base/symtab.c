/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/symtab.c - see symtab.h. Host side.
 *
 * Symbols are bytes from outside: names that do not end inside their table and ranges that wrap
 * are passed over. Sorted on the first question, then answered by bisection; variables do not
 * overlap except for aliases, so looking back over equal beginnings is enough.
 */
#include "base/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/elf.h"
#include "base/mem.h"
#include "base/vec.h"

struct burl_symtab {
    BURL_VEC(struct burl_symbol) symbols;
    bool sorted;
};

struct burl_symtab *
burl_symtab_new(void)
{
    return burl_xcalloc(1, sizeof(struct burl_symtab));
}

void
burl_symtab_free(struct burl_symtab *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->symbols.n; i++) {
        if (t->symbols.v[i].name != t->symbols.v[i].linkage)
            free((char *)t->symbols.v[i].name);
        free((char *)t->symbols.v[i].linkage);
    }
    BURL_VEC_FREE(&t->symbols);
    free(t);
}

void
burl_symtab_add(struct burl_symtab *t, const char *name, uint64_t addr, uint64_t size_b)
{
    struct burl_symbol *s;

    BURL_ASSERT(!t->sorted);
    s = BURL_VEC_ADD(&t->symbols);
    s->linkage = burl_xstrdup(name);
    s->name = s->linkage;
    s->addr = addr;
    s->size_b = size_b;
}

enum burl_status
burl_symtab_open(struct burl_symtab **out, const char *path, struct burl_err *err)
{
    struct burl_symtab *t;
    struct burl_elf_symbols all;
    struct burl_elf *e = NULL;
    enum burl_status st = burl_elf_open(&e, path, err);

    *out = NULL;
    if (st != BURL_OK)
        return st;
    t = burl_symtab_new();
    if (!burl_elf_symbols(e, false, &all))
        (void)burl_elf_symbols(e, true, &all);
    for (uint64_t i = 0; i < all.n; i++) {
        Elf64_Sym s;
        const char *name = burl_elf_symbol(&all, i, &s);

        if (ELF64_ST_TYPE(s.st_info) == STT_OBJECT && s.st_shndx != SHN_UNDEF && s.st_size > 0 &&
            s.st_value + s.st_size >= s.st_value && name[0] != '\0')
            burl_symtab_add(t, name, s.st_value, s.st_size);
    }
    burl_elf_close(e);
    *out = t;
    return BURL_OK;
}

static int
compare_symbols(const void *a, const void *b)
{
    const struct burl_symbol *x = a;
    const struct burl_symbol *y = b;

    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    if (x->size_b != y->size_b)
        return x->size_b < y->size_b ? -1 : 1;
    return strcmp(x->linkage, y->linkage);
}

/* When it is first found, because few symbols ever are. A name that stays is not moved: callers
 * have it. */
static void
demangle(struct burl_symbol *s)
{
    if (s->name == s->linkage)
        s->name = burl_demangle(s->linkage);
}

bool
burl_symtab_find(struct burl_symtab *t, uint64_t addr, struct burl_symbol *out)
{
    size_t lo = 0;
    size_t hi = t->symbols.n;
    size_t i;

    if (!t->sorted && t->symbols.n > 0)
        qsort(t->symbols.v, t->symbols.n, sizeof *t->symbols.v, compare_symbols);
    t->sorted = true;
    while (lo < hi) { /* the first that begins beyond the address */
        size_t mid = lo + (hi - lo) / 2;

        if (t->symbols.v[mid].addr <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0)
        return false;
    for (i = lo - 1; i > 0 && t->symbols.v[i - 1].addr == t->symbols.v[lo - 1].addr; i--)
        ;
    for (; i < lo; i++) {
        struct burl_symbol *s = &t->symbols.v[i];

        if (addr - s->addr < s->size_b) {
            demangle(s);
            *out = *s;
            return true;
        }
    }
    return false;
}
