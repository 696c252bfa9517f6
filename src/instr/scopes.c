/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/scopes.c - small functions that were inlined, in the copies for free mode: their frames.
 *
 * Runs in the compiler. Hooks at entry and exit of such a function cost more than what inlining
 * left of it. It needs no frame on the thread's stack while it calls nothing: the frame would be on
 * top. So its entry becomes
 *
 *     *__burl_hot.scope = &record      (wire/scope.h)
 *
 * and its exits the same with the record of the function around it that has no frame either, or
 * NULL. A function with a loop keeps its frame: it costs little there, and when a program hangs the
 * frames say where. So does one whose exits the optimizer has merged with others.
 *
 * The stores are volatile: the hooks of accesses are declared to touch no memory, so a scope that
 * is left again would seem to be useless.
 */
#include <string.h>

#include "instr/instr_int.h"
#include "wire/scope.h"

#define ENTER "__burl_func_enter"
#define EXIT "__burl_func_exit"

enum { MAX_BLOCKS = 64, MAX_INNER = 64 };

/* The way from an entry to its exits. */
struct walk {
    LLVMValueRef enter;
    struct {
        LLVMBasicBlockRef block;
        bool done; /* left by the walk; a way back into one that is not is a loop */
    } v[MAX_BLOCKS];
    size_t n;
    LLVMValueRef inner[MAX_INNER]; /* entries on the way */
    size_t n_inner;
};

struct scope {
    LLVMValueRef enter;
    LLVMValueRef record;
    struct scope *outer;
    LLVMValueRef inner[MAX_INNER];
    size_t n_inner;
};

struct scopes {
    struct burl__instr *in;
    LLVMValueRef hot;
    LLVMTypeRef record_ty;
    BURL_VEC(struct scope) v; /* of one function */
};

/* ---- which functions ------------------------------------------------------------------------ */

/* Hooks of accesses return before anything else happens. */
static bool
is_access(LLVMValueRef inst)
{
    LLVMValueRef fn = burl_ir_callee(inst);

    return fn && (burl_ir_begins(burl_ir_name(fn), "__burl_read") ||
                  burl_ir_begins(burl_ir_name(fn), "__burl_write"));
}

/* From an instruction to the end of the frame or of the block. False: something needs a frame. */
static bool
walk_instructions(struct walk *w, LLVMValueRef from, bool *ended)
{
    *ended = false;
    for (LLVMValueRef i = from; i; i = LLVMGetNextInstruction(i)) {
        if (burl_ir_calls(i, EXIT) && LLVMGetOperand(i, 0) == w->enter) {
            *ended = true;
            return true;
        }
        if (burl_ir_calls(i, ENTER)) {
            if (w->n_inner == MAX_INNER)
                return false;
            w->inner[w->n_inner++] = i;
        } else if (LLVMIsACallBrInst(i) || LLVMIsAReturnInst(i) || LLVMIsAInvokeInst(i) ||
                   (burl_ir_calls_function(i) && !burl_ir_calls(i, EXIT) && !is_access(i))) {
            return false;
        }
    }
    return true;
}

static bool walk_block(struct walk *w, LLVMBasicBlockRef block, LLVMValueRef from);

static bool
walk_successors(struct walk *w, LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
        LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
        size_t k = 0;
        while (k < w->n && w->v[k].block != next)
            k++;
        if (k < w->n ? !w->v[k].done : !walk_block(w, next, LLVMGetFirstInstruction(next)))
            return false;
    }
    return true;
}

static bool
walk_block(struct walk *w, LLVMBasicBlockRef block, LLVMValueRef from)
{
    const size_t at = w->n;
    bool ended;

    if (w->n == MAX_BLOCKS)
        return false;
    w->v[w->n].block = block;
    w->v[w->n++].done = false;
    if (!walk_instructions(w, from, &ended) || (!ended && !walk_successors(w, block)))
        return false;
    w->v[at].done = true;
    return true;
}

static bool
only_exits_use(LLVMValueRef enter)
{
    for (LLVMUseRef u = LLVMGetFirstUse(enter); u; u = LLVMGetNextUse(u))
        if (!burl_ir_calls(LLVMGetUser(u), EXIT))
            return false;
    return LLVMGetFirstUse(enter) != NULL;
}

