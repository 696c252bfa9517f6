/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ir/ir.c - see ir.h. Runs in the compiler and in burl-analyze.
 */
#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

const char *
burl_ir_name(LLVMValueRef v)
{
    size_t n;

    return LLVMGetValueName2(v, &n);
}

bool
burl_ir_begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* From this block on, the first instruction there is. */
static LLVMValueRef
first_from(LLVMBasicBlockRef b)
{
    LLVMValueRef i = NULL;

    for (; b && !i; b = LLVMGetNextBasicBlock(b))
        i = LLVMGetFirstInstruction(b);
    return i;
}

LLVMValueRef
burl_ir_first(LLVMValueRef fn)
{
    return first_from(LLVMGetFirstBasicBlock(fn));
}

LLVMValueRef
burl_ir_next(LLVMValueRef inst)
{
    LLVMValueRef next = LLVMGetNextInstruction(inst);

    return next ? next : first_from(LLVMGetNextBasicBlock(LLVMGetInstructionParent(inst)));
}

LLVMValueRef
burl_ir_function(LLVMValueRef v)
{
    return LLVMIsAArgument(v) ? LLVMGetParamParent(v)
                              : LLVMGetBasicBlockParent(LLVMGetInstructionParent(v));
}

unsigned
burl_ir_param_index(LLVMValueRef param)
{
    LLVMValueRef fn = LLVMGetParamParent(param);
    unsigned i = 0;

    while (LLVMGetParam(fn, i) != param)
        i++;
    return i;
}

unsigned
burl_ir_n_predecessors(LLVMBasicBlockRef b)
{
    unsigned n = 0;

    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u))
        n += LLVMIsATerminatorInst(LLVMGetUser(u)) != NULL;
    return n;
}

bool
burl_ir_is_call(LLVMValueRef v)
{
    return LLVMIsACallInst(v) || LLVMIsAInvokeInst(v);
}

LLVMValueRef
burl_ir_callee(LLVMValueRef call)
{
    LLVMValueRef fn = LLVMGetCalledValue(call);

    return fn && LLVMIsAFunction(fn) ? fn : NULL;
}

bool
burl_ir_calls(LLVMValueRef v, const char *name)
{
    LLVMValueRef fn = burl_ir_is_call(v) ? burl_ir_callee(v) : NULL;

    return fn && strcmp(burl_ir_name(fn), name) == 0;
}

bool
burl_ir_calls_function(LLVMValueRef v)
{
    LLVMValueRef fn = burl_ir_is_call(v) ? burl_ir_callee(v) : NULL;

    return burl_ir_is_call(v) && (!fn || !LLVMGetIntrinsicID(fn));
}

