/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The home-made once treats an initialization that another thread began as
 *   finished.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_CODES = 4 };

static atomic_int begun;
static atomic_int codes[N_CODES];

static void
fill_codes(void)
{
    for (int i = 0; i < N_CODES; i++)
        atomic_store(&codes[i], 1 << i);
}

static int
code_of(int i)
{
    if (atomic_exchange(&begun, 1) == 0)
        fill_codes();
    return atomic_load(&codes[i]);
}

static void *
encode(void *arg)
{
    (void)arg;
    assert(code_of(3) == 8);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, encode, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
