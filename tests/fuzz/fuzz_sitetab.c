/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_sitetab.c - bytes from anywhere into the reader of ELF files and site tables.
 *
 * Laws checked on every input: no crash, no read outside the file (under the sanitizers); a
 * refusal has a message and leaves the table as it was; of a table that opened, every string
 * ends, every index lies in its module, and adding the same file again adds nothing.
 *
 * The seeds are made here, from the structures of wire/, so that they are of this version
 * whatever it is. See fuzz.h for how to run it.
 */
#define BURL_FUZZ_MAKE_SEEDS
#include "fuzz.h"

#include <elf.h>
#include <sys/mman.h>

#include "base/elf.h"
#include "base/sitetab.h"
#include "wire/sitefile.h"
#include "wire/version.h"

#define CHECK(cond)                                                                  \
    do {                                                                             \
        if (!(cond)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #cond); \
            abort();                                                                 \
        }                                                                            \
    } while (0)

const char *const burl_fuzz_seeds[] = { "\177ELF", NULL };
const char *const burl_fuzz_words[] = {
    "BU2SITES", ".burl.sites", "\177ELF\2\1\1", "\377\377\377\377", "\1", "GNU", NULL
};

/* The reader wants a path: one file, rewritten for every input. */
static char *
put_file(const uint8_t *data, size_t n)
{
    static int fd = -1;
    static char path[64];

    if (fd < 0) {
        fd = memfd_create("input", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    CHECK(fd >= 0 && ftruncate(fd, 0) == 0);
    CHECK(n == 0 || pwrite(fd, data, n, 0) == (ssize_t)n);
    return path;
}

static size_t
touch(const char *s)
{
    CHECK(s != NULL);
    return strlen(s);
}

static void
check_module(const struct burl_sitetab *t, size_t ix)
{
    struct burl_sitetab_module m = burl_sitetab_module(t, ix);
    struct burl_site_info s;
    size_t found;

    touch(m.name);
    touch(m.dir);
    touch(m.producer);
    CHECK(touch(m.path) > 0);
    CHECK(burl_sitetab_find(t, m.hash, &found));
    m = burl_sitetab_module(t, found); /* two of one file may have the same hash */
    for (uint32_t i = 0; i < m.n_sites; i++) {
        CHECK(burl_sitetab_site(t, m.hash, i, &s));
        touch(s.file);
        touch(s.func);
        touch(s.variable);
        CHECK(s.func_id < m.n_sites && s.index == i && s.module_hash == m.hash);
    }
    CHECK(!burl_sitetab_site(t, m.hash, m.n_sites, &s));
    CHECK(s.file[0] == '\0' && s.func[0] == '\0' && s.variable[0] == '\0');
}

static void
check_table(const char *path)
{
    struct burl_sitetab *t = burl_sitetab_new();
    struct burl_err err = { 0 };
    size_t n = 0;
    size_t again = 0;
    size_t stored;

    if (burl_sitetab_add_file(t, path, &n, &err) != BURL_OK) {
        CHECK(err.msg[0] != '\0');
        CHECK(burl_sitetab_n_modules(t) == 0 && n == 0);
        burl_sitetab_free(t);
        return;
    }
    stored = burl_sitetab_n_modules(t);
    CHECK(stored <= n);
    for (size_t i = 0; i < stored; i++)
        check_module(t, i);
    CHECK(burl_sitetab_add_file(t, path, &again, &err) == BURL_OK);
    CHECK(again == n && burl_sitetab_n_modules(t) == stored);
    burl_sitetab_free(t);
}

static void
check_elf(const char *path)
{
    struct burl_elf *e;
    struct burl_err err = { 0 };
    struct burl_elf_symbols t;
    const char *string;
    Elf64_Dyn d;
    unsigned sum = 0;

    if (burl_elf_open(&e, path, &err) != BURL_OK) {
        CHECK(err.msg[0] != '\0' && e == NULL);
        return;
    }
    for (size_t i = 0; i < burl_elf_n_sections(e); i++) {
        struct burl_elf_section s = burl_elf_section(e, i);

        touch(s.name);
        CHECK(s.bytes != NULL || s.size_b == 0);
        if (s.size_b > 0)
            sum += s.bytes[0] + s.bytes[s.size_b - 1];
    }
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        Elf64_Sym s;

        (void)burl_elf_symbols(e, dynamic, &t);
        for (uint64_t i = 0; i <= t.n; i++)
            touch(burl_elf_symbol(&t, i, &s));
    }
    for (uint64_t i = 0; burl_elf_dynamic(e, i, &d, &string); i++)
        touch(string);
    CHECK(sum != UINT32_MAX); /* keeps the reads */
    burl_elf_close(e);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = put_file(data, size);

    check_elf(path);
    check_table(path);
    return 0;
}

#ifndef BURL_LIBFUZZER

/* A record with two sites, the second of which belongs to the first. */
static size_t
make_record(char *p, uint64_t hash)
{
    static const char strings[] = "\0bank.c\0deposit\0acct->balance";
    struct burl_wire_sitedesc d[2] = {
        { .file = 1, .line = 3, .func = 8, .kind = BURL_SITE_FUNC },
        { .file = 1, .line = 5, .column = 2, .func = 8, .variable = 16, .kind = BURL_SITE_READ },
    };
    struct burl_wire_sitefile_head h = {
        .magic = BURL_WIRE_SITES_MAGIC,
        .version = BURL_WIRE_VERSION,
        .n_sites = 2,
        .hash = hash,
        .record_b = (sizeof h + sizeof d + sizeof strings + 15) / 16 * 16,
        .strings_b = sizeof strings,
        .name = 1,
    };

    memset(p, 0, h.record_b);
    memcpy(p, &h, sizeof h);
    memcpy(p + sizeof h, d, sizeof d);
    memcpy(p + sizeof h + sizeof d, strings, sizeof strings);
    return h.record_b;
}

struct image {
    Elf64_Ehdr head;
    Elf64_Shdr sections[4];
    char names[64];
    Elf64_Nhdr note;
    char note_name[4];
    char note_id[20];
    char records[512];
};

static void
make_section(struct image *m, int ix, uint32_t name, uint32_t type, const void *p, size_t n)
{
    m->sections[ix] = (Elf64_Shdr){ .sh_name = name,
                                    .sh_type = type,
                                    .sh_offset = (uint64_t)((const char *)p - (const char *)m),
                                    .sh_size = n };
}

/* An object file with a build id and `n_records` modules, those of one hash when `twins`. */
static struct fuzz_input
make_object(int n_records, int twins)
{
    static const char names[] = "\0.shstrtab\0.note.gnu.build-id\0.burl.sites";
    struct image m;
    size_t used = 0;

    memset(&m, 0, sizeof m);
    memcpy(m.head.e_ident, ELFMAG, SELFMAG);
    m.head.e_ident[EI_CLASS] = ELFCLASS64;
    m.head.e_ident[EI_DATA] = ELFDATA2LSB;
    m.head.e_type = ET_REL;
    m.head.e_shoff = offsetof(struct image, sections);
    m.head.e_shentsize = sizeof(Elf64_Shdr);
    m.head.e_shnum = 4;
    m.head.e_shstrndx = 1;
    memcpy(m.names, names, sizeof names);
    m.note = (Elf64_Nhdr){ .n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID };
    memcpy(m.note_name, "GNU", 4);
    for (int i = 0; i < n_records; i++)
        used += make_record(m.records + used, twins ? 7 : 7 + (uint64_t)i);
    make_section(&m, 1, 1, SHT_STRTAB, m.names, sizeof names);
    make_section(&m, 2, 11, SHT_NOTE, &m.note, sizeof m.note + 24);
    make_section(&m, 3, 30, SHT_PROGBITS, m.records, used);
    return (struct fuzz_input){ burl_xmemdup((const char *)&m, sizeof m), sizeof m };
}

static void
burl_fuzz_make_seeds(struct fuzz_corpus *c)
{
    static const struct {
        int n_records, twins;
    } shapes[] = { { 0, 0 }, { 1, 0 }, { 3, 0 }, { 2, 1 } };

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct fuzz_input in = make_object(shapes[i].n_records, shapes[i].twins);
        struct burl_sitetab *t = burl_sitetab_new();
        struct burl_err err;
        size_t n = 0;

        /* Seeds that are refused would fuzz nothing but the refusal. */
        CHECK(burl_sitetab_add_file(t, put_file((const uint8_t *)in.p, in.n), &n, &err) == BURL_OK);
        CHECK(n == (size_t)shapes[i].n_records);
        burl_sitetab_free(t);
        BURL_VEC_PUSH(c, in);
    }
}

#endif
