/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bank.c - tellers move money between accounts.
 *
 * An example for burl: the program is wrong, and hardly ever fails by itself.
 * Money is only moved, so the sum of all balances must stay what it was.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

enum { N_ACCOUNTS = 3, N_TELLERS = 2, INITIAL = 100 };

struct account {
    pthread_mutex_t mutex; /* guards balance */
    long balance;
};

struct order {
    int from;
    int to;
    long amount;
};

static struct account accounts[N_ACCOUNTS];

static const struct order orders[N_TELLERS][2] = {
    { { 0, 1, 30 }, { 1, 2, 20 } },
    { { 2, 1, 50 }, { 1, 0, 10 } },
};

static long
account_balance(struct account *a)
{
    long balance;

    pthread_mutex_lock(&a->mutex);
    balance = a->balance;
    pthread_mutex_unlock(&a->mutex);
    return balance;
}

static void
account_set(struct account *a, long balance)
{
    pthread_mutex_lock(&a->mutex);
    a->balance = balance;
    pthread_mutex_unlock(&a->mutex);
}

static void
transfer(const struct order *o)
{
    struct account *from = &accounts[o->from];
    struct account *to = &accounts[o->to];

    if (account_balance(from) < o->amount)
        return;
    account_set(from, account_balance(from) - o->amount);
    account_set(to, account_balance(to) + o->amount);
}

static void *
teller(void *arg)
{
    const struct order *o = arg;

    transfer(&o[0]);
    transfer(&o[1]);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_TELLERS];
    long total = 0;

    for (int i = 0; i < N_ACCOUNTS; i++) {
        pthread_mutex_init(&accounts[i].mutex, NULL);
        accounts[i].balance = INITIAL;
    }
    for (int i = 0; i < N_TELLERS; i++)
        pthread_create(&threads[i], NULL, teller, (void *)orders[i]);
    for (int i = 0; i < N_TELLERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N_ACCOUNTS; i++)
        total += account_balance(&accounts[i]);
    printf("total: %ld\n", total);
    assert(total == (long)N_ACCOUNTS * INITIAL);
    return 0;
}
