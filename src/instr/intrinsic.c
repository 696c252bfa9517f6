/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/intrinsic.c - LLVM's intrinsics: which memory each one reads and writes.
 *
 * Runs in the compiler. Every intrinsic falls into one of five groups:
 *   - outside: its result differs from run to run (rdtsc); touches no memory of the program;
 *   - hooked: a row below, or a row of lanes.c (vectors with a mask);
 *   - quiet: on the list of these. It touches no memory, or memory of its own thread only;
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

/* Beginnings of names. */
static const struct row rows[] = {
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
};

/* Beginnings of names. The coroutine's await calls a function of this module. */
static const char *const quiet[] = {
    "llvm.va_end",
    "llvm.dbg.",
    "llvm.lifetime.",
    "llvm.invariant.",
    "llvm.assume",
    "llvm.prefetch",
    "llvm.stacksave",
    "llvm.stackrestore",
    "llvm.eh.typeid.for",
    "llvm.eh.exceptioncode",
    "llvm.eh.exceptionpointer",
    "llvm.annotation.",
    "llvm.var.annotation",
    "llvm.ptr.annotation",
    "llvm.experimental.noalias",
    "llvm.launder.",
    "llvm.strip.",
    "llvm.objectsize.",
    "llvm.coro.align",
    "llvm.coro.alloc",
    "llvm.coro.await.suspend.bool",
    "llvm.coro.await.suspend.void",
    "llvm.coro.begin",
    "llvm.coro.end",
    "llvm.coro.frame",
    "llvm.coro.free",
    "llvm.coro.id",
    "llvm.coro.noop",
    "llvm.coro.promise",
    "llvm.coro.save",
    "llvm.coro.size",
    "llvm.coro.subfn.addr",
    "llvm.coro.suspend",
    "llvm.pseudoprobe",
    "llvm.instrprof.",
    "llvm.localescape",
    "llvm.x86.sse2.clflush",
    "llvm.x86.clflushopt",
    "llvm.x86.clwb",
    "llvm.x86.cldemote",
    "llvm.x86.sse3.monitor",
    "llvm.x86.monitorx",
    "llvm.x86.umonitor",
    "llvm.type.test",
    "llvm.public.type.test",
    "llvm.ptrmask.",
    "llvm.threadlocal.",
    "llvm.is.constant.",
    "llvm.fake.use",
    "llvm.codeview.",
};

/* Beginnings of names: the result differs from run to run. */
static const char *const outside[] = {
    "llvm.readcyclecounter", "llvm.readsteadycounter", "llvm.x86.rdtsc",  "llvm.x86.rdpmc",
    "llvm.x86.rdpid",        "llvm.x86.rdrand",        "llvm.x86.rdseed",
};

static const struct row *
row_of(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (burl_ir_begins(name, rows[i].begins) && !strstr(name, "element.unordered"))
            return &rows[i];
    return NULL;
}

static bool
is_on(const char *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (burl_ir_begins(name, list[i]))
            return true;
    return false;
}

static bool
is_quiet(const char *name)
{
    return is_on(quiet, sizeof quiet / sizeof *quiet, name);
}

static bool
is_outside(const char *name)
{
    return is_on(outside, sizeof outside / sizeof *outside, name);
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
    if (a->size != SIZE_LENGTH || LLVMGetNumArgOperands(call) <= a->n + 1u)
        return false;
    return burl_ir_int_or_0(LLVMGetOperand(call, a->n + 1u)) != 0;
}

static int
row_ops(struct burl__instr *in, LLVMValueRef call, const struct row *r, struct burl__op *ops)
{
    int n = 0;

    for (int i = 0; i < 2 && r->v[i].size != SIZE_END; i++) {
        const struct access *a = &r->v[i];
        struct burl__op op = burl__instr_range_op(LLVMGetOperand(call, a->arg), 0, a->write);

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
    for (int i = 0; i < 2 && r->v[i].size != SIZE_END; i++)
        if (burl_ir_is_segment(LLVMGetOperand(call, r->v[i].arg)))
            return true;
    return false;
}

/* memory(none), or only memory that no program can name: the two bits after those of arguments. */
static bool
touches_no_memory(LLVMValueRef call)
{
    LLVMAttributeRef a = burl_ir_call_attr(call, BURL_IR_FN_ATTRS, "memory");

    return a && (LLVMGetEnumAttributeValue(a) & ~0xcull) == 0;
}

int
burl__instr_intrinsic_ops(struct burl__instr *in, LLVMValueRef call, const char *name,
                          struct burl__op ops[BURL__MAX_OPS])
{
    const struct row *r = row_of(name);
    int n = r ? -1 : burl__instr_lane_ops(in, call, name, ops);

    if (is_outside(name)) {
        ops[0] = burl__instr_call_op(LLVMGetCalledValue(call), BURL_HIDDEN_OUTSIDE);
        return 1;
    }
    if (r && !has_segment(call, r))
        return row_ops(in, call, r, ops);
    if (n >= 0)
        return n;
    if (!r && (is_quiet(name) || touches_no_memory(call) || !burl__instr_shows_memory(in, call, 0)))
        return 0;
    ops[0] = burl__instr_call_op(LLVMGetCalledValue(call), BURL_HIDDEN_UNSEEN);
    return 1;
}
