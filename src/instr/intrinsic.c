/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/intrinsic.c - LLVM's intrinsics: which memory each one reads and writes.
 *
 * Runs in the compiler. Every intrinsic falls into one of four groups:
 *   - hooked: a row with accesses below, or a row of lanes.c (vectors with a mask);
 *   - quiet: a row without accesses. It touches no memory, or memory of its own thread only;
 *   - memory(none) by its attributes, or without a pointer to memory that other threads may have;
 *   - everything else is unseen: a search of all interleavings claims nothing once it is executed.
 * The last group is the default, so an intrinsic that is new to this file costs a proof and never
 * makes a wrong one.
 *
 * Coroutines: this runs before the coroutine passes, so locals that live across a suspension are
 * still stack variables here; private.c treats them as shared. Values in registers are saved into
 * the frame by resume and suspend, and by the rules of the language it is the resumptions of one
 * coroutine that must not run at the same time. So a resumption is a write of the frame's head.
 */
#include <string.h>

#include "instr/instr_int.h"

enum size {
    SIZE_END = 0, /* no access: end of the list */
    SIZE_N,       /* n bytes */
    SIZE_LENGTH,  /* the value of argument n */
    SIZE_RESULT,  /* that of the result's type */
    SIZE_TYPE     /* that of the type of argument n */
};

struct access {
    uint8_t size; /* enum size */
    uint8_t arg;  /* the pointer */
    uint8_t n;
    bool write;
};

struct row {
    const char *begins;
    struct access v[2];
};

#define R(size, arg, n) { size, arg, n, false }
#define W(size, arg, n) { size, arg, n, true }

#define VA_LIST_B 24   /* x86-64 */
#define FRAME_HEAD_B 8 /* the pointer to the code that resumes it */

/* Beginnings of names; the first row that fits counts. */
static const struct row rows[] = {
    { "llvm.memcpy.element.unordered", { { 0 } } }, /* unseen, see below */
    { "llvm.memmove.element.unordered", { { 0 } } },
    { "llvm.memset.element.unordered", { { 0 } } },
    { "llvm.memcpy.", { R(SIZE_LENGTH, 1, 2), W(SIZE_LENGTH, 0, 2) } },
    { "llvm.memmove.", { R(SIZE_LENGTH, 1, 2), W(SIZE_LENGTH, 0, 2) } },
    { "llvm.memset.", { W(SIZE_LENGTH, 0, 2) } },
    { "llvm.va_start", { W(SIZE_N, 0, VA_LIST_B) } },
    { "llvm.va_copy", { R(SIZE_N, 1, VA_LIST_B), W(SIZE_N, 0, VA_LIST_B) } },
    { "llvm.coro.resume", { W(SIZE_N, 0, FRAME_HEAD_B) } },
    { "llvm.coro.destroy", { W(SIZE_N, 0, FRAME_HEAD_B) } },
    { "llvm.coro.done", { R(SIZE_N, 0, FRAME_HEAD_B) } },
    { "llvm.x86.sse.ldmxcsr", { R(SIZE_N, 0, 4) } },
    { "llvm.x86.sse.stmxcsr", { W(SIZE_N, 0, 4) } },
    { "llvm.x86.sse3.ldu.dq", { R(SIZE_RESULT, 0, 0) } },
    { "llvm.x86.avx.ldu.dq", { R(SIZE_RESULT, 0, 0) } },
    { "llvm.x86.sse41.movntdqa", { R(SIZE_RESULT, 0, 0) } },
    { "llvm.x86.mmx.movnt.dq", { W(SIZE_N, 0, 8) } },
    { "llvm.x86.directstore", { W(SIZE_TYPE, 0, 1) } },
    { "llvm.x86.movdir64b", { R(SIZE_N, 1, 64), W(SIZE_N, 0, 64) } },
    /* quiet */
    { "llvm.va_end", { { 0 } } },
    { "llvm.dbg.", { { 0 } } },
    { "llvm.lifetime.", { { 0 } } },
    { "llvm.invariant.", { { 0 } } },
    { "llvm.assume", { { 0 } } },
    { "llvm.prefetch", { { 0 } } },
    { "llvm.stacksave", { { 0 } } },
    { "llvm.stackrestore", { { 0 } } },
    { "llvm.eh.typeid.for", { { 0 } } },
    { "llvm.eh.exceptioncode", { { 0 } } },
    { "llvm.eh.exceptionpointer", { { 0 } } },
    { "llvm.annotation.", { { 0 } } },
    { "llvm.var.annotation", { { 0 } } },
    { "llvm.ptr.annotation", { { 0 } } },
    { "llvm.experimental.noalias", { { 0 } } },
    { "llvm.launder.", { { 0 } } },
    { "llvm.strip.", { { 0 } } },
    { "llvm.objectsize.", { { 0 } } },
    { "llvm.coro.align", { { 0 } } },
    { "llvm.coro.alloc", { { 0 } } },
    { "llvm.coro.await.suspend.bool", { { 0 } } }, /* calls a function of this module */
    { "llvm.coro.await.suspend.void", { { 0 } } },
    { "llvm.coro.begin", { { 0 } } },
    { "llvm.coro.end", { { 0 } } },
    { "llvm.coro.frame", { { 0 } } },
    { "llvm.coro.free", { { 0 } } },
    { "llvm.coro.id", { { 0 } } },
    { "llvm.coro.noop", { { 0 } } },
    { "llvm.coro.promise", { { 0 } } },
    { "llvm.coro.save", { { 0 } } },
    { "llvm.coro.size", { { 0 } } },
    { "llvm.coro.subfn.addr", { { 0 } } },
    { "llvm.coro.suspend", { { 0 } } },
    { "llvm.pseudoprobe", { { 0 } } },
    { "llvm.instrprof.", { { 0 } } },
    { "llvm.localescape", { { 0 } } },
    { "llvm.x86.sse2.clflush", { { 0 } } },
    { "llvm.x86.clflushopt", { { 0 } } },
    { "llvm.x86.clwb", { { 0 } } },
    { "llvm.x86.cldemote", { { 0 } } },
    { "llvm.x86.sse3.monitor", { { 0 } } },
    { "llvm.x86.monitorx", { { 0 } } },
    { "llvm.x86.umonitor", { { 0 } } },
    { "llvm.type.test", { { 0 } } },
    { "llvm.public.type.test", { { 0 } } },
    { "llvm.ptrmask.", { { 0 } } },
    { "llvm.threadlocal.", { { 0 } } },
    { "llvm.is.constant.", { { 0 } } },
    { "llvm.fake.use", { { 0 } } },
    { "llvm.codeview.", { { 0 } } },
};

