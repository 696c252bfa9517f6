/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The viewer polls with acquire.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct image {
    int width;
    int height;
    unsigned char pixels[16];
};

static struct image *_Atomic current;

static void *
load_image(void *arg)
{
    struct image *im = malloc(sizeof *im);

    (void)arg;
    im->width = 4;
    im->height = 4;
    for (int i = 0; i < 16; i++)
        im->pixels[i] = (unsigned char)i;
    atomic_store_explicit(&current, im, memory_order_release);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    struct image *im;
    int area;

    pthread_create(&thread, NULL, load_image, NULL);
    while ((im = atomic_load_explicit(&current, memory_order_acquire)) == NULL)
        sched_yield();
    area = im->width * im->height;
    pthread_join(thread, NULL);
    free(im);
    return area == 16 ? 0 : 1;
}
