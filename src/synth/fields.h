/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/fields.h - fields of types: offsets, with the elements of an array as one.
 *
 * Two offsets of a type are elements of one array if one place in the code accesses both, with the
 * same size; or, for accesses of many bytes, if that place does so with different sizes (a copy of
 * a struct has one size).
 */
#ifndef BURL_SYNTH_FIELDS_H
#define BURL_SYNTH_FIELDS_H

#include "synth/blocks.h"


struct burl_synth_field_of {
    int type;
    uint64_t off;
    int same; /* union-find */
};

struct burl_synth_fields {
    BURL_VEC(struct burl_synth_field_of) all;
    struct burl_map at;    /* type and offset -> all */
    struct burl_map sites; /* site and type -> the field it accessed first */
    struct burl_map sizes; /* site -> size of its first access */
};

void burl_synth_fields_deinit(struct burl_synth_fields *f);
/* The field at an offset of an object of this type, as the site accesses it. */
int burl_synth_field(struct burl_synth_fields *f, int type, uint64_t off, uint32_t site,
                     uint64_t size_b);
/* After the last access: fields of types that are one become one. */
void burl_synth_fields_settle(struct burl_synth_fields *f, struct burl_synth_blocks *b);
int burl_synth_field_number(struct burl_synth_fields *f, int field);

#endif
