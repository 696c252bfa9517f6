/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The seat is looked for and taken in one critical section.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N_SEATS = 3, N_CUSTOMERS = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards owner */
static int owner[N_SEATS];
static int seat_of[N_CUSTOMERS + 1];

static int
reserve(int customer)
{
    int seat = -1;

    pthread_mutex_lock(&mutex);
    for (int i = 0; i < N_SEATS && seat < 0; i++) {
        if (owner[i] == 0) {
            owner[i] = customer;
            seat = i;
        }
    }
    pthread_mutex_unlock(&mutex);
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
