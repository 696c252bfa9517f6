/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/locknum.c - lock numbers that agree between accesses, and names of locks.
 *
 * Runs in burl-analyze. A lock gets a number of the target in one of three forms, each of which
 * makes equal numbers the same lock whenever two accesses touch the same memory: a fixed place (a
 * global); a fixed distance from the accessed byte (q->lock for q->head); a fixed place around an
 * array that the access indexes within its bounds (t->lock for t->slot[i]).
 *
 * A distance is from the first byte. Accesses that overlap and start apart would have their locks
 * apart by as much; two locks cannot overlap, so that is impossible if the accesses are no larger
 * than a lock, or of one size and aligned to it. Others (long ranges) have no lock in this form.
 *
 * The struct type is part of a number only so that a number has one name: w->lock of a writer and
 * c->lock of a connection differ even at the same distance. Memory accessed through two types then
 * has two numbers, which loses a proof and never adds one.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/target/steps.h"

enum lock_form { FORM_PLACE, FORM_DISTANCE, FORM_AROUND };

struct lock_key {
    enum lock_form form;
    bool shared;
    uint32_t node;
    uint32_t size_b; /* of the lock */
    int64_t off;
    uint64_t bytes; /* of the access where it is larger than the lock, else 0 */
    uint64_t stride, count;
    int64_t array_off;
    char *type;     /* struct that the lock is in, "" unknown */
    int64_t in_off; /* and where in it */
};

struct burl__lock_keys {
    BURL_VEC_OF(struct lock_key);
};

struct burl__lock_keys *
burl__lock_keys_new(void)
{
    return burl_xcalloc(1, sizeof(struct burl__lock_keys));
}

static bool
is_single_access(LLVMValueRef inst)
{
    return LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst) || LLVMIsAAtomicRMWInst(inst) ||
           LLVMIsAAtomicCmpXchgInst(inst);
}

/* May a distance identify the lock? *bytes: see lock_key. */
static bool
has_distance(const struct burl__access *a, uint32_t size_b, uint64_t *bytes)
{
    *bytes = 0;
    if (!a->exact)
        return false;
    if (a->bytes <= size_b)
        return true;
    *bytes = a->bytes;
    return is_single_access(a->inst) && (a->bytes & (a->bytes - 1)) == 0 &&
           LLVMGetAlignment(a->inst) >= a->bytes;
}

static bool
make_key(const struct burl__sp *sp, const struct burl__held *h, struct burl__addr data,
         const struct burl__access *a, struct lock_key *k)
{
    const struct burl__node *n = data.node != UINT32_MAX ? &sp->nodes.v[data.node] : NULL;

    memset(k, 0, sizeof *k);
    k->shared = h->shared;
    k->size_b = h->size_b;
    k->off = h->at.off;
    if (burl__node_is_global(sp, h->at.node)) {
        k->form = FORM_PLACE;
        k->node = h->at.node;
        return true;
    }
    if (!n)
        return false;
    if (data.node == h->at.node) {
        k->form = FORM_DISTANCE;
        k->off = h->at.off - data.off;
        return has_distance(a, h->size_b, &k->bytes);
    }
    if (n->kind != BURL__NODE_INDEX || n->parent != h->at.node || n->count == 0)
        return false;
    k->form = FORM_AROUND;
    k->stride = n->stride;
    k->count = n->count;
    k->array_off = n->off;
    return true;
}

/* The struct that the lock and the access are both in, as one of the two pointers has it; NULL not
 * known. */
static LLVMTypeRef
common_struct(struct burl__sp *sp, const struct burl__held *h, const struct burl__access *a,
              int64_t *off)
{
    for (int i = -1; i < (int)h->n_ptr; i++) {
        struct burl__addr start;
        LLVMTypeRef t = burl__struct_of(sp, i < 0 ? a->ptr[0] : h->ptr[i], &start);
        if (!t || !LLVMGetStructName(t) || start.node != h->at.node || h->at.off < start.off)
            continue;
        *off = h->at.off - start.off;
        if (LLVMTypeIsSized(t) && (uint64_t)*off + h->size_b <= LLVMABISizeOfType(sp->p->td, t))
            return t;
    }
    return NULL;
}

static char *
name_lock(struct burl__sp *sp, const struct lock_key *k, LLVMTypeRef t)
{
    char *field, *text;

    if (k->form == FORM_PLACE)
        return burl__addr_name(sp, (struct burl__addr){ k->node, k->off }, k->size_b);
    if (t) {
        field = burl__sp_field_name(sp, t, (uint64_t)k->in_off, k->size_b);
        text = field ? burl_xasprintf("%s of %s", field, k->type)
                     : burl_xasprintf("lock at byte %lld of %s", (long long)k->in_off, k->type);
        free(field);
        return text;
    }
    if (k->form == FORM_DISTANCE)
        return burl_xasprintf("lock %lld bytes %s what it guards",
                              (long long)(k->off < 0 ? -k->off : k->off),
                              k->off < 0 ? "before" : "after");
    return burl_xasprintf("lock at byte %lld around the array", (long long)k->off);
}

static bool
same_key(const struct lock_key *x, const struct lock_key *y)
{
    return x->form == y->form && x->shared == y->shared && x->node == y->node &&
           x->size_b == y->size_b && x->off == y->off && x->bytes == y->bytes &&
           x->stride == y->stride && x->count == y->count && x->array_off == y->array_off &&
           x->in_off == y->in_off && strcmp(x->type, y->type) == 0;
}

/* A lock held for reading gets the number after that of the same lock held alone: the two exclude
 * each other as well. */
static uint32_t
number_key(struct burl__sp *sp, struct burl__lock_keys *keys, const struct lock_key *k,
           LLVMTypeRef t)
{
    struct lock_key alone = *k;
    uint32_t exclusive = UINT32_MAX;

    for (size_t i = 0; i < keys->n; i++)
        if (same_key(&keys->v[i], k))
            return (uint32_t)i;
    alone.shared = false;
    if (k->shared)
        exclusive = number_key(sp, keys, &alone, t);
    BURL_VEC_PUSH(keys, *k);
    keys->v[keys->n - 1].type = burl_xstrdup(k->type);
    struct burl_sp_lock *l = BURL_VEC_ADD(&sp->t->locks);
    l->name = name_lock(sp, k, t);
    l->shared = k->shared;
    l->exclusive = exclusive;
    return (uint32_t)keys->n - 1;
}

static uint32_t
number_lock(struct burl__sp *sp, struct burl__lock_keys *keys, struct lock_key *k,
            const struct burl__held *h, const struct burl__access *a)
{
    LLVMTypeRef t = k->form == FORM_PLACE ? NULL : common_struct(sp, h, a, &k->in_off);

    if (!t)
        k->in_off = 0;
    k->type = t ? burl__struct_name(t) : burl_xstrdup("");
    uint32_t number = number_key(sp, keys, k, t);
    free(k->type);
    return number;
}

void
burl__lock_record(struct burl__sp *sp, struct burl__lock_keys *keys, struct burl__access *a,
                  const struct burl__helds *s)
{
    struct burl__addr data = { UINT32_MAX, 0 };

    if (a->n_ptr == 1)
        data = burl__addr_of(sp, a->ptr[0]);
    for (size_t i = 0; i < s->n; i++) {
        struct burl__held h = s->v[i];
        struct lock_key k;
        if (!make_key(sp, &h, data, a, &k))
            continue;
        h.number = number_lock(sp, keys, &k, &h, a);
        burl_u32s_unite(&a->locks, &h.number, 1);
        BURL_VEC_PUSH(&a->held, h);
    }
}
