/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: A zero-length bit-field begins a new memory location; each thread has its own.
 */
#include <pthread.h>
#include <stddef.h>

struct device {
    unsigned powered : 1;
    unsigned speed : 3;
    unsigned : 0;
    unsigned errors : 4;
};

static struct device device;

static void *
switch_on(void *arg)
{
    device.powered = 1;
    device.speed = 5;
    return arg;
}

static void *
count_error(void *arg)
{
    device.errors = 1;
    return arg;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, switch_on, NULL);
    pthread_create(&threads[1], NULL, count_error, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return device.powered <= 1 ? 0 : 1;
}