/* NULL: on no list. */
static const struct row *
row_of(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strncmp(name, rows[i].begins, strlen(rows[i].begins)) == 0)
            return strstr(name, "element.unordered") ? NULL : &rows[i];
    }
    return NULL;
}

static bool
is_pointer(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMPointerTypeKind;
}

/* The size, as `bytes` or `len`. False: the call does not match the row. */
static bool
set_size(struct burl__instr *in, LLVMValueRef call, const struct access *a, struct burl__op *op)
{
    LLVMValueRef v;

    switch ((enum size)a->size) {
    case SIZE_N:
        op->bytes = a->n;
        return true;
    case SIZE_RESULT:
        op->bytes = LLVMStoreSizeOfType(in->td, LLVMTypeOf(call));
        return true;
    case SIZE_TYPE:
        op->bytes = LLVMStoreSizeOfType(in->td, LLVMTypeOf(LLVMGetOperand(call, a->n)));
        return true;
    case SIZE_LENGTH:
        v = LLVMGetOperand(call, a->n);
        if (LLVMIsAConstantInt(v))
            op->bytes = LLVMConstIntGetZExtValue(v);
        else
            op->len = v;
        return true;
    default:
        return false;
    }
}

/* The memory intrinsics have a flag after the length. */
static bool
is_volatile(LLVMValueRef call, const struct access *a)
{
    LLVMValueRef v;

    if (a->size != SIZE_LENGTH || LLVMGetNumArgOperands(call) <= a->n + 1u)
        return false;
    v = LLVMGetOperand(call, a->n + 1u);
    return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) != 0;
}

static int
row_ops(struct burl__instr *in, LLVMValueRef call, const struct row *r, struct burl__op *ops)
{
    int n = 0;

    for (int i = 0; i < 2 && r->v[i].size != SIZE_END; i++) {
        const struct access *a = &r->v[i];
        struct burl__op op = { .ptr = LLVMGetOperand(call, a->arg),
                               .kind = a->write ? BURL_SITE_RANGE_WRITE : BURL_SITE_RANGE_READ,
                               .order = BURL_MO_NONE,
                               .how = BURL__HOW_RANGE };

        if (is_volatile(call, a))
            op.flags |= BURL_SITE_F_VOLATILE;
        if (!burl__instr_is_visible(in, op.ptr) || !set_size(in, call, a, &op))
            continue;
        if (op.len || op.bytes)
            ops[n++] = op;
    }
    return n;
}

/* A pointer that a row has an access for, in an address space where hooks cannot watch. */
static bool
has_segment(LLVMValueRef call, const struct row *r)
{
    for (int i = 0; i < 2 && r->v[i].size != SIZE_END; i++) {
        LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(call, r->v[i].arg));
        if (is_pointer(t) && LLVMGetPointerAddressSpace(t) != 0)
            return true;
    }
    return false;
}

/* memory(none), or only memory that no program can name: the two bits after those of arguments. */
static bool
touches_no_memory(LLVMValueRef call)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, BURL__FN_ATTRS, kind);

    if (!a)
        a = LLVMGetEnumAttributeAtIndex(burl__instr_callee(call), BURL__FN_ATTRS, kind);
    return a && (LLVMGetEnumAttributeValue(a) & ~0xcull) == 0;
}

int
burl__instr_intrinsic_ops(struct burl__instr *in, LLVMValueRef call, const char *name,
                          struct burl__op ops[BURL__MAX_OPS])
{
    const struct row *r = row_of(name);
    int n;

    if (r && has_segment(call, r)) {
        ops[0] = burl__instr_unseen_op(LLVMGetCalledValue(call));
        return 1;
    }
    if (r)
        return row_ops(in, call, r, ops);
    n = burl__instr_lane_ops(in, call, name, ops);
    if (n >= 0)
        return n;
    if (touches_no_memory(call) || !burl__instr_shows_memory(in, call, 0))
        return 0;
    ops[0] = burl__instr_unseen_op(LLVMGetCalledValue(call));
    return 1;
}
