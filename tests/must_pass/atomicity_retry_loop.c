/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: A compare-exchange tries again when another thread came between: an unserializable
 *   triple that the program has thought of.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int counter;

static void
increase(void)
{
    int old = atomic_load(&counter);

    while (!atomic_compare_exchange_weak(&counter, &old, old + 1))
        ;
}

static void *
count(void *arg)
{
    (void)arg;
    increase();
    increase();
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&counter) == 4);
    return 0;
}
