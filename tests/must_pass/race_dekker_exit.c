/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The flag is taken down with release and the other thread waits for that with
 *   acquire.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int wants[2];
static int visits;

static int
try_enter(int me)
{
    atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&wants[1 - me], memory_order_acquire)) {
        atomic_store_explicit(&wants[me], 0, memory_order_relaxed);
        return 0;
    }
    return 1;
}

static void
leave(int me)
{
    atomic_store_explicit(&wants[me], 0, memory_order_release);
}

static void *
visit(void *arg)
{
    int me = *(int *)arg;

    for (int tries = 0; tries < 3; tries++) {
        if (try_enter(me)) {
            visits++;
            leave(me);
            break;
        }
        sched_yield();
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int ids[2] = { 0, 1 };

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, visit, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return visits <= 2 ? 0 : 1;
}
