/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/proof/enumerate.c - which schedules of the bounded enumerations are next; contract in
 * proof.h.
 *
 * Runs in the host. First the base schedule alone, which shows how many decisions there are; then
 * all schedules with one deviation from it, with two, and so on. Deviations can make executions
 * longer: before the bound rises, places in the part that was not known before are tried, a few
 * times over (EXTENSIONS; a program that gets longer and longer must not keep the bound low for
 * ever).
 *
 * Numbers mean the same schedule only with the same scheduling points: when more of them are
 * learned the enumeration begins anew, and the next campaign goes on only with the same ones. That
 * errs towards repeating work. So does what is kept of a campaign that was cut: the position up to
 * which everything was tried, not what was handed out.
 */
#include "engine/engine_int.h"

#define EXTENSIONS 3u

static struct burl_enumeration *
state_of(struct burl_campaign *c, uint32_t strategy)
{
    return strategy == BURL_STRATEGY_DELAY     ? &c->plan.delays
           : strategy == BURL_STRATEGY_PREEMPT ? &c->plan.preemptions
                                               : NULL;
}

bool
burl__enumerate_is(uint32_t strategy)
{
    return strategy == BURL_STRATEGY_DELAY || strategy == BURL_STRATEGY_PREEMPT;
}

/* Threads the turn may go to, at most: the places of delays have no choice. */
static uint32_t
other_threads(const struct burl_campaign *c, uint32_t strategy)
{
    const uint32_t n = c->stats->max_threads;

    return strategy == BURL_STRATEGY_PREEMPT && n > 2 ? n - 1 : 1;
}

static void
set_bound(struct burl_enumeration *e, uint32_t bound, uint64_t done)
{
    e->places.bound = bound;
    e->places.done = done;
    e->places.span = e->longest;
    e->next = 0;
    e->done_to = 0;
    /* Bound 0 is the base alone. Without a decision there is nothing to deviate at. */
    e->total = bound == 0 ? 1 : burl_enum_total(&e->places);
}

static void
begin_enumeration(const struct burl_campaign *c, uint32_t strategy, struct burl_enumeration *e)
{
    *e = (struct burl_enumeration){
        .places = { .key = c->cfg->seed,
                    .others = other_threads(c, strategy),
                    .repeats = strategy == BURL_STRATEGY_DELAY },
        .begun = true,
        .points_version = c->learned.points_version,
    };
    set_bound(e, 0, 0);
}

static void
set_complete(struct burl_campaign *c, uint32_t strategy, uint32_t complete)
{
    if (strategy == BURL_STRATEGY_DELAY)
        c->stats->delays_complete = complete;
    else
        c->stats->preemptions_complete = complete;
}

/* All of this bound were handed out. */
static void
advance_bound(struct burl_campaign *c, uint32_t strategy, struct burl_enumeration *e)
{
    const uint64_t span = e->places.span;
    const uint32_t bound = e->places.bound;

    /* An order that ended at a failure, a process that did not come back. */
    e->gap |= e->done_to < e->total;
    if (bound > 0 && e->longest > span && e->extensions < EXTENSIONS) {
        e->extensions++;
        set_bound(e, bound, span);
        return;
    }
    if (bound > 0 && e->longest <= span && e->complete == bound - 1 && !e->gap) {
        e->complete = bound;
        set_complete(c, strategy, bound);
    }
    e->extensions = 0;
    set_bound(e, bound < BURL_ENUM_MAX_BOUND ? bound + 1 : 1, 0);
}

uint64_t
burl__enumerate_next(struct burl_campaign *c, struct burl_work *w, uint64_t n)
{
    struct burl_enumeration *e = state_of(c, w->strategy);

    /* Fewer threads than before may be those of this campaign's first executions. */
    if (!e->begun || e->points_version != c->learned.points_version ||
        e->places.others < other_threads(c, w->strategy)) {
        set_complete(c, w->strategy, 0);
        begin_enumeration(c, w->strategy, e);
    }
    /* Only what was tried can say how long executions are, and that all were. */
    for (uint32_t i = 0; e->next >= e->total && i <= BURL_ENUM_MAX_BOUND + EXTENSIONS; i++) {
        if (e->n_tried < e->n_given && e->round == c->stats->n_rounds)
            return 0;
        advance_bound(c, w->strategy, e);
    }
    if (e->next >= e->total) /* no decision in the whole program: the base again */
        e->places.bound = 0;
    else if (n > e->total - e->next)
        n = e->total - e->next;
    w->args.enumeration.places = e->places;
    w->args.enumeration.index_first = e->next;
    e->next += n;
    e->n_given += n;
    e->round = c->stats->n_rounds;
    return n;
}

