/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: An increment in inline assembly without a lock prefix reads and writes in two steps, so
 *   one of two increments may be lost. The lock prefix in the same text is for another operand.
 */
#include <pthread.h>
#include <stddef.h>

static int count, calls;

static void *
work(void *arg)
{
    __asm__ volatile("lock incl %1\n\tincl %0" : "+m"(count), "+m"(calls));
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
    return 0;
}
