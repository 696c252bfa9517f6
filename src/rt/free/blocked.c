/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/blocked.c - each thread's record of the call it is blocked in (wire/blocked.h).
 *
 * The host reads the records and decides what is a deadlock (engine/free/waitfor.c). Nothing here
 * is reached by an uncontended lock: the interposers try first and fill the record only when the
 * attempt failed. A thread fills its own record, so its stack and its locks need no lock of ours.
 *
 * A handler of the program that interrupts a blocked thread may leave it by longjmp, or block
 * itself. The record is therefore hidden while a handler runs.
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "calls.h"
#include "free_int.h"

/* The host reads them in place. */
#define POSITION_OF(member)                                                                 \
    (offsetof(struct burl_free_thread, member) - offsetof(struct burl_free_thread, ring) == \
     offsetof(struct burl_wire_position, member))
static_assert(POSITION_OF(ring_at) && POSITION_OF(depth) && POSITION_OF(call_site),
              "the place of a thread is on the wire");

/* ---- changing a record ---------------------------------------------------------------------- */

static void
record_begin(struct burl_wire_blocked *r)
{
    __atomic_store_n(&r->seq, r->seq + 1, __ATOMIC_RELAXED);
    /* pairs with the acquire fence of the host: what follows is seen only with the odd number */
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void
record_end(struct burl_wire_blocked *r)
{
    /* pairs with the acquire load of the host: the record is complete */
    __atomic_store_n(&r->seq, r->seq + 1, __ATOMIC_RELEASE);
}

static void
record_set_state(struct burl_wire_blocked *r, enum burl_wire_blocked_state state)
{
    record_begin(r);
    r->state = (uint8_t)state;
    record_end(r);
}

/* ---- threads -------------------------------------------------------------------------------- */

void
burl__blocked_thread_new(struct burl_free_thread *f)
{
    struct burl_wire_blocked_table *table = &burl_rt.ctl->blocked;

    for (uint32_t i = 0; i < BURL_WIRE_MAX_BLOCKED; i++) {
        struct burl_wire_blocked *r = &table->v[i];

        if (r->state != BURL_BLOCKED_NONE)
            continue;
        record_begin(r);
        r->state = BURL_BLOCKED_RUNS;
        r->tid = f->tid;
        r->kernel_tid = 0;
        r->position = 0;
        r->frames = 0;
        record_end(r);
        f->blocked = r;
        return;
    }
    table->n_lost++;
}

void
burl__blocked_thread_begin(struct burl_free_thread *f)
{
    if (f->blocked == NULL)
        return;
    record_begin(f->blocked);
    f->blocked->kernel_tid = (uint32_t)BURL_SYS0(SYS_gettid);
    f->blocked->position = (uintptr_t)&f->ring;
    f->blocked->frames = (uintptr_t)f->stack;
    record_end(f->blocked);
}

void
burl__blocked_thread_end(struct burl_free_thread *f)
{
    if (f->blocked != NULL)
        record_set_state(f->blocked, BURL_BLOCKED_NONE);
    f->blocked = NULL;
}

/* ---- blocking ------------------------------------------------------------------------------- */

static uint32_t
record_locks(struct burl_wire_blocked *r, const struct burl_free_thread *f)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < f->n_once && i < BURL_FREE_ONCE && n < BURL_BLOCKED_LOCKS; i++)
        r->locks[n++] = (struct burl_wire_blocked_lock){ .addr = (uintptr_t)f->once_running[i],
                                                         .mode = BURL_BLOCKED_ONCE };
    for (uint32_t i = 0; i < burl_held_known(&f->held) && n < BURL_BLOCKED_LOCKS; i++)
        r->locks[n++] = (struct burl_wire_blocked_lock){ .addr = f->held.v[i].addr,
                                                         .site = burl__site_of(f->held.v[i].site),
                                                         .mode = f->held.v[i].mode };
    return n;
}

void
burl_free_block(const struct burl_free_request *q)
{
    struct burl_free_thread *f = burl_free_me;
    struct burl_wire_blocked *r = f != NULL ? f->blocked : NULL;

    if (r == NULL)
        return;
    record_begin(r);
    r->state = BURL_BLOCKED_WAITS;
    r->op = (uint8_t)q->op;
    r->mode = (uint8_t)q->mode;
    r->flags = (uint8_t)q->flags;
    r->target = q->target != NULL ? q->target->tid : BURL_TID_NONE;
    r->addr = (uintptr_t)q->object;
    r->mutex = (uintptr_t)q->mutex;
    r->site = burl__site_of(f->call_site);
    burl__frames_now(r->stack, r->site, f);
    r->n_locks = record_locks(r, f);
    record_end(r);
}

