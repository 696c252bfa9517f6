/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: Store buffering with sequentially consistent atomics: at least one thread sees the
 *   other's store in every interleaving.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;
static atomic_int y;
static int r0;
static int r1;

static void *
left(void *arg)
{
    (void)arg;
    atomic_store(&x, 1);
    r0 = atomic_load(&y);
    return NULL;
}

static void *
right(void *arg)
{
    (void)arg;
    atomic_store(&y, 1);
    r1 = atomic_load(&x);
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;

    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r0 == 1 || r1 == 1);
    return 0;
}
