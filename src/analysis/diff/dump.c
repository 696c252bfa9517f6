/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/diff/dump.c - a comparison as text. Runs in burl-analyze, for --diff.
 *
 *     same N                              functions that are equal
 *     function changed|added|removed|moved NAME
 *       + WHERE OPERATION                 added instruction, of the new version
 *       - WHERE OPERATION                 removed one, of the base version
 *       ~ WHERE OPERATION  was WHERE      modified one
 *       block NEW = OLD                   numbers of blocks in their functions; = -: none, then
 *                                         "above OLD", the block that stands for it
 *     global changed|added|removed NAME
 */
#include <llvm-c/DebugInfo.h>

#include "analysis/diff/diff_int.h"
#include "ir/ditype.h"

static uint32_t
number_of(LLVMBasicBlockRef b)
{
    uint32_t n = 0;

    for (LLVMBasicBlockRef i = LLVMGetPreviousBasicBlock(b); i; i = LLVMGetPreviousBasicBlock(i))
        n++;
    return n;
}

static void
put_place(LLVMValueRef inst, struct burl_buf *out)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst);

    burl_buf_printf(out, "%s:%u", at ? burl_di_file(LLVMDILocationGetScope(at)) : "",
                    at ? LLVMDILocationGetLine(at) : 0);
}

static const char *
opcode_name(LLVMValueRef inst)
{
    static const struct {
        LLVMOpcode op;
        const char *name;
    } names[] = {
        { LLVMRet, "ret" },
        { LLVMBr, "br" },
        { LLVMSwitch, "switch" },
        { LLVMLoad, "load" },
        { LLVMStore, "store" },
        { LLVMPHI, "phi" },
        { LLVMICmp, "icmp" },
        { LLVMAdd, "add" },
        { LLVMSub, "sub" },
        { LLVMMul, "mul" },
        { LLVMFence, "fence" },
        { LLVMAtomicRMW, "atomicrmw" },
        { LLVMInvoke, "call" },
        { LLVMCall, "call" },
        { LLVMAtomicCmpXchg, "cmpxchg" },
        { LLVMAlloca, "alloca" },
        { LLVMUnreachable, "unreachable" },
        { LLVMSelect, "select" },
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].op == LLVMGetInstructionOpcode(inst))
            return names[i].name;
    return "operation";
}

static void
put_operation(LLVMValueRef inst, struct burl_buf *out)
{
    LLVMValueRef fn = burl_ir_is_call(inst) ? burl_ir_callee(inst) : NULL;

    burl_buf_printf(out, " %s", opcode_name(inst));
    if (fn)
        burl_buf_printf(out, " %s", burl_ir_name(fn));
}

struct dump {
    const struct burl_diff *d;
    struct burl_buf *out;
    LLVMValueRef fn;
};

static void
put_new(void *arg, LLVMValueRef inst)
{
    struct dump *x = arg;
    LLVMValueRef was = burl_diff_counterpart(x->d, inst);

    if (burl_ir_function(inst) != x->fn)
        return;
    burl_buf_str_append(x->out, was ? "  ~ " : "  + ");
    put_place(inst, x->out);
    put_operation(inst, x->out);
    if (was) {
        burl_buf_str_append(x->out, "  was ");
        put_place(was, x->out);
    }
    burl_buf_char(x->out, '\n');
}

static void
put_old(void *arg, LLVMValueRef inst)
{
    struct dump *x = arg;

    if (burl_ir_function(inst) != x->fn || burl_diff_counterpart(x->d, inst))
        return;
    burl_buf_str_append(x->out, "  - ");
    put_place(inst, x->out);
    put_operation(inst, x->out);
    burl_buf_char(x->out, '\n');
}

static void
put_blocks(const struct burl_diff *d, LLVMValueRef fn, struct burl_buf *out)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        bool exact;
        LLVMBasicBlockRef was = burl_diff_history_block(d, b, &exact);
        if (exact)
            burl_buf_printf(out, "  block %u = %u\n", number_of(b), number_of(was));
        else if (was)
            burl_buf_printf(out, "  block %u = - above %u\n", number_of(b), number_of(was));
        else
            burl_buf_printf(out, "  block %u = -\n", number_of(b));
    }
}

static void
put_function(const struct burl_diff *d, const struct burl_diff_function *f, struct burl_buf *out)
{
    const char *state = !f->was ? "added" : !f->is ? "removed" : f->moved ? "moved" : "changed";
    struct dump x = { d, out, NULL };

    burl_buf_printf(out, "function %s %s", state, burl_ir_name(f->is ? f->is : f->was));
    if (f->is && f->was && strcmp(burl_ir_name(f->is), burl_ir_name(f->was)) != 0)
        burl_buf_printf(out, " was %s", burl_ir_name(f->was));
    burl_buf_char(out, '\n');
    if (f->equal || !f->is || !f->was)
        return;
    x.fn = f->is;
    burl_diff_each_change(d, true, put_new, &x);
    x.fn = f->was;
    burl_diff_each_change(d, false, put_old, &x);
    put_blocks(d, f->is, out);
}

static void
put_global(void *arg, LLVMValueRef is, LLVMValueRef was)
{
    burl_buf_printf(arg, "global %s %s\n",
                    !was  ? "added"
                    : !is ? "removed"
                          : "changed",
                    burl_ir_name(is ? is : was));
}

void
burl_diff_dump(const struct burl_diff *d, struct burl_buf *out)
{
    size_t same = 0;

    for (size_t i = 0; i < d->functions.n; i++)
        same += d->functions.v[i].equal;
    burl_buf_printf(out, "same %zu\n", same);
    for (size_t i = 0; i < d->functions.n; i++)
        if (!d->functions.v[i].equal || d->functions.v[i].moved)
            put_function(d, &d->functions.v[i], out);
    burl_diff_each_global(d, put_global, out);
}
