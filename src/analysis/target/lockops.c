/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/lockops.c - which calls take, try, drop and wait with a lock.
 *
 * Runs in burl-analyze. The C++ library asks whether threads are there at all before it locks; its
 * small wrappers are known by name so that this question does not count as a way round the lock.
 */
#include <pthread.h>
#include <string.h>

#include "analysis/target/sp_int.h"

/* The native lock lies at the start of the library's mutex types; of others nothing is known. */
#define GUARD(mutex, size)                                                \
    { "_ZNSt11unique_lockI" mutex "EC2ERS0_", BURL__LOCK_TAKE, 1, size }, \
    {                                                                     \
        "_ZNSt11unique_lockI" mutex "EC1ERS0_", BURL__LOCK_TAKE, 1, size  \
    }

#define LOCK_OF(mutex, rest, size) \
    { "_ZSt4lockI" mutex "S0_J" rest "EEvRT_RT0_DpRT1_", BURL__LOCK_TAKE, EVERY, size }
#define TAKE_ALL(mutex, size) \
    LOCK_OF(mutex, "", size), LOCK_OF(mutex, "S0_", size), LOCK_OF(mutex, "S0_S0_", size)

enum size { PTHREAD, SPIN, RWLOCK };

enum {
    IN_GUARD = 100, /* arg: the call finds the lock through a guard object */
    EVERY           /* each argument is a lock */
};

static const struct {
    const char *name;
    enum burl__lock_op op;
    unsigned arg;
    enum size size;
} table[] = {
    { "pthread_mutex_lock", BURL__LOCK_TAKE, 0, PTHREAD },
    { "pthread_spin_lock", BURL__LOCK_TAKE, 0, SPIN },
    { "mtx_lock", BURL__LOCK_TAKE, 0, PTHREAD },
    { "pthread_rwlock_wrlock", BURL__LOCK_TAKE, 0, RWLOCK },
    { "pthread_rwlock_rdlock", BURL__LOCK_TAKE_SHARED, 0, RWLOCK },
    { "_ZL20__gthread_mutex_lockP15pthread_mutex_t", BURL__LOCK_TAKE, 0, PTHREAD },
    { "_ZL30__gthread_recursive_mutex_lockP15pthread_mutex_t", BURL__LOCK_TAKE, 0, PTHREAD },
    { "pthread_mutex_trylock", BURL__LOCK_TRY, 0, PTHREAD },
    { "pthread_mutex_timedlock", BURL__LOCK_TRY, 0, PTHREAD },
    { "pthread_mutex_clocklock", BURL__LOCK_TRY, 0, PTHREAD },
    { "pthread_spin_trylock", BURL__LOCK_TRY, 0, SPIN },
    { "mtx_trylock", BURL__LOCK_TRY, 0, PTHREAD },
    { "mtx_timedlock", BURL__LOCK_TRY, 0, PTHREAD },
    { "pthread_rwlock_trywrlock", BURL__LOCK_TRY, 0, RWLOCK },
    { "pthread_rwlock_timedwrlock", BURL__LOCK_TRY, 0, RWLOCK },
    { "pthread_rwlock_tryrdlock", BURL__LOCK_TRY_SHARED, 0, RWLOCK },
    { "pthread_rwlock_timedrdlock", BURL__LOCK_TRY_SHARED, 0, RWLOCK },
    { "_ZL23__gthread_mutex_trylockP15pthread_mutex_t", BURL__LOCK_TRY, 0, PTHREAD },
    { "pthread_mutex_unlock", BURL__LOCK_DROP, 0, PTHREAD },
    { "pthread_spin_unlock", BURL__LOCK_DROP, 0, SPIN },
    { "mtx_unlock", BURL__LOCK_DROP, 0, PTHREAD },
    { "pthread_rwlock_unlock", BURL__LOCK_DROP, 0, RWLOCK },
    { "pthread_mutex_destroy", BURL__LOCK_DROP, 0, PTHREAD },
    { "pthread_mutex_init", BURL__LOCK_DROP, 0, PTHREAD },
    { "_ZStL23__glibcxx_rwlock_wrlockP16pthread_rwlock_t", BURL__LOCK_TAKE, 0, RWLOCK },
    { "_ZStL23__glibcxx_rwlock_rdlockP16pthread_rwlock_t", BURL__LOCK_TAKE_SHARED, 0, RWLOCK },
    { "_ZStL26__glibcxx_rwlock_trywrlockP16pthread_rwlock_t", BURL__LOCK_TRY, 0, RWLOCK },
    { "_ZStL26__glibcxx_rwlock_tryrdlockP16pthread_rwlock_t", BURL__LOCK_TRY_SHARED, 0, RWLOCK },
    { "_ZStL23__glibcxx_rwlock_unlockP16pthread_rwlock_t", BURL__LOCK_DROP, 0, RWLOCK },
    { "_ZL22__gthread_mutex_unlockP15pthread_mutex_t", BURL__LOCK_DROP, 0, PTHREAD },
    { "_ZL32__gthread_recursive_mutex_unlockP15pthread_mutex_t", BURL__LOCK_DROP, 0, PTHREAD },
    { "pthread_cond_wait", BURL__LOCK_WAIT, 1, PTHREAD },
    { "pthread_cond_timedwait", BURL__LOCK_WAIT, 1, PTHREAD },
    { "pthread_cond_clockwait", BURL__LOCK_WAIT, 1, PTHREAD },
    { "cnd_wait", BURL__LOCK_WAIT, 1, PTHREAD },
    { "cnd_timedwait", BURL__LOCK_WAIT, 1, PTHREAD },
    { "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", BURL__LOCK_WAIT, IN_GUARD,
      PTHREAD },
    GUARD("St5mutex", PTHREAD),
    GUARD("St15recursive_mutex", PTHREAD),
    GUARD("St11timed_mutex", PTHREAD),
    GUARD("St12shared_mutex", RWLOCK),
    GUARD("St18shared_timed_mutex", RWLOCK),
    /* std::lock of two to four mutexes of one type */
    TAKE_ALL("St5mutex", PTHREAD),
    TAKE_ALL("St15recursive_mutex", PTHREAD),
    TAKE_ALL("St11timed_mutex", PTHREAD),
    TAKE_ALL("St12shared_mutex", RWLOCK),
    TAKE_ALL("St18shared_timed_mutex", RWLOCK),
};

