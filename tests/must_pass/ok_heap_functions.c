/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-ENGINES: both
 * BURL-WHY: The whole malloc family, used right by two threads, up to the last byte of every
 *   block.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
grow(void)
{
    unsigned char *p = malloc(1);

    p[0] = 0;
    for (size_t n = 2; n <= 64; n *= 2) {
        p = realloc(p, n);
        for (size_t i = n / 2; i < n; i++)
            p[i] = (unsigned char)i;
    }
    for (size_t i = 0; i < 64; i++)
        assert(p[i] == i);
    p = realloc(p, 3);
    assert(p[2] == 2);
    free(p);
}

static void
align(void)
{
    void *p = NULL;
    void *q;

    assert(posix_memalign(&p, 256, 100) == 0);
    assert((uintptr_t)p % 256 == 0);
    memset(p, 1, 100);
    q = aligned_alloc(64, 128);
    assert((uintptr_t)q % 64 == 0);
    memset(q, 2, 128);
    assert(((unsigned char *)p)[99] == 1 && ((unsigned char *)q)[127] == 2);
    free(q);
    free(p);
}

static void
strings(int id)
{
    char *copy = strdup("burl");
    char *part = strndup("threads", 6);
    char *text = NULL;

    assert(asprintf(&text, "%s-%s-%d", copy, part, id) > 0);
    assert(strncmp(text, "burl-thread-", 12) == 0);
    assert(text[strlen(text) - 1] == '0' + id);
    free(text);
    free(part);
    free(copy);
}

static void *
work(void *arg)
{
    int *zeros = calloc(7, sizeof *zeros);
    void *empty = malloc(0);

    for (int i = 0; i < 7; i++)
        assert(zeros[i] == 0);
    zeros = reallocarray(zeros, 9, sizeof *zeros);
    zeros[8] = 1;
    grow();
    align();
    strings(*(int *)arg);
    free(NULL);
    free(empty);
    free(zeros);
    return NULL;
}

int
main(void)
{
    int ids[2] = { 1, 2 };
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
