/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/strtab.c - see strtab.h. Runs in the compiler.
 */
#include "instr/strtab.h"

#include <string.h>

#include "base/hash.h"

/* A string that did not fit has an offset beyond the end. */
static bool
is_at(const void *bytes, uint64_t offset, const void *s)
{
    const struct burl_buf *b = bytes;

    return offset < b->n && strcmp(b->p + offset, s) == 0;
}

void
burl__strtab_init(struct burl__strtab *t)
{
    memset(t, 0, sizeof *t);
    /* The offsets are 32 bits wide on the wire. */
    burl_buf_init(&t->bytes, UINT32_MAX / 2);
    burl__strtab_add(t, "");
}

uint32_t
burl__strtab_add(struct burl__strtab *t, const char *s)
{
    uint64_t offset = t->bytes.n;

    if (burl_map_find_or_add(&t->offsets, burl_hash(s, strlen(s)), is_at, &t->bytes, s, &offset))
        return (uint32_t)offset;
    burl_buf_append(&t->bytes, s, strlen(s) + 1);
    return t->bytes.full ? 0 : (uint32_t)offset;
}

const char *
burl__strtab_get(const struct burl__strtab *t, uint32_t offset)
{
    return t->bytes.p + offset;
}
