/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: A spin lock whose exchange gets the address of the lock in a register.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int lock, count;

static int
exchange(int *p, int v)
{
    __asm__ volatile("xchgl %0, (%1)" : "+r"(v) : "r"(p) : "memory");
    return v;
}

static void *
work(void *arg)
{
    while (exchange(&lock, 1) != 0)
        __asm__ volatile("pause");
    count++;
    exchange(&lock, 0);
    return arg;
}

int
main(void)
{
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(count == 2);
    return 0;
}
