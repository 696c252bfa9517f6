/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutex.c - pthread mutexes of all types.
 *
 * A mutex is a struct burl_obj: `owner` and `count` (levels of a recursive one), `type` (the bits
 * of glibc's __kind that change behavior), `state` (life of a robust mutex), `extra` (nonzero: it
 * is on the list of robust mutexes). The program's pthread_mutex_t keeps what the initializer
 * left there, and we read the type from it whenever no thread holds the mutex: memory is recycled
 * by assignment of PTHREAD_MUTEX_INITIALIZER, without a call that we could see.
 *
 * Destruction goes through to libc, which sets __kind to -1; so "destroyed" is a property of the
 * memory and ends with whatever is written there next.
 *
 * A mutex that the main thread locked before main() was locked by libc. Its words in memory say
 * so when it is first used, and thread 0 is its owner. In shared memory they may speak of another
 * process: its locks are free here, and those of a dead one are given back with EOWNERDEAD.
 *
 * Errors that the type of the mutex asks for (errorcheck, recursive, robust) are returned as
 * POSIX and glibc have them; the same mistakes on normal mutexes are findings, after which the call
 * does what glibc's does (docs/reference/finding-kinds.md has the table).
 */
#define BURL_SYNC_FAMILY
#include "interpose_int.h"

enum mutex_bits {
    TYPE_NORMAL = 0, /* also the default */
    TYPE_RECURSIVE = 1,
    TYPE_ERRORCHECK = 2,
    TYPE_ADAPTIVE = 3,
    TYPE_MASK = 3,
    TYPE_ROBUST = 16
};

enum mutex_state {
    STATE_NORMAL = 0,
    STATE_OWNER_DIED,     /* free; the next lock operation returns EOWNERDEAD */
    STATE_INCONSISTENT,   /* held by a thread that got EOWNERDEAD and has not repaired it */
    STATE_NOT_RECOVERABLE /* given back unrepaired; it cannot be locked again */
};

#define KIND_DESTROYED (-1)
#define OWNER_DIED 0x40000000 /* in __lock: FUTEX_OWNER_DIED */

/* Robust mutexes taken in this execution, by address (objects may be dropped meanwhile). */
struct robust {
    uintptr_t addr;
    struct robust *next;
};

static struct robust *robust_list;

void
burl__mutex_reset(void)
{
    robust_list = NULL;
}

/* What libc knows of a locked mutex that is first used. Before main() the main thread was that of
 * the harness. Any other owner is of another process, or of an earlier one that left the mutex
 * locked in a file: no unlock of it will come, and a robust mutex says so. */
static void
take_over(const pthread_mutex_t *m, struct burl_obj *o)
{
    if ((m->__data.__kind & TYPE_ROBUST) != 0 && (m->__data.__lock & OWNER_DIED) != 0) {
        o->state = STATE_OWNER_DIED;
    } else if (m->__data.__owner != 0 && (uint32_t)m->__data.__owner == burl_rt.ctl->rt_pid) {
        o->owner = 0;
        o->count = m->__data.__count > 1 ? (int32_t)m->__data.__count : 1;
    }
}

struct burl_obj *
burl__mutex_get(pthread_mutex_t *m)
{
    int kind = m->__data.__kind;
    bool fresh;
    struct burl_obj *o = burl_obj_get(m, BURL_OBJ_MUTEX, &fresh);

    if (fresh && kind != KIND_DESTROYED && m->__data.__lock != 0)
        take_over(m, o);
    o->destroyed = kind == KIND_DESTROYED;
    if (fresh || o->owner == BURL_TID_NONE)
        o->type = (uint8_t)(kind & (TYPE_MASK | TYPE_ROBUST));
    return o;
}

/* True: the call fails with EINVAL, glibc's answer to the kind that destroying left behind. */
static bool
is_destroyed(struct burl_obj *o)
{
    if (BURL_LIKELY(!o->destroyed))
        return false;
    burl_rt_misuse(BURL_VERDICT_MISUSE_USE_DESTROYED, o,
                   "a mutex is used after pthread_mutex_destroy");
    return true;
}

bool
burl__mutex_ready(const struct burl_obj *o, const struct burl_thread *t)
{
    return o->owner == BURL_TID_NONE || o->state == STATE_NOT_RECOVERABLE ||
           (o->owner == t->tid && (o->type & TYPE_MASK) == TYPE_RECURSIVE);
}

static void
remember_robust(struct burl_obj *o)
{
    struct robust *r;

    if (o->extra != 0)
        return;
    o->extra = 1;
    r = burl_exec_alloc(sizeof *r);
    r->addr = o->addr;
    r->next = robust_list;
    robust_list = r;
}

