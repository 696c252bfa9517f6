/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/lockops.c - which calls take, try, drop and wait with a lock.
 *
 * Runs in burl-analyze. The C++ library checks whether there are threads at all before it locks;
 * its small wrappers are known by name so that this check is no path without the lock.
 */
#include <pthread.h>

#include "analysis/target/steps.h"

enum burl_libfn_lock
burl__lock_op(const struct burl__sp *sp, LLVMValueRef call, LLVMValueRef *lock)
{
    const struct burl_libfn f = burl__callee_facts(sp, call);
    const bool some = f.lock_arg >= BURL_FN_IN_GUARD;

    if (f.lock == BURL_FN_LOCK_NONE || (!some && f.lock_arg >= LLVMGetNumArgOperands(call)))
        return BURL_FN_LOCK_NONE;
    *lock = some ? NULL : LLVMGetOperand(call, f.lock_arg);
    return f.lock;
}

uint32_t
burl__lock_size(const struct burl__sp *sp, LLVMValueRef call)
{
    static const uint32_t sizes[] = { [BURL_FN_MUTEX] = sizeof(pthread_mutex_t),
                                      [BURL_FN_SPIN] = sizeof(pthread_spinlock_t),
                                      [BURL_FN_RWLOCK] = sizeof(pthread_rwlock_t) };
    LLVMValueRef lock;

    if (burl__lock_op(sp, call, &lock) == BURL_FN_LOCK_NONE)
        return 0;
    return sizes[burl__callee_facts(sp, call).lock_type];
}

/* Both lists ascend. An empty one is a pointer nothing is known of. */
static bool
lists_meet(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
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

static bool
may_be_at(const struct burl__sp *sp, const struct burl__held *h, const uint32_t *leaves, size_t n)
{
    for (uint8_t i = 0; i < h->n_ptr; i++) {
        uint32_t m;
        const uint32_t *x = burl_pts_of(sp->pts, h->ptr[i], &m);
        if (lists_meet(x, m, leaves, n))
            return true;
    }
    return h->n_ptr == 0;
}

bool
burl__may_be_lock(const struct burl__sp *sp, const struct burl__held *h, LLVMValueRef lock)
{
    uint32_t n = 0;
    const uint32_t *leaves = lock ? burl_pts_of(sp->pts, lock, &n) : NULL;

    return !lock || may_be_at(sp, h, leaves, n);
}

bool
burl__may_be_in(const struct burl__sp *sp, const struct burl__held *h,
                const struct burl_u32s *leaves)
{
    return leaves->n > 0 &&
           (leaves->v[leaves->n - 1] == UINT32_MAX || may_be_at(sp, h, leaves->v, leaves->n));
}
