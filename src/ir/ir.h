/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ir/ir.h - what the instrumenter and the static analysis both need of LLVM's C API.
 */
#ifndef BURL_IR_IR_H
#define BURL_IR_IR_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The metadata kinds and the function attribute that carry site numbers in .burl.bc. */
#define BURL_IR_MD_SITE "burl"
#define BURL_IR_MD_BLOCK "burl.block"
#define BURL_IR_MD_PLACE "burl.place" /* on calls of the user's code: the site that is shown */
#define BURL_IR_ATTR_FUNC "burl-func"

/* LLVM's constant for a function's own attributes is a negative int. */
#define BURL_IR_FN_ATTRS ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

const char *burl_ir_name(LLVMValueRef v);
bool burl_ir_begins(const char *name, const char *with);

/* All instructions of a function, block by block; NULL after the last one. */
LLVMValueRef burl_ir_first(LLVMValueRef fn);
LLVMValueRef burl_ir_next(LLVMValueRef inst);
/* The function that an instruction or a parameter belongs to. */
LLVMValueRef burl_ir_function(LLVMValueRef v);
/* Its number among the parameters of its function. */
unsigned burl_ir_param_index(LLVMValueRef param);
/* Terminators that jump to the block. */
unsigned burl_ir_n_predecessors(LLVMBasicBlockRef b);

/* A call or an invoke. */
bool burl_ir_is_call(LLVMValueRef v);
/* One of the function of this name. */
bool burl_ir_calls(LLVMValueRef v, const char *name);
/* One that is not of an intrinsic. */
bool burl_ir_calls_function(LLVMValueRef v);
/* The function called directly, or NULL. */
LLVMValueRef burl_ir_callee(LLVMValueRef call);
bool burl_ir_is_pointer(LLVMValueRef v);
/* Outside of address space 0, where hooks cannot watch: a segment register, for example. */
bool burl_ir_is_segment(LLVMValueRef v);
/* An instruction or a constant expression. */
bool burl_ir_is_gep(LLVMValueRef v);
bool burl_ir_is_int(LLVMValueRef v, int64_t x);
/* The value of a constant, 0 for anything else. */
uint64_t burl_ir_int_or_0(LLVMValueRef v);
/* The bytes of a string constant that `v` is the address of. */
bool burl_ir_text(LLVMValueRef v, const char **text, size_t *n);

LLVMAttributeRef burl_ir_attr(LLVMValueRef fn, LLVMAttributeIndex index, const char *name);
/* At the call itself, or at the function that it names. */
LLVMAttributeRef burl_ir_call_attr(LLVMValueRef call, LLVMAttributeIndex index, const char *name);

/* One step down in a type: to the member or element that holds byte *off, which becomes the offset
 * in it. False, with nothing changed: a scalar, an empty struct, or after the end. */
bool burl_ir_enter(LLVMTargetDataRef td, LLVMTypeRef *t, uint64_t *off);

/* A computed address: the indices of a GEP that are not constant. */
struct burl_ir_index {
    uint64_t stride;
    uint64_t count; /* of the array type indexed; 0: pointer arithmetic, no bound known */
    int64_t at;     /* constant offset before it */
};

enum { BURL_IR_MAX_INDEX = 4 };

struct burl_ir_steps {
    LLVMTypeRef type; /* the struct it starts from, NULL none */
    uint32_t n;
    struct burl_ir_index v[BURL_IR_MAX_INDEX];
};

/* Constant offset and steps of a GEP; false when it has no step that is not constant. */
bool burl_ir_gep(LLVMTargetDataRef td, LLVMValueRef gep, int64_t *d, struct burl_ir_steps *steps);
/* Greatest common divisor. Two strides that are stepped over together meet every so many bytes; 0
 * is no stride. */
uint64_t burl_ir_gcd(uint64_t a, uint64_t b);

/* The number of an instruction's first site (`kind` is BURL_IR_MD_SITE's), and that of a function;
 * UINT32_MAX none. */
uint32_t burl_ir_site(LLVMValueRef inst, unsigned kind);
uint32_t burl_ir_func_site(LLVMValueRef fn);

/* A diagnostic handler; LLVM's own one prints and ends the process. `buf`, a struct burl_buf, gets
 * the first error. */
void burl_ir_keep_diagnostic(LLVMDiagnosticInfoRef info, void *buf);

#endif
