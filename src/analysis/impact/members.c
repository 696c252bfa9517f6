/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/members.c - which functions a member of a struct type holds.
 *
 * Runs in burl-analyze. A table of functions (`config.mutex.xEnter(m)`) is called through a member,
 * and points-to may mix up what such pointers lead to in a large program, so that every call would
 * be a lock statement. What initializers and stores put into the member of that type is a better
 * answer, as long as nothing else is stored there: a parameter, a value from elsewhere.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/impact/impact_int.h"
#include "base/hash.h"

enum { MAX_DEPTH = 12 };

static uint64_t
key_of(LLVMTypeRef t, unsigned member)
{
    char *name = burl__struct_name(t);
    uint64_t h = burl_hash_bytes(burl_hash_u64(BURL_HASH_BEGIN, member), name, strlen(name));

    free(name);
    return burl_hash_end(h);
}

static struct burl_u32s *
list_at(struct burl__side *s, uint64_t key)
{
    uint64_t list = s->member_fns.n;

    if (!burl_map_get(&s->members, key, &list)) {
        burl_map_set(&s->members, key, list);
        (void)BURL_VEC_ADD(&s->member_fns);
    }
    return &s->member_fns.v[list];
}

static void
put(struct burl__side *s, LLVMTypeRef t, unsigned member, LLVMValueRef fn)
{
    uint32_t ix =
        LLVMIsAFunction(fn) ? burl__body_ix(s, burl_program_definition(s->p, fn)) : UINT32_MAX;

    if (ix != UINT32_MAX)
        burl_u32s_add(list_at(s, key_of(t, member)), ix);
}

static void
scan_constant(struct burl__side *s, LLVMValueRef c, int depth)
{
    LLVMTypeRef t = LLVMTypeOf(c);
    bool record = LLVMIsAConstantStruct(c) != NULL;

    if (depth > MAX_DEPTH || (!record && !LLVMIsAConstantArray(c)))
        return;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(c); i++) {
        LLVMValueRef x = LLVMGetOperand(c, i);
        if (record && LLVMGetStructName(t))
            put(s, t, i, x);
        scan_constant(s, x, depth + 1);
    }
}

/* The member of a variable that a byte offset leads to. */
static bool
member_at(LLVMTargetDataRef td, LLVMTypeRef t, uint64_t off, LLVMTypeRef *in, unsigned *member)
{
    bool found = false;
    LLVMTypeRef at = t;
    uint64_t left = off;

    do {
        t = at;
        off = left;
        if (LLVMGetTypeKind(t) != LLVMStructTypeKind || !LLVMGetStructName(t) ||
            off >= LLVMABISizeOfType(td, t))
            continue;
        *in = t;
        *member = LLVMElementAtOffset(td, t, off);
        found = true;
    } while (burl_ir_enter(td, &at, &left));
    return found && left == 0;
}

/* The member that a constant path leads to. */
static bool
member_of(const struct burl__side *s, LLVMValueRef gep, LLVMTypeRef *in, unsigned *member)
{
    bool found = false;
    int64_t off;
    LLVMValueRef base = burl__strip(s->p->td, gep, &off);
    LLVMTypeRef of = LLVMIsAGlobalVariable(base) ? LLVMGlobalGetValueType(base)
                     : LLVMIsAAllocaInst(base)   ? LLVMGetAllocatedType(base)
                                                 : NULL;

    if (of && LLVMTypeIsSized(of) && off >= 0)
        return member_at(s->p->td, of, (uint64_t)off, in, member);
    if (!burl_ir_is_gep(gep))
        return false;
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    for (int i = 2; i < LLVMGetNumOperands(gep); i++) {
        found = LLVMGetTypeKind(t) == LLVMStructTypeKind && LLVMGetStructName(t);
        if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            *in = t;
            *member = (unsigned)burl_ir_int_or_0(LLVMGetOperand(gep, (unsigned)i));
            t = LLVMStructGetTypeAtIndex(t, *member);
        } else {
            t = LLVMGetElementType(t);
        }
    }
    return found;
}

/* OPEN in a list: it may be any function. */
enum { OPEN = 0x7fffffff };

static void
scan_store(struct burl__side *s, LLVMValueRef store)
{
    LLVMValueRef v = LLVMGetOperand(store, 0);
    LLVMTypeRef t, from;
    unsigned member, of;

    if (!burl_ir_is_pointer(v) || LLVMIsAConstantPointerNull(v) ||
        !member_of(s, LLVMGetOperand(store, 1), &t, &member))
        return;
    if (LLVMIsAFunction(v))
        put(s, t, member, v);
    else if (!LLVMIsALoadInst(v) || !member_of(s, LLVMGetOperand(v, 0), &from, &of) ||
             key_of(from, of) != key_of(t, member))
        burl_u32s_add(list_at(s, key_of(t, member)), OPEN);
}

void
burl__members_find(struct burl__side *s)
{
    for (size_t m = 0; m < s->p->modules.n; m++)
        for (LLVMValueRef g = LLVMGetFirstGlobal(s->p->modules.v[m].mod); g;
             g = LLVMGetNextGlobal(g))
            if (LLVMGetInitializer(g))
                scan_constant(s, LLVMGetInitializer(g), 0);
    for (size_t f = 0; f < s->fns.n; f++)
        for (LLVMValueRef i = burl_ir_first(s->fns.v[f].fn); i; i = burl_ir_next(i))
            if (LLVMIsAStoreInst(i))
                scan_store(s, i);
}

const struct burl_u32s *
burl__members_called(const struct burl__side *s, LLVMValueRef call)
{
    LLVMValueRef v = LLVMGetCalledValue(call);
    LLVMTypeRef t;
    unsigned member;
    uint64_t list;

    if (!v || !LLVMIsALoadInst(v) || !member_of(s, LLVMGetOperand(v, 0), &t, &member) ||
        !burl_map_get(&s->members, key_of(t, member), &list) ||
        burl_u32s_has(&s->member_fns.v[list], OPEN) || s->member_fns.v[list].n == 0)
        return NULL;
    return &s->member_fns.v[list];
}
