/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-return
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-ENGINES: both
 * BURL-SEQUENTIAL: yes
 * BURL-WHY: A function keeps the address of its own local variable, and its caller reads it.
 */
#include <pthread.h>
#include <stddef.h>

static const int *last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

__attribute__((noinline)) static void
remember(int n)
{
    volatile int copy = n;

    last = (const int *)&copy;
}

static void *
add(void *arg)
{
    pthread_mutex_lock(&lock);
    remember(3);
    total += *last;
    pthread_mutex_unlock(&lock);
    return arg;
}

int
main(void)
{
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return total < 0;
}
