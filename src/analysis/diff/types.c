/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/diff/types.c - types of two versions. Runs in burl-analyze.
 *
 * The two programs have contexts of their own, so types are compared by what they are. Structs are
 * compared by their names: a struct that has gained a member is the same struct to code that does
 * not use the member. Members are compared by name where debug information has one, and by position
 * where it has none.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff_int.h"
#include "ir/ditype.h"

enum { MAX_DEPTH = 12 };

static uint64_t
hash_name(const char *name, size_t n)
{
    return burl_hash_end(burl_hash_bytes(BURL_HASH_BEGIN, name, n));
}

/* "list<int>" is "list" to LLVM, which keeps the arguments of scopes. */
static size_t
plain_length(const char *name)
{
    size_t n = strlen(name);
    int depth = 0;

    if (n == 0 || name[n - 1] != '>')
        return n;
    for (size_t i = n; i-- > 0;) {
        depth += name[i] == '>' ? 1 : name[i] == '<' ? -1 : 0;
        if (depth == 0)
            return i;
    }
    return n;
}

void
burl__types_init(struct burl__side *s)
{
    s->records = burl_records_gather(s->p);
    size_t n = s->records->all.n;
    s->next_record = burl_xcalloc(n + 1, sizeof *s->next_record);
    for (size_t i = n; i-- > 0;) {
        const char *name = s->records->all.v[i].name;
        uint64_t h = hash_name(name, plain_length(name)), first;
        s->next_record[i] = burl_map_get(&s->record_of, h, &first) ? (uint32_t)first : BURL__NONE;
        burl_map_set(&s->record_of, h, i);
    }
}

/* A name for the member; an unnamed one is called after its first member. */
static uint64_t
member_hash(LLVMContextRef ctx, LLVMMetadataRef m)
{
    uint64_t h = BURL_HASH_BEGIN;

    for (int i = 0; m && i < MAX_DEPTH; i++) {
        bool base = burl_di_tag(m) == BURL_DI_INHERITANCE;
        LLVMMetadataRef t = burl_di_strip(ctx, burl_di_operand(ctx, m, BURL_DI_BASE));
        const char *name = burl_di_string(ctx, base && t ? t : m, BURL_DI_NAME);
        uint64_t off = 0;

        h = burl_hash_str(h, base ? "base" : "member");
        h = burl_hash_str(h, name);
        if (*name)
            return burl_hash_end(h) | 1;
        m = t && burl_di_is_record(ctx, t) ? burl_di_member(ctx, t, &off, 0) : NULL;
    }
    return 0;
}

static void
name_members(struct burl__side *s, struct burl__struct *x, const struct burl_record *r, bool first)
{
    for (unsigned i = 0; i < x->n; i++) {
        uint64_t off = LLVMOffsetOfElement(s->p->td, x->type, i);
        LLVMMetadataRef m = burl_di_member(s->records->ctx, r->type, &off, 0);
        uint64_t h = m && off == 0 ? member_hash(s->records->ctx, m) : 0;

        /* Types of one name that disagree name nothing. */
        x->members[i] = first || x->members[i] == h ? h : 0;
    }
}

const struct burl__struct *
burl__types_struct(struct burl__side *s, LLVMTypeRef t)
{
    uint32_t ix = (uint32_t)s->structs.n;
    bool first = true;
    uint64_t r;

    if (burl_valmap_find_or_add(&s->struct_of, t, &ix))
        return &s->structs.v[ix];
    struct burl__struct *x = BURL_VEC_ADD(&s->structs);
    x->type = t;
    x->n = LLVMCountStructElementTypes(t);
    x->members = burl_xcalloc((size_t)x->n + 1, sizeof *x->members);
    x->name = burl_records_type_name(t, &x->name_n);
    if (x->name && x->name_n == 4 && strncmp(x->name, "anon", 4) == 0)
        x->name = NULL;
    if (!x->name || !LLVMTypeIsSized(t) ||
        !burl_map_get(&s->record_of, hash_name(x->name, x->name_n), &r))
        return x;
    uint64_t size_b = LLVMABISizeOfType(s->p->td, t);
    for (; r != BURL__NONE; r = s->next_record[r]) {
        const struct burl_record *rec = &s->records->all.v[r];
        if (rec->size_b != size_b || plain_length(rec->name) != x->name_n ||
            strncmp(rec->name, x->name, x->name_n) != 0)
            continue;
        name_members(s, x, rec, first);
        first = false;
    }
    return x;
}

static bool
same_name(const struct burl__struct *a, const struct burl__struct *b)
{
    return a->name && b->name && a->name_n == b->name_n && memcmp(a->name, b->name, a->name_n) == 0;
}

