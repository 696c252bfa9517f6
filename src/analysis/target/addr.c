/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/addr.c - addresses as expressions, for must-alias.
 *
 * Runs in burl-analyze. Points-to gives may-alias; locks need must-alias: `q->lock` guards
 * `q->head` because both start from the same value of q. In canonical form a local variable is one
 * value, but a global pointer is loaded again at each use. Two such loads are the same value if no
 * store there runs while threads do (sp->unstable), or if the value was stored a few instructions
 * before (a C++ guard stores the mutex into itself and then locks that).
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/target/steps.h"
#include "base/hash.h"
#include "wire/site.h"

static uint64_t
hash_node(const struct burl__node *n)
{
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, (uint64_t)n->kind << 32 | n->parent);

    h = burl_hash_u64(h, (uint64_t)(uintptr_t)n->v);
    h = burl_hash_u64(h, (uint64_t)n->off);
    h = burl_hash_u64(h, n->stride);
    return burl_hash_end(h);
}

static bool
is_node(const void *nodes, uint64_t i, const void *node)
{
    const struct burl__node *a = (const struct burl__node *)nodes + i, *b = node;

    return a->kind == b->kind && a->parent == b->parent && a->v == b->v && a->off == b->off &&
           a->stride == b->stride && a->count == b->count;
}

/* Nodes are numbered in the order of the calls. */
uint32_t
burl__node_intern(struct burl__sp *sp, const struct burl__node *n)
{
    uint64_t i = sp->nodes.n;

    if (!burl_map_find_or_add(&sp->node_of, hash_node(n), is_node, sp->nodes.v, n, &i))
        BURL_VEC_PUSH(&sp->nodes, *n);
    return (uint32_t)i;
}

uint32_t
burl__value_node(struct burl__sp *sp, LLVMValueRef v)
{
    if (LLVMIsAGlobalValue(v))
        v = burl_program_definition(sp->p, v);
    return burl__node_intern(
        sp, &(struct burl__node){ .kind = BURL__NODE_VALUE, .parent = UINT32_MAX, .v = v });
}

static LLVMValueRef
strip_casts(LLVMValueRef v)
{
    while (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v))
        v = LLVMGetOperand(v, 0);
    return v;
}

static void
add_step(struct burl__sp *sp, struct burl__addr *a, LLVMValueRef ix, uint64_t stride,
         uint64_t count)
{
    if (LLVMIsAConstantInt(ix)) {
        a->off += LLVMConstIntGetSExtValue(ix) * (int64_t)stride;
        return;
    }
    a->node = burl__node_intern(sp, &(struct burl__node){ .kind = BURL__NODE_INDEX,
                                                          .parent = a->node,
                                                          .v = strip_casts(ix),
                                                          .off = a->off,
                                                          .stride = stride,
                                                          .count = count });
    a->off = 0;
}

static struct burl__addr
gep_addr(struct burl__sp *sp, LLVMValueRef gep)
{
    struct burl__addr a = burl__addr_of(sp, LLVMGetOperand(gep, 0));
    LLVMTargetDataRef td = sp->p->td;
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    int n = LLVMGetNumOperands(gep);

    for (int i = 1; i < n; i++) {
        LLVMValueRef ix = LLVMGetOperand(gep, (unsigned)i);
        if (i == 1) {
            add_step(sp, &a, ix, LLVMABISizeOfType(td, t), 0);
        } else if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            unsigned k = (unsigned)LLVMConstIntGetZExtValue(ix);
            a.off += (int64_t)LLVMOffsetOfElement(td, t, k);
            t = LLVMStructGetTypeAtIndex(t, k);
        } else {
            uint64_t count = LLVMGetTypeKind(t) == LLVMArrayTypeKind ? LLVMGetArrayLength2(t) : 0;
            t = LLVMGetElementType(t);
            add_step(sp, &a, ix, LLVMABISizeOfType(td, t), count);
        }
    }
    return a;
}

static bool
is_stable(const struct burl__sp *sp, LLVMValueRef load)
{
    uint32_t n;
    const uint32_t *leaves = burl_pts_of(sp->pts, LLVMGetOperand(load, 0), &n);

    for (uint32_t i = 0; i < n; i++) {
        enum burl_pts_kind kind = burl_pts_object_of(sp->pts, leaves[i])->kind;
        if (sp->unstable[leaves[i]] || (kind != BURL_PTS_GLOBAL && kind != BURL_PTS_HEAP))
            return false;
    }
    return n > 0;
}

