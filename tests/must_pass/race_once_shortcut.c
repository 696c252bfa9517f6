/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: pthread_once itself is the test; its return orders the initialization before every
 *   user.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[3];

static void
make_table(void)
{
    for (int i = 0; i < 3; i++)
        table[i] = i * i;
}

static int
square(int i)
{
    pthread_once(&once, make_table);
    return table[i];
}

static void *
use(void *arg)
{
    return square(2) == 4 ? NULL : arg;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return table[2] == 4 ? 0 : 1;
}
