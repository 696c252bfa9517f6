/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goal/race.c - two threads at the two sites, on overlapping bytes, one of them writing.
 *
 * Sen: "Race Directed Random Testing of Concurrent Programs", PLDI 2008. The goal says which access
 * comes first; the other follows directly. With `calm` there is no preemption after the meeting,
 * and the thread at the first site goes on in either order: two executions with the same seed and
 * different goes_first then differ in nothing but the order of the two accesses.
 */
#include "rules.h"

static void
race_begin(void)
{
    burl_directed.calm = burl_directed.goal->race.calm != 0;
}

/* Does the access at the second site come first? */
static bool
race_is_reversed(const struct burl_goal_race *g)
{
    return g->goes_first == BURL_RACE_BY_SEED ? (burl_rt.exec.seed & 1) != 0
                                              : g->goes_first == BURL_RACE_SECOND_SITE;
}

static int
race_role(const struct burl_thread *t)
{
    const struct burl_goal_race *race = &burl_directed.goal->race;

    if (!burl_goal_is_access(&t->op))
        return -1;
    return t->op.site == race->first ? 0 : t->op.site == race->second ? 1 : -1;
}

static bool
race_conflict(const struct burl_op *a, const struct burl_op *b)
{
    const uint64_t plain = BURL_KIND(READ) | BURL_KIND(WRITE) | BURL_KIND(FREE);

    return burl_op_overlaps(a, b->addr, burl_op_length(b)) &&
           !(burl_op_only_reads(a) && burl_op_only_reads(b)) &&
           (burl_kind_in(a->kind, plain) || burl_kind_in(b->kind, plain));
}

static uint16_t
race_meet(const uint16_t *held, uint32_t n)
{
    const struct burl_goal_race *race = &burl_directed.goal->race;
    const bool reversed = race_is_reversed(race);

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = i + 1; j < n; j++) {
            const struct burl_thread *a = burl_rt.threads[held[i]];
            const struct burl_thread *b = burl_rt.threads[held[j]];

            if (a->op.site == race->second && b->op.site == race->first &&
                race->first != race->second) {
                const struct burl_thread *t = a;

                a = b;
                b = t;
            }
            if (a->op.site != race->first || b->op.site != race->second ||
                !race_conflict(&a->op, &b->op))
                continue;
            burl_directed_meet();
            burl_directed.follow[0] = reversed ? a->tid : b->tid;
            burl_directed.follow[1] = burl_directed.calm ? a->tid : BURL_TID_NONE;
            return reversed ? b->tid : a->tid;
        }
    }
    return BURL_TID_NONE;
}

const struct burl_goal_rules burl_goal_race_rules = {
    .begin = race_begin,
    .role = race_role,
    .meet = race_meet,
};
