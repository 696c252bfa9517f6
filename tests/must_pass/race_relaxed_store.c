/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The flag is stored with release and loaded with acquire: the message travels with
 *   it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static int message[2];
static atomic_int ready;

static void *
post(void *arg)
{
    (void)arg;
    message[0] = 40;
    message[1] = 2;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    int sum;

    pthread_create(&thread, NULL, post, NULL);
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        sched_yield();
    sum = message[0] + message[1];
    pthread_join(thread, NULL);
    return sum == 42 ? 0 : 1;
}
