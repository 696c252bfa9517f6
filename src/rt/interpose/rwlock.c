/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rwlock.c - read-write locks.
 *
 * `owner` is the writer, `count` the number of read locks held in all, `extra` the list of readers
 * with how often each holds it (so that an unlock by a thread that holds nothing is seen), `limit`
 * the number of writers that wait in a lock that prefers writers.
 *
 * Preference. By default readers enter while a writer waits, as in glibc; starvation is then the
 * strategy's business. With PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP a waiting writer keeps
 * new readers out. A writer waits from the moment it has *tried* in vain, which is a step of its
 * own there: if its mere intention kept readers out, no schedule could put a reader between a
 * writer's previous operation and its attempt.
 *
 * A thread that locks again what it holds for writing gets EDEADLK as in glibc. One that locks for
 * writing what it holds for reading waits for itself: a deadlock for the scheduler to find.
 *
 * glibc's destroy leaves no trace in the memory, and a lock may be made again by assignment of
 * PTHREAD_RWLOCK_INITIALIZER; so we mark destroyed locks in a padding field (POSIX lets an
 * implementation do so).
 */
#define BURL_SYNC_FAMILY
#include "interpose_int.h"

#define DESTROYED_MARK 0x6275726cu

/* One thread's hold on a lock for reading. */
struct reader {
    struct reader *next;
    uint16_t tid;
    uint32_t n;
};

static struct reader *free_readers; /* of this execution, for use again */

void
burl__rwlock_reset(void)
{
    free_readers = NULL;
}

static struct reader *
readers_of(const struct burl_obj *o)
{
    return (struct reader *)(uintptr_t)o->extra;
}

static struct reader *
find_reader(const struct burl_obj *o, uint16_t tid)
{
    struct reader *r = readers_of(o);

    while (r != NULL && r->tid != tid)
        r = r->next;
    return r;
}

static void
add_reader(struct burl_obj *o, uint16_t tid)
{
    struct reader *r = find_reader(o, tid);

    if (r == NULL) {
        r = free_readers;
        if (r != NULL)
            free_readers = r->next;
        else
            r = burl_exec_alloc(sizeof *r);
        r->tid = tid;
        r->n = 0;
        r->next = readers_of(o);
        o->extra = (uintptr_t)r;
    }
    r->n++;
    o->count++;
}

static void
remove_reader(struct burl_obj *o, struct reader *r)
{
    struct reader *p = readers_of(o);

    o->count--;
    if (--r->n > 0)
        return;
    if (p == r) {
        o->extra = (uintptr_t)r->next;
    } else {
        while (p->next != r)
            p = p->next;
        p->next = r->next;
    }
    r->next = free_readers;
    free_readers = r;
}

uint16_t
burl__rwlock_holder(const struct burl_obj *o, const struct burl_thread *t)
{
    if (o->owner != BURL_TID_NONE)
        return o->owner;
    if (t->op.kind == BURL_OP_RDLOCK && o->limit > 0) {
        for (const struct burl_thread *w = o->waiters; w != NULL; w = w->wait_next)
            if (w->op.kind == BURL_OP_WRLOCK)
                return w->tid;
    }
    if (find_reader(o, t->tid) != NULL)
        return t->tid;
    return readers_of(o) != NULL ? readers_of(o)->tid : BURL_TID_NONE;
}

bool
burl__lock_held_by(const struct burl_obj *o, const struct burl_thread *t)
{
    if (o->cls == BURL_OBJ_RWLOCK && find_reader(o, t->tid) != NULL)
        return true;
    return o->owner == t->tid &&
           (o->cls == BURL_OBJ_MUTEX || o->cls == BURL_OBJ_SPIN || o->cls == BURL_OBJ_RWLOCK);
}

static struct burl_obj *
get_rwlock(pthread_rwlock_t *rw)
{
    bool fresh;
    struct burl_obj *o = burl_obj_get(rw, BURL_OBJ_RWLOCK, &fresh);

    if (fresh && (uint32_t)rw->__data.__cur_writer == burl_rt.ctl->rt_pid)
        o->owner = 0; /* write-locked before main(), and not by another process */
    o->destroyed = rw->__data.__pad3 == DESTROYED_MARK;
    return o;
}

/* glibc's functions do not notice it. */
static void
check_alive(struct burl_obj *o)
{
    if (BURL_UNLIKELY(o->destroyed))
        burl_rt_misuse(BURL_VERDICT_MISUSE_USE_DESTROYED, o,
                       "a read-write lock is used after pthread_rwlock_destroy");
}

