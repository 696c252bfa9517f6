/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/tally.c - the executions of an evaluation, put together; contract in tally.h.
 *
 * Runs in the host.
 */
#include "tune/tally.h"

#include "base/hash.h"
#include "tune/names.h"

/* Of a warning among new coverage: what E counts in GoldiLockSC's weights. */
#define WARNING_WEIGHT 10
#define GOLDI_E 3

static const uint8_t goldi_weights[] = { 1, 5, 5, 10 };

int64_t
burl_tune_cost_ms(int64_t cpu_us, int64_t wall_ms)
{
    const int64_t cpu_ms = (cpu_us + 999) / 1000;

    return cpu_ms > wall_ms ? cpu_ms : wall_ms;
}

void
burl_tally_deinit(struct burl_tally *t)
{
    burl_map_deinit(&t->names);
    BURL_VEC_FREE(&t->in_order);
}

/* True when the evaluation did not have it yet. */
static bool
add_name(struct burl_tally *t, uint64_t name, uint8_t weight, bool warning)
{
    uint64_t old;

    if (burl_map_get(&t->names, name, &old))
        return false;
    burl_map_set(&t->names, name, 1);
    if (weight > 0)
        BURL_VEC_PUSH(&t->in_order, (struct burl_tune_name){ name, weight, warning });
    return true;
}

/* ---- coverage ---------------------------------------------------------------------- */

static void
add_goldi(struct burl_tally *t, const struct burl_free_result *r,
          const struct burl_wire_cover_item *x, uint64_t name)
{
    const uint64_t place = burl_tune_site_name(r->modules, r->n_modules, x->a);
    const uint8_t weight = goldi_weights[x->b & 3];
    uint64_t task = burl_hash_u64(burl_hash_str(BURL_HASH_BEGIN, "task"), place);

    t->outcome.goldi += add_name(t, name, 1, false);
    /* The weights are over (place, state), whatever the variable and the thread. */
    task = burl_hash_end(burl_hash_u64(task, x->b));
    if (add_name(t, task, 0, false))
        t->outcome.goldi_weight += weight;
}

static void
add_item(struct burl_tally *t, const struct burl_free_result *r,
         const struct burl_wire_cover_item *x)
{
    const uint64_t name = burl_tune_item_name(r->modules, r->n_modules, x);

    switch (x->metric) {
    case BURL_METRIC_AVIO:
        t->outcome.avio += add_name(t, name, 1, false);
        break;
    case BURL_METRIC_HBPAIRS:
        t->outcome.hbpair += add_name(t, name, 1, false);
        break;
    case BURL_METRIC_SYNCHRO:
        t->outcome.synchro += add_name(t, name, 1, false);
        break;
    case BURL_METRIC_GOLDISC:
        add_goldi(t, r, x, name);
        break;
    default:
        break;
    }
}

/* ---- warnings ---------------------------------------------------------------------- */

static uint64_t
warning_name(uint32_t kind, uint64_t a, uint64_t b)
{
    uint64_t h = burl_hash_u64(burl_hash_str(BURL_HASH_BEGIN, "warning"), kind);

    h = burl_hash_u64(h, a < b ? a : b);
    return burl_hash_end(burl_hash_u64(h, a < b ? b : a));
}

static void
add_warnings(struct burl_tally *t, const struct burl_free_result *r)
{
    struct burl_map racing = { 0 };
    uint64_t old;

    for (size_t i = 0; i < r->n_failures; i++) {
        const struct burl_wire_verdict *v = &r->failures[i].verdict;
        uint64_t side[2] = { 0 };

        for (uint32_t k = 0; k < v->n_sides && k < 2; k++) {
            side[k] = burl_tune_site_name(r->modules, r->n_modules, v->sides[k].site);
            burl_map_set(&racing, side[k], 1);
        }
        t->outcome.warnings +=
            add_name(t, warning_name(v->kind, side[0], side[1]), WARNING_WEIGHT, true);
    }
    /* Where Goldilocks sees a race of which the race detector had no room for the other side. */
    for (size_t i = 0; i < r->n_items; i++) {
        const struct burl_wire_cover_item *x = &r->items[i];
        const uint64_t place = burl_tune_site_name(r->modules, r->n_modules, x->a);

        if (x->metric == BURL_METRIC_GOLDISC && x->b == GOLDI_E &&
            !burl_map_get(&racing, place, &old))
            t->outcome.warnings +=
                add_name(t, warning_name(UINT32_MAX, place, place), WARNING_WEIGHT, true);
    }
    burl_map_deinit(&racing);
}

/* ---- all of it --------------------------------------------------------------------- */

enum burl_tune_error
burl_tally_add(struct burl_tally *t, const struct burl_execution *x)
{
    const enum burl_tune_error error = burl_execution_error(x);
    struct burl_tune_outcome *o = &t->outcome;

    o->executions++;
    o->cut += x->r.noise_stopped;
    if (error != BURL_TUNE_ERROR__N)
        o->errors[error]++;
    o->wall_ms += x->r.wall_ms;
    o->cost_ms += burl_tune_cost_ms(x->r.cpu_us, x->r.wall_ms);
    o->noise.places += x->r.noise.places;
    o->noise.injected += x->r.noise.injected;
    o->noise.halted += x->r.noise.halted;
    o->noise.tampered += x->r.noise.tampered;
    for (size_t i = 0; i < x->r.n_items; i++)
        add_item(t, &x->r, &x->r.items[i]);
    add_warnings(t, &x->r);
    return error;
}

bool
burl_tune_seen_add(struct burl_tune_seen *s, const struct burl_tune_name *n)
{
    uint64_t old;

    if (burl_map_get(&s->names, n->name, &old))
        return false;
    burl_map_set(&s->names, n->name, 1);
    s->n_items += !n->warning;
    s->n_warnings += n->warning;
    return true;
}

void
burl_tally_end(struct burl_tally *t, struct burl_tune_seen *seen)
{
    size_t n = 0;

    for (size_t i = 0; i < t->in_order.n; i++) {
        if (!burl_tune_seen_add(seen, &t->in_order.v[i]))
            continue;
        t->outcome.fresh += t->in_order.v[i].weight;
        t->in_order.v[n++] = t->in_order.v[i];
    }
    t->in_order.n = n;
}

void
burl_tune_seen_deinit(struct burl_tune_seen *s)
{
    burl_map_deinit(&s->names);
    *s = (struct burl_tune_seen){ 0 };
}
