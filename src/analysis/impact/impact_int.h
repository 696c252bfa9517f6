/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/impact_int.h - what the steps of the impact analysis share.
 *
 * Runs in burl-analyze. Two versions are looked at side by side; of the base version there is no
 * points-to solution, so its indirect calls are those of their counterparts in the new version.
 *
 * Errors go one way: what is not understood is impacted. But nothing is impacted without a change.
 */
#ifndef BURL_ANALYSIS_IMPACT_INT_H
#define BURL_ANALYSIS_IMPACT_INT_H

#include "analysis/impact/impact.h"
#include "analysis/target/steps.h"

/* ---- operations on locks and threads (ops.c) ---- */

enum burl__op_kind {
    BURL__OP_NONE,
    BURL__OP_TAKE,
    BURL__OP_TRY,
    BURL__OP_DROP,
    BURL__OP_INIT, /* or destroys */
    BURL__OP_SYNC,
    BURL__OP_CREATE
};

/* Kinds of locks, and of what else synchronizes; bits. */
enum burl__family {
    BURL__MUTEX = 1u << 0,
    BURL__RWLOCK = 1u << 1,
    BURL__SPIN = 1u << 2,
    BURL__SEM = 1u << 3,
    BURL__STREAM = 1u << 4, /* flockfile */
    BURL__GUARD = 1u << 5,  /* of a static variable of C++ */
    BURL__HAND = 1u << 6,   /* made of atomics */
    BURL__LOCKS = (1u << 7) - 1,
    BURL__COND_WAIT = 1u << 7,
    BURL__COND_SIGNAL = 1u << 8,
    BURL__BARRIER = 1u << 9,
    BURL__JOIN = 1u << 10,
    BURL__ONCE = 1u << 11,
    BURL__FUTEX = 1u << 12,
    BURL__FENCE = 1u << 13,
    BURL__ATTRIBUTE = 1u << 14, /* of a lock that is initialized with it */
    BURL__WAITS = BURL__COND_WAIT | BURL__BARRIER | BURL__JOIN | BURL__FUTEX | BURL__SEM
};

struct burl__op {
    enum burl__op_kind kind;
    uint32_t family;
    bool shared;
    LLVMValueRef lock; /* address; NULL unknown */
    const char *word;  /* "lock", "unlock", "pthread_join" */
};

/* ---- both versions ---- */

struct burl__call {
    LLVMValueRef inst;
    uint32_t caller, callee;
    bool later;    /* registered here and called later */
    bool spawn;    /* runs in a thread started here */
    uint32_t next; /* of the same instruction, UINT32_MAX none */
};

struct burl__body {
    LLVMValueRef fn;
    struct burl_u32s out, in; /* calls */
    uint32_t takes;           /* kinds of locks that may be held more when it returns */
    uint32_t drops;           /* and fewer */
    uint32_t syncs;           /* what it may do of burl__family, with all it calls */
    BURL_VEC(LLVMValueRef) statements; /* that take or release a lock, once that is settled */
    struct burl__cfg *cfg;             /* NULL not needed yet */
};

struct burl__side {
    const struct burl_program *p;
    bool is; /* the new version */
    struct burl__sp *names;
    BURL_VEC(struct burl__body) fns;
    struct burl_valmap fn_ix;
    BURL_VEC(struct burl__call) calls;
    struct burl_valmap call_ix; /* instruction -> first of its calls */
    struct burl_valmap *rows;   /* of ops.c: function -> what its calls are */
    struct burl_valmap statements; /* that take or release a lock, once that is `settled` */
    bool settled;
    struct burl_map members; /* members.c: list of member_fns */
    BURL_VEC(struct burl_u32s) member_fns;
};

/* Control flow of one function (cfg.c). Blocks are numbered in their order. */
struct burl__cfg {
    uint32_t n;
    LLVMBasicBlockRef *blocks;
    struct burl_valmap ix;
    struct burl_u32s *succ, *pred;
    uint32_t *dom;     /* immediate dominator; of the entry itself; UINT32_MAX not reached */
    uint32_t *postdom; /* n: the end; UINT32_MAX: no way to a return */
    bool *repeats;     /* it can be executed again in one call of the function */
};

/* Something that differs, as the reason of an impact. */
struct burl__cause {
    LLVMValueRef fn; /* of either version */
    uint32_t rule; /* 0: only to be shown */
    bool used;     /* something is impacted by it */
    char *text;
};

struct burl__hit {
    uint32_t rules;
    uint32_t cause; /* the first one */
};

