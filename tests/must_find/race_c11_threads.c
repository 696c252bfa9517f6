/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The C11 mutex is unlocked before the last of the shared fields is written.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>

static mtx_t mutex; /* guards level and peak */
static cnd_t changed;
static int level;
static int peak;

static int
raise_level(void *arg)
{
    int to = *(int *)arg;

    mtx_lock(&mutex);
    level = to;
    mtx_unlock(&mutex);
    if (to > peak)
        peak = to;
    cnd_broadcast(&changed);
    return 0;
}

int
main(void)
{
    thrd_t threads[2];
    int levels[2] = { 3, 8 };

    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    for (int i = 0; i < 2; i++)
        thrd_create(&threads[i], raise_level, &levels[i]);
    mtx_lock(&mutex);
    while (level == 0)
        cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        thrd_join(threads[i], NULL);
    mtx_destroy(&mutex);
    cnd_destroy(&changed);
    return peak == 3 || peak == 8 ? 0 : 1;
}
