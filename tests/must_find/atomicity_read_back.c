/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=2000
 * BURL-NEVER: race.data
 * BURL-WHY: A number is drawn by storing it in a shared variable and reading that back: another
 *   thread's store in between gives both the same number (W-W-R).
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
    return atomic_load(&last_number);
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
