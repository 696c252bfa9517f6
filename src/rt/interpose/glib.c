/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glib.c - the locks of GLib, GMutex and GCond, in both modes.
 *
 * GLib makes these of atomic operations and futexes of its own, inside a library that is not
 * instrumented: waits are seen (futex.c), what an uncontended lock orders is not, and every program
 * that locks with them would look racy. So the real functions do the work, and the observers are
 * notified of the order they make. The other locks of GLib are pthread ones underneath.
 *
 * Not done: these are no locks to the lock-order and lockset observers, and calls from within GLib
 * itself do not come here. What is handed over through GLib's own queues, pools and main loops is
 * therefore still unordered to us, unless GLib is built with `burl cc`.
 */
#include "interpose_int.h"

void __burl_hb_before(const volatile void *obj);
void __burl_hb_after(const volatile void *obj);

/* GMutex and GCond are never looked into. */
BURL_DEFINE(void g_mutex_lock(void *mutex))
{
    burl_noise_call();
    BURL_REAL(g_mutex_lock)(mutex);
    __burl_hb_after(mutex);
    burl_noise_call();
}

BURL_DEFINE(int g_mutex_trylock(void *mutex))
{
    int got;

    burl_noise_call();
    got = BURL_REAL(g_mutex_trylock)(mutex);
    if (got != 0)
        __burl_hb_after(mutex);
    burl_noise_call();
    return got;
}

BURL_DEFINE(void g_mutex_unlock(void *mutex))
{
    burl_noise_call();
    __burl_hb_before(mutex);
    BURL_REAL(g_mutex_unlock)(mutex);
    burl_noise_call();
}

BURL_DEFINE(void g_cond_wait(void *cond, void *mutex))
{
    burl_noise_call();
    __burl_hb_before(mutex);
    BURL_REAL(g_cond_wait)(cond, mutex);
    __burl_hb_after(mutex);
    burl_noise_call();
}

BURL_DEFINE(int g_cond_wait_until(void *cond, void *mutex, int64_t end_time))
{
    int in_time;

    burl_noise_call();
    __burl_hb_before(mutex);
    in_time = BURL_REAL(g_cond_wait_until)(cond, mutex, end_time);
    __burl_hb_after(mutex);
    burl_noise_call();
    return in_time;
}
