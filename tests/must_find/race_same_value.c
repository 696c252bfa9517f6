/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: A thread that finds the needle sets a plain flag; that all write the same value does
 *   not make it defined.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static const int hay[6] = { 4, 7, 1, 7, 9, 2 };
static bool found;

static void *
search(void *arg)
{
    const int *from = arg;

    for (int i = 0; i < 3; i++) {
        if (from[i] == 7)
            found = true;
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, search, (void *)&hay[3 * i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return found ? 0 : 1;
}