static bool
prefers_writers(const pthread_rwlock_t *rw)
{
    return rw->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static bool
can_read(const struct burl_obj *o, const struct burl_thread *t)
{
    (void)t;
    return o->owner == BURL_TID_NONE && o->limit == 0;
}

static bool
can_write(const struct burl_obj *o, const struct burl_thread *t)
{
    (void)t;
    return o->owner == BURL_TID_NONE && o->count == 0;
}

static void
take_lock(struct burl_thread *t, struct burl_obj *o, enum burl_wire_lock_mode mode, bool by_try)
{
    check_alive(o);
    if (mode == BURL_LOCK_EXCLUSIVE) {
        o->owner = t->tid;
    } else {
        add_reader(o, t->tid);
    }
    burl__lock_taken(t, o, mode, by_try);
    burl_obj_changed(o);
}

/* A writer that keeps readers out while it waits: tries, then waits. */
static int
wait_preferred(struct burl_thread *t, const struct burl_op *op, pthread_rwlock_t *rw,
               uint64_t deadline_ns)
{
    struct burl_obj *o;
    int r;

    burl_sched_point(t, op);
    o = get_rwlock(rw);
    if (can_write(o, t))
        return 0;
    burl__note_result(t, EBUSY);
    if (deadline_ns == BURL__TIME_INVALID)
        return EINVAL;
    o->limit++;
    burl_obj_changed(o);
    r = burl__wait(t, op, o, can_write, deadline_ns, false);
    o->limit--;
    if (r != 0)
        burl_obj_changed(o); /* readers may enter again */
    return r;
}

static int
wait_lock(struct burl_thread *t, pthread_rwlock_t *rw, enum burl_wire_lock_mode mode,
          uint64_t deadline_ns)
{
    const bool writes = mode == BURL_LOCK_EXCLUSIVE;
    struct burl_obj *o = get_rwlock(rw);
    struct burl_op op = burl__op(t, writes ? BURL_OP_WRLOCK : BURL_OP_RDLOCK, rw, 0);
    int r;

    if (o->owner == t->tid) {
        burl_sched_point(t, &op);
        r = EDEADLK;
    } else {
        if (deadline_ns == BURL_TIME_NEVER)
            burl__notify_request(t, (void *)o->addr, mode);
        if (writes && prefers_writers(rw))
            r = wait_preferred(t, &op, rw, deadline_ns);
        else
            r = burl__wait(t, &op, o, writes ? can_write : can_read, deadline_ns, false);
        if (r == 0)
            take_lock(t, get_rwlock(rw), mode, deadline_ns != BURL_TIME_NEVER);
        if (r == ETIMEDOUT)
            burl__gave_up(t);
        burl__notify_tried(t, rw, r);
    }
    burl__note_result(t, r);
    return r;
}

static int
wait_until(struct burl_thread *t, pthread_rwlock_t *rw, enum burl_wire_lock_mode mode,
           clockid_t clock, const struct timespec *abstime)
{
    if (!burl__clock_ok(clock))
        return EINVAL;
    return wait_lock(t, rw, mode, burl__deadline(clock, abstime));
}

static int
try_lock(struct burl_thread *t, pthread_rwlock_t *rw, enum burl_wire_lock_mode mode)
{
    const bool writes = mode == BURL_LOCK_EXCLUSIVE;
    struct burl_obj *o;
    int r = EBUSY;

    burl__try_point(t, writes ? BURL_OP_WRLOCK : BURL_OP_RDLOCK, rw);
    o = get_rwlock(rw);
    check_alive(o);
    if (writes ? can_write(o, t) : can_read(o, t)) {
        take_lock(t, o, mode, true);
        r = 0;
    } else {
        burl__try_failed(t);
        if (o->owner != t->tid)
            burl__gave_up(t);
    }
    burl__notify_tried(t, rw, r);
    burl__note_result(t, r);
    return r;
}

/* libc counts readers and does not know them: one of the others loses its lock. Without any reader
 * the count goes below zero, and what that means is undefined: nothing after it is known. */
static void
unlock_foreign(struct burl_thread *t, struct burl_obj *o)
{
    static const char foreign[] = "a thread unlocks a read-write lock that only others hold";
    struct reader *r = readers_of(o);

    if (o->owner == BURL_TID_NONE && o->count == 0)
        burl_rt_finding(BURL_VERDICT_MISUSE_UNLOCK_UNLOCKED, o->addr,
                        "a thread unlocks a read-write lock that no thread holds");
    if (r == NULL)
        burl_rt_finding(BURL_VERDICT_MISUSE_UNLOCK_FOREIGN, o->addr, foreign);
    burl_rt_misuse(BURL_VERDICT_MISUSE_UNLOCK_FOREIGN, o, foreign);
    burl__lock_lost(r->tid, o);
    remove_reader(o, r);
    burl__notify_release(t, (void *)o->addr);
}

static int
unlock_rwlock(struct burl_thread *t, pthread_rwlock_t *rw)
{
    struct burl_obj *o;
    struct reader *r;

    burl__point(t, BURL_OP_RWUNLOCK, rw, 0);
    o = get_rwlock(rw);
    check_alive(o);
    r = find_reader(o, t->tid);
    if (o->owner == t->tid || r != NULL)
        burl__lock_released(t, o);
    if (o->owner == t->tid)
        o->owner = BURL_TID_NONE;
    else if (r != NULL)
        remove_reader(o, r);
    else
        unlock_foreign(t, o);
    burl_obj_changed(o);
    return 0;
}

/* The lock is free without an unlock. */
static void
lose_holders(struct burl_obj *o)
{
    burl__lock_lost(o->owner, o);
    for (const struct reader *r = readers_of(o); r != NULL; r = r->next)
        for (uint32_t n = r->n; n > 0; n--)
            burl__lock_lost(r->tid, o);
    o->owner = BURL_TID_NONE;
    o->count = 0;
    o->extra = 0;
}

static void
rwlock_inited(pthread_rwlock_t *rw)
{
    struct burl_obj *o = burl_obj_get(rw, BURL_OBJ_RWLOCK, NULL);

    if (burl__is_waited_for(o))
        burl_rt_finding(BURL_VERDICT_MISUSE_OTHER, o->addr,
                        "a read-write lock is initialized while threads wait for it");
    if (o->owner != BURL_TID_NONE || o->count > 0)
        burl_rt_misuse(BURL_VERDICT_MISUSE_REINIT, o, NULL);
    lose_holders(o);
    o->limit = 0;
    o->destroyed = 0;
    burl__notify_renewed(rw);
    burl_obj_changed(o);
}

static int
destroy_rwlock(struct burl_thread *t, pthread_rwlock_t *rw)
{
    struct burl_obj *o;

    burl__point(t, BURL_OP_DESTROY, rw, 0);
    o = get_rwlock(rw);
    check_alive(o);
    if (o->owner != BURL_TID_NONE || o->count > 0)
        burl_rt_misuse(BURL_VERDICT_MISUSE_DESTROY_BUSY, o,
                       "a read-write lock is destroyed while a thread holds it");
    else if (o->n_waiters > 0)
        burl_rt_misuse(BURL_VERDICT_MISUSE_DESTROY_BUSY, o,
                       "a read-write lock is destroyed while threads wait for it");
    o->destroyed = 1;
    rw->__data.__pad3 = DESTROYED_MARK;
    return 0;
}

BURL_INTERPOSE_INIT(int pthread_rwlock_init(pthread_rwlock_t *rw, const pthread_rwlockattr_t *attr),
                    rw, burl__init_with(t, rw, sizeof *rw, attr, sizeof *attr),
                    BURL_REAL(pthread_rwlock_init)(rw, attr), rwlock_inited(rw))
BURL_INTERPOSE(int pthread_rwlock_destroy(pthread_rwlock_t *rw),
               BURL_FREE_OBJECT(rw, BURL_REAL(pthread_rwlock_destroy)(rw)), destroy_rwlock(t, rw))
BURL_INTERPOSE(int pthread_rwlock_unlock(pthread_rwlock_t *rw),
               BURL_FREE_UNLOCK(rw, BURL_REAL(pthread_rwlock_unlock)(rw)), unlock_rwlock(t, rw))

/* The functions of one mode: they differ in their names only. */
#define LOCK_FUNCTIONS(mode, lock, trylock, timedlock, clocklock)                            \
    BURL_INTERPOSE(int lock(pthread_rwlock_t *rw),                                           \
                   BURL_FREE_LOCK(rw, mode, BURL_REAL(trylock)(rw), EBUSY,                   \
                                  burl_free_block_rwlock(rw, mode), BURL_REAL(lock)(rw)),    \
                   wait_lock(t, rw, mode, BURL_TIME_NEVER))                                  \
    BURL_INTERPOSE(int trylock(pthread_rwlock_t *rw),                                        \
                   BURL_FREE_TRIED(rw, mode, BURL_REAL(trylock)(rw)), try_lock(t, rw, mode)) \
    BURL_INTERPOSE(int timedlock(pthread_rwlock_t *rw, const struct timespec *abstime),      \
                   BURL_FREE_TRIED(rw, mode, BURL_REAL(timedlock)(rw, abstime)),             \
                   wait_until(t, rw, mode, CLOCK_REALTIME, abstime))                         \
    BURL_INTERPOSE(                                                                          \
        int clocklock(pthread_rwlock_t *rw, clockid_t clock, const struct timespec *at),     \
        BURL_FREE_TRIED(rw, mode, BURL_REAL(clocklock)(rw, clock, at)),                      \
        wait_until(t, rw, mode, clock, at))

LOCK_FUNCTIONS(BURL_LOCK_SHARED, pthread_rwlock_rdlock, pthread_rwlock_tryrdlock,
               pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock)
LOCK_FUNCTIONS(BURL_LOCK_EXCLUSIVE, pthread_rwlock_wrlock, pthread_rwlock_trywrlock,
               pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock)
