/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_offset.c - pointer arithmetic on leaves. Host side.
 *
 * A leaf inside a region represents all elements, so "plus d" may stay in the same array (another
 * element) or leave it (the first or last one): both are results. Pointers that leave their object
 * are dropped, one past the end is kept.
 *
 * "Plus any multiple of a stride" makes a region of the array that the pointer is in. The array
 * follows from the type of the index, else from the declared type of the object; untyped memory is
 * deferred until everything else has reached a fixed point. Walking over a struct in steps smaller
 * than its members (byte by byte) reaches all its leaves without merging them.
 */
#include "analysis/pts/pts_int.h"

static void
put_target(struct burl_pts *s, uint32_t object, int64_t offset, uint32_t out[BURL__MAX_TARGETS],
           uint32_t *n)
{
    uint32_t leaf = offset < 0 ? BURL__NONE : burl__pts_leaf_at(s, object, (uint64_t)offset);

    for (uint32_t i = 0; i < *n; i++)
        if (out[i] == leaf)
            return;
    if (leaf != BURL__NONE && *n < BURL__MAX_TARGETS)
        out[(*n)++] = leaf;
}

uint32_t
burl__pts_plus(struct burl_pts *s, uint32_t leaf, int64_t d, uint32_t out[BURL__MAX_TARGETS])
{
    uint32_t object = s->leaves.v[leaf].object, n = 0;
    int64_t from = (int64_t)s->leaves.v[leaf].offset;
    const struct burl__object *o = &s->objects.v[object];

    if (d == 0) {
        out[0] = leaf;
        return 1;
    }
    if (o->pub.kind == BURL_PTS_FUNCTION)
        return 0;
    put_target(s, object, from + d, out, &n);
    for (size_t i = 0; i < s->objects.v[object].regions.n; i++) {
        const struct burl__region r = s->objects.v[object].regions.v[i];
        int64_t start = (int64_t)r.start, stride = (int64_t)r.stride;
        if (from < start || from >= start + stride ||
            (from + d >= start && from + d < start + stride))
            continue;
        bool stays = r.end == BURL__NO_END || (uint64_t)(d < 0 ? -d : d) < r.end - r.start;
        int64_t rel = (from + d - start) % stride;
        if (stays)
            put_target(s, object, start + (rel < 0 ? rel + stride : rel), out, &n);
    }
    return n;
}

/*
 * The array of the type that `offset` lies in (or one past), with elements of `stride` bytes.
 * Arrays of such arrays are one long array: that is how matrices are walked.
 */
static bool
find_array(LLVMTargetDataRef td, LLVMTypeRef t, uint64_t offset, uint64_t stride,
           struct burl__region *out)
{
    uint64_t base = 0, start = 0, end = 0;
    bool nested = false, found = false;

    while (t) {
        uint64_t size = LLVMABISizeOfType(td, t);
        if (offset < base || offset - base > size)
            break;
        if (LLVMGetTypeKind(t) == LLVMArrayTypeKind) {
            LLVMTypeRef e = LLVMGetElementType(t);
            uint64_t n = LLVMABISizeOfType(td, e);
            if (!n)
                break;
            if (!nested) {
                start = base;
                end = base + size;
            }
            nested = true;
            if (n == stride) {
                *out = (struct burl__region){ start, stride, end };
                found = true;
            }
            base += (offset - base) / n * n;
            t = e;
        } else if (LLVMGetTypeKind(t) == LLVMStructTypeKind && LLVMCountStructElementTypes(t)) {
            uint64_t rel = offset - base;
            unsigned i = LLVMElementAtOffset(td, t, rel < size ? rel : size - (size > 0));
            base += LLVMOffsetOfElement(td, t, i);
            t = LLVMStructGetTypeAtIndex(t, i);
            nested = false;
        } else {
            break;
        }
    }
    return found;
}

/* How many bytes the scalar or struct at an offset of a type has: the widest that begins there. */
static uint64_t
extent_at(LLVMTargetDataRef td, LLVMTypeRef t, uint64_t offset)
{
    while (offset > 0)
        if (!burl_ir_enter(td, &t, &offset))
            return 1;
    return LLVMABISizeOfType(td, t);
}

enum walk_kind { WALK_DONE, WALK_RANGE, WALK_LATER };

/* Pointer arithmetic: makes the region it implies. */
static enum walk_kind
spread_walk(struct burl_pts *s, uint32_t object, uint64_t offset, uint64_t stride)
{
    struct burl__object *o = &s->objects.v[object];
    struct burl__region r;
    uint64_t size = o->pub.type ? LLVMABISizeOfType(s->p->td, o->pub.type) : 0;

    for (size_t i = 0; i < o->regions.n; i++)
        if (offset >= o->regions.v[i].start && offset < o->regions.v[i].end &&
            stride % o->regions.v[i].stride == 0)
            return WALK_DONE;
    if (o->full)
        return WALK_DONE;
    if (o->pub.type && offset <= size && find_array(s->p->td, o->pub.type, offset, stride, &r) &&
        !(o->heap && r.end - r.start <= stride && r.end >= size)) {
        burl__pts_region(s, object, r.start, r.stride, r.end);
        return WALK_DONE;
    }
    if (o->pub.type && (!o->heap || offset < size)) {
        if (o->heap && stride % size == 0) {
            burl__pts_region(s, object, 0, stride, BURL__NO_END);
            return WALK_DONE;
        }
        if (o->heap && LLVMGetTypeKind(o->pub.type) != LLVMStructTypeKind) {
            burl__pts_region(s, object, offset, stride, BURL__NO_END);
            return WALK_DONE;
        }
        /* One thing, no array: only index 0 is in bounds. */
        return stride >= extent_at(s->p->td, o->pub.type, offset) ? WALK_DONE : WALK_RANGE;
    }
    if (o->heap && !o->pub.type && !s->no_later)
        return WALK_LATER;
    burl__pts_region(s, object, offset, stride, BURL__NO_END);
    return WALK_DONE;
}

void
burl__pts_walk(struct burl_pts *s, uint32_t leaf, uint32_t to, uint32_t step, int64_t d)
{
    uint32_t object = s->leaves.v[leaf].object, out[BURL__MAX_TARGETS];
    uint64_t offset = s->leaves.v[leaf].offset;
    const struct burl_ir_steps st = s->steps.v[step];
    enum walk_kind kind = WALK_DONE;

    if (s->objects.v[object].pub.kind == BURL_PTS_FUNCTION)
        return;
    for (uint32_t i = 0; i < st.n; i++) {
        const struct burl_ir_index *x = &st.v[i];
        if (x->at < 0 && (uint64_t)-x->at > offset)
            continue;
        uint64_t at = offset + (uint64_t)x->at;
        enum walk_kind k = WALK_DONE;
        if (x->count > 1 && x->stride)
            burl__pts_region(s, object, at, x->stride, at + x->count * x->stride);
        else if (x->stride)
            k = spread_walk(s, object, at, x->stride);
        kind = k > kind ? k : kind;
    }
    leaf = burl__pts_leaf_rep(s, leaf);
    uint32_t n = burl__pts_plus(s, leaf, d, out);
    for (uint32_t i = 0; i < n; i++)
        burl__pts_add(s, to, out[i]);
    if (kind == WALK_LATER) {
        BURL_VEC_PUSH(&s->later, (struct burl__later){ leaf, to, step, d });
    } else if (kind == WALK_RANGE) {
        struct burl__watch w = { BURL__WATCH_RANGE, to, offset,
                                 burl__pts_end(&s->objects.v[object]) };
        burl__pts_watch(s, object, w);
    }
}
