/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/cover_rig.h - the observers of coverage over the observer rig: an area for items, and
 * questions about what is in it.
 */
#ifndef BURL_TESTS_COVER_RIG_H
#define BURL_TESTS_COVER_RIG_H

#include "observer_rig.h"

#include "rt/cover/cover.h"

static struct burl_wire_cover rig_area;

/* Forgets all items and starts an execution. */
static inline struct burl_watch *
cover_begin(uint32_t observers)
{
    memset(&rig_area, 0, sizeof rig_area.n + sizeof rig_area.n_lost + sizeof rig_area.hash);
    rig_ctl.cover_off = (uint64_t)((uintptr_t)&rig_area - (uintptr_t)&rig_ctl);
    rig_ctl.n_sites = RIG_SITES;
    return rig_begin(observers);
}

static inline const struct burl_wire_cover_item *
cover_find(enum burl_wire_metric metric, uint32_t a, uint32_t b, uint32_t c)
{
    for (uint32_t i = 0; i < rig_area.n; i++) {
        const struct burl_wire_cover_item *x = &rig_area.items[i];

        if (x->metric == (uint8_t)metric && x->a == a && x->b == b && x->c == c)
            return x;
    }
    return NULL;
}

static inline bool
cover_has(enum burl_wire_metric metric, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < rig_area.n; i++) {
        const struct burl_wire_cover_item *x = &rig_area.items[i];

        if (x->metric == (uint8_t)metric && x->a == a && x->b == b)
            return true;
    }
    return false;
}

static inline uint32_t
cover_count(enum burl_wire_metric metric)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < rig_area.n; i++)
        n += rig_area.items[i].metric == (uint8_t)metric;
    return n;
}

/* Sites from here on are of assertions. */
#define RIG_ASSERT 4000u

static inline int
cover_setup(void **state)
{
    (void)state;
    for (uint32_t i = RIG_ASSERT; i < RIG_SITES; i++)
        rig_sites[i].flags = BURL_SITE_F_ASSERT;
    return 0;
}

#endif
