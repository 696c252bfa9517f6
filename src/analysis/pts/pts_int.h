/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_int.h - what the files of the points-to analysis share.
 *
 * Inclusion-based (Andersen), solved in waves (Pereira and Berlin): find strongly connected
 * components, walk the graph of copies in topological order moving only what is new, let loads,
 * stores, offsets and calls add edges, again. Departures: the graph of calls and the set of
 * functions looked at grow with the solution; memory is divided by byte offsets that are found
 * while solving rather than by fields known before.
 *
 * docs/internals/analysis.md lists the files.
 *
 * Three kinds of numbers: nodes (something that holds pointers: an SSA value or the memory at a
 * leaf), leaves (something that is pointed to) and objects. Nodes and leaves are merged while
 * solving; use burl__pts_node() and burl__pts_leaf_rep() for the representative.
 */
#ifndef BURL_ANALYSIS_PTS_INT_H
#define BURL_ANALYSIS_PTS_INT_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/program/u32s.h"
#include "analysis/program/valmap.h"
#include "analysis/pts/pts.h"
#include "base/vec.h"

#define BURL__NONE UINT32_MAX
#define BURL__NO_END UINT64_MAX

/* 64 bits each, ascending by key. Zero-initialized is empty. */
struct burl__set {
    struct burl__word {
        uint32_t key; /* number / 64 */
        uint32_t bits[2];
    } *v;
    uint32_t n;
    uint32_t cap;
};

bool burl__set_add(struct burl__set *s, uint32_t x);
/* dst |= src; what was not there before goes to `fresh` (may be NULL) as well. */
bool burl__set_merge(struct burl__set *dst, const struct burl__set *src, struct burl__set *fresh);
void burl__set_clear(struct burl__set *s);
/* The first member at or above `from`, BURL__NONE none; *hint (0 at first) speeds up a walk. */
uint32_t burl__set_next(const struct burl__set *s, uint32_t from, uint32_t *hint);

