/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <pthread.h>

struct acct {
    pthread_mutex_t lock;
    int balance;
};

static struct acct accts[2];
static int total = 100;

static void
deposit(int n)
{
    int old = total;
    total = old + n;
}

static void *
worker(void *arg)
{
    deposit(*(int *)arg);
    return NULL;
}

static void
transfer(struct acct *from, struct acct *to, int n)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= n;
    to->balance += n;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *
mover(void *arg)
{
    long i = (long)arg;
    transfer(&accts[i], &accts[1 - i], 10);
    return NULL;
}

int
main(void)
{
    pthread_t a, b;
    int n = 10;

    pthread_create(&a, NULL, worker, &n);
    pthread_create(&b, NULL, worker, &n);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(total == 120);
    return 0;
}
