/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/observers.c - the predictive observers in free mode: `burl run --detect=...`.
 *
 * Observers are written for one thread at a time, so every event is reported under one lock, in an
 * order that agrees with the program's own synchronization: an edge out of a thread is reported
 * before the call that lets other threads continue, an edge into it afterwards. Slow; nothing of
 * this is reached when only races, location pairs and the metrics of metrics.h are asked for, which
 * are notified here too, without the lock.
 *
 * A signal handler that interrupts its thread while that thread holds the lock reports nothing.
 */
#include "metrics.h"

static uint32_t report_lock; /* burl__owned_lock() */

/* What the event stream reads from a controlled thread by itself. */
static void
refresh(const struct burl_free_thread *me)
{
    if (me->watch->start == 0)
        me->watch->start = me->start != NULL ? (uintptr_t)me->start : (uintptr_t)me->start_c11;
    if ((burl_ob_wants & BURL_WANT_SYNC) != 0)
        me->watch->at = burl__site_of(me->call_site);
}

static void
end_report(void)
{
    burl__owned_unlock(&report_lock);
}

void
burl__report_abandon(const struct burl_free_thread *f)
{
    burl__owned_abandon(&report_lock, burl__holder(f));
}

/* False: there are no observers, or this thread holds the lock already. */
static bool
begin_report(const struct burl_free_thread *me)
{
    if (!burl_free.more || me->watch == NULL || !burl__owned_lock(&report_lock, burl__holder(me)))
        return false;
    if (burl_ob_mask != 0) {
        if (BURL_UNLIKELY((burl_ob_wants & (BURL_WANT_SYNC | BURL_WANT_CALLS)) != 0))
            refresh(me);
        return true;
    }
    end_report();
    return false;
}

/* `call` notifies the observers of what the thread does. */
#define REPORT(me, call)        \
    do {                        \
        if (begin_report(me)) { \
            call;               \
            end_report();       \
        }                       \
    } while (0)

/* Stack frames and the outermost functions of threads are seen by function entries. */
static uint32_t
wants_of_metrics(void)
{
    return (burl_metrics.avio || burl_metrics.goldisc || burl_metrics.hbpairs ? BURL_WANT_CALLS
                                                                              : 0) |
           (burl_metrics.hbpairs || burl_metrics.synchro ? BURL_WANT_SYNC : 0);
}

void
burl__observers_begin(uint32_t mask)
{
    uint32_t quick = burl__metrics_begin(mask);

    burl__cover_block = burl__memory_block;
    burl_ob_begin(mask & ~quick);
    burl_ob_keeps = wants_of_metrics();
    burl_ob_wants |= burl_ob_keeps;
    burl__cover_begin(burl_rt.ctl->order.observers); /* some have their own way */
    burl_free.metrics = quick != 0;
    burl_free.more = (mask & ~quick) != 0;
    burl_free.listens = burl_free.metrics || burl_free.more;
}

/* Some observers report at the end. Not if this thread was interrupted while it
 * reported something. */
void
burl__observers_finish(void)
{
    const struct burl_free_thread *me = burl_free_me;

    if (me != NULL)
        REPORT(me, burl_ob_end());
}

void
burl__free_notify_create(struct burl_free_thread *me, struct burl_free_thread *child)
{
    if (burl_free.metrics)
        burl__metric_thread_new(me, child);
    if (!burl_free.more)
        return;
    if (me == NULL) {
        child->watch = burl_ob_thread_new(child->tid, NULL);
        return;
    }
    if (!begin_report(me))
        return;
    me->watch->at = burl__site_of(me->call_site);
    child->watch = burl_ob_thread_new(child->tid, me->watch);
    end_report();
}

void
burl__free_notify_join(struct burl_free_thread *me, struct burl_free_thread *ended)
{
    if (burl_free.metrics)
        burl__metric_join(me, ended);
    if (ended->watch != NULL)
        REPORT(me, burl_ob_join(me->watch, ended->watch));
}

void
burl__free_notify_join_begin(struct burl_free_thread *me)
{
    if (burl_free.metrics)
        burl__metric_join_begin(me);
    REPORT(me, burl_ob_join_begin(me->watch));
}

void
burl__free_notify_thread_begin(struct burl_free_thread *me)
{
    if (burl_free.metrics)
        burl__metric_thread_begin(me);
}

