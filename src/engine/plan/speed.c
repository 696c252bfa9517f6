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

/* Processor time of the executions with a snapshot from which on a comparison says something; the
 * kernel counts in hundredths of a second. */
#define ENOUGH_US 100000u
/* The other reset must take less than this part of the time, in percent: each change starts
 * processes anew. With long executions fork needs no advantage, since it needs no self-check. */
#define FASTER_PERCENT 66u
#define LONG_PERCENT 110u
#define LONG_US 100000u
/* When it is compared again, at first, and how much later each time. */
#define AGAIN_MS 2000
#define AGAIN_GROWTH 4
/* Executions of a comparison between rounds at most, and the part of the campaign it may take. */
#define PROBES 4096u
#define PART 64

static uint64_t
wall_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

struct burl_speed
burl__speed_now(const struct burl_target *t)
{
    return (struct burl_speed){ .wall_us = wall_us(),
                                .processor_us = burl_target_processor_us(t),
                                .n = 0 };
}

struct burl_speed
burl__speed_since(const struct burl_speed *before, const struct burl_target *t, uint32_t n)
{
    const struct burl_speed now = burl__speed_now(t);

    return (struct burl_speed){ .wall_us = now.wall_us - before->wall_us,
                                .processor_us = now.processor_us - before->processor_us,
                                .n = n };
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

static uint64_t
each(uint64_t us, uint32_t n)
{
    return n > 0 ? us / n + (us < n) : 0;
}

/* Takes the one that is clearly faster. By processor time: how long an execution takes on a busy
 * machine is a matter of chance. */
static void
decide(struct burl_campaign *c)
{
    struct burl_pool *p = &c->pool;
    const struct burl_speed *s = p->speed.by_reset;
    const enum burl_wire_reset other =
        p->reset == BURL_RESET_SNAPSHOT ? BURL_RESET_FORK : BURL_RESET_SNAPSHOT;
    uint64_t us[2];
    bool is_long;

    for (unsigned i = 0; i < 2; i++) {
        us[i] = each(s[i].processor_us, s[i].n);
        c->stats->reset_us[i] = each(s[i].wall_us, s[i].n);
    }
    is_long = us[BURL_RESET_SNAPSHOT] >= LONG_US && other == BURL_RESET_FORK;
    if (s[BURL_RESET_SNAPSHOT].processor_us < ENOUGH_US || s[BURL_RESET_FORK].processor_us == 0 ||
        us[other] * 100 >= us[p->reset] * (is_long ? LONG_PERCENT : FASTER_PERCENT))
        return;
    p->reset = other;
    p->by_speed = other == BURL_RESET_FORK;
    c->stats->why_reset[0] = '\0';
    if (p->by_speed)
        snprintf(c->stats->why_reset, sizeof c->stats->why_reset,
                 "measured: %.1f ms of processor time for an execution, %.1f with a snapshot",
                 (double)us[BURL_RESET_FORK] / 1000.0, (double)us[BURL_RESET_SNAPSHOT] / 1000.0);
}

static void
add_speed(struct burl_speed *to, const struct burl_speed *from)
{
    to->wall_us += from->wall_us;
    to->processor_us += from->processor_us;
    to->n += from->n;
}

void
burl__speed_note(struct burl_campaign *c, const struct burl_speed *snapshot,
                 const struct burl_speed *fork)
{
    struct burl_reset_speed *s = &c->pool.speed;

    if (!is_open(c))
        return;
    add_speed(&s->by_reset[BURL_RESET_SNAPSHOT], snapshot);
    add_speed(&s->by_reset[BURL_RESET_FORK], fork);
    decide(c);
}

/* Some executions of the work with a reset, in a process of their own. out->n 0: they did not come
 * to their end. */
static enum burl_status
probe(struct burl_campaign *c, const struct burl_work *w, uint32_t n, enum burl_wire_reset reset,
      struct burl_speed *out, struct burl_err *err)
{
    struct burl_worker worker = { 0 };
    enum burl_status st = burl__worker_ready(c, &worker, reset, true, err);

    *out = (struct burl_speed){ 0 };
    /* The first shows how many threads and pages there are, and is not counted. */
    for (uint32_t i = 0; i < 2 && st == BURL_OK; i++) {
        const struct burl_wire_order o = burl__campaign_order(c, w, w->first_seed, i == 0 ? 1 : n);
        const struct burl_speed before = burl__speed_now(worker.t);

        st = burl_target_order(worker.t, &o, NULL, err);
        if (st != BURL_OK || burl_target_wait(worker.t) != BURL_TARGET_IDLE)
            break;
        c->stats->extra_executions += worker.t->ctl->result.n_done;
        if (i > 0 && worker.t->ctl->result.n_done == n)
            *out = burl__speed_since(&before, worker.t, n);
    }
    burl__worker_stop(&worker);
    return st;
}

enum burl_status
burl__speed_revise(struct burl_campaign *c, struct burl_err *err)
{
    struct burl_reset_speed *s = &c->pool.speed;
    const int64_t elapsed_ms = burl_target_now_ms() - c->plan.started_ms;
    const struct burl_work *w = c->plan.round_works.v;
    struct burl_speed now[2];
    double most;
    uint32_t n;
    enum burl_status st;

    if (!is_open(c) || c->plan.round_works.n == 0 || c->plan.stop || c->pool.ms_per_exec <= 0)
        return BURL_OK;
    if (s->again_ms == 0)
        s->again_ms = AGAIN_MS;
    most = (double)elapsed_ms / PART / c->pool.ms_per_exec;
    if (elapsed_ms < s->again_ms || most < 1)
        return BURL_OK;
    n = most < PROBES ? (uint32_t)most : PROBES;
    if (n > w->n)
        n = (uint32_t)w->n;
    s->again_ms = elapsed_ms * AGAIN_GROWTH;
    st = probe(c, w, n, BURL_RESET_SNAPSHOT, &now[BURL_RESET_SNAPSHOT], err);
    if (st == BURL_OK)
        st = probe(c, w, n, BURL_RESET_FORK, &now[BURL_RESET_FORK], err);
    if (st != BURL_OK || now[0].n == 0 || now[1].n == 0)
        return st;
    s->by_reset[0] = now[0];
    s->by_reset[1] = now[1];
    decide(c);
    return BURL_OK;
}
