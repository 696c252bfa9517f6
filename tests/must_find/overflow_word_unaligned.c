/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.overflow
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=200 --stop-at-first
 * BURL-ENGINES: both
 * BURL-SEQUENTIAL: yes
 * BURL-WHY: A string that begins at an odd address is read in words: the last one may reach into
 *   a page that is not mapped.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N_THREADS = 2, MAX_LENGTH = 16 };

typedef uint32_t word __attribute__((may_alias, aligned(1)));

static uint32_t
hash(const char *s, size_t n)
{
    const word *w = (const word *)s;
    uint32_t h = 0;

    for (; n >= 4; n -= 4)
        h = h * 31 + *w++;
    if (n > 0)
        h = h * 31 + (*w & ((1u << 8 * n) - 1));
    return h;
}

static void *
work(void *arg)
{
    uint32_t *result = arg;

    for (size_t n = 1; n <= MAX_LENGTH; n += 5) {
        char *s = malloc(n + 1);

        memset(s, 'a', n + 1);
        *result = *result * 7 + hash(s + 1, n);
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
