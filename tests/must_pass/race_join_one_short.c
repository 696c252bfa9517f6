/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Every worker is joined before the parts are added up.
 */
#include <pthread.h>
#include <stddef.h>

enum { N_WORKERS = 3 };

static int parts[N_WORKERS];

static void *
work(void *arg)
{
    int *part = arg;

    *part += 7;
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_WORKERS];
    int sum = 0;

    for (int i = 0; i < N_WORKERS; i++)
        pthread_create(&threads[i], NULL, work, &parts[i]);
    for (int i = 0; i < N_WORKERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N_WORKERS; i++)
        sum += parts[i];
    return sum <= 21 ? 0 : 1;
}
