/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --strategy=surw --detect=none --runs=150 --stop-at-first
 * BURL-WHY: Nine threads set two variables, the tenth must look after the first of them has set
 *   one and before any has set the other. Uniform over the orders of one variable's events that
 *   is one execution in some ten; a random walk, PCT and POS need ten times as many and more.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SETTERS = 9 };

static atomic_int a;
static atomic_int b;

static void *
setter(void *arg)
{
    atomic_store(&a, 1);
    atomic_store(&b, -1);
    return arg;
}

static void *
checker(void *arg)
{
    const int x = atomic_load(&a);
    const int y = atomic_load(&b);

    assert((x == 0 && y == 0) || (x == 1 && y == -1));
    return arg;
}

int
main(void)
{
    pthread_t t[SETTERS + 1];

    for (int i = 0; i < SETTERS; i++)
        pthread_create(&t[i], NULL, setter, NULL);
    pthread_create(&t[SETTERS], NULL, checker, NULL);
    for (int i = 0; i <= SETTERS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