/* The value stored to where `load` loads from, a few instructions before it; NULL unknown. */
static LLVMValueRef
just_stored(struct burl__sp *sp, LLVMValueRef load)
{
    struct burl__addr at = burl__addr_of(sp, LLVMGetOperand(load, 0));
    LLVMValueRef i = LLVMGetPreviousInstruction(load);

    for (int n = 0; i && n < 16; i = LLVMGetPreviousInstruction(i), n++) {
        if (LLVMIsAStoreInst(i)) {
            struct burl__addr to = burl__addr_of(sp, LLVMGetOperand(i, 1));
            bool same = to.node == at.node && to.off == at.off;
            return same && LLVMTypeOf(LLVMGetOperand(i, 0)) == LLVMTypeOf(load)
                       ? LLVMGetOperand(i, 0)
                       : NULL;
        }
        if (burl_ir_is_call(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
            return NULL;
    }
    return NULL;
}

static struct burl__addr
load_addr(struct burl__sp *sp, LLVMValueRef load)
{
    if (is_stable(sp, load)) {
        struct burl__addr at = burl__addr_of(sp, LLVMGetOperand(load, 0));
        struct burl__node n = { .kind = BURL__NODE_LOAD, .parent = at.node, .off = at.off };
        return (struct burl__addr){ burl__node_intern(sp, &n), 0 };
    }
    LLVMValueRef stored = just_stored(sp, load);
    return stored ? burl__addr_of(sp, stored)
                  : (struct burl__addr){ burl__value_node(sp, load), 0 };
}

struct burl__addr
burl__addr_of(struct burl__sp *sp, LLVMValueRef ptr)
{
    for (;;) {
        if (burl_ir_is_gep(ptr))
            return gep_addr(sp, ptr);
        if (!LLVMIsABitCastInst(ptr) && !LLVMIsAFreezeInst(ptr))
            break;
        ptr = LLVMGetOperand(ptr, 0);
    }
    if (LLVMIsALoadInst(ptr) && LLVMGetOrdering(ptr) == LLVMAtomicOrderingNotAtomic &&
        !LLVMGetVolatile(ptr))
        return load_addr(sp, ptr);
    return (struct burl__addr){ burl__value_node(sp, ptr), 0 };
}

LLVMTypeRef
burl__struct_of(struct burl__sp *sp, LLVMValueRef ptr, struct burl__addr *start)
{
    LLVMTypeRef t = NULL;

    for (;;) {
        if (burl_ir_is_gep(ptr)) {
            LLVMTypeRef from = LLVMGetGEPSourceElementType(ptr);
            bool here = burl_ir_is_int(LLVMGetOperand(ptr, 1), 0);
            ptr = LLVMGetOperand(ptr, 0);
            if (LLVMGetTypeKind(from) == LLVMStructTypeKind && here) {
                t = from;
                *start = burl__addr_of(sp, ptr);
            }
        } else if (LLVMIsABitCastInst(ptr) || LLVMIsAFreezeInst(ptr)) {
            ptr = LLVMGetOperand(ptr, 0);
        } else {
            return t;
        }
    }
}

bool
burl__node_has(const struct burl__sp *sp, uint32_t node, LLVMValueRef v)
{
    for (; node != UINT32_MAX; node = sp->nodes.v[node].parent)
        if (sp->nodes.v[node].v == v)
            return true;
    return false;
}

bool
burl__node_is_global(const struct burl__sp *sp, uint32_t node)
{
    for (; node != UINT32_MAX; node = sp->nodes.v[node].parent) {
        const struct burl__node *n = &sp->nodes.v[node];
        if (n->kind == BURL__NODE_INDEX)
            return false;
        if (n->kind == BURL__NODE_VALUE &&
            (!LLVMIsAGlobalVariable(n->v) || LLVMIsThreadLocal(n->v)))
            return false;
    }
    return true;
}

static void
put_addr(const struct burl__sp *sp, struct burl_buf *out, struct burl__addr a)
{
    const struct burl__node *n = &sp->nodes.v[a.node];

    if (n->kind == BURL__NODE_VALUE) {
        char *name = LLVMIsAGlobalValue(n->v) ? burl__sp_global_name(n->v) : burl_xstrdup("it");
        burl_buf_str_append(out, name);
        free(name);
    } else {
        put_addr(sp, out, (struct burl__addr){ n->parent, n->off });
    }
    if (n->kind == BURL__NODE_INDEX)
        burl_buf_str_append(out, "[]");
    if (n->kind == BURL__NODE_LOAD)
        burl_buf_str_append(out, "->");
    if (a.off)
        burl_buf_printf(out, "+%lld", (long long)a.off);
}

/* "account.lock" for the lock of a global, NULL when it has no such name. */
static char *
global_field_name(struct burl__sp *sp, struct burl__addr a, uint64_t max_b)
{
    const struct burl__node *n = &sp->nodes.v[a.node];

    if (n->kind != BURL__NODE_VALUE || !LLVMIsAGlobalVariable(n->v) || a.off < 0 ||
        LLVMGetTypeKind(LLVMGlobalGetValueType(n->v)) != LLVMStructTypeKind ||
        LLVMABISizeOfType(sp->p->td, LLVMGlobalGetValueType(n->v)) <= max_b)
        return NULL;
    char *field = burl__sp_field_name(sp, LLVMGlobalGetValueType(n->v), (uint64_t)a.off, max_b);
    char *name = burl__sp_global_name(n->v);
    char *text = field ? burl_xasprintf("%s.%s", name, field) : NULL;
    free(name);
    free(field);
    return text;
}

char *
burl__addr_name(struct burl__sp *sp, struct burl__addr a, uint64_t max_b)
{
    char *field = global_field_name(sp, a, max_b);
    struct burl_buf b;

    if (field)
        return field;
    burl_buf_init(&b, 512);
    put_addr(sp, &b, a);
    if (b.n > 2 && strcmp(b.p + b.n - 2, "->") == 0) {
        burl_buf_truncate(&b, b.n - 2);
        char *text = burl_xasprintf("*%s", burl_buf_str(&b));
        burl_buf_deinit(&b);
        return text;
    }
    return burl_buf_take(&b, NULL);
}

static void
mark_pointer(struct burl__sp *sp, LLVMValueRef ptr, bool whole)
{
    uint32_t n;
    const uint32_t *leaves = burl_pts_of(sp->pts, ptr, &n);

    for (uint32_t i = 0; i < n; i++) {
        const struct burl_pts_object *o = burl_pts_object_of(sp->pts, leaves[i]);
        sp->unstable[leaves[i]] = true;
        for (uint32_t k = 0; whole && k < o->n_leaves; k++)
            sp->unstable[o->first_leaf + k] = true;
    }
}

/* A function that states a write is not trusted to write nothing. */
static bool
writes_nothing(const struct burl__sp *sp, LLVMValueRef f)
{
    const struct burl_libfn fn = burl_program_libfn(sp->p, f);

    for (int i = 0; i < BURL_LIBFN_ACCESSES; i++)
        if (fn.access[i].kind == BURL_SITE_RANGE_WRITE)
            return false;
    return (fn.is & BURL_FN_WRITES_NOTHING) || burl__is_marker(burl_ir_name(f));
}

static void
mark_written(struct burl__sp *sp, uint32_t fn, LLVMValueRef i)
{
    if (LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) {
        if (!burl__sp_is_before(sp, i, fn))
            mark_pointer(sp, LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0), false);
        return;
    }
    if (!burl_ir_is_call(i) || burl__sp_is_before(sp, i, fn))
        return;
    LLVMValueRef f = burl__callee(sp, i);
    if (f && (!LLVMIsDeclaration(f) || writes_nothing(sp, f)))
        return;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
        if (burl_ir_is_pointer(LLVMGetOperand(i, k)))
            mark_pointer(sp, LLVMGetOperand(i, k), true);
}

/* Marks every leaf that may be written when another thread may exist. */
void
burl__sp_stable(struct burl__sp *sp)
{
    struct burl_pts_stats st;

    burl_pts_stats(sp->pts, &st);
    sp->unstable = burl_xcalloc((size_t)st.n_leaves + 1, sizeof *sp->unstable);
    for (uint32_t f = 0; f < sp->fns.n; f++) {
        if (sp->fns.v[f].roots.n == 0)
            continue;
        for (LLVMValueRef i = burl_ir_first(sp->fns.v[f].fn); i; i = burl_ir_next(i))
            mark_written(sp, f, i);
    }
}
