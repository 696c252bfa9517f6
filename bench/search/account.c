/* SPDX-License-Identifier: Apache-2.0 */
/*
 * account.c - SCTBench CS/account: deposit, withdraw, and a check of the balance.
 *
 * All three hold the lock. The check adds up wrongly, which shows only when it comes last: with
 * deposit and withdrawal both done. FIXED: the sum is right.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { OPENING = 40, PAID_IN = 25, DRAWN = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = OPENING;
static bool deposited;
static bool withdrawn;

static void *
deposit(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    balance += PAID_IN;
    deposited = true;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *
withdraw(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    balance -= DRAWN;
    withdrawn = true;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *
audit(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    if (deposited && withdrawn) {
#ifdef FIXED
        assert(balance == OPENING + PAID_IN - DRAWN);
#else
        assert(balance == OPENING - PAID_IN - DRAWN);
#endif
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int
main(void)
{
    pthread_t threads[3];

    /* The auditor starts first, so that it comes last only when others go before it. */
    pthread_create(&threads[0], NULL, audit, NULL);
    pthread_create(&threads[1], NULL, deposit, NULL);
    pthread_create(&threads[2], NULL, withdraw, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
