/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Looking for a free seat and taking it are two critical sections; two customers can
 *   find the same seat free.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N_SEATS = 3, N_CUSTOMERS = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards owner */
static int owner[N_SEATS];
static int seat_of[N_CUSTOMERS + 1];

static int
find_seat(void)
{
    int seat = -1;

    pthread_mutex_lock(&mutex);
    for (int i = 0; i < N_SEATS && seat < 0; i++) {
        if (owner[i] == 0)
            seat = i;
    }
    pthread_mutex_unlock(&mutex);
    return seat;
}

static void
take_seat(int seat, int customer)
{
    pthread_mutex_lock(&mutex);
    owner[seat] = customer;
    pthread_mutex_unlock(&mutex);
}

static int
reserve(int customer)
{
    int seat = find_seat();

    if (seat >= 0)
        take_seat(seat, customer);
    return seat;
}

static void *
book(void *arg)
{
    int customer = (int)((int *)arg - seat_of);

    seat_of[customer] = reserve(customer);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_CUSTOMERS];

    for (int i = 0; i < N_CUSTOMERS; i++)
        pthread_create(&threads[i], NULL, book, &seat_of[i + 1]);
    for (int i = 0; i < N_CUSTOMERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i <= N_CUSTOMERS; i++)
        assert(seat_of[i] >= 0 && owner[seat_of[i]] == i);
    return 0;
}