static bool same_at(struct burl_diff_int *d, LLVMTypeRef is, LLVMTypeRef was, bool layout,
                    int depth);

/* Pointers into `structs` move when a struct is added: copies. */
static void
get_both(struct burl_diff_int *d, LLVMTypeRef is, LLVMTypeRef was, struct burl__struct *a,
         struct burl__struct *b)
{
    *a = *burl__types_struct(&d->side[BURL__IS], is);
    *b = *burl__types_struct(&d->side[BURL__WAS], was);
}

static bool
has_member(const struct burl__struct *x, uint64_t hash)
{
    for (unsigned i = 0; i < x->n; i++)
        if (x->members[i] == hash)
            return true;
    return false;
}

static bool
has_names(const struct burl__struct *x)
{
    for (unsigned i = 0; i < x->n; i++)
        if (x->members[i])
            return true;
    return false;
}

static bool
same_elements(struct burl_diff_int *d, const struct burl__struct *a, const struct burl__struct *b,
              unsigned n, bool layout, int depth)
{
    for (unsigned i = 0; i < n; i++)
        if (!same_at(d, LLVMStructGetTypeAtIndex(a->type, i), LLVMStructGetTypeAtIndex(b->type, i),
                     layout, depth + 1))
            return false;
    return true;
}

/* Members that both have. */
static bool
same_common_members(struct burl_diff_int *d, const struct burl__struct *a,
                    const struct burl__struct *b, int depth)
{
    for (unsigned i = 0; i < a->n; i++) {
        for (unsigned k = 0; k < b->n; k++)
            if (a->members[i] && a->members[i] == b->members[k] &&
                !same_at(d, LLVMStructGetTypeAtIndex(a->type, i),
                         LLVMStructGetTypeAtIndex(b->type, k), true, depth + 1))
                return false;
    }
    return true;
}

static bool
same_structs(struct burl_diff_int *d, LLVMTypeRef is, LLVMTypeRef was, bool layout, int depth)
{
    struct burl__struct a, b;

    get_both(d, is, was, &a, &b);
    if (a.name && b.name && !layout)
        return same_name(&a, &b);
    if (!a.name != !b.name || (a.name && !same_name(&a, &b)))
        return false;
    if (has_names(&a) && has_names(&b))
        return same_common_members(d, &a, &b, depth);
    return a.n == b.n && same_elements(d, &a, &b, a.n, layout, depth);
}

static bool
same_signature(struct burl_diff_int *d, LLVMTypeRef is, LLVMTypeRef was, int depth)
{
    unsigned n = LLVMCountParamTypes(is);
    bool same = n == LLVMCountParamTypes(was) &&
                LLVMIsFunctionVarArg(is) == LLVMIsFunctionVarArg(was) &&
                same_at(d, LLVMGetReturnType(is), LLVMGetReturnType(was), false, depth + 1);
    LLVMTypeRef *a = burl_xcalloc((size_t)n + 1, sizeof *a);
    LLVMTypeRef *b = burl_xcalloc((size_t)n + 1, sizeof *b);

    if (same) {
        LLVMGetParamTypes(is, a);
        LLVMGetParamTypes(was, b);
    }
    for (unsigned i = 0; same && i < n; i++)
        same = same_at(d, a[i], b[i], false, depth + 1);
    free(a);
    free(b);
    return same;
}

static bool
same_at(struct burl_diff_int *d, LLVMTypeRef is, LLVMTypeRef was, bool layout, int depth)
{
    LLVMTypeKind kind = LLVMGetTypeKind(is);

    if (kind != LLVMGetTypeKind(was))
        return false;
    if (depth > MAX_DEPTH)
        return true;
    switch (kind) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(is) == LLVMGetIntTypeWidth(was);
    case LLVMPointerTypeKind:
        return LLVMGetPointerAddressSpace(is) == LLVMGetPointerAddressSpace(was);
    case LLVMArrayTypeKind:
        return LLVMGetArrayLength2(is) == LLVMGetArrayLength2(was) &&
               same_at(d, LLVMGetElementType(is), LLVMGetElementType(was), layout, depth + 1);
    case LLVMVectorTypeKind:
    case LLVMScalableVectorTypeKind:
        return LLVMGetVectorSize(is) == LLVMGetVectorSize(was) &&
               same_at(d, LLVMGetElementType(is), LLVMGetElementType(was), layout, depth + 1);
    case LLVMStructTypeKind:
        return same_structs(d, is, was, layout, depth);
    case LLVMFunctionTypeKind:
        return same_signature(d, is, was, depth);
    default:
        return true;
    }
}

