/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Adjacent bit-fields are one memory location: setting one rewrites its neighbor.
 */
#include <pthread.h>
#include <stddef.h>

struct device {
    unsigned powered : 1;
    unsigned speed : 3;
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
