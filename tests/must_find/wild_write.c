/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.wild-write
 * BURL-ARGS: --runs=20
 * BURL-SEQUENTIAL: yes
 * BURL-NATIVE: no
 * BURL-WHY: a store through a wild pointer meets burl's control block. Without the block there is
 *   nothing to overwrite, so the program looks for it; a real one meets it by chance.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *
work(void *arg)
{
    pthread_mutex_lock(&m);
    shared++;
    pthread_mutex_unlock(&m);
    return arg;
}

static uint64_t *
find_block(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    unsigned long lo = 0;
    char line[512];

    while (f && lo == 0 && fgets(line, sizeof line, f)) {
        if (!strstr(line, "burl-control") || sscanf(line, "%lx-", &lo) != 1)
            lo = 0;
    }
    if (f)
        fclose(f);
    return (uint64_t *)lo;
}

int
main(void)
{
    pthread_t t;
    uint64_t *wild;

    pthread_create(&t, NULL, work, NULL);
    wild = find_block();
    if (wild)
        wild[4] = 0x7fffffff;
    work(NULL);
    pthread_join(t, NULL);
    return shared == 2 ? 0 : 1;
}
