/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: thrd_create thrd_join thrd_detach thrd_exit
 * BURL-CFLAGS: -std=c11
 * BURL-WHY: C11 threads wait for each other through a C11 condition; results come through join,
 * both
 *   from a return and from thrd_exit.
 */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t mutex; /* guards turn and loose_done */
static cnd_t changed;
static int turn;
static int loose_done;

static int
take_turn(void *arg)
{
    int self = *(int *)arg;

    mtx_lock(&mutex);
    while (turn != self)
        cnd_wait(&changed, &mutex);
    turn++;
    cnd_broadcast(&changed);
    mtx_unlock(&mutex);
    if (self == 1)
        thrd_exit(41);
    return 40 + self * 10;
}

static int
be_loose(void *arg)
{
    (void)arg;
    mtx_lock(&mutex);
    loose_done = 1;
    cnd_broadcast(&changed);
    mtx_unlock(&mutex);
    return 0;
}

int
main(void)
{
    thrd_t threads[2];
    thrd_t loose;
    int ids[2] = { 0, 1 };
    int result = 0;

    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    assert(thrd_create(&threads[1], take_turn, &ids[1]) == thrd_success);
    assert(thrd_create(&threads[0], take_turn, &ids[0]) == thrd_success);
    assert(thrd_join(threads[1], &result) == thrd_success && result == 41);
    assert(thrd_join(threads[0], &result) == thrd_success && result == 40);
    assert(thrd_create(&loose, be_loose, NULL) == thrd_success);
    assert(thrd_detach(loose) == thrd_success);
    mtx_lock(&mutex);
    while (!loose_done)
        cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
    return 0;
}
