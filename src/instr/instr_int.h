/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/instr_int.h - what the files of the instrumenter share.
 *
 * Runs in the compiler, as its own process between two runs of clang: bitcode
 * in, instrumented bitcode out. LLVM is used through its C API only.
 *
 * One file for each step; docs/internals/instr.md lists them in order.
 *
 * INV: a site's number depends on the canonical form alone, so that both
 * profiles and every reader of .burl.bc agree on it.
 */
#ifndef BURL_INSTR_INSTR_INT_H
#define BURL_INSTR_INSTR_INT_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/libfn.h"
#include "base/map.h"
#include "base/vec.h"
#include "instr/strtab.h"
#include "ir/ditype.h"
#include "ir/ir.h"
#include "wire/namefile.h"
#include "wire/site.h"
#include "wire/sitefile.h"

enum burl__how {
    BURL__HOW_ACCESS, /* read or write of 1, 2, 4, 8 or 16 bytes */
    BURL__HOW_RANGE,  /* `bytes`, or the value `len` when that is set */
    BURL__HOW_LIB,    /* extent as stated in wire/libfn.def */
    BURL__HOW_VPTR,   /* a write only when it changes what is there */
    BURL__HOW_ATOMIC, /* a hook before and one after */
    BURL__HOW_VOLATILE, /* the same, of a plain access */
    BURL__HOW_FENCE,
    BURL__HOW_LANES, /* a hook per lane, lanes.c */
    BURL__HOW_BYVALS, /* everything passed by value from argument `from` on */
    BURL__HOW_CALL
};

/* One thing an instruction does. */
struct burl__op {
    LLVMValueRef ptr; /* address; the callee for calls; NULL for fences */
    LLVMValueRef len; /* bytes of a range when not constant */
    uint64_t bytes;   /* size of the access when constant, else 0; calls: enum burl_wire_hidden */
    uint8_t kind;     /* enum burl_wire_site_kind */
    uint8_t order;    /* enum burl_wire_mo */
    uint8_t flags;    /* BURL_SITE_F_* */
    uint8_t how;      /* enum burl__how */
    uint8_t extent;   /* enum burl_libfn_extent, HOW_LIB only */
    uint8_t at;       /* and the offsets it needs */
    uint8_t then;
    bool after;       /* HOW_RANGE: the hook is after the call */
    uint32_t from;    /* HOW_BYVALS: the first argument */
};

/* Most operations of one instruction: a call with many structs passed by value. */
enum { BURL__MAX_OPS = 24 };
/* Of these, most that a format describes. */
enum { BURL__FORMAT_OPS = 8 };

struct burl__site {
    LLVMValueRef at; /* instruction, or the function for FUNC, or its first instruction for BLOCK */
    struct burl__op op; /* for instructions */
    struct burl_wire_sitedesc desc;
};

struct burl__sites {
    BURL_VEC_OF(struct burl__site);
};

/* The hooks of wire/site.h, with the types of result and parameters: v void, p pointer, n 64 bits,
 * i 32 bits. They are declared in the module when first used. */
