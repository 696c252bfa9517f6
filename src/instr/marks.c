/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/marks.c - the record profile: stores that mark executed blocks, in place of hooks.
 *
 * Runs in the compiler. For `burl regress record`, which needs to know only which block was
 * executed in which thread. Sites, numbers and canonical form are those of the other profiles, so
 * a history fits the other builds of the same source. Every block begins with
 *
 *     *(&seen[block] + __burl_hot.delta) = 1
 *
 * where `seen` is memory of the module. The thread's delta is 0 until the runtime leads the marks
 * elsewhere (rt/history), so the stores are right before the module has registered, in threads that
 * the runtime does not know, and in a process that records nothing.
 *
 * A call may create a thread or join one, and with it the place of marks changes: the block is
 * marked again after each call of a function that is not known to do no such thing. Before it, its
 * site goes to *__burl_hot.call: a thread that it creates has it as its creation site.
 *
 * The optimizer has to know that marks and accesses of the program have nothing to do with each
 * other, or every mark would make it load what it has in registers. So all of them carry scopes
 * (!alias.scope, !noalias).
 */
#include <string.h>

#include "instr/instr_int.h"
#include "wire/history.h"

#define SEEN_SECTION "burl_seen"

/* Scopes: of the words in __burl_hot, and of the marks. */
struct marks {
    struct burl__instr *in;
    LLVMValueRef hot;
    unsigned md_scope, md_noalias;
    LLVMValueRef words; /* lists of one scope */
    LLVMValueRef bytes;
    LLVMValueRef both;
};

static LLVMValueRef
node(struct burl__instr *in, LLVMMetadataRef *ops, size_t n)
{
    return LLVMMetadataAsValue(in->ctx, LLVMMDNodeInContext2(in->ctx, ops, n));
}

static LLVMMetadataRef
scope(struct burl__instr *in, const char *name, LLVMMetadataRef domain)
{
    LLVMMetadataRef ops[2] = { LLVMMDStringInContext2(in->ctx, name, strlen(name)), domain };

    return LLVMMDNodeInContext2(in->ctx, ops, 2);
}

static void
make_scopes(struct marks *m)
{
    struct burl__instr *in = m->in;
    LLVMMetadataRef name = LLVMMDStringInContext2(in->ctx, "burl", 4);
    LLVMMetadataRef domain = LLVMMDNodeInContext2(in->ctx, &name, 1);
    LLVMMetadataRef s[2] = { scope(in, "burl.words", domain), scope(in, "burl.marks", domain) };

    m->md_scope = LLVMGetMDKindIDInContext(in->ctx, "alias.scope", 11);
    m->md_noalias = LLVMGetMDKindIDInContext(in->ctx, "noalias", 7);
    m->words = node(in, &s[0], 1);
    m->bytes = node(in, &s[1], 1);
    m->both = node(in, s, 2);
}

static void
set_scopes(const struct marks *m, LLVMValueRef inst, LLVMValueRef in, LLVMValueRef not_in)
{
    LLVMSetMetadata(inst, m->md_scope, in);
    LLVMSetMetadata(inst, m->md_noalias, not_in);
}

/* ---- stores ------------------------------------------------------------------------------- */

/* A word of the thread's structure in this object. */
static LLVMValueRef
load_word(const struct marks *m, LLVMTypeRef ty, uint64_t offset)
{
    struct burl__instr *in = m->in;
    LLVMValueRef at = burl__instr_u64(in, offset);
    LLVMValueRef word =
        LLVMBuildLoad2(in->builder, ty, LLVMConstInBoundsGEP2(in->i8, m->hot, &at, 1), "");

    set_scopes(m, word, m->words, m->bytes);
    return word;
}

static void
mark_block(const struct marks *m, uint32_t site_ix)
{
    struct burl__instr *in = m->in;
    LLVMValueRef delta = load_word(m, in->i64, BURL_WIRE_HOT_DELTA);
    LLVMValueRef ix = burl__instr_u64(in, site_ix);
    LLVMValueRef base = LLVMBuildGEP2(in->builder, in->i8, in->seen_array, &delta, 1, "");
    LLVMValueRef at = LLVMBuildGEP2(in->builder, in->i8, base, &ix, 1, "");
    LLVMValueRef store = LLVMBuildStore(in->builder, LLVMConstInt(in->i8, 1, 0), at);

    LLVMSetAlignment(store, 1);
    set_scopes(m, store, m->bytes, m->words);
}

