/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-ENGINES: both
 * BURL-WHY: The function waits for the worker before its variable is gone.
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
    pthread_join(worker, NULL);
}

int
main(void)
{
    start();
    return sum < 0;
}
