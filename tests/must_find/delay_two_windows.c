/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --strategy=delay --detect=none --runs=12000 --stop-at-first
 * BURL-WHY: Two switches at two places, of a hundred and three: in the window of one thread, and
 *   back between two looks of the other. No single delay does it; two are tried after all single
 *   ones.
 */
#include <assert.h>
#include <pthread.h>

enum { ROUNDS = 16, CLOSED = 0, OPENING = 1, OPEN = 2 };

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

static int
look(void)
{
    int d;

    pthread_mutex_lock(&lock);
    d = door;
    pthread_mutex_unlock(&lock);
    return d;
}

static void *
looks(void *arg)
{
    const int first = look();
    const int second = look();

    assert(first != OPENING || second == OPENING);
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