bool
burl_free_is_blocked(void)
{
    const struct burl_free_thread *f = burl_free_me;

    return f != NULL && f->blocked != NULL && f->blocked->state == BURL_BLOCKED_WAITS;
}

void
burl_free_unblock(void)
{
    struct burl_free_thread *f = burl_free_me;

    if (burl_free_is_blocked())
        record_set_state(f->blocked, BURL_BLOCKED_RUNS);
}

void
burl_free_attempt_failed(void)
{
    struct burl_wire_blocked *r = burl_free_me != NULL ? burl_free_me->blocked : NULL;

    /* release: the attempt comes before its count */
    if (r != NULL)
        __atomic_store_n(&r->n_failed, r->n_failed + 1, __ATOMIC_RELEASE);
}

bool
burl__blocked_hide(struct burl_free_thread *f, struct burl_wire_blocked *copy)
{
    if (f == NULL || f->blocked == NULL || f->blocked->state != BURL_BLOCKED_WAITS)
        return false;
    *copy = *f->blocked;
    record_set_state(f->blocked, BURL_BLOCKED_RUNS);
    return true;
}

void
burl__blocked_restore(struct burl_free_thread *f, const struct burl_wire_blocked *copy)
{
    struct burl_wire_blocked *r = f->blocked;
    uint32_t seq;

    if (r == NULL)
        return;
    record_begin(r);
    seq = r->seq;
    *r = *copy;
    r->seq = seq;
    record_end(r);
}

bool
burl_free_others_blocked(void)
{
    const struct burl_wire_blocked_table *table = &burl_rt.ctl->blocked;
    const struct burl_free_thread *f = burl_free_me;

    if (table->n_lost > 0)
        return false; /* threads without a record */
    for (uint32_t i = 0; i < BURL_WIRE_MAX_BLOCKED; i++) {
        const struct burl_wire_blocked *r = &table->v[i];

        /* relaxed: the answer is out of date anyway when it is used */
        if (r != f->blocked && __atomic_load_n(&r->state, __ATOMIC_RELAXED) == BURL_BLOCKED_RUNS)
            return false;
    }
    return true;
}

/* ---- mutexes and read-write locks ----------------------------------------------------------- */

void
burl_free_block_mutex(const pthread_mutex_t *m)
{
    bool checked = (m->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK;

    burl_free_block(&(struct burl_free_request){
        .op = BURL_OP_LOCK,
        .object = m,
        .flags = BURL_BLOCKED_F_MUTEX | (checked ? BURL_BLOCKED_F_CHECKED : 0),
    });
}

void
burl_free_block_rwlock(const pthread_rwlock_t *rw, enum burl_wire_lock_mode mode)
{
    bool writers = rw->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;

    burl_free_block(&(struct burl_free_request){
        .op = mode == BURL_LOCK_SHARED ? BURL_OP_RDLOCK : BURL_OP_WRLOCK,
        .object = rw,
        .mode = mode,
        .flags = writers ? BURL_BLOCKED_F_WRITERS_FIRST : 0,
    });
}

/* ---- once and guards ------------------------------------------------------------------------ */

void
burl_free_once_begin(const volatile void *flag)
{
    struct burl_free_thread *f = burl_free_me;

    if (f == NULL)
        return;
    if (f->n_once < BURL_FREE_ONCE)
        f->once_running[f->n_once] = flag;
    f->n_once++;
}

void
burl_free_once_end(const volatile void *flag)
{
    struct burl_free_thread *f = burl_free_me;
    uint32_t n = f == NULL ? 0 : f->n_once < BURL_FREE_ONCE ? f->n_once : BURL_FREE_ONCE;

    for (uint32_t i = n; i > 0; i--) {
        if (f->once_running[i - 1] != flag)
            continue;
        for (; i < n; i++)
            f->once_running[i - 1] = f->once_running[i];
        f->n_once--;
        return;
    }
    if (f != NULL && f->n_once > BURL_FREE_ONCE)
        f->n_once--;
}
