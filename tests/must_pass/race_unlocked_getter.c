/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The getter takes the lock too.
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

    pthread_mutex_lock(&a->mutex);
    b = a->balance;
    pthread_mutex_unlock(&a->mutex);
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
