/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts.h - what pointers may point to: inclusion-based, field-sensitive, whole program.
 *
 * Abstract objects are globals, functions, stack slots (alloca), heap blocks (one for each call
 * site that allocates; allocation wrappers are seen through), and one for each call of an unknown
 * external function. Inside an object memory is divided into leaves: byte offsets snapped to the
 * leaves of the declared type; arrays are one region with a stride, small arrays indexed by
 * constants are kept apart. A leaf has a dense number.
 *
 * The call graph grows with the solution: callees of indirect calls are what the pointer may point
 * to and fits the call. Deterministic: the same program gives the same numbers.
 */
#ifndef BURL_ANALYSIS_PTS_H
#define BURL_ANALYSIS_PTS_H

#include "analysis/program/program.h"
#include "base/buf.h"

enum burl_pts_kind {
    BURL_PTS_GLOBAL,
    BURL_PTS_FUNCTION,
    BURL_PTS_STACK,    /* at: the alloca, the byval argument, or the function whose `...` it is */
    BURL_PTS_HEAP,     /* at: the call */
    BURL_PTS_EXTERNAL, /* at: the call of an unknown function that returned it */
    BURL_PTS_TLS       /* a global that each thread has for itself */
};

struct burl_pts_object {
    enum burl_pts_kind kind;
    LLVMValueRef at;  /* the definition, or the instruction that makes it */
    LLVMValueRef via; /* HEAP through a wrapper: the call inside it; else NULL */
    LLVMTypeRef type; /* NULL unknown */
    uint64_t size_b;  /* 0 unknown */
    uint32_t first_leaf;
    uint32_t n_leaves;
};

struct burl_pts_leaf {
    uint32_t object;
    uint64_t offset_b;
    bool array; /* represents all elements */
};

struct burl_pts;

struct burl_pts_stats {
    uint32_t n_objects, n_leaves, n_variables, n_constraints, n_merged;
    uint64_t solve_ms;
};

BURL_MUST_CHECK enum burl_status burl_pts_solve(struct burl_pts **out, const struct burl_program *p,
                                                struct burl_err *err);
void burl_pts_stats(const struct burl_pts *s, struct burl_pts_stats *out);
/* A clock for the times of the analysis. */
uint64_t burl_pts_now_ms(void);

uint32_t burl_pts_n_objects(const struct burl_pts *s);
const struct burl_pts_object *burl_pts_object(const struct burl_pts *s, uint32_t i);
const struct burl_pts_leaf *burl_pts_leaf(const struct burl_pts *s, uint32_t leaf);
/* The object that a leaf is in. */
const struct burl_pts_object *burl_pts_object_of(const struct burl_pts *s, uint32_t leaf);

/* Leaves that `pointer` (an operand of an instruction) may point to: ascending, *n of them; lives
 * as long as `s`. NULL and 0: none known (null, an integer made into a pointer). */
const uint32_t *burl_pts_of(const struct burl_pts *s, LLVMValueRef pointer, uint32_t *n);
/* Leaves that memory at `leaf` may point to. */
const uint32_t *burl_pts_in(const struct burl_pts *s, uint32_t leaf, uint32_t *n);
/* Functions (definitions, or external declarations) that a call may call, including those that an
 * external function calls back synchronously (qsort, pthread_once). */
const LLVMValueRef *burl_pts_callees(const struct burl_pts *s, LLVMValueRef call, uint32_t *n);
/* Start routines that a call of pthread_create, thrd_create or std::thread's helper may start; and
 * what is passed to them. */
bool burl_pts_is_spawn(const struct burl_pts *s, LLVMValueRef call);
const LLVMValueRef *burl_pts_spawned(const struct burl_pts *s, LLVMValueRef call, uint32_t *n);
/* Names of external functions that had no model. */
const char *const *burl_pts_unknown(const struct burl_pts *s, uint32_t *n);

/* The solution as text: see pts_dump.c. */
void burl_pts_dump(const struct burl_pts *s, const struct burl_program *p, struct burl_buf *out);

#endif
