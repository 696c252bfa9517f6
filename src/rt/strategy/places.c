/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/places.c - at which decisions this execution of an enumeration departs from its base.
 *
 * Runs in the target, for strategy/delay.c and strategy/preempt.c. The number of the execution
 * becomes a list of places (wire/enumerate.h) when the execution begins. Decisions are counted like
 * burl_exec.points, where more than one thread can run, because the engine derives the span from
 * that.
 */
#include "places.h"
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
burl_places_begin(const union burl_wire_args *args)
{
    const struct burl_enum *e = &args->enumeration.places;
    const uint64_t index =
        args->enumeration.index_first + (burl_rt.exec.seed - burl_rt.ctl->order.first_seed);
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
