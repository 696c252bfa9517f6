/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/blocks.c - objects and their types.
 */
#include "synth/blocks.h"

enum type_origin { TYPE_MODEL = 1, TYPE_SITE, TYPE_STATIC, TYPE_UNNAMED };

static int
type_number(struct burl_synth_blocks *b, enum type_origin origin, uint64_t id)
{
    uint64_t key = (uint64_t)origin << 56 | (id & 0xffffffffffffffull);
    uint64_t n;

    if (burl_map_get(&b->keys, key, &n))
        return (int)n;
    n = b->types.n;
    BURL_VEC_PUSH(&b->types, (int)n);
    burl_map_set(&b->keys, key, n);
    return (int)n;
}

int
burl_synth_type(struct burl_synth_blocks *b, int type)
{
    while (type >= 0 && b->types.v[type] != type)
        type = b->types.v[type] = b->types.v[b->types.v[type]];
    return type;
}

/* The smaller number stays: types of the model come before those of allocations that join them. */
static void
type_join(struct burl_synth_blocks *b, int x, int y)
{
    x = burl_synth_type(b, x);
    y = burl_synth_type(b, y);
    if (x < y)
        b->types.v[y] = x;
    else
        b->types.v[x] = y;
}

void
burl_synth_blocks_points(struct burl_synth_blocks *b, int from, uint64_t off, int to)
{
    uint64_t key = (uint64_t)burl_synth_type(b, from) << 40 ^ off;
    uint64_t known;

    if (burl_map_get(&b->slots, key, &known))
        type_join(b, (int)known, to);
    else
        burl_map_set(&b->slots, key, (uint64_t)to);
}

/* Index of the first block that begins after the address. */
static size_t
block_after(const struct burl_synth_blocks *b, uint64_t addr)
{
    size_t lo = 0;
    size_t hi = b->all.n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (b->all.v[mid].addr <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

struct burl_synth_block *
burl_synth_block_at(const struct burl_synth_blocks *b, uint64_t addr)
{
    size_t i = block_after(b, addr);

    if (i == 0 || addr - b->all.v[i - 1].addr >= b->all.v[i - 1].size_b)
        return NULL;
    return &b->all.v[i - 1];
}

static void
block_add(struct burl_synth_blocks *b, struct burl_synth_block block)
{
    size_t i = block_after(b, block.addr);

    BURL_VEC_RESERVE(&b->all, 1);
    memmove(&b->all.v[i + 1], &b->all.v[i], (b->all.n - i) * sizeof *b->all.v);
    b->all.v[i] = block;
    b->all.n++;
}

static void
block_remove(struct burl_synth_blocks *b, size_t i)
{
    b->all.n--;
    memmove(&b->all.v[i], &b->all.v[i + 1], (b->all.n - i) * sizeof *b->all.v);
}

void
burl_synth_blocks_init(struct burl_synth_blocks *b, const struct burl_synth_log *l)
{
    *b = (struct burl_synth_blocks){ 0 };
    for (size_t i = 0; i < l->statics.n; i++) {
        const struct burl_synth_static *s = &l->statics.v[i];

        block_add(b, (struct burl_synth_block){ .addr = s->addr,
                                                .size_b = s->size_b,
                                                .type = type_number(b, TYPE_STATIC, i),
                                                .statics = (int)i });
    }
}

void
burl_synth_blocks_deinit(struct burl_synth_blocks *b)
{
    BURL_VEC_FREE(&b->all);
    BURL_VEC_FREE(&b->types);
    burl_map_deinit(&b->keys);
    burl_map_deinit(&b->slots);
}

void
burl_synth_blocks_event(struct burl_synth_blocks *b, const struct burl_synth_event *e, size_t call)
{
    size_t i = block_after(b, e->addr);

    if (i > 0 && b->all.v[i - 1].addr == e->addr && b->all.v[i - 1].statics < 0)
        block_remove(b, i - 1);
    if (e->kind == BURL_SYNTH_ALLOC)
        block_add(b, (struct burl_synth_block){ .addr = e->addr,
                                                .size_b = e->size_b,
                                                .type = type_number(b, TYPE_SITE, e->site),
                                                .statics = -1,
                                                .call = call });
}

void
burl_synth_blocks_argument(struct burl_synth_blocks *b, const struct burl_synth_arg *a)
{
    struct burl_synth_block *known = burl_synth_block_at(b, a->bits);
    int type = a->type >= 0 ? type_number(b, TYPE_MODEL, (uint64_t)a->type) : -1;

    if (known != NULL) {
        if (type >= 0 && known->addr == a->bits)
            type_join(b, known->type, type);
        return;
    }
    if (a->object_b == 0 || a->bits == 0)
        return;
    if (type < 0)
        type = type_number(b, TYPE_UNNAMED, a->object_b);
    block_add(b, (struct burl_synth_block){ .addr = a->bits,
                                            .size_b = a->object_b,
                                            .type = type,
                                            .statics = -1,
                                            .is_param = true });
}

/* Keeps static objects, and heap blocks if asked to. */
static void
blocks_keep(struct burl_synth_blocks *b, bool keep_heap)
{
    size_t n = 0;

    for (size_t i = 0; i < b->all.n; i++) {
        const struct burl_synth_block *x = &b->all.v[i];

        if (x->statics >= 0 || (keep_heap && !x->is_param))
            b->all.v[n++] = *x;
    }
    b->all.n = n;
}

void
burl_synth_blocks_leave(struct burl_synth_blocks *b)
{
    blocks_keep(b, true);
}

void
burl_synth_blocks_restart(struct burl_synth_blocks *b)
{
    blocks_keep(b, false);
}
