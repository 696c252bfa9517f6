/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c11.c - mutexes, condition variables, sleep and yield of <threads.h>. Runs in the tested program.
 *
 * In glibc a mtx_t is a pthread_mutex_t and a cnd_t a pthread_cond_t under another name, with the
 * same bytes inside; so are they here. What differs is the return codes. thrd_create and its like
 * are in thread.c, call_once in once.c; thrd_current and thrd_equal need nothing.
 */
#include <threads.h>

#include "interpose_int.h"
#include "rt/free/calls.h"

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "mtx_t is a pthread_mutex_t");
static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "cnd_t is a pthread_cond_t");

static pthread_mutex_t *
mutex_of(mtx_t *m)
{
    return (pthread_mutex_t *)(void *)m;
}

static pthread_cond_t *
cond_of(cnd_t *c)
{
    return (pthread_cond_t *)(void *)c;
}

static int
c11_code(int r)
{
    switch (r) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case ENOMEM:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

BURL_EXPORT int
mtx_init(mtx_t *m, int type)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t != NULL)
        burl__init_point(t, m, sizeof *m, 0);
    r = BURL_FREE_OBJECT(m, BURL_REAL(mtx_init)(m, type));
    if (t == NULL)
        return r;
    if (r == thrd_success)
        burl__mutex_inited(mutex_of(m));
    burl_rt_leave(t);
    return r;
}

BURL_EXPORT void
mtx_destroy(mtx_t *m)
{
    struct burl_thread *t = burl_rt_enter();

    if (t == NULL) {
        BURL_FREE_OBJECT(m, BURL_REAL(mtx_destroy)(m));
        return;
    }
    burl__mutex_destroy(t, mutex_of(m));
    burl_rt_leave(t);
}

BURL_EXPORT int
mtx_lock(mtx_t *m)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t == NULL)
        return BURL_FREE_LOCK(m, BURL_LOCK_EXCLUSIVE, BURL_REAL(mtx_trylock)(m), thrd_busy,
                              burl_free_block_mutex((const pthread_mutex_t *)m),
                              BURL_REAL(mtx_lock)(m));
    r = burl__mutex_lock(t, mutex_of(m), BURL_OP_LOCK, BURL_TIME_NEVER);
    burl_rt_leave(t);
    return c11_code(r);
}

BURL_EXPORT int
mtx_trylock(mtx_t *m)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t == NULL)
        return burl_free_tried_c11(
            BURL_FREE_TRYLOCK(m, BURL_LOCK_EXCLUSIVE, BURL_REAL(mtx_trylock)(m)), m);
    r = burl__mutex_trylock(t, mutex_of(m));
    burl_rt_leave(t);
    return c11_code(r);
}

BURL_EXPORT int
mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict abstime)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t == NULL)
        return burl_free_tried_c11(
            BURL_FREE_TRYLOCK(m, BURL_LOCK_EXCLUSIVE, BURL_REAL(mtx_timedlock)(m, abstime)), m);
    r = burl__mutex_lock(t, mutex_of(m), BURL_OP_TIMEDLOCK,
                         burl__deadline(CLOCK_REALTIME, abstime));
    burl_rt_leave(t);
    return c11_code(r);
}

BURL_EXPORT int
mtx_unlock(mtx_t *m)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t == NULL)
        return BURL_FREE_UNLOCK(m, BURL_REAL(mtx_unlock)(m));
    r = burl__mutex_unlock(t, mutex_of(m));
    burl_rt_leave(t);
    return c11_code(r);
}

BURL_EXPORT int
cnd_init(cnd_t *c)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t != NULL)
        burl__init_point(t, c, sizeof *c, 0);
    r = BURL_FREE_OBJECT(c, BURL_REAL(cnd_init)(c));
    if (t == NULL)
        return r;
    if (r == thrd_success)
        burl__cond_inited(cond_of(c));
    burl_rt_leave(t);
    return r;
}

BURL_EXPORT void
cnd_destroy(cnd_t *c)
{
    struct burl_thread *t = burl_rt_enter();

    if (t == NULL) {
        BURL_FREE_OBJECT(c, BURL_REAL(cnd_destroy)(c));
        return;
    }
    burl__cond_destroy(t, cond_of(c));
    burl_rt_leave(t);
}

BURL_EXPORT int
cnd_wait(cnd_t *c, mtx_t *m)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t == NULL)
        return burl_free_waited_c11(burl_free_cnd_wait(c, m), c);
    r = burl__cond_wait(t, cond_of(c), mutex_of(m), BURL_TIME_NEVER);
    burl_rt_leave(t);
    return c11_code(r);
}

BURL_EXPORT int
cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict abstime)
{
    struct burl_thread *t = burl_rt_enter();
    int r;

    if (t == NULL)
        return burl_free_waited_c11(burl_free_cnd_timedwait(c, m, abstime), c);
    r = burl__cond_wait(t, cond_of(c), mutex_of(m), burl__deadline(CLOCK_REALTIME, abstime));
    burl_rt_leave(t);
    return c11_code(r);
}

BURL_EXPORT int
cnd_signal(cnd_t *c)
{
    struct burl_thread *t = burl_rt_enter();

    if (t == NULL)
        return burl_free_cond_signal(c, false), BURL_REAL(cnd_signal)(c);
    burl__cond_wake(t, cond_of(c), false);
    burl_rt_leave(t);
    return thrd_success;
}

BURL_EXPORT int
cnd_broadcast(cnd_t *c)
{
    struct burl_thread *t = burl_rt_enter();

    if (t == NULL)
        return burl_free_cond_signal(c, true), BURL_REAL(cnd_broadcast)(c);
    burl__cond_wake(t, cond_of(c), true);
    burl_rt_leave(t);
    return thrd_success;
}

BURL_EXPORT void
thrd_yield(void)
{
    struct burl_thread *t = burl_rt_enter();
    struct burl_op op;

    if (t == NULL) {
        BURL_REAL(thrd_yield)();
        return;
    }
    op = burl__op(t, BURL_OP_YIELD, NULL, 0);
    burl_sched_yield(t, &op);
    burl_rt_leave(t);
}

BURL_EXPORT int
thrd_sleep(const struct timespec *duration, struct timespec *remaining)
{
    struct burl_thread *t = burl_rt_enter();
    uint64_t deadline_ns;
    uint64_t left_ns;
    uint64_t ns;

    if (t == NULL)
        return BURL_REAL(thrd_sleep)(duration, remaining);
    if (duration->tv_sec < 0 || duration->tv_nsec < 0 || duration->tv_nsec >= 1000000000L) {
        burl_rt_leave(t);
        return -2; /* glibc's value for an error that is no interruption */
    }
    if (__builtin_mul_overflow((uint64_t)duration->tv_sec, 1000000000ull, &ns) ||
        __builtin_add_overflow(ns, (uint64_t)duration->tv_nsec, &ns))
        ns = BURL_TIME_NEVER;
    deadline_ns = burl_time_after(ns);
    if (burl__sleep_until(t, deadline_ns, ns) == BURL_WAIT_TIMEOUT) {
        burl_rt_leave(t);
        return 0;
    }
    left_ns = deadline_ns - burl_time_peek_ns();
    if (deadline_ns < burl_time_peek_ns())
        left_ns = 0;
    burl_rt_leave(t);
    if (remaining != NULL) {
        remaining->tv_sec = (time_t)(left_ns / 1000000000u);
        remaining->tv_nsec = (long)(left_ns % 1000000000u);
    }
    return -1; /* a signal handler ran */
}
