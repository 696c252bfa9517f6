/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_rwlock_init pthread_rwlock_rdlock pthread_rwlock_wrlock
 *   pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_rwlock_unlock
 * Readers together, writers alone; threads that must wait let the others run.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both_read;
static int value;

static void *
read_together(void *arg)
{
    (void)arg;
    assert(pthread_rwlock_rdlock(&rw) == 0);
    pthread_barrier_wait(&both_read); /* passes only if two hold the lock at once */
    assert(pthread_rwlock_trywrlock(&rw) == EBUSY);
    pthread_barrier_wait(&both_read);
    assert(pthread_rwlock_unlock(&rw) == 0);
    return NULL;
}

static void *
write_twice(void *arg)
{
    (void)arg;
    assert(pthread_rwlock_wrlock(&rw) == 0);
    value++;
    sched_yield();
    value++;
    assert(pthread_rwlock_unlock(&rw) == 0);
    return NULL;
}

static void *
try_both(void *arg)
{
    assert(pthread_rwlock_trywrlock(&rw) == EBUSY);
    assert(pthread_rwlock_tryrdlock(&rw) == (arg == NULL ? 0 : EBUSY));
    if (arg == NULL)
        assert(pthread_rwlock_unlock(&rw) == 0);
    return NULL;
}

static void
run(void *(*fn)(void *), void *arg)
{
    pthread_t t;

    assert(pthread_create(&t, NULL, fn, arg) == 0);
    assert(pthread_join(t, NULL) == 0);
}

int
main(void)
{
    pthread_t t[3];

    assert(pthread_barrier_init(&both_read, NULL, 2) == 0);
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&t[i], NULL, read_together, NULL) == 0);
    for (int i = 0; i < 2; i++)
        assert(pthread_join(t[i], NULL) == 0);

    for (int i = 0; i < 3; i++)
        assert(pthread_create(&t[i], NULL, write_twice, NULL) == 0);
    assert(pthread_rwlock_rdlock(&rw) == 0);
    assert(value % 2 == 0);
    sched_yield();
    assert(value % 2 == 0);
    assert(pthread_rwlock_unlock(&rw) == 0);
    for (int i = 0; i < 3; i++)
        assert(pthread_join(t[i], NULL) == 0);
    assert(value == 6);

    assert(pthread_rwlock_wrlock(&rw) == 0);
    run(try_both, &rw);
    assert(pthread_rwlock_wrlock(&rw) == EDEADLK);
    assert(pthread_rwlock_rdlock(&rw) == EDEADLK);
    assert(pthread_rwlock_unlock(&rw) == 0);
    assert(pthread_rwlock_rdlock(&rw) == 0);
    assert(pthread_rwlock_tryrdlock(&rw) == 0);
    run(try_both, NULL);
    assert(pthread_rwlock_unlock(&rw) == 0);
    assert(pthread_rwlock_trywrlock(&rw) == EBUSY); /* one of the two read locks is left */

    assert(pthread_rwlock_unlock(&rw) == 0);
    assert(pthread_rwlock_destroy(&rw) == 0);
    assert(pthread_rwlock_init(&rw, NULL) == 0); /* a new lock */
    assert(pthread_rwlock_trywrlock(&rw) == 0);
    assert(pthread_rwlock_unlock(&rw) == 0);
    assert(pthread_rwlock_destroy(&rw) == 0);
    rw = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    assert(pthread_rwlock_rdlock(&rw) == 0);
    assert(pthread_rwlock_unlock(&rw) == 0);
    assert(pthread_rwlock_destroy(&rw) == 0);
    return 0;
}
