/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_rwlock_wrlock pthread_rwlock_tryrdlock pthread_rwlock_timedwrlock
 * BURL-CFLAGS: -D_GNU_SOURCE
 * In a lock that prefers writers, one that waits keeps new readers out; when it gives up they may
 * enter again.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>

static pthread_rwlock_t rw;
static int written;

static void *
write_it(void *arg)
{
    (void)arg;
    assert(pthread_rwlock_wrlock(&rw) == 0);
    written = 1;
    assert(pthread_rwlock_unlock(&rw) == 0);
    return NULL;
}

static void *
give_up(void *arg)
{
    struct timespec ts = { .tv_sec = 1 };

    (void)arg;
    assert(pthread_rwlock_timedwrlock(&rw, &ts) == ETIMEDOUT);
    return NULL;
}

int
main(void)
{
    pthread_rwlockattr_t attr;
    pthread_t t;
    int r;

    assert(pthread_rwlockattr_init(&attr) == 0);
    assert(pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
    assert(pthread_rwlock_init(&rw, &attr) == 0);

    assert(pthread_rwlock_rdlock(&rw) == 0);
    assert(pthread_create(&t, NULL, give_up, NULL) == 0);
    assert(pthread_join(t, NULL) == 0);
    assert(pthread_rwlock_tryrdlock(&rw) == 0);
    assert(pthread_rwlock_unlock(&rw) == 0);

    assert(pthread_create(&t, NULL, write_it, NULL) == 0);
    while ((r = pthread_rwlock_tryrdlock(&rw)) == 0) {
        /* The writer has not tried yet. */
        assert(pthread_rwlock_unlock(&rw) == 0);
        sched_yield();
    }
    assert(r == EBUSY && written == 0);
    assert(pthread_rwlock_unlock(&rw) == 0);
    assert(pthread_join(t, NULL) == 0);
    assert(written == 1);
    assert(pthread_rwlock_destroy(&rw) == 0);
    return 0;
}
