/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched/op.h - questions about a pending operation that several strategies ask.
 *
 * What counts as an access, and what aims say of writes, is each strategy's own decision and stays
 * there.
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
