/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Each thread takes blocks from malloc and frees them; getting the same address one
 *   after the other is no race.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct block {
    int data[6];
};

static struct block *
take(void)
{
    return malloc(sizeof(struct block));
}

static void
give(struct block *b)
{
    free(b);
}

static void *
work(void *arg)
{
    int id = *(int *)arg;

    for (int round = 0; round < 3; round++) {
        struct block *b = take();

        for (int i = 0; i < 6; i++)
            b->data[i] = id;
        give(b);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int ids[2] = { 1, 2 };

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
