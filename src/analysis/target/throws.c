/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/throws.c - calls that an exception may leave.
 *
 * Runs in burl-analyze. A critical section that an exception leaves has not executed its remaining
 * accesses. Clang marks few C++ functions nounwind without optimization, so that is computed here:
 * a function throws if something in it throws that it does not catch completely. An external
 * function throws if it is C++ and not declared otherwise; C functions do not.
 */
#include <stdlib.h>

#include "analysis/target/steps.h"

bool
burl__may_throw(const struct burl__sp *sp, uint32_t fn, LLVMValueRef call)
{
    const struct burl__fn *f = &sp->fns.v[fn];
    LLVMValueRef callee = burl__callee(sp, call);

    if (burl_ir_call_attr(call, BURL_IR_FN_ATTRS, "nounwind"))
        return false;
    for (size_t i = 0; i < f->out.n; i++) {
        const struct burl__edge *e = &sp->edges.v[f->out.v[i]];
        if (e->call == call && !e->later && sp->throws[e->callee])
            return true;
    }
    if (callee && burl_valmap_has(&sp->fn_ix, callee))
        return false; /* its body is known, and is among the edges */
    return (burl_program_libfn(sp->p, callee).is & BURL_FN_THROWS) != 0;
}

/* Does something leave the function by an exception? Landing pads that end in `resume` pass on what
 * was thrown, so it is enough to look for calls without one and for `resume` after those with. */
static bool
throws_by_itself(const struct burl__sp *sp, uint32_t fn)
{
    bool caught = false, resumes = false;

    for (LLVMValueRef i = burl_ir_first(sp->fns.v[fn].fn); i; i = burl_ir_next(i)) {
        resumes |= LLVMIsAResumeInst(i) != NULL;
        if (!burl_ir_is_call(i) || !burl__may_throw(sp, fn, i))
            continue;
        if (LLVMIsACallInst(i))
            return true;
        caught = true;
    }
    return caught && resumes;
}

void
burl__sp_throws(struct burl__sp *sp)
{
    bool changed = true;

    sp->throws = burl_xcalloc(sp->fns.n + 1, sizeof *sp->throws);
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < sp->fns.n; i++) {
            if (sp->throws[i] || sp->fns.v[i].roots.n == 0 || !throws_by_itself(sp, i))
                continue;
            sp->throws[i] = true;
            changed = true;
        }
    }
}
