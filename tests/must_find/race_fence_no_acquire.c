/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The writer fences properly, the reader polls relaxed and forgot its acquire fence.
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
    product = job.product;
    pthread_join(thread, NULL);
    return product == 42 ? 0 : 1;
}