/* Instructions between a statement that takes a lock and those that release it. */
struct burl__region {
    struct burl_valmap seen;        /* instructions */
    BURL_VEC(LLVMValueRef) insts;   /* in order of discovery */
    struct burl_u32s called;        /* functions that are called in it */
    BURL_VEC(LLVMValueRef) ends;    /* statements that end it */
};

struct burl__impact {
    const struct burl_diff *d;
    struct burl__sp *sp;
    struct burl_changes *c;
    struct burl__side is, was;
    struct burl_valmap access_of; /* instruction -> first access */
    BURL_VEC(struct burl__cause) causes;
    struct burl__hit *hits; /* per access */
    struct burl_valmap changed_is, changed_was; /* instructions that differ */
    BURL_VEC(LLVMValueRef) list_is, list_was;   /* the same in order */
    BURL_VEC(LLVMValueRef) creates; /* of `is` that start a thread which the base did not have */
    struct burl_valmap function_ix; /* into c->functions */
    struct burl_valmap unordered; /* calls near which threads are ordered in another way -> rules */
    struct burl__region dependent[2]; /* of statements that depend on a change: after, before */
    struct burl__slice *slice;
    struct burl__history *history;
};

/* sides.c */
void burl__sides_make(struct burl__impact *im);
uint32_t burl__body_ix(const struct burl__side *s, LLVMValueRef fn); /* UINT32_MAX none */
/* The first call of an instruction, UINT32_MAX none; then .next. */
uint32_t burl__first_call(const struct burl__side *s, LLVMValueRef inst);
/* All functions that the functions of the list call, and theirs; `spawned`: threads, too. */
void burl__reach(const struct burl__side *s, struct burl_u32s *list, bool spawned);

/* cfg.c */
struct burl__cfg *burl__cfg_of(struct burl__side *s, uint32_t fn);
/* Blocks that are executed or not as the end of this one decides. */
void burl__controlled(const struct burl__cfg *g, uint32_t block, struct burl_u32s *out);
bool burl__dominates(const struct burl__cfg *g, uint32_t a, uint32_t b);

/* ops.c */
struct burl__op burl__op_of(const struct burl__side *s, LLVMValueRef inst);
/* A lock operation, or a call of a function that is one in effect. `kind`: TAKE or DROP. */
bool burl__is_lock_statement(const struct burl__side *s, LLVMValueRef inst, enum burl__op_kind kind,
                             struct burl__op *op);
void burl__find_effects(struct burl__side *s);
/* Kinds of locks that a call of the function takes (releases), and does not also release (take). */
uint32_t burl__effect_of(const struct burl__side *s, uint32_t fn, enum burl__op_kind kind);
bool burl__same_address(const struct burl__side *s, LLVMValueRef a, LLVMValueRef b, int depth);
bool burl__releases(const struct burl__side *s, LLVMValueRef take, LLVMValueRef drop);
bool burl__is_acquire(LLVMAtomicOrdering o);
bool burl__is_release(LLVMAtomicOrdering o);
/* Of a load, store, RMW, compare-exchange (success) or fence. */
LLVMAtomicOrdering burl__order_of(LLVMValueRef inst);
bool burl__is_barrier_asm(LLVMValueRef inst);

/* members.c */
void burl__members_find(struct burl__side *s);
/* What a call through a member of a struct probably calls; NULL unknown. */
const struct burl_u32s *burl__members_called(const struct burl__side *s, LLVMValueRef call);

/* region.c */
/* False: nothing that ends it was found. */
bool burl__region_of(struct burl__side *s, LLVMValueRef stmt, bool forward,
                     struct burl__region *out);
/* The same, with `called` as the region itself has it. */
bool burl__region_walk(struct burl__side *s, LLVMValueRef stmt, bool forward,
                       struct burl__region *out);
/* Forward, in its function and so many levels of callers. */
void burl__region_near(struct burl__side *s, LLVMValueRef stmt, uint32_t levels,
                       struct burl__region *out);
/* Is the lock still (already) held when its function returns (is entered)? */
bool burl__region_leaves(struct burl__side *s, LLVMValueRef stmt, bool forward);
/* Everything after (before) an instruction, callers included. */
void burl__region_open(struct burl__side *s, LLVMValueRef from, bool forward, bool callers,
                       struct burl__region *out);
void burl__region_deinit(struct burl__region *r);

/* marks.c: impacted accesses, with causes. */
uint32_t burl__cause(struct burl__impact *im, LLVMValueRef at, uint32_t rule, const char *fmt, ...)
    BURL_PRINTF(4, 5);
