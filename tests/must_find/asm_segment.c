/* SPDX-License-Identifier: Apache-2.0 */
/* BURL-KIND: race.data
 * BURL-ENGINES: both
 * BURL-WHY: the text has a segment override, but the lock word of its other statement is memory at
 *   its own address; testing and setting it in two steps lets both threads in.
 */
#include <pthread.h>

static int owner;
static long ticket;

static void
acquire(void)
{
    int busy;

    do
        __asm__ volatile("movq %%fs:0, %%rax\n\tmovl %1, %0"
                         : "=r"(busy)
                         : "m"(owner)
                         : "rax", "memory");
    while (busy);
    __asm__ volatile("movq %%fs:0, %%rax\n\tmovl $1, %0" : "=m"(owner) : : "rax", "memory");
}

static void *
work(void *arg)
{
    acquire();
    ticket++;
    __asm__ volatile("movl $0, %0" : "=m"(owner) : : "memory");
    return arg;
}

int
main(void)
{
    pthread_t t[2];

    pthread_create(&t[0], 0, work, 0);
    pthread_create(&t[1], 0, work, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
