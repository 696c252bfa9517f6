/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/bcrecord.c - see bcrecord.h.
 */
#include "base/bcrecord.h"

#include <string.h>

#include "base/elf.h"
#include "wire/sitefile.h"
#include "wire/version.h"

enum { RECORD_STEP = 8 };

typedef enum burl_status each_record(void *arg, const struct burl_bcrecord *r,
                                     struct burl_err *err);

static enum burl_status
check_head(const struct burl_wire_bc_head *h, const uint8_t *rec, uint64_t room, const char *path,
           struct burl_err *err)
{
    if (h->magic != BURL_WIRE_BC_MAGIC)
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s: section %s is damaged", path,
                            BURL_WIRE_BC_SECTION);
    if (h->version != BURL_WIRE_VERSION)
        return burl_err_set(err, BURL_E_FORMAT, 0,
                            "%s was built by another version of burl (format %u, this one reads "
                            "%u); build it again",
                            path, h->version, BURL_WIRE_VERSION);
    if (h->record_b > room || h->record_b < sizeof *h || h->record_b % RECORD_STEP != 0 ||
        h->name_b == 0 || h->name_b > h->record_b - sizeof *h ||
        h->bitcode_b > h->record_b - sizeof *h - h->name_b || rec[sizeof *h + h->name_b - 1] != 0)
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s: bitcode record has a wrong length", path);
    return BURL_OK;
}

static enum burl_status
read_section(const struct burl_elf_section *s, const char *path, each_record *each, void *arg,
             struct burl_err *err)
{
    for (uint64_t at = 0; at + sizeof(struct burl_wire_bc_head) <= s->size_b;) {
        const uint8_t *rec = s->bytes + at;
        struct burl_wire_bc_head h;

        memcpy(&h, rec, sizeof h);
        if (h.magic == 0) {
            at += RECORD_STEP;
            continue;
        }
        enum burl_status st = check_head(&h, rec, s->size_b - at, path, err);
        if (st != BURL_OK)
            return st;
        const struct burl_bcrecord r = {
            .hash = h.hash,
            .name = (const char *)rec + sizeof h,
            .bytes = rec + sizeof h + h.name_b,
            .n = (size_t)h.bitcode_b,
        };
        st = each(arg, &r, err);
        if (st != BURL_OK)
            return st;
        at += h.record_b;
    }
    return BURL_OK;
}

enum burl_status
burl_bcrecord_each(const char *path, each_record *each, void *arg, struct burl_err *err)
{
    struct burl_elf *e;
    struct burl_elf_section s;
    enum burl_status st = burl_elf_open(&e, path, err);

    if (st != BURL_OK)
        return st;
    for (size_t ix = 0; st == BURL_OK && burl_elf_find(e, BURL_WIRE_BC_SECTION, &ix, &s); ix++)
        if (s.bytes)
            st = read_section(&s, path, each, arg, err);
    burl_elf_close(e);
    return st;
}
