/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c11.c - mutexes, condition variables, sleep and yield of <threads.h>.
 *
 * In glibc a mtx_t is a pthread_mutex_t and a cnd_t a pthread_cond_t under another name, with the
 * same bytes inside; so are they here. What differs is the return codes. thrd_create and its like
 * are in thread.c, call_once in once.c; thrd_current and thrd_equal need nothing.
 */
#include <threads.h>

#define BURL_SYNC_FAMILY
#include "interpose_int.h"

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

/* glibc: -1 after a signal handler, -2 for other errors. */
static int
sleep_code(int r)
{
    return r == 0 ? 0 : r == EINTR ? -1 : -2;
}

#define FREE_TRIED(lock, call) \
    burl_free_tried_c11(BURL_FREE_TRYLOCK(lock, BURL_LOCK_EXCLUSIVE, call), lock)

BURL_INTERPOSE_INIT(int mtx_init(mtx_t *m, int type), m, burl__init_point(t, m, sizeof *m, 0),
                    BURL_REAL(mtx_init)(m, type), burl__mutex_inited(mutex_of(m)))
BURL_INTERPOSE_VOID(void mtx_destroy(mtx_t *m), BURL_FREE_OBJECT(m, BURL_REAL(mtx_destroy)(m)),
                    burl__mutex_destroy(t, mutex_of(m)))
BURL_INTERPOSE(int mtx_lock(mtx_t *m),
               BURL_FREE_LOCK(m, BURL_LOCK_EXCLUSIVE, BURL_REAL(mtx_trylock)(m), thrd_busy,
                              burl_free_block_mutex(mutex_of(m)), BURL_REAL(mtx_lock)(m)),
               c11_code(burl__mutex_lock(t, mutex_of(m), BURL_OP_LOCK, BURL_TIME_NEVER)))
BURL_INTERPOSE(int mtx_trylock(mtx_t *m), FREE_TRIED(m, BURL_REAL(mtx_trylock)(m)),
               c11_code(burl__mutex_trylock(t, mutex_of(m))))
BURL_INTERPOSE(int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict abstime),
               FREE_TRIED(m, BURL_REAL(mtx_timedlock)(m, abstime)),
               c11_code(burl__mutex_lock(t, mutex_of(m), BURL_OP_TIMEDLOCK,
                                         burl__deadline(CLOCK_REALTIME, abstime))))
BURL_INTERPOSE(int mtx_unlock(mtx_t *m), BURL_FREE_UNLOCK(m, BURL_REAL(mtx_unlock)(m)),
               c11_code(burl__mutex_unlock(t, mutex_of(m))))

BURL_INTERPOSE_INIT(int cnd_init(cnd_t *c), c, burl__init_point(t, c, sizeof *c, 0),
                    BURL_REAL(cnd_init)(c), burl__cond_inited(cond_of(c)))
BURL_INTERPOSE_VOID(void cnd_destroy(cnd_t *c), BURL_FREE_OBJECT(c, BURL_REAL(cnd_destroy)(c)),
                    burl__cond_destroy(t, cond_of(c)))
BURL_INTERPOSE(int cnd_wait(cnd_t *c, mtx_t *m), burl_free_waited_c11(burl_free_cnd_wait(c, m), c),
               c11_code(burl__cond_wait(t, cond_of(c), mutex_of(m), BURL_TIME_NEVER)))
BURL_INTERPOSE(int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m,
                                 const struct timespec *restrict abstime),
               burl_free_waited_c11(burl_free_cnd_timedwait(c, m, abstime), c),
               c11_code(burl__cond_wait(t, cond_of(c), mutex_of(m),
                                        burl__deadline(CLOCK_REALTIME, abstime))))
BURL_INTERPOSE(int cnd_signal(cnd_t *c),
               (burl_free_cond_signal(c, false), BURL_REAL(cnd_signal)(c)),
               burl__cond_wake(t, cond_of(c), false))
BURL_INTERPOSE(int cnd_broadcast(cnd_t *c),
               (burl_free_cond_signal(c, true), BURL_REAL(cnd_broadcast)(c)),
               burl__cond_wake(t, cond_of(c), true))

BURL_INTERPOSE_VOID(void thrd_yield(void), BURL_REAL(thrd_yield)(), burl__yield(t))
BURL_INTERPOSE_PLAIN(int thrd_sleep(const struct timespec *duration, struct timespec *remaining),
                     burl_noise_thrd_sleep(duration, remaining),
                     sleep_code(burl__sleep_for(t, duration, remaining)))
