/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.c - at which decisions this execution of an enumeration departs from its base.
 *
 * Runs in the target. What strategy/delay.c and strategy/preempt.c share: the number of the
 * execution is made into places (wire/enumerate.h) at its start, and handed out as the decisions
 * come by. Decisions are counted like burl_exec.points, where more than one thread can go on,
 * because the engine takes the span from that.
 */
#include "places.h"
#include "rt/core/core.h"
#include "rt/core/strategy.h"

static struct burl_enum_place places[BURL_ENUM_MAX_BOUND];
static uint32_t n_places;
static uint32_t next_place;
static uint64_t decision;

static void
draw_places(const struct burl_enum *e)
{
    for (uint32_t i = 0; i < e->bound; i++) {
        const struct burl_enum_place new = { .at = burl_rng_next() % e->span,
                                             .other = burl_rng_below(e->others) };
        uint32_t k = i;

        while (k > 0 && places[k - 1].at > new.at) {
            places[k] = places[k - 1];
            k--;
        }
        places[k] = new;
    }
}

void
burl_places_begin(void)
{
    const struct burl_wire_order *o = &burl_rt.ctl->order;
    const struct burl_enum *e = &o->places;
    const uint64_t index = o->index_first + (burl_rt.exec.seed - o->first_seed);
    uint64_t total;

    decision = 0;
    next_place = 0;
    n_places = 0;
    if (e->bound == 0 || e->bound > BURL_ENUM_MAX_BOUND || e->span == 0 || e->others == 0)
        return;
    n_places = e->bound;
    total = burl_enum_total(e);
    if (total < BURL_ENUM_MANY && index < total)
        burl_enum_get(e, index, places);
    else
        draw_places(e);
}

bool
burl_places_here(uint32_t *other)
{
    while (next_place < n_places && places[next_place].at < decision)
        next_place++;
    if (next_place >= n_places || places[next_place].at != decision)
        return false;
    *other = places[next_place++].other;
    return true;
}

void
burl_places_next(void)
{
    decision++;
}
