/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/blocks.h - the memory of a seed as objects: heap blocks, static objects, and what arguments
 * point to; and their types.
 *
 * C has no class of an object at run time. Two objects have one type if the client passed them as
 * arguments of one type of the model, if one call stack allocated them, or if one pointer field of
 * one type pointed to both.
 */
#ifndef BURL_SYNTH_BLOCKS_H
#define BURL_SYNTH_BLOCKS_H

#include "base/map.h"
#include "synth/log.h"

struct burl_synth_block {
    uint64_t addr;
    uint64_t size_b;
    int type;      /* before burl_synth_type() */
    int statics;   /* index in log.statics; -1 */
    size_t call;   /* client call that allocated it, + 1; 0: the client did, or nothing */
    bool is_param; /* memory of the client's own, known by an argument: as long as the call */
};

struct burl_synth_blocks {
    BURL_VEC(struct burl_synth_block) all; /* live, ascending by address */
    BURL_VEC(int) types;              /* union-find: the representative, or itself */
    struct burl_map keys; /* from what names a type to its number */
    struct burl_map slots; /* (type, offset) -> type of the object pointed to */
};

void burl_synth_blocks_init(struct burl_synth_blocks *b, const struct burl_synth_log *l);
void burl_synth_blocks_deinit(struct burl_synth_blocks *b);
/* An event of kind ALLOC or FREE; `call`: of the client, + 1. */
void burl_synth_blocks_event(struct burl_synth_blocks *b, const struct burl_synth_event *e,
                             size_t call);
/* Gives the object that an argument points to its type; adds it when it is not known. */
void burl_synth_blocks_argument(struct burl_synth_blocks *b, const struct burl_synth_arg *a);
/* Forgets what was known by arguments only. */
void burl_synth_blocks_leave(struct burl_synth_blocks *b);
/* Another seed begins: only static objects stay. */
void burl_synth_blocks_restart(struct burl_synth_blocks *b);
/* Valid until the next event or argument. NULL: none. */
struct burl_synth_block *burl_synth_block_at(const struct burl_synth_blocks *b, uint64_t addr);
/* A pointer at `off` of an object of type `from` leads to an object of type `to`. */
void burl_synth_blocks_points(struct burl_synth_blocks *b, int from, uint64_t off, int to);
/* The representative; -1 for -1. */
int burl_synth_type(struct burl_synth_blocks *b, int type);

#endif