bool
burl__types_same(struct burl_diff_int *d, LLVMTypeRef is, LLVMTypeRef was)
{
    return same_at(d, is, was, false, 0);
}

bool
burl__types_same_layout(struct burl_diff_int *d, LLVMTypeRef is, LLVMTypeRef was)
{
    return same_at(d, is, was, true, 0);
}

static bool
same_member(struct burl_diff_int *d, const struct burl__struct *a, unsigned i,
            const struct burl__struct *b, unsigned k)
{
    uint64_t x = a->members[i], y = b->members[k];

    if (x && x == y)
        return true;
    /* Renamed: neither name is one of the other version. */
    if (x && y)
        return i == k && a->n == b->n && !has_member(a, y) && !has_member(b, x);
    return i == k && same_elements(d, a, b, i + 1, false, 0);
}

bool
burl__types_same_member(struct burl_diff_int *d, LLVMTypeRef is, unsigned i, LLVMTypeRef was,
                        unsigned k)
{
    struct burl__struct a, b;

    get_both(d, is, was, &a, &b);
    return i < a.n && k < b.n && same_member(d, &a, i, &b, k);
}

uint32_t
burl__types_member(struct burl_diff_int *d, int side, LLVMTypeRef from, unsigned i, LLVMTypeRef to)
{
    struct burl__struct a, b;
    bool is = side == BURL__IS;

    get_both(d, is ? from : to, is ? to : from, &a, &b);
    unsigned n = is ? b.n : a.n;
    for (unsigned k = 0; k < n; k++)
        if (is ? same_member(d, &a, i, &b, k) : same_member(d, &a, k, &b, i))
            return k;
    return BURL__NONE;
}

static uint64_t
key_at(struct burl__side *s, LLVMTypeRef t, int depth)
{
    LLVMTypeKind kind = LLVMGetTypeKind(t);
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, (uint64_t)kind);

    if (depth > 4)
        return h;
    switch (kind) {
    case LLVMIntegerTypeKind:
        return burl_hash_u64(h, LLVMGetIntTypeWidth(t));
    case LLVMArrayTypeKind:
        return burl_hash_u64(burl_hash_u64(h, LLVMGetArrayLength2(t)),
                             key_at(s, LLVMGetElementType(t), depth + 1));
    case LLVMVectorTypeKind:
        return burl_hash_u64(burl_hash_u64(h, LLVMGetVectorSize(t)),
                             key_at(s, LLVMGetElementType(t), depth + 1));
    case LLVMStructTypeKind: {
        const struct burl__struct *x = burl__types_struct(s, t);
        unsigned n = x->n;
        if (x->name)
            return burl_hash_bytes(h, x->name, x->name_n);
        for (unsigned i = 0; i < n; i++)
            h = burl_hash_u64(h, key_at(s, LLVMStructGetTypeAtIndex(t, i), depth + 1));
        return h;
    }
    default:
        return h;
    }
}

uint64_t
burl__types_key(struct burl__side *s, LLVMTypeRef t)
{
    return key_at(s, t, 0);
}

static uint64_t
hash_sizes(uint64_t is_b, uint64_t was_b)
{
    return burl_hash_end(burl_hash_u64(burl_hash_u64(BURL_HASH_BEGIN, is_b), was_b));
}

void
burl__types_find_grown(struct burl_diff_int *d)
{
    const struct burl__side *a = &d->side[BURL__IS], *b = &d->side[BURL__WAS];
    struct burl_map was = { 0 };
    uint64_t k;

    /* A name that stands for several structs of different sizes proves nothing. */
    for (size_t i = 0; i < b->records->all.n; i++) {
        const struct burl_record *r = &b->records->all.v[i];
        uint64_t h = hash_name(r->name, strlen(r->name)), size;
        burl_map_set(&was, h, burl_map_get(&was, h, &size) && size != r->size_b ? 0 : r->size_b);
    }
    for (size_t i = 0; i < a->records->all.n; i++) {
        const struct burl_record *r = &a->records->all.v[i];
        if (burl_map_get(&was, hash_name(r->name, strlen(r->name)), &k) && k && k != r->size_b)
            burl_map_set(&d->grown, hash_sizes(r->size_b, k), 1);
    }
    burl_map_deinit(&was);
}

bool
burl__types_grown(const struct burl_diff_int *d, uint64_t is_b, uint64_t was_b)
{
    uint64_t unused;

    return burl_map_get(&d->grown, hash_sizes(is_b, was_b), &unused);
}
