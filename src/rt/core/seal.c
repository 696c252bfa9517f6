/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/seal.c - the program must not change what the runtime has counted; contract in seal.h.
 *
 * Runs in the target. The copy lies in memory of the runtime, which no snapshot restores and which
 * a child of the fork server inherits. A wild write can hit it too: then it differs from the block
 * as well.
 */
#include "seal.h"

#include <string.h>

#include "core.h"

/* Counted while the program runs: these grow, and nothing else does. */
#define GROWING(X)    \
    X(search_pruned)  \
    X(n_pairs)        \
    X(pair_visits[0]) \
    X(pair_visits[1]) \
    X(irreversible)   \
    X(n_suspects)

#define AT(field) offsetof(struct burl_wire_result, field)

/* Written between executions only: from the first field to before the second. */
static const struct {
    size_t from;
    size_t to;
} still[] = {
    { AT(n_done), AT(irreversible) },    { AT(goal_hits), AT(pair_visits) },
    { AT(search_void), AT(pair_gates) }, { AT(last_goal_hit), AT(text) },
    { AT(last), AT(failures) },
};

static struct burl_wire_result kept;
static bool was_damaged; /* noticed by burl__seal_open() */

static size_t
failures_b(void)
{
    return kept.n_failures * sizeof kept.failures[0];
}

static void
keep(void)
{
    const struct burl_wire_result *r = &burl_rt.ctl->result;

    memcpy(&kept, r, AT(failures));
    if (kept.n_failures > BURL_WIRE_MAX_FAILURES)
        kept.n_failures = 0; /* never equal to what is there */
    memcpy(kept.failures, r->failures, failures_b());
}

void
burl__seal_take(void)
{
    was_damaged = false;
    keep();
}

static bool
is_as_kept(const struct burl_wire_result *r)
{
    for (size_t i = 0; i < sizeof still / sizeof still[0]; i++) {
        if (memcmp((const char *)r + still[i].from, (const char *)&kept + still[i].from,
                   still[i].to - still[i].from) != 0)
            return false;
    }
#define BURL_X(field)          \
    if (r->field < kept.field) \
        return false;
    GROWING(BURL_X)
#undef BURL_X
    for (uint32_t i = 0; i < BURL_COUNTER__N; i++) {
        if (r->counters[i] < kept.counters[i])
            return false;
    }
    return memcmp(r->failures, kept.failures, failures_b()) == 0;
}

bool
burl__seal_check(void)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;

    if (BURL_LIKELY(!was_damaged && is_as_kept(r)))
        return true;
    memcpy(r, &kept, AT(failures));
    memcpy(r->failures, kept.failures, failures_b());
    return false;
}

void
burl__seal_open(void)
{
    if (!burl_rt.in_execution)
        return;
    was_damaged |= !burl__seal_check();
}

void
burl__seal_close(void)
{
    if (burl_rt.in_execution)
        keep();
}
