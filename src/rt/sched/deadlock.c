/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched/deadlock.c - lock cycles, and threads that are all blocked.
 *
 * Runs in the target, on the stack of the thread that has just blocked. A cycle of threads that
 * wait for each other's locks without a deadline is reported as soon as it is complete; everything
 * else when no thread can run any more.
 */
#include "rt/core/core.h"
#include "rt/core/upcalls.h"
#include "rt/core/verdict.h"
#include "sched.h"

static uint16_t
owner_of(const struct burl_thread *t)
{
    if (t->wait_obj == NULL)
        return BURL_TID_NONE;
    if (t->wait_obj->cls == BURL_OBJ_THREAD)
        return ((const struct burl_thread *)t->wait_obj->addr)->tid;
    if (t->wait_obj->cls == BURL_OBJ_RWLOCK)
        return burl__rwlock_holder(t->wait_obj, t);
    return t->wait_obj->owner;
}

static bool
waits_for_lock(const struct burl_thread *t)
{
    const uint32_t locks = 1u << BURL_OBJ_MUTEX | 1u << BURL_OBJ_RWLOCK | 1u << BURL_OBJ_SPIN;

    return t->wait_obj != NULL && (locks >> t->wait_obj->cls & 1) != 0;
}

static void
add_wait(struct burl_wire_verdict *v, const struct burl_thread *t)
{
    if (v->n_waits >= BURL_WIRE_MAX_CYCLE)
        return;
    v->waits[v->n_waits++] = (struct burl_wire_wait){
        .addr = t->wait_obj != NULL ? t->wait_obj->addr : t->op.addr,
        .site = t->op.site,
        .tid = t->tid,
        .owner = owner_of(t),
        .kind = t->op.kind,
    };
}

/* Follows owners from t through threads that wait for locks or joins. Fills v and returns true if
 * the walk ends in a cycle that a lock is part of. */
static bool
find_cycle(struct burl_wire_verdict *v, const struct burl_thread *t)
{
    const struct burl_thread *slow = t;
    const struct burl_thread *meet;
    bool lock = false;
    uint32_t n = 0;

    /* After as many steps as there are threads the walk is inside the cycle, if there is one. */
    while (slow != NULL && slow->state == BURL_THREAD_BLOCKED && n++ < burl_rt.exec.n_threads)
        slow = burl_thread_by_tid(owner_of(slow));
    if (slow == NULL || slow->state != BURL_THREAD_BLOCKED)
        return false;
    meet = slow;
    do {
        add_wait(v, slow);
        lock |= waits_for_lock(slow);
        slow = burl_thread_by_tid(owner_of(slow));
    } while (slow != meet);
    if (!lock)
        v->n_waits = 0;
    return lock;
}

/* A cycle of threads that wait for each other's locks without a deadline is a deadlock whatever the
 * other threads do, and they may run forever (a watchdog, a server loop). */
void
burl__sched_check_cycle(const struct burl_thread *t)
{
    struct burl_wire_verdict *v = &burl_rt.exec.verdict;
    const struct burl_thread *at = t;

    for (uint32_t n = 0; n < burl_rt.exec.n_alive; n++) {
        if (at == NULL || at->state != BURL_THREAD_BLOCKED || at->deadline_ns != BURL_TIME_NEVER ||
            !waits_for_lock(at) || at->stuck_by_misuse)
            return;
        at = burl_thread_by_tid(owner_of(at));
        if (at == t && find_cycle(v, t))
            burl_rt_end(BURL_VERDICT_DEADLOCK_CYCLE, 0, v->waits[0].addr, 0, NULL);
    }
}

/* Its owner exited while holding the lock, which was recorded as a misuse. */
static bool
waits_for_exited(const struct burl_thread *t)
{
    const struct burl_thread *owner = burl_thread_by_tid(owner_of(t));

    return waits_for_lock(t) && owner != NULL && owner->state == BURL_THREAD_FINISHED;
}

/* A deadlock that follows from a misuse is the same bug, and the misuse says more about it: the
 * execution ends with that as its verdict. */
static void
end_if_stuck_by_misuse(void)
{
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        const struct burl_thread *t = burl_rt.threads[i];

        if (t->state == BURL_THREAD_BLOCKED &&
            (t->stuck_by_misuse || (burl_rt.exec.misused && waits_for_exited(t))))
            burl_rt_end(BURL_VERDICT_PASS, 0, 0, 0, NULL);
    }
}

void
burl__sched_deadlock(void)
{
    struct burl_wire_verdict *v = &burl_rt.exec.verdict;

    v->n_waits = 0;
    end_if_stuck_by_misuse();
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        if (burl_rt.threads[i]->state == BURL_THREAD_BLOCKED && find_cycle(v, burl_rt.threads[i]))
            burl_rt_end(BURL_VERDICT_DEADLOCK_CYCLE, 0, v->waits[0].addr, 0, NULL);
    }
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        if (burl_rt.threads[i]->state == BURL_THREAD_BLOCKED)
            add_wait(v, burl_rt.threads[i]);
    }
    burl_rt_end(BURL_VERDICT_DEADLOCK_STUCK, 0, v->waits[0].addr, 0, NULL);
}

void
burl__sched_livelock(void)
{
    struct burl_wire_verdict *v = &burl_rt.exec.verdict;

    v->n_waits = 0;
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        if (burl_rt.threads[i]->state != BURL_THREAD_FINISHED)
            add_wait(v, burl_rt.threads[i]);
    }
    burl_rt_end(BURL_VERDICT_LIVELOCK, 0, 0, 0, NULL);
}
