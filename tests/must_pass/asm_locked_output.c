/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: A locked increment in inline assembly whose constraints name the counter as an output
 *   alone, as in liburcu: it reads too, so each arrival stays visible through the later ones.
 */
#include <assert.h>
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

    *result = 1;
    __asm__ volatile("lock; incl %0" : "=m"(arrived) : : "memory");
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
    assert(sum == N_THREADS);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