static void
find_scopes(struct scopes *s, LLVMValueRef fn)
{
    LLVMValueRef own = NULL;

    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        struct walk w = { .enter = i };

        if (!burl_ir_calls(i, ENTER))
            continue;
        if (!own) { /* the first is the function's own */
            own = i;
            continue;
        }
        if (!only_exits_use(i) ||
            !walk_block(&w, LLVMGetInstructionParent(i), LLVMGetNextInstruction(i)))
            continue;
        struct scope *x = BURL_VEC_ADD(&s->v);
        x->enter = i;
        x->outer = NULL;
        x->n_inner = w.n_inner;
        memcpy(x->inner, w.inner, sizeof w.inner);
    }
}

static bool
is_scope(const struct scopes *s, LLVMValueRef enter)
{
    for (size_t i = 0; i < s->v.n; i++)
        if (s->v.v[i].enter == enter)
            return true;
    return false;
}

/* A frame on the stack would seem to be around the scope in which it was made. */
static void
drop_around_frames(struct scopes *s)
{
    bool again = true;

    while (again) {
        again = false;
        for (size_t i = s->v.n; i-- > 0;) {
            const struct scope *x = &s->v.v[i];
            size_t k = 0;
            while (k < x->n_inner && is_scope(s, x->inner[k]))
                k++;
            if (k == x->n_inner)
                continue;
            s->v.v[i] = s->v.v[--s->v.n];
            again = true;
        }
    }
}

/* What is in a scope is in those around it as well: the one with the least in it is next. */
static void
find_outer(struct scopes *s)
{
    for (size_t i = 0; i < s->v.n; i++) {
        struct scope *x = &s->v.v[i];
        for (size_t k = 0; k < s->v.n; k++) {
            struct scope *y = &s->v.v[k];
            for (size_t m = 0; m < y->n_inner; m++)
                if (y->inner[m] == x->enter && (!x->outer || y->n_inner < x->outer->n_inner))
                    x->outer = y;
        }
    }
}

/* ---- records and stores --------------------------------------------------------------------- */

/* The records of inner functions name those of outer ones, which may come later. */
static void
add_records(struct scopes *s)
{
    for (size_t i = 0; i < s->v.n; i++) {
        struct scope *x = &s->v.v[i];
        x->record = LLVMAddGlobal(s->in->mod, s->record_ty, "__burl_scope");
        LLVMSetLinkage(x->record, LLVMInternalLinkage);
        LLVMSetGlobalConstant(x->record, 1);
        LLVMSetAlignment(x->record, 16);
    }
    for (size_t i = 0; i < s->v.n; i++) {
        struct scope *x = &s->v.v[i];
        LLVMValueRef fields[2] = { LLVMGetOperand(x->enter, 0),
                                   x->outer ? x->outer->record : LLVMConstNull(s->in->ptr) };
        LLVMSetInitializer(x->record, LLVMConstStructInContext(s->in->ctx, fields, 2, 0));
    }
}

static void
store_before(const struct scopes *s, LLVMValueRef at, LLVMValueRef record)
{
    struct burl__instr *in = s->in;
    LLVMValueRef offset = burl__instr_u64(in, BURL_WIRE_HOT_SCOPE);
    LLVMValueRef to;

    burl__instr_build_before(in, at);
    to =
        LLVMBuildLoad2(in->builder, in->ptr, LLVMConstInBoundsGEP2(in->i8, s->hot, &offset, 1), "");
    LLVMSetVolatile(LLVMBuildStore(in->builder, record, to), 1);
}

static void
replace_hooks(const struct scopes *s, const struct scope *x)
{
    LLVMValueRef outside = x->outer ? x->outer->record : LLVMConstNull(s->in->ptr);

    for (LLVMUseRef u = LLVMGetFirstUse(x->enter); u; u = LLVMGetFirstUse(x->enter)) {
        store_before(s, LLVMGetUser(u), outside);
        LLVMInstructionEraseFromParent(LLVMGetUser(u));
    }
    store_before(s, x->enter, x->record);
    LLVMInstructionEraseFromParent(x->enter);
}

void
burl__instr_scopes(struct burl__instr *in)
{
    LLVMTypeRef fields[2] = { in->ptr, in->ptr };
    struct scopes s = { .in = in, .record_ty = LLVMStructTypeInContext(in->ctx, fields, 2, 0) };

    for (LLVMValueRef f = LLVMGetFirstFunction(in->mod); f; f = LLVMGetNextFunction(f)) {
        s.v.n = 0;
        find_scopes(&s, f);
        drop_around_frames(&s);
        if (s.v.n == 0)
            continue;
        if (!s.hot)
            s.hot = burl__instr_hot(in);
        find_outer(&s);
        add_records(&s);
        for (size_t i = 0; i < s.v.n; i++)
            replace_hooks(&s, &s.v.v[i]);
    }
    BURL_VEC_FREE(&s.v);
}
