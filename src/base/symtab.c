/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/symtab.c - see symtab.h. Host side.
 *
 * Symbols are bytes from outside: names that do not end inside their table and ranges that wrap
 * are passed over. Sorted on the first question, then answered by bisection; variables do not
 * overlap except for aliases, so looking back over equal beginnings is enough.
 *
 * C++ names: nested and plain names of variables are written out (`ns::Class::x`); whatever is more
 * than that (template arguments, operators) stays as linked. A demangler for all of C++ is not
 * worth its size for a fallback: sites have the source's own names.
 */
#include "base/symtab.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/elf.h"
#include "base/mem.h"
#include "base/vec.h"

struct burl_symtab {
    struct {
        BURL_VEC_OF(struct burl_symbol);
    } symbols;
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
    for (size_t i = 0; i < t->symbols.n; i++)
        free((char *)t->symbols.v[i].name);
    BURL_VEC_FREE(&t->symbols);
    free(t);
}

size_t
burl_symtab_n(const struct burl_symtab *t)
{
    return t->symbols.n;
}

/* One <length><identifier> of a mangled name; NULL when it is something else. */
static const char *
take_identifier(const char *p, struct burl_buf *out)
{
    size_t n = 0;

    if (*p == 'L') /* internal linkage */
        p++;
    if (!isdigit((unsigned char)*p) || *p == '0')
        return NULL;
    for (; isdigit((unsigned char)*p); p++) {
        n = n * 10 + (size_t)(*p - '0');
        if (n > 1000)
            return NULL;
    }
    if (memchr(p, '\0', n) != NULL)
        return NULL;
    if (out->n > 0)
        burl_buf_str_append(out, "::");
    if (n >= 8 && strncmp(p, "_GLOBAL_", 8) == 0)
        burl_buf_str_append(out, "(anonymous)");
    else
        burl_buf_append(out, p, n);
    return p + n;
}

/* "_ZN2ns1xE" is "ns::x", "_ZL1x" is "x"; NULL when the name says more than that. */
static char *
demangle(const char *name)
{
    struct burl_buf out;
    const char *p = name + 2;
    bool nested;

    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    nested = *p == 'N';
    p += nested;
    burl_buf_init(&out, BURL_BUF_NO_LIMIT);
    do {
        p = take_identifier(p, &out);
    } while (nested && p != NULL && *p != 'E');
    if (p == NULL || strcmp(p, nested ? "E" : "") != 0) {
        burl_buf_deinit(&out);
        return NULL;
    }
    return burl_buf_take(&out, NULL);
}

char *
burl_symtab_source_name(const char *name)
{
    char *source = demangle(name);

    return source != NULL ? source : burl_xstrdup(name);
}

void
burl_symtab_add(struct burl_symtab *t, const char *name, uint64_t addr, uint64_t size_b)
{
    struct burl_symbol *s;

    BURL_ASSERT(!t->sorted);
    s = BURL_VEC_ADD(&t->symbols);
    s->name = burl_symtab_source_name(name);
    s->addr = addr;
    s->size_b = size_b;
}

static void
add_all(struct burl_symtab *t, const struct burl_elf_section *symbols,
        const struct burl_elf_section *strings)
{
    uint64_t n = symbols->size_b / sizeof(Elf64_Sym);

    /* The last name must end where the strings do. */
    if (strings->size_b == 0 || strings->bytes[strings->size_b - 1] != 0)
        return;
    for (uint64_t i = 0; i < n; i++) {
        Elf64_Sym s;

        memcpy(&s, symbols->bytes + i * sizeof s, sizeof s);
        if (ELF64_ST_TYPE(s.st_info) != STT_OBJECT || s.st_shndx == SHN_UNDEF || s.st_size == 0 ||
            s.st_name >= strings->size_b || s.st_value + s.st_size < s.st_value)
            continue;
        burl_symtab_add(t, (const char *)strings->bytes + s.st_name, s.st_value, s.st_size);
    }
}

static bool
add_section(struct burl_symtab *t, const struct burl_elf *e, const char *symbols_name,
            const char *strings_name)
{
    struct burl_elf_section symbols;
    struct burl_elf_section strings;
    size_t ix = 0;
    size_t strings_ix = 0;

    if (!burl_elf_find(e, symbols_name, &ix, &symbols) ||
        !burl_elf_find(e, strings_name, &strings_ix, &strings) || symbols.bytes == NULL ||
        strings.bytes == NULL)
        return false;
    add_all(t, &symbols, &strings);
    return true;
}

enum burl_status
burl_symtab_open(struct burl_symtab **out, const char *path, struct burl_err *err)
{
    struct burl_symtab *t;
    struct burl_elf *e = NULL;
    enum burl_status st = burl_elf_open(&e, path, err);

    *out = NULL;
    if (st != BURL_OK)
        return st;
    t = burl_symtab_new();
    if (!add_section(t, e, ".symtab", ".strtab"))
        (void)add_section(t, e, ".dynsym", ".dynstr");
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
    return strcmp(x->name, y->name);
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
        const struct burl_symbol *s = &t->symbols.v[i];

        if (addr - s->addr < s->size_b) {
            *out = *s;
            return true;
        }
    }
    return false;
}
