/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --strategy=delay --detect=none --runs=500 --stop-at-first
 * BURL-WHY: One place among some four hundred at which a switch goes wrong, and then the other
 *   thread must be through before the first goes on. All places for one delay are tried in turn.
 */
#include <assert.h>
#include <pthread.h>

enum { ROUNDS = 60, CLOSED = 0, OPENING = 1, OPEN = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int work;
static int door;

static void
set(int *what, int value)
{
    pthread_mutex_lock(&lock);
    *what = value;
    pthread_mutex_unlock(&lock);
}

static void *
opens(void *arg)
{
    for (int i = 0; i < ROUNDS; i++)
        set(&work, i);
    set(&door, OPENING);
    set(&door, OPEN);
    for (int i = 0; i < ROUNDS; i++)
        set(&work, i);
    return arg;
}

static void *
looks(void *arg)
{
    int d;

    pthread_mutex_lock(&lock);
    d = door;
    pthread_mutex_unlock(&lock);
    assert(d == CLOSED || d == OPEN);
    return arg;
}

int
main(void)
{
    pthread_t t[2];

    pthread_create(&t[0], NULL, opens, NULL);
    pthread_create(&t[1], NULL, looks, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
