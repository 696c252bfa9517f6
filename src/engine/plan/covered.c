/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/covered.c - from items in shared memory to items of the campaign.
 *
 * Runs in the host. Each process reports an item once, with its own first execution of it (wire/
 * cover.h). A process does its chunks in the order of the work list and chunks are committed in
 * that order (INV-E2), so the first execution of the campaign that covers an item is also the first
 * in its process: it is always reported, and what other processes report later is known by then.
 * Hence the sequence of items does not depend on the number of processes.
 *
 * A schedule is recorded at once, while the point map and the horizon of the round are in force
 * (INV-E1): later the same seed would run another way.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "engine/engine_int.h"

struct burl_covered {
    BURL_VEC(struct burl_wire_cover_item) items; /* in the order in which they came */
    struct burl_map by_content;
    BURL_VEC(uint64_t)
    recorded; /* executions of the batch being committed whose schedule was recorded */
};

struct burl_covered *
burl__covered_new(void)
{
    return burl_xcalloc(1, sizeof(struct burl_covered));
}

void
burl__covered_free(struct burl_covered *s)
{
    if (!s)
        return;
    BURL_VEC_FREE(&s->items);
    burl_map_deinit(&s->by_content);
    BURL_VEC_FREE(&s->recorded);
    free(s);
}

/* Flags, threads and the execution are not part of what an item is. */
static bool
same_item(const struct burl_wire_cover_item *x, const struct burl_wire_cover_item *y)
{
    return x->metric == y->metric && x->a == y->a && x->b == y->b && x->c == y->c && x->d == y->d;
}

static uint64_t
hash_item(const struct burl_wire_cover_item *x)
{
    uint64_t h = burl_wire_mix(x->metric + 1u, (uint64_t)x->a << 32 | x->b);

    return burl_wire_mix(h, (uint64_t)x->c << 32 | x->d);
}

static bool
is_item(const void *items, uint64_t i, const void *x)
{
    return same_item((const struct burl_wire_cover_item *)items + i, x);
}

/* True when it was not there. */
static bool
add_item(struct burl_covered *s, const struct burl_wire_cover_item *x)
{
    uint64_t i = s->items.n;

    if (burl_map_find_or_add(&s->by_content, hash_item(x), is_item, s->items.v, x, &i))
        return false;
    BURL_VEC_PUSH(&s->items, *x);
    return true;
}

void
burl__covered_take(struct burl_batch *b, struct burl_target *t, uint64_t n)
{
    const struct burl_wire_cover_item *from;
    uint32_t n_items;

    from = burl_target_new_items(t, &n_items);
    for (uint32_t i = 0; i < n_items; i++) {
        struct burl_batch_item x = { .item = from[i] };

        if (x.item.metric >= BURL_METRIC__N)
            continue;
        /* An execution that was cut off is one more than were completed. */
        x.execution = b->totals.executions + (x.item.exec < n ? x.item.exec : n);
        BURL_VEC_PUSH(&b->items, x);
    }
    if (t->block.cover) {
        b->items_lost = burl_door_items_lost(&t->block);
        burl__batch_take_loaded(b, t->ctl);
    }
}

/* ---- schedules --------------------------------------------------------------------- */

/* Has the last execution of the process covered the item? */
static bool
shows_item(const void *item, struct burl_target *t)
{
    const struct burl_wire_cover_item *items;
    uint32_t n;

    items = burl_door_items(&t->block, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (same_item(&items[i], item))
            return true;
    }
    return false;
}

/* The seed again, recorded; then its switches, followed. What the second does not show would not
 * replay for the user either. */
static enum burl_status
record_schedule(struct burl_campaign *c, const struct burl_work *w,
                const struct burl_wire_cover_item *x, const struct burl_campaign_covered *where,
                struct burl_err *err)
{
    struct burl_wire_order o = burl__campaign_order(c, w, where->seed, 1);
    struct burl_run found, again;
    bool shows;
    enum burl_status st;

    o.flags = where->order_flags | BURL_ORDER_F_RECORD;
    if (w->strategy == BURL_STRATEGY_EXHAUSTIVE) {
        st = burl__search_record(c, w, where->seed - w->first_seed, &found, err);
        shows = true; /* the replay decides */
    } else {
        st = burl__run_showing(c, &o, NULL, shows_item, x, &found, &shows, err);
    }
    if (st == BURL_OK && shows) {
        o.strategy = BURL_STRATEGY_REPLAY;
        o.args = burl__replay_args(found.n_switches);
        st = burl__run_showing(c, &o, found.switches, shows_item, x, &again, &shows, err);
        if (st == BURL_OK && shows && again.trace_hash == found.trace_hash)
            st = c->hooks->kept(c->hooks->arg, where, &again, err);
        burl_run_deinit(&again);
    }
    burl_run_deinit(&found);
    return st;
}

/* One schedule per execution; they come in order. */
bool
burl__covered_is_recorded(const struct burl_campaign *c, uint64_t execution)
{
    for (size_t i = c->covered ? c->covered->recorded.n : 0; i > 0; i--) {
        if (c->covered->recorded.v[i - 1] == execution)
            return true;
    }
    return false;
}

enum burl_status
burl__covered_commit(struct burl_campaign *c, const struct burl_work *w, const struct burl_batch *b,
                     uint64_t first, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    c->covered->recorded.n = 0;
    if (b->loaded.n_modules > 0 && c->hooks->loaded)
        st = c->hooks->loaded(c->hooks->arg, &b->loaded, err);
    if (b->items_lost > c->stats->covered_lost)
        c->stats->covered_lost = b->items_lost;
    for (size_t i = 0; i < b->items.n && st == BURL_OK && c->hooks->covered; i++) {
        const struct burl_batch_item *x = &b->items.v[i];
        const struct burl_campaign_covered where =
            burl__campaign_where(c, w, x->item.seed, first + x->execution);
        bool keep = false;

        if (!add_item(c->covered, &x->item))
            continue;
        st = c->hooks->covered(c->hooks->arg, &x->item, &where, &keep, err);
        /* Of a pair that is hunted the hunt makes the schedule. */
        if (st == BURL_OK && keep && c->hooks->kept &&
            !burl__covered_is_recorded(c, where.execution) &&
            !(c->cfg->hunt && burl__hunt_has(c->cfg->hunt, &x->item)) &&
            !burl__campaign_interrupted(c) && !burl__campaign_time_over(c)) {
            BURL_VEC_PUSH(&c->covered->recorded, where.execution);
            st = record_schedule(c, w, &x->item, &where, err);
        }
    }
    return st;
}
