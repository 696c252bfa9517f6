/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=100
 * BURL-WHY: A block of 64 MB is shared by two threads that use different halves of it.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#define BLOCK_B ((size_t)64 << 20)
#define STRIDE_B ((size_t)4 << 20)

struct half {
    unsigned char *start;
    unsigned char mark;
};

static void *
fill(void *arg)
{
    struct half *h = arg;

    for (size_t i = 0; i < BLOCK_B / 2; i += STRIDE_B)
        h->start[i] = h->mark;
    return NULL;
}

int
main(void)
{
    unsigned char *block = malloc(BLOCK_B);
    struct half halves[2];
    pthread_t threads[2];

    if (block == NULL)
        return 2;
    for (int i = 0; i < 2; i++) {
        halves[i].start = block + (size_t)i * BLOCK_B / 2;
        halves[i].mark = (unsigned char)(i + 1);
        pthread_create(&threads[i], NULL, fill, &halves[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < BLOCK_B; i += STRIDE_B)
        assert(block[i] == (i < BLOCK_B / 2 ? 1 : 2));
    free(block);
    return 0;
}
