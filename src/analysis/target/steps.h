/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/steps.h - from points-to to the static target: what the steps share.
 *
 * Runs in burl-analyze, in this room and in those above it (analysis/impact goes on from here). One
 * file for each step; docs/internals/analysis.md lists them in order.
 *
 * Soundness rules: what is not understood may run, may alias, may be alive, and holds no lock. Only
 * a proof makes the target smaller. Order is that of modules, functions and instructions all over;
 * nothing depends on addresses.
 */
#ifndef BURL_ANALYSIS_TARGET_STEPS_H
#define BURL_ANALYSIS_TARGET_STEPS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/program/program.h"
#include "analysis/program/u32s.h"
#include "analysis/program/valmap.h"
#include "analysis/pts/pts.h"
#include "base/sp.h"
#include "base/vec.h"

/* One function called at one instruction. */
struct burl__edge {
    LLVMValueRef call;
    uint32_t caller;
    uint32_t callee;
    bool later; /* registered and called later: a handler, a destructor */
};

struct burl__fn {
    LLVMValueRef fn;
    struct burl_u32s out; /* edges that leave it, in the order of calls */
    struct burl_u32s in;
    struct burl_u32s roots; /* that may execute it, ascending */
    bool repeats;           /* starts a thread itself and may run more than once in an execution */
    bool exits;             /* may end the process */
    bool spawns;            /* may start a thread, itself or through what it calls */
    bool leaves_open;       /* may return while a thread it started still runs */
    bool entered_created;   /* a thread may have been started when it is entered */
    bool entered_open;      /* and one may still run */
    bool left_ahead;        /* one may be started after it has returned */
};

/* One call that starts threads. Or a maker: a call of std::thread's constructor, or of what has it
 * called for an object that keeps the thread; the start itself is inside. Makers come last. */
struct burl__spawn {
    LLVMValueRef call;
    uint32_t fn;
    uint32_t callee; /* of a maker; UINT32_MAX it is none */
    bool in_loop;
    bool joined; /* must be joined before it runs again or its function returns */
    struct burl_u32s roots;
};

/* A thread that must have exited at a place. */
struct burl__closing {
    uint32_t what; /* spawn */
    uint32_t next; /* closing of the same place, UINT32_MAX none */
};

/* At one point of the main thread. */
struct burl__state {
    bool reached;
    bool created;  /* a thread may have been started */
    bool ahead;    /* one may yet be started */
    uint64_t open; /* started and perhaps not ended: spawns of this function, see alive.c */
};

/*
 * Addresses as expressions (addr.c), numbered over the whole program: equal numbers in one function
 * are equal values as long as no value in them is computed again.
 */
struct burl__addr {
    uint32_t node; /* UINT32_MAX none */
    int64_t off;
};

enum { BURL__MAX_PTRS = 4 };

/* A lock that is held. For points-to, it is what one of `ptr` points to, as given to lock calls (in
 * this function or, on the ways into it, in others); with n_ptr 0 it may be any lock. */
struct burl__held {
    struct burl__addr at;
    LLVMValueRef ptr[BURL__MAX_PTRS];
    uint8_t n_ptr;
    bool shared;
    uint32_t size_b; /* of the lock */
    uint32_t number; /* of the target, once it has one */
};

struct burl__helds {
    BURL_VEC_OF(struct burl__held);
};

struct burl__access {
    LLVMValueRef inst;
    LLVMValueRef ptr[BURL__MAX_PTRS]; /* one of these */
    uint8_t n_ptr;
    uint8_t flags; /* BURL_TARGET_* */
    bool exact;    /* ptr[0] alone, and `bytes` from there */
    uint32_t fn;
    uint32_t module;
    uint32_t site;
    uint64_t bytes;          /* 0: to the end of the object */
    uint32_t path;           /* BURL__PATH_* or higher: a struct and an offset in it */
    uint32_t set;            /* of leaves, see classes.c */
    struct burl_u32s locks;  /* of the target, ascending */
    struct burl__helds held; /* the same as they were taken; those of a copy stay empty */
    uint32_t copy_of;        /* access of the copy that counts, UINT32_MAX this one does */
    uint32_t target;         /* its number in the target, UINT32_MAX none */
};

enum { BURL__PATH_UNTYPED, BURL__PATH_SCALAR, BURL__PATH_FIRST };

/* A field of a struct type, whatever object it lies in. */
struct burl__path {
    char *type; /* "struct queue" */
    uint64_t offset_b;
    char *field; /* name in the source, NULL unknown */
};

/* The expressions behind the numbers. */
enum burl__node_kind {
    BURL__NODE_VALUE, /* v: argument, instruction, global */
    BURL__NODE_INDEX, /* parent + off + v * stride */
    BURL__NODE_LOAD   /* the value at parent + off, which is not stored to while threads run */
};

