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

struct entry {
    uint64_t key;
    uint32_t order;
    LLVMValueRef fn; /* NULL: something that is not a function by name */
};

struct burl__fields {
    struct {
        BURL_VEC_OF(struct entry);
    } all;
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

static void
add(struct burl__fields *f, uint64_t key, LLVMValueRef fn)
{
    BURL_VEC_PUSH(&f->all, (struct entry){ key, (uint32_t)f->all.n, fn });
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
            add(f, key, burl__pts_def(s, v));
        else
            read_constant(s, f, v);
    }
}

/* The innermost member at a byte offset of a type. */
static bool
member_at(LLVMTargetDataRef td, LLVMTypeRef t, uint64_t offset, uint64_t *key)
{
    bool found = false;

    while (offset < LLVMABISizeOfType(td, t)) {
        if (LLVMGetTypeKind(t) == LLVMStructTypeKind && LLVMCountStructElementTypes(t)) {
            unsigned i = LLVMElementAtOffset(td, t, offset);
            found = key_of(t, i, key);
            offset -= LLVMOffsetOfElement(td, t, i);
            t = LLVMStructGetTypeAtIndex(t, i);
        } else if (LLVMGetTypeKind(t) == LLVMArrayTypeKind) {
            t = LLVMGetElementType(t);
            offset %= LLVMABISizeOfType(td, t);
            found = false;
        } else {
            break;
        }
    }
    return found;
}

/* The innermost member that an address names. Constant addresses come as bytes from a global. */
static bool
member_of(struct burl_pts *s, LLVMValueRef ptr, uint64_t *key)
{
    bool gep = LLVMIsAConstantExpr(ptr) && LLVMGetConstOpcode(ptr) == LLVMGetElementPtr;
    LLVMTargetDataRef td = s->p->modules.v[0].td;
    struct burl__step step;
    int64_t d = 0;

    if (LLVMIsAGlobalVariable(ptr) || (gep && LLVMIsAGlobalVariable(LLVMGetOperand(ptr, 0)))) {
        LLVMValueRef g = gep ? LLVMGetOperand(ptr, 0) : ptr;
        if (gep)
            burl__pts_gep(s, td, ptr, &d, &step);
        LLVMTypeRef t = LLVMGlobalGetValueType(g);
        return d >= 0 && LLVMTypeIsSized(t) && member_at(td, t, (uint64_t)d, key);
    }
    if (!LLVMIsAGetElementPtrInst(ptr))
        return false;
    LLVMTypeRef t = LLVMGetGEPSourceElementType(ptr);
    return !burl__pts_gep(s, td, ptr, &d, &step) && d >= 0 && LLVMTypeIsSized(t) &&
           member_at(td, t, (uint64_t)d, key);
}

static void
read_store(struct burl_pts *s, struct burl__fields *f, LLVMValueRef i)
{
    LLVMValueRef v = LLVMGetOperand(i, 0);
    uint64_t key;

    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind || LLVMIsNull(v) ||
        !member_of(s, LLVMGetOperand(i, 1), &key))
        return;
    add(f, key, LLVMIsAFunction(v) ? burl__pts_def(s, v) : NULL);
}

static int
compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
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
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->p->functions.v[k]); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsAStoreInst(i))
                    read_store(s, f, i);
    if (f->all.n)
        qsort(f->all.v, f->all.n, sizeof *f->all.v, compare);
    return f;
}

bool
burl__pts_guess(struct burl_pts *s, LLVMValueRef call,
                bool (*each)(void *arg, LLVMValueRef call, LLVMValueRef fn), void *arg)
{
    LLVMValueRef v = LLVMGetCalledValue(call);
    uint64_t key;
    bool any = false;

    if (!LLVMIsALoadInst(v) || !member_of(s, LLVMGetOperand(v, 0), &key))
        return false;
    if (!s->fields)
        s->fields = read_program(s);
    size_t lo = 0, hi = s->fields->all.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (s->fields->all.v[mid].key < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < s->fields->all.n && s->fields->all.v[lo].key == key; lo++) {
        if (!s->fields->all.v[lo].fn || !each(arg, call, s->fields->all.v[lo].fn))
            return false;
        any = true;
    }
    return any;
}

void
burl__pts_free_fields(struct burl_pts *s)
{
    if (s->fields)
        BURL_VEC_FREE(&s->fields->all);
    free(s->fields);
}
