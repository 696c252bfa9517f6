/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: exit.nonzero
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-WHY: Readers and writers of the gauge each have a lock, but not the same one.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

enum { N_STEPS = 2 };

struct gauge {
    pthread_mutex_t up_mutex;
    pthread_mutex_t down_mutex;
    int level;
};

static struct gauge gauge = {
    .up_mutex = PTHREAD_MUTEX_INITIALIZER,
    .down_mutex = PTHREAD_MUTEX_INITIALIZER,
};

static void *
raise_level(void *arg)
{
    struct gauge *g = arg;

    for (int i = 0; i < N_STEPS; i++) {
        pthread_mutex_lock(&g->up_mutex);
        g->level++;
        pthread_mutex_unlock(&g->up_mutex);
    }
    return NULL;
}

static void *
lower_level(void *arg)
{
    struct gauge *g = arg;

    for (int i = 0; i < N_STEPS; i++) {
        pthread_mutex_lock(&g->down_mutex);
        g->level--;
        pthread_mutex_unlock(&g->down_mutex);
    }
    return NULL;
}

int
main(void)
{
    pthread_t up;
    pthread_t down;

    pthread_create(&up, NULL, raise_level, &gauge);
    pthread_create(&down, NULL, lower_level, &gauge);
    pthread_join(up, NULL);
    pthread_join(down, NULL);
    if (gauge.level != 0) {
        fprintf(stderr, "gauge: level is %d, expected 0\n", gauge.level);
        return 3;
    }
    return 0;
}
