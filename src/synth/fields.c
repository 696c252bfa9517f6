/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/fields.c - fields of types.
 */
#include "synth/fields.h"

#define ELEMENT_B 16 /* larger accesses are copies */

int
burl_synth_field_number(struct burl_synth_fields *f, int field)
{
    while (f->all.v[field].same != field)
        field = f->all.v[field].same = f->all.v[f->all.v[field].same].same;
    return field;
}

static void
field_join(struct burl_synth_fields *f, int x, int y)
{
    x = burl_synth_field_number(f, x);
    y = burl_synth_field_number(f, y);
    if (x < y)
        f->all.v[y].same = x;
    else
        f->all.v[x].same = y;
}

static uint64_t
field_key(int type, uint64_t off)
{
    return (uint64_t)type << 40 ^ off;
}

static bool
is_element(struct burl_synth_fields *f, uint32_t site, uint64_t size_b)
{
    uint64_t first;

    if (size_b <= ELEMENT_B)
        return true;
    if (!burl_map_get(&f->sizes, site, &first)) {
        burl_map_set(&f->sizes, site, size_b);
        return false;
    }
    return first != size_b;
}

int
burl_synth_field(struct burl_synth_fields *f, int type, uint64_t off, uint32_t site,
                 uint64_t size_b)
{
    uint64_t by_site = (uint64_t)site << 32 | (uint32_t)type;
    uint64_t field;
    uint64_t first;

    if (!burl_map_get(&f->at, field_key(type, off), &field)) {
        field = f->all.n;
        BURL_VEC_PUSH(&f->all, (struct burl_synth_field_of){ type, off, (int)field });
        burl_map_set(&f->at, field_key(type, off), field);
    }
    if (!burl_map_get(&f->sites, by_site, &first))
        burl_map_set(&f->sites, by_site, field);
    else if (is_element(f, site, size_b))
        field_join(f, (int)first, (int)field);
    return (int)field;
}

void
burl_synth_fields_settle(struct burl_synth_fields *f, struct burl_synth_blocks *b)
{
    burl_map_deinit(&f->at);
    for (size_t i = 0; i < f->all.n; i++) {
        uint64_t key = field_key(burl_synth_type(b, f->all.v[i].type), f->all.v[i].off);
        uint64_t known;

        if (burl_map_get(&f->at, key, &known))
            field_join(f, (int)known, (int)i);
        else
            burl_map_set(&f->at, key, i);
    }
}

void
burl_synth_fields_deinit(struct burl_synth_fields *f)
{
    BURL_VEC_FREE(&f->all);
    burl_map_deinit(&f->at);
    burl_map_deinit(&f->sites);
    burl_map_deinit(&f->sizes);
}
