/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/escape.c - escape analysis: memory that two threads may access (phase iii of the
 * paper).
 *
 * Runs in burl-analyze. Memory escapes if it is a global variable, is passed to a thread or
 * returned by it, is passed to an unknown library function, or is reachable from such memory. A
 * thread-local variable and a stack slot are private until their address is stored in memory that
 * escapes.
 */
#include <string.h>

#include "analysis/target/steps.h"

struct spread {
    struct burl__sp *sp;
    struct burl_u32s todo; /* objects */
};

static void
share_object(struct spread *s, uint32_t object)
{
    if (s->sp->shared[object] || burl_pts_object(s->sp->pts, object)->kind == BURL_PTS_FUNCTION)
        return;
    s->sp->shared[object] = true;
    BURL_VEC_PUSH(&s->todo, object);
}

static void
share_leaves(struct spread *s, const uint32_t *leaves, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        share_object(s, burl_pts_leaf(s->sp->pts, leaves[i])->object);
}

static void
share_pointer(struct spread *s, LLVMValueRef v)
{
    uint32_t n = 0;
    const uint32_t *leaves = burl_ir_is_pointer(v) ? burl_pts_of(s->sp->pts, v, &n) : NULL;

    share_leaves(s, leaves, n);
}

static void
share_arguments(struct spread *s, LLVMValueRef call)
{
    unsigned n = LLVMGetNumArgOperands(call);

    for (unsigned i = 0; i < n; i++)
        share_pointer(s, LLVMGetOperand(call, i));
}

/* What the memory of an object points to. */
static void
share_object_contents(struct spread *s, uint32_t object)
{
    const struct burl_pts_object *o = burl_pts_object(s->sp->pts, object);
    uint32_t n;

    for (uint32_t k = 0; k < o->n_leaves; k++) {
        const uint32_t *in = burl_pts_in(s->sp->pts, o->first_leaf + k, &n);
        share_leaves(s, in, n);
    }
}

/* The same for the memory at a pointer, without that memory itself. */
static void
share_contents(struct spread *s, LLVMValueRef v)
{
    uint32_t n = 0;
    const uint32_t *leaves = burl_ir_is_pointer(v) ? burl_pts_of(s->sp->pts, v, &n) : NULL;

    for (uint32_t i = 0; i < n; i++)
        share_object_contents(s, burl_pts_leaf(s->sp->pts, leaves[i])->object);
}

/* Does a function of a library keep what it is given where another thread may find it? One that
 * the points-to analysis has no model of may; of the others only those that hand things over. */
static void
seed_library_call(struct spread *s, LLVMValueRef call, LLVMValueRef f)
{
    const uint32_t is = burl_program_libfn(s->sp->p, f).is;
    unsigned n = LLVMGetNumArgOperands(call);
    uint32_t n_unknown;
    const char *const *unknown = burl_pts_unknown(s->sp->pts, &n_unknown);

    if ((is & BURL_FN_SHARES) || burl__is_one_of(burl_ir_name(f), unknown, n_unknown)) {
        share_arguments(s, call);
    } else if (is & BURL_FN_SENDS) {
        for (unsigned i = 0; i < n; i++)
            share_contents(s, LLVMGetOperand(call, i));
    }
}

static void
seed_call(struct spread *s, LLVMValueRef call)
{
    struct burl__sp *sp = s->sp;
    uint32_t n;

    if (burl_pts_is_spawn(sp->pts, call)) {
        share_arguments(s, call);
        return;
    }
    const LLVMValueRef *callees = burl_pts_callees(sp->pts, call, &n);
    for (uint32_t i = 0; i < n; i++) {
        LLVMValueRef f = burl_program_definition(sp->p, callees[i]);
        if (LLVMIsDeclaration(f))
            seed_library_call(s, call, f);
    }
}

static void
seed_function(struct spread *s, uint32_t ix)
{
    struct burl__sp *sp = s->sp;
    LLVMValueRef fn = sp->fns.v[ix].fn;
    bool starts_thread = false;

    for (size_t r = 1; r < sp->entries.n; r++)
        starts_thread |= burl_u32s_has(&sp->entries.v[r], ix);
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        if (burl_ir_is_call(i))
            seed_call(s, i);
        else if (starts_thread && LLVMIsAReturnInst(i) && LLVMGetNumOperands(i) == 1)
            share_pointer(s, LLVMGetOperand(i, 0));
    }
    for (unsigned i = 0; starts_thread && i < LLVMCountParams(fn); i++)
        share_pointer(s, LLVMGetParam(fn, i));
}

void
burl__sp_escape(struct burl__sp *sp)
{
    uint32_t n_objects = burl_pts_n_objects(sp->pts);
    struct spread s = { .sp = sp };

    sp->shared = burl_xcalloc(n_objects ? n_objects : 1, sizeof *sp->shared);
    for (uint32_t i = 0; i < n_objects; i++) {
        enum burl_pts_kind kind = burl_pts_object(sp->pts, i)->kind;
        if (kind == BURL_PTS_GLOBAL || kind == BURL_PTS_EXTERNAL)
            share_object(&s, i);
    }
    for (uint32_t i = 0; i < sp->fns.n; i++)
        if (sp->fns.v[i].roots.n > 0)
            seed_function(&s, i);
    while (s.todo.n > 0)
        share_object_contents(&s, s.todo.v[--s.todo.n]);
    BURL_VEC_FREE(&s.todo);
}
