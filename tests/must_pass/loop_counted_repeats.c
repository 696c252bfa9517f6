/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=20
 * BURL-WHY: A loop that repeats the same operations on the same values is no livelock if it counts:
 * its counter, in a register or on the stack, is part of the state that must recur.
 */
#include <pthread.h>

#define ROOM 4
#define TIMES 60000 /* operations without progress after which the runtime looks for a period */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n = ROOM;
static int values[ROOM];

static __attribute__((noinline)) void
add(int value)
{
    pthread_mutex_lock(&lock);
    if (n < ROOM)
        values[n++] = value;
    pthread_mutex_unlock(&lock);
}

int
main(void)
{
    for (int i = 0; i < TIMES; i++)
        add(i);
    return n == ROOM ? 0 : 1;
}
