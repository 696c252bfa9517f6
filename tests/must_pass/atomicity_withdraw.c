/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Checked and charged in one critical section.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards balance */
static long balance = 100;

static void
withdraw(long amount)
{
    pthread_mutex_lock(&mutex);
    if (balance >= amount)
        balance -= amount;
    pthread_mutex_unlock(&mutex);
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
