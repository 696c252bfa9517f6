/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.overflow
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=200 --stop-at-first
 * BURL-ENGINES: both
 * BURL-SEQUENTIAL: yes
 * BURL-WHY: The tail is read as a word even when no byte is left: nothing of that word belongs to
 *   the block, and it may be on a page that is not mapped.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N_THREADS = 2, MAX_LENGTH = 21 };

typedef uint8_t vector __attribute__((vector_size(16), may_alias));
typedef uint32_t word __attribute__((may_alias));

static uint32_t
hash(const char *s, size_t n)
{
    const word *w = (const word *)s;
    uint32_t h = 0;

    for (; n >= 4; n -= 4)
        h = h * 31 + *w++;
    h = h * 31 + (*w & ((1u << 8 * n) - 1));
    return h;
}

static uint32_t
sum(const char *s, size_t n)
{
    uint32_t all = 0;

    for (size_t at = 0; at < n; at += 16) {
        vector v = *(const vector *)(s + at);

        for (size_t i = 0; i < 16; i++)
            all += at + i < n ? v[i] : 0;
    }
    return all;
}

static void *
work(void *arg)
{
    uint32_t *result = arg;

    for (size_t n = 1; n <= MAX_LENGTH; n += 1) {
        char *s = malloc(n);

        memset(s, 'a', n);
        *result = *result * 7 + hash(s, n) + sum(s, n);
        free(s);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_THREADS];
    uint32_t results[N_THREADS] = { 0 };

    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, work, &results[i]);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    return results[0] == results[1] ? 0 : 1;
}
