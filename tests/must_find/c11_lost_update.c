/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-ENGINES: both
 * BURL-WHY: Two C11 threads add to a shared sum without the lock.
 */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

enum { N_THREADS = 2, N_PARTS = 2 };

struct total {
    mtx_t mutex; /* guards sum */
    long sum;
};

static struct total total;

static int
add_parts(void *arg)
{
    long part = *(long *)arg;

    for (int i = 0; i < N_PARTS; i++) {
        total.sum += part;
    }
    return N_PARTS;
}

int
main(void)
{
    thrd_t threads[N_THREADS];
    long parts[N_THREADS] = { 10, 100 };

    mtx_init(&total.mutex, mtx_plain);
    for (int i = 0; i < N_THREADS; i++) {
        if (thrd_create(&threads[i], add_parts, &parts[i]) != thrd_success)
            return 2;
    }
    for (int i = 0; i < N_THREADS; i++) {
        int n = 0;

        thrd_join(threads[i], &n);
        assert(n == N_PARTS);
    }
    assert(total.sum == 220);
    mtx_destroy(&total.mutex);
    return 0;
}
