/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: After the relaxed polling an acquire fence takes what the writer's fence released.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct job {
    int a;
    int b;
    int product;
};

static struct job job = { 6, 7, 0 };
static atomic_bool done;

static void *
work(void *arg)
{
    struct job *j = arg;

    j->product = j->a * j->b;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&done, true, memory_order_relaxed);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    int product;

    pthread_create(&thread, NULL, work, &job);
    while (!atomic_load_explicit(&done, memory_order_relaxed))
        sched_yield();
    atomic_thread_fence(memory_order_acquire);
    product = job.product;
    pthread_join(thread, NULL);
    return product == 42 ? 0 : 1;
}
