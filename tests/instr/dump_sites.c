/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/instr/dump_sites.c - prints the site tables and bitcode records of files.
 *
 * Host side, for the tests: one line per site,
 *     <hash> <index> <kind> <line>:<column> <size> <flags> <func> <variable>
 * and with --bitcode DIR each bitcode record as DIR/<hash>.bc.
 * Exit code 1 when a file has no table, 3 when one is damaged.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/elf.h"
#include "base/sitetab.h"
#include "wire/sitefile.h"

static const char *
kind_name(enum burl_wire_site_kind kind)
{
    static const char *const names[BURL_SITE__N] = {
        [BURL_SITE_NONE] = "none",
        [BURL_SITE_READ] = "read",
        [BURL_SITE_WRITE] = "write",
        [BURL_SITE_ATOMIC_LOAD] = "atomic load",
        [BURL_SITE_ATOMIC_STORE] = "atomic store",
        [BURL_SITE_ATOMIC_RMW] = "atomic update",
        [BURL_SITE_ATOMIC_CAS] = "compare-exchange",
        [BURL_SITE_FENCE] = "fence",
        [BURL_SITE_RANGE_READ] = "range read",
        [BURL_SITE_RANGE_WRITE] = "range write",
        [BURL_SITE_CALL] = "call",
        [BURL_SITE_FUNC] = "function",
        [BURL_SITE_BLOCK] = "block",
    };
    return kind < BURL_SITE__N ? names[kind] : "unknown";
}

static void
dump_module(const struct burl_sitetab *t, size_t ix)
{
    struct burl_sitetab_module m = burl_sitetab_module(t, ix);

    printf("module %016" PRIx64 " %u %s %s\n", m.hash, m.n_sites, m.name, m.producer);
    for (uint32_t i = 0; i < m.n_sites; i++) {
        struct burl_site_info s;
        if (!burl_sitetab_site(t, m.hash, i, &s))
            continue;
        printf("%016" PRIx64 " %u %s %u:%u %u %u %s %s\n", m.hash, i, kind_name(s.kind), s.line,
               s.column, s.size_b, s.flags, *s.func ? s.func : "-", *s.variable ? s.variable : "-");
    }
}

static int
write_bitcode(const char *path, const char *dir)
{
    struct burl_elf *e;
    struct burl_elf_section s;
    int n = 0;

    if (burl_elf_open(&e, path, NULL) != BURL_OK)
        return 3;
    for (size_t ix = 0; burl_elf_find(e, BURL_WIRE_BC_SECTION, &ix, &s); ix++) {
        for (uint64_t at = 0; at + sizeof(struct burl_wire_bc_head) <= s.size_b;) {
            struct burl_wire_bc_head h;
            char out[4096];
            memcpy(&h, s.bytes + at, sizeof h);
            if (h.magic == 0) {
                at += 8;
                continue;
            }
            if (h.magic != BURL_WIRE_BC_MAGIC || h.record_b > s.size_b - at)
                return 3;
            snprintf(out, sizeof out, "%s/%016" PRIx64 ".bc", dir, h.hash);
            FILE *f = fopen(out, "wb");
            if (!f ||
                fwrite(s.bytes + at + sizeof h + h.name_b, 1, h.bitcode_b, f) != h.bitcode_b ||
                fclose(f) != 0)
                return 3;
            at += h.record_b;
            n++;
        }
    }
    burl_elf_close(e);
    return n ? 0 : 1;
}

int
main(int argc, char **argv)
{
    struct burl_sitetab *t = burl_sitetab_new();
    struct burl_err err = { 0 };
    const char *dir = NULL;
    int rc = 0;

    for (int i = 1; i < argc; i++) {
        size_t n;
        if (strcmp(argv[i], "--bitcode") == 0 && i + 1 < argc) {
            dir = argv[++i];
            continue;
        }
        if (burl_sitetab_add_file(t, argv[i], &n, &err) != BURL_OK) {
            fprintf(stderr, "dump_sites: %s\n", err.msg);
            rc = 3;
        } else if (n == 0 && rc == 0) {
            rc = 1;
        }
        if (dir && rc == 0)
            rc = write_bitcode(argv[i], dir);
    }
    for (size_t i = 0; i < burl_sitetab_n_modules(t); i++)
        dump_module(t, i);
    burl_sitetab_free(t);
    return rc;
}
