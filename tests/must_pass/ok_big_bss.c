/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=100
 * BURL-ENGINES: both
 * BURL-WHY: Two threads use separate parts of a static array of 32 MB.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N_THREADS = 2, PART_B = 16 << 20, STRIDE_B = 2 << 20 };

static unsigned char arena[N_THREADS][PART_B];
static int sums[N_THREADS];

static void *
work(void *arg)
{
    int self = (int)((int *)arg - sums);

    for (int i = STRIDE_B - 1; i < PART_B; i += STRIDE_B) {
        assert(arena[self][i] == 0);
        arena[self][i] = (unsigned char)(self + 1);
        sums[self] += arena[self][i];
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_THREADS];

    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, work, &sums[i]);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(sums[0] == 8 && sums[1] == 16);
    return 0;
}