struct burl__node {
    enum burl__node_kind kind;
    uint32_t parent;
    LLVMValueRef v;
    int64_t off;
    uint64_t stride;
    uint64_t count; /* INDEX: elements of the array type, 0 pointer arithmetic */
};

/* Lock summary of a function (locks.c). */
struct burl__locking {
    bool known;                /* `entry` holds; until then: anything */
    struct burl__helds entry;  /* must be held on entry */
    struct burl__helds gains;  /* must be held on return, and not on entry */
    struct burl_u32s unlocks;  /* leaves of locks it may unlock, with all it calls */
    struct burl_u32s releases; /* the same with waits, which take the lock again */
};

struct burl__sp {
    const struct burl_program *p;
    const struct burl_pts *pts;
    struct burl_sp *t;
    BURL_VEC(struct burl__fn) fns; /* as p->functions */
    struct burl_valmap fn_ix;
    BURL_VEC(struct burl__edge) edges;
    BURL_VEC(struct burl__spawn) spawns;
    BURL_VEC(struct burl_u32s) entries; /* per root: functions it starts in */
    struct burl_valmap alive;           /* block -> index into `states` */
    /* At the start of blocks that only the main thread executes. */
    BURL_VEC(struct burl__state) states;
    struct burl_valmap closes; /* join, destructor or block after a loop of joins -> first of its
                                * `closings` */
    BURL_VEC(struct burl__closing) closings;
    bool *shared; /* per object */
    BURL_VEC(struct burl__access) accesses;
    BURL_VEC(struct burl__path) paths; /* from BURL__PATH_FIRST on */
    BURL_VEC(struct burl__node) nodes;
    struct burl_map node_of;       /* index of a node */
    bool *unstable;                /* per leaf: may change while threads run */
    struct burl__locking *locking; /* per function */
    bool *throws;                  /* per function: an exception may leave it */
    struct burl_records *fields;   /* fields.c */
    bool for_changes;              /* see burl_target_make() */
    struct burl_valmap held_at;    /* for_changes: call -> `helds` */
    BURL_VEC(struct burl__helds) helds; /* locks surely held that are one for the whole program */
};

/* threads.c */
void burl__sp_threads(struct burl__sp *sp);

/* counts.c: may a function that starts threads run more than once in an execution? */
bool burl__sp_repeats(const struct burl__sp *sp, uint32_t fn);

/* loops.c: where all threads that `create` started must have been joined because of `join`: the
 * call itself, or the block after its loop; NULL unknown. */
void *burl__sp_closing(const struct burl__sp *sp, LLVMValueRef create, LLVMValueRef join);
/* for (i = from; i < to; i++), tested at the top; the same over the elements of something. */
struct burl__loop {
    LLVMBasicBlockRef head, body, behind;
    LLVMValueRef from, to;
};
bool burl__match_loop(LLVMValueRef index, struct burl__loop *l);
/* The comparison that ends the loop of a variable that starts at l->from and takes a step each
 * turn; NULL it is no such loop. Fills all of *l but `to`. */
LLVMValueRef burl__loop_test(LLVMValueRef phi, bool (*is_step)(LLVMValueRef next, LLVMValueRef phi),
                             struct burl__loop *l);
/* Every path from the body back to the head passes `through`. */
bool burl__each_turn_passes(const struct burl__loop *l, LLVMBasicBlockRef through);
/* The constructor of std::thread, which starts one. */
bool burl__sp_is_cxx_create(const struct burl__sp *sp, LLVMValueRef call);
bool burl__sp_is_joined(const struct burl__sp *sp, const struct burl__spawn *s);

/* alive.c */
void burl__sp_alive(struct burl__sp *sp);
/* Must run in the main thread before it starts another; after all others have exited. */
bool burl__sp_is_before(const struct burl__sp *sp, LLVMValueRef inst, uint32_t fn);
bool burl__sp_is_after(struct burl__sp *sp, LLVMValueRef inst, uint32_t fn);
/* May this instruction start a thread? */
bool burl__sp_may_start(const struct burl__sp *sp, uint32_t fn, LLVMValueRef inst);

void burl__sp_close(struct burl__sp *sp, void *at, uint32_t what);

/* cxxjoin.c: makes a jthread, or a thread in a vector. */
bool burl__sp_is_cxx_keeping(const struct burl__sp *sp, LLVMValueRef call);
void burl__sp_cxx_closings(struct burl__sp *sp);

/* escape.c */
void burl__sp_escape(struct burl__sp *sp);

/* access.c */
void burl__sp_accesses(struct burl__sp *sp);

