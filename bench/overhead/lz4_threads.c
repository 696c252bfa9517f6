/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/overhead/lz4_threads.c - LZ4 (the library's own sources are linked in) in two threads: they
 * take blocks of generated text from a common queue, compress them fast and hard, decompress and
 * compare. Correct.
 *
 *     lz4_threads [ROUNDS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lz4.h"
#include "lz4hc.h"

#ifndef BLOCK_B
#define BLOCK_B 65536
#define N_BLOCKS 32
#endif
#define N_THREADS 2

static char text[N_BLOCKS][BLOCK_B];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_block;
static int n_jobs;
static long compressed;

static void
make_text(void)
{
    static const char *const words[] = { "thread ", "lock ", "the ", "of ", "warp ", "weft ",
                                         "shuttle ", "knot ", "and ", "burl " };
    unsigned seed = 1;

    for (int b = 0; b < N_BLOCKS; b++) {
        for (int i = 0; i < BLOCK_B - 16;) {
            const char *w;

            seed = seed * 1103515245u + 12345u;
            w = words[(seed >> 16) % 10];
            memcpy(&text[b][i], w, strlen(w));
            i += (int)strlen(w);
            if ((seed >> 8) % 7 == 0)
                text[b][i++] = (char)('a' + (seed >> 24) % 26);
        }
    }
}

static int
take(void)
{
    int job;

    pthread_mutex_lock(&lock);
    job = next_block < n_jobs ? next_block++ : -1;
    pthread_mutex_unlock(&lock);
    return job;
}

static void *
work(void *arg)
{
    char *packed = malloc((size_t)LZ4_compressBound(BLOCK_B));
    char *back = malloc(BLOCK_B);
    int job;

    (void)arg;
    while ((job = take()) >= 0) {
        const char *in = text[job % N_BLOCKS];
        int n = job % 2 == 0 ? LZ4_compress_default(in, packed, BLOCK_B, LZ4_compressBound(BLOCK_B))
                             : LZ4_compress_HC(in, packed, BLOCK_B, LZ4_compressBound(BLOCK_B), 4);

        if (LZ4_decompress_safe(packed, back, n, BLOCK_B) != BLOCK_B ||
            memcmp(back, in, BLOCK_B) != 0)
            abort();
        pthread_mutex_lock(&lock);
        compressed += n;
        pthread_mutex_unlock(&lock);
    }
    free(packed);
    free(back);
    return NULL;
}

int
main(int argc, char **argv)
{
    pthread_t threads[N_THREADS];

    make_text();
    n_jobs = N_BLOCKS * (argc > 1 ? atoi(argv[1]) : 10);
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", compressed);
    return 0;
}