void burl__mark(struct burl__impact *im, LLVMValueRef inst, uint32_t cause);
void burl__mark_function(struct burl__impact *im, const struct burl__side *s, uint32_t fn,
                         uint32_t cause);
void burl__mark_functions(struct burl__impact *im, const struct burl__side *s,
                          const struct burl_u32s *fns, uint32_t cause);
void burl__mark_region(struct burl__impact *im, const struct burl__side *s,
                       const struct burl__region *r, uint32_t cause);
/* The accesses of an instruction: from *first on, as long as .inst is the same. */
bool burl__first_access(const struct burl__impact *im, LLVMValueRef inst, uint32_t *first);
/* In the new version: the instruction itself, or its counterpart; NULL none. */
LLVMValueRef burl__in_new(const struct burl__impact *im, const struct burl__side *s,
                          LLVMValueRef inst);
/* Are the operands the same but for locals that were paired crosswise? */
bool burl__same_operands(const struct burl__impact *im, LLVMValueRef now, LLVMValueRef before);
bool burl__same_operand(const struct burl__impact *im, LLVMValueRef now, LLVMValueRef before);
bool burl__is_changed(const struct burl__impact *im, const struct burl__side *s, LLVMValueRef inst);

/* rules.c */
void burl__apply_rules(struct burl__impact *im);
/* sync.c */
void burl__apply_sync(struct burl__impact *im, struct burl__side *s, LLVMValueRef inst);
/* A statement of the new version that is executed, or chooses its lock, by something changed. */
void burl__apply_dependent(struct burl__impact *im, LLVMValueRef inst, uint32_t cause);
void burl__apply_wait_loops(struct burl__impact *im);
void burl__apply_region(struct burl__impact *im, struct burl__side *s, LLVMValueRef stmt,
                        uint32_t cause);
/* Start routines of the threads that a call starts, itself or further down. */
void burl__spawned_at(const struct burl__side *s, LLVMValueRef inst, struct burl_u32s *out);
/* Part of a lock made by hand, whose region says more. */
bool burl__is_hand_lock(struct burl__side *s, LLVMValueRef inst);
/* slice.c */
void burl__slice_begin(struct burl__impact *im);
void burl__slice_value(struct burl__impact *im, LLVMValueRef v, uint32_t cause);
/* Blocks of the new version that the end of a block decides about; of the base by counterparts. */
void burl__slice_control(struct burl__impact *im, struct burl__side *s, LLVMValueRef end,
                         uint32_t cause);
/* An atomic operation that lets threads through, on memory whose value differs: what follows it. */
void burl__slice_permits(struct burl__impact *im, LLVMValueRef inst, uint32_t cause);
void burl__slice_stored(struct burl__impact *im, LLVMValueRef pointer, uint32_t cause);
/* All that a call executes. */
void burl__slice_called(struct burl__impact *im, LLVMValueRef call, uint32_t cause);
/* A call that reads memory which differs; nothing for functions of the program. */
void burl__slice_used(struct burl__impact *im, LLVMValueRef call, uint32_t cause);
void burl__slice_run(struct burl__impact *im);
/* Is whether, or with which pointer, the call is made part of the slice? */
bool burl__slice_has_call(const struct burl__impact *im, LLVMValueRef call);
/* Is whether, or where, the function is called part of it? */
bool burl__slice_has_body(const struct burl__impact *im, LLVMValueRef fn);

/* history.c */
void burl__history_begin(struct burl__impact *im);
void burl__history_ready(struct burl__impact *im);
/* A test that executed `from` may now come to the block (the function) of the new version. */
void burl__way_to_block(struct burl__impact *im, LLVMBasicBlockRef to, LLVMBasicBlockRef from,
                        bool of_base);
void burl__way_to_function(struct burl__impact *im, LLVMValueRef fn, LLVMBasicBlockRef from,
                           bool asked);
void burl__history_blocks(struct burl__impact *im, LLVMValueRef inst, struct burl_changes_site *s);
void burl__find_dangerous(struct burl__impact *im);

/* order.c */
void burl__find_cycles(struct burl__impact *im);

/* words.c */
/* The variable that a value is bound to, "" none. */
const char *burl__variable_of(const struct burl__side *s, LLVMValueRef v);
/* The lock, for people: "q->m", "table_lock"; "a lock" when nothing is known. Caller frees. */
char *burl__pointer_name(struct burl__side *s, LLVMValueRef ptr, const char *unknown);
char *burl__place_name(const struct burl__side *s, LLVMValueRef inst); /* "put.c:12" */
void burl__list_functions(struct burl__impact *im);
uint32_t burl__function_number(const struct burl__impact *im, LLVMValueRef fn);

#endif