/* addr.c */
void burl__sp_stable(struct burl__sp *sp);
struct burl__addr burl__addr_of(struct burl__sp *sp, LLVMValueRef ptr);
/* The type of the struct that the address was formed from and where it starts; NULL none. */
LLVMTypeRef burl__struct_of(struct burl__sp *sp, LLVMValueRef ptr, struct burl__addr *start);
/* "struct queue": the name in the source, the same in all modules. The caller frees. */
char *burl__struct_name(LLVMTypeRef t);
uint32_t burl__node_intern(struct burl__sp *sp, const struct burl__node *n);
uint32_t burl__value_node(struct burl__sp *sp, LLVMValueRef v);
/* Does the expression contain this value? */
bool burl__node_has(const struct burl__sp *sp, uint32_t node, LLVMValueRef v);
/* Is it the same for all functions: made of globals and constants only? */
bool burl__node_is_global(const struct burl__sp *sp, uint32_t node);
/* A display name for memory of at most max_b bytes. The caller frees. */
char *burl__addr_name(struct burl__sp *sp, struct burl__addr a, uint64_t max_b);

/* lockops.c: what calls do to locks. */
/* *lock: which; NULL some lock that a library finds for itself, or with TAKE every argument. */
enum burl_libfn_lock burl__lock_op(const struct burl__sp *sp, LLVMValueRef call,
                                   LLVMValueRef *lock);
uint32_t burl__lock_size(const struct burl__sp *sp, LLVMValueRef call); /* of a lock operation */
/* May it be the lock at `lock` (NULL any)? May it be at one of these leaves (ascending)? */
bool burl__may_be_lock(const struct burl__sp *sp, const struct burl__held *h, LLVMValueRef lock);
bool burl__may_be_in(const struct burl__sp *sp, const struct burl__held *h,
                     const struct burl_u32s *leaves);

/* locks.c */
void burl__sp_locks(struct burl__sp *sp);

/* locknum.c: gives the locks held at an access their numbers of the target. */
struct burl__lock_keys;
struct burl__lock_keys *burl__lock_keys_new(void);
void burl__lock_record(struct burl__sp *sp, struct burl__lock_keys *keys, struct burl__access *a,
                       const struct burl__helds *s);

/* throws.c */
void burl__sp_throws(struct burl__sp *sp);
bool burl__may_throw(const struct burl__sp *sp, uint32_t fn, LLVMValueRef call);

/* facts.c */
void burl__sp_facts(struct burl__sp *sp);

/* classes.c */
void burl__sp_classes(struct burl__sp *sp);

/* What all of them need of LLVM (sp.c). */
/* The function called directly, as this program defines it; NULL for indirect calls. */
LLVMValueRef burl__callee(const struct burl__sp *sp, LLVMValueRef call);
/* Name of the function called directly, "" for others. */
const char *burl__callee_name(const struct burl__sp *sp, LLVMValueRef call);
/* The facts about the function called directly; zeros for others. */
struct burl_libfn burl__callee_facts(const struct burl__sp *sp, LLVMValueRef call);
/* Is it an intrinsic that only marks a place for debuggers or the optimizer? */
bool burl__is_marker(const char *name);
bool burl__is_one_of(const char *name, const char *const *names, size_t n);
/* A walk over the blocks of a function, each once. */
struct burl__walk {
    struct burl_valmap seen;
    BURL_VEC(LLVMBasicBlockRef) todo;
};
void burl__walk_visit(struct burl__walk *w, LLVMBasicBlockRef b);
void burl__walk_successors(struct burl__walk *w, LLVMBasicBlockRef b);
LLVMBasicBlockRef burl__walk_next(struct burl__walk *w); /* NULL at its end */
void burl__walk_deinit(struct burl__walk *w);
/* Is there a path from the end of one block to another that avoids a third (NULL none)? */
bool burl__reaches(LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMBasicBlockRef avoid);
/* Is the block on a cycle of its function? */
bool burl__in_cycle(LLVMBasicBlockRef block);
bool burl__leaves_function(LLVMBasicBlockRef b);
/* base + *off == pointer, through constant steps only. */
LLVMValueRef burl__strip(LLVMTargetDataRef td, LLVMValueRef ptr, int64_t *off);

/* sp_names.c: display names of an object and of the memory of a class. The caller frees. */
void burl__sp_name_fields(struct burl__sp *sp);
char *burl__sp_global_name(LLVMValueRef global);
/* As in the source. */
const char *burl__sp_function_name(const struct burl__sp *sp, LLVMValueRef fn);
char *burl__sp_object_name(const struct burl__sp *sp, uint32_t object);
/* fields.c: the member of a struct of type t that lies at off_b and is no larger than max_b, as
 * "lock" or "in.lock"; NULL unknown. The caller frees. */
char *burl__sp_field_name(struct burl__sp *sp, LLVMTypeRef t, uint64_t off_b, uint64_t max_b);
char *burl__sp_class_name(const struct burl__sp *sp, uint32_t leaf, uint32_t path, uint32_t access);

#endif
