/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attrs.c - attributes of threads and sync objects.
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

/* The pairs of an attribute object: its life, and one value. */
#define LIFE(attr_t, init, destroy) \
    SETS(init, attr_t)              \
    SETS(destroy, attr_t)
#define VALUE(attr_t, value_t, set, get) \
    SETS_1(set, attr_t, value_t)         \
    GETS(get, attr_t, value_t)

LIFE(pthread_attr_t, pthread_attr_init, pthread_attr_destroy)
VALUE(pthread_attr_t, int, pthread_attr_setdetachstate, pthread_attr_getdetachstate)
VALUE(pthread_attr_t, size_t, pthread_attr_setguardsize, pthread_attr_getguardsize)
VALUE(pthread_attr_t, int, pthread_attr_setschedpolicy, pthread_attr_getschedpolicy)
VALUE(pthread_attr_t, int, pthread_attr_setinheritsched, pthread_attr_getinheritsched)
VALUE(pthread_attr_t, int, pthread_attr_setscope, pthread_attr_getscope)
VALUE(pthread_attr_t, size_t, pthread_attr_setstacksize, pthread_attr_getstacksize)
SETS_1(pthread_attr_setschedparam, pthread_attr_t, const struct sched_param *restrict)
GETS(pthread_attr_getschedparam, pthread_attr_t, struct sched_param)
SETS_2(pthread_attr_setstack, pthread_attr_t, void *, size_t)
SETS_2(pthread_attr_setaffinity_np, pthread_attr_t, size_t, const cpu_set_t *)
SETS_1(pthread_attr_setsigmask_np, pthread_attr_t, const sigset_t *)

LIFE(pthread_mutexattr_t, pthread_mutexattr_init, pthread_mutexattr_destroy)
VALUE(pthread_mutexattr_t, int, pthread_mutexattr_settype, pthread_mutexattr_gettype)
VALUE(pthread_mutexattr_t, int, pthread_mutexattr_setrobust, pthread_mutexattr_getrobust)
VALUE(pthread_mutexattr_t, int, pthread_mutexattr_setpshared, pthread_mutexattr_getpshared)
VALUE(pthread_mutexattr_t, int, pthread_mutexattr_setprotocol, pthread_mutexattr_getprotocol)
VALUE(pthread_mutexattr_t, int, pthread_mutexattr_setprioceiling, pthread_mutexattr_getprioceiling)

LIFE(pthread_condattr_t, pthread_condattr_init, pthread_condattr_destroy)
VALUE(pthread_condattr_t, clockid_t, pthread_condattr_setclock, pthread_condattr_getclock)
VALUE(pthread_condattr_t, int, pthread_condattr_setpshared, pthread_condattr_getpshared)

LIFE(pthread_rwlockattr_t, pthread_rwlockattr_init, pthread_rwlockattr_destroy)
VALUE(pthread_rwlockattr_t, int, pthread_rwlockattr_setkind_np, pthread_rwlockattr_getkind_np)
VALUE(pthread_rwlockattr_t, int, pthread_rwlockattr_setpshared, pthread_rwlockattr_getpshared)

LIFE(pthread_barrierattr_t, pthread_barrierattr_init, pthread_barrierattr_destroy)
VALUE(pthread_barrierattr_t, int, pthread_barrierattr_setpshared, pthread_barrierattr_getpshared)
