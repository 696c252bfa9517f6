/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-WHY: A transfer locks the account that pays but not the one that receives; two payments
 *   into the same account lose money.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N_ACCOUNTS = 3, INITIAL = 100 };

struct account {
    pthread_mutex_t mutex; /* guards balance */
    long balance;
};

static struct account accounts[N_ACCOUNTS];

static void
transfer(int from, int to, long amount)
{
    pthread_mutex_lock(&accounts[from].mutex);
    if (accounts[from].balance >= amount) {
        accounts[from].balance -= amount;
        accounts[to].balance += amount;
    }
    pthread_mutex_unlock(&accounts[from].mutex);
}

static void *
salary(void *arg)
{
    (void)arg;
    transfer(0, 2, 60);
    return NULL;
}

static void *
gift(void *arg)
{
    (void)arg;
    transfer(1, 2, 25);
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;
    long total = 0;

    for (int i = 0; i < N_ACCOUNTS; i++) {
        pthread_mutex_init(&accounts[i].mutex, NULL);
        accounts[i].balance = INITIAL;
    }
    pthread_create(&a, NULL, salary, NULL);
    pthread_create(&b, NULL, gift, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 0; i < N_ACCOUNTS; i++)
        total += accounts[i].balance;
    assert(total == (long)N_ACCOUNTS * INITIAL);
    return 0;
}
