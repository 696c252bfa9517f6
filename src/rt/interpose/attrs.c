/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attrs.c - attributes of threads and sync objects. Runs in the tested program.
 *
 * An attribute object is memory of the program that only libc touches. The calls go through to libc
 * and count as accesses to all of its bytes, so that the order of a setter in one thread and an
 * initializer in another is explored, and is a data race when nothing orders them.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "interpose_int.h"

#define ACCESS(attr, write) BURL_IN_CALL(burl_rt_call_access(t, attr, sizeof *(attr), write))

/* One function each: setters of no value, one value and two values, and getters. */
#define SETS(fn, attr_t)             \
    BURL_EXPORT int fn(attr_t *attr) \
    {                                \
        ACCESS(attr, true);          \
        return BURL_REAL(fn)(attr);  \
    }
#define SETS_1(fn, attr_t, value_t)                 \
    BURL_EXPORT int fn(attr_t *attr, value_t value) \
    {                                               \
        ACCESS(attr, true);                         \
        return BURL_REAL(fn)(attr, value);          \
    }
#define SETS_2(fn, attr_t, first_t, second_t)                        \
    BURL_EXPORT int fn(attr_t *attr, first_t first, second_t second) \
    {                                                                \
        ACCESS(attr, true);                                          \
        return BURL_REAL(fn)(attr, first, second);                   \
    }
#define GETS(fn, attr_t, out_t)                                          \
    BURL_EXPORT int fn(const attr_t *restrict attr, out_t *restrict out) \
    {                                                                    \
        ACCESS(attr, false);                                             \
        return BURL_REAL(fn)(attr, out);                                 \
    }

SETS(pthread_attr_init, pthread_attr_t)
SETS(pthread_attr_destroy, pthread_attr_t)
SETS_1(pthread_attr_setdetachstate, pthread_attr_t, int)
SETS_1(pthread_attr_setguardsize, pthread_attr_t, size_t)
SETS_1(pthread_attr_setschedparam, pthread_attr_t, const struct sched_param *restrict)
SETS_1(pthread_attr_setschedpolicy, pthread_attr_t, int)
SETS_1(pthread_attr_setinheritsched, pthread_attr_t, int)
SETS_1(pthread_attr_setscope, pthread_attr_t, int)
SETS_1(pthread_attr_setstacksize, pthread_attr_t, size_t)
SETS_2(pthread_attr_setstack, pthread_attr_t, void *, size_t)
SETS_2(pthread_attr_setaffinity_np, pthread_attr_t, size_t, const cpu_set_t *)
SETS_1(pthread_attr_setsigmask_np, pthread_attr_t, const sigset_t *)
GETS(pthread_attr_getdetachstate, pthread_attr_t, int)
GETS(pthread_attr_getguardsize, pthread_attr_t, size_t)
GETS(pthread_attr_getschedparam, pthread_attr_t, struct sched_param)
GETS(pthread_attr_getschedpolicy, pthread_attr_t, int)
GETS(pthread_attr_getinheritsched, pthread_attr_t, int)
GETS(pthread_attr_getscope, pthread_attr_t, int)
GETS(pthread_attr_getstacksize, pthread_attr_t, size_t)

SETS(pthread_mutexattr_init, pthread_mutexattr_t)
SETS(pthread_mutexattr_destroy, pthread_mutexattr_t)
SETS_1(pthread_mutexattr_settype, pthread_mutexattr_t, int)
SETS_1(pthread_mutexattr_setrobust, pthread_mutexattr_t, int)
SETS_1(pthread_mutexattr_setpshared, pthread_mutexattr_t, int)
SETS_1(pthread_mutexattr_setprotocol, pthread_mutexattr_t, int)
SETS_1(pthread_mutexattr_setprioceiling, pthread_mutexattr_t, int)
GETS(pthread_mutexattr_gettype, pthread_mutexattr_t, int)
GETS(pthread_mutexattr_getrobust, pthread_mutexattr_t, int)
GETS(pthread_mutexattr_getpshared, pthread_mutexattr_t, int)
GETS(pthread_mutexattr_getprotocol, pthread_mutexattr_t, int)
GETS(pthread_mutexattr_getprioceiling, pthread_mutexattr_t, int)

SETS(pthread_condattr_init, pthread_condattr_t)
SETS(pthread_condattr_destroy, pthread_condattr_t)
SETS_1(pthread_condattr_setclock, pthread_condattr_t, clockid_t)
SETS_1(pthread_condattr_setpshared, pthread_condattr_t, int)
GETS(pthread_condattr_getclock, pthread_condattr_t, clockid_t)
GETS(pthread_condattr_getpshared, pthread_condattr_t, int)

SETS(pthread_rwlockattr_init, pthread_rwlockattr_t)
SETS(pthread_rwlockattr_destroy, pthread_rwlockattr_t)
SETS_1(pthread_rwlockattr_setkind_np, pthread_rwlockattr_t, int)
SETS_1(pthread_rwlockattr_setpshared, pthread_rwlockattr_t, int)
GETS(pthread_rwlockattr_getkind_np, pthread_rwlockattr_t, int)
GETS(pthread_rwlockattr_getpshared, pthread_rwlockattr_t, int)

SETS(pthread_barrierattr_init, pthread_barrierattr_t)
SETS(pthread_barrierattr_destroy, pthread_barrierattr_t)
SETS_1(pthread_barrierattr_setpshared, pthread_barrierattr_t, int)
GETS(pthread_barrierattr_getpshared, pthread_barrierattr_t, int)