void
burl__free_notify_thread_end(struct burl_free_thread *me)
{
    if (burl_free.metrics)
        burl__metric_thread_end(me);
    REPORT(me, burl_ob_thread_end(me->watch));
}

void
burl__free_notify_access(struct burl_free_thread *me, uintptr_t addr, uint64_t n, uint32_t site,
                         uint64_t kind, bool is_free)
{
    bool write = (kind & BURL_ENTRY_WRITE) != 0;
    const struct burl_access a = {
        .addr = addr,
        .n = n,
        .site = site,
        .op = is_free ? BURL_OP_FREE
              : write ? BURL_OP_WRITE
                      : BURL_OP_READ,
        .flags = (uint8_t)((write ? BURL_ACCESS_WRITE : 0) | (is_free ? BURL_ACCESS_FREE : 0)),
    };

    if ((kind & BURL_ENTRY_PLAIN) != 0)
        REPORT(me, burl_ob_access(me->watch, &a));
}

void
burl__free_notify_atomic(struct burl_free_thread *me, uintptr_t addr,
                         const struct burl_wire_site *site, bool stored)
{
    if (burl_free.metrics)
        burl__metric_atomic(me, addr, site, stored);
    REPORT(me, burl_ob_atomic_post(me->watch, addr, site, stored));
}

void
burl__free_notify_fence(struct burl_free_thread *me, uint8_t order, uint32_t site)
{
    if (burl_free.metrics)
        burl__metric_fence(me, order, site);
    if (!begin_report(me))
        return;
    me->watch->at = site;
    burl_ob_fence(me->watch, order);
    end_report();
}

#define BURL_CALL_SITE burl__site_of(me->call_site)
#define BURL_X(event, parameters, arguments, names)                                     \
    void burl__free_notify_##event(struct burl_free_thread *me, BURL_UNWRAP parameters) \
    {                                                                                   \
        if (burl_free.metrics)                                                          \
            burl__metric_##event(me, BURL_UNWRAP names);                                \
        REPORT(me, burl_ob_##event(me->watch, BURL_UNWRAP arguments));                  \
    }
BURL_STREAM_EVENTS(BURL_X)
#undef BURL_X
#undef BURL_CALL_SITE

void
burl__free_notify_forget(struct burl_free_thread *me, uintptr_t addr, size_t n)
{
    if (burl_free.metrics)
        burl__metrics_forget(me, addr, n);
    REPORT(me, burl_ob_forget(addr, n));
}

/* Sync objects in that memory, of one line of 64 bytes, begin a new life. */
void
burl__free_notify_renewed(struct burl_free_thread *me, uintptr_t addr, size_t n)
{
    if (burl_free.metrics)
        burl__metric_objects_forget(me, addr, n);
}

void
burl_free_region(bool begin, const char *name)
{
    struct burl_free_thread *me = burl_free_me;

    if (me == NULL || !begin_report(me))
        return;
    if (begin && me->watch->region_depth == 0)
        me->watch->region_name = name;
    if (begin)
        burl_ob_region_begin(me->watch);
    else
        burl_ob_region_end(me->watch);
    end_report();
}

void
burl__free_notify_enter(struct burl_free_thread *me, uint32_t depth,
                        const struct burl_wire_site *site, uintptr_t sp)
{
    uint32_t from = 0;

    if (burl_free.metrics)
        burl__metric_enter(me, depth, site->id, sp);
    if (!burl_free.more)
        return;
    if (burl_rt.ctl->order.context != 0 && me->watch != NULL)
        from = burl__cover_call_from(me->watch, depth, sp);
    if (!begin_report(me))
        return;
    me->watch->call_from = from;
    burl_ob_enter(me->watch, depth, site->id, sp);
    end_report();
}

void
burl__free_notify_leave(struct burl_free_thread *me)
{
    REPORT(me, burl_ob_leave(me->watch, me->depth));
}

void
burl__free_notify_block(struct burl_free_thread *me, const struct burl_wire_site *site)
{
    if ((burl_ob_wants & BURL_WANT_BLOCKS) != 0)
        REPORT(me, burl_ob_block(me->watch, site->id));
}

void
burl__free_notify_new_block(const void *p, size_t n)
{
    if (!burl_free.ever)
        burl__free_notify_forget(burl_free_me, (uintptr_t)p, n);
}