static size_t
find_row(const struct burl__sp *sp, LLVMValueRef call)
{
    const char *name = burl__callee_name(sp, call);
    size_t n = sizeof table / sizeof *table;

    if (*name != 'p' && *name != 'm' && *name != 'c' && *name != '_')
        return n; /* most calls, without looking further */
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, table[i].name) == 0 &&
            (table[i].arg >= IN_GUARD || table[i].arg < LLVMGetNumArgOperands(call)))
            return i;
    return n;
}

enum burl__lock_op
burl__lock_op(const struct burl__sp *sp, LLVMValueRef call, LLVMValueRef *lock)
{
    size_t i = find_row(sp, call);

    if (i == sizeof table / sizeof *table)
        return BURL__LOCK_NONE;
    *lock = table[i].arg >= IN_GUARD ? NULL : LLVMGetOperand(call, table[i].arg);
    return table[i].op;
}

uint32_t
burl__lock_size(const struct burl__sp *sp, LLVMValueRef call)
{
    static const uint32_t sizes[] = { [PTHREAD] = sizeof(pthread_mutex_t),
                                      [SPIN] = sizeof(pthread_spinlock_t),
                                      [RWLOCK] = sizeof(pthread_rwlock_t) };
    size_t i = find_row(sp, call);

    return i == sizeof table / sizeof *table ? 0 : sizes[table[i].size];
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
burl__may_be_lock(const struct burl__sp *sp, const struct burl__held *h, LLVMValueRef lock)
{
    uint32_t n, m;
    const uint32_t *x, *y = lock ? burl_pts_of(sp->pts, lock, &m) : NULL;

    if (h->n_ptr == 0 || !lock)
        return true;
    for (uint8_t i = 0; i < h->n_ptr; i++) {
        x = burl_pts_of(sp->pts, h->ptr[i], &n);
        if (meet(x, n, y, m))
            return true;
    }
    return false;
}

bool
burl__may_be_in(const struct burl__sp *sp, const struct burl__held *h,
                const struct burl__u32s *leaves)
{
    if (leaves->n == 0)
        return false;
    if (h->n_ptr == 0 || leaves->v[leaves->n - 1] == UINT32_MAX)
        return true;
    for (uint8_t i = 0; i < h->n_ptr; i++) {
        uint32_t n;
        const uint32_t *x = burl_pts_of(sp->pts, h->ptr[i], &n);
        if (meet(x, n, leaves->v, leaves->n))
            return true;
    }
    return false;
}
