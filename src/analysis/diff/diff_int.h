/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/diff/diff_int.h - what the files of diff share.
 *
 * The two versions are sides: BURL__IS the new one, BURL__WAS the base. Every function that works
 * on both takes the new version's value first.
 *
 * A function is compared in its form (form.c): its instructions without markers, and its blocks
 * without empty ones. What the optimization level changes in clang's output is gone there.
 */
#ifndef BURL_ANALYSIS_DIFF_INT_H
#define BURL_ANALYSIS_DIFF_INT_H

#include "analysis/diff/diff.h"
#include "analysis/program/records.h"
#include "analysis/program/valmap.h"
#include "base/hash.h"

enum { BURL__IS, BURL__WAS };

#define BURL__NONE UINT32_MAX

/* ---- struct types (types.c) ---- */

/* One LLVM struct type. */
struct burl__struct {
    LLVMTypeRef type;
    const char *name; /* NULL: literal, or without a name in the source */
    size_t name_n;
    unsigned n;
    uint64_t *members; /* hash of the member's name by element; 0 unknown */
};

struct burl__side {
    const struct burl_program *p;
    const struct burl_diff *d;
    struct burl_records *records;
    struct burl_map record_of; /* hash of a name -> first of records; next_record has the others */
    uint32_t *next_record;
    struct burl_valmap struct_of; /* LLVMTypeRef -> index into structs */
    BURL_VEC(struct burl__struct) structs;
    struct burl_valmap entry_of;  /* function that counts -> index into burl_diff.functions */
    struct burl_valmap global_of; /* global variable -> index into globals */
};

/* ---- forms (form.c) ---- */

/* A value as seen from a block: a phi of an empty block is a phi of the block behind it. */
struct burl__ref {
    LLVMValueRef v;
    uint32_t at; /* block of a phi, BURL__NONE of anything else */
};

struct burl__inst {
    LLVMValueRef v;
    uint32_t block;
    uint32_t other; /* the instruction of the other form; BURL__NONE none */
    bool equal;
    uint64_t exact; /* keys (key.c), 0 before they are needed: as it is, */
    uint64_t near;  /* without constants and qualifiers, */
    uint64_t loose; /* only what it does */
};

/* From a block to the next one that is not empty. */
struct burl__edge {
    uint64_t label;
    uint32_t from, to;
    uint32_t chain, n_chain;  /* the empty blocks between, into burl__form.chain */
    LLVMBasicBlockRef source; /* the last LLVM block of `from` */
};

/* A line of blocks: each is followed by the next one only, which follows it only. */
struct burl__block {
    LLVMBasicBlockRef b;    /* the first */
    LLVMBasicBlockRef last;
    uint32_t first, n;      /* into insts */
    uint32_t edge, n_edges; /* into edges */
    uint32_t in, n_in;      /* into ins */
    uint32_t idom;          /* immediate dominator; itself for the entry */
    uint32_t other;
    bool tail; /* ends with a branch that has no condition, which is no instruction here */
    bool tail_equal;
};

struct burl__form {
    const struct burl__side *side;
    LLVMValueRef fn;
    BURL_VEC(struct burl__inst) insts;
    BURL_VEC(struct burl__block) blocks; /* reachable ones, in their order */
    BURL_VEC(struct burl__edge) edges;   /* by block */
    BURL_VEC(uint32_t) ins;              /* edges by target */
    BURL_VEC(LLVMBasicBlockRef) chain;
    BURL_VEC(struct burl__edge) inner; /* within a block of the form */
    struct burl_valmap inner_of;       /* block that is not the first of its line -> its edge */
    struct burl_valmap inst_of;  /* instruction -> index */
    struct burl_valmap block_of; /* block -> index; empty ones have none */
    struct burl_valmap empty;    /* blocks that are left out */
    struct burl_map single_of; /* hash of a phi -> index into singles: its only value, or itself */
    BURL_VEC(struct burl__ref) singles;
};

struct burl__form *burl__form_make(const struct burl__side *side, LLVMValueRef fn);
void burl__form_free(struct burl__form *f);
/* An operand of an instruction of block `user`, without what does not count. */
struct burl__ref burl__form_resolve(struct burl__form *f, LLVMValueRef v, uint32_t user);
/* What a phi has when the block is entered through an edge. */
struct burl__ref burl__form_incoming(struct burl__form *f, struct burl__ref phi,
                                     const struct burl__edge *e);
uint64_t burl__ref_hash(struct burl__ref r);
bool burl__form_is_marker(LLVMValueRef inst);
/* The exception in flight, or its type: there is only one. */
bool burl__form_is_unwound(LLVMValueRef v);
/* The nearest block of the form that dominates an LLVM block which is left out, or the one that it
 * is in; BURL__NONE: it cannot be reached. */
uint32_t burl__form_above(const struct burl__form *f, LLVMBasicBlockRef b);

