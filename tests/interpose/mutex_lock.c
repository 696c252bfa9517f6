/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_mutex_init pthread_mutex_lock pthread_mutex_unlock
 * A contended lock must let the holder run: with fibers libc's own lock would stop the only
 * carrier. Initializing again must forget that the mutex was locked.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t m;
static atomic_int trying;
static int inside;
static int entries;

static void *
enter(void *arg)
{
    (void)arg;
    atomic_fetch_add(&trying, 1);
    assert(pthread_mutex_lock(&m) == 0);
    assert(inside++ == 0);
    sched_yield();
    entries++;
    assert(--inside == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    return NULL;
}

int
main(void)
{
    pthread_t threads[3];

    assert(pthread_mutex_init(&m, NULL) == 0);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_destroy(&m) == 0);
    assert(pthread_mutex_init(&m, NULL) == 0);

    assert(pthread_mutex_lock(&m) == 0);
    for (int i = 0; i < 3; i++)
        assert(pthread_create(&threads[i], NULL, enter, NULL) == 0);
    while (atomic_load(&trying) < 3)
        sched_yield();
    for (int i = 0; i < 5; i++)
        sched_yield();
    assert(entries == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    for (int i = 0; i < 3; i++)
        assert(pthread_join(threads[i], NULL) == 0);
    assert(entries == 3);
    return 0;
}
