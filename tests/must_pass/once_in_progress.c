/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: pthread_once returns only when the initialization is complete.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_CODES = 4 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
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
    pthread_once(&once, fill_codes);
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
