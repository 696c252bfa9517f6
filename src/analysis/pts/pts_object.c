/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_object.c - objects, their leaves and their arrays. Host side.
 *
 * An offset becomes a leaf when an address with it is first formed. Two rules decide which offsets
 * share a leaf. Both are functions of the true offset alone, so that two accesses to the same byte
 * always share one:
 *   - regions: start + k * stride is start. They come from indices that are not constant. An array
 *     that is only indexed by constants keeps its elements separate (dispatch tables, vtables);
 *   - the declared type: an offset inside a scalar is the scalar's first byte.
 * Regions are disjoint or lie inside one element of another; any other request is merged with the
 * regions it overlaps. All operations only merge leaves, so the solution grows monotonically.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/pts/pts_int.h"
#include "base/mem.h"

/* Above this number of leaves an object's fields are not distinguished, only the bytes of a word: a
 * table of thousands of pointers indexed by constants, or an offset that grows by imprecision. */
enum { MAX_PLACES = 2048, MAX_UNSIZED_PLACES = 96, WORD_B = 8 };

/* Types up to this many bytes have a table of where each byte's scalar begins. */
enum { MAX_TABLE_B = 8192 };

uint64_t
burl__pts_end(const struct burl__object *o)
{
    return o->pub.size_b ? o->pub.size_b : BURL__NO_END;
}

/* The offset of the scalar that `offset` lies in; bytes of byte arrays stay apart. */
static uint64_t
scalar_at(LLVMTargetDataRef td, LLVMTypeRef t, uint64_t offset)
{
    uint64_t rest = offset;

    while (burl_ir_enter(td, &t, &rest))
        continue;
    return rest < LLVMABISizeOfType(td, t) ? offset - rest : offset;
}

/* One table for each type. */
static void
set_type(struct burl_pts *s, struct burl__object *o, LLVMTypeRef t)
{
    uint64_t size = LLVMABISizeOfType(s->p->td, t);
    uint32_t x = (uint32_t)s->tables.n;

    o->pub.type = t;
    o->type_b = size;
    o->scalars = NULL;
    if (size > MAX_TABLE_B || size == 0)
        return;
    if (!burl_valmap_find_or_add(&s->layouts, t, &x)) {
        uint16_t *v = burl_xcalloc(size, sizeof *v);
        for (uint64_t i = 0; i < size; i++)
            v[i] = (uint16_t)scalar_at(s->p->td, t, i);
        BURL_VEC_PUSH(&s->tables, v);
    }
    o->scalars = s->tables.v[x];
}

static uint64_t
snap_offset(const struct burl_pts *s, const struct burl__object *o, uint64_t offset)
{
    if (!o->pub.type)
        return offset;
    /* Behind the struct of a block that may be larger: one leaf for all of that, since nothing else
     * bounds it. What is indexed there is an array and has a region. */
    if (offset >= o->type_b)
        return o->heap && o->type_b ? o->type_b : offset;
    return o->scalars ? o->scalars[offset] : scalar_at(s->p->td, o->pub.type, offset);
}

static uint64_t
wrap_offset(const struct burl__object *o, uint64_t offset)
{
    for (size_t i = 0; i < o->regions.n; i++) {
        const struct burl__region *r = &o->regions.v[i];
        /* One past the end of an object that ends with the array is a pointer into it too. */
        bool last = offset == r->end && offset == burl__pts_end(o);
        if (offset >= r->start && (offset < r->end || last))
            offset = r->start + (offset - r->start) % r->stride;
    }
    return offset;
}

uint32_t
burl__pts_new_object(struct burl_pts *s, enum burl_pts_kind kind, LLVMValueRef at, LLVMTypeRef type)
{
    uint32_t ix = (uint32_t)s->objects.n;
    struct burl__object *o = BURL_VEC_ADD(&s->objects);

    o->pub.kind = kind;
    o->pub.at = at;
    o->heap = kind == BURL_PTS_HEAP || kind == BURL_PTS_EXTERNAL;
    o->outside = kind == BURL_PTS_EXTERNAL;
    if (type && LLVMTypeIsSized(type)) {
        set_type(s, o, type);
        o->pub.size_b = o->type_b;
    }
    return ix;
}

static uint64_t
canonical_offset(const struct burl_pts *s, uint32_t object, uint64_t offset)
{
    const struct burl__object *o = &s->objects.v[object];

    return snap_offset(s, o, wrap_offset(o, offset));
}

