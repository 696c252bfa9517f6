/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy/replay.c - follows a list of switches; the default policy in between.
 *
 * Switches are keyed by (thread, its count of operations). The list is searched from the place of
 * the last match onwards, so a switch that never comes up (its thread took another path, as
 * happens while a schedule is being minimized or after a rebuild) is stepped over when a later
 * one matches. Stepping over or finding the target not runnable is noted in diverged_at; the
 * run continues, since a schedule that almost fits often still fails the same way.
 *
 * Choices in the list (which waiter a signal wakes, spurious wakeups, faults) are no part of that
 * search: each thread has a cursor of its own for those that are keyed by it.
 *
 * Counts mean nothing once code was added or taken out before the place. The two other ways
 * (enum burl_wire_replay) go by the site of the pending operation, one switch after the other, and
 * are tried by the host when counting has not led to the failure; none of them can be right for all
 * changes, and what they show is recorded with its own counts.
 */
#include <string.h>

#include "rt/core/strategy.h"

/* How far ahead a match is looked for. Larger costs time at every decision of an execution
 * that left its schedule; smaller fails on schedules with many stale switches. */
#define LOOK_AHEAD 64u

static const struct burl_wire_switch *list;
static uint32_t n_list;
static uint32_t how;

/* By place: how far the counts of a thread have moved, as its last match showed. */
#define SHIFTS 256u
static uint32_t shifts[SHIFTS];

static void
skip_choices(void)
{
    uint32_t *at = &burl_rt.exec.sched_in_at;

    while (*at < n_list && burl_switch_is_choice(list[*at].why))
        ++*at;
}

static void
replay_begin(const union burl_wire_args *args)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;

    how = args->replay.how;
    memset(shifts, 0, sizeof shifts);
    list = (const struct burl_wire_switch *)((const char *)ctl + ctl->sched_in_off);
    n_list = args->replay.n_sched_in;
    burl_rt.exec.sched_in_at = 0;
    skip_choices();
}

static void
note_divergence(uint32_t at)
{
    if (burl_rt.exec.diverged_at == UINT32_MAX)
        burl_rt.exec.diverged_at = at;
}

/* By place: has its thread done as many operations as when the switch was recorded? Unsigned: a
 * shift may go back, and does so by wrapping. */
static bool
is_due(const struct burl_wire_switch *s, const struct burl_thread *t)
{
    return (int32_t)(t->n_ops - (s->op + shifts[s->tid % SHIFTS])) >= 0;
}

/* Does the switch belong here? By place a thread that cannot run is switched from wherever it
 * is. */
static bool
is_match(const struct burl_wire_switch *s, const struct burl_choice *c, const struct burl_thread *t)
{
    if (s->tid != c->current || burl_switch_is_choice(s->why))
        return false;
    if (how == BURL_REPLAY_BY_COUNT)
        return s->op == t->n_ops;
    if (s->why != BURL_SWITCH_PREEMPT)
        return !c->current_runnable || (s->why == BURL_SWITCH_YIELD && c->yielding);
    return s->site != 0 && s->site == t->op.site &&
           (how == BURL_REPLAY_FIRST_ARRIVAL || is_due(s, t));
}

static uint16_t
replay_pick(const struct burl_choice *c)
{
    const struct burl_thread *t = burl_rt.threads[c->current];
    const uint32_t at = burl_rt.exec.sched_in_at;
    uint32_t end = n_list - at > LOOK_AHEAD ? at + LOOK_AHEAD : n_list;

    /* By place only a thread that cannot run may step over a switch: the others are still to
     * come. */
    if (how != BURL_REPLAY_BY_COUNT && c->current_runnable && end > at + 1)
        end = at + 1;
    for (uint32_t i = at; i < end; i++) {
        if (!is_match(&list[i], c, t))
            continue;
        if (i != at)
            note_divergence(at);
        if (list[i].why == BURL_SWITCH_PREEMPT)
            shifts[list[i].tid % SHIFTS] = t->n_ops - list[i].op;
        burl_rt.exec.sched_in_at = i + 1;
        skip_choices();
        if (burl_choice_has(c, list[i].next))
            return list[i].next;
        note_divergence(i);
        break;
    }
    return burl_pick_default(c);
}

/* Is this choice before, at, or after the record? Negative, zero, positive. */
static int
compare_choice(const struct burl_thread *t, uint16_t nth, const struct burl_wire_switch *s)
{
    if (t->n_ops != s->op)
        return t->n_ops < s->op ? -1 : 1;
    return nth < s->nth ? -1 : nth > s->nth;
}

/* The same, going by the place: the next record waits for its site. */
static int
compare_place(const struct burl_thread *t, enum burl_wire_switch_why what,
              const struct burl_wire_switch *s)
{
    const bool early = how == BURL_REPLAY_BY_PLACE && !is_due(s, t);

    return s->why != what || s->site == 0 || s->site != burl_rt_site(t) || early ? -1 : 0;
}

static uint32_t
replay_choose(struct burl_thread *t, uint32_t what, uint32_t n, uint16_t nth)
{
    for (; t->choice_at < n_list; t->choice_at++) {
        const struct burl_wire_switch *s = &list[t->choice_at];
        int order;

        if (s->tid != t->tid || !burl_switch_is_choice(s->why))
            continue;
        order = how == BURL_REPLAY_BY_COUNT ? compare_choice(t, nth, s) : compare_place(t, what, s);
        if (order < 0)
            return 0;
        if (order == 0 && s->why == what && s->next < n) {
            t->choice_at++;
            return s->next;
        }
        note_divergence(t->choice_at);
    }
    return 0;
}

const struct burl_strategy_ops burl_strategy_replay = {
    .begin = replay_begin,
    .pick = replay_pick,
    .choose = replay_choose,
};
