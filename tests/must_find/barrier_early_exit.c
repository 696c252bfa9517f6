/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Each worker looks at the stop flag for itself. When it is set between two looks, one
 *   worker leaves and the others wait at the barrier for it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_WORKERS = 2, N_ROUNDS = 2 };

static pthread_barrier_t round_end;
static atomic_int stop;
static int cells[N_WORKERS];

static void *
simulate(void *arg)
{
    int *cell = arg;

    for (int i = 0; i < N_ROUNDS; i++) {
        if (atomic_load(&stop))
            break;
        *cell += i;
        pthread_barrier_wait(&round_end);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_WORKERS];

    pthread_barrier_init(&round_end, NULL, N_WORKERS);
    for (int i = 0; i < N_WORKERS; i++)
        pthread_create(&threads[i], NULL, simulate, &cells[i]);
    atomic_store(&stop, 1);
    for (int i = 0; i < N_WORKERS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&round_end);
    return cells[0] == cells[1] ? 0 : 1;
}
