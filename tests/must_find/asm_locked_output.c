/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: The result is written after the arrival was counted, so the locked increment does not
 *   publish it.
 */
#include <pthread.h>
#include <stddef.h>

enum { N_THREADS = 2 };

static struct {
    char v[4];
} arrived __attribute__((aligned(4)));
static int results[N_THREADS];

static void *
work(void *arg)
{
    int *result = arg;

    __asm__ volatile("lock; incl %0" : "=m"(arrived) : : "memory");
    *result = 1;
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_THREADS];
    int sum = 0;

    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, work, &results[i]);
    while (__atomic_load_n((int *)&arrived, __ATOMIC_ACQUIRE) != N_THREADS) {
    }
    for (int i = 0; i < N_THREADS; i++)
        sum += results[i];
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    return sum > N_THREADS;
}
