/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/lanes.c - vector accesses that touch some of their elements only.
 *
 * Runs in the compiler. Masked loads and stores, gathers and scatters, expanding loads and
 * compressing stores, and matrices with a stride: LLVM's own intrinsics and those of x86. One site
 * per instruction; one range hook per lane, of no bytes where the mask leaves the lane out. A lane
 * that is left out must not be reported: the memory there may be another thread's, or none at all.
 *
 * x86's own masks are vectors whose sign bits count; LLVM's have elements of one bit.
 */
#include "instr/instr_int.h"

enum form {
    FORM_ROW,     /* consecutive elements from a pointer */
    FORM_EXPAND,  /* the same, without gaps for lanes that are left out */
    FORM_VECTOR,  /* a vector of pointers */
    FORM_INDEXED, /* pointer + index of the lane (argument 2) * scale (argument 4) */
    FORM_MATRIX   /* columns: pointer, stride, volatile, rows, columns */
};

#define RESULT 0xff /* in place of an argument: the type of the result */
#define NO_ARG 0xfe

/* Arguments of FORM_INDEXED. */
enum { INDEX = 2, SCALE = 4 };

struct row {
    const char *begins;
    uint8_t form;
    bool write;
    uint8_t ptr;
    uint8_t mask;
    uint8_t data;
};

/* Beginnings of names; the first row that fits counts. */
static const struct row rows[] = {
    { "llvm.masked.load.", FORM_ROW, false, 0, 2, RESULT },
    { "llvm.masked.store.", FORM_ROW, true, 1, 3, 0 },
    { "llvm.masked.expandload.", FORM_EXPAND, false, 0, 1, RESULT },
    { "llvm.masked.compressstore.", FORM_EXPAND, true, 1, 2, 0 },
    { "llvm.masked.gather.", FORM_VECTOR, false, 0, 2, RESULT },
    { "llvm.masked.scatter.", FORM_VECTOR, true, 1, 3, 0 },
    { "llvm.matrix.column.major.load.", FORM_MATRIX, false, 0, NO_ARG, RESULT },
    { "llvm.matrix.column.major.store.", FORM_MATRIX, true, 1, NO_ARG, 0 },
    { "llvm.x86.avx.maskload.", FORM_ROW, false, 0, 1, RESULT },
    { "llvm.x86.avx2.maskload.", FORM_ROW, false, 0, 1, RESULT },
    { "llvm.x86.avx.maskstore.", FORM_ROW, true, 0, 1, 2 },
    { "llvm.x86.avx2.maskstore.", FORM_ROW, true, 0, 1, 2 },
    { "llvm.x86.sse2.maskmov.dqu", FORM_ROW, true, 2, 1, 0 },
    { "llvm.x86.avx2.gather.", FORM_INDEXED, false, 1, 3, RESULT },
    { "llvm.x86.avx512.mask.gather", FORM_INDEXED, false, 1, 3, RESULT },
    { "llvm.x86.avx512.mask.scatter", FORM_INDEXED, true, 0, 1, 3 },
};

static const struct row *
row_of(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (burl_ir_begins(name, rows[i].begins))
            return &rows[i];
    }
    return NULL;
}

static bool
is_vector(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind;
}

static LLVMTypeRef
data_type(LLVMValueRef call, const struct row *r)
{
    return LLVMTypeOf(r->data == RESULT ? call : LLVMGetOperand(call, r->data));
}

static bool
is_vector_arg(LLVMValueRef call, uint8_t arg)
{
    return arg == NO_ARG || is_vector(LLVMTypeOf(LLVMGetOperand(call, arg)));
}

/* Vectors of a fixed length where the row expects them. */
static bool
has_shape(LLVMValueRef call, const struct row *r)
{
    LLVMTypeRef p = LLVMTypeOf(LLVMGetOperand(call, r->ptr));

    if (!is_vector(data_type(call, r)) || !is_vector_arg(call, r->mask) ||
        (r->form == FORM_INDEXED && !is_vector_arg(call, INDEX)))
        return false;
    if (r->form == FORM_VECTOR) {
        if (!is_vector(p))
            return false;
        p = LLVMGetElementType(p);
    }
    return LLVMGetTypeKind(p) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(p) == 0;
}

/* What names the memory: for a vector of pointers the one they are computed from, else none. */
static LLVMValueRef
base_of(LLVMValueRef ptr)
{
    if (!is_vector(LLVMTypeOf(ptr)))
        return ptr;
    if (!LLVMIsAGetElementPtrInst(ptr) || is_vector(LLVMTypeOf(LLVMGetOperand(ptr, 0))))
        return NULL;
    return LLVMGetOperand(ptr, 0);
}