void
burl__enumerate_commit(struct burl_campaign *c, const struct burl_work *w,
                       const struct burl_batch *b)
{
    struct burl_enumeration *e = state_of(c, w->strategy);
    const uint64_t n = b->totals.executions / (w->flags & BURL_ORDER_F_CHECK_TWICE ? 2 : 1);

    if (!e)
        return;
    e->n_tried += n;
    /* An execution that did not come to its end has not shown all of its decisions. */
    e->gap |= burl__batch_completed(b) < b->totals.executions;
    /* Batches come in order; behind one that is not whole nothing counts. */
    if (w->args.enumeration.index_first + (b->first_seed - w->first_seed) == e->done_to)
        e->done_to += n;
    if (b->max_points > e->longest)
        e->longest = b->max_points;
}

/* ---- from one campaign to the next ------------------------------------------------- */

void
burl__enumerate_keep(const struct burl_campaign *c, struct burl_campaign_memory *m)
{
    static const uint32_t all[] = { BURL_STRATEGY_DELAY, BURL_STRATEGY_PREEMPT };

    static_assert(sizeof all / sizeof all[0] == BURL_CAMPAIGN_ENUMS, "there is room");
    for (size_t i = 0; i < BURL_CAMPAIGN_ENUMS; i++) {
        const struct burl_enumeration *e =
            all[i] == BURL_STRATEGY_DELAY ? &c->plan.delays : &c->plan.preemptions;

        if (!e->begun || e->points_version != c->learned.points_version)
            continue;
        m->enums[m->n_enums++] =
            (struct burl_campaign_memory_enum){ .strategy = all[i],
                                                .points = burl__learned_hash_points(&c->learned),
                                                .max_steps = c->cfg->max_steps,
                                                .places = e->places,
                                                .next = e->done_to,
                                                .longest = e->longest,
                                                .complete = e->complete,
                                                .extensions = e->extensions,
                                                .gap = e->gap };
    }
}

/* Could it be one of ours? The numbers come from a file. */
static bool
is_sane_enumeration(const struct burl_campaign_memory_enum *k)
{
    const struct burl_enum *p = &k->places;

    return burl__enumerate_is(k->strategy) && p->bound <= BURL_ENUM_MAX_BOUND && p->others > 0 &&
           p->span < 1ull << 40 && p->done <= p->span && k->longest < 1ull << 40 &&
           (p->repeats != 0) == (k->strategy == BURL_STRATEGY_DELAY) &&
           k->next <= (p->bound == 0 ? 1 : burl_enum_total(p)) &&
           k->complete <= BURL_ENUM_MAX_BOUND;
}

void
burl__enumerate_recall(struct burl_campaign *c, const struct burl_campaign_memory *m)
{
    for (size_t i = 0; i < m->n_enums && i < BURL_CAMPAIGN_ENUMS; i++) {
        const struct burl_campaign_memory_enum *k = &m->enums[i];

        if (!is_sane_enumeration(k) || k->points != burl__learned_hash_points(&c->learned) ||
            k->max_steps != c->cfg->max_steps)
            continue;
        *state_of(c, k->strategy) = (struct burl_enumeration){
            .places = k->places,
            .next = k->next,
            .done_to = k->next,
            .total = k->places.bound == 0 ? 1 : burl_enum_total(&k->places),
            .longest = k->longest,
            .complete = k->complete,
            .extensions = k->extensions,
            .points_version = c->learned.points_version,
            .gap = k->gap,
            .begun = true,
        };
        set_complete(c, k->strategy, k->complete);
    }
}
