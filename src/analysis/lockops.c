/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/lockops.c - which calls take, try, drop and wait with a lock.
 *
 * Runs in burl-analyse. The C++ library asks whether threads are there at all before it locks; its
 * small wrappers are known by name so that this question does not count as a way round the lock.
 */
#include <string.h>

#include "analysis/sp_int.h"

static const struct {
    const char *name;
    enum burl__lock_op op;
    unsigned arg;
} table[] = {
    { "pthread_mutex_lock", BURL__LOCK_TAKE, 0 },
    { "pthread_spin_lock", BURL__LOCK_TAKE, 0 },
    { "mtx_lock", BURL__LOCK_TAKE, 0 },
    { "pthread_rwlock_wrlock", BURL__LOCK_TAKE, 0 },
    { "pthread_rwlock_rdlock", BURL__LOCK_TAKE_SHARED, 0 },
    { "_ZL20__gthread_mutex_lockP15pthread_mutex_t", BURL__LOCK_TAKE, 0 },
    { "_ZL30__gthread_recursive_mutex_lockP15pthread_mutex_t", BURL__LOCK_TAKE, 0 },
    { "pthread_mutex_trylock", BURL__LOCK_TRY, 0 },
    { "pthread_mutex_timedlock", BURL__LOCK_TRY, 0 },
    { "pthread_mutex_clocklock", BURL__LOCK_TRY, 0 },
    { "pthread_spin_trylock", BURL__LOCK_TRY, 0 },
    { "mtx_trylock", BURL__LOCK_TRY, 0 },
    { "mtx_timedlock", BURL__LOCK_TRY, 0 },
    { "pthread_rwlock_trywrlock", BURL__LOCK_TRY, 0 },
    { "pthread_rwlock_timedwrlock", BURL__LOCK_TRY, 0 },
    { "pthread_rwlock_tryrdlock", BURL__LOCK_TRY_SHARED, 0 },
    { "pthread_rwlock_timedrdlock", BURL__LOCK_TRY_SHARED, 0 },
    { "_ZL23__gthread_mutex_trylockP15pthread_mutex_t", BURL__LOCK_TRY, 0 },
    { "pthread_mutex_unlock", BURL__LOCK_DROP, 0 },
    { "pthread_spin_unlock", BURL__LOCK_DROP, 0 },
    { "mtx_unlock", BURL__LOCK_DROP, 0 },
    { "pthread_rwlock_unlock", BURL__LOCK_DROP, 0 },
    { "pthread_mutex_destroy", BURL__LOCK_DROP, 0 },
    { "pthread_mutex_init", BURL__LOCK_DROP, 0 },
    { "_ZL22__gthread_mutex_unlockP15pthread_mutex_t", BURL__LOCK_DROP, 0 },
    { "_ZL32__gthread_recursive_mutex_unlockP15pthread_mutex_t", BURL__LOCK_DROP, 0 },
    { "pthread_cond_wait", BURL__LOCK_WAIT, 1 },
    { "pthread_cond_timedwait", BURL__LOCK_WAIT, 1 },
    { "pthread_cond_clockwait", BURL__LOCK_WAIT, 1 },
    { "cnd_wait", BURL__LOCK_WAIT, 1 },
    { "cnd_timedwait", BURL__LOCK_WAIT, 1 },
    { "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", BURL__LOCK_WAIT, 1 },
};

enum burl__lock_op
burl__lock_op(const struct burl__sp *sp, LLVMValueRef call, LLVMValueRef *lock)
{
    const char *name = burl__callee_name(sp, call);

    if (*name != 'p' && *name != 'm' && *name != 'c' && *name != '_')
        return BURL__LOCK_NONE; /* most calls, without looking further */
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(name, table[i].name) != 0 || table[i].arg >= LLVMGetNumArgOperands(call))
            continue;
        *lock = LLVMGetOperand(call, table[i].arg);
        return table[i].op;
    }
    return BURL__LOCK_NONE;
}

/* Both lists ascend. An empty one is a pointer nothing is known of. */
static bool
meet(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
    size_t i = 0, k = 0;

    if (n == 0 || m == 0)
        return true;
    while (i < n && k < m) {
        if (a[i] == b[k])
            return true;
        if (a[i] < b[k])
            i++;
        else
            k++;
    }
    return false;
}

bool
burl__may_be_same_lock(const struct burl__sp *sp, LLVMValueRef a, LLVMValueRef b)
{
    uint32_t n, m;
    const uint32_t *x = burl_pts_of(sp->pts, a, &n);
    const uint32_t *y = burl_pts_of(sp->pts, b, &m);

    return meet(x, n, y, m);
}

bool
burl__may_be_in(const struct burl__sp *sp, LLVMValueRef ptr, const struct burl__u32s *leaves)
{
    uint32_t n;
    const uint32_t *x = burl_pts_of(sp->pts, ptr, &n);

    return leaves->n > 0 &&
           (leaves->v[leaves->n - 1] == UINT32_MAX || meet(x, n, leaves->v, leaves->n));
}
