/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ENGINES: both
 * BURL-WHY: as in must_find, with the lock around the asm statement.
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
    pthread_mutex_lock(&lock);
    store_self(&target);
    pthread_mutex_unlock(&lock);
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
