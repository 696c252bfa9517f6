/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench3.c - the program that `make bench` runs: three workers, correct, no I/O.
 *
 * One execution has about 60 synchronization operations (create, join, lock, unlock, wait,
 * signal, barrier) and about 95 accesses to shared memory, which is the size of a typical unit
 * test of concurrent code; the figures in docs are for this program. Change the constants and
 * the figures of different versions can no longer be compared.
 *
 * Each worker draws its rounds from a shared ledger under one of two locks, hands a token to
 * the next worker in a ring of mailboxes, and meets the others at a barrier.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum { N_WORKERS = 3, N_ROUNDS = 2, N_TOKENS = 1 };

struct mailbox {
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t arrived;
    int n_tokens;
};

struct worker {
    pthread_t thread;
    struct mailbox box;
    int id;
    int n_taken;
    int seen;
};

static struct worker workers[N_WORKERS];
static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int ledger[2]; /* ledger[i] is guarded by locks[i] */
static pthread_barrier_t end_of_round;

static void
draw(int side, int amount)
{
    pthread_mutex_lock(&locks[side]);
    ledger[side] += amount;
    pthread_mutex_unlock(&locks[side]);
}

static void
mailbox_put(struct mailbox *b)
{
    pthread_mutex_lock(&b->mutex);
    b->n_tokens++;
    pthread_cond_signal(&b->arrived);
    pthread_mutex_unlock(&b->mutex);
}

static void
mailbox_take(struct mailbox *b)
{
    pthread_mutex_lock(&b->mutex);
    while (b->n_tokens == 0)
        pthread_cond_wait(&b->arrived, &b->mutex);
    b->n_tokens--;
    pthread_mutex_unlock(&b->mutex);
}

static void *
run(void *arg)
{
    struct worker *w = arg;
    struct worker *next = &workers[(w->id + 1) % N_WORKERS];

    for (int r = 0; r < N_ROUNDS; r++) {
        draw((w->id + r) % 2, 1 + w->id);
        for (int i = 0; i < N_TOKENS; i++) {
            mailbox_put(&next->box);
            mailbox_take(&w->box);
            w->n_taken++;
        }
    }
    pthread_barrier_wait(&end_of_round);
    w->seen = ledger[0] + ledger[1]; /* no thread writes after the barrier */
    if (w->seen != N_ROUNDS * (1 + 2 + 3))
        abort();
    return NULL;
}

int
main(void)
{
    pthread_barrier_init(&end_of_round, NULL, N_WORKERS);
    for (int i = 0; i < N_WORKERS; i++) {
        struct worker *w = &workers[i];

        w->id = i;
        pthread_mutex_init(&w->box.mutex, NULL);
        pthread_cond_init(&w->box.arrived, NULL);
    }
    for (int i = 0; i < N_WORKERS; i++)
        pthread_create(&workers[i].thread, NULL, run, &workers[i]);
    for (int i = 0; i < N_WORKERS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < N_WORKERS; i++) {
        if (workers[i].n_taken != N_ROUNDS * N_TOKENS || workers[i].seen != workers[0].seen)
            return 1;
    }
    return 0;
}