int
burl__mutex_take(struct burl_thread *t, struct burl_obj *o)
{
    int r = 0;

    if (is_destroyed(o))
        return EINVAL;
    if (o->state == STATE_NOT_RECOVERABLE)
        return ENOTRECOVERABLE;
    if (o->owner == t->tid) {
        if (o->count == INT32_MAX)
            return EAGAIN;
        o->count++;
        return 0;
    }
    o->owner = t->tid;
    o->count = 1;
    burl__lock_taken(t, o, BURL_LOCK_EXCLUSIVE,
                     t->last_op == BURL_OP_TRYLOCK || t->last_op == BURL_OP_TIMEDLOCK);
    if (o->type & TYPE_ROBUST)
        remember_robust(o);
    if (o->state == STATE_OWNER_DIED) {
        o->state = STATE_INCONSISTENT;
        r = EOWNERDEAD;
    }
    burl_obj_changed(o);
    return r;
}

void
burl__mutex_give(struct burl_thread *t, struct burl_obj *o)
{
    if (--o->count > 0)
        return;
    burl__lock_released(t, o);
    o->count = 0;
    o->owner = BURL_TID_NONE;
    if (o->state == STATE_INCONSISTENT)
        o->state = STATE_NOT_RECOVERABLE;
    burl_obj_changed(o);
}

/* The owner of a lock that is no longer its own. */
static void
take_away(struct burl_obj *o)
{
    burl__lock_lost(o->owner, o);
    o->count = 0;
    o->owner = BURL_TID_NONE;
}

void
burl__mutex_give_foreign(struct burl_thread *t, struct burl_obj *o)
{
    if (o->owner == BURL_TID_NONE)
        return;
    take_away(o);
    burl__notify_release(t, (void *)o->addr);
    burl_obj_changed(o);
}

bool
burl__mutex_checks_owner(const struct burl_obj *o)
{
    unsigned type = o->type & TYPE_MASK;

    return (o->type & TYPE_ROBUST) || type == TYPE_ERRORCHECK || type == TYPE_RECURSIVE;
}

int
burl__mutex_lock(struct burl_thread *t, pthread_mutex_t *m, enum burl_wire_op kind,
                 uint64_t deadline_ns)
{
    struct burl_obj *o = burl__mutex_get(m);
    struct burl_op op = burl__op(t, kind, m, 0);
    int r;

    /* Only t itself can end its own ownership, so this cannot change before its turn. */
    if (o->owner == t->tid && (o->type & TYPE_MASK) == TYPE_ERRORCHECK) {
        burl_sched_point(t, &op);
        r = EDEADLK;
    } else if (o->owner == t->tid && !burl__mutex_ready(o, t) && deadline_ns == BURL_TIME_NEVER) {
        burl_sched_point(t, &op);
        burl_rt_misuse(BURL_VERDICT_MISUSE_RELOCK, o,
                       "a thread locks a mutex that it already holds");
        burl__note_result(t, EBUSY);
        burl__wait_misused(t, &op, o, burl__mutex_ready);
        r = burl__mutex_take(t, o);
    } else {
        if (deadline_ns == BURL_TIME_NEVER && o->owner != t->tid)
            burl__notify_request(t, (void *)o->addr, BURL_LOCK_EXCLUSIVE);
        r = burl__wait(t, &op, o, burl__mutex_ready, deadline_ns, false);
        if (r == 0)
            r = burl__mutex_take(t, o);
        burl__notify_tried(t, m, r == ETIMEDOUT ? r : 0);
        if (r == ETIMEDOUT && o->owner != t->tid)
            burl__gave_up(t);
    }
    burl__note_result(t, r);
    return r;
}

int
burl__mutex_trylock(struct burl_thread *t, pthread_mutex_t *m)
{
    struct burl_obj *o;
    int r = EBUSY;

    burl__point(t, BURL_OP_TRYLOCK, m, 0);
    o = burl__mutex_get(m);
    if (is_destroyed(o))
        r = EINVAL;
    else if (burl__mutex_ready(o, t))
        r = burl__mutex_take(t, o);
    else if (o->owner == t->tid && o->type == (TYPE_ROBUST | TYPE_ERRORCHECK))
        r = EDEADLK; /* glibc's answer for this one combination */
    if (r == EBUSY && o->owner != t->tid)
        burl__gave_up(t);
    burl__notify_tried(t, m, r);
    burl__note_result(t, r);
    return r;
}

static int
unlock_foreign(struct burl_thread *t, struct burl_obj *o)
{
    if (burl__mutex_checks_owner(o))
        return EPERM;
    if (o->owner == BURL_TID_NONE)
        burl_rt_misuse(BURL_VERDICT_MISUSE_UNLOCK_UNLOCKED, o,
                       "a thread unlocks a mutex that no thread holds");
    else
        burl_rt_misuse(BURL_VERDICT_MISUSE_UNLOCK_FOREIGN, o,
                       "a thread unlocks a mutex that another thread holds");
    burl__mutex_give_foreign(t, o);
    return 0;
}

int
burl__mutex_unlock(struct burl_thread *t, pthread_mutex_t *m)
{
    struct burl_obj *o;
    int r = 0;

    burl__point(t, BURL_OP_UNLOCK, m, 0);
    o = burl__mutex_get(m);
    if (is_destroyed(o))
        r = EINVAL;
    else if (BURL_LIKELY(o->owner == t->tid))
        burl__mutex_give(t, o);
    else
        r = unlock_foreign(t, o);
    burl__note_result(t, r);
    return r;
}

