/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_field.c - the functions that a member of a struct type may hold. Host side.
 *
 * Wrappers are looked for before anything is solved, and an allocator may be called through a table
 * of functions (SQLite's memory methods). So this guesses by type: the functions that initializers
 * and stores anywhere in the program put into that member of that struct type. It is a guess,
 * because memory may be accessed through other types: pts.c verifies it against the solution, and
 * solves again without if it was wrong.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pts/pts_int.h"
#include "base/hash.h"
#include "base/mem.h"

struct burl__fields {
    struct burl_map by_key; /* index into `all` */
    BURL_VEC(struct burl__functions) all;
};

/* The same struct in several modules has names like "struct.s" and "struct.s.12". */
static bool
key_of(LLVMTypeRef t, unsigned field, uint64_t *key)
{
    const char *name = LLVMIsLiteralStruct(t) ? NULL : LLVMGetStructName(t);
    size_t n = name ? strlen(name) : 0, end = n;

    if (!name)
        return false;
    while (end > 0 && isdigit((unsigned char)name[end - 1]))
        end--;
    if (end > 0 && end < n && name[end - 1] == '.')
        n = end - 1;
    *key = burl_hash_end(burl_hash_u64(burl_hash_bytes(BURL_HASH_BEGIN, name, n), field));
    return true;
}

/* `fn` is NULL: something that is not a function by name. */
static void
add_function(struct burl__fields *f, uint64_t key, LLVMValueRef fn)
{
    uint64_t ix;

    if (!burl_map_get(&f->by_key, key, &ix)) {
        ix = f->all.n;
        burl_map_set(&f->by_key, key, ix);
        (void)BURL_VEC_ADD(&f->all);
    }
    BURL_VEC_PUSH(&f->all.v[ix], fn);
}

static void
read_constant(struct burl_pts *s, struct burl__fields *f, LLVMValueRef c)
{
    LLVMTypeRef t = LLVMTypeOf(c);
    bool is_struct = LLVMIsAConstantStruct(c) != NULL;
    int n = is_struct || LLVMIsAConstantArray(c) ? LLVMGetNumOperands(c) : 0;

    for (int i = 0; i < n; i++) {
        LLVMValueRef v = LLVMGetOperand(c, (unsigned)i);
        uint64_t key;
        if (LLVMIsAFunction(v) && is_struct && key_of(t, (unsigned)i, &key))
            add_function(f, key, burl__pts_def(s, v));
        else
            read_constant(s, f, v);
    }
}

/* The innermost member at a byte offset of a type. */
static bool
member_at(LLVMTargetDataRef td, LLVMTypeRef t, uint64_t offset, uint64_t *key)
{
    LLVMTypeRef in = t;
    uint64_t at = offset;
    bool found = false;

    for (; burl_ir_enter(td, &t, &offset); in = t, at = offset)
        found = LLVMGetTypeKind(in) == LLVMStructTypeKind &&
                key_of(in, LLVMElementAtOffset(td, in, at), key);
    return found;
}

/* The innermost member that an address names. Constant addresses come as bytes from a global. */
static bool
member_of(struct burl_pts *s, LLVMValueRef ptr, uint64_t *key)
{
    bool gep = burl_ir_is_gep(ptr);
    LLVMValueRef base = gep && !LLVMIsAInstruction(ptr) ? LLVMGetOperand(ptr, 0) : ptr;
    struct burl_ir_steps step;
    int64_t d = 0;

    if ((!gep && !LLVMIsAGlobalVariable(base)) || (gep && burl_ir_gep(s->p->td, ptr, &d, &step)))
        return false;
    LLVMTypeRef t = LLVMIsAGlobalVariable(base)      ? LLVMGlobalGetValueType(base)
                    : LLVMIsAGetElementPtrInst(base) ? LLVMGetGEPSourceElementType(base)
                                                     : NULL;
    return t && d >= 0 && member_at(s->p->td, t, (uint64_t)d, key);
}

static void
read_store(struct burl_pts *s, struct burl__fields *f, LLVMValueRef i)
{
    LLVMValueRef v = LLVMGetOperand(i, 0);
    uint64_t key;

    if (!burl_ir_is_pointer(v) || LLVMIsNull(v) || !member_of(s, LLVMGetOperand(i, 1), &key))
        return;
    add_function(f, key, LLVMIsAFunction(v) ? burl__pts_def(s, v) : NULL);
}

static struct burl__fields *
read_program(struct burl_pts *s)
{
    struct burl__fields *f = burl_xcalloc(1, sizeof *f);

    for (size_t m = 0; m < s->p->modules.n; m++)
        for (LLVMValueRef g = LLVMGetFirstGlobal(s->p->modules.v[m].mod); g;
             g = LLVMGetNextGlobal(g))
            if (LLVMGetInitializer(g))
                read_constant(s, f, LLVMGetInitializer(g));
    for (size_t k = 0; k < s->p->functions.n; k++)
        for (LLVMValueRef i = burl_ir_first(s->p->functions.v[k]); i; i = burl_ir_next(i))
            if (LLVMIsAStoreInst(i))
                read_store(s, f, i);
    return f;
}

const struct burl__functions *
burl__pts_guess(struct burl_pts *s, LLVMValueRef call)
{
    LLVMValueRef v = LLVMGetCalledValue(call);
    uint64_t key, ix;

    if (!LLVMIsALoadInst(v) || !member_of(s, LLVMGetOperand(v, 0), &key))
        return NULL;
    if (!s->fields)
        s->fields = read_program(s);
    return burl_map_get(&s->fields->by_key, key, &ix) ? &s->fields->all.v[ix] : NULL;
}
