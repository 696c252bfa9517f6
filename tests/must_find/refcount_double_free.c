/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-free | memory.double-free
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-ENGINES: both
 * BURL-WHY: The count is decremented and then read again to see whether it reached zero. Two
 *   owners that let go at the same time both see zero, or one reads the count from freed memory.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct image {
    atomic_int refs;
    int width;
    int height;
    int *pixels;
};

static struct image *
image_new(int width, int height, int refs)
{
    struct image *im = malloc(sizeof *im);

    atomic_init(&im->refs, refs);
    im->width = width;
    im->height = height;
    im->pixels = calloc((size_t)width * (size_t)height, sizeof *im->pixels);
    return im;
}

static void
image_release(struct image *im)
{
    atomic_fetch_sub(&im->refs, 1);
    if (atomic_load(&im->refs) == 0) {
        free(im->pixels);
        free(im);
    }
}

static void *
show(void *arg)
{
    struct image *im = arg;
    int area = im->width * im->height;

    image_release(im);
    return area == 12 ? NULL : arg;
}

int
main(void)
{
    struct image *im = image_new(4, 3, 2);
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, show, im);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
