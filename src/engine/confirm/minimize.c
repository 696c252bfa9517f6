/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/minimize.c - the plan, and delta debugging over switches; contract in minimize.h.
 *
 * Runs in the host; knows nothing of processes: the caller runs the candidates.
 *
 * Order of the work, by what it saves: first what was injected (spurious wakeups,
 * faults), then everything that was forced (the
 * default policy usually forces the same), then preemptions in halves down to
 * single ones, then the remaining forced switches, then single preemptions again
 * until nothing more goes. Then threads and stretches that need not run are left out, which
 * may make preemptions needless that were there to get past them. Last, pairs of preemptions
 * are replaced by single ones, and if that does not help, all of them by one.
 * A switch that became meaningless because its thread took another path costs
 * nothing to keep and is dropped like any other.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "engine/confirm/minimize_int.h"
#include "engine/target/target.h"

uint32_t
burl_minimize_count_preemptions(const struct burl_wire_switch *s, size_t n)
{
    uint32_t k = 0;

    for (size_t i = 0; i < n; i++)
        k += s[i].why == BURL_SWITCH_PREEMPT;
    return k;
}

static struct burl__minimize_cost
cost_of(const struct burl_wire_switch *s, size_t n, uint64_t steps)
{
    struct burl__minimize_cost c = { .switches = n, .steps = steps };
    uint8_t seen[(BURL_TID_NONE + 1u) / 8] = { 0 };

    for (size_t i = 0; i < n; i++) {
        const uint16_t tids[2] = { s[i].tid, s[i].next };

        c.injected += burl_switch_is_injected(s[i].why) != 0;
        for (unsigned k = 0; k < 2 && !burl_switch_is_choice(s[i].why); k++) {
            const uint8_t bit = (uint8_t)(1u << (tids[k] & 7));

            c.threads += !(seen[tids[k] >> 3] & bit);
            seen[tids[k] >> 3] |= bit;
        }
        if (s[i].why == BURL_SWITCH_PREEMPT) {
            c.preemptions++;
            c.place += s[i].op;
        }
    }
    return c;
}

/* The first difference decides, less is better. */
#define BY_COST(c) \
    (c)->injected, (c)->preemptions, (c)->threads, (c)->switches, (c)->steps, (c)->place

static void
adopt_shown(struct burl__minimize *s, const struct burl_minimize_shown *shown, size_t n)
{
    struct burl_wire_switch *t = s->list;

    free(s->best);
    s->best = burl_xmemdup(shown->switches, shown->n * sizeof *shown->switches);
    s->n_best = shown->n;
    s->cost = cost_of(s->best, s->n_best, shown->steps);
    s->list = s->scratch;
    s->n = n;
    free(t);
    s->scratch = burl_xcalloc((n > s->n_best ? n : s->n_best) + 1, sizeof *s->scratch);
}

bool
burl__minimize_attempt(struct burl__minimize *s, size_t n, bool strictly)
{
    struct burl_minimize_shown shown = { 0 };
    struct burl__minimize_cost cost;
    bool give_up = false;

    if (s->n_execs >= s->budget->max_execs ||
        burl_target_now_ms() - s->started_ms >= s->budget->max_ms)
        s->stop = true;
    if (s->stop)
        return false;
    s->n_execs++;
    if (!s->try_one(s->arg, s->scratch, n, &shown, &give_up)) {
        s->stop = s->stop || give_up;
        return false;
    }
    cost = cost_of(shown.switches, shown.n, shown.steps);
    if (BURL_COMPARE(&cost, &s->cost, BY_COST) >= (strictly ? 0 : 1))
        return false;
    adopt_shown(s, &shown, n);
    return true;
}

/* Records that are removed together. */
enum group { INJECTED, PREEMPTIONS, FORCED, WAITERS };

static enum group
group_of(uint8_t why)
{
    if (burl_switch_is_injected(why))
        return INJECTED;
    if (burl_switch_is_choice(why))
        return WAITERS;
    return why == BURL_SWITCH_PREEMPT ? PREEMPTIONS : FORCED;
}

/* Fills `scratch` with the list minus records number from .. from + count - 1 of the group. */
static size_t
list_without(struct burl__minimize *s, enum group g, size_t from, size_t count)
{
    size_t seen = 0;
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        const bool removable = group_of(s->list[i].why) == g;
        const bool drop = removable && seen >= from && seen < from + count;

        seen += removable;
        if (!drop)
            s->scratch[n++] = s->list[i];
    }
    return n;
}

static size_t
count_removable(const struct burl__minimize *s, enum group g)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += group_of(s->list[i].why) == g;
    return n;
}

/* Removes the records of a group, in ever smaller parts. */
static bool
reduce_group(struct burl__minimize *s, enum group g)
{
    bool changed = false;
    size_t chunk = count_removable(s, g);

    while (chunk >= 1 && !s->stop) {
        bool pass = false;

        for (size_t at = 0; at < count_removable(s, g) && !s->stop;) {
            if (burl__minimize_attempt(s, list_without(s, g, at, chunk), false))
                pass = true;
            else
                at += chunk;
        }
        changed = changed || pass;
        if (chunk == 1 && !pass)
            break;
        chunk = chunk > 1 ? (chunk + 1) / 2 : 1;
    }
    return changed;
}

static void
reduce_all(struct burl__minimize *s)
{
    reduce_group(s, INJECTED);
    burl__minimize_attempt(s, list_without(s, FORCED, 0, s->n), false);
    reduce_group(s, PREEMPTIONS);
    reduce_group(s, FORCED);
    reduce_group(s, WAITERS);
    while (!s->stop && reduce_group(s, PREEMPTIONS))
        ;
    reduce_group(s, INJECTED);
    /* Stretches that are left out may have been what a preemption was needed for, and the other
     * way round. */
    while (!s->stop && burl__minimize_segments(s))
        reduce_group(s, PREEMPTIONS);
}

size_t
burl__minimize_add_choices(struct burl__minimize *s, size_t n)
{
    for (size_t i = 0; i < s->n_best; i++) {
        if (burl_switch_is_choice(s->best[i].why))
            s->scratch[n++] = s->best[i];
    }
    return n;
}

static void
minimize_list(struct burl__minimize *s)
{
    reduce_all(s);
    while (!s->stop && burl__minimize_exchange_two(s))
        reduce_all(s);
    if (burl__minimize_exchange_all(s))
        reduce_all(s);
    burl__minimize_move_earlier(s);
}

void
burl_minimize(struct burl_minimize_result *out, const struct burl_wire_switch *start, size_t n,
              burl_minimize_try_fn *try_one, burl_minimize_points_fn *points, void *arg,
              const struct burl_minimize_budget *budget)
{
    struct burl__minimize s = {
        .try_one = try_one, .points = points, .arg = arg, .budget = budget
    };

    memset(out, 0, sizeof *out);
    s.started_ms = burl_target_now_ms();
    s.list = burl_xcalloc(n + 1, sizeof *s.list);
    if (n > 0)
        memcpy(s.list, start, n * sizeof *start);
    s.n = n;
    s.best = burl_xmemdup(start, n * sizeof *start);
    s.n_best = n;
    s.cost = cost_of(start, n, UINT64_MAX);
    s.scratch = burl_xcalloc(n + 1, sizeof *s.scratch);

    minimize_list(&s);
    out->switches = s.best;
    out->n = s.n_best;
    out->n_execs = s.n_execs;
    out->n_preemptions_before = burl_minimize_count_preemptions(start, n);
    out->n_preemptions = s.cost.preemptions;
    out->finished = !s.stop;
    free(s.list);
    free(s.scratch);
}
