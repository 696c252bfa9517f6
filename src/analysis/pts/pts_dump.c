/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_dump.c - the solution as text, for tests and debugging. Host side.
 *
 *     FUNCTION:LINE load|store|atomic|range -> OBJECT+OFFSET ...
 *     FUNCTION:LINE call -> FUNCTION ...
 *     FUNCTION:LINE spawn -> FUNCTION ...
 */
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "analysis/pts/pts.h"
#include "base/mem.h"

static void
put_place(LLVMValueRef at, struct burl_buf *out)
{
    if (LLVMIsAInstruction(at))
        burl_buf_printf(out, "%s:%u", burl_ir_name(burl_ir_function(at)), LLVMGetDebugLocLine(at));
    else if (LLVMIsAArgument(at))
        burl_buf_str_append(out, burl_ir_name(LLVMGetParamParent(at)));
    else
        burl_buf_str_append(out, burl_ir_name(at));
}

static void
put_object(const struct burl_pts_object *o, struct burl_buf *out)
{
    static const char *const kinds[] = {
        [BURL_PTS_GLOBAL] = "",    [BURL_PTS_FUNCTION] = "",         [BURL_PTS_STACK] = "stack ",
        [BURL_PTS_HEAP] = "heap ", [BURL_PTS_EXTERNAL] = "outside ", [BURL_PTS_TLS] = "tls ",
    };

    burl_buf_str_append(out, kinds[o->kind]);
    if (o->kind == BURL_PTS_STACK && LLVMIsAAllocaInst(o->at))
        burl_buf_printf(out, "%s.%s", burl_ir_name(burl_ir_function(o->at)), burl_ir_name(o->at));
    else
        put_place(o->at, out);
}

static void
put_leaf(const struct burl_pts *s, uint32_t leaf, struct burl_buf *out)
{
    const struct burl_pts_leaf *l = burl_pts_leaf(s, leaf);

    burl_buf_char(out, ' ');
    put_object(burl_pts_object(s, l->object), out);
    if (l->offset_b || l->array)
        burl_buf_printf(out, "+%llu%s", (unsigned long long)l->offset_b, l->array ? "*" : "");
    burl_buf_char(out, ',');
}

static void
put_access(const struct burl_pts *s, LLVMValueRef i, LLVMValueRef ptr, const char *what,
           struct burl_buf *out)
{
    uint32_t n;
    const uint32_t *v = burl_pts_of(s, ptr, &n);

    put_place(i, out);
    burl_buf_printf(out, " %s ->", what);
    for (uint32_t k = 0; k < n; k++)
        put_leaf(s, v[k], out);
    burl_buf_char(out, '\n');
}

static void
put_functions(LLVMValueRef i, const char *what, const LLVMValueRef *fns, uint32_t n,
              struct burl_buf *out)
{
    put_place(i, out);
    burl_buf_printf(out, " %s ->", what);
    for (uint32_t k = 0; k < n; k++)
        burl_buf_printf(out, " %s,", burl_ir_name(fns[k]));
    burl_buf_char(out, '\n');
}

static void
put_call(const struct burl_pts *s, LLVMValueRef i, struct burl_buf *out)
{
    uint32_t n, m;
    const LLVMValueRef *called = burl_pts_callees(s, i, &n);
    const LLVMValueRef *spawned = burl_pts_spawned(s, i, &m);

    if (n)
        put_functions(i, "call", called, n, out);
    if (burl_pts_is_spawn(s, i))
        put_functions(i, "spawn", spawned, m, out);
}

static void
put_instruction(const struct burl_pts *s, LLVMValueRef i, struct burl_buf *out)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        put_access(s, i, LLVMGetOperand(i, 0), "load", out);
        break;
    case LLVMStore:
        put_access(s, i, LLVMGetOperand(i, 1), "store", out);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        put_access(s, i, LLVMGetOperand(i, 0), "atomic", out);
        break;
    case LLVMCall:
    case LLVMInvoke:
        put_call(s, i, out);
        break;
    default:
        break;
    }
}

void
burl_pts_dump(const struct burl_pts *s, const struct burl_program *p, struct burl_buf *out)
{
    uint32_t n;

    for (size_t f = 0; f < p->functions.n; f++)
        for (LLVMValueRef i = burl_ir_first(p->functions.v[f]); i; i = burl_ir_next(i))
            put_instruction(s, i, out);
    const char *const *names = burl_pts_unknown(s, &n);
    for (uint32_t i = 0; i < n; i++)
        burl_buf_printf(out, "unknown %s\n", names[i]);
}
