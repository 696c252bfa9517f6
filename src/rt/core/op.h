/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/op.h - questions about an operation that several rooms ask: its kind, its bytes, its value.
 */
#ifndef BURL_RT_OP_H
#define BURL_RT_OP_H

#include <string.h>

#include "rt.h"

/* ---- kinds ------------------------------------------------------------------------------- */

/* Sets of enum burl_wire_op. */
#define BURL_KIND(name) (1ull << BURL_OP_##name)
#define BURL_KINDS_ONLY_READ (BURL_KIND(READ) | BURL_KIND(ATOMIC_LOAD))
#define BURL_KINDS_UPDATE (BURL_KIND(ATOMIC_RMW) | BURL_KIND(ATOMIC_CAS))
#define BURL_KINDS_STORE (BURL_KIND(WRITE) | BURL_KIND(ATOMIC_STORE))
#define BURL_KINDS_READ (BURL_KINDS_ONLY_READ | BURL_KINDS_UPDATE)
#define BURL_KINDS_WRITE (BURL_KINDS_STORE | BURL_KINDS_UPDATE)
#define BURL_KINDS_ACCESS (BURL_KINDS_READ | BURL_KINDS_WRITE)
#define BURL_KINDS_LOCK \
    (BURL_KIND(LOCK) | BURL_KIND(RDLOCK) | BURL_KIND(WRLOCK) | BURL_KIND(TIMEDLOCK))

static_assert(BURL_OP__N <= 64, "a set of kinds is one word");

static inline bool
burl_kind_in(uint8_t kind, uint64_t set)
{
    return (set >> kind & 1) != 0;
}

static inline bool
burl_is_access(const struct burl_op *op)
{
    return burl_kind_in(op->kind, BURL_KINDS_ACCESS);
}

/* aux of a STATE operation that depends on every operation of every thread. */
#define BURL_STATE_ALL 2u

static inline bool
burl_op_only_reads(const struct burl_op *op)
{
    return burl_kind_in(op->kind, BURL_KINDS_ONLY_READ) ||
           (op->kind == BURL_OP_STATE && op->aux == 0);
}

/* The operation at a site of an atomic access; both enums have them in the same order. */
static inline uint8_t
burl_op_of_atomic(uint8_t site_kind)
{
    static_assert(BURL_OP_ATOMIC_CAS - BURL_OP_ATOMIC_LOAD ==
                      BURL_SITE_ATOMIC_CAS - BURL_SITE_ATOMIC_LOAD,
                  "atomic sites and operations correspond");
    return (uint8_t)(site_kind - BURL_SITE_ATOMIC_LOAD + BURL_OP_ATOMIC_LOAD);
}

/* ---- bytes ------------------------------------------------------------------------------- */

/* Bytes that an access touches; never none, so that two operations on one address overlap. */
static inline uint64_t
burl_op_length(const struct burl_op *op)
{
    return op->aux != 0 ? op->aux : op->size_b != 0 ? op->size_b : 1;
}

/* Does an access touch any of the n bytes from addr? */
static inline bool
burl_op_overlaps(const struct burl_op *op, uintptr_t addr, uint64_t n)
{
    return op->addr < addr + n && addr < op->addr + burl_op_length(op);
}

/* Does their order matter, going by where they begin? */
static inline bool
burl_op_conflict(const struct burl_op *a, const struct burl_op *b)
{
    return a->addr == b->addr && a->addr != 0 && !(burl_op_only_reads(a) && burl_op_only_reads(b));
}

/* ---- the value of a load ------------------------------------------------------------------- */

/* What a load of these bytes returns if it happens now; of more than 8 bytes the first 8. The only
 * function that reads the program's memory ahead of its instruction: polling, updates, traces and
 * the livelock detector all ask it. A mode in which loads return older stores begins here.
 *
 * Sizes of scalars one by one, and each into a variable of its own size: a copy of another length
 * into part of a word makes the processor wait for the word. */
static inline uint64_t
burl_load_value(uintptr_t addr, uint32_t size_b)
{
    const void *p = (const void *)addr;
    uint64_t v8 = 0;
    uint32_t v4;
    uint16_t v2;
    uint8_t v1;

    switch (size_b) {
    case 4:
        memcpy(&v4, p, sizeof v4);
        return v4;
    case 1:
        memcpy(&v1, p, sizeof v1);
        return v1;
    case 2:
        memcpy(&v2, p, sizeof v2);
        return v2;
    case 8:
        memcpy(&v8, p, sizeof v8);
        return v8;
    default:
        memcpy(&v8, p, size_b < 8 ? size_b : 8);
        return v8;
    }
}

/* A volatile access of kind READ or WRITE becomes an atomic one. */
static inline void
burl_rt_make_atomic(struct burl_wire_site *site)
{
    const bool write = site->kind == BURL_SITE_WRITE;

    site->kind = write ? BURL_SITE_ATOMIC_STORE : BURL_SITE_ATOMIC_LOAD;
    site->order = write ? BURL_MO_RELEASE : BURL_MO_ACQUIRE;
}

#endif
