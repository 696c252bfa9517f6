/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/methods.c - METHODPAIRS and CONCMETHODS: which functions are executed while which others
 * are.
 *
 * Runs in the target.
 *   METHODPAIRS (Location Pairs' definition, PAPERS 2.1): between call and return of the first in
 *   one thread another executes an action of the second. An action belongs to the function whose
 *   code it is, the innermost; entering is the first one.
 *   CONCMETHODS (CovCon's): a thread enters a function while another is inside the other, either
 *   way round.
 *
 * To be inside is to have it on the stack. Actions are many and stacks change seldom: a thread
 * remembers for each function what the others' stacks were (by a count of their changes) when it
 * last acted there, and does nothing as long as that is so.
 *
 * Not seen: functions below the BURL_FRAMES outermost, in deep recursion.
 */
#include "cover.h"

#define MEMO 64u

struct stack {
    struct stack *next;
    struct burl_watch *w;
    uint64_t changes; /* of its own stack */
    struct {
        uint32_t site;
        uint64_t others; /* their changes then, plus 1 */
    } memo[MEMO];
};

/* One for each of the two observers. */
struct stacks {
    struct stack *first;
    uint64_t changes; /* of all */
    enum burl_wire_observer observer;
};

static struct stacks method_stacks = { .observer = BURL_OBSERVER_METHODPAIRS };
static struct stacks conc_stacks = { .observer = BURL_OBSERVER_CONCMETHODS };

static struct stack *
stack_of(struct stacks *all, struct burl_watch *w)
{
    struct stack *s = burl_ob_own(w, all->observer, sizeof *s);

    if (s->w == NULL) {
        s->w = w;
        s->next = all->first;
        all->first = s;
    }
    return s;
}

static void
stack_changed(struct stacks *all, struct burl_watch *w)
{
    stack_of(all, w)->changes++;
    all->changes++;
}

static uint32_t
visible(const struct burl_watch *w)
{
    return w->depth < BURL_FRAMES ? w->depth : BURL_FRAMES;
}

/* w is in function `mine`; what is new with the functions that the others are inside. */
static void
meet_others(struct stacks *all, struct burl_watch *w, uint32_t mine)
{
    struct stack *s = stack_of(all, w);
    uint64_t others = all->changes - s->changes + 1;

    if (s->memo[mine % MEMO].site == mine && s->memo[mine % MEMO].others == others)
        return;
    s->memo[mine % MEMO].site = mine;
    s->memo[mine % MEMO].others = others;
    for (const struct stack *o = all->first; o != NULL; o = o->next) {
        uint32_t n = o != s ? visible(o->w) : 0;

        for (uint32_t i = 0; i < n; i++) {
            uint32_t there = o->w->frames->site[i];

            if (all == &method_stacks)
                burl__cover_put(BURL_METRIC_METHODPAIRS, there, mine, 0, 0, 0);
            else
                burl__cover_put(BURL_METRIC_CONCMETHODS, there < mine ? there : mine,
                                there < mine ? mine : there, 0, 0, 0);
        }
    }
}

/* ---- METHODPAIRS ----------------------------------------------------------------------------- */

static void
method_begin(void)
{
    method_stacks.first = NULL;
    method_stacks.changes = 0;
}

static void
method_action(struct burl_watch *w)
{
    uint32_t depth = visible(w);

    stack_of(&method_stacks, w);
    if (depth != 0)
        meet_others(&method_stacks, w, w->frames->site[depth - 1]);
}

static void
method_enter(struct burl_watch *w, uint32_t site)
{
    (void)site;
    stack_changed(&method_stacks, w);
    method_action(w);
}

static void
method_leave(struct burl_watch *w)
{
    stack_changed(&method_stacks, w);
}

const struct burl_observer burl_observer_methodpairs = {
    .wants = BURL_WANT_CALLS | BURL_WANT_BLOCKS | BURL_WANT_ACTIONS,
    .begin = method_begin,
    .action = method_action,
    .enter = method_enter,
    .leave = method_leave,
};

/* ---- CONCMETHODS ----------------------------------------------------------------------------- */

static void
conc_begin(void)
{
    conc_stacks.first = NULL;
    conc_stacks.changes = 0;
}

/* The thread's own change does not change what the others are inside. */
static void
conc_enter(struct burl_watch *w, uint32_t site)
{
    stack_changed(&conc_stacks, w);
    meet_others(&conc_stacks, w, site);
}

static void
conc_leave(struct burl_watch *w)
{
    stack_changed(&conc_stacks, w);
}

const struct burl_observer burl_observer_concmethods = {
    .wants = BURL_WANT_CALLS,
    .begin = conc_begin,
    .enter = conc_enter,
    .leave = conc_leave,
};
