/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The fence stands between the data and the relaxed store.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static char key[16];
static atomic_int has_key;

static void *
set_key(void *arg)
{
    memcpy(key, "correct horse", 14);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&has_key, 1, memory_order_relaxed);
    return arg;
}

static void *
sign(void *arg)
{
    int *first = arg;

    if (atomic_load_explicit(&has_key, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        *first = key[0];
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int first = 0;

    pthread_create(&threads[0], NULL, set_key, NULL);
    pthread_create(&threads[1], NULL, sign, &first);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return first == 0 || first == 'c' ? 0 : 1;
}
