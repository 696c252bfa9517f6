/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/diff/inline.c - functions that exist for the optimizer only. Runs in burl-analyze.
 *
 * From -O1 on clang emits bodies of functions that are defined elsewhere, for inlining
 * (available_externally), and with them the inline functions which only these call. A function like
 * that in one version alone was neither added nor removed.
 */
#include <stdlib.h>

#include "analysis/diff/diff_int.h"

/* Constants nest; this deep they do not. */
enum { MAX_DEPTH = 64 };

struct used {
    const struct burl_program *p;
    struct burl_valmap seen; /* functions and constants */
    BURL_VEC(LLVMValueRef) todo;
};

static bool
is_discardable(LLVMValueRef fn)
{
    switch (LLVMGetLinkage(fn)) {
    case LLVMAvailableExternallyLinkage:
    case LLVMLinkOnceAnyLinkage:
    case LLVMLinkOnceODRLinkage:
    case LLVMInternalLinkage:
        return true;
    default:
        return false;
    }
}

static void
use_value(struct used *u, LLVMValueRef v, int depth)
{
    if (!v || !LLVMIsAConstant(v) || depth > MAX_DEPTH)
        return;
    if (LLVMIsAGlobalValue(v)) {
        LLVMValueRef def = burl_program_definition(u->p, v);
        if (LLVMIsAFunction(def) && !LLVMIsDeclaration(def) &&
            LLVMGetLinkage(def) != LLVMAvailableExternallyLinkage && burl_valmap_add(&u->seen, def))
            BURL_VEC_PUSH(&u->todo, def);
        return;
    }
    int n = LLVMIsAConstantDataSequential(v) ? 0 : LLVMGetNumOperands(v);
    if (n == 0 || !burl_valmap_add(&u->seen, v))
        return;
    for (int i = 0; i < n; i++)
        use_value(u, LLVMGetOperand(v, (unsigned)i), depth + 1);
}

static void
use_roots(struct used *u)
{
    for (size_t i = 0; i < u->p->functions.n; i++)
        if (!is_discardable(u->p->functions.v[i]))
            use_value(u, u->p->functions.v[i], 0);
    for (size_t m = 0; m < u->p->modules.n; m++) {
        LLVMModuleRef mod = u->p->modules.v[m].mod;
        for (LLVMValueRef g = LLVMGetFirstGlobal(mod); g; g = LLVMGetNextGlobal(g))
            if (LLVMGetLinkage(g) != LLVMAvailableExternallyLinkage)
                use_value(u, LLVMGetInitializer(g), 0);
        for (LLVMValueRef a = LLVMGetFirstGlobalAlias(mod); a; a = LLVMGetNextGlobalAlias(a))
            use_value(u, LLVMAliasGetAliasee(a), 0);
    }
}

static void
use_all(struct used *u)
{
    use_roots(u);
    while (u->todo.n > 0) {
        LLVMValueRef fn = u->todo.v[--u->todo.n];
        for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
            int n = LLVMGetNumOperands(i);
            for (int k = 0; k < n; k++)
                use_value(u, LLVMGetOperand(i, (unsigned)k), 0);
        }
    }
}

void
burl__inline_find(struct burl_diff *d, int side)
{
    struct used u = { .p = d->own->side[side].p };
    bool needed = false;

    for (size_t i = 0; i < d->functions.n && !needed; i++) {
        const struct burl_diff_function *f = &d->functions.v[i];
        LLVMValueRef fn = side == BURL__IS ? f->is : f->was;
        needed = (!f->is || !f->was) && fn && is_discardable(fn);
    }
    if (!needed)
        return;
    use_all(&u);
    for (size_t i = 0; i < d->functions.n; i++) {
        struct burl_diff_function *f = &d->functions.v[i];
        LLVMValueRef fn = side == BURL__IS ? f->is : f->was;
        if ((!f->is || !f->was) && fn && is_discardable(fn) &&
            (!burl_valmap_has(&u.seen, fn) || burl__match_is_forwarder(fn)))
            f->equal = true;
    }
    burl_valmap_deinit(&u.seen);
    BURL_VEC_FREE(&u.todo);
}
