/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/pace.c - how much care each finding gets within the time of the command.
 *
 * Runs in the host. Without --time only counted cost decides (plan/nominal.c), so that the same
 * seed gives the same schedules on every machine. With it the clock decides as well: exploring ends
 * early enough for what waits, minimizing gets a fair part of what is left, and what would have no
 * time for several processes is replayed in one.
 */
#include "engine/engine_int.h"

/* Fresh processes that a finding takes with care (replays, minimizing), and in haste. */
#define CAREFUL_RUNS 12
#define HASTY_RUNS 2
/* So many of the waiting ones are confirmed with care, if the time can be reserved for it. */
#define CAREFUL_MOST 3
/* The part of the whole time that is reserved at most. */
#define RESERVE_PART 3
/* The part of the whole time that minimizing one finding may take while exploring goes on. */
#define MINIMIZE_PART 4
/* Until one was measured. */
#define FRESH_MS 20

/* After Ctrl-C. */
#define INTERRUPTED_EXECS 200u
#define INTERRUPTED_MS 500

static int64_t
fresh_ms(const struct burl_campaign *c)
{
    return c->plan.fresh_ms > 0 ? c->plan.fresh_ms : FRESH_MS;
}

/* Reproduced failures, and what was seen to happen and is not reproduced yet. */
static int64_t
n_waiting(const struct burl_campaign *c)
{
    const struct burl_findings *f = &c->findings;

    return (int64_t)(f->waiting.n - f->n_concluded + f->n_unidentified);
}

/* Of the time until the limit, the part of one finding. */
static int64_t
share_ms(const struct burl_campaign *c)
{
    const int64_t left = burl_deadline_limit_left_ms(&c->plan.deadline);

    return left == INT64_MAX ? left : left / (1 + n_waiting(c));
}

void
burl__pace_note(struct burl_campaign *c, int64_t ms)
{
    c->plan.fresh_ms = c->plan.fresh_ms > 0 ? (3 * c->plan.fresh_ms + ms) / 4 : ms + 1;
}

int64_t
burl__pace_reserve_ms(const struct burl_campaign *c)
{
    const int64_t n = n_waiting(c);
    const int64_t careful = n < CAREFUL_MOST ? n : CAREFUL_MOST;
    const int64_t want = fresh_ms(c) * (careful * CAREFUL_RUNS + (n - careful) * HASTY_RUNS);
    const int64_t most = (c->plan.deadline.at_ms - c->plan.started_ms) / RESERVE_PART;

    return c->plan.deadline.at_ms == 0 ? 0 : want < most ? want : most;
}

bool
burl__pace_is_hasty(const struct burl_campaign *c)
{
    return burl__campaign_interrupted(c) || share_ms(c) < CAREFUL_RUNS * fresh_ms(c);
}

bool
burl__pace_is_over(const struct burl_campaign *c)
{
    return burl_deadline_is_past_limit(&c->plan.deadline);
}

struct burl_minimize_budget
burl__pace_minimize(const struct burl_campaign *c, const struct burl_minimize_budget *most)
{
    struct burl_minimize_budget b = *most;
    int64_t ms = share_ms(c) / 2;

    if (c->plan.deadline.at_ms != 0) {
        const int64_t part = (c->plan.deadline.at_ms - c->plan.started_ms) / MINIMIZE_PART;

        b.max_ms = b.max_ms < part ? b.max_ms : part;
    }
    if (burl__campaign_interrupted(c)) {
        b.max_execs = INTERRUPTED_EXECS;
        ms = ms < INTERRUPTED_MS ? ms : INTERRUPTED_MS;
    } else if (burl__pace_is_hasty(c)) {
        ms = 0;
    }
    b.max_ms = b.max_ms < ms ? b.max_ms : ms;
    return b;
}
