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

/* NULL: the strategy does not go through numbered schedules. */
static struct burl_enumeration *
state_of(struct burl_proof *p, uint32_t strategy)
{
    return strategy == BURL_STRATEGY_DELAY     ? &p->delays
           : strategy == BURL_STRATEGY_PREEMPT ? &p->preemptions
                                               : NULL;
}

bool
burl__enumerate_is(uint32_t strategy)
{
    return strategy == BURL_STRATEGY_DELAY || strategy == BURL_STRATEGY_PREEMPT;
}

struct burl_enumeration_facts
burl__enumerate_facts(const struct burl_campaign *c)
{
    return (struct burl_enumeration_facts){ .learned = &c->learned,
                                            .seed = c->cfg->seed,
                                            .max_steps = c->plan.max_steps,
                                            .max_threads = c->stats->max_threads,
                                            .round = c->stats->n_rounds };
}

/* Threads the turn may go to, at most: the places of delays have no choice. */
static uint32_t
other_threads(const struct burl_enumeration_facts *f, uint32_t strategy)
{
    return strategy == BURL_STRATEGY_PREEMPT && f->max_threads > 2 ? f->max_threads - 1 : 1;
}

/* Bound 0 is the base alone. Without a decision there is nothing to deviate at. */
static uint64_t
total_of(const struct burl_enum *places)
{
    return places->bound == 0 ? 1 : burl_enum_total(places);
}

static void
set_bound(struct burl_enumeration *e, uint32_t bound, uint64_t done)
{
    e->at.places.bound = bound;
    e->at.places.done = done;
    e->at.places.span = e->at.longest;
    e->at.next = 0;
    e->next = 0;
    e->total = total_of(&e->at.places);
}

static void
begin_enumeration(const struct burl_enumeration_facts *f, uint32_t strategy,
                  struct burl_enumeration *e)
{
    *e = (struct burl_enumeration){
        .at = { .strategy = strategy,
                .places = { .key = f->seed,
                            .others = other_threads(f, strategy),
                            .repeats = strategy == BURL_STRATEGY_DELAY } },
        .begun = true,
        .points_version = f->learned->points_version,
    };
    set_bound(e, 0, 0);
}

/* All of this bound were handed out. */
static void
advance_bound(struct burl_enumeration *e)
{
    const uint64_t span = e->at.places.span;
    const uint32_t bound = e->at.places.bound;

    /* An order that ended at a failure, a process that did not come back. */
    e->at.gap |= e->at.next < e->total;
    if (bound > 0 && e->at.longest > span && e->at.extensions < EXTENSIONS) {
        e->at.extensions++;
        set_bound(e, bound, span);
        return;
    }
    if (bound > 0 && e->at.longest <= span && e->at.complete == bound - 1 && !e->at.gap)
        e->at.complete = bound;
    e->at.extensions = 0;
    set_bound(e, bound < BURL_ENUM_MAX_BOUND ? bound + 1 : 1, 0);
}

uint64_t
burl__enumerate_next(struct burl_proof *p, const struct burl_enumeration_facts *f,
                     struct burl_work *w, uint64_t n)
{
    struct burl_enumeration *e = state_of(p, w->strategy);

    /* Fewer threads than before may be those of this campaign's first executions. */
    if (!e->begun || e->points_version != f->learned->points_version ||
        e->at.places.others < other_threads(f, w->strategy))
        begin_enumeration(f, w->strategy, e);
    /* Only what was tried can say how long executions are, and that all were. */
    for (uint32_t i = 0; e->next >= e->total && i <= BURL_ENUM_MAX_BOUND + EXTENSIONS; i++) {
        if (e->n_tried < e->n_given && e->round == f->round)
            return 0;
        advance_bound(e);
    }
    if (e->next >= e->total) /* no decision in the whole program: the base again */
        e->at.places.bound = 0;
    else if (n > e->total - e->next)
        n = e->total - e->next;
    w->args.enumeration.places = e->at.places;
    w->args.enumeration.index_first = e->next;
    e->next += n;
    e->n_given += n;
    e->round = f->round;
    return n;
}

void
burl__enumerate_commit(struct burl_proof *p, const struct burl_work *w, const struct burl_batch *b)
{
    struct burl_enumeration *e = state_of(p, w->strategy);
    const uint64_t n = b->totals.executions / (w->flags & BURL_ORDER_F_CHECK_TWICE ? 2 : 1);

    if (!e)
        return;
    e->n_tried += n;
    /* An execution that did not come to its end has not shown all of its decisions. */
    e->at.gap |= burl__batch_completed(b) < b->totals.executions;
    /* Batches come in order; behind one that is not whole nothing counts. */
    if (w->args.enumeration.index_first + (b->first_seed - w->first_seed) == e->at.next)
        e->at.next += n;
    if (b->max_points > e->at.longest)
        e->at.longest = b->max_points;
}

/* ---- from one campaign to the next ------------------------------------------------- */

void
burl__enumerate_keep(const struct burl_proof *p, const struct burl_enumeration_facts *f,
                     struct burl_campaign_memory *m)
{
    const struct burl_enumeration *const all[BURL_CAMPAIGN_ENUMS] = { &p->delays, &p->preemptions };

    for (size_t i = 0; i < BURL_CAMPAIGN_ENUMS; i++) {
        struct burl_campaign_memory_enum *k = &m->enums[m->n_enums];

        if (!all[i]->begun || all[i]->points_version != f->learned->points_version)
            continue;
        *k = all[i]->at;
        k->points = burl__learned_hash_points(f->learned);
        k->max_steps = f->max_steps;
        m->n_enums++;
    }
}

/* Could it be one of ours? The numbers come from a file. */
static bool
is_sane_enumeration(const struct burl_campaign_memory_enum *k)
{
    const struct burl_enum *p = &k->places;

    return burl__enumerate_is(k->strategy) && p->bound <= BURL_ENUM_MAX_BOUND && p->others > 0 &&
           p->span < 1ull << 40 && p->done <= p->span && k->longest < 1ull << 40 &&
           (p->repeats != 0) == (k->strategy == BURL_STRATEGY_DELAY) && k->next <= total_of(p) &&
           k->complete <= BURL_ENUM_MAX_BOUND;
}

void
burl__enumerate_recall(struct burl_proof *p, const struct burl_enumeration_facts *f,
                       const struct burl_campaign_memory *m)
{
    for (size_t i = 0; i < m->n_enums && i < BURL_CAMPAIGN_ENUMS; i++) {
        const struct burl_campaign_memory_enum *k = &m->enums[i];

        if (is_sane_enumeration(k) && k->points == burl__learned_hash_points(f->learned) &&
            k->max_steps == f->max_steps)
            *state_of(p, k->strategy) =
                (struct burl_enumeration){ .at = *k,
                                           .next = k->next,
                                           .total = total_of(&k->places),
                                           .points_version = f->learned->points_version,
                                           .begun = true };
    }
}
