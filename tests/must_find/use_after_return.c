/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-return
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-ENGINES: both
 * BURL-SEQUENTIAL: yes
 * BURL-WHY: The worker gets a local variable of a function that returns without waiting for
 *   it.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_t worker;
static int sum;

static void *
add(void *arg)
{
    const int *numbers = arg;

    sum = numbers[0] + numbers[1];
    return NULL;
}

__attribute__((noinline)) static void
start(void)
{
    int numbers[2] = { 20, 22 };

    pthread_create(&worker, NULL, add, numbers);
}

int
main(void)
{
    start();
    pthread_join(worker, NULL);
    return sum < 0;
}
