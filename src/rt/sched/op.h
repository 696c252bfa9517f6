/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched/op.h - questions about a pending operation that several strategies ask.
 *
 * What counts as an access or a write is each goal's own decision and stays there.
 */
#ifndef BURL_RT_SCHED_OP_H
#define BURL_RT_SCHED_OP_H

#include "rt/core/core.h"

/* Bytes that an access touches; never none, so that two operations on one address overlap. */
static inline uint64_t
burl__op_length(const struct burl_op *op)
{
    return op->aux != 0 ? op->aux : op->size_b != 0 ? op->size_b : 1;
}

/* Does an access touch any of the n bytes from addr? */
static inline bool
burl__op_overlaps(const struct burl_op *op, uintptr_t addr, uint64_t n)
{
    return op->addr < addr + n && addr < op->addr + burl__op_length(op);
}

/* Also the end of waiting for a condition, which takes its lock again. */
static inline bool
burl__op_takes_lock(uint8_t kind)
{
    return kind == BURL_OP_LOCK || kind == BURL_OP_RDLOCK || kind == BURL_OP_WRLOCK ||
           kind == BURL_OP_TIMEDLOCK || kind == BURL_OP_TRYLOCK || kind == BURL_OP_COND_WAKE;
}

static inline bool
burl__op_only_reads(const struct burl_op *op)
{
    return op->kind == BURL_OP_READ || op->kind == BURL_OP_ATOMIC_LOAD ||
           (op->kind == BURL_OP_STATE && op->aux == 0);
}

/* Does their order matter, going by where they begin? What POS goes by. */
static inline bool
burl__op_conflict(const struct burl_op *a, const struct burl_op *b)
{
    return a->addr == b->addr && a->addr != 0 &&
           !(burl__op_only_reads(a) && burl__op_only_reads(b));
}

#endif
