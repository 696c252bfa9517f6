/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_copy.c - memcpy, memmove, structs passed by value. Host side.
 *
 * Each copy has a temporary object: everything the sources may hold flows into it at its distance
 * from the source, and from there to every destination. The cost is sources plus destinations
 * instead of sources times destinations, and copies at different places do not mix. Leaves appear
 * while the solution grows, so a copy watches its sources and its temporary.
 */
#include "analysis/pts/pts_int.h"

void
burl__pts_copy(struct burl_pts *s, LLVMValueRef at, uint32_t dst, uint32_t src, uint64_t len_b)
{
    if (dst == BURL__NONE || src == BURL__NONE || len_b < sizeof(void *))
        return;
    uint32_t x = (uint32_t)s->copies.n;
    uint32_t temp = burl__pts_new_object(s, BURL_PTS_STACK, at, NULL);
    s->objects.v[temp].pub.size_b = len_b == BURL__NO_END ? 0 : len_b;
    s->objects.v[temp].temporary = true;
    BURL_VEC_PUSH(&s->copies, (struct burl__copy){ temp, len_b });
    burl__pts_con(s, src, (struct burl__con){ .kind = BURL__CON_FROM, .x = x });
    burl__pts_con(s, dst, (struct burl__con){ .kind = BURL__CON_TO, .x = x });
}

static bool
is_function(const struct burl_pts *s, uint32_t object)
{
    return s->objects.v[object].pub.kind == BURL_PTS_FUNCTION;
}

void
burl__pts_copy_from(struct burl_pts *s, uint32_t copy, uint32_t leaf)
{
    const struct burl__leaf l = s->leaves.v[leaf];
    uint64_t len = s->copies.v[copy].len_b;

    if (is_function(s, l.object))
        return;
    burl__pts_watch(s, l.object,
                    (struct burl__watch){ BURL__WATCH_FROM, copy, l.offset,
                                          len == BURL__NO_END ? len : l.offset + len });
}

void
burl__pts_copy_to(struct burl_pts *s, uint32_t copy, uint32_t leaf)
{
    if (!is_function(s, s->leaves.v[leaf].object))
        burl__pts_watch(s, s->copies.v[copy].temp,
                        (struct burl__watch){ BURL__WATCH_TO, leaf, 0, BURL__NO_END });
}

/* The offset in the temporary of the source's `offset`; false if it is not copied. */
static bool
copy_offset(const struct burl__object *o, const struct burl__watch *w, uint64_t offset,
            uint64_t *out)
{
    if (offset >= w->from) {
        *out = offset - w->from;
        return offset < w->end;
    }
    /* After the first byte, but in an array that continues: the same place of the next element. */
    for (size_t i = 0; i < o->regions.n; i++) {
        const struct burl__region *r = &o->regions.v[i];
        if (offset < r->start || w->from >= r->start + r->stride)
            continue;
        *out = offset + r->stride - w->from;
        return w->end == BURL__NO_END || offset + r->stride < w->end;
    }
    return false;
}

/* What memory at one leaf holds is copied to another. */
static void
flow_to(struct burl_pts *s, uint32_t from, uint32_t to)
{
    uint32_t node = burl__pts_memory(s, to);

    burl__pts_edge(s, burl__pts_memory(s, from), node);
}

static void
notify_from(struct burl_pts *s, const struct burl__watch *w, uint32_t leaf)
{
    const struct burl__leaf l = s->leaves.v[leaf];
    uint64_t at;

    if (!copy_offset(&s->objects.v[l.object], w, l.offset, &at))
        return;
    uint32_t t = burl__pts_leaf_at(s, s->copies.v[w->to].temp, at);
    if (t != BURL__NONE)
        flow_to(s, leaf, t);
}

static void
notify_to(struct burl_pts *s, const struct burl__watch *w, uint32_t leaf)
{
    uint32_t out[BURL__MAX_TARGETS];
    uint32_t dst = burl__pts_leaf_rep(s, w->to);
    uint32_t n = burl__pts_plus(s, dst, (int64_t)s->leaves.v[leaf].offset, out);

    for (uint32_t i = 0; i < n; i++)
        flow_to(s, leaf, out[i]);
}

void
burl__pts_notify_watch(struct burl_pts *s, const struct burl__watch *w, uint32_t leaf)
{
    leaf = burl__pts_leaf_rep(s, leaf);
    uint64_t offset = s->leaves.v[leaf].offset;

    switch (w->kind) {
    case BURL__WATCH_RANGE:
        if (offset >= w->from && offset < w->end)
            burl__pts_add(s, w->to, leaf);
        break;
    case BURL__WATCH_FROM:
        notify_from(s, w, leaf);
        break;
    case BURL__WATCH_TO:
        notify_to(s, w, leaf);
        break;
    }
}

/* An array that is copied whole makes an array of what it is copied to. */
void
burl__pts_notify_regions_to(struct burl_pts *s, uint32_t object, const struct burl__watch *w)
{
    if (w->kind == BURL__WATCH_RANGE)
        return;
    for (size_t i = 0; i < s->objects.v[object].regions.n; i++) {
        const struct burl__region r = s->objects.v[object].regions.v[i];
        uint64_t start = r.start > w->from ? r.start : w->from;
        uint64_t end = r.end < w->end ? r.end : w->end;
        if (start >= end || (end != BURL__NO_END && end - start <= r.stride))
            continue;
        uint32_t to = w->kind == BURL__WATCH_FROM
                          ? s->copies.v[w->to].temp
                          : s->leaves.v[burl__pts_leaf_rep(s, w->to)].object;
        uint64_t base =
            w->kind == BURL__WATCH_FROM ? 0 : s->leaves.v[burl__pts_leaf_rep(s, w->to)].offset;
        uint64_t first = start - w->from + base;
        burl__pts_region(s, to, first, r.stride, end == BURL__NO_END ? end : first + (end - start));
    }
}

void
burl__pts_notify(struct burl_pts *s, uint32_t leaf)
{
    leaf = burl__pts_leaf_rep(s, leaf);
    uint32_t object = s->leaves.v[leaf].object;

    for (size_t i = 0; i < s->objects.v[object].watches.n; i++) {
        struct burl__watch w = s->objects.v[object].watches.v[i];
        burl__pts_notify_watch(s, &w, leaf);
    }
}

void
burl__pts_notify_regions(struct burl_pts *s, uint32_t object)
{
    for (size_t i = 0; i < s->objects.v[object].watches.n; i++) {
        struct burl__watch w = s->objects.v[object].watches.v[i];
        burl__pts_notify_regions_to(s, object, &w);
    }
    for (size_t i = 0; i < s->objects.v[object].places.n; i++)
        BURL_VEC_PUSH(&s->new_leaves, s->objects.v[object].places.v[i].leaf);
}