#define BURL__HOOKS(HOOK)                           \
    HOOK(READ1, "__burl_read1", "vpp")              \
    HOOK(READ2, "__burl_read2", "vpp")              \
    HOOK(READ4, "__burl_read4", "vpp")              \
    HOOK(READ8, "__burl_read8", "vpp")              \
    HOOK(READ16, "__burl_read16", "vpp")            \
    HOOK(WRITE1, "__burl_write1", "vpp")            \
    HOOK(WRITE2, "__burl_write2", "vpp")            \
    HOOK(WRITE4, "__burl_write4", "vpp")            \
    HOOK(WRITE8, "__burl_write8", "vpp")            \
    HOOK(WRITE16, "__burl_write16", "vpp")          \
    HOOK(READ_RANGE, "__burl_read_range", "vpnp")   \
    HOOK(WRITE_RANGE, "__burl_write_range", "vpnp") \
    HOOK(READ_STR, "__burl_read_str", "vpp")        \
    HOOK(STRLEN, "__burl_strlen", "np")             \
    HOOK(NUMBER, "__burl_number", "npi")            \
    HOOK(TREE, "__burl_tree", "pp")                 \
    HOOK(ATOMIC_PRE, "__burl_atomic_pre", "vpp")    \
    HOOK(ATOMIC_POST, "__burl_atomic_post", "vppi") \
    HOOK(FENCE, "__burl_fence", "vp")               \
    HOOK(CALL, "__burl_call", "vp")                 \
    HOOK(FUNC_ENTER, "__burl_func_enter", "ppp")    \
    HOOK(FUNC_EXIT, "__burl_func_exit", "vp")       \
    HOOK(FUNC_RESYNC, "__burl_func_resync", "vp")   \
    HOOK(BLOCK, "__burl_block", "vp")               \
    HOOK(MODULE_INIT, "__burl_module_init", "vp")   \
    HOOK(MARKS_INIT, "__burl_marks_init", "vppp")   \
    HOOK(WHICH_COPY, "__burl_which_copy", "i")

enum burl__hook {
#define HOOK(id, name, types) BURL__HOOK_##id,
    BURL__HOOKS(HOOK)
#undef HOOK
    BURL__HOOK__N
};

/* How much debug information the result keeps. */
enum burl__debug { BURL__DEBUG_FULL, BURL__DEBUG_LINES, BURL__DEBUG_NONE };

/* One module at work. */
/* sourcetext.c: the source file that was read last. */
struct burl__sourcetext {
    char *path;       /* NULL: none yet */
    char *text;       /* NULL: it cannot be read */
    unsigned line;    /* the line that was found last; 0: none */
    const char *from; /* where it begins */
};

struct burl__instr {
    LLVMContextRef ctx;
    LLVMModuleRef mod;
    LLVMModuleRef alone;  /* alone.c: the copies without hooks until they are in mod; NULL none */
    LLVMModuleRef free;   /* free.c: the same of those for free mode */
    LLVMTargetDataRef td; /* owned by mod */
    LLVMBuilderRef builder;
    LLVMDIBuilderRef di;
    char *name;          /* source file as given to the compiler */
    char *dir;           /* directory of the compilation, "" unknown */
    const char *profile; /* "early", "late" or "record" */
    uint64_t hash;
    struct burl__sites sites;
    struct burl__strtab strings;
    struct burl_buf diagnostic; /* LLVM's first error */
    struct burl_map skip;    /* functions not to touch */
    struct burl_map escapes; /* private.c's memory */
    struct burl_map locals;  /* names.c: value -> index into locals_v */
    struct burl_map globals; /* names.c: global variable -> DIGlobalVariable */
    struct burl__sourcetext source;
    LLVMValueRef named; /* names.c: the instruction whose memory is being named */
    unsigned md_site;
    unsigned md_block;
    unsigned md_place;
    LLVMValueRef site_array; /* emit.c */
    LLVMTypeRef site_array_ty;
    LLVMValueRef seen_array; /* marks.c: a byte per site; NULL in the other profiles */
    LLVMValueRef hot;
    LLVMValueRef hooks[BURL__HOOK__N];
    LLVMTypeRef hook_tys[BURL__HOOK__N];
    LLVMValueRef extent_fn; /* libfn.c: how far two strings agree */
    LLVMTypeRef extent_fn_ty;
    LLVMTypeRef i1, i8, i32, i64, ptr, void_ty;
    bool blocks; /* call __burl_block */
    bool quiet_hooks; /* free.c: the hooks of reads and functions touch no memory of the program */
    bool volatile_atomic; /* volatile loads acquire, volatile stores release */
};

