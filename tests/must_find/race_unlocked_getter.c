/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Everything that changes the balance takes the lock; the getter, being "only a read",
 *   does not.
 */
#include <pthread.h>
#include <stddef.h>

struct account {
    pthread_mutex_t mutex; /* guards balance */
    long balance;
};

static struct account account = { PTHREAD_MUTEX_INITIALIZER, 100 };

static void
deposit(struct account *a, long amount)
{
    pthread_mutex_lock(&a->mutex);
    a->balance += amount;
    pthread_mutex_unlock(&a->mutex);
}

static long
balance(struct account *a)
{
    long b;

    b = a->balance;
    return b;
}

static void *
salary(void *arg)
{
    (void)arg;
    deposit(&account, 50);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    long seen;

    pthread_create(&thread, NULL, salary, NULL);
    seen = balance(&account);
    pthread_join(thread, NULL);
    return seen == 100 || seen == 150 ? 0 : 1;
}
