/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/speed.c - the faster of the two resets, measured.
 *
 * Runs in the host. Restoring a snapshot beats a fork by far where executions are short. Where
 * they write much memory a child is cheaper: the kernel frees its pages at once. Which it is
 * depends on the program and on the machine, so the same schedules are timed with both: those of
 * the self-check (choose.c), and later now and then some of the last round, because a program may
 * behave otherwise with other schedules. A fresh process for each execution is not tried: it is a
 * fork and the start of the program on top.
 *
 * The choice changes how long executions take and nothing else: the self-check has shown that both
 * give the same results, and budgets count as if there were a snapshot (burl__speed_nominal()). It
 * is made only where the user left it, and never back to a snapshot that was given up as inexact.
 */
#include <stdio.h>
#include <time.h>

#include "engine/engine_int.h"

/* An execution that takes longer is judged by one comparison; shorter ones by the fastest of
 * COMPARISONS, since a busy machine only ever adds to a time. */
#define LONG_US 100000u
#define COMPARISONS 3u
/* The other reset must take less than this part of the time, in percent: each change starts
 * processes anew. With long executions fork needs no advantage, since it needs no self-check. */
#define FASTER_PERCENT 66u
#define LONG_PERCENT 110u
/* When it is compared again, at first, and how much later each time. */
#define AGAIN_MS 2000
#define AGAIN_GROWTH 4
/* Executions of a comparison between rounds, and the part of the campaign that it may take. */
#define PROBES 4u
#define PART 32

uint64_t
burl__speed_now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

enum burl_wire_reset
burl__speed_nominal(const struct burl_campaign *c)
{
    return c->pool.by_speed ? BURL_RESET_SNAPSHOT : c->pool.reset;
}

static bool
is_open(const struct burl_campaign *c)
{
    return c->cfg->reset == BURL_CAMPAIGN_AUTO && c->pool.engine == BURL_ENGINE_FIBERS &&
           (c->pool.reset == BURL_RESET_SNAPSHOT || c->pool.by_speed);
}

/* Takes the one that is clearly faster. */
static void
decide(struct burl_campaign *c)
{
    struct burl_pool *p = &c->pool;
    const uint64_t *us = p->speed.us;
    const enum burl_wire_reset other =
        p->reset == BURL_RESET_SNAPSHOT ? BURL_RESET_FORK : BURL_RESET_SNAPSHOT;
    const bool is_long = us[BURL_RESET_SNAPSHOT] >= LONG_US && other == BURL_RESET_FORK;

    c->stats->reset_us[BURL_RESET_SNAPSHOT] = us[BURL_RESET_SNAPSHOT];
    c->stats->reset_us[BURL_RESET_FORK] = us[BURL_RESET_FORK];
    if (us[other] * 100 >= us[p->reset] * (is_long ? LONG_PERCENT : FASTER_PERCENT))
        return;
    p->reset = other;
    p->by_speed = other == BURL_RESET_FORK;
    c->stats->why_reset[0] = '\0';
    if (p->by_speed)
        snprintf(c->stats->why_reset, sizeof c->stats->why_reset,
                 "measured: %.1f ms for an execution, %.1f with a snapshot",
                 (double)us[BURL_RESET_FORK] / 1000.0, (double)us[BURL_RESET_SNAPSHOT] / 1000.0);
}

static void
take_faster(uint64_t *us, uint64_t now_us)
{
    now_us += now_us == 0;
    if (*us == 0 || now_us < *us)
        *us = now_us;
}

void
burl__speed_note(struct burl_campaign *c, uint64_t snapshot_us, uint64_t fork_us)
{
    struct burl_reset_speed *s = &c->pool.speed;

    if (!is_open(c))
        return;
    take_faster(&s->us[BURL_RESET_SNAPSHOT], snapshot_us);
    take_faster(&s->us[BURL_RESET_FORK], fork_us);
    if (++s->n >= COMPARISONS || s->us[BURL_RESET_SNAPSHOT] >= LONG_US)
        decide(c);
}

/* Some executions of the work with a reset, in a process of their own. *us: what one takes, 0 none
 * came to its end. */
static enum burl_status
probe(struct burl_campaign *c, const struct burl_work *w, enum burl_wire_reset reset, uint64_t *us,
      struct burl_err *err)
{
    struct burl_worker worker = { 0 };
    enum burl_status st = burl__worker_ready(c, &worker, reset, true, err);

    *us = 0;
    /* The first shows how many threads and pages there are, and is not counted. */
    for (uint32_t i = 0; i <= PROBES && st == BURL_OK; i++) {
        const struct burl_wire_order o = burl__campaign_order(c, w, w->first_seed + i % w->n, 1);
        const uint64_t before = burl__speed_now_us();

        st = burl_target_order(worker.t, &o, NULL, err);
        if (st != BURL_OK || burl_target_wait(worker.t) != BURL_TARGET_IDLE)
            break;
        c->stats->extra_executions++;
        if (i > 0)
            *us += burl__speed_now_us() - before;
    }
    if (st == BURL_OK && worker.t->state != BURL_TARGET_IDLE)
        *us = 0;
    *us /= PROBES;
    burl__worker_stop(&worker);
    return st;
}

enum burl_status
burl__speed_revise(struct burl_campaign *c, struct burl_err *err)
{
    struct burl_reset_speed *s = &c->pool.speed;
    const int64_t elapsed_ms = burl_target_now_ms() - c->plan.started_ms;
    const struct burl_work *w = c->plan.round_works.v;
    uint64_t us[2];
    enum burl_status st;

    if (!is_open(c) || c->plan.round_works.n == 0 || w->n == 0 || c->plan.stop)
        return BURL_OK;
    if (s->again_ms == 0)
        s->again_ms = AGAIN_MS;
    if (elapsed_ms < s->again_ms || c->pool.ms_per_exec * 4 * (PROBES + 1) * PART > elapsed_ms)
        return BURL_OK;
    s->again_ms = elapsed_ms * AGAIN_GROWTH;
    st = probe(c, w, BURL_RESET_SNAPSHOT, &us[BURL_RESET_SNAPSHOT], err);
    if (st == BURL_OK)
        st = probe(c, w, BURL_RESET_FORK, &us[BURL_RESET_FORK], err);
    if (st != BURL_OK || us[0] == 0 || us[1] == 0)
        return st;
    s->us[0] = us[0];
    s->us[1] = us[1];
    decide(c);
    return BURL_OK;
}
