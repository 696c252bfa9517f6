/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/observers.c - the predictive observers in free mode: `burl run --detect=...`.
 *
 * They are written for one thread at a time, so every event is told under one lock, in an order
 * that the program's own synchronization agrees with: an edge out of a thread is told before the
 * call that lets others go on, an edge into it afterwards. Slow; nothing of this is reached when
 * only races (and location pairs) are asked for.
 *
 * A handler that interrupts its own thread while that holds the lock tells nothing.
 */
#include "cover_events.h"
#include "free_int.h"
#include "rt/cover/cover.h"

static uint32_t lock;
static uint32_t owner; /* tid + 1 */

/* What the event stream reads from a controlled thread by itself. */
static void
refresh(const struct burl_free_thread *me)
{
    if (me->watch->start == 0)
        me->watch->start = me->start != NULL ? (uintptr_t)me->start : (uintptr_t)me->start_c11;
    if ((burl_ob_wants & BURL_WANT_SYNC) != 0)
        me->watch->at = burl__site_of(me->call_site);
}

/* False: nobody listens, or this thread has the lock already. */
static bool
enter(const struct burl_free_thread *me)
{
    if (!burl_free.more || me->watch == NULL ||
        __atomic_load_n(&owner, __ATOMIC_RELAXED) == me->tid + 1u)
        return false;
    burl__spin_lock(&lock);
    __atomic_store_n(&owner, me->tid + 1u, __ATOMIC_RELAXED);
    if (burl_ob_mask != 0) {
        if (BURL_UNLIKELY((burl_ob_wants & (BURL_WANT_SYNC | BURL_WANT_CALLS)) != 0))
            refresh(me);
        return true;
    }
    __atomic_store_n(&owner, 0, __ATOMIC_RELAXED);
    burl__spin_unlock(&lock);
    return false;
}

static void
leave(void)
{
    __atomic_store_n(&owner, 0, __ATOMIC_RELAXED);
    burl__spin_unlock(&lock);
}

/* For names: a block of the heap and the site that made it. */
static bool
block_of(uintptr_t addr, uint64_t *start, uint32_t *site)
{
    struct burl_wire_origin o;

    burl__memory_origin(addr, &o);
    *start = o.addr;
    *site = o.site;
    return o.kind == BURL_ORIGIN_HEAP;
}

void
burl__more_begin(uint32_t mask)
{
    burl__cover_block = block_of;
    burl_ob_begin(mask);
    burl__cover_begin(burl_rt.ctl->order.observers); /* location pairs have their own way */
    burl_free.more = mask != 0;
}

/* The observers may have something to say at the end. Not if this thread was interrupted while it
 * told them something. */
void
burl__more_finish(void)
{
    const struct burl_free_thread *me = burl_free_me;

    if (me == NULL || !enter(me))
        return;
    burl_ob_end();
    leave();
}

void
burl__more_create(struct burl_free_thread *me, struct burl_free_thread *child)
{
    if (!burl_free.more)
        return;
    if (me == NULL) {
        child->watch = burl_ob_thread_new(child->tid, NULL);
        return;
    }
    if (!enter(me))
        return;
    me->watch->at = burl__site_of(me->call_site);
    child->watch = burl_ob_thread_new(child->tid, me->watch);
    leave();
}

void
burl__more_join(struct burl_free_thread *me, struct burl_free_thread *ended)
{
    if (ended->watch == NULL || !enter(me))
        return;
    burl_ob_join(me->watch, ended->watch);
    leave();
}

void
burl__more_end(struct burl_free_thread *me)
{
    if (!enter(me))
        return;
    burl_ob_thread_end(me->watch);
    leave();
}

void
burl__more_access(struct burl_free_thread *me, uintptr_t addr, uint64_t n, uint32_t site,
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

    /* Atomic ones are told by burl__more_atomic(), when they have happened. */
    if ((kind & BURL_ENTRY_PLAIN) == 0 || !enter(me))
        return;
    burl_ob_access(me->watch, &a);
    leave();
}

void
burl__more_atomic(struct burl_free_thread *me, uintptr_t addr, const struct burl_wire_site *site,
                  bool stored)
{
    if (!enter(me))
        return;
    burl_ob_atomic_post(me->watch, addr, site, stored);
    leave();
}

void
burl__more_fence(struct burl_free_thread *me, uint8_t order)
{
    if (!enter(me))
        return;
    me->watch->at = me->watch->fence_site;
    burl_ob_fence(me->watch, order);
    leave();
}

void
burl__more_wants(struct burl_free_thread *me, const volatile void *object, uint8_t mode)
{
    if (!enter(me))
        return;
    burl_ob_request(me->watch, (const void *)object, burl__site_of(me->call_site), mode);
    leave();
}

