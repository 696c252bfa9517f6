/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfer.c - transfers between accounts, each with its lock. The cover is checked under
 * the lock, which is dropped and taken again together with the other account's: two transfers
 * from one account can both be covered by the same money. FIXED: checked again with both.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { ACCOUNTS = 3 };

struct account {
    pthread_mutex_t lock;
    int balance;
};

struct order {
    int from;
    int to;
    int amount;
};

static struct account accounts[ACCOUNTS] = { { PTHREAD_MUTEX_INITIALIZER, 100 },
                                             { PTHREAD_MUTEX_INITIALIZER, 50 },
                                             { PTHREAD_MUTEX_INITIALIZER, 0 } };

static bool
covered(const struct order *o)
{
    bool yes;

    pthread_mutex_lock(&accounts[o->from].lock);
    yes = accounts[o->from].balance >= o->amount;
    pthread_mutex_unlock(&accounts[o->from].lock);
    return yes;
}

static void *
transfer(void *arg)
{
    const struct order *o = arg;
    struct account *first = &accounts[o->from < o->to ? o->from : o->to];
    struct account *second = &accounts[o->from < o->to ? o->to : o->from];

    if (!covered(o))
        return NULL;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
#ifdef FIXED
    if (accounts[o->from].balance >= o->amount)
#endif
    {
        accounts[o->from].balance -= o->amount;
        accounts[o->to].balance += o->amount;
    }
    assert(accounts[o->from].balance >= 0);
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
    return NULL;
}

int
main(void)
{
    static struct order orders[] = { { 0, 1, 60 }, { 1, 2, 70 }, { 0, 2, 60 }, { 2, 0, 10 } };
    enum { ORDERS = sizeof orders / sizeof orders[0] };
    pthread_t threads[ORDERS];

    for (int i = 0; i < ORDERS; i++)
        pthread_create(&threads[i], NULL, transfer, &orders[i]);
    for (int i = 0; i < ORDERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
