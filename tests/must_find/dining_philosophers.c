/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: Every philosopher takes the left fork first; when all hold one fork none gets a
 *   second.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N_SEATS = 3, N_MEALS = 2 };

static pthread_mutex_t forks[N_SEATS];
static int meals[N_SEATS];

static void *
dine(void *arg)
{
    int seat = (int)((int *)arg - meals);
    int first = seat;
    int second = (seat + 1) % N_SEATS;

    for (int i = 0; i < N_MEALS; i++) {
        pthread_mutex_lock(&forks[first]);
        pthread_mutex_lock(&forks[second]);
        meals[seat]++;
        pthread_mutex_unlock(&forks[second]);
        pthread_mutex_unlock(&forks[first]);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_SEATS];

    for (int i = 0; i < N_SEATS; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (int i = 0; i < N_SEATS; i++)
        pthread_create(&threads[i], NULL, dine, &meals[i]);
    for (int i = 0; i < N_SEATS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N_SEATS; i++) {
        assert(meals[i] == N_MEALS);
        pthread_mutex_destroy(&forks[i]);
    }
    return 0;
}
