/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=50
 * BURL-ENGINES: both
 * BURL-WHY: Two hundred threads at once, each with its own slot, all joined.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_THREADS = 200 };

static int slots[N_THREADS];
static atomic_int n_ran;

static void *
work(void *arg)
{
    int *slot = arg;

    *slot = (int)(slot - slots) * 2;
    atomic_fetch_add(&n_ran, 1);
    return slot;
}

int
main(void)
{
    pthread_t threads[N_THREADS];

    for (int i = 0; i < N_THREADS; i++) {
        int err = pthread_create(&threads[i], NULL, work, &slots[i]);

        assert(err == 0);
    }
    for (int i = 0; i < N_THREADS; i++) {
        void *result;

        pthread_join(threads[i], &result);
        assert(result == &slots[i]);
        assert(slots[i] == i * 2);
    }
    assert(atomic_load(&n_ran) == N_THREADS);
    return 0;
}
