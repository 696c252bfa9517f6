/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/strtab.h - a string table: each distinct string has one offset, as wire/sitefile.h has
 * it; offset 0 is "".
 */
#ifndef BURL_INSTR_STRTAB_H
#define BURL_INSTR_STRTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"

struct burl__strtab {
    struct burl_buf bytes;
    struct burl_map offsets;
};

void burl__strtab_init(struct burl__strtab *t);
/* The offset of the string in `bytes`. */
uint32_t burl__strtab_add(struct burl__strtab *t, const char *s);
/* Valid until the next add. */
const char *burl__strtab_get(const struct burl__strtab *t, uint32_t offset);

#endif