void
burl__mutex_inited(pthread_mutex_t *m)
{
    struct burl_obj *o = burl__mutex_get(m);

    if (burl__is_waited_for(o))
        burl_rt_finding(BURL_VERDICT_MISUSE_OTHER, o->addr,
                        "a mutex is initialized while threads wait for it");
    if (o->owner != BURL_TID_NONE) {
        burl_rt_misuse(BURL_VERDICT_MISUSE_REINIT, o, NULL);
        take_away(o);
    }
    o->state = STATE_NORMAL;
    o->type = (uint8_t)(m->__data.__kind & (TYPE_MASK | TYPE_ROBUST));
    burl__notify_renewed(m);
    burl_obj_changed(o);
}

int
burl__mutex_destroy(struct burl_thread *t, pthread_mutex_t *m)
{
    struct burl_obj *o;

    burl__point(t, BURL_OP_DESTROY, m, 0);
    o = burl__mutex_get(m);
    if (is_destroyed(o))
        return 0; /* glibc notices nothing */
    if (o->owner != BURL_TID_NONE)
        burl_rt_misuse(BURL_VERDICT_MISUSE_DESTROY_BUSY, o,
                       "a mutex is destroyed while a thread holds it");
    else if (o->n_waiters > 0)
        burl_rt_misuse(BURL_VERDICT_MISUSE_DESTROY_BUSY, o,
                       "a mutex is destroyed while threads wait for it");
    if (o->owner != BURL_TID_NONE && !(o->type & TYPE_ROBUST)) {
        burl__note_result(t, EBUSY);
        return EBUSY;
    }
    o->state = STATE_NORMAL;
    o->destroyed = 1;
    BURL_REAL(pthread_mutex_destroy)(m);
    return 0;
}

void
burl__mutex_thread_exit(struct burl_thread *t)
{
    for (struct robust *r = robust_list; r != NULL; r = r->next) {
        struct burl_obj *o = burl_obj_find((const void *)r->addr, BURL_OBJ_MUTEX);

        if (o == NULL || o->owner != t->tid || !(o->type & TYPE_ROBUST))
            continue;
        burl__lock_released(t, o);
        o->owner = BURL_TID_NONE;
        o->count = 0;
        /* An owner that got EOWNERDEAD and died in turn leaves the same state behind. */
        o->state = STATE_OWNER_DIED;
        burl_obj_changed(o);
    }
}

static int
make_consistent(struct burl_thread *t, pthread_mutex_t *m)
{
    struct burl_obj *o = burl__mutex_get(m);

    if (is_destroyed(o) || o->state != STATE_INCONSISTENT || o->owner != t->tid)
        return EINVAL;
    o->state = STATE_NORMAL;
    return 0;
}

BURL_INTERPOSE_INIT(int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr), m,
                    burl__init_with(t, m, sizeof *m, attr, sizeof *attr),
                    BURL_REAL(pthread_mutex_init)(m, attr), burl__mutex_inited(m))
BURL_INTERPOSE(int pthread_mutex_destroy(pthread_mutex_t *m),
               BURL_FREE_OBJECT(m, BURL_REAL(pthread_mutex_destroy)(m)), burl__mutex_destroy(t, m))
BURL_INTERPOSE(int pthread_mutex_lock(pthread_mutex_t *m),
               BURL_FREE_LOCK(m, BURL_LOCK_EXCLUSIVE, BURL_REAL(pthread_mutex_trylock)(m), EBUSY,
                              burl_free_block_mutex(m), BURL_REAL(pthread_mutex_lock)(m)),
               burl__mutex_lock(t, m, BURL_OP_LOCK, BURL_TIME_NEVER))
BURL_INTERPOSE(int pthread_mutex_trylock(pthread_mutex_t *m),
               BURL_FREE_TRIED(m, BURL_LOCK_EXCLUSIVE, BURL_REAL(pthread_mutex_trylock)(m)),
               burl__mutex_trylock(t, m))
BURL_INTERPOSE(int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *abstime),
               BURL_FREE_TRIED(m, BURL_LOCK_EXCLUSIVE,
                               BURL_REAL(pthread_mutex_timedlock)(m, abstime)),
               burl__mutex_lock(t, m, BURL_OP_TIMEDLOCK, burl__deadline(CLOCK_REALTIME, abstime)))
BURL_INTERPOSE(int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
                                           const struct timespec *abstime),
               BURL_FREE_TRIED(m, BURL_LOCK_EXCLUSIVE,
                               BURL_REAL(pthread_mutex_clocklock)(m, clock, abstime)),
               burl__clock_ok(clock)
                   ? burl__mutex_lock(t, m, BURL_OP_TIMEDLOCK, burl__deadline(clock, abstime))
                   : EINVAL)
BURL_INTERPOSE(int pthread_mutex_unlock(pthread_mutex_t *m),
               (burl_free_mutex_releasing(m), BURL_REAL(pthread_mutex_unlock)(m)),
               burl__mutex_unlock(t, m))
BURL_INTERPOSE(int pthread_mutex_consistent(pthread_mutex_t *m),
               BURL_REAL(pthread_mutex_consistent)(m), make_consistent(t, m))
