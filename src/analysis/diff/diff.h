/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/diff/diff.h - two versions of a program, side by side: which code of one is which of
 * the other.
 *
 * Runs in burl-analyze. Works on the canonical bitcode of both versions; line numbers, debug
 * information, names of locals, and the order of functions in a file do not count. Functions are
 * matched by name and file, then by equal bodies; matched functions are walked in parallel from
 * their entries (Dejavu), and blocks that differ are aligned instruction by instruction. Fields are
 * compared by the names of struct and member where debug information has them, not by offset.
 */
#ifndef BURL_ANALYSIS_DIFF_H
#define BURL_ANALYSIS_DIFF_H

#include "analysis/program/program.h"
#include "base/changes.h"

struct burl_diff_function {
    LLVMValueRef is;  /* of the new version; NULL removed */
    LLVMValueRef was; /* of the base version; NULL added */
    bool equal;       /* nothing differs. With one NULL: a body that only the optimizer needs, which
                       * clang emits at some levels of optimization; neither added nor removed */
    bool moved;       /* name or file differ, the body is equal */
};

struct burl_diff {
    const struct burl_program *is;
    const struct burl_program *was;
    BURL_VEC(struct burl_diff_function) functions; /* the new version's in its order, then removed
                                                    * ones */
    struct burl_diff_int *own;
};

/* Neither program may be freed before. */
BURL_MUST_CHECK enum burl_status burl_diff_make(struct burl_diff *d, const struct burl_program *is,
                                                const struct burl_program *was,
                                                struct burl_err *err);

/* The counterpart in the other version of an instruction, block, function or global variable; NULL
 * none. An instruction has one if it is at the same place in its function and does the same; then
 * burl_diff_is_equal() tells whether also in the same way (operands, orders, qualifiers, lock
 * argument): a modified instruction has a counterpart and is not equal. */
LLVMValueRef burl_diff_counterpart(const struct burl_diff *d, LLVMValueRef v);
LLVMBasicBlockRef burl_diff_block(const struct burl_diff *d, LLVMBasicBlockRef b);
bool burl_diff_is_equal(const struct burl_diff *d, LLVMValueRef v);

/* A block of the new version: the block of the base version that history is asked for. Its own
 * counterpart, or that of the nearest ancestor on all paths that has one; NULL: its function is
 * new. *exact: it is the counterpart. */
LLVMBasicBlockRef burl_diff_history_block(const struct burl_diff *d, LLVMBasicBlockRef b,
                                          bool *exact);
/* Instructions that differ, of either version (`is`: of the new one): added, removed or modified,
 * in the order of functions and instructions. */
void burl_diff_each_change(const struct burl_diff *d, bool is,
                           void (*each)(void *arg, LLVMValueRef inst), void *arg);
/* Globals (not functions) whose initializer, type, or qualifier differs. */
void burl_diff_each_global(const struct burl_diff *d,
                           void (*each)(void *arg, LLVMValueRef is, LLVMValueRef was), void *arg);

/* The whole comparison as text, for tests and for people who look for a reason. */
void burl_diff_dump(const struct burl_diff *d, struct burl_buf *out);

#endif
