/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-ENGINES: both
 * BURL-WHY: main returns without joining; the sum is right whenever the auditor comes.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 40;
static int paid_in;
static int drawn;

static void *
deposit(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    balance += 25;
    paid_in = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *
withdraw(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    balance -= 10;
    drawn = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *
audit(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    if (paid_in && drawn)
        assert(balance == 40 + 25 - 10);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int
main(void)
{
    pthread_t t[3];

    pthread_create(&t[0], NULL, audit, NULL);
    pthread_create(&t[1], NULL, deposit, NULL);
    pthread_create(&t[2], NULL, withdraw, NULL);
    return 0;
}