#define BURL__SET_EACH(x, set)                                                            \
    for (uint32_t hint_##x = 0, x = burl__set_next((set), 0, &hint_##x); x != BURL__NONE; \
         x = burl__set_next((set), x + 1, &hint_##x))

/* Elements at start + k * stride, as far as end (BURL__NO_END: to the end of the object). */
struct burl__region {
    uint64_t start;
    uint64_t stride;
    uint64_t end;
};

/* A listener for new leaves of an object. */
enum burl__watch_kind {
    BURL__WATCH_RANGE, /* node `to` points to every leaf in [from, end) */
    BURL__WATCH_FROM,  /* copy `to` reads from here on */
    BURL__WATCH_TO     /* this is the temporary of a copy; `to` is the leaf where it is written */
};

struct burl__watch {
    enum burl__watch_kind kind;
    uint32_t to;
    uint64_t from;
    uint64_t end;
};

struct burl__place {
    uint64_t offset;
    uint32_t leaf;
};

struct burl__object {
    struct burl_pts_object pub;
    uint64_t type_b;         /* size of its type */
    const uint16_t *scalars; /* where the scalar of each byte begins; NULL no table */
    bool heap;               /* may be an array of its type, or more than its type */
    bool outside;            /* memory of unknown code: points to itself */
    bool temporary;          /* of a copy: no pointer points to it */
    bool full;               /* too many leaves: offsets are no longer distinguished */
    BURL_VEC(struct burl__region) regions; /* outer before inner */
    BURL_VEC(struct burl__place) places;   /* ascending by offset */
    BURL_VEC(struct burl__watch) watches;
};

struct burl__leaf {
    uint32_t object;
    uint32_t node; /* what the memory holds */
    uint64_t offset;
};

enum burl__con_kind {
    BURL__CON_LOAD,  /* other gets what memory at this + d holds */
    BURL__CON_STORE, /* memory at this + d gets other */
    BURL__CON_ADD,   /* other = this + d */
    BURL__CON_WALK,  /* other = this + any multiple of strides: see struct burl_ir_steps x */
    BURL__CON_CALL,  /* call site x calls this */
    BURL__CON_FROM,  /* copy x reads from this */
    BURL__CON_TO,    /* copy x writes to this */
    BURL__CON_START, /* other gets the start of the object this points into */
    BURL__CON_RUN    /* std::thread x runs on the state this points to */
};

struct burl__con {
    enum burl__con_kind kind;
    uint32_t other;
    uint32_t x;
    int64_t d;
};

struct burl__copy {
    uint32_t temp;  /* object */
    uint64_t len_b; /* BURL__NO_END unknown */
};

struct burl__node {
    struct burl__set pts;
    struct burl__set fresh; /* subset of pts that was not passed on */
    struct burl__set edges; /* nodes that get all of this */
    BURL_VEC(struct burl__con) cons;
};

/* One call, or one callback that a model makes. */
struct burl__site {
    LLVMValueRef call;
    LLVMTypeRef type;           /* of the function called; NULL: unknown, all are compatible */
    uint32_t ret;               /* node, BURL__NONE unused */
    uint32_t first_arg, n_args; /* into site_args; BURL__NONE entries carry no pointer */
    bool direct;                /* the callee is named */
    bool spawn;                 /* starts a thread */
    bool callback;              /* made by a model: not the call itself */
    uint32_t next;              /* another site of the same call */
    struct burl_u32s callees;   /* function numbers */
};

/* From the start of fresh memory. An allocator that hides a header returns block + 8, or null which
 * looks like block + 0. */
enum { BURL__MAX_OFFSETS = 3 };

struct burl__offsets {
    uint32_t n;
    int64_t v[BURL__MAX_OFFSETS];
};

/* The result of a function, if it does not depend on the rest of the program. */
struct burl__summary {
    bool fresh;      /* memory allocated by this very call */
    bool ok;         /* nothing but fresh memory and parameters */
    uint32_t params; /* bit i: parameter i */
    struct burl__offsets offsets;
    uint32_t out; /* bit i: writes nothing but fresh memory through parameter i */
};

struct burl__function {
    LLVMValueRef value; /* definition or declaration */
    uint32_t ret;     /* node */
    uint32_t varargs; /* object, BURL__NONE none yet */
    bool defined;
    bool reached; /* constraints made */
    struct burl__summary sum;
    bool summarized;            /* or being it */
    uint32_t depth;             /* of wrapper: 1 calls an allocator itself */
    LLVMValueRef via;           /* first allocation inside */
    struct burl_u32s allocs;    /* nodes that hold the allocations inside that are given out */
    struct burl_u32s alloc_fns; /* the wrapper each got it from, or BURL__NONE */
    struct burl__set clones;    /* objects made for calls of it, and of wrappers around it */
};

/* Wrappers were found on the ground that `call` calls `fn`, among others. */
struct burl__guess {
    LLVMValueRef call;
    LLVMValueRef fn;
};

struct burl__later {
    uint32_t leaf;
    uint32_t to;
    uint32_t step;
    int64_t d;
};

struct burl_pts {
    const struct burl_program *p;
    BURL_VEC(struct burl__node) nodes;
    BURL_VEC(struct burl__leaf) leaves;
    struct burl_u32s node_reps; /* representatives: see burl__pts_rep() */
    struct burl_u32s leaf_reps;
    BURL_VEC(struct burl__object) objects;
    BURL_VEC(struct burl__function) funcs;
    BURL_VEC(struct burl__site) sites;
    struct burl_u32s site_args;
    BURL_VEC(struct burl_ir_steps) steps;
    BURL_VEC(struct burl__copy) copies;
    struct burl_valmap values;     /* SSA value or constant -> node */
    struct burl_valmap globals;    /* definition -> object */
    struct burl_valmap func_of;    /* definition -> function number */
    struct burl_valmap defs;       /* any global -> index into def_v */
    struct burl_valmap allocas;    /* instruction or argument that makes an object -> object */
    struct burl_valmap first_site; /* call -> first of its sites */
    struct burl_valmap sources;    /* call -> wrapper that gives out what it allocates */
    struct burl_valmap skipped;    /* stores that a summary replaces */
    struct burl_valmap layouts;    /* type -> index into tables */
    BURL_VEC(uint16_t *) tables;
    struct burl_valmap by_type;           /* struct type -> step that marked it */
    struct burl__fields *fields;          /* pts_field.c; NULL not read yet */
    bool no_guesses;                      /* indirect calls make no wrappers */
    BURL_VEC(struct burl__guess) guesses; /* what wrappers were built on */
    BURL_VEC(LLVMValueRef) def_v;
    /* Work that is left. */
    struct burl_u32s todo_funcs;
    struct burl_u32s todo_globals; /* objects whose initializers were not read */
    struct burl_u32s new_leaves;
    struct burl_u32s new_regions;       /* objects */
    BURL_VEC(struct burl__later) later; /* walks over memory whose type is not known yet */
    bool no_later;                      /* nothing else is left: decide them */
    bool changed;
    uint32_t new_edges;
    /* One for the whole program. */
    uint32_t exceptions, thread_results, tls_values;
    BURL_VEC(char *) unknown;
    BURL_VEC(LLVMValueRef) runs; /* calls of std::thread's helper */
    struct burl_u32s run_leaves; /* run, leaf: pairs seen */
    struct burl_valmap statics;  /* declaration -> object of its static memory */
    uint32_t n_constraints, n_merged, n_clones;
    uint64_t solve_ms;
    /* The solution. */
    struct burl__result *result;
};

/* pts_answer.c */
void burl__pts_finish(struct burl_pts *s);

/* pts_graph.c */
uint32_t burl__pts_new_node(struct burl_pts *s);
/* The representative of all that x was merged with. Shortens the path to it. */
uint32_t burl__pts_rep(uint32_t *reps, uint32_t x);
uint32_t burl__pts_node(struct burl_pts *s, uint32_t n);
/* With BURL__NONE for one of its numbers each of the next three does nothing. */
void burl__pts_add(struct burl_pts *s, uint32_t node, uint32_t leaf);
void burl__pts_edge(struct burl_pts *s, uint32_t from, uint32_t to);
void burl__pts_con(struct burl_pts *s, uint32_t node, struct burl__con c);
void burl__pts_unite(struct burl_pts *s, uint32_t a, uint32_t b);
/* Collapses components; `order` becomes the representatives, sources first. */
void burl__pts_order(struct burl_pts *s, struct burl_u32s *order);

/* pts_object.c */
uint32_t burl__pts_new_object(struct burl_pts *s, enum burl_pts_kind kind, LLVMValueRef at,
                              LLVMTypeRef type);
/* A node that points to the start of the object of `key`, which is made when there is none. */
uint32_t burl__pts_own_object(struct burl_pts *s, struct burl_valmap *map, const void *key,
                              LLVMValueRef at);
uint32_t burl__pts_leaf_rep(struct burl_pts *s, uint32_t leaf);
/* The leaf at an offset, made when there is none; BURL__NONE outside of the object. */
uint32_t burl__pts_leaf_at(struct burl_pts *s, uint32_t object, uint64_t offset);
void burl__pts_region(struct burl_pts *s, uint32_t object, uint64_t start, uint64_t stride,
                      uint64_t end);
void burl__pts_learn_type(struct burl_pts *s, uint32_t object, LLVMTypeRef type);
void burl__pts_watch(struct burl_pts *s, uint32_t object, struct burl__watch w);
uint64_t burl__pts_end(const struct burl__object *o);
uint32_t burl__pts_memory(struct burl_pts *s, uint32_t leaf); /* node of its memory */

/* pts_offset.c */
enum { BURL__MAX_TARGETS = 8 };
uint32_t burl__pts_plus(struct burl_pts *s, uint32_t leaf, int64_t d,
                        uint32_t out[BURL__MAX_TARGETS]);
void burl__pts_walk(struct burl_pts *s, uint32_t leaf, uint32_t to, uint32_t step, int64_t d);

/* pts_solve.c */
void burl__pts_run(struct burl_pts *s);

/* pts_copy.c */
void burl__pts_copy(struct burl_pts *s, LLVMValueRef at, uint32_t dst, uint32_t src,
                    uint64_t len_b);
void burl__pts_copy_from(struct burl_pts *s, uint32_t copy, uint32_t leaf);
void burl__pts_copy_to(struct burl_pts *s, uint32_t copy, uint32_t leaf);
/* Notifies one watcher of a leaf, or of the regions of an object. */
void burl__pts_notify_watch(struct burl_pts *s, const struct burl__watch *w, uint32_t leaf);
void burl__pts_notify_regions_to(struct burl_pts *s, uint32_t object, const struct burl__watch *w);
/* Notifies all watchers of the object. */
void burl__pts_notify(struct burl_pts *s, uint32_t leaf);
void burl__pts_notify_regions(struct burl_pts *s, uint32_t object);

/* pts_const.c */
LLVMValueRef burl__pts_def(struct burl_pts *s, LLVMValueRef v);
uint32_t burl__pts_global(struct burl_pts *s, LLVMValueRef def);
void burl__pts_initialize(struct burl_pts *s, uint32_t object);
/* The node of any operand, BURL__NONE when it cannot hold a pointer. */
uint32_t burl__pts_value(struct burl_pts *s, LLVMValueRef v);
bool burl__pts_may_hold(LLVMTypeRef t);

/* pts_gen.c */
uint32_t burl__pts_function(struct burl_pts *s, LLVMValueRef def);
void burl__pts_reach(struct burl_pts *s, uint32_t fn);
void burl__pts_generate(struct burl_pts *s, uint32_t fn);
/* Loads (stores) every part of type `t` that may hold a pointer: `value` is the node that gets it
 * (has it), d the distance from `ptr`. */
void burl__pts_access(struct burl_pts *s, enum burl__con_kind kind, uint32_t ptr, uint32_t value,
                      LLVMTypeRef t, int64_t d);
/* `to` is `from` plus any multiple of a stride. */
void burl__pts_stride(struct burl_pts *s, uint32_t from, uint32_t to, uint64_t stride);

/* pts_call.c */
void burl__pts_call(struct burl_pts *s, LLVMValueRef call);
void burl__pts_bind(struct burl_pts *s, uint32_t site, uint32_t leaf);
void burl__pts_bind_function(struct burl_pts *s, uint32_t site, uint32_t fn);
/* A call made by a model; `fn` holds the function. */
uint32_t burl__pts_callback(struct burl_pts *s, LLVMValueRef call, uint32_t fn,
                            const uint32_t *args, uint32_t n_args, uint32_t ret, bool spawn);

/* The words of wire/libfn.def for a function, NULL unknown. */
const char *burl__pts_words_of(struct burl_pts *s, uint32_t fn);
/* The function called by name, through casts; NULL: indirect, assembly. */
LLVMValueRef burl__pts_callee(struct burl_pts *s, LLVMValueRef call);
/* pts_model.c */
void burl__pts_model(struct burl_pts *s, uint32_t site, uint32_t fn);
void burl__pts_run_state(struct burl_pts *s, uint32_t run, uint32_t leaf);

/* pts_field.c: the guessed callees of an indirect call; NULL no guess. One that is NULL is not
 * known. */
struct burl__functions {
    BURL_VEC_OF(LLVMValueRef);
};
const struct burl__functions *burl__pts_guess(struct burl_pts *s, LLVMValueRef call);

/* pts_wrap.c */
void burl__pts_summarize(struct burl_pts *s, uint32_t fn);
/* Makes `node` hold what wrapper `fn` (BURL__NONE: an allocator itself) allocates for one call.
 * When the call is part of a wrapper, that is what the wrapper's callers get. */
void burl__pts_allocate(struct burl_pts *s, LLVMValueRef call, uint32_t fn, uint32_t node,
                        uint64_t size_b);
/* Was every guess right? */
bool burl__pts_check_guesses(struct burl_pts *s);

#endif
