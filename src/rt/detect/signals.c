/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/signals.c - wakeups without a waiter, and the waits that missed them. Informative.
 *
 * Runs in the target; no paper. A signal or broadcast without waiters is nothing by itself:
 * correct code signals whenever there is something new and looks at its condition before it waits.
 * It is lost when a thread then waits on the same condition variable without having looked at
 * anything since: not since the signal, and not since it took the mutex. Such a wait is reported
 * when no thread ever wakes it in this execution, or when only its time-out ends it. It explains a
 * hang or a delay; it never is a finding of its own.
 *
 * "Looked" is any read of the thread that observers are notified of. Direction of the error: a
 * thread that reads something else between is not reported (a miss). A false report needs a wait
 * that was right to ignore the signal (its condition was met and used up before, then looked at
 * again just before the signal) and that no thread had to wake afterwards.
 *
 * Beside that, each pair of a signal and a wait on one condition variable by different threads is
 * reported once, for directed executions to try the signal before the wait.
 *
 * Cost: a step per event; memory for condition variables and waits only.
 */
#include "detect.h"

#define PLACES 8u /* of signals, and of waits, that are remembered of a condition variable */

struct place {
    uint32_t site;
    uint32_t gate; /* of a wait: where its lock was taken */
    uint16_t tid;
};

struct cond {
    struct burl_chain chain; /* key: address */
    struct place signals[PLACES];
    struct place waits[PLACES];
    uint32_t n_signals;
    uint32_t n_waits;
    uint64_t lost_at; /* seq of the last signal that woke no thread, 0 none */
    uint32_t lost_site;
    uint16_t lost_tid;
    uint32_t n_waiting; /* began to wait, and not yet seen to go on */
    uint32_t woken;     /* of these, by signals */
};

/* A wait that may have missed a signal. */
struct wait {
    struct wait *next; /* oldest first */
    struct cond *cond;
    uint32_t lost_site;
    uint32_t site;
    uint16_t lost_tid;
    uint16_t tid;
    bool ended;
};

/* A thread's own. */
struct own {
    uint64_t looked;   /* seq of its last read */
    uint64_t acquired; /* seq of its last lock, */
    uint32_t gate;     /* and where it was taken */
    struct cond *waits_on;
    struct wait *wait; /* NULL: it missed nothing */
};

static struct burl_chains conds;
static struct wait *waits;
static struct wait **waits_tail;
static uint64_t seq;

static void
signals_begin(void)
{
    waits = NULL;
    waits_tail = &waits;
    seq = 0;
}

static struct own *
signals_own(struct burl_watch *w)
{
    return burl_ob_own(w, BURL_OBSERVER_SIGNALS, sizeof(struct own));
}

static void
signals_report(const struct wait *x)
{
    const uint32_t sites[2] = { x->lost_site, x->site };
    const uint8_t ops[2] = { BURL_OP_COND_SIGNAL, BURL_OP_COND_WAIT };
    const uint16_t tids[2] = { x->lost_tid, x->tid };

    burl_ob_suspect(BURL_SUSPECT_SIGNAL, BURL_OBSERVER_SIGNALS, sites, ops, tids, 2,
                    x->cond->chain.key, 0);
}

/* The thread goes on: woken by a signal, or else by its time-out. */
static void
wait_ends(struct own *own)
{
    struct wait *x = own->wait;
    struct cond *c = own->waits_on;

    if (c == NULL)
        return;
    own->waits_on = NULL;
    own->wait = NULL;
    if (x != NULL)
        x->ended = true;
    c->n_waiting--;
    if (c->woken > 0)
        c->woken--;
    else if (x != NULL)
        signals_report(x);
}

static void
wait_begins(struct burl_watch *w, struct own *own, struct cond *c, uint32_t site)
{
    uint64_t since = c->lost_at > own->acquired ? c->lost_at : own->acquired;
    struct wait *x;

    own->waits_on = c;
    c->n_waiting++;
    if (c->lost_at == 0 || own->looked > since)
        return;
    x = burl_ob_alloc(sizeof *x);
    *x = (struct wait){
        .cond = c, .lost_site = c->lost_site, .site = site, .lost_tid = c->lost_tid, .tid = w->tid
    };
    *waits_tail = x;
    waits_tail = &x->next;
    own->wait = x;
}

