/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: Blocks are recycled through a private free list of one block, which both threads use
 *   without a lock.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct block {
    int data[6];
};

static struct block *spare;

static struct block *
take(void)
{
    struct block *b = spare;

    spare = NULL;
    return b != NULL ? b : malloc(sizeof *b);
}

static void
give(struct block *b)
{
    if (spare == NULL)
        spare = b;
    else
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
    free(spare);
    return 0;
}
