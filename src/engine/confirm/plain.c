/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/plain.c - the same failure without spurious wakeups and faults.
 *
 * Runs in the host. A failure may be met first in an execution that injects something, although
 * another schedule shows it without: a stolen wakeup looks like a spurious one. Dropping the
 * injected choices from the schedule (minimize.c) does not find that schedule. So before a report
 * says that a failure needs an injected choice, a number of executions without any are tried.
 * It is a sample and no proof: a failure that is rare without the choice is still said to need it.
 */
#include <string.h>

#include "engine/engine_int.h"

/* Executions of each strategy. Longer ones get fewer, by what they do and not by the clock, so that
 * the result is the same on a busy machine. */
#define EXECS 256u
#define EXECS_LEAST 8u
#define STEPS_MAX 2000000u

static const struct {
    uint32_t strategy;
    uint32_t param;
} samples[] = {
    { BURL_STRATEGY_POS, 0 },
    { BURL_STRATEGY_PCT, 3 },
    { BURL_STRATEGY_RANDOM, 0 },
};
#define SAMPLES (sizeof samples / sizeof samples[0])

bool
burl__plain_is(const struct burl_run *run)
{
    for (size_t i = 0; i < run->n_switches; i++) {
        if (burl_switch_is_injected(run->switches[i].why))
            return false;
    }
    return true;
}

static uint64_t
n_execs(const struct burl_run *run)
{
    const uint64_t n = run->steps > 0 ? STEPS_MAX / run->steps : EXECS;

    return n < EXECS_LEAST ? EXECS_LEAST : n > EXECS ? EXECS : n;
}

/* Runs the work; true when one of its executions failed in this way, *seed. */
static bool
try_work(struct burl_campaign *c, struct burl_target *t, const struct burl_work *w,
         uint64_t fingerprint, uint64_t *seed)
{
    const struct burl_wire_order o = burl__campaign_order(c, w, w->first_seed, w->n);
    const struct burl_wire_result *r = &t->ctl->result;
    struct burl_err ignored;

    if (t->state != BURL_TARGET_IDLE || burl_target_order(t, &o, NULL, &ignored) != BURL_OK ||
        burl_target_wait(t) != BURL_TARGET_IDLE)
        return false;
    c->stats->extra_executions += w->n;
    for (uint32_t i = 0; i < r->n_failures && i < BURL_WIRE_MAX_FAILURES; i++) {
        const struct burl_wire_failure *f = &r->failures[i];

        if (f->verdict.kind < BURL_VERDICT__N && burl_verdict_is_finding(f->verdict.kind) &&
            burl__findings_fingerprint(&c->findings, &f->verdict) == fingerprint) {
            *seed = f->seed;
            return true;
        }
    }
    return false;
}

bool
burl__plain_find(struct burl_campaign *c, const struct burl_work *w, uint64_t seed,
                 uint64_t fingerprint, const struct burl_run *run, struct burl_work *plain)
{
    struct burl_target *t;
    struct burl_err ignored;
    bool found = false;

    if (burl__campaign_start(c, c->pool.reset, false, &t, &ignored) != BURL_OK)
        return false;
    for (size_t i = 0; i < SAMPLES && !found; i++) {
        *plain =
            (struct burl_work){ .strategy = samples[i].strategy,
                                .args = burl_wire_args_of(samples[i].strategy, samples[i].param),
                                .flags = w->flags & BURL_ORDER_F_KEPT &
                                         ~(BURL_ORDER_F_INJECT | BURL_ORDER_F_PATIENT),
                                .first_seed = (seed + ((i + 1) << 20)) & ((1ull << 48) - 1),
                                .n = n_execs(run),
                                .observers = w->stop_key != 0 ? w->observers : 0,
                                .stop_key = w->stop_key,
                                .stop = w->stop,
                                .suspect = w->suspect };
        memcpy(plain->stop_ops, w->stop_ops, sizeof plain->stop_ops);
        found = try_work(c, t, plain, fingerprint, &seed);
    }
    burl_target_stop(t);
    plain->first_seed = seed;
    plain->n = 1;
    return found;
}
