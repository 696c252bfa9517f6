/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: Waiting by sched_yield is slow but correct: the flag is set in the end.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_TURNS = 3 };

static atomic_int turn;
static int log_of_turns[2 * N_TURNS];
static int used;
static int ids[2] = { 0, 1 };

static void *
play(void *arg)
{
    int self = *(int *)arg;

    for (int i = 0; i < N_TURNS; i++) {
        while (atomic_load(&turn) != self)
            sched_yield();
        log_of_turns[used++] = self;
        atomic_store(&turn, 1 - self);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, play, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2 * N_TURNS; i++)
        assert(log_of_turns[i] == i % 2);
    return 0;
}
