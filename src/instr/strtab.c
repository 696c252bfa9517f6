/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/strtab.c - see strtab.h. Runs in the compiler.
 */
#include "instr/strtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum { FIRST_CAP = 64 };

static size_t
slot_of_str(const struct burl__strtab *t, const char *s)
{
    size_t i = (size_t)burl_hash(s, strlen(s)) & (t->cap - 1);

    while (t->slots[i] && strcmp(t->bytes.p + t->slots[i] - 1, s) != 0)
        i = (i + 1) & (t->cap - 1);
    return i;
}

static void
grow_strtab(struct burl__strtab *t)
{
    uint32_t *old = t->slots;
    size_t old_cap = t->cap;

    t->cap = old_cap ? old_cap * 2 : FIRST_CAP;
    t->slots = burl_xcalloc(t->cap, sizeof *t->slots);
    for (size_t i = 0; i < old_cap; i++)
        if (old[i])
            t->slots[slot_of_str(t, t->bytes.p + old[i] - 1)] = old[i];
    free(old);
}

void
burl__strtab_init(struct burl__strtab *t)
{
    memset(t, 0, sizeof *t);
    /* The offsets are 32 bits wide on the wire. */
    burl_buf_init(&t->bytes, UINT32_MAX / 2);
    burl__strtab_add(t, "");
}

void
burl__strtab_deinit(struct burl__strtab *t)
{
    burl_buf_deinit(&t->bytes);
    free(t->slots);
    memset(t, 0, sizeof *t);
}

uint32_t
burl__strtab_add(struct burl__strtab *t, const char *s)
{
    if ((t->n + 1) * 2 > t->cap)
        grow_strtab(t);
    size_t i = slot_of_str(t, s);
    if (t->slots[i])
        return t->slots[i] - 1;

    uint32_t offset = (uint32_t)t->bytes.n;
    burl_buf_append(&t->bytes, s, strlen(s) + 1);
    if (t->bytes.full)
        return 0;
    t->slots[i] = offset + 1;
    t->n++;
    return offset;
}

const char *
burl__strtab_get(const struct burl__strtab *t, uint32_t offset)
{
    return t->bytes.p + offset;
}
