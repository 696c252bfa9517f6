/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: atomicity.region
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=2000
 * BURL-NEVER: race.data
 * BURL-WHY: The marked region reads the stock and sets it later; every access is atomic, the
 *   region is not.
 */
#include <burl/burl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int stock = 3;

static void *
sell(void *arg)
{
    (void)arg;
    BURL_ATOMIC_BEGIN("sell");
    int n = atomic_load(&stock);

    if (n > 0)
        atomic_store(&stock, n - 1);
    BURL_ATOMIC_END();
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, sell, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return atomic_load(&stock) <= 2 ? 0 : 1;
}
