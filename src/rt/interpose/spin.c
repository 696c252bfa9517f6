/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spin.c - pthread spin locks. Runs in the tested program.
 *
 * A spin lock is modeled as a lock that blocks: spinning itself has no effect that a program
 * could see, and a blocked thread is one the scheduler need not run. So a thread that spins on
 * its own lock, or for one whose holder has ended, is found as what it is.
 *
 * There is no static initializer: only pthread_spin_init ends "destroyed", and glibc's lock is
 * taken until it was called (a free one is 1). glibc's spin locks are a word that is set and
 * cleared without any check, and go on so after every misuse.
 */
#include "interpose_int.h"
#include "rt/free/calls.h"

#define SPIN_FREE 1

static struct burl_obj *
get_spin(pthread_spinlock_t *lock)
{
    bool fresh;
    struct burl_obj *o = burl_obj_get((const void *)lock, BURL_OBJ_SPIN, &fresh);

    if (BURL_UNLIKELY(fresh && *lock != SPIN_FREE))
        burl_rt_misuse(BURL_VERDICT_MISUSE_OTHER, o,
                       "a spin lock is used that was never initialized");
    if (BURL_UNLIKELY(o->destroyed))
        burl_rt_misuse(BURL_VERDICT_MISUSE_USE_DESTROYED, o,
                       "a spin lock is used after pthread_spin_destroy");
    return o;
}

static bool
is_free(const struct burl_obj *o, const struct burl_thread *t)
{
    (void)t;
    return o->owner == BURL_TID_NONE;
}

static void
take(struct burl_thread *t, struct burl_obj *o, bool by_try)
{
    o->owner = t->tid;
    burl_rt_took_lock(t);
    burl__notify_acquire(t, (void *)o->addr, BURL_LOCK_EXCLUSIVE, by_try);
    burl_obj_changed(o);
}

/* The lock is free now, whatever thread held it. */
static void
clear(struct burl_obj *o)
{
    struct burl_thread *owner = burl_thread_by_tid(o->owner);

    if (owner != NULL) {
        owner->n_locks -= owner->n_locks != 0;
        burl__notify_lost(owner, (void *)o->addr);
    }
    o->owner = BURL_TID_NONE;
}

BURL_EXPORT int
pthread_spin_init(pthread_spinlock_t *lock, int pshared)
{
    struct burl_thread *t = burl_rt_enter();
    struct burl_obj *o;
    int r;

    if (t != NULL)
        burl__init_point(t, lock, sizeof *lock, 0);
    r = BURL_FREE_OBJECT(lock, BURL_REAL(pthread_spin_init)(lock, pshared));
    if (t == NULL)
        return r;
    if (r == 0) {
        o = burl_obj_get((const void *)lock, BURL_OBJ_SPIN, NULL);
        if (burl__is_waited_for(o))
            burl_rt_misuse(BURL_VERDICT_MISUSE_OTHER, o,
                           "a spin lock is initialized while threads spin on it");
        if (o->owner != BURL_TID_NONE)
            burl_rt_misuse(BURL_VERDICT_MISUSE_REINIT, o, NULL);
        clear(o);
        o->destroyed = 0;
        burl__notify_renewed(lock);
        burl_obj_changed(o);
    }
    burl_rt_leave(t);
    return r;
}

BURL_EXPORT int
pthread_spin_destroy(pthread_spinlock_t *lock)
{
    struct burl_thread *t = burl_rt_enter();
    struct burl_obj *o;

    if (t == NULL)
        return BURL_FREE_OBJECT(lock, BURL_REAL(pthread_spin_destroy)(lock));
    burl__point(t, BURL_OP_DESTROY, lock, 0);
    o = get_spin(lock);
    if (o->owner != BURL_TID_NONE || o->n_waiters > 0)
        burl_rt_misuse(BURL_VERDICT_MISUSE_DESTROY_BUSY, o,
                       "a spin lock is destroyed while it is in use");
    o->destroyed = 1;
    burl_rt_leave(t);
    return 0;
}

BURL_EXPORT int
pthread_spin_lock(pthread_spinlock_t *lock)
{
    struct burl_thread *t = burl_rt_enter();
    struct burl_op op;
    struct burl_obj *o;

    if (t == NULL)
        return BURL_FREE_LOCK(lock, BURL_LOCK_EXCLUSIVE, BURL_REAL(pthread_spin_trylock)(lock),
                              EBUSY,
                              burl_free_block(&(struct burl_free_request){
                                  .op = BURL_OP_LOCK,
                                  .object = lock,
                                  .flags = BURL_BLOCKED_F_SPINS,
                              }),
                              BURL_REAL(pthread_spin_lock)(lock));
    op = burl__op(t, BURL_OP_LOCK, lock, 0);
    o = get_spin(lock);
    if (o->owner == t->tid) {
        burl_sched_point(t, &op);
        burl_rt_misuse(BURL_VERDICT_MISUSE_RELOCK, o,
                       "a thread spins on a lock that it already holds");
        burl__note_result(t, EBUSY);
        burl__wait_misused(t, &op, o, is_free);
    } else {
        burl__notify_request(t, (void *)o->addr, BURL_LOCK_EXCLUSIVE);
        burl__wait(t, &op, o, is_free, BURL_TIME_NEVER, false);
    }
    take(t, get_spin(lock), false);
    burl_rt_leave(t);
    return 0;
}

BURL_EXPORT int
pthread_spin_trylock(pthread_spinlock_t *lock)
{
    struct burl_thread *t = burl_rt_enter();
    struct burl_obj *o;
    int r = EBUSY;

    if (t == NULL)
        return BURL_FREE_TRIED(lock, BURL_LOCK_EXCLUSIVE, BURL_REAL(pthread_spin_trylock)(lock));
    burl__point(t, BURL_OP_TRYLOCK, lock, 0);
    o = get_spin(lock);
    if (is_free(o, t)) {
        take(t, o, true);
        r = 0;
    }
    burl__notify_tried(t, lock, r);
    burl__note_result(t, r);
    burl_rt_leave(t);
    return r;
}

BURL_EXPORT int
pthread_spin_unlock(pthread_spinlock_t *lock)
{
    struct burl_thread *t = burl_rt_enter();
    struct burl_obj *o;

    if (t == NULL)
        return BURL_FREE_UNLOCK(lock, BURL_REAL(pthread_spin_unlock)(lock));
    burl__point(t, BURL_OP_UNLOCK, lock, 0);
    o = get_spin(lock);
    if (o->owner == BURL_TID_NONE) {
        burl_rt_misuse(BURL_VERDICT_MISUSE_UNLOCK_UNLOCKED, o,
                       "a thread unlocks a spin lock that no thread holds");
    } else if (o->owner != t->tid) {
        burl_rt_misuse(BURL_VERDICT_MISUSE_UNLOCK_FOREIGN, o,
                       "a thread unlocks a spin lock that another thread holds");
        clear(o);
    } else {
        t->n_locks -= t->n_locks != 0;
        o->owner = BURL_TID_NONE;
    }
    burl__notify_release(t, (void *)o->addr);
    burl_obj_changed(o);
    burl_rt_leave(t);
    return 0;
}
