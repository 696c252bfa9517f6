/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Only the fields that never change are copied.
 */
#include <pthread.h>
#include <stddef.h>

struct settings {
    int width;
    int height;
    char title[16];
    int brightness;
};

static struct settings settings = { 640, 480, "untitled", 50 };

static void *
dim(void *arg)
{
    settings.brightness = 20;
    return arg;
}

static void *
draw(void *arg)
{
    int *area = arg;
    int width = settings.width;
    int height = settings.height;

    *area = width * height;
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int area = 0;

    pthread_create(&threads[0], NULL, dim, NULL);
    pthread_create(&threads[1], NULL, draw, &area);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return area == 640 * 480 ? 0 : 1;
}