uint32_t
burl__pts_own_object(struct burl_pts *s, struct burl_valmap *map, const void *key, LLVMValueRef at)
{
    uint32_t node = burl__pts_new_node(s), x = (uint32_t)s->objects.n;

    if (!burl_valmap_find_or_add(map, key, &x))
        burl__pts_new_object(s, BURL_PTS_EXTERNAL, at, NULL);
    burl__pts_add(s, node, burl__pts_leaf_at(s, x, 0));
    return node;
}

uint32_t
burl__pts_leaf_rep(struct burl_pts *s, uint32_t leaf)
{
    return burl__pts_rep(s->leaf_reps.v, leaf);
}

uint32_t
burl__pts_memory(struct burl_pts *s, uint32_t leaf)
{
    leaf = burl__pts_leaf_rep(s, leaf);
    if (s->leaves.v[leaf].node == BURL__NONE) {
        /* Not in one statement: a new node moves nothing here, but a new leaf might. */
        uint32_t n = burl__pts_new_node(s);
        s->leaves.v[leaf].node = n;
    }
    return s->leaves.v[leaf].node;
}

static size_t
place_of(const struct burl__object *o, uint64_t offset)
{
    size_t lo = 0, hi = o->places.n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (o->places.v[mid].offset < offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void
unite_leaves(struct burl_pts *s, uint32_t a, uint32_t b)
{
    a = burl__pts_leaf_rep(s, a);
    b = burl__pts_leaf_rep(s, b);
    if (a == b)
        return;
    struct burl__leaf *v = s->leaves.v;
    uint32_t node = v[b].node;
    s->leaf_reps.v[b] = a;
    if (v[a].node == BURL__NONE)
        v[a].node = node;
    else if (node != BURL__NONE)
        burl__pts_unite(s, v[a].node, node);
}

static uint32_t find_or_make(struct burl_pts *s, uint32_t object, uint64_t offset);

/* Moves every leaf to where it now belongs. */
static void
resettle_leaves(struct burl_pts *s, uint32_t object)
{
    struct burl__object *o = &s->objects.v[object];
    size_t n = o->places.n, kept = 0;

    if (!n)
        return;
    struct burl__place *old = burl_xmemdup(o->places.v, n * sizeof *old);
    for (size_t i = 0; i < n; i++)
        if (canonical_offset(s, object, old[i].offset) == old[i].offset)
            o->places.v[kept++] = old[i];
    o->places.n = kept;
    for (size_t i = 0; i < n; i++) {
        uint64_t at = canonical_offset(s, object, old[i].offset);
        if (at != old[i].offset)
            unite_leaves(s, find_or_make(s, object, at), old[i].leaf);
    }
    free(old);
}

/* Too many leaves: only the bytes of a word are distinguished. */
static void
give_up(struct burl_pts *s, uint32_t object)
{
    struct burl__object *o = &s->objects.v[object];

    o->full = true;
    o->pub.type = NULL;
    o->regions.n = 0;
    BURL_VEC_PUSH(&o->regions, (struct burl__region){ 0, WORD_B, BURL__NO_END });
    resettle_leaves(s, object);
    BURL_VEC_PUSH(&s->new_regions, object);
}

static uint32_t
find_or_make(struct burl_pts *s, uint32_t object, uint64_t offset)
{
    struct burl__object *o = &s->objects.v[object];
    size_t i = place_of(o, offset);

    if (i < o->places.n && o->places.v[i].offset == offset)
        return burl__pts_leaf_rep(s, o->places.v[i].leaf);
    size_t max = o->pub.size_b ? MAX_PLACES : MAX_UNSIZED_PLACES;
    if (!o->full && o->places.n >= max) {
        give_up(s, object);
        return find_or_make(s, object, canonical_offset(s, object, offset));
    }
    uint32_t leaf = (uint32_t)s->leaves.n;
    BURL_VEC_PUSH(&s->leaves, (struct burl__leaf){ object, BURL__NONE, offset });
    BURL_VEC_PUSH(&s->leaf_reps, leaf);
    BURL_VEC_PUSH(&o->places, (struct burl__place){ 0 });
    memmove(&o->places.v[i + 1], &o->places.v[i], (o->places.n - 1 - i) * sizeof *o->places.v);
    o->places.v[i] = (struct burl__place){ offset, leaf };
    if (o->outside) {
        uint32_t self = offset == 0 ? leaf : find_or_make(s, object, 0);
        burl__pts_add(s, burl__pts_memory(s, leaf), self);
    }
    if (s->objects.v[object].watches.n) {
        BURL_VEC_PUSH(&s->new_leaves, leaf);
        s->changed = true;
    }
    return leaf;
}

uint32_t
burl__pts_leaf_at(struct burl_pts *s, uint32_t object, uint64_t offset)
{
    const struct burl__object *o = &s->objects.v[object];

    if (offset > burl__pts_end(o) || offset > INT64_MAX)
        return BURL__NONE;
    return find_or_make(s, object, canonical_offset(s, object, offset));
}

/* Whether `in` lies inside one element of `out`. */
static bool
is_inside(const struct burl__region *in, const struct burl__region *out)
{
    if (in->start < out->start || in->end > out->end || in->end == BURL__NO_END)
        return false;
    uint64_t rel = (in->start - out->start) % out->stride;
    return in->end - in->start <= out->stride - rel;
}

static int
compare_regions(const void *a, const void *b)
{
    const struct burl__region *x = a, *y = b;
    uint64_t n = x->end - x->start, m = y->end - y->start;

    if (n != m)
        return n > m ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

/* Adds `r` to the regions; overlapping ones are merged. */
static void
insert_region(struct burl__object *o, struct burl__region r)
{
    for (size_t i = 0; i < o->regions.n;) {
        struct burl__region q = o->regions.v[i];
        bool apart = r.end <= q.start || q.end <= r.start;
        if (apart || is_inside(&r, &q)) {
            i++;
            continue;
        }
        o->regions.v[i] = o->regions.v[--o->regions.n];
        if (is_inside(&q, &r)) {
            /* It becomes part of the first element, where it may overlap another region. */
            uint64_t len = q.end - q.start;
            q.start = r.start + (q.start - r.start) % r.stride;
            q.end = q.start + len;
            insert_region(o, r);
            insert_region(o, q);
            return;
        }
        uint64_t apart_b = r.start > q.start ? r.start - q.start : q.start - r.start;
        r.stride = burl_ir_gcd(burl_ir_gcd(r.stride, q.stride), apart_b);
        r.start = r.start < q.start ? r.start : q.start;
        r.end = r.end > q.end ? r.end : q.end;
        i = 0;
    }
    BURL_VEC_PUSH(&o->regions, r);
}

void
burl__pts_region(struct burl_pts *s, uint32_t object, uint64_t start, uint64_t stride, uint64_t end)
{
    struct burl__object *o = &s->objects.v[object];
    uint64_t limit = burl__pts_end(o);

    if (o->full || stride == 0 || start >= limit)
        return;
    /* An inner array is kept as that of its outer arrays' first elements. */
    uint64_t first = wrap_offset(o, start);
    end = end == BURL__NO_END ? end : first + (end - start);
    start = first;
    if (limit != BURL__NO_END && end > limit)
        end = limit;
    if (end != BURL__NO_END && end - start <= stride)
        return;
    for (size_t i = 0; i < o->regions.n; i++) {
        const struct burl__region *q = &o->regions.v[i];
        if (start >= q->start && end <= q->end && stride % q->stride == 0 &&
            (start - q->start) % q->stride == 0)
            return;
    }
    insert_region(o, (struct burl__region){ start, stride, end });
    qsort(o->regions.v, o->regions.n, sizeof *o->regions.v, compare_regions);
    resettle_leaves(s, object);
    BURL_VEC_PUSH(&s->new_regions, object);
    s->changed = true;
}

void
burl__pts_learn_type(struct burl_pts *s, uint32_t object, LLVMTypeRef type)
{
    struct burl__object *o = &s->objects.v[object];

    if (!o->heap || o->full || o->pub.type)
        return;
    if (o->pub.size_b && LLVMABISizeOfType(s->p->td, type) > o->pub.size_b)
        return;
    set_type(s, o, type);
    resettle_leaves(s, object);
}

void
burl__pts_watch(struct burl_pts *s, uint32_t object, struct burl__watch w)
{
    struct burl__object *o = &s->objects.v[object];

    for (size_t i = 0; i < o->watches.n; i++)
        if (memcmp(&o->watches.v[i], &w, sizeof w) == 0)
            return;
    BURL_VEC_PUSH(&o->watches, w);
    /* By number, since a notification may add leaves, which notify by themselves. */
    uint32_t *now = burl_xcalloc(o->places.n + 1, sizeof *now);
    size_t n = o->places.n;
    for (size_t i = 0; i < n; i++)
        now[i] = o->places.v[i].leaf;
    for (size_t i = 0; i < n; i++)
        burl__pts_notify_watch(s, &w, now[i]);
    burl__pts_notify_regions_to(s, object, &w);
    free(now);
}
