/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_spin_init pthread_spin_lock pthread_spin_trylock pthread_spin_unlock
 *   pthread_spin_destroy
 * Spinning must let the holder run; with fibers libc's own loop would spin for ever.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_spinlock_t lock;
static atomic_int trying;
static int counter;

static void *
count(void *arg)
{
    (void)arg;
    assert(pthread_spin_trylock(&lock) == EBUSY);
    atomic_fetch_add(&trying, 1);
    for (int i = 0; i < 3; i++) {
        assert(pthread_spin_lock(&lock) == 0);
        counter++;
        assert(pthread_spin_unlock(&lock) == 0);
    }
    return NULL;
}

int
main(void)
{
    pthread_t t[2];

    assert(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_spin_lock(&lock) == 0);
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&t[i], NULL, count, NULL) == 0);
    while (atomic_load(&trying) < 2)
        sched_yield();
    assert(counter == 0);
    assert(pthread_spin_unlock(&lock) == 0);
    for (int i = 0; i < 2; i++)
        assert(pthread_join(t[i], NULL) == 0);
    assert(counter == 6);
    assert(pthread_spin_destroy(&lock) == 0);

    assert(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_spin_trylock(&lock) == 0);
    assert(pthread_spin_unlock(&lock) == 0);
    assert(pthread_spin_destroy(&lock) == 0);
    return 0;
}
