/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/sp.c - small predicates on LLVM values, shared by the passes of the target.
 *
 * Runs in burl-analyze.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/target/sp_int.h"

bool
burl__is_call(LLVMValueRef inst)
{
    return LLVMIsACallInst(inst) || LLVMIsAInvokeInst(inst);
}

LLVMValueRef
burl__callee(const struct burl__sp *sp, LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call);

    if (!f || (!LLVMIsAFunction(f) && !LLVMIsAGlobalAlias(f)))
        return NULL;
    return burl_program_definition(sp->p, f);
}

const char *
burl__callee_name(const struct burl__sp *sp, LLVMValueRef call)
{
    LLVMValueRef f = burl__callee(sp, call);
    size_t n;

    return f ? LLVMGetValueName2(f, &n) : "";
}

struct burl_libfn
burl__callee_facts(const struct burl__sp *sp, LLVMValueRef call)
{
    return burl_program_libfn(sp->p, burl__callee(sp, call));
}

bool
burl__is_marker(const char *name)
{
    return strncmp(name, "llvm.lifetime", 13) == 0 || strncmp(name, "llvm.dbg", 8) == 0;
}

bool
burl__is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void
push_successors(LLVMBasicBlockRef b, struct burl_valmap *seen, LLVMBasicBlockRef **todo, size_t *n,
                size_t *cap)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    unsigned n_next = end ? LLVMGetNumSuccessors(end) : 0;

    for (unsigned i = 0; i < n_next; i++) {
        LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
        uint32_t unused;
        if (burl_valmap_get(seen, next, &unused))
            continue;
        burl_valmap_set(seen, next, 1);
        *todo = burl_vec_grow(*todo, cap, *n, 1, sizeof **todo);
        (*todo)[(*n)++] = next;
    }
}

bool
burl__in_cycle(LLVMBasicBlockRef block)
{
    struct burl_valmap seen = { 0 };
    LLVMBasicBlockRef *todo = NULL;
    size_t n = 0, cap = 0;
    uint32_t unused;

    push_successors(block, &seen, &todo, &n, &cap);
    while (n > 0)
        push_successors(todo[--n], &seen, &todo, &n, &cap);
    bool found = burl_valmap_get(&seen, block, &unused);
    free(todo);
    burl_valmap_deinit(&seen);
    return found;
}

static bool
is_gep(LLVMValueRef v)
{
    return LLVMIsAGetElementPtrInst(v) ||
           (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

/* Bytes that a GEP adds; false when it depends on a value. */
static bool
gep_offset(LLVMTargetDataRef td, LLVMValueRef gep, int64_t *off)
{
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    int n = LLVMGetNumOperands(gep);

    for (int i = 1; i < n; i++) {
        LLVMValueRef ix = LLVMGetOperand(gep, (unsigned)i);
        if (!LLVMIsAConstantInt(ix))
            return false;
        if (i == 1) {
            *off += LLVMConstIntGetSExtValue(ix) * (int64_t)LLVMABISizeOfType(td, t);
        } else if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            unsigned k = (unsigned)LLVMConstIntGetZExtValue(ix);
            *off += (int64_t)LLVMOffsetOfElement(td, t, k);
            t = LLVMStructGetTypeAtIndex(t, k);
        } else {
            t = LLVMGetElementType(t);
            *off += LLVMConstIntGetSExtValue(ix) * (int64_t)LLVMABISizeOfType(td, t);
        }
    }
    return true;
}

LLVMValueRef
burl__strip(LLVMTargetDataRef td, LLVMValueRef ptr, int64_t *off)
{
    *off = 0;
    for (;;) {
        int64_t more = 0;
        if (is_gep(ptr) && gep_offset(td, ptr, &more)) {
            *off += more;
            ptr = LLVMGetOperand(ptr, 0);
        } else if (LLVMIsABitCastInst(ptr) || LLVMIsAAddrSpaceCastInst(ptr) ||
                   LLVMIsAFreezeInst(ptr)) {
            ptr = LLVMGetOperand(ptr, 0);
        } else {
            return ptr;
        }
    }
}

void
burl__sp_free(struct burl__sp *sp)
{
    for (size_t i = 0; i < sp->fns.n; i++) {
        BURL_VEC_FREE(&sp->fns.v[i].out);
        BURL_VEC_FREE(&sp->fns.v[i].in);
        BURL_VEC_FREE(&sp->fns.v[i].roots);
    }
    for (size_t i = 0; sp->locking && i < sp->fns.n; i++) {
        BURL_VEC_FREE(&sp->locking[i].entry);
        BURL_VEC_FREE(&sp->locking[i].gains);
        BURL_VEC_FREE(&sp->locking[i].unlocks);
        BURL_VEC_FREE(&sp->locking[i].releases);
    }
    for (size_t i = 0; i < sp->spawns.n; i++)
        BURL_VEC_FREE(&sp->spawns.v[i].roots);
    for (size_t i = 0; i < sp->entries.n; i++)
        BURL_VEC_FREE(&sp->entries.v[i]);
    for (size_t i = 0; i < sp->accesses.n; i++) {
        BURL_VEC_FREE(&sp->accesses.v[i].locks);
        BURL_VEC_FREE(&sp->accesses.v[i].held);
    }
    for (size_t i = 0; i < sp->paths.n; i++) {
        free(sp->paths.v[i].type);
        free(sp->paths.v[i].field);
    }
    BURL_VEC_FREE(&sp->fns);
    BURL_VEC_FREE(&sp->edges);
    BURL_VEC_FREE(&sp->closings);
    BURL_VEC_FREE(&sp->spawns);
    BURL_VEC_FREE(&sp->makers);
    BURL_VEC_FREE(&sp->entries);
    BURL_VEC_FREE(&sp->accesses);
    BURL_VEC_FREE(&sp->paths);
    burl_valmap_deinit(&sp->fn_ix);
    burl_valmap_deinit(&sp->alive);
    burl_valmap_deinit(&sp->closes);
    BURL_VEC_FREE(&sp->states);
    BURL_VEC_FREE(&sp->nodes);
    burl_map_deinit(&sp->node_of);
    free(sp->unstable);
    free(sp->locking);
    free(sp->throws);
    burl__sp_free_fields(sp);
    free(sp->shared);
    memset(sp, 0, sizeof *sp);
}
