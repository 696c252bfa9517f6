/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Each frame is acknowledged before its buffer is painted over.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

enum { N_FRAMES = 4, WIDTH = 2 };

static int buffers[2][WIDTH];
static sem_t painted;
static sem_t shown;

static void *
paint(void *arg)
{
    (void)arg;
    for (int f = 0; f < N_FRAMES; f++) {
        sem_wait(&shown);
        for (int x = 0; x < WIDTH; x++)
            buffers[f % 2][x] = f;
        sem_post(&painted);
    }
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    int last = 0;

    sem_init(&painted, 0, 0);
    sem_init(&shown, 0, 2);
    pthread_create(&thread, NULL, paint, NULL);
    for (int f = 0; f < N_FRAMES; f++) {
        sem_wait(&painted);
        last = buffers[f % 2][0] + buffers[f % 2][1];
        sem_post(&shown);
    }
    pthread_join(thread, NULL);
    return last <= 2 * N_FRAMES ? 0 : 1;
}
