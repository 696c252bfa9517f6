/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The sequence number is stored, sequentially consistent, before the sample it
 *   announces: the strongest ordering does not help when the lines are in the wrong order.
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
    atomic_fetch_add(&sequence, 1);
    latest.value = 23;
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
