/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/past.c - what detectors keep of an access, and the side of a report that it becomes.
 *
 * Runs in the target.
 */
#include "detect.h"
#include "rt/core/core.h"

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
