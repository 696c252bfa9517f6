/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/past.c - what detectors keep of accesses, and the side of a report that one becomes.
 *
 * Runs in the target.
 */
#include "detect.h"
#include "rt/core/core.h"

static struct burl_pool seen;

struct burl_past
burl__past_without_side(const struct burl_watch *w, const struct burl_access *a)
{
    return (struct burl_past){
        .site = a->site,
        .lockset = w->lockset,
        .size_b = a->n > UINT32_MAX ? UINT32_MAX : (uint32_t)a->n,
        .tid = w->tid,
        .flags = a->flags,
        .op = a->op,
    };
}

struct burl_past
burl__past_of(const struct burl_watch *w, const struct burl_access *a)
{
    struct burl_past p = burl__past_without_side(w, a);

    if (burl_rt.ctl->order.stop_key != 0 && burl_ob_aims_at(a->site)) {
        struct burl_wire_side *side = burl_ob_alloc(sizeof *side);

        burl_ob_fill_side(side, w, a);
        p.side = side;
    }
    return p;
}

void
burl__past_side(struct burl_wire_side *side, const struct burl_past *p, uintptr_t addr)
{
    if (p->side != NULL) {
        *side = *p->side;
        return;
    }
    *side = (struct burl_wire_side){ 0 };
    side->addr = addr;
    side->site = p->site;
    side->size_b = p->size_b;
    side->tid = p->tid;
    side->op = p->op;
    side->flags = (uint8_t)((p->flags & BURL_ACCESS_ATOMIC ? BURL_SIDE_F_ATOMIC : 0) |
                            (p->flags & BURL_ACCESS_FREE ? BURL_SIDE_F_FREE : 0));
    side->n_locks = burl_lockset_locks(p->lockset, side->locks);
}

void
burl__seen_drop(struct burl_seen_list *l, struct burl_seen **at)
{
    BURL_POOL_GIVE_AT(&seen, at);
    l->n--;
}

void
burl__seen_drop_all(struct burl_seen_list *l)
{
    BURL_POOL_GIVE_ALL(&seen, &l->first);
    l->n = 0;
}

struct burl_seen *
burl__seen_add(struct burl_seen_list *l, const struct burl_watch *w, const struct burl_access *a,
               uint32_t limit)
{
    struct burl_seen **oldest = &l->first;
    struct burl_seen *e;

    if (l->n >= limit) {
        while ((*oldest)->next != NULL)
            oldest = &(*oldest)->next;
        burl__seen_drop(l, oldest);
    }
    e = burl_pool_take(&seen, sizeof *e);
    *e = (struct burl_seen){ .next = l->first,
                             .step = burl_ob_now(),
                             .site = a->site,
                             .lockset = w->lockset,
                             .cj_clock = w->cj_clock,
                             .clock = w->clock,
                             .tid = w->tid,
                             .slot = w->slot,
                             .flags = a->flags,
                             .op = a->op };
    l->first = e;
    l->n++;
    return e;
}