bool
burl_ir_is_pointer(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

bool
burl_ir_is_segment(LLVMValueRef v)
{
    return burl_ir_is_pointer(v) && LLVMGetPointerAddressSpace(LLVMTypeOf(v)) != 0;
}

bool
burl_ir_is_gep(LLVMValueRef v)
{
    return LLVMIsAGetElementPtrInst(v) ||
           (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

bool
burl_ir_is_int(LLVMValueRef v, int64_t x)
{
    return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) == x;
}

uint64_t
burl_ir_int_or_0(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) ? LLVMConstIntGetZExtValue(v) : 0;
}

bool
burl_ir_text(LLVMValueRef v, const char **text, size_t *n)
{
    LLVMValueRef init = LLVMIsAGlobalVariable(v) ? LLVMGetInitializer(v) : NULL;

    if (!init || !LLVMIsAConstantDataSequential(init) || !LLVMIsConstantString(init))
        return false;
    *text = LLVMGetAsString(init, n);
    return true;
}

LLVMAttributeRef
burl_ir_attr(LLVMValueRef fn, LLVMAttributeIndex index, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(fn, index,
                                       LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

LLVMAttributeRef
burl_ir_call_attr(LLVMValueRef call, LLVMAttributeIndex index, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, index, kind);
    LLVMValueRef fn = burl_ir_callee(call);

    return a || !fn ? a : LLVMGetEnumAttributeAtIndex(fn, index, kind);
}

bool
burl_ir_enter(LLVMTargetDataRef td, LLVMTypeRef *t, uint64_t *off)
{
    LLVMTypeKind kind = LLVMGetTypeKind(*t);

    if (!LLVMTypeIsSized(*t) || *off >= LLVMABISizeOfType(td, *t))
        return false;
    if (kind == LLVMStructTypeKind && LLVMCountStructElementTypes(*t)) {
        unsigned i = LLVMElementAtOffset(td, *t, *off);
        *off -= LLVMOffsetOfElement(td, *t, i);
        *t = LLVMStructGetTypeAtIndex(*t, i);
        return true;
    }
    if (kind == LLVMArrayTypeKind) {
        *t = LLVMGetElementType(*t);
        *off %= LLVMABISizeOfType(td, *t);
        return true;
    }
    return false;
}

uint64_t
burl_ir_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static void
add_index(struct burl_ir_steps *steps, uint64_t stride, uint64_t count, int64_t at)
{
    if (steps->n < BURL_IR_MAX_INDEX) {
        steps->v[steps->n++] = (struct burl_ir_index){ stride, count, at };
        return;
    }
    /* More indices than real code has: the last one represents the rest. */
    struct burl_ir_index *x = &steps->v[BURL_IR_MAX_INDEX - 1];
    x->stride = burl_ir_gcd(x->stride, stride);
    x->count = 0;
}

bool
burl_ir_gep(LLVMTargetDataRef td, LLVMValueRef gep, int64_t *d, struct burl_ir_steps *steps)
{
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    int n = LLVMGetNumOperands(gep);

    memset(steps, 0, sizeof *steps);
    steps->type = LLVMGetTypeKind(t) == LLVMStructTypeKind ? t : NULL;
    *d = 0;
    for (int i = 1; i < n; i++) {
        LLVMValueRef ix = LLVMGetOperand(gep, (unsigned)i);
        int64_t k = LLVMIsAConstantInt(ix) ? LLVMConstIntGetSExtValue(ix) : 0;
        uint64_t count = 0;
        if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            *d += (int64_t)LLVMOffsetOfElement(td, t, (unsigned)k);
            t = LLVMStructGetTypeAtIndex(t, (unsigned)k);
            continue;
        }
        if (i > 1) {
            count = LLVMGetTypeKind(t) == LLVMArrayTypeKind ? LLVMGetArrayLength2(t)
                                                            : LLVMGetVectorSize(t);
            t = LLVMGetElementType(t);
        }
        if (LLVMIsAConstantInt(ix) || LLVMIsNull(ix))
            *d += k * (int64_t)LLVMABISizeOfType(td, t);
        else
            add_index(steps, LLVMABISizeOfType(td, t), count, *d);
    }
    return steps->n != 0;
}

uint32_t
burl_ir_site(LLVMValueRef inst, unsigned kind)
{
    LLVMValueRef md = LLVMHasMetadata(inst) ? LLVMGetMetadata(inst, kind) : NULL;
    LLVMValueRef op = NULL;

    if (!md || LLVMGetMDNodeNumOperands(md) != 1)
        return UINT32_MAX;
    LLVMGetMDNodeOperands(md, &op);
    return op && LLVMIsAConstantInt(op) ? (uint32_t)LLVMConstIntGetZExtValue(op) : UINT32_MAX;
}

uint32_t
burl_ir_func_site(LLVMValueRef fn)
{
    unsigned n;
    LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(fn, BURL_IR_FN_ATTRS, BURL_IR_ATTR_FUNC,
                                                       (unsigned)strlen(BURL_IR_ATTR_FUNC));

    return a ? (uint32_t)strtoul(LLVMGetStringAttributeValue(a, &n), NULL, 10) : UINT32_MAX;
}

void
burl_ir_keep_diagnostic(LLVMDiagnosticInfoRef info, void *buf)
{
    struct burl_buf *out = buf;
    char *text = LLVMGetDiagInfoDescription(info);

    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError && !out->n)
        burl_buf_str_append(out, text);
    LLVMDisposeMessage(text);
}
