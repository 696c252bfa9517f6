/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: A racy counter that is not declared harmless.
 */
#include <burl/burl.h>
#include <pthread.h>
#include <stddef.h>

static unsigned hits;

static void *
work(void *arg)
{
    (void)arg;
    hits++;
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return hits <= 2 ? 0 : 1;
}
