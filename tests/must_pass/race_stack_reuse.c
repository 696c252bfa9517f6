/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Detached threads write to scratch buffers on their own stacks, which the next thread
 *   is given again at the same addresses, without any ordering between the two.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 3 };

static atomic_int n_done;
static sem_t all_done;

static int
digest(int x)
{
    int scratch[16];
    int sum = 0;

    for (int i = 0; i < 16; i++)
        scratch[i] = x + i;
    for (int i = 0; i < 16; i++)
        sum += scratch[i];
    return sum;
}

static void *
work(void *arg)
{
    int sum = digest(3);

    (void)arg;
    if (sum > 0 && atomic_fetch_add_explicit(&n_done, 1, memory_order_relaxed) == N - 1)
        sem_post(&all_done);
    return NULL;
}

int
main(void)
{
    sem_init(&all_done, 0, 0);
    for (int i = 0; i < N; i++) {
        pthread_t thread;

        pthread_create(&thread, NULL, work, NULL);
        pthread_detach(thread);
    }
    sem_wait(&all_done);
    return 0;
}