static uint32_t
n_woken(const struct cond *c, uint32_t reported)
{
    uint32_t asleep = c->n_waiting > c->woken ? c->n_waiting - c->woken : 0;

    if (reported == BURL_WOKEN_ONE && asleep > 0)
        return 1;
    return reported >= BURL_WOKEN_ONE ? asleep : reported;
}

static void
report_pair(const struct cond *c, const struct place *signal, const struct place *wait)
{
    const uint32_t sites[3] = { signal->site, wait->site, wait->gate };
    const uint8_t ops[3] = { BURL_OP_COND_SIGNAL, BURL_OP_COND_WAIT, BURL_OP_LOCK };
    const uint16_t tids[3] = { signal->tid, wait->tid, wait->tid };

    if (signal->tid != wait->tid && signal->site != 0 && wait->site != 0)
        burl_ob_suspect(BURL_SUSPECT_WAKEUP, BURL_OBSERVER_SIGNALS, sites, ops, tids, 3,
                        c->chain.key, 0);
}

/* Remembers the place of a signal or a wait, and reports the pairs that are new with it. */
static void
place_add(struct cond *c, bool is_wait, const struct place *new)
{
    struct place *list = is_wait ? c->waits : c->signals;
    uint32_t *n = is_wait ? &c->n_waits : &c->n_signals;

    for (uint32_t i = 0; i < *n; i++) {
        if (list[i].site == new->site && list[i].tid == new->tid &&list[i].gate == new->gate)
            return;
    }
    if (*n == PLACES)
        return;
    list[(*n)++] = *new;
    for (uint32_t i = 0; i < (is_wait ? c->n_signals : c->n_waits); i++) {
        if (is_wait)
            report_pair(c, &c->signals[i], new);
        else
            report_pair(c, new, &c->waits[i]);
    }
}

static void
signals_cond(struct burl_watch *w, uintptr_t addr, bool is_wait, uint32_t woken, uint32_t site)
{
    struct own *own = signals_own(w);
    struct cond *c = burl_chains_get(&conds, addr, sizeof *c);
    const struct place place = { .site = site, .gate = is_wait ? own->gate : 0, .tid = w->tid };

    if (w->thread != NULL) /* free mode has no directed executions */
        place_add(c, is_wait, &place);

    seq++;
    wait_ends(own);
    woken = n_woken(c, woken);
    if (is_wait) {
        wait_begins(w, own, c, site);
    } else if (woken == 0) {
        c->lost_at = seq;
        c->lost_site = site;
        c->lost_tid = w->tid;
    } else {
        c->woken += woken;
    }
}

static void
signals_access(struct burl_watch *w, const struct burl_access *a)
{
    struct own *own = signals_own(w);

    seq++;
    wait_ends(own);
    if ((a->flags & BURL_ACCESS_WRITE) == 0 || (a->flags & BURL_ACCESS_RMW) != 0)
        own->looked = seq;
}

static void
signals_acquire(struct burl_watch *w, const struct burl_held *lock)
{
    struct own *own = signals_own(w);

    seq++;
    wait_ends(own);
    own->acquired = seq;
    own->gate = lock->site;
}

/* A condition variable that begins anew has lost nothing. */
static void
signals_drop(uintptr_t object)
{
    struct cond *c = (struct cond *)burl_chains_find(&conds, object);

    if (c != NULL)
        c->lost_at = 0;
}

static void
signals_end(void)
{
    for (const struct wait *x = waits; x != NULL; x = x->next) {
        if (!x->ended && x->cond->woken == 0)
            signals_report(x);
    }
}

const struct burl_observer burl_observer_signals = {
    .begin = signals_begin,
    .end = signals_end,
    .access = signals_access,
    .acquire = signals_acquire,
    .drop = signals_drop,
    .cond = signals_cond,
};