int
burl__instr_lane_ops(struct burl__instr *in, LLVMValueRef call, const char *name,
                     struct burl__op *op)
{
    const struct row *r = row_of(name);
    LLVMValueRef base;

    if (!r || !has_shape(call, r))
        return -1;
    base = base_of(LLVMGetOperand(call, r->ptr));
    if (base && !burl__instr_is_visible(in, base))
        return 0;
    *op = burl__instr_range_op(base, 0, r->write);
    op->how = BURL__HOW_LANES;
    return 1;
}

static LLVMValueRef
lane_of(struct burl__instr *in, LLVMValueRef vector, unsigned lane)
{
    return LLVMBuildExtractElement(in->builder, vector, burl__instr_u64(in, lane), "");
}

/* Whether the mask takes this lane, as a bit. */
static LLVMValueRef
is_taken(struct burl__instr *in, LLVMValueRef mask, unsigned lane)
{
    LLVMValueRef v = lane_of(in, mask, lane);
    LLVMTypeRef t = LLVMTypeOf(v);

    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind) {
        t = LLVMIntTypeInContext(in->ctx, (unsigned)LLVMSizeOfTypeInBits(in->td, t));
        v = LLVMBuildBitCast(in->builder, v, t, "");
    }
    if (LLVMGetIntTypeWidth(t) == 1)
        return v;
    return LLVMBuildICmp(in->builder, LLVMIntSLT, v, LLVMConstNull(t), "");
}

static LLVMValueRef
lane_address(struct burl__instr *in, LLVMValueRef call, const struct row *r, unsigned lane,
             uint64_t bytes)
{
    LLVMValueRef p = LLVMGetOperand(call, r->ptr);
    LLVMValueRef by, scale;

    switch ((enum form)r->form) {
    case FORM_VECTOR:
        return lane_of(in, p, lane);
    case FORM_INDEXED:
        by = LLVMBuildIntCast2(in->builder, lane_of(in, LLVMGetOperand(call, INDEX), lane), in->i64,
                               1, "");
        scale = LLVMBuildIntCast2(in->builder, LLVMGetOperand(call, SCALE), in->i64, 0, "");
        return burl__instr_offset(in, p, LLVMBuildMul(in->builder, by, scale, ""));
    default:
        return burl__instr_offset(in, p, burl__instr_u64(in, lane * bytes));
    }
}

static void
hook_matrix(struct burl__instr *in, LLVMValueRef call, const struct row *r, uint64_t bytes,
            LLVMValueRef site)
{
    LLVMValueRef p = LLVMGetOperand(call, r->ptr);
    LLVMValueRef stride = LLVMGetOperand(call, r->ptr + 1u);
    LLVMValueRef rows_v = LLVMGetOperand(call, r->ptr + 3u);
    uint64_t n = LLVMConstIntGetZExtValue(LLVMGetOperand(call, r->ptr + 4u));
    uint64_t column_b = LLVMConstIntGetZExtValue(rows_v) * bytes;
    LLVMValueRef step;

    stride = LLVMBuildIntCast2(in->builder, stride, in->i64, 0, "");
    for (uint64_t i = 0; i < n; i++) {
        step = LLVMBuildMul(in->builder, stride, burl__instr_u64(in, i * bytes), "");
        burl__instr_hook_range(in, r->write, burl__instr_offset(in, p, step),
                               burl__instr_u64(in, column_b), site);
    }
}

void
burl__instr_hook_lanes(struct burl__instr *in, LLVMValueRef call, LLVMValueRef site)
{
    const struct row *r = row_of(burl_ir_name(burl_ir_callee(call)));
    LLVMTypeRef data = data_type(call, r);
    uint64_t bytes = LLVMStoreSizeOfType(in->td, LLVMGetElementType(data));
    unsigned n = LLVMGetVectorSize(data);
    LLVMValueRef mask = r->mask == NO_ARG ? NULL : LLVMGetOperand(call, r->mask);
    LLVMValueRef total = burl__instr_u64(in, 0);

    if (r->form == FORM_MATRIX) {
        hook_matrix(in, call, r, bytes, site);
        return;
    }
    /* A gather by long indices fills half of its result. */
    if (r->form == FORM_INDEXED && n > LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(call, INDEX))))
        n = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(call, INDEX)));
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef size = LLVMBuildSelect(in->builder, is_taken(in, mask, i),
                                            burl__instr_u64(in, bytes), burl__instr_u64(in, 0), "");
        if (r->form == FORM_EXPAND)
            total = LLVMBuildAdd(in->builder, total, size, "");
        else
            burl__instr_hook_range(in, r->write, lane_address(in, call, r, i, bytes), size, site);
    }
    if (r->form == FORM_EXPAND)
        burl__instr_hook_range(in, r->write, LLVMGetOperand(call, r->ptr), total, site);
}
