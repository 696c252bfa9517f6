/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_attr_init pthread_attr_destroy pthread_attr_setdetachstate
 *   pthread_attr_setguardsize pthread_attr_setschedparam pthread_attr_setschedpolicy
 *   pthread_attr_setinheritsched pthread_attr_setscope pthread_attr_setstacksize
 *   pthread_attr_setstack pthread_attr_setaffinity_np pthread_attr_setsigmask_np
 *   pthread_attr_getdetachstate pthread_attr_getguardsize pthread_attr_getschedparam
 *   pthread_attr_getschedpolicy pthread_attr_getinheritsched pthread_attr_getscope
 *   pthread_attr_getstacksize pthread_mutexattr_init pthread_mutexattr_destroy
 *   pthread_mutexattr_settype pthread_mutexattr_setrobust pthread_mutexattr_setpshared
 *   pthread_mutexattr_setprotocol pthread_mutexattr_setprioceiling pthread_mutexattr_gettype
 *   pthread_mutexattr_getrobust pthread_mutexattr_getpshared pthread_mutexattr_getprotocol
 *   pthread_mutexattr_getprioceiling pthread_condattr_init pthread_condattr_destroy
 *   pthread_condattr_setclock pthread_condattr_setpshared pthread_condattr_getclock
 *   pthread_condattr_getpshared pthread_rwlockattr_init pthread_rwlockattr_destroy
 *   pthread_rwlockattr_setkind_np pthread_rwlockattr_setpshared pthread_rwlockattr_getkind_np
 *   pthread_rwlockattr_getpshared pthread_barrierattr_init pthread_barrierattr_destroy
 *   pthread_barrierattr_setpshared pthread_barrierattr_getpshared
 * BURL-WHY: each gives back what libc was told, in a thread beside another.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

static char stack[1 << 16];

static void
of_threads(void)
{
    struct sched_param param = { 0 };
    pthread_attr_t attr;
    cpu_set_t cpus;
    sigset_t mask;
    size_t n;
    int value;

    assert(pthread_attr_init(&attr) == 0);
    assert(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
    assert(pthread_attr_getdetachstate(&attr, &value) == 0 && value == PTHREAD_CREATE_DETACHED);
    assert(pthread_attr_setguardsize(&attr, 8192) == 0);
    assert(pthread_attr_getguardsize(&attr, &n) == 0 && n == 8192);
    assert(pthread_attr_setschedpolicy(&attr, SCHED_OTHER) == 0);
    assert(pthread_attr_getschedpolicy(&attr, &value) == 0 && value == SCHED_OTHER);
    assert(pthread_attr_setschedparam(&attr, &param) == 0);
    assert(pthread_attr_getschedparam(&attr, &param) == 0 && param.sched_priority == 0);
    assert(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) == 0);
    assert(pthread_attr_getinheritsched(&attr, &value) == 0 && value == PTHREAD_EXPLICIT_SCHED);
    assert(pthread_attr_setscope(&attr, PTHREAD_SCOPE_SYSTEM) == 0);
    assert(pthread_attr_getscope(&attr, &value) == 0 && value == PTHREAD_SCOPE_SYSTEM);
    assert(pthread_attr_setstack(&attr, stack, sizeof stack) == 0);
    assert(pthread_attr_setstacksize(&attr, 1 << 17) == 0);
    assert(pthread_attr_getstacksize(&attr, &n) == 0 && n == 1 << 17);
    CPU_ZERO(&cpus);
    CPU_SET(0, &cpus);
    assert(pthread_attr_setaffinity_np(&attr, sizeof cpus, &cpus) == 0);
    sigemptyset(&mask);
    assert(pthread_attr_setsigmask_np(&attr, &mask) == 0);
    assert(pthread_attr_destroy(&attr) == 0);
}

static void
of_mutexes(void)
{
    pthread_mutexattr_t attr;
    int value;

    assert(pthread_mutexattr_init(&attr) == 0);
    assert(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE) == 0);
    assert(pthread_mutexattr_gettype(&attr, &value) == 0 && value == PTHREAD_MUTEX_RECURSIVE);
    assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
    assert(pthread_mutexattr_getrobust(&attr, &value) == 0 && value == PTHREAD_MUTEX_ROBUST);
    assert(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_mutexattr_getpshared(&attr, &value) == 0 && value == PTHREAD_PROCESS_SHARED);
    assert(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_NONE) == 0);
    assert(pthread_mutexattr_getprotocol(&attr, &value) == 0 && value == PTHREAD_PRIO_NONE);
    assert(pthread_mutexattr_setprioceiling(&attr, sched_get_priority_min(SCHED_FIFO)) == 0);
    assert(pthread_mutexattr_getprioceiling(&attr, &value) == 0);
    assert(value == sched_get_priority_min(SCHED_FIFO));
    assert(pthread_mutexattr_destroy(&attr) == 0);
}

static void
of_others(void)
{
    pthread_condattr_t cond;
    pthread_rwlockattr_t rwlock;
    pthread_barrierattr_t barrier;
    clockid_t clock;
    int value;

    assert(pthread_condattr_init(&cond) == 0);
    assert(pthread_condattr_setclock(&cond, CLOCK_MONOTONIC) == 0);
    assert(pthread_condattr_getclock(&cond, &clock) == 0 && clock == CLOCK_MONOTONIC);
    assert(pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_condattr_getpshared(&cond, &value) == 0 && value == PTHREAD_PROCESS_SHARED);
    assert(pthread_condattr_destroy(&cond) == 0);
    assert(pthread_rwlockattr_init(&rwlock) == 0);
    assert(pthread_rwlockattr_setkind_np(&rwlock, PTHREAD_RWLOCK_PREFER_WRITER_NP) == 0);
    assert(pthread_rwlockattr_getkind_np(&rwlock, &value) == 0);
    assert(value == PTHREAD_RWLOCK_PREFER_WRITER_NP);
    assert(pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_rwlockattr_getpshared(&rwlock, &value) == 0 && value == PTHREAD_PROCESS_SHARED);
    assert(pthread_rwlockattr_destroy(&rwlock) == 0);
    assert(pthread_barrierattr_init(&barrier) == 0);
    assert(pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_barrierattr_getpshared(&barrier, &value) == 0);
    assert(value == PTHREAD_PROCESS_SHARED);
    assert(pthread_barrierattr_destroy(&barrier) == 0);
}

static void *
use_all(void *arg)
{
    (void)arg;
    of_threads();
    of_mutexes();
    of_others();
    return NULL;
}

int
main(void)
{
    pthread_t t;

    assert(pthread_create(&t, NULL, use_all, NULL) == 0);
    use_all(NULL);
    assert(pthread_join(t, NULL) == 0);
    return 0;
}
