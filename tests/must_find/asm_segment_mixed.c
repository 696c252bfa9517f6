/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-ENGINES: both
 * BURL-WHY: of two memory operands of one asm statement the one behind %fs: is the thread's own and
 *   the other is ordinary memory, which races with a plain write.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long target;

/* Reads the thread pointer's first word by its segment and stores it to ordinary memory. */
static void
store_self(long *to)
{
    __asm__ volatile("movq %%fs:%1, %%rax\n\tmovq %%rax, %0"
                     : "=m"(*to)
                     : "m"(*(long *)0)
                     : "rax", "memory");
}

static void *
worker(void *arg)
{
    store_self(&target);
    return arg;
}

int
main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    target = 7;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
