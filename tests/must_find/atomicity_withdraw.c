/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=2000
 * BURL-NEVER: race.data
 * BURL-WHY: The balance is checked in one critical section and charged in another: two
 *   withdrawals may both have been allowed.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards balance */
static long balance = 100;

static long
get_balance(void)
{
    long b;

    pthread_mutex_lock(&mutex);
    b = balance;
    pthread_mutex_unlock(&mutex);
    return b;
}

static void
charge(long amount)
{
    pthread_mutex_lock(&mutex);
    balance -= amount;
    pthread_mutex_unlock(&mutex);
}

static void
withdraw(long amount)
{
    if (get_balance() >= amount)
        charge(amount);
}

static void *
customer(void *arg)
{
    withdraw(*(long *)arg);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    long amounts[2] = { 70, 60 };

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, customer, &amounts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(balance >= 0);
    return 0;
}
