/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/same/turn.h - threads that go in a fixed order, whatever the scheduler does: a
 * program of tests/e2e/cover_free_same.sh covers the same under control and on free threads.
 */
#ifndef BURL_TESTS_SAME_TURN_H
#define BURL_TESTS_SAME_TURN_H

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#define TURNS 8

static sem_t turns[TURNS];

static inline void
turns_init(void)
{
    for (int i = 0; i < TURNS; i++)
        sem_init(&turns[i], 0, 0);
}

/* Waits until turn i comes; each is given once. */
static inline void
await_turn(int i)
{
    sem_wait(&turns[i]);
}

static inline void
give_turn(int i)
{
    sem_post(&turns[i]);
}

/* One thread runs from its beginning to its end. */
static inline void
run_alone(void *(*start)(void *), void *arg)
{
    pthread_t t;

    pthread_create(&t, NULL, start, arg);
    pthread_join(t, NULL);
}

#endif
