/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spin.c - pthread spin locks.
 *
 * A spin lock is modeled as a lock that blocks: spinning itself has no effect that a program
 * could see, and a blocked thread is one the scheduler need not run. So a thread that spins on
 * its own lock, or for one whose holder has ended, is found as what it is.
 *
 * There is no static initializer: only pthread_spin_init ends "destroyed", and glibc's lock is
 * taken until it was called (a free one is 1). glibc's spin locks are a word that is set and
 * cleared without any check, and go on so after every misuse.
 */
#define BURL_SYNC_FAMILY
#include "interpose_int.h"

#define SPIN_FREE 1
#define SPIN_ROUNDS 64 /* between two attempts, which write to the lock */

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
take_spin(struct burl_thread *t, struct burl_obj *o, bool by_try)
{
    o->owner = t->tid;
    burl__lock_taken(t, o, BURL_LOCK_EXCLUSIVE, by_try);
    burl_obj_changed(o);
}

static void
spin_inited(pthread_spinlock_t *lock)
{
    struct burl_obj *o = burl_obj_get((const void *)lock, BURL_OBJ_SPIN, NULL);

    if (burl__is_waited_for(o))
        burl_rt_misuse(BURL_VERDICT_MISUSE_OTHER, o,
                       "a spin lock is initialized while threads spin on it");
    if (o->owner != BURL_TID_NONE)
        burl_rt_misuse(BURL_VERDICT_MISUSE_REINIT, o, NULL);
    burl__lock_lost(o->owner, o);
    o->owner = BURL_TID_NONE;
    o->destroyed = 0;
    burl__notify_renewed(lock);
    burl_obj_changed(o);
}

static int
destroy_spin(struct burl_thread *t, pthread_spinlock_t *lock)
{
    struct burl_obj *o;

    burl__point(t, BURL_OP_DESTROY, lock, 0);
    o = get_spin(lock);
    if (o->owner != BURL_TID_NONE || o->n_waiters > 0)
        burl_rt_misuse(BURL_VERDICT_MISUSE_DESTROY_BUSY, o,
                       "a spin lock is destroyed while it is in use");
    o->destroyed = 1;
    return 0;
}

static int
lock_spin(struct burl_thread *t, pthread_spinlock_t *lock)
{
    struct burl_op op = burl__op(t, BURL_OP_LOCK, lock, 0);
    struct burl_obj *o = get_spin(lock);

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
    take_spin(t, get_spin(lock), false);
    return 0;
}

static int
try_spin(struct burl_thread *t, pthread_spinlock_t *lock)
{
    struct burl_obj *o;
    int r = EBUSY;

    burl__point(t, BURL_OP_TRYLOCK, lock, 0);
    o = get_spin(lock);
    if (is_free(o, t)) {
        take_spin(t, o, true);
        r = 0;
    } else if (o->owner != t->tid) {
        burl__gave_up(t);
    }
    burl__notify_tried(t, lock, r);
    burl__note_result(t, r);
    return r;
}

static int
unlock_spin(struct burl_thread *t, pthread_spinlock_t *lock)
{
    burl__point(t, BURL_OP_UNLOCK, lock, 0);
    burl__lock_dropped(t, get_spin(lock), "a thread unlocks a spin lock that no thread holds",
                       "a thread unlocks a spin lock that another thread holds");
    return 0;
}

static void
free_block_spin(pthread_spinlock_t *lock)
{
    burl_free_block(&(struct burl_free_request){
        .op = BURL_OP_LOCK, .object = lock, .flags = BURL_BLOCKED_F_SPINS });
}

/* libc's own loop leaves no trace of its attempts, and the host could not tell a thread that spins
 * from one that was granted the lock and gets no processor. */
static int
free_lock_spin(pthread_spinlock_t *lock)
{
    if (burl_free_me == NULL)
        return BURL_REAL(pthread_spin_lock)(lock);
    while (BURL_REAL(pthread_spin_trylock)(lock) != 0) {
        burl_free_attempt_failed();
        for (int i = 0; i < SPIN_ROUNDS && *lock < SPIN_FREE; i++)
            __builtin_ia32_pause();
    }
    return 0;
}

BURL_INTERPOSE_INIT(int pthread_spin_init(pthread_spinlock_t *lock, int pshared), lock,
                    burl__init_point(t, lock, sizeof *lock, 0),
                    BURL_REAL(pthread_spin_init)(lock, pshared), spin_inited(lock))
BURL_INTERPOSE(int pthread_spin_destroy(pthread_spinlock_t *lock),
               BURL_FREE_OBJECT(lock, BURL_REAL(pthread_spin_destroy)(lock)), destroy_spin(t, lock))
BURL_INTERPOSE(int pthread_spin_lock(pthread_spinlock_t *lock),
               BURL_FREE_LOCK(lock, BURL_LOCK_EXCLUSIVE, BURL_REAL(pthread_spin_trylock)(lock),
                              EBUSY, free_block_spin(lock), free_lock_spin(lock)),
               lock_spin(t, lock))
BURL_INTERPOSE(int pthread_spin_trylock(pthread_spinlock_t *lock),
               BURL_FREE_TRIED(lock, BURL_LOCK_EXCLUSIVE, BURL_REAL(pthread_spin_trylock)(lock)),
               try_spin(t, lock))
BURL_INTERPOSE(int pthread_spin_unlock(pthread_spinlock_t *lock),
               BURL_FREE_UNLOCK(lock, BURL_REAL(pthread_spin_unlock)(lock)), unlock_spin(t, lock))
