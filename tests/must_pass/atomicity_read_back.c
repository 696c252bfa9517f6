/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The drawn number stays in a local variable.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int next_number = 1;
static atomic_int last_number;

static int
draw(void)
{
    int number = atomic_fetch_add(&next_number, 1);

    atomic_store(&last_number, number);
    return number;
}

static void *
take(void *arg)
{
    *(int *)arg = draw();
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int numbers[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, take, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(numbers[0] != numbers[1]);
    return 0;
}
