/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The flag goes back and forth: the thread it names owns the buffer.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { CLIENT, SERVER };

static atomic_int turn = CLIENT;
static int buffer;

static void *
serve(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        while (atomic_load_explicit(&turn, memory_order_acquire) != SERVER)
            sched_yield();
        buffer *= 2;
        atomic_store_explicit(&turn, CLIENT, memory_order_release);
    }
    return NULL;
}

static int
ask(int question)
{
    buffer = question;
    atomic_store_explicit(&turn, SERVER, memory_order_release);
    while (atomic_load_explicit(&turn, memory_order_acquire) != CLIENT)
        sched_yield();
    return buffer;
}

int
main(void)
{
    pthread_t thread;
    int sum = 0;

    pthread_create(&thread, NULL, serve, NULL);
    sum += ask(10);
    sum += ask(20);
    pthread_join(thread, NULL);
    return sum > 20 ? 0 : 1;
}