static void
note_call(const struct marks *m, uint32_t site_ix)
{
    struct burl__instr *in = m->in;
    LLVMValueRef ix[2] = { burl__instr_u64(in, 0), burl__instr_u64(in, site_ix) };
    LLVMValueRef site = LLVMConstInBoundsGEP2(in->site_array_ty, in->site_array, ix, 2);
    LLVMValueRef to = load_word(m, in->ptr, BURL_WIRE_HOT_CALL);

    set_scopes(m, LLVMBuildStore(in->builder, site, to), m->bytes, m->words);
}

/* ---- calls -------------------------------------------------------------------------------- */

/* It neither creates nor joins a thread, and calls nothing of the program. */
static bool
is_harmless(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    struct burl_libfn fn;

    if (LLVMIsAInlineAsm(callee))
        return true;
    if (!LLVMIsAFunction(callee))
        return false;
    if (LLVMGetIntrinsicID(callee) != 0)
        return true;
    if (!LLVMIsDeclaration(callee))
        return false;
    fn = burl_libfn(burl_ir_name(callee));
    return fn.name && fn.thread == BURL_FN_THREAD_NONE &&
           (fn.n_args != 0 || (fn.is & (BURL_FN_INERT | BURL_FN_NO_SITE)) != 0);
}

static void
mark_after_calls(const struct marks *m, LLVMBasicBlockRef block, uint32_t site_ix)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef next = LLVMGetNextInstruction(i);

        /* What follows an invoke or a call that must be last is another block, or nothing. */
        if (!next || !LLVMIsACallInst(i) || is_harmless(i) ||
            LLVMGetTailCallKind(i) == LLVMTailCallKindMustTail || LLVMIsAUnreachableInst(next))
            continue;
        LLVMPositionBuilderBefore(m->in->builder, next);
        LLVMSetCurrentDebugLocation2(m->in->builder, LLVMInstructionGetDebugLoc(i));
        mark_block(m, site_ix);
    }
}

/* ---- the module --------------------------------------------------------------------------- */

/* Accesses of the program do not touch what marks use. */
static void
scope_function(const struct marks *m, LLVMValueRef fn)
{
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        bool is_mem = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsAMemIntrinsic(i) ||
                      LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);

        if (is_mem && !LLVMGetMetadata(i, m->md_noalias))
            LLVMSetMetadata(i, m->md_noalias, m->both);
    }
}

static void
mark_one(const struct marks *m, LLVMValueRef first, uint32_t site_ix)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(first);
    LLVMValueRef at = burl__instr_block_start(first);

    mark_after_calls(m, block, site_ix);
    if (!at)
        return;
    burl__instr_build_before(m->in, at);
    mark_block(m, site_ix);
}

void
burl__instr_mark_module(struct burl__instr *in)
{
    struct marks m = { .in = in };
    struct burl__sites *s = &in->sites;

    make_scopes(&m);
    m.hot = burl__instr_hot(in);
    in->hot = m.hot;
    in->seen_array =
        LLVMAddGlobal(in->mod, LLVMArrayType2(in->i8, s->n > 0 ? s->n : 1), "__burl_seen");
    LLVMSetInitializer(in->seen_array, LLVMConstNull(LLVMGlobalGetValueType(in->seen_array)));
    LLVMSetLinkage(in->seen_array, LLVMInternalLinkage);
    LLVMSetSection(in->seen_array, SEEN_SECTION);
    LLVMSetAlignment(in->seen_array, 1);

    for (size_t i = 0; i < s->n; i++) {
        if (s->v[i].desc.kind == BURL_SITE_FUNC) {
            burl__instr_drop_promises(s->v[i].at);
            scope_function(&m, s->v[i].at);
            LLVMRemoveStringAttributeAtIndex(s->v[i].at, BURL_IR_FN_ATTRS, BURL_IR_ATTR_FUNC,
                                             strlen(BURL_IR_ATTR_FUNC));
        }
    }
    for (size_t i = 0; i < s->n; i++) {
        LLVMValueRef at = s->v[i].at;

        if (s->v[i].desc.kind == BURL_SITE_FUNC)
            continue;
        if (s->v[i].desc.kind == BURL_SITE_BLOCK) {
            mark_one(&m, at, (uint32_t)i);
            continue;
        }
        LLVMSetMetadata(at, in->md_site, NULL);
        if (s->v[i].desc.kind == BURL_SITE_CALL && burl_ir_is_call(at) && !is_harmless(at)) {
            burl__instr_build_before(in, at);
            note_call(&m, (uint32_t)i);
        }
    }
}