/* canon.c */
BURL_MUST_CHECK enum burl_status burl__instr_open(struct burl__instr *in, const char *path,
                                                  struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__instr_canonicalize(struct burl__instr *in,
                                                          struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__instr_run_passes(LLVMModuleRef mod, const char *passes,
                                                        struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__instr_verify(struct burl__instr *in, struct burl_err *err);
/* Writes the module, with the debug information cut down to `debug`. */
BURL_MUST_CHECK enum burl_status burl__instr_write(struct burl__instr *in, const char *path,
                                                   enum burl__debug debug, struct burl_err *err);
/* Whether the function has a body that we number and instrument. */
bool burl__instr_is_chosen(const struct burl__instr *in, LLVMValueRef fn);
/* The type that a parameter passed by value has in memory, NULL when it is not passed so. */
LLVMTypeRef burl__instr_byval_type(LLVMValueRef call, unsigned arg);

/* classify.c: fills `ops` and returns how many; 0 when there is nothing to watch. */
int burl__instr_classify(struct burl__instr *in, LLVMValueRef inst,
                         struct burl__op ops[BURL__MAX_OPS]);
/* Memory that other threads may have and a hook can watch. */
bool burl__instr_is_visible(struct burl__instr *in, LLVMValueRef ptr);
/* A call, with what it hides (enum burl_wire_hidden); `target` names it. UNSEEN is the mark of
 * anything that touches memory without a hook. */
struct burl__op burl__instr_call_op(LLVMValueRef target, uint8_t hidden);
struct burl__op burl__instr_range_op(LLVMValueRef ptr, uint64_t bytes, bool write);
/* Accesses of other sizes are ranges. */
bool burl__instr_is_hook_size(uint64_t bytes);

/* Hooks of the structures a call copies, from one argument on. */
void burl__instr_hook_byvals(struct burl__instr *in, LLVMValueRef call, unsigned from,
                             LLVMValueRef site);

/* intrinsic.c: the operations of a call of an intrinsic. */
int burl__instr_intrinsic_ops(struct burl__instr *in, LLVMValueRef call, const char *name,
                              struct burl__op ops[BURL__MAX_OPS]);

/* lanes.c: the operation of a vector access with a mask; -1 when it is none. */
int burl__instr_lane_ops(struct burl__instr *in, LLVMValueRef call, const char *name,
                         struct burl__op *op);
void burl__instr_hook_lanes(struct burl__instr *in, LLVMValueRef call, LLVMValueRef site);

/* asmop.c: the memory operands of inline assembly, visible or not; none when it has no text. */
int burl__instr_asm_ops(struct burl__instr *in, LLVMValueRef call,
                        struct burl__op ops[BURL__MAX_OPS]);
/* It may touch memory besides, or not in one step. */
bool burl__instr_asm_is_unseen(struct burl__instr *in, LLVMValueRef call);
/* Does it read a counter, a random number or the like (BURL_HIDDEN_OUTSIDE)? */
bool burl__instr_asm_is_outside(LLVMValueRef call);
/* asmtext.c: how the text uses a memory operand, and whether it has a segment override. */
enum burl__asm_use {
    BURL__ASM_UNMENTIONED, /* stands for memory that the text reaches in another way */
    BURL__ASM_ADDRESS,     /* its address alone */
    BURL__ASM_FLAT,        /* memory at its own address */
    BURL__ASM_ELSEWHERE,   /* an offset into a segment */
};
enum burl__asm_use burl__instr_asm_use(const char *text, size_t n, unsigned operand);
bool burl__instr_asm_has_segment(const char *text, size_t n);
bool burl__instr_asm_reads_outside(const char *text, size_t n);
/* It reads and writes the operand in one step, whatever the constraints say. */
bool burl__instr_asm_is_locked(const char *text, size_t n, unsigned operand);
/* How many instructions access the memory operand; `moves`: all of these are moves. */
unsigned burl__instr_asm_accesses(const char *text, size_t n, unsigned operand, bool *moves);
/* The size of the memory that a locked instruction reaches through the operand, a register: "($1)"
 * alone. 0: none, or the text does not tell the size. */
uint64_t burl__instr_asm_locked_bytes(const char *text, size_t n, unsigned operand);
/* Can an instruction be executed twice, or reach memory beyond its operand (bits by number)? */
bool burl__instr_asm_jumps_or_indexes(const char *text, size_t n);

/* private.c */
bool burl__instr_is_private(struct burl__instr *in, LLVMValueRef ptr);
/* Read-only memory: constants and their parts. */
bool burl__instr_is_constant(LLVMValueRef ptr);

/* unseen.c: enum burl_wire_hidden of a call of a library function: the state it keeps, or UNSEEN
 * when it may touch memory without a hook. */
uint8_t burl__instr_hidden_at(struct burl__instr *in, LLVMValueRef call, const char *name);
/* It keeps something that is an operation, and touches memory besides. */
bool burl__instr_state_is_unseen(struct burl__instr *in, LLVMValueRef call, const char *name);
/* Does an argument from `first` on point to memory that may be shared? */
bool burl__instr_shows_memory(struct burl__instr *in, LLVMValueRef call, unsigned first);

/* libfn.c: the operations of a call of a known mem* or str* function, -1 when not known. */
int burl__instr_lib_ops(struct burl__instr *in, LLVMValueRef call,
                        struct burl__op ops[BURL__MAX_OPS]);
/* The same by name alone, for the escape check. */
bool burl__instr_lib_known(const char *name);
/* A library function that does not keep this argument. */
bool burl__instr_lib_forgets(const char *name, unsigned arg);
/* Does the function touch more than its accesses state? */
bool burl__instr_lib_is_partial(struct burl__instr *in, LLVMValueRef call,
                                const struct burl_libfn *r);
/* format.c: the accesses that the format of a call describes, at most `max`; -1 when it is not
 * known what they are. */
int burl__instr_format_ops(struct burl__instr *in, LLVMValueRef call, const struct burl_libfn *row,
                           struct burl__op *ops, int max);
/* Is the extent known after the call only? */
bool burl__instr_lib_is_after(const struct burl__op *op);
/* Emits code before `call` that computes how many bytes the operation touches. */
LLVMValueRef burl__instr_lib_extent(struct burl__instr *in, LLVMValueRef call,
                                    const struct burl__op *op);
/* The first byte it touches: strcat writes after the existing string. */
LLVMValueRef burl__instr_lib_start(struct burl__instr *in, const struct burl__op *op);
/* The operation reads a whole string: __burl_read_str does it without a length. */
bool burl__instr_lib_is_str(const struct burl__op *op);

/* number.c */
void burl__instr_number(struct burl__instr *in);
/* Kind, size, order and flags of a site. */
void burl__instr_describe_op(struct burl_wire_sitedesc *d, const struct burl__op *op);

/* identity.c: BURL_SITE_F_ADDRESSES and _IDENTITY of a function. */
uint8_t burl__instr_identity(LLVMValueRef fn);
/* Late profile: an inlined function has no entry of its own, so all get the marks of all. */
void burl__instr_spread_identity(struct burl__instr *in);
/* assertion.c: adds BURL_SITE_F_ASSERT; needs the metadata that number.c attached. */
void burl__instr_mark_assertions(struct burl__instr *in);

/* sourcetext.c: the identifier where the instruction is in the source, *n bytes of a text that
 * lives until the next call; NULL not known. */
const char *burl__sourcetext_word(struct burl__instr *in, LLVMValueRef inst, size_t *n);
/* The member of the variable `root` at the instruction, or the only one among the arguments of a
 * call, with the variable and with empty brackets for indices: "root[].a.b". False: not known. */
bool burl__sourcetext_members(struct burl__instr *in, LLVMValueRef inst, const char *root,
                              char *out, size_t cap);
bool burl__sourcetext_argument(struct burl__instr *in, LLVMValueRef call, const char *root,
                               char *out, size_t cap);

/* names.c: fills the descriptions of all sites. */
void burl__instr_describe(struct burl__instr *in);

enum { BURL__NAME_B = 160 };

/* A memory location or a value: `text` names it, or names a pointer to it when `deref` is set. */
struct burl__place {
    char text[BURL__NAME_B];
    bool deref;
    LLVMMetadataRef type;    /* NULL unknown */
    LLVMMetadataRef owner;   /* type whose member `path` begins with; NULL unknown */
    char path[BURL__NAME_B]; /* members after the last pointer */
    uint64_t offset_b;       /* of the place in its owner; UINT64_MAX unknown */
    uint64_t from_b;         /* the same from where the last pointer points to */
    uint16_t param_n;        /* parameter at which text begins, from 1; 0: at none */
    uint8_t flags;           /* BURL_PLACE_* of wire/namefile.h */
    bool closure;            /* `this` of a lambda */
    bool cut;                /* what follows are members inside a class of a library */
    size_t text_b;           /* then: text, path and deref before them */
    size_t path_b;
    bool cut_deref;
    size_t skip_b;           /* bytes of text that the source does not have: "this->" of a lambda */
};

/* The place that a site accesses; false when nothing is known. */
bool burl__instr_access_place(struct burl__instr *in, const struct burl__site *s,
                              struct burl__place *p);
/* The place that an argument points to, at which the callee expects a `pointee` (NULL unknown). */
bool burl__instr_argument_place(struct burl__instr *in, LLVMValueRef arg, LLVMMetadataRef pointee,
                                struct burl__place *p);
/* The type that a parameter of a function points to; NULL unknown, also when `fn` is NULL. */
LLVMMetadataRef burl__instr_param_pointee(struct burl__instr *in, LLVMValueRef fn, unsigned param);

/* Is the parameter `this`? */
bool burl__instr_is_self(struct burl__instr *in, LLVMValueRef fn, unsigned param);

/* places.c: the record of .burl.names; after burl__instr_describe(). */
void burl__instr_record_names(struct burl__instr *in, struct burl_buf *out);

/* record.c */
struct burl__records {
    struct burl_buf sites; /* one record of .burl.sites */
    struct burl_buf bc;    /* one record of .burl.bc */
    struct burl_buf names; /* one record of .burl.names */
};
/* Writes the canonical bitcode record and computes the module's hash. */
void burl__instr_record_bitcode(struct burl__instr *in, struct burl_buf *out);
void burl__instr_record_sites(struct burl__instr *in, struct burl_buf *out);
/* The way back, for the second half of the late profile: fills in->sites and in->strings. */
BURL_MUST_CHECK enum burl_status burl__instr_read_sites(struct burl__instr *in,
                                                        const struct burl_buf *rec,
                                                        struct burl_err *err);

/* hooks.c */
LLVMValueRef burl__instr_hook_call(struct burl__instr *in, enum burl__hook hook, LLVMValueRef *args,
                                   unsigned n_args);
void burl__instr_hook_range(struct burl__instr *in, bool write, LLVMValueRef ptr,
                            LLVMValueRef bytes, LLVMValueRef site);
LLVMValueRef burl__instr_u64(struct burl__instr *in, uint64_t x);
/* Code that computes ptr + bytes. */
LLVMValueRef burl__instr_offset(struct burl__instr *in, LLVMValueRef ptr, LLVMValueRef bytes);
/* Inserts the hooks of one instruction; site_ix[i] belongs to ops[i]. */
void burl__instr_hook_ops(struct burl__instr *in, LLVMValueRef inst, const struct burl__op *ops,
                          const uint32_t *site_ix, int n);
/* Entry, exits and landing pads of one function. */
void burl__instr_hook_function(struct burl__instr *in, LLVMValueRef fn, uint32_t site_ix);
/* A call of a hook that free.c inserts before the optimizer runs. */
bool burl__instr_is_early_hook(LLVMValueRef inst);
/* The whole module, from in->sites. */
void burl__instr_hook_module(struct burl__instr *in);

/* What pure and const promise is no longer true once the body calls hooks or has marks. */
void burl__instr_drop_promises(LLVMValueRef fn);
/* Where code may be inserted into the block that begins with an instruction; NULL: nowhere. */
LLVMValueRef burl__instr_block_start(LLVMValueRef first);
/* Puts the builder before `at`, with its source location. */
void burl__instr_build_before(struct burl__instr *in, LLVMValueRef at);
/* Declares __burl_hot, the thread's structure of the object (rt/hooks/hot.c). */
LLVMValueRef burl__instr_hot(struct burl__instr *in);

/* marks.c: the record profile, from in->sites. */
void burl__instr_mark_module(struct burl__instr *in);

/* private.c: a definition that the linker cannot replace by one that does something else? In a
 * shared library another one of the same name may still come first. */
bool burl__instr_is_exact(LLVMValueRef fn);

/* copy.c: copies of the functions, as they are, in a module of their own; NULL: it cannot be
 * done. */
#define BURL__ALONE_SUFFIX ".burl_alone"
#define BURL__FREE_SUFFIX ".burl_free"
LLVMModuleRef burl__instr_copy_take(struct burl__instr *in, const char *suffix);
/* Puts them into the module. */
BURL_MUST_CHECK enum burl_status burl__instr_copy_link(struct burl__instr *in, LLVMModuleRef copies,
                                                       struct burl_err *err);
bool burl__instr_is_copy(LLVMValueRef fn, const char *suffix);
/* The copy of a function in a module, and the function that a copy is of; NULL: not there. */
LLVMValueRef burl__instr_copy_of(LLVMModuleRef mod, LLVMValueRef fn, const char *suffix);
LLVMValueRef burl__instr_copied(LLVMModuleRef mod, LLVMValueRef copy, const char *suffix);
/* Can the function be called by something that does not call its copy directly? */
bool burl__instr_copy_is_entered(LLVMModuleRef copies, const char *suffix, LLVMValueRef fn);

/* alone.c: the copies without hooks, taken from the module as it was read. `strip`: without debug
 * information. */
void burl__instr_alone_take(struct burl__instr *in, bool strip);
BURL_MUST_CHECK enum burl_status burl__instr_alone_link(struct burl__instr *in,
                                                        struct burl_err *err);
/* Lets functions choose their copy, when everything else is done to them. */
void burl__instr_alone_finish(struct burl__instr *in);
/* Code of the module's constructor that makes the choice. */
void burl__instr_alone_set(struct burl__instr *in);

/* free.c: copies for free mode, from the numbered module before it has hooks. */
BURL_MUST_CHECK enum burl_status burl__instr_free_make(struct burl__instr *in, bool strip,
                                                       struct burl_err *err);
/* When the module has its site array. */
BURL_MUST_CHECK enum burl_status burl__instr_free_link(struct burl__instr *in,
                                                       struct burl_err *err);
/* scopes.c: the frames of small functions that were inlined into the copies. */
void burl__instr_scopes(struct burl__instr *in);

/* emit.c */
void burl__instr_emit_array(struct burl__instr *in); /* before any hook */
void burl__instr_emit_module(struct burl__instr *in);
/* Puts the records into the object: `rec` written out in the module's assembly; NULL: from files
 * that must exist when the object is made. */
void burl__instr_emit_records(struct burl__instr *in, const struct burl__records *rec,
                              const char *sites_path, const char *bc_path,
                              const char *names_path);

/* late.c */
void burl__instr_late_encode(struct burl__instr *in);
/* Finds the numbers again, inserts the hooks, puts the real locations back. */
void burl__instr_late_finish(struct burl__instr *in);
/* The same for the copies of free.c: no new numbers, no marks on sites, functions have their
 * hooks. */
void burl__instr_late_finish_copies(struct burl__instr *in);

#endif
