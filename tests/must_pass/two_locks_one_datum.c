/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: Every thread that touches the gauge takes the same lock.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

enum { N_STEPS = 2 };

struct gauge {
    pthread_mutex_t mutex; /* guards level */
    int level;
};

static struct gauge gauge = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
};

static void *
raise_level(void *arg)
{
    struct gauge *g = arg;

    for (int i = 0; i < N_STEPS; i++) {
        pthread_mutex_lock(&g->mutex);
        g->level++;
        pthread_mutex_unlock(&g->mutex);
    }
    return NULL;
}

static void *
lower_level(void *arg)
{
    struct gauge *g = arg;

    for (int i = 0; i < N_STEPS; i++) {
        pthread_mutex_lock(&g->mutex);
        g->level--;
        pthread_mutex_unlock(&g->mutex);
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