/* ---- pairs (pair.c, same.c) ---- */

struct burl__phis {
    struct burl__ref is, was;
    bool equal;
};

/* Two functions side by side. */
struct burl__pair {
    struct burl__form *f[2];
    BURL_VEC(struct burl__phis) phis; /* counterparts */
    struct burl_map phi_of[2];        /* hash of a ref -> index into phis */
    struct burl_map refuted;          /* hash of two refs that are known to differ */
    BURL_VEC(struct burl__phis) assumed; /* while a proof goes on */
    bool loose;                       /* a phi may be the counterpart of one that differs */
    unsigned depth;
    unsigned steps; /* of the comparison of one instruction */
};

struct burl__global {
    LLVMValueRef is, was; /* one may be NULL */
    bool equal;
};

struct burl_diff_int {
    struct burl__side side[2];
    struct burl__pair **pairs; /* by function; NULL: not compared, or equal and not asked for */
    BURL_VEC(struct burl__global) globals;
    struct burl_map grown; /* hash of two sizes that a struct has in the versions */
};

/* types.c */
void burl__types_init(struct burl__side *s);
const struct burl__struct *burl__types_struct(struct burl__side *s, LLVMTypeRef t);
/* Equal as far as code is concerned: structs by name. */
bool burl__types_same(struct burl_diff_int *d, LLVMTypeRef is, LLVMTypeRef was);
/* Members of the same name have the same types, all the way down. */
bool burl__types_same_layout(struct burl_diff_int *d, LLVMTypeRef is, LLVMTypeRef was);
/* Is element i of one struct element k of the other? */
bool burl__types_same_member(struct burl_diff_int *d, LLVMTypeRef is, unsigned i, LLVMTypeRef was,
                             unsigned k);
/* The element of `to` that is element i of `from` (a type of side `side`); BURL__NONE none. */
uint32_t burl__types_member(struct burl_diff_int *d, int side, LLVMTypeRef from, unsigned i,
                            LLVMTypeRef to);
uint64_t burl__types_key(struct burl__side *s, LLVMTypeRef t);
/* Finds all structs whose size differs. */
void burl__types_find_grown(struct burl_diff_int *d);
bool burl__types_grown(const struct burl_diff_int *d, uint64_t is_b, uint64_t was_b);

/* same.c; pair NULL: constants only */
bool burl__same_constant(struct burl_diff *d, struct burl__pair *p, LLVMValueRef is,
                         LLVMValueRef was);
bool burl__same_inst(struct burl_diff *d, struct burl__pair *p, uint32_t is, uint32_t was);
bool burl__same_ref(struct burl_diff *d, struct burl__pair *p, struct burl__ref is,
                    struct burl__ref was);
/* Do control transfers to these blocks lead to the same place? */
bool burl__same_target(const struct burl__pair *p, uint32_t is, uint32_t was);
/* Computes an address, or converts: its users are compared by it. */
bool burl__is_address(LLVMValueRef inst);

/* key.c */
void burl__key_form(struct burl__form *f);
/* Of the whole body, whatever the function's name. */
uint64_t burl__key_body(struct burl__form *f);

/* pair.c */
struct burl__pair *burl__pair_make(struct burl_diff *d, LLVMValueRef is, LLVMValueRef was);
void burl__pair_free(struct burl__pair *p);
bool burl__pair_is_equal(const struct burl__pair *p);
/* Instruction i of a side is to be reported: added, removed or modified. */
bool burl__pair_is_change(const struct burl__pair *p, int side, uint32_t i);
/* Positions only: true when everything is equal at the same place. */
bool burl__pair_lockstep(struct burl_diff *d, struct burl__pair *p);
/* moved.c: what passed another counterpart is none any more. */
void burl__find_moved(struct burl__pair *p);
void burl__pair_settle(struct burl_diff *d, struct burl__pair *p);

/* align.c */
void burl__align(struct burl__pair *p);

/* inline.c: marks functions of a side without a counterpart that the optimizer alone needs */
void burl__inline_find(struct burl_diff *d, int side);

/* match.c */
void burl__match_globals(struct burl_diff *d);
void burl__match_functions(struct burl_diff *d);
/* Of the name of a function that is defined elsewhere. At -O0 clang calls the complete constructor
 * or destructor where it calls the base one from -O1 on, and calls those of allocators, which do
 * nothing, by other names. */
uint64_t burl__name_hash(const char *name);
/* The definition of a function as burl_program_definition(), past destructors that do nothing but
 * call another one: clang calls the other one directly from -O1 on. */
LLVMValueRef burl__match_definition(const struct burl_program *p, LLVMValueRef v);
bool burl__match_is_forwarder(LLVMValueRef fn);
/* The counterpart of a function or global; of a declaration, what has its name. NULL none. */
LLVMValueRef burl__match_of(const struct burl_diff *d, int side, LLVMValueRef v);

#endif
