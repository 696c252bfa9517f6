/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The sample is complete before the sequence number announces it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct sample {
    long time;
    long value;
};

static struct sample latest;
static atomic_uint sequence;

static void *
measure(void *arg)
{
    (void)arg;
    latest.time = 17;
    latest.value = 23;
    atomic_fetch_add(&sequence, 1);
    return NULL;
}

static void *
show(void *arg)
{
    long *seen = arg;

    if (atomic_load(&sequence) > 0)
        *seen = latest.value;
    return NULL;
}

int
main(void)
{
    pthread_t sensor;
    pthread_t display;
    long seen = 0;

    pthread_create(&sensor, NULL, measure, NULL);
    pthread_create(&display, NULL, show, &seen);
    pthread_join(sensor, NULL);
    pthread_join(display, NULL);
    return seen == 0 || seen == 23 ? 0 : 1;
}
