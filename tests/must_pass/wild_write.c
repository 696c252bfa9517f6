/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ARGS: --runs=20
 * BURL-WHY: the block is looked for and not written: nothing to report.
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
        (void)wild[4];
    work(NULL);
    pthread_join(t, NULL);
    return shared == 2 ? 0 : 1;
}
