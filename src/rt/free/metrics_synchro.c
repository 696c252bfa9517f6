/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/metrics_synchro.c - SYNCHRO in free mode; the definition is cover/synchro.c's. Everything of
 * an object happens in its locked bucket (metrics_objects.c), as near to the operation as the
 * observers' events are.
 */
#include "metrics.h"

void
burl__synchro_put(struct burl_free_thread *f, uint32_t site, enum burl_wire_synchro what)
{
    if (site != 0)
        burl__metric_put(f->metric, BURL_METRIC_SYNCHRO, site, (uint32_t)what, 0, 0, 0);
}

/* ---- locks ---------------------------------------------------------------------------------- */

void
burl__synchro_request(struct burl_free_thread *f, const struct burl_metric_object *o)
{
    struct burl_metric_thread *m = f->metric;

    m->requested = o->addr;
    m->requested_taken = o->n_taken;
    m->requested_held = o->holders != 0 && o->tid != f->tid;
    if (m->requested_held)
        burl__synchro_put(f, o->site, BURL_SYNCHRO_BLOCKING);
}

void
burl__synchro_acquire(struct burl_free_thread *f, struct burl_metric_object *o, uint32_t site,
                      bool by_try)
{
    struct burl_metric_thread *m = f->metric;

    if (by_try)
        burl__synchro_put(f, site, BURL_SYNCHRO_TRY_OK);
    else if (!m->waits)
        burl__synchro_put(f, site, BURL_SYNCHRO_VISITED);
    if (m->requested == o->addr) {
        bool overtaken = o->n_taken != m->requested_taken;

        if (overtaken && o->tid != f->tid)
            burl__synchro_put(f, o->site, BURL_SYNCHRO_BLOCKING);
        if (overtaken || m->requested_held)
            burl__synchro_put(f, site, BURL_SYNCHRO_BLOCKED);
    }
    m->requested = 0;
    m->waits = false;
    o->holders++;
    o->n_taken++;
    o->site = site;
    o->tid = f->tid;
}

void
burl__synchro_release(struct burl_free_thread *f, struct burl_metric_object *o, uint32_t site)
{
    if (!f->metric->waits)
        burl__synchro_put(f, site, BURL_SYNCHRO_VISITED);
    f->metric->n_gave++;
    o->holders -= o->holders != 0;
}

/* ---- condition variables -------------------------------------------------------------------- */

static void
wait_begins(struct burl_free_thread *f, struct burl_metric_object *o, uint32_t site)
{
    struct burl_metric_thread *m = f->metric;

    burl__synchro_put(f, site, BURL_SYNCHRO_VISITED);
    burl__synchro_put(f, site, BURL_SYNCHRO_WAITED);
    if (m->wait_site == site && m->wait_cond == o->addr && m->wait_gave == m->n_gave)
        burl__synchro_put(f, site, BURL_SYNCHRO_REWAITED);
    m->wait_site = site;
    m->wait_cond = o->addr;
    m->wait_gave = m->n_gave + 1; /* it is about to give back the mutex */
    m->wait_signals = o->signals;
    m->waits = true;
    o->waiting++;
}

void
burl__synchro_cond(struct burl_free_thread *f, struct burl_metric_object *o, bool is_wait,
                   uint32_t woken, uint32_t site)
{
    if (is_wait) {
        wait_begins(f, o, site);
        return;
    }
    burl__synchro_put(f, site, BURL_SYNCHRO_VISITED);
    burl__synchro_put(f, site,
                      o->waiting == 0   ? BURL_SYNCHRO_NO_WAITER
                      : o->waiting == 1 ? BURL_SYNCHRO_ONE_WAITER
                                        : BURL_SYNCHRO_MANY_WAITERS);
    o->signals++;
    o->waiting = woken == BURL_WOKEN_ALL ? 0 : o->waiting - (o->waiting != 0);
}

void
burl__synchro_wait_ends(struct burl_free_thread *f, struct burl_metric_object *o, uint32_t site,
                        uint8_t what)
{
    if (what == BURL_SYNCHRO_WAITED && f->metric->wait_signals != o->signals)
        return;
    if (what != BURL_SYNCHRO__N)
        burl__synchro_put(
            f, site, what == BURL_SYNCHRO_WAITED ? BURL_SYNCHRO_SPURIOUS : BURL_SYNCHRO_TIMED_OUT);
    o->waiting -= o->waiting != 0;
}

/* ---- join ----------------------------------------------------------------------------------- */

void
burl__synchro_join(struct burl_free_thread *f, const struct burl_free_thread *ended, uint32_t at)
{
    const struct burl_metric_thread *e = ended->metric;

    burl__synchro_put(f, at, BURL_SYNCHRO_VISITED);
    burl__synchro_put(f, at,
                      e->ended != 0 && e->ended < f->metric->join_began ? BURL_SYNCHRO_FINISHED
                                                                        : BURL_SYNCHRO_RUNNING);
}
