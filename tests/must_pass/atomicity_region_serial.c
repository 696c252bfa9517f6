/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The other thread touches one of the region's variables, once: whenever it comes, it
 *   might as well have come before or after.
 */
#include <burl/burl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int width = 4;
static atomic_int height = 3;

static void *
turn(void *arg)
{
    (void)arg;
    BURL_ATOMIC_BEGIN("turn");
    atomic_store(&width, 3);
    atomic_store(&height, 4);
    BURL_ATOMIC_END();
    return NULL;
}

static void *
measure(void *arg)
{
    int *area = arg;

    *area = atomic_load(&width);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int area = 0;

    pthread_create(&threads[0], NULL, turn, NULL);
    pthread_create(&threads[1], NULL, measure, &area);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return area > 0 ? 0 : 1;
}
