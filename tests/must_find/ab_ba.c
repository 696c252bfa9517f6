/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: Two transfers in opposite directions take the two account locks in opposite orders
 *   and wait for each other.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct account {
    pthread_mutex_t mutex; /* guards balance */
    int number;
    long balance;
};

static struct account accounts[2] = {
    { .mutex = PTHREAD_MUTEX_INITIALIZER, .number = 0, .balance = 100 },
    { .mutex = PTHREAD_MUTEX_INITIALIZER, .number = 1, .balance = 100 },
};

static void
transfer(struct account *from, struct account *to, long amount)
{
    pthread_mutex_lock(&from->mutex);
    pthread_mutex_lock(&to->mutex);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->mutex);
    pthread_mutex_unlock(&from->mutex);
}

static void *
pay_rent(void *arg)
{
    (void)arg;
    transfer(&accounts[0], &accounts[1], 40);
    return NULL;
}

static void *
pay_back(void *arg)
{
    (void)arg;
    transfer(&accounts[1], &accounts[0], 15);
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;

    pthread_create(&a, NULL, pay_rent, NULL);
    pthread_create(&b, NULL, pay_back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(accounts[0].balance == 75 && accounts[1].balance == 125);
    return 0;
}