void
burl__more_took(struct burl_free_thread *me, const volatile void *object, uint8_t mode, bool by_try)
{
    if (!enter(me))
        return;
    burl_ob_acquire(me->watch, (const void *)object, burl__site_of(me->call_site), mode, by_try);
    leave();
}

void
burl__more_gives(struct burl_free_thread *me, const volatile void *object)
{
    if (!enter(me))
        return;
    burl_ob_release(me->watch, (const void *)object);
    leave();
}

void
burl__more_send(struct burl_free_thread *me, const volatile void *object)
{
    if (!enter(me))
        return;
    burl_ob_send(me->watch, (const void *)object);
    leave();
}

void
burl__more_receive(struct burl_free_thread *me, const volatile void *object)
{
    if (!enter(me))
        return;
    burl_ob_receive(me->watch, (const void *)object);
    leave();
}

void
burl__more_send_order(struct burl_free_thread *me, const volatile void *object)
{
    if (!enter(me))
        return;
    burl_ob_send_order(me->watch, (const void *)object);
    leave();
}

void
burl__more_receive_order(struct burl_free_thread *me, const volatile void *object)
{
    if (!enter(me))
        return;
    burl_ob_receive_order(me->watch, (const void *)object);
    leave();
}

void
burl__more_cond(struct burl_free_thread *me, const volatile void *cond, bool is_wait,
                uint32_t woken)
{
    if (!enter(me))
        return;
    burl_ob_cond(me->watch, (const void *)cond, is_wait, woken, burl__site_of(me->call_site));
    leave();
}

void
burl__more_forget(struct burl_free_thread *me, uintptr_t addr, size_t n)
{
    if (!enter(me))
        return;
    burl_ob_forget(addr, n);
    leave();
}

void
burl__more_benign(struct burl_free_thread *me, uintptr_t addr, size_t n)
{
    if (!enter(me))
        return;
    burl_ob_benign(addr, n);
    leave();
}

void
burl_free_region(bool begin, const char *name)
{
    struct burl_free_thread *me = burl_free_me;

    if (me == NULL || !enter(me))
        return;
    if (begin && me->watch->region_depth == 0)
        me->watch->region_name = name;
    if (begin)
        burl_ob_region_begin(me->watch, burl__site_of(me->call_site));
    else
        burl_ob_region_end(me->watch);
    leave();
}

/* ---- what only coverage wants (cover_events.h) --------------------------- */

void
burl_free_notify_enter(struct burl_free_thread *me, uint32_t depth,
                       const struct burl_wire_site *site, uintptr_t sp)
{
    uint32_t from = 0;

    if (burl_rt.ctl->order.context != 0 && me->watch != NULL)
        from = burl__cover_call_from(me->watch, depth, sp);
    if (!enter(me))
        return;
    me->watch->call_from = from;
    burl_ob_enter(me->watch, depth, site->id, sp);
    leave();
}

void
burl_free_notify_leave(struct burl_free_thread *me)
{
    if (!enter(me))
        return;
    burl_ob_leave(me->watch, me->depth);
    leave();
}

void
burl_free_notify_block(struct burl_free_thread *me, const struct burl_wire_site *site)
{
    if ((burl_ob_wants & BURL_WANT_BLOCKS) == 0 || !enter(me))
        return;
    burl_ob_block(me->watch, site->id);
    leave();
}

void
burl_free_notify_alone(struct burl_free_thread *me, uintptr_t addr, uint64_t n,
                       const struct burl_wire_site *site, bool write)
{
    burl__more_access(me, addr, n, site->id, write ? BURL_ENTRY_KIND : BURL_ENTRY_PLAIN, false);
}

void
burl_free_notify_alone_atomic(struct burl_free_thread *me, uintptr_t addr,
                              const struct burl_wire_site *site, bool stored)
{
    burl__more_atomic(me, addr, site, stored);
}

void
burl_free_notify_new_block(const void *p, size_t n)
{
    if (!burl_free.ever)
        burl__more_forget(burl_free_me, (uintptr_t)p, n);
}

void
burl_free_notify_outcome(const volatile void *object, enum burl_wire_synchro what)
{
    struct burl_free_thread *me = burl_free_me;

    if (me == NULL || !enter(me))
        return;
    burl_ob_outcome(me->watch, (const void *)object, what, me->watch->at);
    leave();
}

void
burl_free_notify_join_begin(void)
{
    struct burl_free_thread *me = burl_free_me;

    if (me == NULL || !enter(me))
        return;
    burl_ob_join_begin(me->watch);
    leave();
}
