/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/ptrmap.h - a hash map from pointers to 64-bit values, and a string table.
 *
 * Runs in the compiler. The instrumenter asks "what did we find out about this
 * LLVM value" for every value of a module, so the map is open-addressed, never
 * deletes and allocates nothing per entry. The string table gives each distinct
 * string one offset, as wire/sitefile.h wants it; offset 0 is "".
 */
#ifndef BURL_INSTR_PTRMAP_H
#define BURL_INSTR_PTRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Zero-initialised is empty. */
struct burl__ptrmap {
    const void **keys; /* NULL marks a free slot */
    uint64_t *values;
    size_t n;
    size_t cap; /* a power of two, at least twice n */
};

bool burl__ptrmap_get(const struct burl__ptrmap *m, const void *key, uint64_t *value);
/* Replaces the value of a key that is there. `key` is not NULL. */
void burl__ptrmap_set(struct burl__ptrmap *m, const void *key, uint64_t value);
void burl__ptrmap_deinit(struct burl__ptrmap *m);

struct burl__strtab {
    struct burl_buf bytes;
    uint32_t *slots; /* offset + 1; 0 marks a free slot */
    size_t n;
    size_t cap;
};

void burl__strtab_init(struct burl__strtab *t);
void burl__strtab_deinit(struct burl__strtab *t);
/* The offset of the string in `bytes`. */
uint32_t burl__strtab_add(struct burl__strtab *t, const char *s);
/* Valid until the next add. */
const char *burl__strtab_get(const struct burl__strtab *t, uint32_t offset);

#endif
