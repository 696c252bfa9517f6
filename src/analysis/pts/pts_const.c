/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_const.c - operands, constants and initializers of globals. Host side.
 */
#include "analysis/pts/pts_int.h"

/* Structs of more parts than this are not looked into any further. */
enum { MAX_DEPTH = 16 };

bool
burl__pts_may_hold(LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMPointerTypeKind:
        return true;
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(t) >= 64;
    case LLVMStructTypeKind: {
        unsigned n = LLVMCountStructElementTypes(t);
        for (unsigned i = 0; i < n; i++)
            if (burl__pts_may_hold(LLVMStructGetTypeAtIndex(t, i)))
                return true;
        return false;
    }
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind:
        return burl__pts_may_hold(LLVMGetElementType(t));
    default:
        return false;
    }
}

LLVMValueRef
burl__pts_def(struct burl_pts *s, LLVMValueRef v)
{
    uint32_t ix = (uint32_t)s->def_v.n;

    if (!burl_valmap_find_or_add(&s->defs, v, &ix))
        BURL_VEC_PUSH(&s->def_v, burl_program_definition(s->p, v));
    return s->def_v.v[ix];
}

uint32_t
burl__pts_global(struct burl_pts *s, LLVMValueRef def)
{
    uint32_t ix;

    if (burl_valmap_get(&s->globals, def, &ix))
        return ix;
    if (LLVMIsAFunction(def)) {
        ix = burl__pts_new_object(s, BURL_PTS_FUNCTION, def, NULL);
    } else {
        enum burl_pts_kind kind =
            LLVMIsAGlobalVariable(def) && LLVMIsThreadLocal(def) ? BURL_PTS_TLS : BURL_PTS_GLOBAL;
        ix = burl__pts_new_object(s, kind, def, LLVMGlobalGetValueType(def));
        struct burl__object *o = &s->objects.v[ix];
        o->outside = LLVMIsDeclaration(def);
        o->heap = o->pub.size_b == 0;
        if (!o->outside && LLVMIsAGlobalVariable(def))
            BURL_VEC_PUSH(&s->todo_globals, ix);
        /* What other code may have put into a variable of its own. */
        if (o->outside)
            o->pub.type = NULL;
    }
    burl_valmap_set(&s->globals, def, ix);
    return ix;
}

static bool
is_empty(LLVMValueRef c)
{
    return LLVMIsNull(c) || LLVMIsUndef(c) || LLVMIsAConstantInt(c) || LLVMIsAConstantFP(c) ||
           LLVMIsAConstantDataSequential(c) || LLVMIsABlockAddress(c) || LLVMIsAInlineAsm(c) ||
           LLVMGetTypeKind(LLVMTypeOf(c)) == LLVMMetadataTypeKind;
}

static void
initialize_at(struct burl_pts *s, uint32_t object, LLVMValueRef c, uint64_t offset, int depth)
{
    LLVMTypeRef t = LLVMTypeOf(c);

    if (is_empty(c) || !burl__pts_may_hold(t) || depth > MAX_DEPTH)
        return;
    if (LLVMIsAConstantStruct(c) || LLVMIsAConstantArray(c)) {
        int n = LLVMGetNumOperands(c);
        bool is_struct = LLVMGetTypeKind(t) == LLVMStructTypeKind;
        uint64_t step = is_struct ? 0 : LLVMABISizeOfType(s->p->td, LLVMGetElementType(t));
        for (int i = 0; i < n; i++) {
            uint64_t at =
                is_struct ? LLVMOffsetOfElement(s->p->td, t, (unsigned)i) : (uint64_t)i * step;
            initialize_at(s, object, LLVMGetOperand(c, (unsigned)i), offset + at, depth + 1);
        }
        return;
    }
    uint32_t value = burl__pts_value(s, c);
    uint32_t leaf = burl__pts_leaf_at(s, object, offset);
    if (value != BURL__NONE && leaf != BURL__NONE)
        burl__pts_edge(s, value, burl__pts_memory(s, leaf));
}

void
burl__pts_initialize(struct burl_pts *s, uint32_t object)
{
    LLVMValueRef c = LLVMGetInitializer(s->objects.v[object].pub.at);

    if (c)
        initialize_at(s, object, c, 0, 0);
}

static void
add_const_operands(struct burl_pts *s, uint32_t node, LLVMValueRef c)
{
    int n = LLVMGetNumOperands(c);

    for (int i = 0; i < n; i++)
        burl__pts_edge(s, burl__pts_value(s, LLVMGetOperand(c, (unsigned)i)), node);
}

static void
add_const_expr(struct burl_pts *s, uint32_t node, LLVMValueRef c)
{
    struct burl_ir_steps step;
    int64_t d = 0;
    uint32_t from = burl__pts_value(s, LLVMGetOperand(c, 0));

    if (from == BURL__NONE)
        return;
    switch (LLVMGetConstOpcode(c)) {
    case LLVMGetElementPtr:
        burl_ir_gep(s->p->td, c, &d, &step);
        burl__pts_con(s, from, (struct burl__con){ BURL__CON_ADD, node, BURL__NONE, d });
        break;
    case LLVMSub:
        burl__pts_edge(s, from, node);
        break;
    default:
        add_const_operands(s, node, c);
        break;
    }
}

static void
add_global(struct burl_pts *s, uint32_t node, LLVMValueRef v)
{
    LLVMValueRef def = burl__pts_def(s, v);

    if (LLVMIsAGlobalIFunc(def)) {
        /* Points to whatever its resolver returns. */
        LLVMValueRef r = LLVMGetGlobalIFuncResolver(def);
        uint32_t fn =
            r && LLVMIsAFunction(r) ? burl__pts_function(s, burl__pts_def(s, r)) : BURL__NONE;
        if (fn != BURL__NONE) {
            burl__pts_reach(s, fn);
            burl__pts_edge(s, s->funcs.v[fn].ret, node);
        }
        return;
    }
    if (LLVMIsAFunction(def))
        burl__pts_function(s, def);
    uint32_t leaf = burl__pts_leaf_at(s, burl__pts_global(s, def), 0);
    burl__pts_add(s, node, leaf);
}

uint32_t
burl__pts_value(struct burl_pts *s, LLVMValueRef v)
{
    uint32_t node;

    if (burl_valmap_get(&s->values, v, &node))
        return node;
    if (!burl__pts_may_hold(LLVMTypeOf(v)) || LLVMIsABasicBlock(v))
        return BURL__NONE;
    if (LLVMIsAConstant(v) && !LLVMIsAGlobalValue(v) && is_empty(v))
        return BURL__NONE;
    if (LLVMIsAInlineAsm(v))
        return BURL__NONE;
    node = burl__pts_new_node(s);
    burl_valmap_set(&s->values, v, node);
    if (LLVMIsAGlobalAlias(v) && LLVMIsAConstantExpr(LLVMAliasGetAliasee(v)))
        burl__pts_edge(s, burl__pts_value(s, LLVMAliasGetAliasee(v)), node);
    else if (LLVMIsAGlobalValue(v))
        add_global(s, node, v);
    else if (LLVMIsAConstantExpr(v))
        add_const_expr(s, node, v);
    else if (LLVMIsAConstant(v))
        add_const_operands(s, node, v);
    return node;
}
