/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_create pthread_join
 * BURL-WHY: threads one after another, more than any table of carriers holds: what an ended and
 * joined
 *   thread ran on serves the next, with its thread-local variables as they were at the start.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static __thread int visits = 7;

static void *
visit(void *arg)
{
    assert(visits == 7);
    visits++;
    *(int *)arg += 1;
    return NULL;
}

int
main(void)
{
    int total = 0;

    for (int i = 0; i < 100; i++) {
        pthread_t thread;

        assert(pthread_create(&thread, NULL, visit, &total) == 0);
        assert(pthread_join(thread, NULL) == 0);
    }
    assert(total == 100);
    return 0;
}
