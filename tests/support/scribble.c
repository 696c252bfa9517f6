/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/scribble.c - a program with a wild pointer into burl's control block.
 *
 * usage: scribble MODE SEED. It finds the block among its mappings and writes over it:
 *   random   words, some zero, some huge, some with one bit changed, at random places of the block
 *   head     the same in the first 512 KiB, where numbers and tables are
 *   sizes    the numbers of points and sites become huge
 *   turn     the turn word, all the time, from a thread that never ends
 *   live     the counter of progress, all the time, from a thread that never ends
 *   table    a text without end and control characters in the result
 *   none     nothing: the program must pass
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t *block;
static size_t words;
static uint64_t state;
static int shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static uint64_t
draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void
find_block(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512];

    while (f && fgets(line, sizeof line, f)) {
        unsigned long lo, hi;

        if (strstr(line, "burl-control") && sscanf(line, "%lx-%lx", &lo, &hi) == 2 && !block) {
            block = (uint64_t *)lo;
            words = (hi - lo) / 8;
        }
    }
    if (f)
        fclose(f);
}

static void
scribble(size_t n)
{
    const size_t writes = 1 + draw() % 64;

    for (size_t i = 0; i < writes; i++) {
        const size_t at = draw() % n;

        switch (draw() % 5) {
        case 0:
            block[at] = draw();
            break;
        case 1:
            block[at] = 0;
            break;
        case 2:
            block[at] = UINT64_MAX;
            break;
        case 3:
            block[at] ^= 1ull << draw() % 64;
            break;
        default:
            block[at] = 0x7fffffff5fe80003ull;
        }
    }
}

/* A thread of the program's own that burl does not control would be needed to write while the host
 * reads: a child that shares the mapping does. */
static void
write_for_ever(size_t at, int same)
{
    extern int fork(void);

    if (fork() == 0) {
        for (uint64_t i = 1;; i++)
            block[at] = same ? (uint64_t)7 << 32 | 11 : i;
    }
}

static void *
work(void *arg)
{
    pthread_mutex_lock(&m);
    shared++;
    pthread_mutex_unlock(&m);
    return arg;
}

int
main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "none";
    pthread_t t[2];

    state = argc > 2 ? strtoull(argv[2], NULL, 10) * 2654435761u + 88172645463325252ull : 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    find_block();
    if (block && strcmp(mode, "random") == 0)
        scribble(words);
    else if (block && strcmp(mode, "head") == 0)
        scribble(words < 65536 ? words : 65536);
    else if (block && strcmp(mode, "sizes") == 0) {
        for (size_t i = 2; i < 32; i++)
            block[i] = 0x5fe800037fffffffull;
    } else if (block && strcmp(mode, "turn") == 0)
        write_for_ever(1, 1);
    else if (block && strcmp(mode, "live") == 0) {
        write_for_ever(25, 0);
        write_for_ever(26, 0);
    } else if (block && strcmp(mode, "table") == 0)
        memset((char *)block + 512, 0x1b, 400 * 1024);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return shared == 2 ? 0 : 1;
}
